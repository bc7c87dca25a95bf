package git

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"finishline/internal/gittest"
)

// exercise does everything that verifiers do with a repository. Failures are fine, they are refusals; what counts is
// that nothing of the repository runs.
func exercise(t *testing.T, dir string, ids ...string) {
	t.Helper()
	ctx := context.Background()
	repo, err := Open(ctx, program(t), dir)
	if err != nil {
		t.Logf("refused: %v", err)
		return
	}
	defer repo.Close()
	head, err := repo.Head(ctx)
	t.Log("head:", head.ID, err)
	for _, id := range append(ids, head.ID, "main", "v1") {
		_, err := repo.Resolve(ctx, id)
		t.Log("resolve:", id, err)
		_, err = repo.Object(ctx, id)
		t.Log("object:", id, err)
	}
	_, err = repo.TreeEntries(ctx, head.ID, "")
	t.Log("tree:", err)
	_, err = repo.BlobAt(ctx, head.ID, "a.txt")
	t.Log("blob:", err)
	_, err = repo.HasReplacements(ctx)
	t.Log("replacements:", err)
	_, err = repo.Locate(ctx, dir)
	t.Log("locate:", err)
	ix, err := repo.Index(ctx)
	if err != nil {
		t.Logf("index refused: %v", err)
		return
	}
	defer ix.Close()
	found, err := ix.AsFound()
	must(t, err)
	_, err = ix.ContentFiltered(ctx, Below())
	t.Log("filters:", err)
	_, err = ix.Untracked(ctx, Below())
	t.Log("untracked:", err)
	t.Log("status:", ix.Status(ctx, Literal("a.txt", "dir", "mod"), io.Discard))
	for _, ix := range []*Index{ix, found} {
		t.Log("status:", ix.Status(ctx, BelowExcept("x"), io.Discard))
		t.Log("diff:", ix.Diff(ctx, "HEAD", Below(), io.Discard))
	}
}

// hostile is a way of having a program of the repository run.
type hostile struct {
	name    string
	prepare func(r *gittest.Repo, prog string) // makes the repository hostile; prog creates the canary
	fire    []string                           // the plain Git command that runs prog
}

const zeroID = "00000000000000000000000000000000000000ff"

// partialClone makes the repository lack an object that it would fetch from url.
func partialClone(url string, config ...string) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		for _, kv := range append(config,
			"core.repositoryFormatVersion=1", "extensions.partialClone=origin", "remote.origin.promisor=true",
			"remote.origin.partialCloneFilter=blob:none", "remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*",
			"protocol.allow=always", "protocol.file.allow=always", "protocol.ext.allow=always", "protocol.git.allow=always",
			"protocol.ssh.allow=always", "remote.origin.url="+url) {
			key, value, _ := strings.Cut(kv, "=")
			r.Git("config", key, strings.ReplaceAll(value, "@PROG@", prog))
		}
	}
}

func configure(pairs ...string) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		for _, kv := range pairs {
			key, value, _ := strings.Cut(kv, "=")
			r.Git("config", key, strings.ReplaceAll(value, "@PROG@", prog))
		}
	}
}

func all(steps ...func(*gittest.Repo, string)) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		for _, s := range steps {
			s(r, prog)
		}
	}
}

func attribute(line string) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		r.Write(".git/info/attributes", []byte(line+"\n"), 0o644)
	}
}

// edit changes a tracked file, so that its content is looked at.
func edit(r *gittest.Repo, _ string) { r.Write("a.txt", []byte("edited\n"), 0o644) }

// touch changes only stat data, so that a plain status refreshes and rewrites the index.
func touch(r *gittest.Repo, _ string) {
	r.Write("a.txt", []byte("edited\n"), 0o644)
	r.Write("a.txt", []byte("one\ntwo\n"), 0o644)
}

// hook installs prog as a hook.
func hook(dir, name string) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) { r.Symlink(dir+"/"+name, prog) }
}

func include(key, file string) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		text := "[core]\n\tfsmonitor = " + prog + "\n[filter \"evil\"]\n\tclean = " + prog + "\n[diff]\n\texternal = " + prog + "\n"
		r.Write(".git/"+file, []byte(text), 0o644)
		r.Git("config", key, file)
	}
}

// submodule makes an honest submodule with a hostile configuration of its own.
func submodule(config func(sub *gittest.Repo, prog string)) func(*gittest.Repo, string) {
	return func(r *gittest.Repo, prog string) {
		r.Git("init", "-q", "--template=", "-b", "main", "mod")
		r.Write("mod/f.txt", []byte("f\n"), 0o644)
		sub := r.Sub("mod")
		sub.Git("add", "-A")
		sub.Commit("in the submodule")
		r.Git("add", "mod")
		r.Commit("with submodule")
		config(sub, prog)
		r.Write("mod/f.txt", []byte("F\n"), 0o644)
	}
}

func hostiles() []hostile {
	return []hostile{
		{"fsmonitor", configure("core.fsmonitor=@PROG@"), []string{"status"}},
		{"hook", all(hook(".git/hooks", "post-index-change"), touch), []string{"status"}},
		{"hooks path", all(hook("h", "post-index-change"), configure("core.hooksPath=h"), touch), []string{"status"}},
		{"filter clean", all(configure("filter.evil.clean=@PROG@"), attribute("*.txt filter=evil"), edit), []string{"diff"}},
		{"filter clean required", all(configure("filter.evil.clean=@PROG@", "filter.evil.required=true"), attribute("*.txt filter=evil"), edit), []string{"diff"}},
		{"filter process", all(configure("filter.evil.process=@PROG@"), attribute("*.txt filter=evil"), edit), []string{"diff"}},
		{"filter smudge", all(configure("filter.evil.smudge=@PROG@"), attribute("*.txt filter=evil"), edit), []string{"checkout", "--", "a.txt"}},
		{"filter with = in its name", all(func(r *gittest.Repo, prog string) {
			r.Write(".git/more", []byte("[filter \"a=b.clean\"]\n\tclean = "+prog+"\n"), 0o644)
			r.Git("config", "include.path", "more")
		}, attribute("*.txt filter=a=b.clean"), edit), []string{"diff"}},
		{"filter with a long name of its own case", all(func(r *gittest.Repo, prog string) {
			r.Write(".git/more", []byte("[FILTER \"E.v \\\"i\\\" L\"]\n\tClean = "+prog+"\n"), 0o644)
			r.Git("config", "include.path", "more")
		}, attribute("*.txt filter=E.v"), configure("filter.E.v.clean=@PROG@"), edit), []string{"diff"}},
		{"filter from a committed .gitattributes", all(configure("filter.evil.clean=@PROG@"), func(r *gittest.Repo, _ string) {
			r.Write(".gitattributes", []byte("*.txt filter=evil\n"), 0o644)
			r.Git("add", ".gitattributes")
			r.Commit("attributes")
		}, edit), []string{"diff"}},
		{"textconv", all(configure("diff.evil.textconv=@PROG@"), attribute("*.txt diff=evil"), edit), []string{"diff"}},
		{"diff.external", all(configure("diff.external=@PROG@"), edit), []string{"diff"}},
		{"diff driver command", all(configure("diff.evil.command=@PROG@"), attribute("*.txt diff=evil"), edit), []string{"diff"}},
		{"include.path", include("include.path", "more"), []string{"status"}},
		{"includeIf", include("includeIf.gitdir:**.path", "more"), []string{"status"}},
		{"config.worktree", func(r *gittest.Repo, prog string) {
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--worktree", "core.fsmonitor", prog)
		}, []string{"status"}},
		{"alias", configure("alias.st=!@PROG@", "alias.status=!@PROG@", "alias.diff=!@PROG@", "alias.cat-file=!@PROG@", "alias.config=!@PROG@"), []string{"st"}},
		{"editor", configure("core.editor=@PROG@", "sequence.editor=@PROG@"), []string{"commit", "--allow-empty"}},
		{"gpg.program", func(r *gittest.Repo, prog string) {
			r.Git("config", "gpg.program", prog)
			r.Git("config", "log.showSignature", "true")
			r.Git("config", "merge.verifySignatures", "true")
			body := strings.Replace(r.Git("cat-file", "commit", "HEAD"), "\n\n",
				"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n", 1)
			r.Write(".git/signed", []byte(body+"\n"), 0o644)
			r.Git("reset", "-q", "--hard", r.Git("hash-object", "-w", "-t", "commit", ".git/signed"))
		}, []string{"log", "-1"}},
		{"submodule filter", submodule(func(sub *gittest.Repo, prog string) {
			sub.Git("config", "filter.evil.clean", prog)
			sub.Write(".git/info/attributes", []byte("*.txt filter=evil\n"), 0o644)
		}), []string{"status"}},
		{"submodule fsmonitor", submodule(func(sub *gittest.Repo, prog string) {
			sub.Git("config", "core.fsmonitor", prog)
		}), []string{"status"}},
		{"submodule hook", submodule(func(sub *gittest.Repo, prog string) {
			sub.Symlink(".git/hooks/post-index-change", prog)
		}), []string{"-C", "mod", "add", "f.txt"}}, // status writes the index of a modified file only sometimes
		{"submodule in a submodule", submodule(func(sub *gittest.Repo, prog string) {
			submodule(func(inner *gittest.Repo, prog string) {
				inner.Git("config", "filter.evil.clean", prog)
				inner.Write(".git/info/attributes", []byte("*.txt filter=evil\n"), 0o644)
			})(sub, prog)
		}), []string{"status"}},
		{"submodule filter with = in its name", submodule(func(sub *gittest.Repo, prog string) {
			sub.Write(".git/more", []byte("[filter \"a=b.clean\"]\n\tclean = "+prog+"\n"), 0o644)
			sub.Git("config", "include.path", "more")
			sub.Write(".git/info/attributes", []byte("*.txt filter=a=b.clean\n"), 0o644)
		}), []string{"status"}},
		{"submodule in a collapsed directory of the index", hiddenSubmodule, []string{"status"}},
		{"submodule that is a partial clone", submodule(func(sub *gittest.Repo, prog string) {
			tree := sub.Git("rev-parse", "HEAD^{tree}")
			partialClone("/nowhere", "remote.origin.uploadpack=@PROG@")(sub, prog)
			if err := os.Remove(sub.Path(".git/objects/" + tree[:2] + "/" + tree[2:])); err != nil {
				panic(err)
			}
		}), []string{"status"}},
		{"partial clone uploadpack", partialClone("/nowhere", "remote.origin.uploadpack=@PROG@"), []string{"cat-file", "-p", zeroID}},
		{"partial clone ssh", partialClone("ssh://nowhere.invalid/x", "core.sshCommand=@PROG@"), []string{"cat-file", "-p", zeroID}},
		{"partial clone git proxy", partialClone("git://nowhere.invalid/x", "core.gitProxy=@PROG@"), []string{"cat-file", "-p", zeroID}},
		{"partial clone ext", partialClone("ext::@PROG@ x"), []string{"cat-file", "-p", zeroID}},
		{"partial clone vcs", func(r *gittest.Repo, prog string) {
			// A remote helper must be on PATH, so the control needs it there; see the environment of the test.
			r.Symlink("bin/git-remote-evil", prog)
			partialClone("evil://x", "remote.origin.vcs=evil", "protocol.evil.allow=always")(r, prog)
		}, []string{"cat-file", "-p", zeroID}},
	}
}

// canaryProgram writes a program that creates the canary and fails.
func canaryProgram(t *testing.T, dir string) (prog, canary string) {
	t.Helper()
	prog, canary = filepath.Join(dir, "prog"), filepath.Join(dir, "canary")
	must(t, os.WriteFile(prog, fmt.Appendf(nil, "#!/bin/sh\n: > '%s'\nexit 1\n", canary), 0o755))
	return prog, canary
}

func TestNothingOfTheRepositoryRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	honest := sample(t)
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			prog, canary := canaryProgram(t, t.TempDir())
			r := honest.Copy(t)
			h.prepare(r, prog)
			must(t, os.RemoveAll(canary)) // preparing may run it

			exercise(t, r.Dir, zeroID)
			if exists(canary) {
				t.Fatal("the repository's program ran")
			}

			// The control: the same repository, plain Git.
			t.Setenv("PATH", r.Path("bin")+":"+os.Getenv("PATH"))
			out, err := r.TryGit(h.fire...)
			if !exists(canary) {
				t.Fatalf("control: plain git %q did not run the program, so the test shows nothing: %s %v", h.fire, out, err)
			}
		})
	}
}

// A credential helper is asked when a lazy fetch meets a server that wants a password.
func TestNoCredentialHelper(t *testing.T) {
	var asked atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Store(true)
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	prog, canary := canaryProgram(t, t.TempDir())
	r := sample(t)
	partialClone(server.URL+"/x", "credential.helper=@PROG@", "core.askPass=@PROG@", "protocol.http.allow=always")(r, prog)

	exercise(t, r.Dir, zeroID)
	if asked.Load() || exists(canary) {
		t.Fatalf("network asked: %v, helper ran: %v", asked.Load(), exists(canary))
	}
	out, err := r.TryGit("cat-file", "-p", zeroID)
	if !asked.Load() {
		t.Skipf("control: this git has no HTTP transport: %s %v", out, err)
	}
	if !exists(canary) {
		t.Fatalf("control: the helper did not run: %s %v", out, err)
	}
}
