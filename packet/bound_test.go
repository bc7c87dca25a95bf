package packet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

func contextOf(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// Every digest of a packet, replaced by a digest of something else in the same
// packet, is refused by a rule that says so. A well-formed digest of the wrong
// thing is what an attacker has.
func TestDigestsOfSomethingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	s.valid()
	doc := s.packet()
	var digests []string
	for _, p := range leaves(doc, "") {
		if v := at(doc, p); canon.IsHex64(v.Text()) {
			digests = append(digests, p)
		}
	}
	if len(digests) < 40 {
		t.Fatalf("only %d digests found", len(digests))
	}
	original := s.repo().Read(DefaultPath)
	for i, p := range digests {
		other := at(doc, digests[(i+7)%len(digests)])
		if canon.Equal(other, at(doc, p)) {
			other = at(doc, digests[(i+8)%len(digests)])
		}
		s.set(p, other)
		o := s.verify()
		got := errorsOf(o)
		if rule := ruleFor(p); !slices.Contains(got, rule) {
			t.Errorf("%s: rules %v lack %s", p, got, rule)
		}
		if o.Result.Valid {
			t.Errorf("%s: valid", p)
		}
		s.write(DefaultPath, string(original))
	}
}

// ruleFor is the rule that binds the digest at a pointer.
func ruleFor(pointer string) string {
	parts := strings.Split(pointer, "/")
	switch {
	case parts[1] == "inputs":
		return "packet.input.digest-mismatch"
	case parts[1] == "gateArtifacts":
		return "packet.gate.digest-mismatch"
	case parts[1] == "artifactInventory":
		return "packet.inventory.digest-mismatch"
	case parts[1] == "roleProvenanceSha256":
		return "packet.review.role-provenance-mismatch"
	case parts[1] == "bindings":
		return "packet.binding.mismatch"
	case parts[1] == "catalogSnapshots" && parts[3] == "sourceSha256":
		return "packet.catalogs.source-digest-mismatch"
	case parts[1] == "catalogSnapshots":
		return "packet.catalogs.entry-invalid"
	case parts[2] == "files":
		return "runtime.declared.files"
	}
	return map[string]string{"runtimeSha256": "runtime.declared.runtime-digest",
		"reviewTrustSha256": "runtime.declared.trust-digest", "setSha256": "runtime.declared.set-digest"}[parts[2]]
}

func at(v canon.Value, pointer string) canon.Value {
	for _, step := range strings.Split(pointer, "/")[1:] {
		if v.IsArray() {
			i := 0
			for _, c := range step {
				i = i*10 + int(c-'0')
			}
			v = v.Elems()[i]
			continue
		}
		v = v.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return v
}

// Without Git nothing is known to be bad, so the verdict is incomplete, and
// every finding says why.
func TestWithoutGitIsIncomplete(t *testing.T) {
	bases := runrepo.Load(t, "packet")
	for _, name := range []string{"valid-root", "valid-rca-required", "valid-v2-at-head"} {
		s := sceneOf(t, bases, name)
		s.valid()
		s.in.Git, s.in.GitErr = git.Program{}, &git.Error{Kind: git.Unavailable, Reason: git.NoProgram, Op: "find git"}
		o := s.verify()
		if o.Verdict() != verify.Incomplete || o.Result.Valid {
			t.Errorf("%s: verdict %v, valid %v\n%s", name, o.Verdict(), o.Result.Valid, shown(o))
		}
	}
}

func TestWithoutPinIsIncomplete(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "decl-pin-missing")
	if o := s.verify(); o.Verdict() != verify.Incomplete {
		t.Errorf("verdict %v\n%s", o.Verdict(), shown(o))
	}
}

type unable struct{}

func (unable) Validate(context.Context, Call) (Answer, error) {
	return Answer{}, errors.New("no catalogs")
}

type idle struct{}

func (idle) Validate(context.Context, Call) (Answer, error) { return Answer{}, nil }

// A document without a validator is not evaluated; so is one whose validator
// cannot run, or evaluates nothing. Only naming it lets the run pass, and the
// report repeats the name.
func TestDelegatesThatDoNotAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-trajectory")
	s.valid()
	for what, d := range map[string]Delegate{"absent": nil, "unable": unable{}, "idle": idle{}} {
		for _, gate := range []string{"route", "trajectory"} {
			kept := s.in.Delegates[gate]
			s.in.Delegates[gate] = d
			if d == nil {
				delete(s.in.Delegates, gate)
			}
			o := s.verify()
			if got := errorsOf(o); !vectors.SameRules(got, []string{"packet.delegate.unavailable"}) || o.Verdict() != verify.Incomplete {
				t.Errorf("%s %s: %v, verdict %v", what, gate, got, o.Verdict())
			}
			s.in.AcceptNotEvaluated = []string{gate}
			if o := s.verify(); o.Verdict() != verify.Pass || !slices.Equal(o.Accepted, []string{gate}) {
				t.Errorf("%s %s accepted: verdict %v, accepted %v\n%s", what, gate, o.Verdict(), o.Accepted, shown(o))
			}
			s.in.AcceptNotEvaluated = nil
			s.in.Delegates[gate] = kept
		}
	}
	s.in.AcceptNotEvaluated = []string{"trajectory"}
	if o := s.verify(); len(o.Accepted) > 0 {
		t.Errorf("accepted %v although it was evaluated", o.Accepted)
	}
	var unknown *UnknownGateError
	for _, gate := range []string{"", "portable-proof", "independent-review", "rca", "trajectories"} {
		s.in.AcceptNotEvaluated = []string{gate}
		if _, err := Verify(t.Context(), s.in); !errors.As(err, &unknown) || unknown.Gate != gate {
			t.Errorf("accepting %q: %v", gate, err)
		}
	}
}

// A missing validator does not hide that the bindings are forged.
func TestUnavailableDelegateDoesNotHideForgery(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "bind-envelope")
	delete(s.in.Delegates, "route")
	if o := s.verify(); o.Verdict() != verify.Fail || !has(o, "packet.binding.mismatch") {
		t.Errorf("verdict %v\n%s", o.Verdict(), shown(o))
	}
}

// History passes only for a caller who asks for integrity.
func TestHistoryIsWithheld(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-historical")
	o := s.valid()
	if o.Verdict() != verify.Incomplete || !has(o, "packet.historical.not-closure") || len(o.Notes) == 0 {
		t.Errorf("verdict %v, notes %v\n%s", o.Verdict(), o.Notes, shown(o))
	}
	s.in.History = IntegritySuffices
	if o := s.verify(); o.Verdict() != verify.Pass {
		t.Errorf("verdict %v", o.Verdict())
	}
	if o.Result.RevalidationMode != IntegrityOnly {
		t.Errorf("mode %s", o.Result.RevalidationMode)
	}
}

// Two verifications of one run give the same findings in the same order.
func TestDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	s := sceneOf(t, runrepo.Load(t, "packet"), "head-schema-v4")
	first := shown(s.verify())
	for range 3 {
		if again := shown(s.verify()); again != first {
			t.Fatalf("first\n%s\nthen\n%s", first, again)
		}
	}
}

// The tree shows what is bound to what, with both digests.
func TestTree(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-ci-gitnexus")
	count := map[string]int{}
	var walk func(n Node)
	walk = func(n Node) {
		count[n.Kind]++
		if n.Kind != "packet" && (n.State != Same || n.Declared == "" || n.Declared != n.Actual) {
			t.Errorf("%+v in a valid run", n)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(s.valid().Tree)
	for kind, want := range map[string]int{"packet": 1, "runtime": 1, "input": 4, "gate": 3, "support": 3, "application": 1, "bundle": 1, "catalog": 4, "binding": 16} {
		if count[kind] != want {
			t.Errorf("%d nodes of kind %s, want %d", count[kind], kind, want)
		}
	}
}
