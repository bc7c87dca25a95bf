package main

import (
	"finishline/privacy/secret"
	"finishline/verify"
)

// masked replaces what looks like a secret in the texts of a report that are
// not findings, whose own texts are clean already: the names of files, and what
// the command line said.
func masked(r *verify.Report) {
	r.Subject.Path = secret.Mask(r.Subject.Path)
	for i := range r.Checked {
		shared := r.Checked[i].Artifacts
		r.Checked[i].Artifacts = make([]verify.Artifact, len(shared))
		for j, a := range shared {
			r.Checked[i].Artifacts[j] = verify.Artifact{Path: secret.Mask(a.Path), SHA256: a.SHA256}
		}
	}
	for _, list := range [][]string{r.Accepted, r.Withheld, r.Notes} {
		for i, text := range list {
			list[i] = secret.Mask(text)
		}
	}
}
