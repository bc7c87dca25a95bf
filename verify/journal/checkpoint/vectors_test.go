package checkpoint_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/checkpoint"
)

// A vector is a case of the area; its README says what the members mean.
type vector struct {
	Name  string   `json:"case"`
	Kind  string   `json:"kind"`
	Log   *journal `json:"log"`
	Notes []string `json:"notes"`
	Proof string   `json:"proof"`
	Keys  []string `json:"keys"`

	Expect struct {
		Valid   bool     `json:"valid"`
		Rules   []string `json:"rules"`
		Covered int64    `json:"covered"`
	} `json:"expect"`
}

// A journal is what a log is made from.
type journal struct {
	RunID      string   `json:"runId"`
	StorageKey string   `json:"storageKey"`
	Config     string   `json:"config"`
	Records    []record `json:"records"`
}

type record struct {
	Line   string `json:"line"`
	Digest string `json:"digest"`
}

func (j journal) log(t testing.TB) *checkpoint.Log {
	t.Helper()
	l := &checkpoint.Log{RunID: j.RunID, StorageKey: j.StorageKey, Config: j.Config}
	for _, r := range j.Records {
		if err := l.Append([]byte(r.Line), r.Digest); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	// These are the project's own, so they are not looked for elsewhere.
	files, err := filepath.Glob(filepath.Join(vectors.ProjectRoot(), "testdata", "vectors", "checkpoint", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	list := make([]vector, len(files))
	for i, file := range files {
		vectors.Read(t, file, &list[i])
	}
	return list
}

func (v vector) keys(t testing.TB) []checkpoint.Verifier {
	t.Helper()
	var list []checkpoint.Verifier
	for _, text := range v.Keys {
		k, err := checkpoint.ParseVerifier(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, k)
	}
	return list
}

func (v vector) files() []checkpoint.File {
	list := make([]checkpoint.File, len(v.Notes))
	for i, n := range v.Notes {
		list[i] = checkpoint.File{Path: fmt.Sprintf("%d.checkpoint", i), Data: []byte(n)}
	}
	return list
}

func TestVectorsCheckpoint(t *testing.T) {
	tally := vectors.NewTally(t, "checkpoint")
	for _, v := range loadVectors(t) {
		tally.Case(v.Name, func(t *testing.T) {
			for _, level := range []verify.Level{verify.Strict, verify.Base} {
				out := checkpoint.Table.Collect(level)
				switch v.Kind {
				case "checkpoint-verify":
					passed := checkpoint.Verify(out, v.Log.log(t), v.files(), v.keys(t))
					if got := checkpoint.Covered(passed); got != v.Expect.Covered {
						t.Errorf("%s: %d records covered, want %d", level, got, v.Expect.Covered)
					}
				case "checkpoint-proof":
					p := checkpoint.CheckProof(out, checkpoint.File{Path: "proof.json", Data: []byte(v.Proof)}, v.keys(t))
					if (p != nil) != v.Expect.Valid {
						t.Errorf("%s: proven %v, want valid %t", level, p, v.Expect.Valid)
					}
				default:
					t.Fatalf("unknown kind %q", v.Kind)
				}
				if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, v.Expect.Rules) {
					t.Errorf("%s: rules %q, want %q: %+v", level, got, v.Expect.Rules, out.List())
				}
				if valid := out.Verdict() == verify.Pass; valid != v.Expect.Valid {
					t.Errorf("%s: valid %t, want %t", level, valid, v.Expect.Valid)
				}
			}
		})
	}
}
