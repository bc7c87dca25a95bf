package packet

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/runrepo"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

// FuzzPacket verifies arbitrary bytes as the packet of a run whose evidence is
// in order but which has no repository. Nothing panics; without a repository
// nothing passes; strict level refuses whatever base level refuses; the digests
// follow from the document alone.
func FuzzPacket(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join(vectors.Dir(f, "packet"), "digests-*.json"))
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range seeds {
		f.Add(runrepo.Indented(runrepo.Read(f, file).Get("document")))
	}
	for _, text := range []string{`{}`, `[]`, `{"schema":"valdris.run-packet.v2","gateArtifacts":[null,{}],"requiredGates":[[],{}]}`,
		`{"artifactInventory":[{"path":"goal/a","sha256":[],"size":-0}],"catalogSnapshots":[{"document":{}}],"inputs":{"goal":7}}`} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	for _, s := range runrepo.Read(f, filepath.Join(vectors.Dir(f, "packet"), "bases", "root.json")).Get("steps").Elems() {
		if path, isFile := s.Get("write").Str(); isFile {
			put(f, filepath.Join(dir, path), []byte(s.Get("text").Text()))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, filepath.Join(dir, DefaultPath), data)
		base, strict := fuzzVerify(t, dir, verify.Base), fuzzVerify(t, dir, verify.Strict)
		if base.Verdict() == verify.Pass || strict.Verdict() == verify.Pass || base.Result.Valid {
			t.Fatal("a packet passes without a repository")
		}
		strictly := errorsOf(strict)
		for _, id := range errorsOf(base) {
			if !slices.Contains(strictly, id) {
				t.Fatalf("strict level lacks %s", id)
			}
		}
		if len(errorsOf(base)) != len(slices.DeleteFunc(strictly, func(id string) bool { return levelOf(id) == verify.Strict })) {
			t.Fatalf("base rules differ between the levels: %v, %v", errorsOf(base), errorsOf(strict))
		}
		checkDigestsOf(t, data)
	})
}

func checkDigestsOf(t *testing.T, data []byte) {
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil || len(doc.Defects) > 0 {
		return
	}
	again, err := canon.Read(canon.Canonical(doc.Root), canon.MaxDocument)
	if err != nil {
		return // larger than the bound when written canonically
	}
	a, b := DigestsOf(doc.Root), DigestsOf(again.Root)
	if a.BundleSHA256 != b.BundleSHA256 || a.AcceptedGatesSHA256 != b.AcceptedGatesSHA256 || !slices.Equal(a.Bindings, b.Bindings) || !slices.Equal(a.Missing, b.Missing) {
		t.Fatal("two spellings of one packet have different digests")
	}
	Derivation{Intake: doc.Root.Get("inputs"), Classification: doc.Root, Route: doc.Root, AssuranceLevel: doc.Root.Get("assuranceLevel")}.RequiredGates()
}

func fuzzVerify(t *testing.T, dir string, level verify.Level) *Outcome {
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	o, err := Verify(t.Context(), Input{Target: root, Pack: pack.Pack{Dir: root.Dir()}, Level: level,
		GitErr: &git.Error{Kind: git.Unavailable, Reason: git.NoProgram, Op: "find git"},
		Pin:    review.ParsePin("e923d26f1ca44f9638620aea3b5383e4d02774036d43c7bf36f147267c498f57")})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzSignals compares the hand-written matchers with the patterns.
func FuzzSignals(f *testing.F) {
	for _, s := range []string{"run self-heal", "production\u00a0incident", "regre\u017fsion", "self heal, for corrective  work", "my_outage", "recovery\nself-heal"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // an unpaired surrogate is one unit, other bytes never come from a document
		}
		u := unitText(s)
		if got, want := signalsCorrection(s), oracle[0].MatchString(u) || oracle[1].MatchString(u); got != want {
			t.Fatalf("%q: %v, the patterns say %v", s, got, want)
		}
	})
}
