package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

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
	// Looking at the files is cheap and finds most errors; hashing them is shared between the processors.
	entries := make([]Untracked, len(names))
	errs := make([]error, len(names))
	left := int64(maxUntrackedBytes)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		var res evidence.Resolved
		if entries[i], res, errs[i] = lookAt(files, name); errs[i] != nil {
			break
		}
		if left -= res.Size(); left < 0 {
			errs[i] = unreadable(name, fmt.Sprintf("more than %d bytes of untracked files", int64(maxUntrackedBytes)), nil)
			break
		}
		if entries[i].Type == TypeFile {
			work.Go(func() error {
				entries[i].SHA256, errs[i] = digest(ctx, files, name, res)
				return nil
			})
		}
	}
	_ = work.Wait() // the errors are in errs, where they have an order
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// lookAt applies the table of 03 C.2, in its order, to one path; the digest of a file is still missing.
func lookAt(files *evidence.Root, name string) (Untracked, evidence.Resolved, error) {
	fail := func(e *Error) (Untracked, evidence.Resolved, error) { return Untracked{}, evidence.Resolved{}, e }
	if !utf8.ValidString(name) {
		return fail(&Error{Rule: RuleUntrackedName, Path: name, Reason: "the name is not UTF-8"})
	}
	if err := evidence.Portable(name); err != nil {
		return fail(&Error{Rule: RuleUntrackedName, Path: name, Reason: err.Reason, Err: err})
	}
	res, refused := files.Resolve(name, evidence.MustExist)
	if refused == nil && res.Regular && res.Straight() {
		return Untracked{Path: name, Type: TypeFile}, res, nil
	}
	// Before what Resolve said, to which a dangling link is a file that does not exist.
	info, err := files.FS().Lstat(strings.TrimSuffix(name, "/"))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fail(&Error{Rule: RuleUntrackedSymlink, Path: name, Reason: "a symbolic link"})
	}
	switch {
	case refused != nil:
		return fail(unreadable(name, refused.Reason, refused))
	case err != nil:
		return fail(unreadable(name, "the file cannot be looked at", err))
	case !res.Regular:
		return Untracked{Path: name, Type: TypeOther, SHA256: canon.TextDigest(strconv.Itoa(statMode(info.Mode())))}, evidence.Resolved{}, nil
	}
	return Untracked{Path: name, Type: TypeFile}, res, nil
}

// digest is D1 of a file.
func digest(ctx context.Context, files *evidence.Root, name string, res evidence.Resolved) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", &Error{Rule: RuleGitUnavailable, Reason: "canceled", Err: err}
	}
	d, err := files.DigestResolved(res)
	if err != nil {
		return "", unreadable(name, "the file cannot be read", err)
	}
	return d.SHA256, nil
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
