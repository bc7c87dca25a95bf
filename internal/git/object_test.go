package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/gittest"
)

func TestObjectsAndTrees(t *testing.T) {
	ctx := context.Background()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := gittest.New(t, gittest.Options{ObjectFormat: format})
			r.Write("a.txt", []byte("one\r\n"), 0o644)
			r.Write("dir/run.sh", []byte("#!/bin/sh\n"), 0o755)
			r.Write("dir/\xff\n", []byte("odd"), 0o644)
			r.Write("dirt", nil, 0o644)
			r.Symlink("link", "a.txt")
			r.Git("add", "-A")
			r.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", len(r.Git("hash-object", "a.txt"))/2)+",mod")
			id := r.Commit("first")
			r.Git("tag", "-a", "-m", "tag", "v1")
			r.Git("tag", "-a", "-m", "tag of the tag", "v2", "v1")
			repo := open(t, r.Path("dir"))

			head, err := repo.Head(ctx)
			if want := (Head{id, r.Git("rev-parse", "HEAD^{tree}"), true}); err != nil || head != want {
				t.Errorf("Head = %+v, %v; want %+v", head, err, want)
			}
			for _, name := range []string{id, "v2", "v1", "HEAD^{tree}"} {
				treeish := r.Git("rev-parse", name)
				for _, prefix := range []string{"", "dir", "absent", "a.txt", "dir/run.sh"} {
					want := lsTree(r, treeish, prefix)
					got, err := repo.TreeEntries(ctx, treeish, prefix)
					if diff := cmp.Diff(want, got); err != nil || diff != "" {
						t.Errorf("entries of %s below %q: %v\n%s", name, prefix, err, diff)
					}
				}
				b, err := repo.BlobAt(ctx, treeish, "dir/run.sh")
				if err != nil || b.Mode != ModeExecutable || string(b.Data) != "#!/bin/sh\n" || !b.Genuine {
					t.Errorf("BlobAt(%s) = %+v, %v", name, b, err)
				}
			}
			if b, err := repo.BlobAt(ctx, id, "a.txt"); err != nil || string(b.Data) != "one\r\n" {
				t.Errorf("content is converted: %+v, %v", b, err)
			}
			if b, err := repo.BlobAt(ctx, id, "link"); err != nil || b.Mode != ModeSymlink || string(b.Data) != "a.txt" {
				t.Errorf("symbolic link: %+v, %v", b, err)
			}
			for _, path := range []string{"", ".", "dir", "dir/", "mod", "absent", "a.txt/x", "link/x", "/a.txt", "dir//run.sh", "./a.txt", "dir/../a.txt", "DIR/run.sh"} {
				if _, err := repo.BlobAt(ctx, id, path); !errors.Is(err, ErrNotFound) {
					t.Errorf("BlobAt(%q): error %v, want not found", path, err)
				}
			}
			if forged := repo.Forged(); len(forged) != 0 {
				t.Errorf("forged: %v", forged)
			}
		})
	}
}

// lsTree is the listing of plain Git.
func lsTree(r *gittest.Repo, treeish, prefix string) []TreeEntry {
	args := []string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", treeish}
	if prefix != "" {
		args = append(args, "--", prefix+"/")
	}
	var list []TreeEntry
	for record := range strings.SplitSeq(r.Git(args...), "\x00") {
		facts, path, ok := strings.Cut(record, "\t")
		if f := strings.Fields(facts); ok && strings.HasPrefix(path, prefix) {
			list = append(list, TreeEntry{Mode: f[0], Type: f[1], ID: f[2], Path: path})
		}
	}
	return list
}

func TestResolve(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	id := r.Head()
	tree := r.Git("rev-parse", "HEAD^{tree}")
	r.Git("tag", "-a", "-m", "tag", "v1")
	tag := r.Git("rev-parse", "v1")
	long := strings.Repeat("ab", 32)
	r.Git("branch", long)
	r.Git("branch", "topic/x")
	// A branch that looks like an abbreviated id of something else.
	r.Git("update-ref", "refs/heads/"+tree[:10], id)
	repo := open(t, r.Dir)

	for _, c := range []struct {
		name string
		want Resolved
	}{
		{id, Resolved{id, TypeCommit, false, true}},
		{strings.ToUpper(id), Resolved{id, TypeCommit, false, true}},
		{tree, Resolved{tree, TypeTree, false, true}},
		{tag, Resolved{tag, TypeTag, false, true}},
		{id[:12], Resolved{id, TypeCommit, false, true}},
		{long, Resolved{id, TypeCommit, true, true}},
		{"main", Resolved{id, TypeCommit, true, true}},
		{"topic/x", Resolved{id, TypeCommit, true, true}},
		{"HEAD", Resolved{id, TypeCommit, true, true}},
		{"HEAD^{tree}", Resolved{tree, TypeTree, true, true}},
		{"v1", Resolved{tag, TypeTag, true, true}},
		{tree[:10], Resolved{id, TypeCommit, true, true}},
	} {
		got, err := repo.Resolve(ctx, c.name)
		if err != nil || got != c.want {
			t.Errorf("Resolve(%q) = %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
	for _, name := range []string{
		"", " ", "absent", "--help", "-h", "--batch-all-objects", "--end-of-options", strings.Repeat("0", 40), strings.Repeat("0", 39) + "1",
		"main\nHEAD", "HEAD\x00", "HEAD\n", strings.Repeat("a", 5000), "a missing", "missing", "x commit 5",
	} {
		if got, err := repo.Resolve(ctx, name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Resolve(%q) = %+v, %v; want not found", name, got, err)
		}
	}
	// The process is still in step.
	if got, err := repo.Resolve(ctx, "main"); err != nil || got.ID != id {
		t.Errorf("Resolve(main) at the end = %+v, %v", got, err)
	}
}

// A path with a line end must neither end a request nor name another object.
func TestPathWithLineEnd(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	id := r.Head()
	odd := "x\n" + id + "\ny"
	r.Write(odd, []byte("odd\n"), 0o644)
	r.Git("add", "-A")
	r.Commit("odd")
	repo := open(t, r.Dir)
	b, err := repo.BlobAt(ctx, r.Head(), odd)
	if err != nil || string(b.Data) != "odd\n" {
		t.Errorf("BlobAt = %+v, %v", b, err)
	}
	if _, err := repo.BlobAt(ctx, r.Head(), "x\n"+id); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want not found", err)
	}
	if head, err := repo.Head(ctx); err != nil || head.ID != r.Head() {
		t.Errorf("out of step: %v, %v", head, err)
	}
}

// Git serves a swapped loose object under the right id (the control); we say that it is not genuine.
func TestSwappedObject(t *testing.T) {
	ctx := context.Background()
	forge := map[string]struct {
		revision, typ string
		content       func(r *gittest.Repo) []byte
		path          string
	}{
		"blob":      {"HEAD:a.txt", "blob", func(*gittest.Repo) []byte { return []byte("forged\n") }, "a.txt"},
		"tree":      {"HEAD:dir", "tree", func(r *gittest.Repo) []byte { return rawTree(r, "HEAD:dir/sub") }, "dir/c.txt"},
		"root tree": {"HEAD^{tree}", "tree", func(r *gittest.Repo) []byte { return rawTree(r, "HEAD:dir") }, "b.txt"},
		"commit": {"HEAD", "commit", func(r *gittest.Repo) []byte {
			tree := r.Git("rev-parse", "HEAD^{tree}")
			return []byte(strings.Replace(r.Git("cat-file", "commit", "HEAD")+"\n", tree, r.Git("rev-parse", "HEAD:dir"), 1))
		}, "b.txt"},
	}
	for name, f := range forge {
		t.Run(name, func(t *testing.T) {
			r := sample(t)
			id, head := r.Git("rev-parse", f.revision), r.Head()
			r.ForgeObjectAs(f.revision, f.typ, f.content(r))
			if out := r.Git("cat-file", "-t", id); out != f.typ {
				t.Fatalf("control: git does not serve the forged %s: %s", f.typ, out)
			}
			repo := open(t, r.Dir)
			b, err := repo.BlobAt(ctx, head, f.path)
			if err != nil || b.Genuine {
				t.Errorf("BlobAt = genuine %v, %v; want content that is not genuine", b.Genuine, err)
			}
			if got := repo.Forged(); !slices.Equal(got, []string{id}) {
				t.Errorf("forged = %v, want %s", got, id)
			}
			other := open(t, r.Dir)
			must(t, other.ReadTrees(ctx, head, "dir"))
			if got := other.Forged(); name != "blob" && name != "tree" && len(got) != 1 || name == "tree" && len(got) != 1 {
				t.Errorf("ReadTrees found %v", got)
			}
			if h, err := other.Head(ctx); err != nil || h.Genuine != (name != "commit") {
				t.Errorf("Head = %+v, %v", h, err)
			}
		})
	}
}

// rawTree is the content of a tree object.
func rawTree(r *gittest.Repo, revision string) []byte {
	out, err := r.TryGit("cat-file", "tree", revision)
	if err != nil {
		panic(err)
	}
	return []byte(out)
}

// refs/replace and grafts change what Git shows (the control), not what we read.
func TestReplacementsIgnored(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	id := r.Head()
	r.Write("a.txt", []byte("other\n"), 0o644)
	r.Git("add", "-A")
	r.Git("replace", id, r.Commit("second"))
	r.Git("replace", r.Git("rev-parse", id+":dir/b.txt"), r.Git("hash-object", "-w", "a.txt"))
	repo := open(t, r.Dir)
	for path, want := range map[string]string{"a.txt": "one\ntwo\n", "dir/b.txt": "b\n"} {
		if out := r.Git("cat-file", "blob", id+":"+path); out != "other" {
			t.Fatalf("control: plain git shows %q", out)
		}
		b, err := repo.BlobAt(ctx, id, path)
		if err != nil || string(b.Data) != want || !b.Genuine {
			t.Errorf("BlobAt(%s) = %q, %v", path, b.Data, err)
		}
	}
	if has, err := repo.HasReplacements(ctx); err != nil || !has {
		t.Errorf("HasReplacements = %v, %v", has, err)
	}
	if repo.HasGrafts() {
		t.Error("HasGrafts without the file")
	}
	r.Write(".git/info/grafts", nil, 0o644)
	if !repo.HasGrafts() {
		t.Error("HasGrafts does not see the file")
	}
	if has, err := open(t, sample(t).Dir).HasReplacements(ctx); err != nil || has {
		t.Errorf("HasReplacements of an honest repository = %v, %v", has, err)
	}
}

func TestObjectTooLarge(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	r.Write("big", bytes.Repeat([]byte("x"), 2000), 0o644)
	r.Git("add", "-A")
	r.Commit("big")
	p := program(t)
	p.limits = limits{time.Minute, 1999}
	repo, err := Open(ctx, p, r.Dir)
	must(t, err)
	defer repo.Close()
	_, err = repo.BlobAt(ctx, r.Head(), "big")
	wantReason(t, err, TooLarge)
	// The process starts again.
	if b, err := repo.BlobAt(ctx, r.Head(), "a.txt"); err != nil || string(b.Data) != "one\ntwo\n" {
		t.Errorf("after it: %q, %v", b.Data, err)
	}
}

func TestCorruptObject(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	id := r.Git("rev-parse", "HEAD:a.txt")
	path := ".git/objects/" + id[:2] + "/" + id[2:]
	r.Chmod(path, 0o644)
	r.Write(path, []byte("not zlib"), 0o444)
	repo := open(t, r.Dir)
	if _, err := repo.Object(ctx, id); err == nil {
		t.Error("a corrupt object was read")
	}
	if b, err := repo.BlobAt(ctx, r.Head(), "dir/b.txt"); err != nil || string(b.Data) != "b\n" {
		t.Errorf("after it: %q, %v", b.Data, err)
	}
}

func TestHeadWithoutCommit(t *testing.T) {
	ctx := context.Background()
	unborn := gittest.New(t, gittest.Options{})
	if _, err := open(t, unborn.Dir).Head(ctx); err == nil {
		t.Error("an unborn branch has a HEAD")
	} else {
		wantReason(t, err, Failed)
	}
	missing := sample(t)
	gone := strings.Repeat("12", 20)
	missing.Write(".git/HEAD", []byte(gone+"\n"), 0o644)
	h, err := open(t, missing.Dir).Head(ctx)
	if wantReason(t, err, Failed); h.ID != gone {
		t.Errorf("HEAD = %+v, want the id %s beside the error", h, gone)
	}
	moved := sample(t)
	repo := open(t, moved.Dir)
	before, err := repo.Head(ctx)
	must(t, err)
	moved.Commit("next", "--allow-empty")
	after, err := repo.Head(ctx)
	if err != nil || after.ID == before.ID || after.ID != moved.Head() {
		t.Errorf("HEAD is not fresh: %v, %v", after, err)
	}
}

// A small repository can describe a tree without end.
func TestTreeBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	ctx := context.Background()
	r := sample(t)
	id := r.Git("rev-parse", "HEAD:a.txt")
	entry := func(kind, id, name string) string { return fmt.Sprintf("%s %s\t%s\n", kind, id, name) }
	kind := "100644 blob"
	for range 12 {
		var listing strings.Builder
		for name := range 16 {
			listing.WriteString(entry(kind, id, fmt.Sprintf("n%02d", name)))
		}
		r.Write("listing", []byte(listing.String()), 0o644)
		id, kind = mktree(t, r, listing.String()), "040000 tree"
	}
	repo := open(t, r.Dir)
	started := time.Now()
	_, err := repo.TreeEntries(ctx, id, "")
	wantReason(t, err, TooLarge)
	must(t, repo.ReadTrees(ctx, id, "")) // each tree once
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// mktree writes a tree object of a listing in ls-tree's form.
func mktree(t *testing.T, r *gittest.Repo, listing string) string {
	t.Helper()
	var raw bytes.Buffer
	for line := range strings.Lines(listing) {
		facts, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := strings.Fields(facts)
		fmt.Fprintf(&raw, "%s %s\x00", strings.TrimLeft(f[0], "0"), name)
		var id []byte
		_, err := fmt.Sscanf(f[2], "%x", &id)
		must(t, err)
		raw.Write(id)
	}
	r.Write("raw", raw.Bytes(), 0o644)
	return r.Git("hash-object", "-w", "-t", "tree", "raw")
}

func TestModes(t *testing.T) {
	for text, want := range map[string]string{
		"100644": ModeFile, "100664": ModeFile, "100755": ModeExecutable, "100775": ModeExecutable, "120000": ModeSymlink,
		"40000": modeTree, "040000": modeTree, "160000": ModeGitlink, "0": ModeGitlink,
	} {
		if got, ok := canonicalMode([]byte(text)); !ok || got != want {
			t.Errorf("mode %s = %s, %v; want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "8", "10064x", "+100644", "00000000100644", "-1"} {
		if got, ok := canonicalMode([]byte(text)); ok {
			t.Errorf("mode %q = %s", text, got)
		}
	}
}
