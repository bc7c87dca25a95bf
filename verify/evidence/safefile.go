package evidence

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// A RefError says why a file reference of contract 07, section 1.4, is no safe
// file.
type RefError struct {
	Path   string
	Reason string
	// Escapes marks a path that leaves the root or, at strict level, is not in
	// canonical form; otherwise it leads to nothing, to no regular file, or
	// through a link.
	Escapes bool
	// Unevaluated marks an error of the operating system other than "does not
	// exist".
	Unevaluated bool
}

func (e *RefError) Error() string { return verify.Quote(e.Path) + ": " + e.Reason }

// expected says of a document what its path should have led to: what is wrong
// may be the path itself, as the caller spelled it.
func (e *RefError) expected() string {
	if e.Escapes {
		return "the plain path of a file, relative to the root"
	}
	return "a regular file"
}

// SafeFile resolves a reference to a file of the run, as contract 07, section
// 1.4, says for strict level and section 9 for base level:
//
//	        form                              links
//	strict  canonical relative path           none below the root
//	base    trimmed, then resolved lexically  not the last component; parents
//	                                          may link inside the root
//
// Nothing is read yet: [Root.DigestResolved] and [Root.ReadResolved] do that.
func (r *Root) SafeFile(ref string, level verify.Level) (Resolved, *RefError) {
	if level != verify.Strict {
		res, err := r.lexical(canon.Trim(ref), refuseLink)
		return regularOnly(ref, res, err)
	}
	if strings.HasPrefix(ref, "..") { // a name of the root, but base reads it as leaving
		return Resolved{}, &RefError{Path: ref, Reason: "a path that starts with two dots", Escapes: true}
	}
	return r.PlainFile(ref)
}

// PlainFile resolves a canonical path to a regular file without following any
// link, at both levels: the files of a context manifest and of evaluation
// results (contract 09a, sections 10 and 11).
func (r *Root) PlainFile(ref string) (Resolved, *RefError) {
	res, err := r.unlinked(ref)
	return regularOnly(ref, res, err)
}

func regularOnly(ref string, res Resolved, err *RefError) (Resolved, *RefError) {
	if err == nil && !res.Regular {
		err = &RefError{Path: ref, Reason: "not a regular file"}
	}
	if err != nil {
		return Resolved{}, err
	}
	return res, nil
}

// OwnFile resolves the file that a verifier was pointed at: at strict level it
// must be a safe file, at base level links that stay inside the root are
// followed (contract 09a, conventions).
func (r *Root) OwnFile(ref string, level verify.Level) (Resolved, *RefError) {
	if level == verify.Strict {
		return r.SafeFile(ref, level)
	}
	return r.lexical(ref, followLink)
}

// CanonicalReason says why a path within a repository is not in the canonical
// form of contract 07, section 1.4, item 1, which contract 10, section 11, asks
// for too; "" when it is.
func CanonicalReason(ref string) string {
	switch {
	case ref == "":
		return "no path"
	case canon.Trim(ref) != ref:
		return "white space around the path"
	case strings.ContainsAny(ref, "\\\x00"):
		return "a backslash or NUL in the path"
	case len(ref) >= 2 && ref[1] == ':' && canon.IsAlnum(ref[0]) && ref[0] > '9':
		return "a drive letter"
	case ref[0] == '/':
		return "an absolute path"
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part == "." || part == ".." {
			return "an empty, . or .. component"
		}
	}
	return ""
}

// unlinked resolves a canonical reference without following any link.
func (r *Root) unlinked(ref string) (Resolved, *RefError) {
	if reason := CanonicalReason(ref); reason != "" {
		return Resolved{}, &RefError{Path: ref, Reason: reason, Escapes: true}
	}
	rel := canon.UTF8(ref)
	if res, ok := r.resolveProposed(rel); ok {
		return res, nil
	}
	if res, ok := r.straight(rel); ok {
		return res, nil
	}
	for end := 0; ; end++ {
		next := strings.IndexByte(rel[end:], '/')
		if next < 0 {
			break
		}
		end += next
		if _, err := r.component(ref, rel[:end]); err != nil {
			return Resolved{}, err
		}
	}
	info, err := r.component(ref, rel)
	if err != nil {
		return Resolved{}, err
	}
	return Resolved{Rel: rel, Exists: true, Regular: info.Mode().IsRegular(), real: rel, info: info}, nil
}

// component looks at one existing component, which must not be a link.
func (r *Root) component(ref, rel string) (fs.FileInfo, *RefError) {
	info, err := r.root.Lstat(rel)
	switch {
	case err != nil:
		return nil, absence(ref, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &RefError{Path: ref, Reason: "a component is a symbolic link"}
	}
	return info, nil
}

type linkPolicy int

const (
	refuseLink linkPolicy = iota // the last component may not be a link
	followLink
)

// lexical is the base reading: the path is joined to the root as text, and
// leaves it when the relative path starts with the text "..".
func (r *Root) lexical(ref string, links linkPolicy) (Resolved, *RefError) {
	if ref == "" {
		return Resolved{}, &RefError{Path: ref, Reason: "no path"}
	}
	rel, inside := r.relative(canon.UTF8(ref))
	if !inside {
		return Resolved{}, &RefError{Path: ref, Reason: "a path outside the root", Escapes: true}
	}
	if res, ok := r.resolveProposed(rel); ok {
		return res, nil
	}
	if res, ok := r.straight(rel); ok {
		return res, nil
	}
	target := filepath.Join(r.dir, filepath.FromSlash(rel))
	real, err := filepath.EvalSymlinks(target)
	if err != nil {
		return Resolved{}, absence(ref, err)
	}
	if info, err := os.Lstat(target); links == refuseLink && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return Resolved{}, &RefError{Path: ref, Reason: "a symbolic link"}
	}
	realRel, inside := below(r.dir, real)
	if !inside {
		return Resolved{}, &RefError{Path: ref, Reason: "a link leads outside the root"}
	}
	info, err := r.root.Lstat(realRel)
	if err != nil {
		return Resolved{}, absence(ref, err)
	}
	return Resolved{Rel: rel, Exists: true, Regular: info.Mode().IsRegular(), real: realRel, info: info}, nil
}

// relative gives the path relative to the root, cleaned, with /.
func (r *Root) relative(ref string) (rel string, inside bool) {
	rel = path.Clean(ref)
	if path.IsAbs(rel) {
		if rel, inside = below(filepath.ToSlash(r.dir), rel); !inside {
			return "", false
		}
	}
	return rel, !strings.HasPrefix(rel, "..")
}

func absence(ref string, err error) *RefError {
	if notExist(err) {
		return &RefError{Path: ref, Reason: "no such file"}
	}
	return &RefError{Path: ref, Reason: osReason(err), Unevaluated: true}
}

// IsTrouble reports whether an error of reading a file is the operating
// system's, so that the file was not looked at rather than found bad. A file
// that was read and is no JSON was looked at.
func IsTrouble(err error) bool {
	var fe *FileError
	var pe *PathError
	var syntax *canon.ReadError
	switch {
	case errors.As(err, &syntax):
		return false
	case errors.As(err, &fe):
		return fe.Kind == Trouble
	case errors.As(err, &pe):
		return pe.Unevaluated
	}
	return err != nil
}

// lineEnds is [LineEndHint] of a resolved file.
func (r *Root) lineEnds(file Resolved, want string) string {
	a, err := r.ReadResolved(file, maxLineEndHint)
	if err != nil {
		return ""
	}
	return LineEndHint(a.Data, want)
}
