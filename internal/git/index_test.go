package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/gittest"
)

// lsFiles is what plain Git says about the index: "<tag> <mode> <id> <stage> TAB <path> NUL".
func lsFiles(t *testing.T, r *gittest.Repo) []IndexEntry {
	t.Helper()
	var list []IndexEntry
	for record := range strings.SplitSeq(r.Git("ls-files", "-v", "-s", "-z"), "\x00") {
		if record == "" {
			continue
		}
		facts, path, _ := strings.Cut(record, "\t")
		f := strings.Fields(facts)
		list = append(list, IndexEntry{
			Mode: f[1], ID: f[2], Stage: int(f[3][0] - '0'), Path: path,
			AssumeUnchanged: strings.ToLower(f[0]) == f[0], SkipWorktree: strings.EqualFold(f[0], "S"),
		})
	}
	return list
}

func TestEntriesAreThoseOfGit(t *testing.T) {
	for name, prepare := range map[string]func(r *gittest.Repo){
		"plain": func(*gittest.Repo) {},
		"flags": func(r *gittest.Repo) {
			r.Git("update-index", "--assume-unchanged", "a.txt")
			r.Git("update-index", "--skip-worktree", "dir/b.txt")
			r.Git("update-index", "--skip-worktree", "dir/sub/c.txt")
			r.Git("update-index", "--assume-unchanged", "dir/sub/c.txt")
		},
		"intent to add": func(r *gittest.Repo) {
			r.Write("new.txt", []byte("x\n"), 0o644)
			r.Git("add", "-N", "new.txt")
		},
		"version 4": func(r *gittest.Repo) {
			for i := range 40 {
				r.Write(fmt.Sprintf("deep/%d/file-%d.txt", i/7, i), []byte("x\n"), 0o644)
			}
			r.Git("add", "-A")
			r.Git("update-index", "--index-version", "4")
			r.Git("update-index", "--skip-worktree", "deep/1/file-10.txt")
		},
		"long and odd names": func(r *gittest.Repo) {
			long := strings.Repeat(strings.Repeat("n", 200)+"/", 19) + "x"
			blob := r.Git("hash-object", "-w", "a.txt")
			for _, path := range []string{long, long + strings.Repeat("y", 200) + "/" + strings.Repeat("z", 100), "\xff\xfe", "tab\tline\nend", `back\slash`, "é", "-dash"} {
				r.Git("update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
			}
		},
		"submodule": func(r *gittest.Repo) {
			r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",mod")
		},
		"unmerged": func(r *gittest.Repo) {
			r.Git("checkout", "-q", "-b", "side")
			r.Write("a.txt", []byte("side\n"), 0o644)
			r.Git("commit", "-q", "-a", "-m", "side")
			r.Git("checkout", "-q", "main")
			r.Write("a.txt", []byte("main\n"), 0o644)
			r.Git("commit", "-q", "-a", "-m", "main")
			if _, err := r.TryGit("merge", "side"); err == nil {
				panic("the merge has no conflict")
			}
		},
		"split": func(r *gittest.Repo) {
			r.Git("update-index", "--split-index")
			r.Write("later.txt", []byte("later\n"), 0o644)
			r.Git("add", "later.txt")
			r.Git("rm", "-q", "dir/b.txt")
			r.Write("a.txt", []byte("staged\n"), 0o644)
			r.Git("add", "a.txt")
		},
		"split by configuration": func(r *gittest.Repo) {
			r.Git("config", "core.splitIndex", "true")
			r.Write("later.txt", []byte("later\n"), 0o644)
			r.Git("add", "later.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := sample(t)
			prepare(r)
			ctx := context.Background()
			repo := open(t, r.Dir)
			ix, err := repo.Index(ctx)
			must(t, err)
			if diff := cmp.Diff(lsFiles(t, r), ix.Entries(Below())); diff != "" {
				t.Errorf("entries (-git +ours):\n%s", diff)
			}
			var status bytes.Buffer
			must(t, ix.Status(ctx, Below(), &status))
			if want := r.Git("status", "--porcelain=v1", "-z", "-uall"); status.String() != want {
				t.Errorf("status %q, want %q", status.String(), want)
			}
		})
	}
}

func TestSparseIndex(t *testing.T) {
	r := sample(t)
	r.Write("other/x.txt", []byte("x\n"), 0o644)
	r.Git("add", "-A")
	r.Commit("second")
	r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
	r.Git("sparse-checkout", "set", "dir")
	if !bytes.Contains(r.Read(".git/index"), []byte("sdir")) {
		t.Fatal("this git makes no sparse index")
	}
	ix, err := open(t, r.Dir).Index(context.Background())
	must(t, err)
	var concealed []string
	for _, e := range ix.Entries(Below()) {
		if e.Concealed() {
			concealed = append(concealed, e.Path)
		}
	}
	if !slices.Equal(concealed, []string{"other/x.txt"}) {
		t.Errorf("concealed %q, want other/x.txt", concealed)
	}
	r.Write("dir/b.txt", []byte("edited\n"), 0o644)
	if s, _ := look(t, open(t, r.Dir)); s != " M dir/b.txt\x00" {
		t.Errorf("status %q", s)
	}
}

func TestEntriesOfPathspecs(t *testing.T) {
	r := sample(t)
	r.Write("dir.txt", nil, 0o644)
	r.Write("dir/*.txt", nil, 0o644)
	r.Git("--literal-pathspecs", "add", "--", "dir.txt", "dir/*.txt")
	repo := open(t, r.Path("dir"))
	ix, err := repo.Index(context.Background())
	must(t, err)
	for name, c := range map[string]struct {
		spec Pathspec
		want []string
	}{
		"none":        {Pathspec{}, nil},
		"no literals": {Literal(), nil},
		"below":       {Below(), []string{"dir/*.txt", "dir/b.txt", "dir/sub/c.txt"}},
		"except":      {BelowExcept("b.txt", "sub"), []string{"dir/*.txt"}},
		"except half": {BelowExcept("b", "su", "dir/b.txt"), []string{"dir/*.txt", "dir/b.txt", "dir/sub/c.txt"}},
		"literal":     {Literal("a.txt", "dir/*.txt", "dir/sub/"), []string{"a.txt", "dir/*.txt", "dir/sub/c.txt"}},
	} {
		var got []string
		for _, e := range ix.Entries(c.spec) {
			got = append(got, e.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		// Git means the same by it.
		var out bytes.Buffer
		must(t, ix.gitOn(context.Background(), c.spec, &out, "ls-files", "-z", "--full-name"))
		if names := parseNames(out.Bytes()); !slices.Equal(names, c.want) {
			t.Errorf("%s: git says %q, want %q", name, names, c.want)
		}
	}
}

func TestLiteralManyPaths(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	paths := []string{":(top)a.txt", "*", "a.tx?"}
	for i := range 4000 {
		paths = append(paths, fmt.Sprintf("%s/%d", strings.Repeat("d", 60), i))
	}
	paths = append(paths, "dir/b.txt")
	r.Write("a.txt", []byte("edited\n"), 0o644)
	r.Write("dir/b.txt", []byte("edited\n"), 0o644)
	ix, err := open(t, r.Dir).Index(ctx)
	must(t, err)
	var status, nothing bytes.Buffer
	must(t, ix.Status(ctx, Literal(paths...), &status))
	if status.String() != " M dir/b.txt\x00" {
		t.Errorf("status %q, want dir/b.txt alone", status.String())
	}
	must(t, ix.Status(ctx, Literal(), &nothing))
	must(t, ix.Diff(ctx, "HEAD", Literal(), &nothing))
	if nothing.Len() > 0 {
		t.Errorf("no paths gave %q", nothing.String())
	}
	if err := ix.Diff(ctx, "--output=x", Below(), &nothing); err == nil {
		t.Error("an option was taken for a tree")
	}
}

// fingerprint is the content and the times of everything below a directory.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if d.Type().IsRegular() {
			data, err = os.ReadFile(path)
		}
		all[path] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(data))
		return err
	}))
	return all
}

// Plain status and diff write a refreshed index; ours leave everything as it was, and their private copy stays old.
func TestNothingIsWritten(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	r.Write("a.txt", []byte("x\n"), 0o644)
	r.Write("a.txt", []byte("one\ntwo\n"), 0o644) // stat data differ, content does not
	r.Write("new.txt", nil, 0o644)
	before := fingerprint(t, r.Dir)
	repo := open(t, r.Dir)
	ix, err := repo.Index(ctx)
	must(t, err)
	for range 2 {
		look(t, repo)
		var out bytes.Buffer
		must(t, ix.Status(ctx, Below(), &out))
		must(t, ix.Diff(ctx, "HEAD", Below(), &out))
		if out.String() != "?? new.txt\x00" {
			t.Errorf("output %q", out.String())
		}
		info, err := os.Stat(ix.path())
		if err != nil || !info.ModTime().Equal(time.Unix(1, 0)) {
			t.Errorf("the private index was written: %v, %v", info.ModTime(), err)
		}
	}
	if diff := cmp.Diff(before, fingerprint(t, r.Dir)); diff != "" {
		t.Errorf("the repository changed:\n%s", diff)
	}
	r.Git("status")
	r.Git("diff", "HEAD")
	if diff := cmp.Diff(before, fingerprint(t, r.Dir)); diff == "" {
		t.Error("control: plain git wrote nothing either")
	}
}

// old gives a file of the work tree an old modification time and has the index believe it.
func settle(t *testing.T, r *gittest.Repo, rel string, at time.Time) {
	t.Helper()
	must(t, os.Chtimes(r.Path(rel), at, at))
	r.Git("update-index", "-q", "--refresh")
}

// A same-size edit with a restored modification time.
func TestStatCacheNotTrusted(t *testing.T) {
	r := sample(t)
	settle(t, r, "a.txt", time.Unix(1609459200, 0))
	r.Git("config", "core.trustctime", "false")
	r.Git("config", "core.checkStat", "minimal")
	r.RewriteKeepTime("a.txt", []byte("one\nTWO\n"))
	if out := r.Git("status", "--porcelain"); out != "" {
		t.Fatalf("control: plain git sees %q", out)
	}
	s, d := look(t, open(t, r.Dir))
	if s != " M a.txt\x00" || !strings.Contains(d, "+TWO") {
		t.Errorf("status %q, diff %q", s, d)
	}
}

// forgeStat makes the index claim that the file as it is now is the one that was added.
func forgeStat(t *testing.T, r *gittest.Repo, rel string) {
	t.Helper()
	f, err := parseIndex(r.Read(".git/index"), 20)
	must(t, err)
	var st syscall.Stat_t
	must(t, syscall.Stat(r.Path(rel), &st))
	at := slices.IndexFunc(f.records, func(e indexRecord) bool { return e.path == rel })
	stat := slices.Clone(f.records[at].stat)
	for i, v := range []int64{st.Ctim.Sec, st.Ctim.Nsec, st.Mtim.Sec, st.Mtim.Nsec, int64(st.Dev), int64(st.Ino)} {
		copy(stat[4*i:], []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
	}
	f.records[at].stat = stat
	// encode mends a time of zero; undo that, as a forger would.
	data := f.encode(20)
	if st.Mtim.Sec == 0 {
		i := bytes.Index(data, stat[:8])
		copy(data[i+8:], []byte{0, 0, 0, 0})
	}
	r.Write(".git/index", data, 0o644)
}

// A file whose modification time is zero is older than the private index, however old that is.
func TestModificationTimeZero(t *testing.T) {
	r := sample(t)
	r.Write("a.txt", []byte("one\nTWO\n"), 0o644)
	must(t, os.Chtimes(r.Path("a.txt"), time.Unix(0, 0), time.Unix(0, 0)))
	forgeStat(t, r, "a.txt")

	// Control: neither plain git nor an unmended copy with the contract's time sees it.
	if out := r.Git("status", "--porcelain"); out != "" {
		t.Fatalf("control: plain git sees %q", out)
	}
	must(t, os.Chtimes(r.Path(".git/index"), time.Unix(1, 0), time.Unix(1, 0)))
	if out := r.Git("--no-optional-locks", "status", "--porcelain"); out != "" {
		t.Fatalf("control: plain git on an old index sees %q", out)
	}
	if s, d := look(t, open(t, r.Dir)); s != " M a.txt\x00" || !strings.Contains(d, "+TWO") {
		t.Errorf("status %q, diff %q", s, d)
	}
}

// The index may hold a cache that says of a directory: its entries are those of this tree. Git believes it and compares
// neither.
func TestForgedTreeCache(t *testing.T) {
	r := sample(t)
	root, dir, sub := r.Git("rev-parse", "HEAD^{tree}"), r.Git("rev-parse", "HEAD:dir"), r.Git("rev-parse", "HEAD:dir/sub")
	r.Write("dir/b.txt", []byte("planted\n"), 0o644)
	r.Git("add", "dir/b.txt")

	f, err := parseIndex(r.Read(".git/index"), 20)
	must(t, err)
	data := f.encode(20)
	data = data[:len(data)-20]
	cache := fmt.Sprintf("\x00%d 1\n%s", len(f.records), raw(t, root)) +
		fmt.Sprintf("dir\x002 1\n%s", raw(t, dir)) + fmt.Sprintf("sub\x001 0\n%s", raw(t, sub))
	data = append(data, "TREE"...)
	data = append(data, 0, 0, byte(len(cache)>>8), byte(len(cache)))
	data = append(data, cache...)
	data = append(data, make([]byte, 20)...) // Git does not verify the hash
	r.Write(".git/index", data, 0o644)

	if out := r.Git("status", "--porcelain") + r.Git("diff", "HEAD"); out != "" {
		t.Fatalf("control: plain git sees %q", out)
	}
	if s, d := look(t, open(t, r.Dir)); s != "M  dir/b.txt\x00" || !strings.Contains(d, "+planted") {
		t.Errorf("status %q, diff %q", s, d)
	}
}

func raw(t *testing.T, id string) []byte {
	t.Helper()
	var b []byte
	_, err := fmt.Sscanf(id, "%x", &b)
	must(t, err)
	return b
}

// The untracked cache remembers a directory by its modification time.
func TestUntrackedCacheNotTrusted(t *testing.T) {
	r := sample(t)
	r.Git("config", "core.untrackedCache", "true")
	r.Git("config", "core.trustctime", "false")
	r.Git("config", "core.checkStat", "minimal")
	r.Write("dir/u.txt", nil, 0o644)
	at := time.Unix(1609459200, 0)
	must(t, os.Chtimes(r.Path("dir"), at, at))
	for range 3 {
		r.Git("status", "--porcelain", "-unormal")
	}
	if !bytes.Contains(r.Read(".git/index"), []byte("UNTR")) {
		t.Fatal("control: no untracked cache in the index")
	}
	r.Write("dir/planted.txt", nil, 0o644)
	must(t, os.Chtimes(r.Path("dir"), at, at))
	if out := r.Git("status", "--porcelain", "-unormal"); out != "?? dir/u.txt" {
		t.Fatalf("control: plain git sees %q", out)
	}
	if s, _ := look(t, open(t, r.Dir)); s != "?? dir/planted.txt\x00?? dir/u.txt\x00" {
		t.Errorf("status %q", s)
	}
}

// The commit-graph file may say that HEAD has another tree.
func TestForgedCommitGraph(t *testing.T) {
	r := sample(t)
	honest := r.Git("rev-parse", "HEAD^{tree}")
	r.Write("a.txt", []byte("planted\n"), 0o644)
	r.Git("add", "-A")
	planted := r.Git("write-tree")
	r.Git("commit-graph", "write", "--reachable")
	path := ".git/objects/info/commit-graph"
	graph := bytes.ReplaceAll(r.Read(path), raw(t, honest), raw(t, planted))
	r.Chmod(path, 0o644)
	r.Write(path, graph, 0o444)
	if out := r.Git("status", "--porcelain"); out != "" {
		t.Fatalf("control: plain git sees %q", out)
	}
	if s, d := look(t, open(t, r.Dir)); s != "M  a.txt\x00" || !strings.Contains(d, "+planted") {
		t.Errorf("status %q, diff %q", s, d)
	}
	if h, err := open(t, r.Dir).Head(context.Background()); err != nil || h.Tree != honest {
		t.Errorf("HEAD %+v, %v; want tree %s", h, err, honest)
	}
}

// A submodule's state is shown whatever .gitmodules or the configuration say, and its drivers are emptied, not its state.
func TestSubmoduleState(t *testing.T) {
	r := sample(t)
	submodule(func(sub *gittest.Repo, prog string) {})(r, "")
	r.Write("mod/f.txt", []byte("F\n"), 0o644)
	r.Write("mod/new.txt", nil, 0o644)
	s, d := look(t, open(t, r.Dir))
	if want := r.Git("status", "--porcelain", "-z", "-uall"); s != want || s == "" {
		t.Errorf("status %q, plain git %q", s, want)
	}
	if want := r.Git("diff", "--binary", "--full-index", "HEAD") + "\n"; d != want || !strings.Contains(d, "-dirty") {
		t.Errorf("diff %q, plain git %q", d, want)
	}
	r.Git("config", "submodule.mod.ignore", "all")
	r.Git("config", "diff.ignoreSubmodules", "all")
	if out := r.Git("status", "--porcelain", "-uno"); out != "" {
		t.Fatalf("control: plain git sees %q", out)
	}
	if s2, d2 := look(t, open(t, r.Dir)); s2 != s || d2 != d {
		t.Errorf("status %q, diff %q", s2, d2)
	}
}

func TestAsFound(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	r.Write("a.txt", []byte("one\nTWO\n"), 0o644)
	must(t, os.Chtimes(r.Path("a.txt"), time.Unix(1609459200, 0), time.Unix(1609459200, 0)))
	forgeStat(t, r, "a.txt")
	ix, err := open(t, r.Dir).Index(ctx)
	must(t, err)
	found, err := ix.AsFound()
	must(t, err)
	var hidden, shown bytes.Buffer
	must(t, found.Status(ctx, Below(), &hidden))
	must(t, ix.Status(ctx, Below(), &shown))
	if hidden.String() != "" || shown.String() != " M a.txt\x00" {
		t.Errorf("as found %q, compared %q", hidden.String(), shown.String())
	}
}

func TestIndexRefusals(t *testing.T) {
	ctx := context.Background()
	index := func(r *gittest.Repo) error {
		ix, err := open(t, r.Dir).Index(ctx)
		if err == nil {
			ix.Close()
		}
		return err
	}
	r := sample(t)
	good := r.Read(".git/index")
	for name, data := range map[string][]byte{
		"empty": nil, "garbage": []byte("garbage"), "cut": good[:len(good)/2],
		"version":      slices.Concat(good[:4], []byte{0, 0, 0, 9}, good[8:]),
		"count":        slices.Concat(good[:8], []byte{0xff, 0xff, 0xff, 0xff}, good[12:]),
		"upwards":      bytes.Replace(good, []byte("dir/b.txt"), []byte("../bb.txt"), 1),
		"absolute":     bytes.Replace(good, []byte("a.txt"), []byte("/.txt"), 1),
		"out of order": bytes.Replace(good, []byte("dir/b.txt"), []byte("zzz/b.txt"), 1),
		"twice":        bytes.Replace(good, []byte("link"), []byte("lin\x00"), 1),
		"extension":    slices.Concat(good[:len(good)-20], []byte("evil\x00\x00\x00\x00"), good[len(good)-20:]),
	} {
		r.Write(".git/index", data, 0o644)
		wantReason(t, index(r), Malformed)
		t.Log(name)
	}
	r.Remove(".git/index")
	must(t, syscall.Mkfifo(r.Path(".git/index"), 0o600))
	wantReason(t, index(r), Failed)
	r.Remove(".git/index")
	r.Mkdir(".git/index")
	wantReason(t, index(r), Failed)
	r.Remove(".git/index")
	must(t, index(r)) // none at all: everything counts as deleted
	if s, _ := look(t, open(t, r.Dir)); !strings.HasPrefix(s, "D  a.txt\x00") {
		t.Errorf("status without an index %q", s)
	}
	r.Write("elsewhere", good, 0o644)
	r.Symlink(".git/index", "../elsewhere")
	must(t, index(r))
}

func TestContentFiltered(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	r.Write(".git/info/attributes", []byte("*.txt filter=evil\n*.md filter=other\n*.bin filter\n"), 0o644)
	r.Write(".gitignore", []byte("ignored.txt\n"), 0o644)
	r.Write("ignored.txt", nil, 0o644)
	r.Write("dir/new.txt", nil, 0o644)
	r.Write("set.bin", nil, 0o644)
	filtered := func(dir string, spec Pathspec) []string {
		t.Helper()
		ix, err := open(t, dir).Index(ctx)
		must(t, err)
		paths, err := ix.ContentFiltered(ctx, spec)
		must(t, err)
		return paths
	}
	if got := filtered(r.Dir, Below()); len(got) > 0 {
		t.Errorf("no driver is configured, yet %q", got)
	}
	r.Git("config", "filter.other.clean", "cat")
	if got := filtered(r.Dir, Below()); len(got) > 0 {
		t.Errorf("no path uses the driver, yet %q", got)
	}
	r.Git("config", "filter.evil.smudge", "cat")
	for name, c := range map[string]struct {
		dir  string
		spec Pathspec
		want []string
	}{
		"all":     {"", Below(), []string{"a.txt", "dir/b.txt", "dir/new.txt", "dir/sub/c.txt"}},
		"below":   {"dir", Below(), []string{"b.txt", "new.txt", "sub/c.txt"}},
		"except":  {"dir", BelowExcept("new.txt", "sub/c.txt"), []string{"b.txt"}},
		"literal": {"dir", Literal("a.txt", "link"), []string{"a.txt"}},
		"none":    {"", Literal("link", "ignored.txt", ".gitignore"), nil},
	} {
		if got := filtered(r.Path(c.dir), c.spec); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Emptied in the repository itself, the driver is no longer one that runs, but it stays refused.
	r.Git("config", "filter.evil.smudge", "")
	if got := filtered(r.Dir, Literal("a.txt")); len(got) != 1 {
		t.Errorf("an emptied driver: %q", got)
	}
	var many bytes.Buffer
	for i := range maxDrivers + 1 {
		fmt.Fprintf(&many, "[filter \"f%d\"]\n\tclean = cat\n", i)
	}
	r.Write(".git/many", many.Bytes(), 0o644)
	r.Git("config", "include.path", "many")
	_, err := Open(ctx, program(t), r.Dir)
	wantReason(t, err, Unsafe)
}

func TestFacts(t *testing.T) {
	r := sample(t)
	repo := open(t, r.Dir)
	if data, err := repo.InfoExclude(); err != nil || len(data) > 0 {
		t.Errorf("info/exclude %q, %v", data, err)
	}
	if repo.RedirectedTop() {
		t.Error("an honest repository has a redirected top level")
	}
	r.Write(".git/info/exclude", []byte("*.js\n"), 0o644)
	if data, err := open(t, r.Path("dir")).InfoExclude(); err != nil || string(data) != "*.js\n" {
		t.Errorf("info/exclude %q, %v", data, err)
	}
	other := gittest.Plain(t)
	other.Mkdir("x")
	r.Git("config", "core.worktree", other.Dir)
	_, err := Open(context.Background(), program(t), r.Dir)
	var e *Error
	if err == nil || !errors.As(err, &e) || e.Kind != NotWorktree {
		t.Errorf("outside of its redirected work tree: %v", err)
	}
	r.Git("config", "core.worktree", filepath.Dir(r.Dir))
	repo, err = Open(context.Background(), program(t), r.Dir)
	must(t, err)
	defer repo.Close()
	if !repo.RedirectedTop() || repo.Top() != filepath.Dir(r.Dir) {
		t.Errorf("redirected %v, top %s", repo.RedirectedTop(), repo.Top())
	}
}
