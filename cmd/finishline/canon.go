package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

type canonCmd struct {
	File    string `arg:"" help:"A JSON document; - reads standard input."`
	Digest  bool   `help:"Print the digests instead of the canonical form." xor:"what"`
	Compact bool   `help:"Print the compact form, which keeps the order of members, instead." xor:"what"`
	outputFlags
	levelFlags
}

func (canonCmd) Help() string {
	return `The canonical form is what gets hashed and signed: RFC 8785, without a line feed at the end. At strict level a document with duplicate names, ill-formed text or inexact numbers is refused (exit 1), because readers disagree on it.

Examples:
  finishline canon review/review.json | sha256sum
  finishline canon --digest controls/review-trust.v1.json
  printf '{"b":1,"a":1.0}' | finishline canon -`
}

func (c canonCmd) Run(s *session) error {
	data, err := s.readInput(c.File)
	if err != nil {
		return err
	}
	out := evidence.Table.Collect(c.level())
	doc, err := canon.Read(data, maxInput)
	if !evidence.ReadFindings(out, c.File, doc, err) || out.Errors() > 0 {
		return s.report(c.outputFlags, &verify.Report{
			Subject: verify.Subject{Kind: "json", Path: c.File, SHA256: canon.SHA256(data)},
			Level:   c.level(), Findings: out.List(), Omitted: out.Omitted(),
		})
	}
	canonical, compact := canon.Canonical(doc.Root), canon.Compact(doc.Root)
	form := canonical
	if c.Compact {
		form = compact
	}
	digests := []struct{ name, sum, what string }{
		{"canonical", canon.SHA256(canonical), "of the canonical form"},
		{"compact", canon.SHA256(compact), "of the compact form"},
		{"file", canon.SHA256(data), "of the bytes of the file"},
	}
	members := []canon.Member{{Name: "form", Value: canon.NewString(canon.UTF8(string(form)))}}
	if c.Digest {
		members = nil
	}
	for _, d := range digests {
		members = append(members, canon.Member{Name: d.name + "Sha256", Value: canon.NewString(d.sum)})
	}
	return s.print(c.outputFlags, canon.Build(members...), func(w io.Writer) {
		if !c.Digest {
			w.Write(form)
			return
		}
		for _, d := range digests {
			fmt.Fprintf(w, "%s  %s\n", d.sum, d.what)
		}
	})
}
