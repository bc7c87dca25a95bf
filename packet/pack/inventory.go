package pack

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// inventories holds the live files against the committed ones and compares
// scripts and catalogs (rules 7 to 15).
func (b *binder) inventories(context.Context) proceed {
	if b.commissioned && (b.noLinks(b.seen.pack) == stop || b.sameFiles(rulePackMismatch, b.seen.pack, anyFile) == stop) {
		return stop
	}
	if b.regular(b.committed.candidates(), ruleTreeNotRegular) == stop || b.scriptNames() == stop {
		return stop
	}
	scripts, catalogs := b.seen.scripts, b.seen.catalogs
	if b.commissioned {
		scripts, catalogs = b.seen.pack.below(scriptsDir), b.seen.pack.below(catalogsDir)
	}
	if b.noLinks(scripts) == stop || b.sameFiles(ruleScriptsMismatch, scripts, isScript) == stop || b.required() == stop {
		return stop
	}
	if b.seen.objects != nil {
		return b.unavailable(b.seen.objects)
	}
	if b.sameTexts(KindScript) == stop || b.noLinks(catalogs) == stop {
		return stop
	}
	if b.sameFiles(ruleCatalogsMismatch, catalogs, isCatalog) == stop {
		return stop
	}
	return b.sameTexts(KindCatalog)
}

func anyFile(string) bool       { return true }
func isScript(rel string) bool  { return kindOf(rel) == KindScript }
func isCatalog(rel string) bool { return kindOf(rel) == KindCatalog }

// noLinks refuses symbolic links that a walk met (rule 7).
func (b *binder) noLinks(s *survey) proceed {
	if len(s.links) == 0 {
		return next
	}
	return b.fail(ruleLiveSymlink, b.at(s.links[0]), verify.What{
		Found: "a symbolic link, " + some(s.links), Expected: "plain files and directories"})
}

// sameFiles compares the inventory of a walk with the committed paths (rules
// 8, 11 and 14).
func (b *binder) sameFiles(rule string, s *survey, which func(rel string) bool) proceed {
	const expected = "exactly the committed files"
	if t := s.trouble; t != nil {
		return b.fail(rule, b.at(t.path), verify.What{Found: t.reason, Expected: expected, Unevaluated: t.system})
	}
	if s.missing {
		return b.fail(rule, b.at(s.dir), verify.What{Found: "no such directory", Expected: expected})
	}
	var extra, gone []string
	for rel := range s.files {
		if which(rel) && b.committed.byRel[rel] == nil {
			extra = append(extra, rel)
		}
	}
	for _, e := range b.committed.entries {
		if which(e.rel) && !s.files[e.rel] {
			gone = append(gone, e.rel)
		}
	}
	if len(extra)+len(gone) == 0 {
		return next
	}
	slices.SortFunc(extra, canon.CompareUTF16)
	var found []string
	for _, part := range []struct {
		word string
		list []string
	}{{"not committed: ", extra}, {"missing: ", gone}} {
		if len(part.list) > 0 {
			found = append(found, part.word+some(part.list))
		}
	}
	first := append(extra, gone...)[0]
	return b.fail(rule, b.at(first), verify.What{Found: strings.Join(found, "; "), Expected: expected})
}

// some names the first paths of a list and counts the others.
func some(list []string) string {
	const most = 3
	var names []string
	for _, p := range list[:min(most, len(list))] {
		names = append(names, verify.Quote(text(p)))
	}
	s := strings.Join(names, ", ")
	if rest := len(list) - most; rest > 0 {
		s += fmt.Sprintf(" and %d more", rest)
	}
	return s
}

// scriptNames refuses committed files below scripts/ that are no .mjs files
// (rule 10).
func (b *binder) scriptNames() proceed {
	var odd []string
	for _, e := range b.committed.ofKind(KindScript) {
		if !isScriptName(e.rel) {
			odd = append(odd, e.rel)
		}
	}
	if len(odd) == 0 {
		return next
	}
	return b.fail(ruleScriptsNonMJS, b.at(odd[0]), verify.What{Found: some(odd), Expected: "names that end in .mjs"})
}

// required asks for the finish-line scripts (rule 12).
func (b *binder) required() proceed {
	var missing []string
	for _, rel := range requiredScripts {
		if b.committed.byRel[rel] == nil {
			missing = append(missing, path.Base(rel))
		}
	}
	if len(missing) == 0 {
		return next
	}
	return b.fail(ruleRequiredMissing, b.at(scriptsDir), verify.What{
		Found: "not committed: " + some(missing), Expected: "the five finish-line scripts"})
}

// A fault is what a live file has against it (rule 13).
type fault struct {
	entry       *entry
	rule        string
	found       string
	expected    string
	unevaluated bool
}

// sameTexts compares the files of a kind with the committed ones (rules 13 and
// 15). The first file in path order decides the rule; others that fail it too
// are counted.
func (b *binder) sameTexts(kind string) proceed {
	var first *fault
	others := 0
	for _, e := range b.committed.ofKind(kind) {
		f := compareTexts(e, b.live(e))
		switch {
		case f == nil:
		case first == nil:
			first = f
		case f.rule == first.rule:
			others++
		}
	}
	if first == nil {
		return next
	}
	if others > 0 {
		first.found += fmt.Sprintf("; %d more files alike", others)
	}
	return b.fail(first.rule, b.at(first.entry.rel), verify.What{
		Found: first.found, Expected: first.expected, Unevaluated: first.unevaluated})
}

// compareTexts is rule 13 for one file, nil when nothing is wrong.
func compareTexts(e *entry, live liveFile) *fault {
	var fe *evidence.FileError
	switch {
	case errors.As(live.err, &fe) && fe.Kind == evidence.TooLarge:
		return &fault{e, ruleFileDirty, fe.Reason, fmt.Sprintf("the committed %d bytes", e.size), false}
	case live.err != nil:
		return &fault{e, ruleFileNotRegular, reasonOf(live.err), "a plain file", isTrouble(live.err)}
	case !live.isText():
		return &fault{e, ruleFileNotText, "a NUL or bytes that are not UTF-8 in the live file", "UTF-8 text", false}
	case !e.isText():
		return &fault{e, ruleFileNotText, "a NUL or bytes that are not UTF-8 in the committed file", "UTF-8 text", false}
	case live.text != e.text:
		return &fault{e, ruleFileDirty,
			fmt.Sprintf("live text %s (%d bytes)", live.text, live.size),
			fmt.Sprintf("committed text %s (%d bytes)", e.text, e.size), false}
	}
	return nil
}
