package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"finishline/internal/gittest"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"), 0o755))
	notExecutable := t.TempDir()
	must(t, os.WriteFile(filepath.Join(notExecutable, "git"), nil, 0o644))
	directory := t.TempDir()
	must(t, os.Mkdir(filepath.Join(directory, "git"), 0o755))

	p, err := Find(strings.Join([]string{"", ".", "relative", notExecutable, directory, dir}, string(os.PathListSeparator)))
	if err != nil || p.Path() != filepath.Join(dir, "git") {
		t.Errorf("Find = %q, %v; want the executable in %s", p.Path(), err, dir)
	}
	// The current directory holds a git, but PATH names it only relatively.
	t.Chdir(dir)
	_, err = Find(strings.Join([]string{"", ".", "../" + filepath.Base(dir)}, string(os.PathListSeparator)))
	wantReason(t, err, NoProgram)
}

func TestOpenPlace(t *testing.T) {
	r := sample(t)
	must(t, os.Symlink(r.Path("dir"), r.Dir+".link"))
	for _, c := range []struct{ dir, raw, prefix string }{
		{r.Dir, "", ""},
		{r.Path("dir"), "dir/", "dir"},
		{r.Path("dir/sub"), "dir/sub/", "dir/sub"},
		{r.Path("dir") + "/../dir/./sub/", "dir/sub/", "dir/sub"},
		{r.Dir + ".link", "dir/", "dir"},
	} {
		repo := open(t, c.dir)
		if p := repo.Place(); p.Top != r.Dir || p.RawPrefix != c.raw || p.Prefix() != c.prefix {
			t.Errorf("%s: place %+v, want top %s and prefix %q", c.dir, p, r.Dir, c.raw)
		}
		if repo.IDLen() != 40 || repo.ObjectFormat() != "sha1" {
			t.Errorf("%s: format %s", c.dir, repo.ObjectFormat())
		}
	}
	repo := open(t, r.Dir)
	p, err := repo.Locate(context.Background(), "dir/sub")
	if want := (Place{r.Dir, "dir/sub/"}); err != nil || p != want {
		t.Errorf("Locate = %+v, %v", p, err)
	}
}

func TestPrefix(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "a/": "a", "a/b/": "a/b", `a\b/`: "a/b", "./a/": "a", "././": "", "a//": "a", "..": "..", "../a/": "../a",
	} {
		if got := (Place{RawPrefix: raw}).Prefix(); got != want {
			t.Errorf("prefix of %q = %q, want %q", raw, got, want)
		}
	}
}

// Answers are lines; a directory whose name holds a line end must not shift them.
func TestOpenLineEndInNames(t *testing.T) {
	for _, inner := range []string{"a\nb", "true\nsha1\n\n\n", "x\n"} {
		outer := gittest.Plain(t)
		outer.Mkdir("top\n" + inner)
		r := outer.Sub("top\n" + inner)
		r.Git("init", "-q", "--template=")
		r.Write(inner+"/f", []byte("f\n"), 0o644)
		for dir, raw := range map[string]string{r.Dir: "", r.Path(inner): inner + "/"} {
			repo := open(t, dir)
			if p := repo.Place(); p.Top != r.Dir || p.RawPrefix != raw {
				t.Errorf("place %+v, want top %q and prefix %q", p, r.Dir, raw)
			}
			if want := filepath.Join(r.Dir, ".git/index"); repo.paths[pathIndex] != want {
				t.Errorf("index at %q, want %q", repo.paths[pathIndex], want)
			}
		}
	}
}

func TestOpenRefusals(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	bare := gittest.Plain(t)
	bare.Git("init", "-q", "--bare", "--template=")
	for _, dir := range []string{r.Path(".git"), r.Path(".git/objects"), bare.Dir} {
		_, err := Open(ctx, program(t), dir)
		var e *Error
		if !errors.As(err, &e) || e.Kind != NotWorktree {
			t.Errorf("%s: error %v, want not a work tree", dir, err)
		}
	}
	_, err := Open(ctx, program(t), gittest.Plain(t).Dir)
	if e := wantReason(t, err, Failed); !strings.Contains(e.Detail, "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
	_, err = Open(ctx, program(t), r.Path("absent"))
	wantReason(t, err, NoDirectory)
	_, err = Open(ctx, program(t), r.Path("a.txt"))
	wantReason(t, err, NoDirectory)
	_, err = Open(ctx, Program{}, r.Dir)
	wantReason(t, err, NoProgram)

	broken := sample(t)
	broken.Write(".git/config", []byte("[core\n"), 0o644)
	_, err = Open(ctx, program(t), broken.Dir)
	wantReason(t, err, Failed)
}

// A git or a directory for temporary files below the repository would let the repository choose what runs, or be part of
// what is looked at.
func TestOpenApart(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	real, err := filepath.EvalSymlinks(program(t).Path())
	must(t, err)
	r.Symlink("bin/git", real)
	planted, err := Find(r.Path("bin"))
	must(t, err)
	_, err = Open(ctx, planted, r.Path("dir"))
	wantReason(t, err, Unsafe)

	r.Mkdir("tmp")
	t.Setenv("TMPDIR", r.Path("tmp"))
	_, err = Open(ctx, program(t), r.Path("dir"))
	wantReason(t, err, Unsafe)
	left, err := os.ReadDir(r.Path("tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDubiousOwnership(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving a directory to another user needs root")
	}
	ctx := context.Background()
	r := sample(t)
	id := r.Head()
	for _, path := range []string{r.Dir, r.Path(".git")} {
		must(t, os.Chown(path, 12345, 12345))
	}
	_, err := Open(ctx, program(t), r.Path("dir"))
	e := wantReason(t, err, DubiousOwnership)
	if e.Path != r.Dir || !strings.Contains(e.Error(), "another user") {
		t.Errorf("error %v names %q, want %q", e, e.Path, r.Dir)
	}
	_, err = Open(ctx, program(t).Trusting(r.Path("dir"), "/elsewhere", "*"), r.Path("dir"))
	wantReason(t, err, DubiousOwnership)
	repo, err := Open(ctx, program(t).Trusting(e.Path), r.Path("dir"))
	must(t, err)
	defer repo.Close()
	if head, err := repo.Head(ctx); err != nil || head.ID != id {
		t.Errorf("HEAD of the trusted repository = %v, %v", head, err)
	}
}

// Nothing of the caller's environment reaches Git.
func TestEnvironmentIgnored(t *testing.T) {
	r, other := sample(t), gittest.New(t, gittest.Options{})
	other.Commit("empty", "--allow-empty")
	r.Write("new.txt", nil, 0o644)
	home := t.TempDir()
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[core]\n\texcludesFile = "+home+"/ignore\n\tworktree = /nowhere\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(home, "ignore"), []byte("*\n"), 0o644))
	for name, value := range map[string]string{
		"GIT_DIR": other.Path(".git"), "GIT_WORK_TREE": other.Dir, "GIT_INDEX_FILE": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.excludesFile", "GIT_CONFIG_VALUE_0": home + "/ignore",
		"GIT_CONFIG_PARAMETERS": "'core.excludesFile'='" + home + "/ignore'", "GIT_CONFIG_GLOBAL": home + "/.gitconfig",
		"GIT_LITERAL_PATHSPECS": "1", "GIT_NAMESPACE": "x", "GIT_CEILING_DIRECTORIES": r.Dir, "GIT_DIFF_OPTS": "--unified=0",
		"GIT_EXTERNAL_DIFF": "/bin/false", "GIT_TRACE": "1", "HOME": home, "XDG_CONFIG_HOME": home, "LC_ALL": "de_DE.UTF-8",
		"GIT_ATTR_SOURCE": "HEAD", "GIT_REPLACE_REF_BASE": "refs/heads/",
	} {
		t.Setenv(name, value)
	}
	repo := open(t, r.Path("dir"))
	head, err := repo.Head(context.Background())
	if err != nil || head.ID != r.Head() {
		t.Errorf("HEAD = %v, %v", head, err)
	}
	ix, err := repo.Index(context.Background())
	must(t, err)
	names, err := ix.Untracked(context.Background(), Literal("new.txt", "dir"))
	if err != nil || len(names) != 1 || names[0] != "new.txt" {
		t.Errorf("untracked = %q, %v", names, err)
	}
}

func TestConfig(t *testing.T) {
	r := sample(t)
	r.Git("config", "core.autocrlf", "true")
	r.Git("config", "--add", "core.autocrlf", "input")
	r.Write(".git/more", []byte("[x \"Y.z\"]\n\tKey\n\tOther = a\\nb\n"), 0o644)
	r.Git("config", "include.path", "more")
	repo := open(t, r.Dir)
	for key, want := range map[string]string{"core.autocrlf": "input", "x.Y.z.key": "true", "x.Y.z.other": "a\nb"} {
		if got, ok := repo.Config(key); !ok || got != want {
			t.Errorf("%s = %q, %v; want %q", key, got, ok, want)
		}
	}
	// The pins are not configuration of the repository.
	if got, ok := repo.Config("core.hookspath"); ok {
		t.Errorf("core.hookspath = %q", got)
	}
}

func TestPrivateFilesRemoved(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := sample(t)
	repo := open(t, r.Dir)
	if _, err := repo.Index(context.Background()); err != nil {
		t.Fatal(err)
	}
	must(t, repo.Close())
	left, err := filepath.Glob(tmp + "/finishline-git-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	_, err = repo.Head(context.Background())
	wantReason(t, err, Failed)
}

// script is a stand-in for Git.
func script(t *testing.T, text string, lim limits) Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "git")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return Program{path: path, limits: lim}
}

func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	ctx := context.Background()
	dir := t.TempDir()
	started := time.Now()

	_, err := Open(ctx, script(t, "exec sleep 60", limits{100 * time.Millisecond, MaxOutputBytes}), dir)
	wantReason(t, err, Timeout)
	// What Git started is ended too: it would hold the pipes, and more.
	mark := filepath.Join(dir, "mark")
	_, err = Open(ctx, script(t, "(sleep 2; : > "+mark+") & wait", limits{100 * time.Millisecond, MaxOutputBytes}), dir)
	wantReason(t, err, Timeout)

	_, err = Open(ctx, script(t, "exec yes", limits{10 * time.Second, 1 << 20}), dir)
	wantReason(t, err, TooLarge)

	canceled, cancel := context.WithCancel(ctx)
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = Open(canceled, script(t, "exec sleep 60", limits{time.Minute, MaxOutputBytes}), dir)
	if e := wantReason(t, err, Canceled); !errors.Is(e, context.Canceled) {
		t.Errorf("%v does not unwrap to the context's error", e)
	}
	_, err = Open(ctx, script(t, "echo \"$0\" >&2; printf '\\033[31mred\\nline' >&2; exit 3", limits{time.Second, 100}), dir)
	if e := wantReason(t, err, Failed); strings.ContainsAny(e.Error(), "\x1b\n") {
		t.Errorf("error text is not printable: %q", e.Error())
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	time.Sleep(2500 * time.Millisecond)
	if exists(mark) {
		t.Error("a grandchild outlived its command")
	}
}

// Exactly the limit is still fine (contract 03 C.3).
func TestOutputLimitIsInclusive(t *testing.T) {
	run := func(limit int64) error {
		r := &runner{program: script(t, "printf 12345678", limits{}).path, limits: limits{time.Minute, limit}}
		_, err := r.output(context.Background(), invocation{dir: t.TempDir(), args: []string{"x"}})
		return err
	}
	must(t, run(8))
	wantReason(t, run(7), TooLarge)
}
