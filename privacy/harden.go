package privacy

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"finishline/canon"
)

// hardenCategory is the category of findings that the format does not know.
const hardenCategory = "hardening"

// harden adds what strict level finds in what was enumerated and read (10 §13).
func (r *Result) harden(ctx context.Context, t *tree, s *scanner) *GateError {
	add := func(rule, path, what string) {
		r.Hardening = append(r.Hardening, s.aboutFile(rule, hardenCategory, path, path, what))
	}
	for _, path := range unique(t.special) {
		add("privacy.strict.special-file", path, "neither a folder, a regular file nor a link")
	}
	for _, path := range unique(t.linked) {
		add("privacy.strict.symlink-ancestor", path, "a folder on the way is a symbolic link")
	}
	if t.noGit != "" && t.hasGit() {
		add("privacy.strict.git-unavailable", "", "what Git tracks could not be listed ("+t.noGit+")")
	}
	for _, e := range t.excluded {
		r.nameContent(s, e.path)
		found, failed := s.passedOver(ctx, t, e)
		if failed != nil {
			return failed
		}
		if found != "" {
			add("privacy.strict.release-exclusion", e.path, found)
			r.Hardening[len(r.Hardening)-1].Advisory = found != excludedLink && !mayBeServed(e.path)
		}
	}
	return nil
}

// excludedLink is what is found in a link.
const excludedLink = "a link that its name keeps out of the scan"

// mayBeServed reports whether a name that release mode passes over can be that
// of a file that is published: trace-*.js is one that bundlers give. The others
// are the build tool's own records, which hold paths of the build machine as a
// matter of course, so what is found in them is told and fails nothing.
func mayBeServed(path string) bool {
	low := canon.LowerASCII(base(path))
	return strings.HasPrefix(low, "trace-") && !strings.HasSuffix(low, ".nft.json") && !strings.HasSuffix(low, buildInfo)
}

// passedOver looks at an entry that release mode leaves out because of its
// name.
func (s *scanner) passedOver(ctx context.Context, t *tree, e entry) (found string, failed *GateError) {
	info, err := t.root.Lstat(e.real)
	switch {
	case err != nil:
		return "", unreadable("privacy.read.failed", e.path, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return excludedLink, nil
	case !info.Mode().IsRegular():
		return "", nil
	}
	src, err := openFile(t.root, e)
	if err != nil {
		return "", unreadable("privacy.read.failed", e.path, err)
	}
	defer src.Close()
	r := s.reader(e.path)
	r.raw, r.scan = true, nil
	r.maxSize = s.bounds.file
	r.budget = &budget{} // one match is enough, and none of the scan's own
	r.budget.left.Store(1)
	c, err := r.read(ctx, src, make([]byte, blockSize))
	switch large := errors.Is(err, errLargeFile) || errors.Is(err, errLongLine); {
	case len(c.found) > 0:
		return detectors[c.found[0].detector].what + " in a file that its name keeps out of the scan", nil
	case large && !mayBeServed(e.path):
		return "more than can be looked at in a file that its name keeps out of the scan", nil
	case large:
		return "", refuse(s.bounds.rule, e.path, err.Error())
	case err != nil:
		return "", unreadable("privacy.read.failed", e.path, err)
	}
	return "", nil
}

// nameContent adds privacy.strict.path-content for one path.
func (r *Result) nameContent(s *scanner, path string) {
	what := named(path, s.opt.Mode, r.Level)
	if what == "" && s.opt.Names != nil && s.opt.Names.name(path) {
		what = "a secret or personal datum"
	}
	if what != "" {
		f := s.aboutFile("privacy.strict.path-content", hardenCategory, path, path, what+" in the name")
		f.Path = RedactedPath
		r.Hardening = append(r.Hardening, f)
	}
}
