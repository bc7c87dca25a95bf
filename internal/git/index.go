package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Index is one look at the work tree through a private copy of the repository's index. Its methods may be called from
// several goroutines, and each looks at the files anew; only the index stays as it was when [Repo.Index] read it.
type Index struct {
	repo    *Repo
	dir     string // private directory with the copy
	file    *indexFile
	found   []byte // the index as it was found; nil when there is none
	foundAt time.Time
	guard   []string // "-c" arguments against the filter drivers of repository and submodules
	guards  []string
	survey  *survey // nil unless the status is shared
}

// Index reads the repository's index and makes the private copy of contract 03 E.3: its modification time is one second
// after the epoch, so that Git takes no entry's cached stat data for proof that a file is unchanged but compares content.
// The copy holds the entries only; see [indexFile.encode] for what is dropped and why. It changes no byte of any output
// for an honest repository, and .git is never written to.
//
// A populated submodule is looked into by status and diff, so the filter drivers of its configuration are neutralised too.
// The error is an [*Error]. Close the Index when done; closing the Repo does it too.
func (r *Repo) Index(ctx context.Context) (*Index, error) {
	found, at, err := readIndexFile(r.paths[pathIndex])
	if err != nil {
		return nil, err
	}
	ix := &Index{repo: r, found: found, foundAt: at, file: new(indexFile), guard: r.guard, guards: r.guards}
	if found != nil {
		if ix.file, err = parseIndex(found, r.IDLen()/2); err != nil {
			return nil, err
		}
	}
	if ix.dir, err = r.privateDir(); err != nil {
		return nil, err
	}
	if err := ix.prepare(ctx); err != nil {
		ix.Close()
		return nil, err
	}
	return ix, nil
}

func (ix *Index) prepare(ctx context.Context) (err error) {
	if ix.file.split {
		if ix.file, err = ix.unsplit(ctx); err != nil {
			return err
		}
	}
	if ix.file.sparse {
		if ix.file, err = ix.expand(ctx); err != nil {
			return err
		}
	}
	if ix.found != nil {
		if err := ix.write(ix.file.encode(ix.repo.IDLen()/2), time.Unix(1, 0)); err != nil {
			return err
		}
	}
	if err := ix.lock(); err != nil {
		return err
	}
	return ix.guardSubmodules(ctx)
}

// readIndexFile reads the index, or nothing if there is none. What is not a regular file is refused without waiting on it.
func readIndexFile(path string) ([]byte, time.Time, error) {
	fail := func(reason Reason, err error) ([]byte, time.Time, error) {
		return nil, time.Time{}, &Error{Kind: Unavailable, Reason: reason, Op: "read index", Detail: printable(err.Error()), Err: err}
	}
	data, info, err := readRegular(path, maxIndexBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, time.Time{}, nil
	case errors.Is(err, errTooLarge):
		return fail(TooLarge, err)
	case err != nil:
		return fail(Failed, err)
	}
	return data, info.ModTime(), nil
}

var errTooLarge = errors.New("file is too large")

// readRegular reads a regular file of at most limit bytes, following symbolic links as Git does.
func readRegular(path string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, info, err
}

// privateDir makes a fresh directory for a copy of the index.
func (r *Repo) privateDir() (string, error) {
	r.mu.Lock()
	r.indexes++
	dir := filepath.Join(r.run.private, fmt.Sprintf("index-%d", r.indexes))
	r.mu.Unlock()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", privateError(err)
	}
	return dir, nil
}

func privateError(err error) *Error {
	return &Error{Kind: Unavailable, Reason: Failed, Op: "copy index", Detail: printable(err.Error()), Err: err}
}

func (ix *Index) path() string { return filepath.Join(ix.dir, "index") }

// write puts the private copy in place with the given modification time.
func (ix *Index) write(data []byte, mtime time.Time) error {
	if err := os.WriteFile(ix.path(), data, 0o600); err != nil {
		return privateError(err)
	}
	if err := os.Chtimes(ix.path(), mtime, mtime); err != nil {
		return privateError(err)
	}
	return nil
}

// lock keeps Git from writing a refreshed index over the private copy, which would bring the trust in stat data back: diff
// does so in spite of GIT_OPTIONAL_LOCKS. It skips that when another process seems to hold the lock.
func (ix *Index) lock() error {
	if err := os.WriteFile(ix.path()+".lock", nil, 0o600); err != nil {
		return privateError(err)
	}
	return nil
}

// unsplit has Git itself join a split index, on a copy, and reads the result.
func (ix *Index) unsplit(ctx context.Context) (*indexFile, error) {
	if err := ix.write(ix.found, ix.foundAt); err != nil {
		return nil, err
	}
	if err := ix.git(ctx, ix.repo.place.Top, nil, nil, "update-index", "--no-split-index"); err != nil {
		return nil, err
	}
	data, _, err := readIndexFile(ix.path())
	if err != nil {
		return nil, err
	}
	f, err := parseIndex(data, ix.repo.IDLen()/2)
	if err == nil && f.split {
		err = malformed("read index", "it stays split")
	}
	return f, err
}

// git runs one command on the private copy.
func (ix *Index) git(ctx context.Context, dir string, stdin io.Reader, stdout io.Writer, args ...string) error {
	return ix.repo.run.run(ctx, invocation{
		dir: dir, config: ix.guard, args: args, stdin: stdin, stdout: stdout,
		env: append([]string{"GIT_INDEX_FILE=" + ix.path()}, ix.guards...),
	})
}

// gitOn runs a command for a pathspec, writing all output to w. args starts with the subcommand.
func (ix *Index) gitOn(ctx context.Context, spec Pathspec, w io.Writer, args ...string) error {
	dir := ix.repo.place.Top
	if spec.below {
		dir = ix.repo.dir
	}
	global, pathspecs := spec.commands()
	for _, p := range pathspecs {
		if err := ix.git(ctx, dir, nil, w, slices.Concat(global, args, p)...); err != nil {
			return err
		}
	}
	return nil
}

// Status writes what "git status --porcelain=v1 -z --untracked-files=all" prints (S of contract 03 C.1): nothing exactly
// when the paths are as in HEAD and hold no untracked file. Paths are relative to the top level. The error is an [*Error].
func (ix *Index) Status(ctx context.Context, spec Pathspec, w io.Writer) error {
	if ix.survey != nil {
		if answered, err := ix.survey.answer(ctx, ix, spec, w); answered || err != nil {
			return err
		}
	}
	return ix.status(ctx, spec, w)
}

func (ix *Index) status(ctx context.Context, spec Pathspec, w io.Writer) error {
	return ix.gitOn(ctx, spec, w, append([]string{"status"}, statusFlags...)...)
}

// Diff writes what "git diff --binary --full-index <against>" prints (D of contract 03 C.1): the work tree against a tree,
// named "HEAD" or by an object id in full. Paths are relative to the top level. The error is an [*Error].
func (ix *Index) Diff(ctx context.Context, against string, spec Pathspec, w io.Writer) error {
	if against != "HEAD" && (!isID(against) || len(against) != ix.repo.IDLen()) {
		return malformed("git diff", "not an object id: %q", against)
	}
	return ix.gitOn(ctx, spec, w, slices.Concat([]string{"diff"}, diffFlags, []string{against})...)
}

// Untracked lists the files that are neither tracked nor ignored (U of contract 03 C.1) in Git's order. Names are relative
// to the target for [Below] and [BelowExcept], to the top level for [Literal]; they may hold any byte but NUL. An untracked
// repository is one name ending in "/". The error is an [*Error].
func (ix *Index) Untracked(ctx context.Context, spec Pathspec) ([]string, error) {
	var out bytes.Buffer
	if err := ix.gitOn(ctx, spec, &out, "ls-files", "--others", "--exclude-standard", "-z"); err != nil {
		return nil, err
	}
	return parseNames(out.Bytes()), nil
}

// parseNames splits NUL-terminated names.
func parseNames(out []byte) []string {
	var names []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names
}

// Entries lists the entries of the index in its order, by path and stage.
func (ix *Index) Entries(spec Pathspec) []IndexEntry {
	var entries []IndexEntry
	covers := spec.matcher(ix.repo.place.RawPrefix)
	for _, e := range ix.file.records {
		if covers(e.path) {
			entries = append(entries, e.public())
		}
	}
	return entries
}

// ContentFiltered lists the paths, tracked or untracked but not ignored, whose attributes assign a filter driver that the
// repository configures (rule source.content-filter). Their content would be compared unfiltered, which says nothing. The
// names are as those of [Index.Untracked]. The error is an [*Error].
func (ix *Index) ContentFiltered(ctx context.Context, spec Pathspec) ([]string, error) {
	drivers := ix.repo.config.filters()
	if len(drivers) == 0 {
		return nil, nil
	}
	var names bytes.Buffer
	if err := ix.gitOn(ctx, spec, &names, "ls-files", "-z", "--cached", "--others", "--exclude-standard"); err != nil {
		return nil, err
	}
	dir := ix.repo.place.Top
	if spec.below {
		dir = ix.repo.dir
	}
	var out bytes.Buffer
	if err := ix.git(ctx, dir, &names, &out, "check-attr", "-z", "--stdin", "filter"); err != nil {
		return nil, err
	}
	return parseFiltered(out.Bytes(), drivers)
}

// parseFiltered reads the output of "check-attr -z": path, attribute and value, each ended by NUL. A driver that is named
// like one of the words "set", "unset" or "unspecified" counts where the word appears.
func parseFiltered(out []byte, drivers []string) ([]string, error) {
	fields := strings.Split(string(out), "\x00")
	if len(fields)%3 != 1 || fields[len(fields)-1] != "" {
		return nil, malformed("git check-attr", "%d fields", len(fields))
	}
	var paths []string
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+1] != "filter" {
			return nil, malformed("git check-attr", "attribute %q", fields[i+1])
		}
		if slices.Contains(drivers, fields[i+2]) {
			paths = append(paths, fields[i])
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// AsFound returns a look through the index exactly as the repository has it, caches and file time included, again on a
// private copy. What [Index.Status] or [Index.Diff] print differently there was hidden by the stat cache (rule
// strict.source.stale-stat). It is of no other use.
func (ix *Index) AsFound() (*Index, error) {
	other := *ix
	other.survey = nil
	var err error
	if other.dir, err = ix.repo.privateDir(); err != nil {
		return nil, err
	}
	if ix.found != nil {
		if err := other.write(ix.found, ix.foundAt); err != nil {
			return nil, err
		}
	}
	return &other, other.lock()
}

// Close removes the private copy.
func (ix *Index) Close() error { return os.RemoveAll(ix.dir) }
