package pack

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/review"
	"finishline/verify"
)

// Rules that only a race or an unusual Git state reaches (06 §3): each with
// the state in which it does not fire.
func TestRulesOfRaces(t *testing.T) {
	fires := func(rule string, b *binder, step func() proceed, want bool) {
		t.Helper()
		b.out = Table.Collect(verify.Base)
		if got := step() == stop; got != want || b.out.Has(rule) != want {
			t.Errorf("%s: stopped %v, found %v, want %v", rule, got, verify.RuleIDs(b.out.List(), verify.Error), want)
		}
	}
	for prefix, want := range map[string]bool{"..": true, "../x": true, "/abs": true, "x..": false, "": false, "..x/y": false} {
		b := &binder{}
		fires(rulePrefixInvalid, b, func() proceed { return b.prefixes("", prefix) }, want)
		fires(rulePrefixInvalid, b, func() proceed { return b.prefixes(prefix, "") }, want)
	}

	const store, other = `{"keys":[]}`, `{"keys":[1]}`
	pin := func(text string) review.Pin {
		doc, err := canon.Read([]byte(text), canon.MaxTrustStore)
		if err != nil {
			t.Fatal(err)
		}
		return review.ParsePin(strings.ToUpper(canon.Digest(doc.Root)))
	}
	for live, want := range map[string]bool{store: false, other: true} {
		e := &entry{rel: storePath, kind: KindCatalog, content: contentOf([]byte(store)), data: []byte(store)}
		b := &binder{in: Input{Pin: pin(store)},
			committed: &committed{byRel: map[string]*entry{storePath: e}},
			seen:      &sight{catalogs: &survey{read: map[string]liveFile{storePath: {content: contentOf([]byte(live)), data: []byte(live)}}}}}
		fires(ruleLivePin, b, func() proceed { return b.trust(t.Context()) }, want)
	}

	r := gittest.New(t, gittest.Options{})
	r.Commit("first", "--allow-empty")
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(t.Context(), program, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	b := &binder{in: Input{Repo: repo}}
	if b.head, err = repo.Head(context.Background()); err != nil {
		t.Fatal(err)
	}
	fires(ruleCommitMoved, b, func() proceed { return b.unmoved(t.Context()) }, false)
	r.Commit("second", "--allow-empty")
	fires(ruleCommitMoved, b, func() proceed { return b.unmoved(t.Context()) }, true)
}

// A walk ends at its bounds and says so; below them it is complete.
func TestWalkBounds(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "deep", strings.Repeat("d/", maxLiveDepth))
	wide := filepath.Join(dir, "wide")
	for _, d := range []string{deep, filepath.Join(deep, "d"), wide} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(deep, "f"), filepath.Join(wide, "a"), filepath.Join(wide, "b"), filepath.Join(wide, "c")} {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	never := func(string) bool { return false }
	if s := walk(root, "deep", "deep", never, never); s.trouble == nil || !strings.Contains(s.trouble.reason, "deeper than 128") {
		t.Errorf("too deep: %+v", s.trouble)
	}
	if err := os.Remove(filepath.Join(deep, "d")); err != nil {
		t.Fatal(err)
	}
	if s := walk(root, "deep", "deep", never, never); s.trouble != nil || len(s.files) != 1 {
		t.Errorf("as deep as allowed: %+v, %d files", s.trouble, len(s.files))
	}
	for left, fails := range map[int]bool{2: true, 3: false} {
		s := (&walker{wanted: never, keep: never, left: left}).walk(root, "wide", "wide")
		if (s.trouble != nil) != fails || !fails && len(s.files) != 3 {
			t.Errorf("%d entries: %+v, %d files", left, s.trouble, len(s.files))
		}
	}
}

// canonText by its definition, one unit at a time (06 §5).
func TestFoldCRLF(t *testing.T) {
	if got := string(foldCRLF([]byte("a\r\r\nb\rc\n\r\n"))); got != "a\r\nb\rc\n\n" {
		t.Errorf("folded to %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(rapid.StringOf(rapid.SampledFrom([]rune("\r\nab"))).Draw(t, "data"))
		var want []byte
		for i := 0; i < len(data); i++ {
			if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
				continue
			}
			want = append(want, data[i])
		}
		if got := foldCRLF(data); string(got) != string(want) {
			t.Fatalf("%q folded to %q, want %q", data, got, want)
		}
	})
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"a.mjs": true, "x/a.b.mjs": true, ".mjs": false, "x/.mjs": false, "..mjs": true, "a.MJS": false, "a.mjs ": false, "mjs": false, "a.mjs/b": false} {
		if isScriptName(name) != want {
			t.Errorf("isScriptName(%q) = %v", name, !want)
		}
	}
	for rel, want := range map[string]string{
		"scripts/a": KindScript, "scripts": "", "controls/a.json": KindCatalog, "controls/a/b.json": KindCatalog, "controls/a.JSON": "", "controls/a.json5": "",
		"skills/registry.json": KindRegistry, "skills/registry.json/x": "", "project-adapter.json": KindAdapter, "x/project-adapter.json": "", "controls/.json": KindCatalog,
	} {
		if got := kindOf(rel); got != want {
			t.Errorf("kindOf(%q) = %q, want %q", rel, got, want)
		}
	}
}

// Every record of a status that touches a bound path counts, renames too.
func TestChanges(t *testing.T) {
	bound := map[string]bool{"a": true, "b": true}
	for status, want := range map[string]int{
		"": 0, " M a\x00": 1, "?? c\x00": 0, "?? a/\x00": 1, "R  a\x00c\x00": 1, "R  c\x00a\x00": 1, "R  c\x00d\x00 M b\x00": 1, " M a\x00 D b\x00?? c\x00": 2,
		"C  a\x00b\x00": 2, " M c d\x00": 0,
	} {
		if got := changes(status, bound); len(got) != want {
			t.Errorf("%q: %v, want %d", status, got, want)
		}
	}
}
