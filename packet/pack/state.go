package pack

import (
	"context"
	"fmt"
	"strings"

	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// indexed holds the index against the HEAD tree (rules 26 to 28).
func (b *binder) indexed(context.Context) proceed {
	found := map[string][]git.IndexEntry{}
	for _, e := range b.index.Entries(b.scope(b.commissioned)) {
		found[e.Path] = append(found[e.Path], e)
	}
	bound := b.committed.bound()
	for _, rule := range []struct {
		id       string
		fails    func(e *entry, list []git.IndexEntry) string
		expected string
	}{
		{ruleIndexUntracked, untracked, "an index entry"},
		{ruleIndexMismatch, staged, "one entry, as in HEAD"},
		{ruleIndexConcealed, concealed, "no such mark"},
	} {
		var paths []string
		var first string
		for _, e := range bound {
			why := rule.fails(e, found[e.Path])
			if why == "" {
				continue
			}
			if len(paths) == 0 {
				first = why
			}
			paths = append(paths, e.Path)
		}
		if len(paths) > 0 {
			return b.fail(rule.id, b.atGit(paths[0]), verify.What{Found: first + ": " + some(paths), Expected: rule.expected})
		}
	}
	return next
}

func untracked(_ *entry, list []git.IndexEntry) string {
	if len(list) == 0 {
		return "no index entry"
	}
	return ""
}

func staged(e *entry, list []git.IndexEntry) string {
	switch got := list[0]; {
	case len(list) > 1 || got.Stage != 0:
		return "an unmerged entry"
	case got.Mode != e.Mode:
		return "staged with mode " + got.Mode
	case got.ID != e.ID:
		return "staged with other content"
	}
	return ""
}

func concealed(_ *entry, list []git.IndexEntry) string {
	switch got := list[0]; {
	case got.AssumeUnchanged:
		return "marked assume-unchanged"
	case got.SkipWorktree:
		return "marked skip-worktree"
	}
	return ""
}

// clean asks Git for differences of the bound paths (rule 29). The contract
// names the status and the diff against the commit; the status alone answers
// both, because rule 27 has shown that this very index has the commit's entry
// for every bound path: the second letter of a record compares the live file
// with that entry, so it compares it with the commit.
func (b *binder) clean(context.Context) proceed {
	if b.seen.statusErr != nil {
		return b.unavailable(b.seen.statusErr)
	}
	list := changes(b.seen.status.String(), b.boundPaths())
	if len(list) == 0 {
		return next
	}
	what, hint := b.describe(list)
	return b.fail(ruleWorktreeDirty, b.atGit(list[0].path), verify.What{Found: what, Expected: "no difference", Hint: hint})
}

// maxExplained is how many changed files are read again to explain them.
const maxExplained = 200

// describe says what changed, in one line for all files, and what to do when
// all of it is line ends or modes.
func (b *binder) describe(list []change) (found, hint string) {
	var paths []string
	lineEnds, modes := 0, 0
	entries := map[string]*entry{}
	for _, e := range b.committed.bound() {
		entries[e.Path] = e
	}
	for i, c := range list {
		paths = append(paths, c.path)
		e := entries[c.path]
		if e == nil || i >= maxExplained || !strings.HasPrefix(c.code, " M") {
			continue
		}
		switch live := b.again(e); {
		case live.err != nil:
		case live.raw == e.raw:
			modes++
		case onlyLineEnds(live.content, e.content):
			lineEnds++
		}
	}
	found = fmt.Sprintf("status %q, %s", list[0].code, some(paths))
	switch len(list) {
	case lineEnds:
		return found + ", line ends only", hintLineEnds
	case modes:
		return found + ", file mode only", "restore the mode (chmod), or commit it and have the pack reviewed again"
	}
	return found, ""
}

// hintLineEnds is the advice for a checkout that Git made under
// core.autocrlf, which does not count (06 §3 rule 29).
const hintLineEnds = "the checkout has CRLF where the commit has LF and core.autocrlf does not count; " +
	"check out with core.autocrlf=false, or commit a .gitattributes line (text eol=lf, or eol=crlf)"

// again reads a live file by its Git path, to explain a change.
func (b *binder) again(e *entry) liveFile {
	data, _, err := evidence.ReadRegular(b.root(), b.atGit(e.Path).Artifact, maxLiveFile)
	if err != nil {
		return liveFile{err: err}
	}
	return liveFile{content: contentOf(data)}
}
