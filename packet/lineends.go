package packet

import (
	"finishline/verify"
	"finishline/verify/evidence"
)

// Bounds of the extra reading that explains digest mismatches.
const (
	maxLineEndFiles = 32
	maxLineEndFile  = 512 << 10
)

// lineEnds gathers the files whose digest mismatch is explained by converted
// line ends, so that a checkout with the wrong setting is one finding and not
// one per file.
type lineEnds struct {
	root  *evidence.Root
	tried int
	files []string
	hint  string // of the first file
}

// explains reports whether the LF or CRLF form of the file has the wanted
// digest, and keeps the file for the summary when it does.
func (l *lineEnds) explains(path, want string, size int64) bool {
	if l.tried >= maxLineEndFiles || size > maxLineEndFile {
		return false
	}
	l.tried++
	hint := l.root.LineEndHint(path, want)
	if hint == "" {
		return false
	}
	if l.hint == "" {
		l.hint = hint
	}
	l.files = append(l.files, path)
	return true
}

// report adds the one finding for all files that were kept.
func (l *lineEnds) report(out *verify.Findings, rule string) {
	if len(l.files) == 0 {
		return
	}
	out.Add(rule, verify.At(l.files[0], ""), verify.What{
		Found: "other line ends, and nothing else, in " + firstOf(l.files), Expected: "the recorded bytes", Hint: l.hint})
}

// maxHints bounds how many files are read again to explain a mismatch outside
// of the inventory.
const maxHints = 16

// lineEndHint explains the mismatch of one file.
func (v *verification) lineEndHint(path, want string) string {
	if v.hints++; v.hints > maxHints {
		return ""
	}
	return v.root.LineEndHint(path, want)
}
