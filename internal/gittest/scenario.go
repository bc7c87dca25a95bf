package gittest

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Scenario is a repository as the vectors of areas source-state and rca describe it (source-state/README.md, "Building
// the repository"). Decode it from a case and call [Scenario.Build].
type Scenario struct {
	Repo struct {
		ObjectFormat string           `json:"objectFormat"`
		Commits      []ScenarioCommit `json:"commits"`
	} `json:"repo"`
	CommitIDs map[string]string `json:"commitIds"` // "C0" is the first commit
	After     []ScenarioOp      `json:"after"`
}

// ScenarioCommit is one commit of a scenario.
type ScenarioCommit struct {
	From     string         `json:"from"` // "Ck": branch off that commit first
	Delete   []string       `json:"delete"`
	Files    []ScenarioFile `json:"files"`
	Gitlinks []struct {
		Path   string `json:"path"`
		Commit string `json:"commit"`
	} `json:"gitlinks"`
	Message string `json:"message"`
}

// ScenarioFile is a file or a symbolic link.
type ScenarioFile struct {
	Path       string  `json:"path"`
	PathBase64 string  `json:"path_base64"` // for names that are not UTF-8
	Text       *string `json:"text"`
	Base64     string  `json:"base64"`
	Symlink    string  `json:"symlink"`
	Fill       *struct {
		Text  string `json:"text"`
		Bytes int    `json:"bytes"`
	} `json:"fill"`
	Mode string `json:"mode"`
}

// ScenarioOp is an operation after the commits.
type ScenarioOp struct {
	Op string `json:"op"`
	ScenarioFile
	Args   []string `json:"args"`
	Key    string   `json:"key"`
	Value  string   `json:"value"`
	Object string   `json:"object"`
}

// Canary is the path that a program of a hostile scenario creates.
func (r *Repo) Canary() string { return r.Dir + ".canary" }

// Home is the directory for files of a hostile user configuration.
func (r *Repo) Home() string { return r.Dir + ".home" }

// Expand replaces @REPO@, @CANARY@ and @HOME@.
func (r *Repo) Expand(s string) string {
	return strings.NewReplacer("@REPO@", r.Dir, "@CANARY@", r.Canary(), "@HOME@", r.Home()).Replace(s)
}

// Build makes the repository. Commit ids other than the stated ones end the test.
func (s Scenario) Build(tb testing.TB) *Repo {
	tb.Helper()
	r := New(tb, Options{
		ObjectFormat: s.Repo.ObjectFormat,
		Author:       Identity{"Vector Author", "author@vectors.example"},
		Committer:    Identity{"Vector Committer", "committer@vectors.example"},
	})
	for i, c := range s.Repo.Commits {
		r.SetDate(scenarioDate(i))
		r.scenarioCommit(c, i, s.CommitIDs)
	}
	r.SetDate(scenarioDate(90))
	for _, op := range s.After {
		r.scenarioOp(op)
	}
	return r
}

func scenarioDate(i int) string { return fmt.Sprintf("@%d +0000", 1700000000+60*i) }

func (r *Repo) scenarioCommit(c ScenarioCommit, i int, ids map[string]string) {
	r.tb.Helper()
	if c.From != "" {
		r.Git("checkout", "-q", "-B", "main", ids[c.From])
	}
	for _, path := range c.Delete {
		r.Remove(path)
	}
	for _, f := range c.Files {
		r.scenarioFile(f)
	}
	r.Git("add", "-A")
	for _, l := range c.Gitlinks {
		r.Mkdir(l.Path)
		r.Git("update-index", "--add", "--cacheinfo", "160000,"+l.Commit+","+l.Path)
	}
	message := c.Message
	if message == "" {
		message = "c" + strconv.Itoa(i)
	}
	name := "C" + strconv.Itoa(i)
	got := r.Commit(message, "--allow-empty")
	if want, stated := ids[name]; stated && got != want { // a case may add a commit to its base's
		r.tb.Fatalf("gittest: %s is %s, the scenario says %s", name, got, want)
	}
}

// scenarioFile writes a file verbatim; only the text of operations is expanded.
func (r *Repo) scenarioFile(f ScenarioFile) {
	r.tb.Helper()
	path, data := f.Path, []byte(nil)
	var err error
	if f.PathBase64 != "" {
		var raw []byte
		raw, err = base64.StdEncoding.DecodeString(f.PathBase64)
		r.must(err)
		path = string(raw)
	}
	switch {
	case f.Symlink != "":
		r.Symlink(path, f.Symlink)
		return
	case f.Text != nil:
		data = []byte(*f.Text)
	case f.Fill != nil:
		data = []byte(strings.Repeat(f.Fill.Text, f.Fill.Bytes/len(f.Fill.Text)+1)[:f.Fill.Bytes])
	default:
		data, err = base64.StdEncoding.DecodeString(f.Base64)
		r.must(err)
	}
	r.Write(path, data, r.mode(f.Mode))
}

func (r *Repo) mode(octal string) fs.FileMode {
	r.tb.Helper()
	if octal == "" {
		return 0o644
	}
	mode, err := strconv.ParseUint(octal, 8, 12)
	r.must(err)
	return fs.FileMode(mode)
}

func (r *Repo) scenarioOp(op ScenarioOp) {
	r.tb.Helper()
	if op.Text != nil {
		text := r.Expand(*op.Text)
		op.Text = &text
	}
	switch op.Op {
	case "write":
		r.scenarioFile(op.ScenarioFile)
	case "delete":
		r.Remove(op.Path)
	case "mkdir":
		r.Mkdir(op.Path)
	case "chmod":
		r.Chmod(op.Path, r.mode(op.Mode))
	case "git":
		args := make([]string, len(op.Args))
		for i, a := range op.Args {
			args[i] = r.Expand(a)
		}
		r.Git(args...)
	case "config":
		r.Git("config", "--local", op.Key, r.Expand(op.Value))
	case "settle":
		r.settle()
	case "rewrite-keep-mtime":
		r.RewriteKeepTime(op.Path, []byte(*op.Text))
	case "remove-git":
		r.Remove(".git")
	case "forge-object":
		r.ForgeObject(op.Object, []byte(*op.Text))
	default:
		r.tb.Fatalf("gittest: unknown operation %q", op.Op)
	}
}

// settle gives every file of the work tree an old modification time and has the index believe it.
func (r *Repo) settle() {
	r.tb.Helper()
	at := time.Unix(1609459200, 0)
	r.must(filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, at, at)
		}
		return err
	}))
	r.Git("update-index", "-q", "--refresh")
}

// RewriteKeepTime overwrites a file in place and restores its modification time, as a forger would.
func (r *Repo) RewriteKeepTime(rel string, data []byte) {
	r.tb.Helper()
	info, err := os.Stat(r.Path(rel))
	r.must(err)
	r.must(os.WriteFile(r.Path(rel), data, 0o644))
	r.must(os.Chtimes(r.Path(rel), info.ModTime(), info.ModTime()))
}

// ForgeObject overwrites the loose object that a revision denotes by a well-formed blob with other content. Git does not
// notice when it reads it.
func (r *Repo) ForgeObject(revision string, data []byte) {
	r.tb.Helper()
	r.ForgeObjectAs(revision, "blob", data)
}

// ForgeObjectAs is ForgeObject for any type of object.
func (r *Repo) ForgeObjectAs(revision, typ string, data []byte) {
	r.tb.Helper()
	id := r.Git("rev-parse", "--verify", revision)
	path := r.Path(".git/objects/" + id[:2] + "/" + id[2:])
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := fmt.Fprintf(z, "%s %d\x00%s", typ, len(data), data)
	r.must(err)
	r.must(z.Close())
	r.must(os.Chmod(path, 0o644))
	r.must(os.WriteFile(path, packed.Bytes(), 0o444))
}

// WriteHome writes files below [Repo.Home], with their text expanded.
func (r *Repo) WriteHome(files map[string]string) {
	r.tb.Helper()
	for rel, text := range files {
		path := filepath.Join(r.Home(), filepath.FromSlash(rel))
		r.must(os.MkdirAll(filepath.Dir(path), 0o755))
		r.must(os.WriteFile(path, []byte(r.Expand(text)), 0o644))
	}
}
