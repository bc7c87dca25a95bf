// Package runrepo rebuilds the repositories of the vector areas packet and
// runtime, step by step as their README says, and anything else that is made
// of such steps. It is imported by tests only.
//
// Start with [Load] for an area and [Bases.Build] for a case. A base is built
// once per process and copied per case, because running Git dominates the
// time.
package runrepo

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
)

const defaultDate = "2031-03-01T00:00:00Z"

// Bases are the base repositories of an area, built when they are first used.
type Bases struct {
	fields map[string]canon.Value
	built  map[string]*gittest.Repo
	owner  testing.TB
}

// A Run is a repository that a case looks at.
type Run struct {
	Repo *gittest.Repo
	// Target and Runtime are the directories T and R of contract 06, relative
	// to the repository, "." for its top.
	Target, Runtime string
	// Env is the verifier's whole environment; an absent name is unset.
	Env map[string]string
}

// TargetDir is the absolute path of the target.
func (r *Run) TargetDir() string { return r.Repo.Path(r.Target) }

// RuntimeDir is the absolute path of the runtime root.
func (r *Run) RuntimeDir() string { return r.Repo.Path(r.Runtime) }

// Load reads the bases of an area. They live as long as the test t.
func Load(t testing.TB, area string) *Bases {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vectors.Dir(t, area), "bases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("vector area %s has no bases: %v", area, err)
	}
	b := &Bases{fields: map[string]canon.Value{}, built: map[string]*gittest.Repo{}, owner: t}
	for _, file := range files {
		b.fields[strings.TrimSuffix(filepath.Base(file), ".json")] = Read(t, file)
	}
	return b
}

// Read reads a JSON file of the vectors with package canon, so that member
// order and numbers are those of the file.
func Read(t testing.TB, file string) canon.Value {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return doc.Root
}

// Build copies the base that the case names, checks that its HEAD is the one
// that all digests depend on, and runs the steps of the case.
func (b *Bases) Build(t testing.TB, c canon.Value) *Run {
	t.Helper()
	name := c.Get("base").Text()
	fields, ok := b.fields[name]
	if !ok {
		t.Fatalf("no base %q", name)
	}
	origin := b.built[name]
	if origin == nil {
		origin = newRepo(b.owner, fields.Get("objectFormat").Text())
		Steps(b.owner, origin, fields.Get("steps"))
		if head := origin.Head(); !fields.Get("head").Is(head) {
			b.owner.Fatalf("base %s: HEAD is %s, want %s", name, head, fields.Get("head").Text())
		}
		b.built[name] = origin
	}
	run := &Run{Repo: origin.Copy(t)}
	Steps(t, run.Repo, c.Get("steps"))
	pick := func(member string) canon.Value {
		if c.Has(member) {
			return c.Get(member)
		}
		return fields.Get(member)
	}
	run.Target, run.Runtime = pick("target").Text(), pick("runtime").Text()
	run.Env = map[string]string{}
	for _, m := range pick("env").Members() {
		run.Env[m.Name] = m.Value.Text()
	}
	return run
}

func newRepo(t testing.TB, objectFormat string) *gittest.Repo {
	return gittest.New(t, gittest.Options{
		Branch: "trunk", ObjectFormat: objectFormat, Date: defaultDate,
		Author: gittest.Identity{Name: "Lab Rig", Email: "rig@lab.invalid"},
		Config: []string{"core.autocrlf=false", "core.fileMode=true", "core.symlinks=true",
			"commit.gpgsign=false", "gc.auto=0", "core.precomposeunicode=false"},
	})
}

// Steps runs an array of steps.
func Steps(t testing.TB, repo *gittest.Repo, steps canon.Value) {
	t.Helper()
	for _, s := range steps.Elems() {
		step(t, repo, s)
	}
}

func step(t testing.TB, repo *gittest.Repo, s canon.Value) {
	t.Helper()
	switch {
	case s.Has("write"):
		repo.Write(s.Get("write").Text(), content(t, s), mode(s))
	case s.Has("patch"):
		patch(t, repo, s.Get("patch").Text(), s.Get("ops"))
	case s.Has("symlink"):
		repo.Symlink(s.Get("symlink").Text(), s.Get("to").Text())
	case s.Has("remove"):
		repo.Remove(s.Get("remove").Text())
	case s.Has("mkdir"):
		repo.Mkdir(s.Get("mkdir").Text())
	case s.Has("chmod"):
		repo.Chmod(s.Get("chmod").Text(), mode(s))
	case s.Has("git"):
		repo.SetDate(date(s))
		repo.Git(texts(s.Get("git"))...)
	case s.Has("commit"):
		c := s.Get("commit")
		repo.SetDate(date(c))
		repo.Git(append([]string{"--literal-pathspecs", "add", "-f", "--"}, texts(c.Get("paths"))...)...)
		repo.Commit(c.Get("message").Text())
	default:
		t.Fatalf("unknown step %s", canon.Canonical(s))
	}
}

func content(t testing.TB, s canon.Value) []byte {
	if s.Has("text") {
		return []byte(s.Get("text").Text())
	}
	data, err := base64.StdEncoding.DecodeString(s.Get("base64").Text())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mode(s canon.Value) fs.FileMode {
	if s.Get("mode").Is("100755") {
		return 0o755
	}
	return 0o644
}

func date(s canon.Value) string {
	if d, ok := s.Get("date").Str(); ok {
		return d
	}
	return defaultDate
}

func texts(list canon.Value) []string {
	var out []string
	for _, e := range list.Elems() {
		out = append(out, e.Text())
	}
	return out
}

func patch(t testing.TB, repo *gittest.Repo, path string, ops canon.Value) {
	t.Helper()
	doc, err := canon.Read(repo.Read(path), canon.MaxSubject)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	v, err := casefile.Patch(doc.Root, ops)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	repo.Write(path, Indented(v), 0o644)
}

// Indented writes a document as the steps do: two spaces, members in their own
// order, a final line end.
func Indented(v canon.Value) []byte { return append(indented(nil, v, "\n"), '\n') }

func indented(out []byte, v canon.Value, nl string) []byte {
	inner := nl + "  "
	switch {
	case v.Len() == 0:
		return append(out, canon.Compact(v)...)
	case v.IsArray():
		out = append(out, '[')
		for i, e := range v.Elems() {
			if i > 0 {
				out = append(out, ',')
			}
			out = indented(append(out, inner...), e, inner)
		}
		return append(append(out, nl...), ']')
	}
	out = append(out, '{')
	for i, m := range v.Members() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, inner...), canon.Compact(canon.NewString(m.Name))...)
		out = indented(append(out, ": "...), m.Value, inner)
	}
	return append(append(out, nl...), '}')
}
