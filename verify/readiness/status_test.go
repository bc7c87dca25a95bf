package readiness_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/readiness"
)

const hour = 3_600_000

func ms(t testing.TB, text string) int64 {
	t.Helper()
	v, ok := canon.Timestamp(text)
	if !ok {
		t.Fatalf("%q is no timestamp", text)
	}
	return v
}

func status(t testing.TB, docs readiness.Documents, now int64) *readiness.Overview {
	t.Helper()
	o, err := readiness.Status(docs, now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func layer(o *readiness.Overview, id string) readiness.LayerOverview {
	i := slices.IndexFunc(o.Layers, func(l readiness.LayerOverview) bool { return l.ID == id })
	return o.Layers[i]
}

// Each reason that forces a layer is told, with where it comes from.
func TestForces(t *testing.T) {
	s := current(t, "t1-production")
	docs := readiness.Documents{
		Assessment:     s.doc,
		Classification: parse(t, `{"effectiveTier":"T1","requestedProfile":"enterprise","taskType":"feature","crossCuttingConcerns":["async-workflow-orchestration","async-workflow-orchestration","pottery"]}`),
		Route:          parse(t, `{"productionLayers":[{"layer":"caching-cdn","initialApplicability":"required"},{"layer":"frontend","initialApplicability":"required"},{"layer":"frontend","initialApplicability":"potentially-affected"},{"layer":"x","initialApplicability":"required"}]}`),
	}
	o := status(t, docs, 0)
	if o.Profile != "production" || o.Tier != "T1" || o.Window != 168*hour {
		t.Errorf("profile %s, tier %s, window %d", o.Profile, o.Tier, o.Window)
	}
	async := readiness.Force{Kind: readiness.ByConcern, From: "async-workflow-orchestration"}
	edge := func(from string) readiness.Force { return readiness.Force{Kind: readiness.ByEdge, From: from} }
	profile := readiness.Force{Kind: readiness.ByProfile, From: "production"}
	for id, want := range map[string][]readiness.Force{
		"frontend":                          nil,
		"auth-permissions-rls":              nil,
		"backend-api-logic":                 {async},
		"rate-limiting":                     {async},
		"availability-recovery-dr":          {async},
		"caching-cdn":                       {{Kind: readiness.ByRoute}},
		"cicd-version-control":              {profile},
		"error-tracking-logs-observability": {profile, async, edge("backend-api-logic"), edge("rate-limiting"), edge("caching-cdn"), edge("availability-recovery-dr")},
		"security":                          {profile, edge("database-storage"), edge("cicd-version-control"), edge("caching-cdn"), edge("error-tracking-logs-observability")},
	} {
		if diff := cmp.Diff(want, layer(o, id).Forced); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	for _, id := range []string{"rate-limiting", "caching-cdn", "availability-recovery-dr"} {
		if !layer(o, id).Unmet() {
			t.Errorf("%s must be required, is not, and nobody is told", id)
		}
	}
	if l := layer(o, "security"); l.Unmet() || l.Applicability != "required" || l.Status != "passed" || l.Owner == "" || !l.Listed {
		t.Errorf("security: %+v", l)
	}
	if got := layer(o, "auth-permissions-rls").Asked; !slices.Equal(got, []string{"frontend", "backend-api-logic", "database-storage"}) {
		t.Errorf("auth is asked for by %q", got)
	}
}

// Documents alone force nothing by their concerns, and a prototype nothing by
// its profile.
func TestNoForces(t *testing.T) {
	o := status(t, readiness.Documents{Classification: parse(t, `{"requestedProfile":"prototype","taskType":"docs-only","crossCuttingConcerns":["async-workflow-orchestration"]}`)}, 0)
	for _, l := range o.Layers {
		if l.Forced != nil || l.Listed || l.First != nil || len(l.Controls) != 3 {
			t.Errorf("%+v", l)
		}
	}
	if o.First != nil || o.Window != 0 || o.Tier != "" {
		t.Errorf("%+v", o)
	}
}

// What goes stale first, of each kind, and when to the millisecond.
func TestDeadlines(t *testing.T) {
	s := current(t, "t1-production") // assessed at 12:00 on 2026-03-04, window 168 hours, evidence of 11:00
	at := func(text string) int64 { return ms(t, text) }
	find := func(o *readiness.Overview, id string) *readiness.Deadline { return layer(o, id).First }
	docs := readiness.Documents{Assessment: s.doc, Classification: s.cls}
	first := status(t, docs, at("2026-03-04T12:00:00Z")).First
	want := &readiness.Deadline{Kind: readiness.OfEvidence, Layer: "frontend", Control: "FE-ACCESSIBILITY-001",
		Pointer: "/layers/0/controls/0/evidence/0", Member: "completedAt", Until: at("2026-03-11T11:00:00Z")}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	if first.At() != "2026-03-11T11:00:00.000Z" || first.Kind.String() != "evidence" {
		t.Errorf("%s until %s", first.Kind, first.At())
	}
	// Equal is fresh; a millisecond later it is not.
	if o := status(t, docs, want.Until); o.First.Past {
		t.Error("stale at the last instant")
	}
	if o := status(t, docs, want.Until+1); !o.First.Past {
		t.Error("not stale after the last instant")
	}

	docs.Assessment = edited(t, s.doc, "add", "/layers/7/controls/1/evidence/-",
		`{"type":"approval","approvedAt":"2026-03-04T10:00:00Z","expiresAt":"2026-03-05T00:00:00Z"}`)
	o := status(t, docs, 0)
	if d := find(o, "security"); d.Kind != readiness.OfApproval || d.Member != "expiresAt" || d.Until != at("2026-03-05T00:00:00Z") || d.Control != "SEC-SECRETS-001" {
		t.Errorf("approval that expires: %+v", d)
	}
	docs.Assessment = edited(t, docs.Assessment, "replace", "/layers/7/controls/1/evidence/1/expiresAt", `"2027-01-01T00:00:00Z"`)
	if d := find(status(t, docs, 0), "security"); d.Member != "approvedAt" || d.Until != at("2026-03-11T10:00:00Z") {
		t.Errorf("approval that goes stale: %+v", d)
	}

	docs.Assessment = s.doc
	docs.Waivers = parse(t, `{"waivers":[7,{"controlId":"NOBODY-001","expiresAt":"2026-03-04T13:00:00Z"},{"controlId":" SEC-THREAT-001","expiresAt":"2026-03-04T14:00:00Z"},{"controlId":"SEC-SECRETS-001","expiresAt":"soon"}]}`)
	o = status(t, docs, at("2026-03-04T13:30:00Z"))
	if d := o.First; d.Kind != readiness.OfWaiver || d.Layer != "" || d.Pointer != "/waivers/1" || !d.Past {
		t.Errorf("waiver of nothing: %+v", d)
	}
	if d := find(o, "security"); d.Kind != readiness.OfWaiver || d.Control != "SEC-THREAT-001" || d.Past {
		t.Errorf("waiver of a control: %+v", d)
	}

	docs.Waivers = canon.Value{}
	docs.Assessment = canon.With(s.doc, "generatedAt", canon.NewString("2026-03-01T00:00:00Z"))
	if d := status(t, docs, 0).First; d.Kind != readiness.OfAssessment || d.Until != at("2026-03-08T00:00:00Z") {
		t.Errorf("assessment: %+v", d)
	}
}

// Evidence without a usable time is counted, not taken for evergreen; a layer
// that does not apply has no evidence that counts.
func TestUntimed(t *testing.T) {
	s := current(t, "t1-production")
	docs := readiness.Documents{Assessment: edited(t, s.doc, "remove", "/layers/0/controls/0/evidence/0/completedAt", ""), Classification: s.cls}
	if l := layer(status(t, docs, 0), "frontend"); l.Untimed != 1 || l.First == nil || l.Controls[0].First != nil || l.Controls[0].Evidence != 1 {
		t.Errorf("%+v", l)
	}
	docs.Classification = canon.With(s.cls, "effectiveTier", canon.NewString("T9"))
	if o := status(t, docs, 0); layer(o, "frontend").Untimed != 3 || o.First != nil {
		t.Errorf("without a tier there is no window: %+v", o.First)
	}
	docs = readiness.Documents{Assessment: edited(t, s.doc, "replace", "/layers/0/applicability", `"not-applicable"`), Classification: s.cls}
	if l := layer(status(t, docs, 0), "frontend"); l.First != nil {
		t.Errorf("%+v", l.First)
	}
}

// A historical assessment has statuses and nothing that goes stale.
func TestStatusOfHistory(t *testing.T) {
	s := historical(t)
	o := status(t, readiness.Documents{Assessment: edited(t, s.doc, "replace", "/layers/1", `{"slug":"backend-api-logic","status":"passed","evidence":"seen"}`)}, 0)
	if l := layer(o, "backend-api-logic"); !l.Listed || l.Status != "passed" || l.Applicability != "" {
		t.Errorf("%+v", l)
	}
	if o.First != nil || o.Schema != readiness.LegacySchema {
		t.Errorf("%+v", o)
	}
}

// The overview agrees with the verifier: evidence that the overview calls past
// at an instant is stale in an assessment that is written then, and no other.
func TestDeadlinesAgreeWithTheRules(t *testing.T) {
	s := current(t, "t2-enterprise")
	noon := ms(t, s.doc.Get("generatedAt").Text())
	rapid.Check(t, func(r *rapid.T) {
		age := rapid.OneOf(rapid.Int64Range(0, 80*hour), rapid.Int64Range(72*hour-2, 72*hour+2)).Draw(r, "age")
		now := noon + rapid.Int64Range(0, hour).Draw(r, "later")
		made := time.UnixMilli(now - age).UTC().Format("2006-01-02T15:04:05.000Z")
		doc := edited(t, s.doc, "replace", "/layers/0/controls/0/evidence/0/completedAt", fmt.Sprintf("%q", made))
		doc = canon.With(doc, "generatedAt", canon.NewString(time.UnixMilli(now).UTC().Format("2006-01-02T15:04:05.000Z")))
		o := status(t, readiness.Documents{Assessment: doc, Classification: s.cls}, now)
		past := layer(o, "frontend").Controls[0].First.Past
		stale := slices.Contains(errorIDs(s.document(t, doc, verify.Strict)), "evidence.freshness.stale")
		if past != stale {
			r.Fatalf("past %t, stale %t at age %d", past, stale, age)
		}
	})
}

// Layers that the overview says are unmet are refused, and the other way round.
func TestForcesAgreeWithTheRules(t *testing.T) {
	s := current(t, "t2-enterprise")
	rapid.Check(t, func(r *rapid.T) {
		doc := s.doc
		for i, e := range doc.Get("layers").Elems() {
			if rapid.Bool().Draw(r, e.Get("layer").Text()) {
				doc = edited(t, doc, "replace", fmt.Sprintf("/layers/%d", i), string(canon.Compact(notApplicable(e.Get("layer").Text()))))
			}
		}
		o := status(t, readiness.Documents{Assessment: doc, Classification: s.cls}, 0)
		unmet := slices.ContainsFunc(o.Layers, readiness.LayerOverview.Unmet)
		none := !slices.ContainsFunc(o.Layers, func(l readiness.LayerOverview) bool { return l.Applicability == "required" })
		if v := s.document(t, doc, verify.Strict).Verdict(); (v != verify.Pass) != (unmet || none) {
			r.Fatalf("verdict %s, unmet %t", v, unmet)
		}
	})
}

func TestLifetimeOfNoType(t *testing.T) {
	for _, text := range []string{`{}`, `7`, `{"":"2026-03-04T11:00:00Z"}`, `{"type":"hearsay","expiresAt":"2026-03-04T11:00:00Z"}`, `{"type":"command","expiresAt":"2026-03-04T11:00:00Z"}`} {
		if life, known := evidence.LifetimeOf(parse(t, text), hour); known {
			t.Errorf("%s lives until %d", text, life.Until)
		}
	}
}
