package privacy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
)

// normalized validates the text of an include path or release root (10 §2).
func normalized(raw string) (string, *GateError) {
	path := strings.ReplaceAll(raw, `\`, "/")
	switch {
	case path == "", strings.IndexByte(path, 0) >= 0, path[0] == '/', len(path) > 1 && path[1] == ':' && is(path[0], alnum) && path[0] > '9':
		return "", refuse("privacy.include.not-relative", raw, "the path is empty, absolute, begins with a drive letter or holds NUL")
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return "", refuse("privacy.include.unsafe-segment", raw, "a component of the path is empty, . or ..")
		}
	}
	if strings.HasPrefix(path, "..") {
		return "", refuse("privacy.include.escape", raw, "the path begins with two dots")
	}
	return path, nil
}

// arguments checks what mode and paths say together.
func (o Options) arguments() *GateError {
	switch {
	case o.Mode < Repository || o.Mode > Staged:
		return refuse("privacy.args.invalid", "", "unknown mode")
	case (o.Mode == Release) != (len(o.Release) == 1), len(o.Release) > 1, o.Mode != Include && len(o.Include) > 0:
		return refuse("privacy.args.conflict", "", "a release scan takes exactly one folder and no include paths, and no other mode takes either")
	case o.Mode == Include && len(o.Include) == 0:
		return refuse("privacy.args.invalid", "", "the mode needs a path")
	case len(o.Key) > 0 && len(o.Key) < MinKey:
		return refuse("privacy.args.invalid", "", "the fingerprint key is shorter than 16 bytes")
	}
	return nil
}

// include adds what one include path names.
func (t *tree) include(path string) *GateError {
	e, info, err := t.lstat(path)
	if errors.Is(err, errOutside) {
		return t.beyond(path, info)
	}
	if err != nil {
		return unreadable("privacy.include.missing", path, err)
	}
	if e.real != e.path {
		t.linked = append(t.linked, path)
	}
	kind := info.Mode().Type()
	if kind != fs.ModeSymlink && (e.real == "" || strings.HasPrefix(e.real, "..")) {
		return refuse("privacy.include.escape", path, rootOrDots)
	}
	switch kind {
	case fs.ModeSymlink:
		t.links[e.path] = e
	case 0:
		t.files[e.path] = e
	case fs.ModeDir:
		return t.descend(e)
	default:
		return refuse("privacy.include.special-file", path, "neither a link, a regular file nor a folder")
	}
	return nil
}

const rootOrDots = "the path leads to the root itself or to a name that begins with two dots"

// beyond is for an include path whose parents lead outside. A link there is
// recorded like any other, since it is not followed.
func (t *tree) beyond(path string, info fs.FileInfo) *GateError {
	if info.Mode()&fs.ModeSymlink == 0 {
		return refuse("privacy.include.escape", path, errOutside.Error())
	}
	t.linked = append(t.linked, path)
	t.links[path] = entry{path, path}
	return nil
}

// release adds what the release root holds.
func (t *tree) release(path string) *GateError {
	e, info, err := t.lstat(path)
	out := errors.Is(err, errOutside)
	switch {
	case err != nil && !out:
		return unreadable("privacy.release.root-missing", path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse("privacy.release.root-symlink", path, "a link, not a folder")
	case !info.IsDir():
		return refuse("privacy.release.root-not-directory", path, "not a folder")
	case out:
		return refuse("privacy.release.root-escape", path, errOutside.Error())
	case e.real == "" || strings.HasPrefix(e.real, ".."):
		return refuse("privacy.release.root-escape", path, rootOrDots)
	}
	if e.real != e.path {
		t.linked = append(t.linked, path)
	}
	return t.descend(e)
}

// tracked adds what Git tracks below the root (10 §3).
func (t *tree) tracked(ctx context.Context, o Options) *GateError {
	if o.GitErr != nil {
		t.noGit = osReason(o.GitErr)
		return nil
	}
	repo, err := git.Open(ctx, o.Git, t.dir)
	switch {
	case refusesToList(err):
		return unreadable("privacy.tracked.unreadable", "", err)
	case err != nil:
		t.noGit = osReason(err)
		return nil
	}
	defer repo.Close()
	index, err := repo.Index(ctx)
	if err != nil {
		return unreadable("privacy.tracked.unreadable", "", err)
	}
	defer index.Close()
	prefix := repo.Place().RawPrefix
	for _, tracked := range index.Entries(git.Below()) {
		path := strings.TrimPrefix(tracked.Path, prefix)
		if !utf8.ValidString(path) {
			return refuse("privacy.read.name", "", "the name of a tracked file is no valid UTF-8")
		}
		e, info, err := t.lstat(path)
		if err != nil {
			return unreadable("privacy.tracked.unreadable", path, err)
		}
		switch info.Mode().Type() {
		case fs.ModeSymlink:
			t.links[path] = e
		case 0:
			t.files[path] = e
		case fs.ModeDir:
		default:
			t.special = append(t.special, path)
		}
	}
	return nil
}

// refusesToList reports whether there is a work tree whose index cannot be
// listed, or not safely. Where Git itself finds none, nothing is tracked.
func refusesToList(err error) bool {
	var ge *git.Error
	if !errors.As(err, &ge) || ge.Kind != git.Unavailable {
		return false
	}
	switch ge.Reason {
	case git.Timeout, git.TooLarge, git.Malformed, git.Unsafe:
		return true
	}
	return false
}

// hasGit reports whether the root has a .git entry of any kind.
func (t *tree) hasGit() bool {
	_, err := t.root.Lstat(".git")
	return err == nil
}

// untracked says what a scan of a folder does not rest on.
func (t *tree) untracked() string {
	if t.hasGit() {
		return "tracked files were not listed: " + t.noGit
	}
	return "tracked files were not listed: no repository was found here"
}

// enumerate collects what a scan covers, and the paths its report names.
func (t *tree) enumerate(ctx context.Context, o Options) (paths []string, failed *GateError) {
	given := o.Include
	if o.Mode == Release {
		given = o.Release
	}
	for _, raw := range given {
		path, failed := normalized(raw)
		if failed != nil {
			return nil, failed
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		add := t.include
		if o.Mode == Release {
			add = t.release
		}
		if failed := add(path); failed != nil {
			return nil, failed
		}
	}
	slices.SortFunc(paths, canon.CompareUTF16)
	paths = slices.Compact(paths)
	if o.Mode == Repository {
		if failed := t.descend(entry{}); failed != nil {
			return nil, failed
		}
		if failed := t.tracked(ctx, o); failed != nil {
			return nil, failed
		}
	}
	return paths, t.tooMany(o.Level)
}

// tooMany is the bound on the number of files at strict level.
func (t *tree) tooMany(level verify.Level) *GateError {
	if level != verify.Strict || len(t.files) <= MaxFiles {
		return nil
	}
	return refuse("privacy.strict.bounds", "", fmt.Sprintf("%d files; at most %d are scanned", len(t.files), MaxFiles))
}
