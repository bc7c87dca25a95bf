package verify

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// testRules has one rule of every sort.
var testRules = []Rule{
	{ID: "t.error", Do: "repair it"},
	{ID: "t.other", Do: "repair it"},
	{ID: "t.warning", Severity: Warning, Do: "look at it"},
	{ID: "t.note", Severity: Note, Do: "know it"},
	{ID: "t.unavailable", Eval: NotEvaluated, Do: "make it available"},
	{ID: "t.wraps", Eval: Wraps, Do: "see the causes"},
	{ID: "strict.t.error", Do: "repair it"},
	{ID: "t.strict.warning", Severity: Warning, Do: "look at it"},
	{ID: "t.hardening.error", Do: "repair it"},
	{ID: "t.plain", Do: "repair it", Hardening: true},
}

var testTable = NewTable("test", testRules)

func ids() []string {
	var list []string
	for _, r := range testRules {
		list = append(list, r.ID)
	}
	return list
}

func findings() *rapid.Generator[[]Finding] {
	one := rapid.Custom(func(t *rapid.T) Finding {
		return Finding{
			Rule:         rapid.SampledFrom(ids()).Draw(t, "rule"),
			Severity:     rapid.SampledFrom([]Severity{Error, Warning, Note}).Draw(t, "severity"),
			NotEvaluated: rapid.Bool().Draw(t, "notEvaluated"),
		}
	})
	return rapid.SliceOfN(one, 0, 8)
}

func decides(f Finding) bool { return f.Severity == Error && !f.NotEvaluated }

// The verdict is exactly the worst of the errors, and any one finding that
// turns into an error flips it.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := findings().Draw(t, "findings")
		verdict := Fold(list)
		errors := slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == Error })
		switch {
		case slices.ContainsFunc(list, decides) != (verdict == Fail),
			(verdict == Pass) == errors:
			t.Fatalf("%v for %+v", verdict, list)
		}
		if len(list) == 0 {
			return
		}
		i := rapid.IntRange(0, len(list)-1).Draw(t, "flipped")
		flipped := slices.Clone(list)
		flipped[i].Severity, flipped[i].NotEvaluated = Error, false
		if got := Fold(flipped); got != Fail {
			t.Errorf("%v with a deciding error at %d of %+v", got, i, flipped)
		}
		flipped[i].NotEvaluated = true
		if got := Fold(flipped); got == Pass || verdict == Fail && !decides(list[i]) && got != Fail {
			t.Errorf("%v with an unevaluated error at %d of %+v", got, i, flipped)
		}
		if got := Fold(rapid.Permutation(list).Draw(t, "permuted")); got != verdict {
			t.Errorf("%v, in another order %v: %+v", verdict, got, list)
		}
	})
}

// Collecting and merging never change what folding the findings gives, however
// many there are and in whatever order they come.
func TestCollectionsFoldLikeTheirFindings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.SampledFrom([]Level{Strict, Base}).Draw(t, "level")
		merged := testTable.Collect(level)
		want, errors := Pass, 0
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			part := testTable.Collect(level)
			for range rapid.IntRange(0, 4).Draw(t, "runs") {
				rule := testRules[rapid.IntRange(0, len(testRules)-1).Draw(t, "rule")]
				unevaluated := rapid.Bool().Draw(t, "unevaluated")
				times := rapid.SampledFrom([]int{1, 2, MaxPerRule - 1, MaxPerRule, MaxPerRule + 1}).Draw(t, "times")
				for range times {
					part.Add(rule.ID, Place{}, What{Unevaluated: unevaluated})
				}
				if level == Base && rule.Level() == Strict || rule.Severity != Error {
					continue
				}
				errors += times
				if unevaluated || rule.Eval == NotEvaluated {
					want = min(want, Incomplete)
				} else {
					want = Fail
				}
			}
			merged.Merge(part)
		}
		if got := merged.Verdict(); got != want {
			t.Errorf("verdict %v, want %v", got, want)
		}
		if got := merged.Errors(); got != errors {
			t.Errorf("%d errors, want %d", got, errors)
		}
		checkCounts(t, merged)
	})
}

// checkCounts checks that kept and omitted findings add up.
func checkCounts(t *rapid.T, f *Findings) {
	kept := map[string]int{}
	for _, x := range f.List() {
		kept[x.Rule]++
	}
	for id, n := range f.seen {
		if n.kept != kept[id] || n.count-n.kept != f.Omitted()[id] || !f.Has(id) {
			t.Errorf("%s: %+v, but %d kept and %d omitted", id, n, kept[id], f.Omitted()[id])
		}
	}
}

func TestCap(t *testing.T) {
	out := testTable.Collect(Strict)
	for i := range MaxPerRule + 7 {
		if full := i >= MaxPerRule; out.Full("t.error") != full {
			t.Fatalf("after %d findings Full is %v", i, !full)
		}
		out.Add("t.error", At("a.json", fmt.Sprintf("/%d", i)), What{})
	}
	out.Add("t.other", Place{}, What{})
	list := out.List()
	if len(list) != MaxPerRule+1 || list[MaxPerRule-1].Pointer != "/49" {
		t.Errorf("kept %d, the last at %q", len(list), list[MaxPerRule-1].Pointer)
	}
	if got, want := out.Omitted(), map[string]int{"t.error": 7}; !reflect.DeepEqual(got, want) {
		t.Errorf("omitted %v, want %v", got, want)
	}
	if out.Errors() != MaxPerRule+8 {
		t.Errorf("%d errors", out.Errors())
	}
}

// A flood of files that cannot be read must not hide one that is bad.
func TestCapKeepsWhatDecides(t *testing.T) {
	out := testTable.Collect(Strict)
	for range 3 * MaxPerRule {
		out.Add("t.error", Place{}, What{Unevaluated: true})
	}
	if out.Verdict() != Incomplete || len(out.List()) != MaxPerRule || out.Full("t.error") {
		t.Fatalf("verdict %v, %d kept, full %v", out.Verdict(), len(out.List()), out.Full("t.error"))
	}
	for range 2 {
		out.Add("t.error", Place{}, What{Found: "bad"})
	}
	if out.Verdict() != Fail || len(out.List()) != MaxPerRule+1 || !out.Full("t.error") {
		t.Errorf("verdict %v, %d kept, full %v", out.Verdict(), len(out.List()), out.Full("t.error"))
	}
}

func TestMergeKnowsWhatDecides(t *testing.T) {
	out, part := testTable.Collect(Strict), testTable.Collect(Strict)
	part.Add("t.error", Place{}, What{})
	for range MaxPerRule {
		out.Add("t.error", Place{}, What{Unevaluated: true})
	}
	out.Merge(part)
	out.Merge(nil)
	if !out.Full("t.error") || out.Verdict() != Fail || len(out.List()) != MaxPerRule+1 {
		t.Errorf("full %v, verdict %v, %d kept", out.Full("t.error"), out.Verdict(), len(out.List()))
	}
}

func TestFullWhereNothingCanDecide(t *testing.T) {
	for _, rule := range []string{"t.warning", "t.unavailable"} {
		out := testTable.Collect(Strict)
		for range MaxPerRule {
			out.Add(rule, Place{}, What{})
		}
		if !out.Full(rule) {
			t.Errorf("%s is not full after %d findings", rule, MaxPerRule)
		}
	}
}

func TestStrictRulesNeverFireAtBase(t *testing.T) {
	for _, r := range testRules {
		for _, how := range []string{"Add", "Wrap", "Append"} {
			for _, level := range []Level{Base, Strict} {
				out := testTable.Collect(level)
				switch how {
				case "Add":
					out.Add(r.ID, Place{}, What{})
				case "Wrap":
					out.Wrap(r.ID, Place{}, What{}, []Finding{{Rule: "x"}})
				case "Append":
					out.Append(Finding{Rule: r.ID})
				}
				if want := level == Strict || r.Level() == Base; out.Has(r.ID) != want || len(out.List()) == 0 == want {
					t.Errorf("%s of %s at %s level: recorded %v, want %v", how, r.ID, level, out.Has(r.ID), want)
				}
			}
		}
	}
}

func TestUnknownRuleIsAnError(t *testing.T) {
	for _, id := range []string{"t.unknown", "strict.t.unknown", ""} {
		out := testTable.Collect(Base)
		out.Add(id, Place{}, What{})
		if out.Verdict() != Fail {
			t.Errorf("%q: %v", id, out.Verdict())
		}
	}
}

func TestWrap(t *testing.T) {
	bad, unread, warned := Finding{Rule: "c.bad"}, Finding{Rule: "c.unread", NotEvaluated: true}, Finding{Rule: "c.warned", Severity: Warning}
	for _, c := range []struct {
		name   string
		rule   string
		what   What
		causes []Finding
		want   Verdict
	}{
		{"nothing below", "t.wraps", What{}, nil, Fail},
		{"only a warning below", "t.wraps", What{}, []Finding{warned}, Fail},
		{"all unevaluated", "t.wraps", What{}, []Finding{unread, warned, unread}, Incomplete},
		{"one decides", "t.wraps", What{}, []Finding{unread, bad}, Fail},
		{"another rule decides whatever is below", "t.error", What{}, []Finding{unread}, Fail},
		{"could not be read", "t.error", What{Unevaluated: true}, nil, Incomplete},
		{"could not be read, but what was is bad", "t.error", What{Unevaluated: true}, []Finding{bad}, Fail},
		{"unavailable", "t.unavailable", What{}, []Finding{unread}, Incomplete},
		{"unavailable, but what was seen is bad", "t.unavailable", What{}, []Finding{bad}, Fail},
		{"a warning", "t.warning", What{}, []Finding{bad}, Pass},
	} {
		out := testTable.Collect(Strict)
		out.Wrap(c.rule, At("a.json", "/b"), c.what, c.causes)
		if got := out.Verdict(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		f := out.List()[0]
		if len(f.Causes) != len(c.causes) || f.Artifact != "a.json" || f.Pointer != "/b" || f.Hint == "" {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

func TestHintIsTheRulesAdvice(t *testing.T) {
	out := testTable.Collect(Strict)
	out.Add("t.error", Place{}, What{})
	out.Add("t.error", Place{}, What{Hint: "do that"})
	if list := out.List(); list[0].Hint != "repair it" || list[1].Hint != "do that" {
		t.Errorf("%+v", list)
	}
}

func TestReportThatLookedAtNothingIsIncomplete(t *testing.T) {
	for name, c := range map[string]struct {
		report Report
		want   Verdict
	}{
		"empty":        {Report{}, Incomplete},
		"no artifacts": {Report{Checked: []Checked{{Verifier: "v", Rules: 3}}}, Incomplete},
		"no rules":     {Report{Checked: []Checked{{Verifier: "v", Artifacts: []Artifact{{Path: "a"}}}}}, Incomplete},
		"something":    {Report{Checked: []Checked{{Verifier: "v", Rules: 3, Artifacts: []Artifact{{Path: "a"}}}}}, Pass},
		"a failure":    {Report{Findings: []Finding{{Rule: "x"}}}, Fail},
	} {
		if got := c.report.Verdict(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	var zero Verdict
	if zero != Fail || Fail.ExitCode() != 1 || Pass.ExitCode() != 0 || Incomplete.ExitCode() != ExitTrouble || Verdict(99).ExitCode() == 0 || Verdict(-1).ExitCode() == 0 {
		t.Error("exit codes")
	}
}

func TestRuleIDs(t *testing.T) {
	list := []Finding{{Rule: "b"}, {Rule: "a"}, {Rule: "b"}, {Rule: "w", Severity: Warning}, {Rule: "c", Causes: []Finding{{Rule: "d"}}}}
	if got := strings.Join(RuleIDs(list, Error), " "); got != "a b c" {
		t.Errorf("%q", got)
	}
}

func TestTables(t *testing.T) {
	shared := NewTable("shared", []Rule{{ID: "s.one"}, {ID: "strict.s.two"}})
	own := NewTable("own", []Rule{{ID: "o.one"}}, shared)
	if _, ok := own.Lookup("strict.s.two"); !ok {
		t.Error("a table does not know the rules of those it uses")
	}
	if got := own.Count(Strict); got != 1 {
		t.Errorf("%d own rules", got)
	}
	if shared.Count(Base) != 1 || shared.Count(Strict) != 2 {
		t.Error("counts by level")
	}
	if reg, err := NewRegistry(shared, own); err != nil || len(reg.Rules()) != 3 {
		t.Errorf("%v", err)
	}
	if _, err := NewRegistry(shared, NewTable("twin", []Rule{{ID: "s.one"}})); err == nil || !strings.Contains(err.Error(), "s.one") {
		t.Errorf("two tables with one id: %v", err)
	}
}
