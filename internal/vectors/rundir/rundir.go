// Package rundir builds the run directory that a conformance vector of the
// areas evidence, waivers, readiness-v1, readiness-v2, aggregate and gates
// describes. It is imported by tests only.
//
// Start with [Load], then [Case.Build] for each case.
package rundir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
)

// A Case is one vector.
type Case struct {
	Name   string
	Kind   string
	Fields canon.Value // the case file itself
	Args   canon.Value // Absent when the case has none
	Base   vectors.Expect
	Strict vectors.Expect // Base where the file has no expect_strict

	area string // folder of the area
}

// Load reads the cases of an area of the given kinds (all when none is given),
// sorted by name, and fails the test when there is none.
func Load(t testing.TB, area string, kinds ...string) []Case {
	t.Helper()
	dir := vectors.Dir(t, area)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var cases []Case
	for _, file := range files {
		f := readJSON(t, file)
		c := Case{
			Name: strings.TrimSuffix(filepath.Base(file), ".json"),
			Kind: f.Get("kind").Text(), Fields: f, Args: f.Get("args"), area: dir,
		}
		c.Base = expect(f.Get("expect"))
		c.Strict = c.Base
		if f.Has("expect_strict") {
			c.Strict = expect(f.Get("expect_strict"))
		}
		if len(kinds) == 0 || slices.Contains(kinds, c.Kind) {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		t.Fatalf("vector area %s holds no case of kind %q", area, kinds)
	}
	return cases
}

// Expect is what a level expects.
func (c Case) Expect(strict bool) vectors.Expect {
	if strict {
		return c.Strict
	}
	return c.Base
}

func expect(v canon.Value) vectors.Expect {
	e := vectors.Expect{Valid: v.Get("valid").IsBool(true)}
	for _, r := range v.Get("rules").Elems() {
		e.Rules = append(e.Rules, r.Text())
	}
	return e
}

func readJSON(t testing.TB, file string) canon.Value {
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

// Build makes the run directory in a fresh temporary directory and returns it.
// The steps are those of the areas' READMEs, in their order.
func (c Case) Build(t testing.TB) string {
	t.Helper()
	b := builder{t: t, root: filepath.Join(t.TempDir(), "root")}
	b.must(os.Mkdir(b.root, 0o755))
	if fixture, ok := c.Fields.Get("fixture").Str(); ok {
		b.must(os.CopyFS(b.root, os.DirFS(filepath.Join(c.area, "_fixtures", fixture))))
	}
	for _, p := range c.Fields.Get("remove").Elems() {
		b.remove(p.Text())
	}
	for _, m := range c.Fields.Get("files").Members() {
		b.write(b.root, m.Name, m.Value.Text())
	}
	for _, m := range c.Fields.Get("outside").Members() {
		b.write(filepath.Join(filepath.Dir(b.root), "outside"), m.Name, m.Value.Text())
	}
	for _, m := range c.Fields.Get("patches").Members() {
		b.patch(m.Name, m.Value)
	}
	if c.Fields.Has("patch") {
		b.patch(c.Fields.Get("target").Text(), c.Fields.Get("patch"))
	}
	for _, m := range c.Fields.Get("edits").Members() {
		b.edit(m.Name, m.Value)
	}
	for _, m := range c.Fields.Get("symlinks").Members() {
		b.link(m.Name, m.Value.Text())
	}
	return b.root
}

type builder struct {
	t    testing.TB
	root string
}

func (b *builder) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *builder) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *builder) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	b.must(err)
	return string(data)
}

func (b *builder) write(dir, name, text string) {
	b.t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	b.must(os.MkdirAll(filepath.Dir(file), 0o755))
	b.must(os.WriteFile(file, []byte(canon.UTF8(text)), 0o644))
}

// remove deletes a file or folder, and every directory that becomes empty.
func (b *builder) remove(name string) {
	b.t.Helper()
	b.must(os.RemoveAll(b.path(name)))
	for dir := filepath.Dir(b.path(name)); dir != b.root; dir = filepath.Dir(dir) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return
		}
		b.must(os.Remove(dir))
	}
}

// edit replaces texts that occur exactly once.
func (b *builder) edit(name string, pairs canon.Value) {
	b.t.Helper()
	text := b.read(name)
	for _, pair := range pairs.Elems() {
		find, replace := pair.Elems()[0].Text(), pair.Elems()[1].Text()
		if n := strings.Count(text, find); n != 1 {
			b.t.Fatalf("%s: %q occurs %d times", name, find, n)
		}
		text = strings.Replace(text, find, replace, 1)
	}
	b.write(b.root, name, text)
}

// patch applies RFC 6902 operations, keeping the order of members.
func (b *builder) patch(name string, operations canon.Value) {
	b.t.Helper()
	v := readJSON(b.t, b.path(name))
	for _, op := range operations.Elems() {
		verb, pointer, value := op.Get("op").Text(), op.Get("path").Text(), op.Get("value")
		var err error
		if verb == "move" {
			from := op.Get("from").Text()
			value = lookup(v, from)
			v, err = casefile.Edit(v, "remove", from, canon.Value{})
			b.must(err)
			verb = "add"
		}
		// RFC 6902: adding a member that exists replaces it.
		v, err = casefile.Edit(v, verb, pointer, value)
		if err != nil {
			b.t.Fatalf("%s: %s %s: %v", name, verb, pointer, err)
		}
	}
	b.write(b.root, name, string(canon.Compact(v)))
}

func lookup(v canon.Value, pointer string) canon.Value {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if v.IsArray() {
			i := 0
			for _, c := range token {
				i = i*10 + int(c-'0')
			}
			v = v.Elems()[i]
			continue
		}
		v = v.Get(token)
	}
	return v
}

func (b *builder) link(name, target string) {
	b.t.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	if info, err := os.Lstat(b.path(name)); err == nil && info.Mode()&fs.ModeDir == 0 {
		b.must(os.Remove(b.path(name)))
	}
	b.must(os.Symlink(target, b.path(name)))
}
