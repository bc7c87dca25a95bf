package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/internal/gittest"
)

// forgeSparse rewrites the index so that it names the directory dir, without final "/", as a whole, as the tree id. Git
// itself collapses no directory that holds a submodule.
func forgeSparse(r *gittest.Repo, dir, tree string) {
	f, err := parseIndex(r.Read(".git/index"), 20)
	if err != nil {
		panic(err)
	}
	f.records = slices.DeleteFunc(f.records, func(e indexRecord) bool { return strings.HasPrefix(e.path, dir+"/") })
	f.records = append(f.records, collapsed(dir+"/", tree))
	slices.SortFunc(f.records, compareRecords)
	f.sparse = true
	r.Write(".git/index", f.encode(20), 0o644)
}

func collapsed(path, tree string) indexRecord {
	id, err := hex.DecodeString(tree)
	if err != nil {
		panic(err)
	}
	stat := make([]byte, indexStatBytes)
	binary.BigEndian.PutUint32(stat[statModeAt:], 0o040000)
	return indexRecord{stat: stat, id: id, flags: uint16(len(path)), ext: extSkipWorktree, path: path}
}

// hiddenSubmodule has a submodule with a hostile filter in a directory that the index names as a whole. With a sparse
// checkout configured and the directory in place, Git brings the submodule back and looks into it.
func hiddenSubmodule(r *gittest.Repo, prog string) {
	r.Git("init", "-q", "--template=", "-b", "main", "p/mod")
	r.Write("p/mod/f.txt", []byte("f\n"), 0o644)
	sub := r.Sub("p/mod")
	sub.Git("add", "-A")
	sub.Commit("in the submodule")
	r.Git("add", "p/mod")
	r.Commit("with submodule")
	sub.Git("config", "filter.evil.clean", prog)
	sub.Write(".git/info/attributes", []byte("*.txt filter=evil\n"), 0o644)
	sub.Write("f.txt", []byte("F\n"), 0o644)
	forgeSparse(r, "p", r.Git("rev-parse", "HEAD:p"))
	configure("core.sparseCheckout=true", "core.sparseCheckoutCone=true", "index.sparse=true")(r, prog)
	r.Write(".git/info/sparse-checkout", []byte("/*\n!/*/\n/dir/\n"), 0o644)
}

// sparse is a repository whose index names the directory other as a whole, with the sparse checkout switched off after it
// was made: Git shows no file of the directory and looks at none.
func sparse(t *testing.T) *gittest.Repo {
	t.Helper()
	r := sample(t)
	r.Write("other/sub/x.txt", []byte("x\n"), 0o644)
	r.Git("add", "-A")
	r.Commit("second")
	r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
	r.Git("sparse-checkout", "set", "dir")
	must(t, os.RemoveAll(r.Path(".git/config.worktree")))
	if !bytes.Contains(r.Read(".git/index"), []byte("sdir")) {
		t.Fatal("this git makes no sparse index")
	}
	return r
}

// A target may lie below a directory that the index names as a whole. None of its files is looked at, and the entries say so.
func TestTargetBelowCollapsedDirectory(t *testing.T) {
	r := sparse(t)
	r.Write("other/sub/x.txt", []byte("edited\n"), 0o644)
	ix, err := open(t, r.Path("other/sub")).Index(context.Background())
	must(t, err)
	var status bytes.Buffer
	must(t, ix.Status(context.Background(), Below(), &status))
	if status.Len() > 0 {
		t.Errorf("status %q; the rest of this test is about an edit that Git does not show", status.String())
	}
	list := ix.Entries(Below())
	if len(list) != 1 || list[0].Path != "other/sub/x.txt" || !list[0].Concealed() || list[0].Mode != ModeFile {
		t.Errorf("entries %+v, want other/sub/x.txt, concealed", list)
	}
}

// Expanding changes nothing of what Git says of an honest sparse checkout, file and index in any state.
func TestExpandedIndexSaysTheSame(t *testing.T) {
	r := sparse(t)
	r.Git("config", "core.sparseCheckout", "true")
	r.Git("config", "core.sparseCheckoutCone", "true")
	r.Write("dir/b.txt", []byte("edited\n"), 0o644)
	r.Write("dir/new.txt", []byte("new\n"), 0o644)
	r.Write("a.txt", []byte("staged\n"), 0o644)
	r.Git("add", "a.txt")
	for _, present := range []bool{false, true} {
		if present {
			r.Write("other/sub/x.txt", []byte("edited\n"), 0o644)
		}
		status, diff := look(t, open(t, r.Dir))
		if want := r.Git("status", "--porcelain=v1", "-z", "-uall"); status != want {
			t.Errorf("present %v: status %q, want %q", present, status, want)
		}
		if want := r.Git("diff", "--binary", "--full-index", "HEAD"); strings.TrimSpace(diff) != strings.TrimSpace(want) {
			t.Errorf("present %v: diff\n%s\nwant\n%s", present, diff, want)
		}
	}
}

// To collapse the directories of an index, Git writes trees.
func TestSparseConfigurationWritesNothing(t *testing.T) {
	prepare := func() *gittest.Repo {
		r := sample(t)
		r.Git("sparse-checkout", "init", "--cone", "--no-sparse-index")
		r.Git("sparse-checkout", "set", "dir")
		r.Write("dir/b.txt", []byte("staged\n"), 0o644)
		r.Git("add", "dir/b.txt")
		r.Git("config", "index.sparse", "true")
		must(t, os.RemoveAll(r.Path(".git/config.worktree")))
		r.Git("config", "core.sparseCheckout", "true")
		r.Git("config", "core.sparseCheckoutCone", "true")
		return r
	}
	count := func(r *gittest.Repo) (n int) {
		must(t, filepath.WalkDir(r.Path(".git/objects"), func(string, fs.DirEntry, error) error { n++; return nil }))
		return n
	}
	r := prepare()
	before := count(r)
	exercise(t, r.Dir)
	if after := count(r); after != before {
		t.Errorf("%d files and directories of objects, %d before", after, before)
	}
	control := prepare()
	before = count(control)
	control.Git("status")
	if count(control) == before {
		t.Error("control: plain git status wrote no object, so the test shows nothing")
	}
}

func TestSparseRefusals(t *testing.T) {
	for name, forge := range map[string]func(r *gittest.Repo) Reason{
		"missing tree": func(r *gittest.Repo) Reason {
			forgeSparse(r, "dir", zeroID)
			return Failed
		},
		"no tree": func(r *gittest.Repo) Reason {
			forgeSparse(r, "dir", r.Git("rev-parse", "HEAD:a.txt"))
			return Malformed
		},
		"directory and a file of it": func(r *gittest.Repo) Reason {
			f, err := parseIndex(r.Read(".git/index"), 20)
			must(t, err)
			f.records = append(f.records, collapsed("dir/", r.Git("rev-parse", "HEAD:dir")))
			slices.SortFunc(f.records, compareRecords)
			f.sparse = true
			r.Write(".git/index", f.encode(20), 0o644)
			return Malformed
		},
		"directory in an index that is not sparse": func(r *gittest.Repo) Reason {
			f, err := parseIndex(r.Read(".git/index"), 20)
			must(t, err)
			f.records = append(f.records, collapsed("z", r.Git("rev-parse", "HEAD:dir")))
			r.Write(".git/index", f.encode(20), 0o644)
			return Malformed
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := sample(t)
			reason := forge(r)
			_, err := open(t, r.Dir).Index(context.Background())
			wantReason(t, err, reason)
		})
	}
}
