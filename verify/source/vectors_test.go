package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/source"
)

// vector is a case of area source-state; see the README of the area.
type vector struct {
	gittest.Scenario
	Kind   string `json:"kind"`
	Target string `json:"target"`
	Args   struct {
		Commit          string `json:"commit"`
		ValidatorSHA256 string `json:"validatorSha256"`
	} `json:"args"`
	Env    map[string]string `json:"env"`
	Home   map[string]string `json:"home"`
	Canary string            `json:"canary"`
	Proof  json.RawMessage   `json:"proof"`
	Expect struct {
		Valid       bool                       `json:"valid"`
		Rules       []string                   `json:"rules"`
		Cause       string                     `json:"cause"`
		Tracked     map[string]json.RawMessage `json:"tracked"`
		Application map[string]json.RawMessage `json:"application"`
	} `json:"expect"`
	ExpectStrict *vectors.Expect `json:"expect_strict"`
}

func TestVectorsSourceState(t *testing.T) {
	dir := vectors.Dir(t, "source-state")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	tally := vectors.NewTally(t, "source-state")
	for _, file := range files {
		tally.Case(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var v vector
			vectors.Read(t, file, &v)
			repo := v.Build(t)
			repo.WriteHome(v.Home)
			for name, value := range v.Env {
				t.Setenv(name, repo.Expand(value))
			}
			target := repo.Path(v.Target)
			if v.Kind == "proof-against-repository" {
				v.checkProof(t, target)
			} else {
				v.checkState(t, target)
			}
			if _, err := os.Lstat(repo.Expand(v.Canary)); v.Canary != "" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a program of the repository ran: %v", err)
			}
		})
	}
}

// checkState compares both states and the strict findings.
func (v vector) checkState(t *testing.T, target string) {
	ctx := context.Background()
	repo, openErr := git.Open(ctx, program(t), target)
	if openErr == nil {
		defer repo.Close()
	}
	state := func(expect map[string]json.RawMessage, compute func(source.Target) (*source.State, error)) *source.State {
		t.Helper()
		err := openErr
		var s *source.State
		if err == nil {
			s, err = compute(source.Target{Repo: repo})
		}
		if raw, ok := expect["error"]; ok {
			var want string
			must(t, json.Unmarshal(raw, &want))
			if err == nil || source.AsError(err).Rule != want {
				t.Errorf("error %v, want rule %s", err, want)
			}
			return nil
		}
		if err != nil {
			t.Errorf("error %v, want a state", err)
			return nil
		}
		want := map[string]string{}
		for name, raw := range expect {
			if name != "bytes_base64" {
				want[name] = string(raw)
			}
		}
		got := map[string]string{"worktreeSha256": `"` + s.SHA256() + `"`}
		object := s.Object()
		for _, m := range object.Members() {
			got[m.Name] = string(canon.Canonical(m.Value))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
		return s
	}
	state(v.Expect.Tracked, func(target source.Target) (*source.State, error) {
		return source.Tracked(ctx, target, v.Args.Commit, v.Args.ValidatorSHA256)
	})
	app := state(v.Expect.Application, func(target source.Target) (*source.State, error) {
		return source.Application(ctx, target, v.Args.Commit)
	})
	sameAsAlone(t, target, v.Args.Commit, v.Args.ValidatorSHA256)
	if app == nil {
		return
	}
	var want []string
	if v.ExpectStrict != nil {
		want = v.ExpectStrict.Rules
	}
	for _, level := range []verify.Level{verify.Base, verify.Strict} {
		out := source.Table.Collect(level)
		source.CheckRepository(ctx, out, source.Target{Repo: repo}, app)
		got := verify.RuleIDs(out.List(), verify.Error)
		if level == verify.Base {
			want, got = nil, append(got, verify.RuleIDs(out.List(), verify.Warning)...)
		} else if v.ExpectStrict != nil {
			want = v.ExpectStrict.Rules
		}
		if !vectors.SameRules(got, want) {
			t.Errorf("%v findings %v, want %v", level, got, want)
		}
	}
}

// checkProof compares the findings of a proof against the repository at both levels.
func (v vector) checkProof(t *testing.T, target string) {
	ctx := context.Background()
	doc, err := canon.Read(v.Proof, canon.MaxSubject)
	must(t, err)
	repo, err := git.Open(ctx, program(t), target)
	must(t, err)
	defer repo.Close()
	for _, level := range []verify.Level{verify.Base, verify.Strict} {
		want := vectors.Expect{Valid: v.Expect.Valid, Rules: v.Expect.Rules}
		if level == verify.Strict && v.ExpectStrict != nil {
			want = *v.ExpectStrict
		}
		out := source.Table.Collect(level)
		source.CheckProof(ctx, out, source.Target{Repo: repo}, "proof/portable.json", doc.Node())
		got := verify.RuleIDs(out.List(), verify.Error)
		if level == verify.Strict && v.ExpectStrict == nil && !v.Expect.Valid {
			// Strict errors may come on top of base errors.
			want.Rules = append(vectors.StrictOnly(got), want.Rules...)
		}
		if !vectors.SameRules(got, want.Rules) {
			t.Errorf("%v findings %v, want %v", level, got, want.Rules)
		}
		if got := out.Verdict() == verify.Pass; got != want.Valid {
			t.Errorf("%v verdict %v, want valid = %v", level, out.Verdict(), want.Valid)
		}
		if v.Expect.Cause != "" {
			causes := out.List()[0].Causes
			if got := verify.RuleIDs(causes, verify.Error); !vectors.SameRules(got, []string{v.Expect.Cause}) {
				t.Errorf("%v causes %v, want %s", level, got, v.Expect.Cause)
			}
		}
	}
}

// TestDiffFollowsStatus: where the vectors have the bytes of status and diff, a status without tracked paths comes with an
// empty diff.
func TestDiffFollowsStatus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectors.Dir(t, "source-state"), "*.json"))
	must(t, err)
	empty, full := 0, 0
	for _, file := range files {
		var v vector
		vectors.Read(t, file, &v)
		for _, state := range []map[string]json.RawMessage{v.Expect.Tracked, v.Expect.Application} {
			var out struct{ S, D []byte }
			if state["bytes_base64"] == nil {
				continue
			}
			must(t, json.Unmarshal(state["bytes_base64"], &out))
			var scan git.StatusScanner
			scan.Write(out.S)
			if scan.Tracked == 0 && len(out.D) > 0 {
				t.Errorf("%s: status %q, diff %q", file, out.S, out.D)
			}
			if scan.Tracked == 0 {
				empty++
			} else {
				full++
			}
		}
	}
	if empty < 10 || full < 10 {
		t.Errorf("%d states without and %d with tracked changes show little", empty, full)
	}
}

func program(t testing.TB) git.Program {
	t.Helper()
	p, err := git.Find(os.Getenv("PATH"))
	must(t, err)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
