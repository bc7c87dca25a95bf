package pack

import (
	"fmt"
	"unicode/utf8"

	"finishline/verify"
	"finishline/verify/source"
)

// reportNotUTF8 reports committed paths of the pack that are not UTF-8
// (strict.runtime.path-not-utf8).
func reportNotUTF8(out *verify.Findings, c *committed, target string) {
	if !out.Strict() {
		return
	}
	var odd []string
	for _, e := range c.bound() {
		if !utf8.ValidString(e.Path) {
			odd = append(odd, e.Path)
		}
	}
	if len(odd) > 0 {
		out.Add(ruleStrictNotUTF8, artifactAt(target, odd[0]), verify.What{Found: some(odd), Expected: "paths in UTF-8"})
	}
}

// strictObjects reports objects that do not hash to their id, HEAD's commit
// included (strict.source.object-identity). Git serves a swapped object under
// the right name without complaint.
func (b *binder) strictObjects() {
	reportForged(b.out, b.in.Repo.Forged())
}

func reportForged(out *verify.Findings, forged []string) {
	if len(forged) > 0 {
		out.Add(source.RuleObjectIdentity, verify.Place{}, verify.What{
			Found: fmt.Sprintf("object %s has other content (%d such objects)", forged[0], len(forged)), Expected: "objects that hash to their ids"})
	}
}
