package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/verify/evidence"
)

// maxUntrackedBytes bounds what is read of untracked files in one state. It is far above what a work tree holds and ends a
// sparse file of any size.
const maxUntrackedBytes = 64 << 30

// Types of untracked entries (03 C.2).
const (
	TypeFile  = "file"
	TypeOther = "other" // in practice a directory that is itself a repository
)

// Untracked is an entry of the untracked binding.
type Untracked struct {
	Path   string // relative to the target; ends in "/" for a nested repository
	Type   string // TypeFile or TypeOther
	SHA256 string // of the file's bytes; for TypeOther of the decimal text of its st_mode
}

// bindUntracked describes the untracked paths in the order of their binding. The error is an *Error: the first one in that
// order, since any of them makes the state unavailable.
func bindUntracked(ctx context.Context, files *evidence.Root, names []string) ([]Untracked, error) {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		// Names that are not UTF-8 make the state unavailable wherever they stand.
		return canon.CompareUTF16(strings.ToValidUTF8(a, "\uFFFD"), strings.ToValidUTF8(b, "\uFFFD"))
	})
	entries := make([]Untracked, 0, len(names))
	left := int64(maxUntrackedBytes)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, &Error{Rule: RuleGitUnavailable, Reason: "canceled", Err: err}
		}
		e, size, err := bindOne(files, name, left)
		if err != nil {
			return nil, err
		}
		left -= size
		entries = append(entries, e)
	}
	return entries, nil
}

// bindOne applies the table of 03 C.2, in its order, to one path.
func bindOne(files *evidence.Root, name string, left int64) (Untracked, int64, error) {
	if !utf8.ValidString(name) {
		return Untracked{}, 0, &Error{Rule: RuleUntrackedName, Path: name, Reason: "the name is not UTF-8"}
	}
	if err := evidence.Portable(name); err != nil {
		return Untracked{}, 0, &Error{Rule: RuleUntrackedName, Path: name, Reason: err.Reason, Err: err}
	}
	// Before Resolve, to which a dangling link is a file that does not exist.
	info, err := files.FS().Lstat(strings.TrimSuffix(name, "/"))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return Untracked{}, 0, &Error{Rule: RuleUntrackedSymlink, Path: name, Reason: "a symbolic link"}
	}
	res, refused := files.Resolve(name, evidence.MustExist)
	if refused != nil {
		return Untracked{}, 0, unreadable(name, refused.Reason, refused)
	}
	if err != nil {
		return Untracked{}, 0, unreadable(name, "the file cannot be looked at", err)
	}
	if !res.Regular {
		return Untracked{Path: name, Type: TypeOther, SHA256: canon.TextDigest(strconv.Itoa(statMode(info.Mode())))}, 0, nil
	}
	if res.Size() > left {
		return Untracked{}, 0, unreadable(name, fmt.Sprintf("more than %d bytes of untracked files", int64(maxUntrackedBytes)), nil)
	}
	digest, err := files.DigestResolved(res)
	if err != nil {
		return Untracked{}, 0, unreadable(name, "the file cannot be read", err)
	}
	return Untracked{Path: name, Type: TypeFile, SHA256: digest.SHA256}, digest.Size, nil
}

func unreadable(name, reason string, err error) *Error {
	e := &Error{Rule: RuleUntrackedUnreadable, Path: name, Reason: reason, Err: err}
	var path *evidence.PathError
	var file *evidence.FileError
	switch {
	case errors.As(err, &path):
		e.Unevaluated = path.Unevaluated
	case errors.As(err, &file):
		e.Unevaluated = file.Kind == evidence.Trouble
	case err != nil:
		e.Unevaluated = !evidence.IsAbsent(err)
	}
	return e
}

// statMode is st_mode as POSIX numbers it.
func statMode(m fs.FileMode) int {
	mode := int(m.Perm())
	for _, bit := range [...]struct {
		is    fs.FileMode
		posix int
	}{
		{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000},
	} {
		if m&bit.is != 0 {
			mode |= bit.posix
		}
	}
	switch {
	case m.IsDir():
		mode |= 0o040000
	case m&fs.ModeNamedPipe != 0:
		mode |= 0o010000
	case m&fs.ModeSocket != 0:
		mode |= 0o140000
	case m&fs.ModeCharDevice != 0:
		mode |= 0o020000
	case m&fs.ModeDevice != 0:
		mode |= 0o060000
	}
	return mode
}

// digestUntracked is untrackedSha256.
func digestUntracked(entries []Untracked) string {
	values := make([]canon.Value, len(entries))
	for i, e := range entries {
		values[i] = canon.Build(
			canon.Member{Name: "path", Value: canon.NewString(e.Path)},
			canon.Member{Name: "type", Value: canon.NewString(e.Type)},
			canon.Member{Name: "sha256", Value: canon.NewString(e.SHA256)},
		)
	}
	return canon.Digest(canon.NewArray(values...))
}
