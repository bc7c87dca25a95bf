// Package gittest rebuilds the Git repositories of test vectors, byte for byte.
//
// Start with [New] (a fresh repository) or [Plain] (a fresh directory without one), then write files and commit:
//
//	repo := gittest.New(t, gittest.Options{
//		Branch:    "trunk",
//		Author:    gittest.Identity{Name: "Lab Rig", Email: "rig@lab.invalid"},
//		Date:      "2031-03-01T00:00:00Z",
//		Config:    []string{"core.autocrlf=false"},
//	})
//	repo.Write("scripts/a.mjs", []byte("export {}\n"), 0o644)
//	id := repo.Commit("first", "--allow-empty")
//
// Object ids are reproducible: no system or user configuration is read, every GIT_* variable of the test process is
// dropped, the branch name, identities and dates are the caller's, files are written verbatim with exactly the given
// permissions, and the initial repository has no template (no sample hooks). Every failure ends the test.
//
// The package runs the Git found on the PATH of the test process without any hardening; that is the point of a
// positive control ("the canary fires with plain Git"). Product code must use internal/git instead.
package gittest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// Identity is a name and an address as Git records them.
type Identity struct{ Name, Email string }

// Options describe a fresh repository. The zero value is a SHA-1 repository on branch main with the identity of the
// source-state vectors.
type Options struct {
	Branch       string   // initial branch; "main" when empty
	ObjectFormat string   // "sha1" (default) or "sha256"
	Author       Identity // of every commit; Vector Author <author@vectors.example> when empty
	Committer    Identity // the Author when empty
	Date         string   // author and committer date of every Git command, any form Git reads; "@1700000000 +0000" when empty
	Config       []string // local configuration, as "key=value", set in this order
}

// Repo is a directory with (or, from [Plain], without) a repository in it.
type Repo struct {
	Dir string // absolute path, symbolic links resolved

	tb   testing.TB
	opts Options
	home string
}

// New makes an empty repository in a fresh directory.
func New(tb testing.TB, opts Options) *Repo {
	tb.Helper()
	if opts.Branch == "" {
		opts.Branch = "main"
	}
	if opts.ObjectFormat == "" {
		opts.ObjectFormat = "sha1"
	}
	if opts.Author == (Identity{}) {
		opts.Author = Identity{"Vector Author", "author@vectors.example"}
	}
	if opts.Committer == (Identity{}) {
		opts.Committer = opts.Author
	}
	if opts.Date == "" {
		opts.Date = "@1700000000 +0000"
	}
	r := Plain(tb)
	r.opts = opts
	key := fmt.Sprintf("%q %q %q", opts.Branch, opts.ObjectFormat, opts.Config)
	if made, ok := fresh.Load(key); ok {
		r.must(os.CopyFS(r.Dir, made.(fs.FS)))
		return r
	}
	r.Git("init", "-q", "--template=", "-b", opts.Branch, "--object-format="+opts.ObjectFormat)
	for _, kv := range opts.Config {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			tb.Fatalf("gittest: configuration %q is not key=value", kv)
		}
		r.Git("config", "--local", name, value)
	}
	made, err := snapshot(r.Dir)
	r.must(err)
	fresh.Store(key, made)
	return r
}

// fresh holds what Git made for the options of [New], per process: to write it
// again is much cheaper than to run Git again.
var fresh sync.Map

func snapshot(dir string) (fs.FS, error) {
	made := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		made[path] = &fstest.MapFile{Mode: info.Mode()}
		if !d.IsDir() {
			made[path].Data, err = os.ReadFile(filepath.Join(dir, path))
		}
		return err
	})
	return made, err
}

// Plain makes a fresh directory without a repository. It lies in the test's temporary directory, so no repository is
// found above it either.
func Plain(tb testing.TB) *Repo {
	tb.Helper()
	tmp, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	r := &Repo{Dir: filepath.Join(tmp, "repo"), home: filepath.Join(tmp, "home"), tb: tb}
	for _, dir := range []string{r.Dir, r.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	return r
}

// Copy makes an independent copy of the directory, repository included, for another test. Building a base once and
// copying it per case is much cheaper than running Git for each. Modification times are not kept, so Git compares
// content when it next looks.
func (r *Repo) Copy(tb testing.TB) *Repo {
	tb.Helper()
	c := Plain(tb)
	c.opts = r.opts
	err := filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(r.Dir, path)
		if err != nil || rel == "." {
			return err
		}
		return copyEntry(path, filepath.Join(c.Dir, rel), d)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func copyEntry(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case d.IsDir():
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
	case d.Type() == fs.ModeSymlink:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	default:
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	return os.Chmod(to, info.Mode().Perm())
}

// Path is the absolute path of rel, which uses "/" and is relative to the repository's top.
func (r *Repo) Path(rel string) string {
	return filepath.Join(r.Dir, filepath.FromSlash(rel))
}

// Write writes data verbatim with exactly the permissions perm, creating parent directories. Whatever file or
// symbolic link was at the path is replaced, never written through.
func (r *Repo) Write(rel string, data []byte, perm fs.FileMode) {
	r.tb.Helper()
	path := r.clear(rel)
	r.must(os.WriteFile(path, data, perm))
	r.must(os.Chmod(path, perm)) // past the umask
}

// Symlink makes (or replaces the file or link at rel by) a symbolic link with the text target.
func (r *Repo) Symlink(rel, target string) {
	r.tb.Helper()
	r.must(os.Symlink(target, r.clear(rel)))
}

// clear creates the parents of rel and removes a file or link that is in the way.
func (r *Repo) clear(rel string) string {
	r.tb.Helper()
	path := r.Path(rel)
	r.must(os.MkdirAll(filepath.Dir(path), 0o755))
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		r.must(os.Remove(path))
	}
	return path
}

// Remove deletes a file or a whole directory; a path that does not exist is an error of the test.
func (r *Repo) Remove(rel string) {
	r.tb.Helper()
	_, err := os.Lstat(r.Path(rel))
	r.must(err)
	r.must(os.RemoveAll(r.Path(rel)))
}

// Mkdir creates a directory with its parents.
func (r *Repo) Mkdir(rel string) {
	r.tb.Helper()
	r.must(os.MkdirAll(r.Path(rel), 0o755))
}

// Chmod sets exactly the permissions perm.
func (r *Repo) Chmod(rel string, perm fs.FileMode) {
	r.tb.Helper()
	r.must(os.Chmod(r.Path(rel), perm))
}

// Read returns the bytes of a file.
func (r *Repo) Read(rel string) []byte {
	r.tb.Helper()
	data, err := os.ReadFile(r.Path(rel))
	r.must(err)
	return data
}

// SetDate sets the author and committer date of the following Git commands.
func (r *Repo) SetDate(date string) { r.opts.Date = date }

// Commit commits the index (nothing is added to it first) with the repository's identities and current date, without
// hooks or signature, and returns the id of the commit. Flags are further options of "git commit".
func (r *Repo) Commit(message string, flags ...string) string {
	r.tb.Helper()
	r.Git(append([]string{"commit", "-q", "--no-verify", "--no-gpg-sign", "-m", message}, flags...)...)
	return r.Head()
}

// Head is the id of HEAD's commit.
func (r *Repo) Head() string {
	r.tb.Helper()
	if head, err := os.ReadFile(r.Path(".git/HEAD")); err == nil {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok {
			if id, err := os.ReadFile(r.Path(".git/refs/heads/" + ref)); err == nil {
				return strings.TrimSpace(string(id))
			}
		}
	}
	return r.Git("rev-parse", "--verify", "HEAD")
}

// Git runs git in the repository and returns its standard output without the final line end.
func (r *Repo) Git(args ...string) string {
	r.tb.Helper()
	out, err := r.TryGit(args...)
	if err != nil {
		r.tb.Fatalf("gittest: git %q: %v", args, err)
	}
	return strings.TrimSuffix(out, "\n")
}

// commandTimeout ends a command that a hostile repository has made hang.
const commandTimeout = 30 * time.Second

// TryGit runs git in the repository and returns its standard output and its failure, if any; the failure's text has
// the standard error.
func (r *Repo) TryGit(args ...string) (string, error) {
	r.tb.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		r.tb.Fatalf("gittest: tests need git: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = r.Dir
	cmd.Env = r.Env()
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), &failure{err, stderr.String()}
	}
	return stdout.String(), nil
}

// Env is the environment in which Git runs: nothing of the test process but PATH.
func (r *Repo) Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "XDG_CONFIG_HOME=" + r.home, "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=" + r.opts.Author.Name, "GIT_AUTHOR_EMAIL=" + r.opts.Author.Email,
		"GIT_COMMITTER_NAME=" + r.opts.Committer.Name, "GIT_COMMITTER_EMAIL=" + r.opts.Committer.Email,
		"GIT_AUTHOR_DATE=" + r.opts.Date, "GIT_COMMITTER_DATE=" + r.opts.Date,
	}
}

func (r *Repo) must(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

type failure struct {
	err    error
	stderr string
}

func (f *failure) Error() string { return f.err.Error() + ": " + f.stderr }
func (f *failure) Unwrap() error { return f.err }

// Sub is the repository in a directory of this one, such as a submodule, with the same identity and dates.
func (r *Repo) Sub(rel string) *Repo {
	sub := *r
	sub.Dir = r.Path(rel)
	return &sub
}
