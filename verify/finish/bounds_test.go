package finish

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

func emptyRun(t *testing.T) *gate.Run {
	t.Helper()
	root, err := evidence.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	run, err := gate.NewRun(gate.Options{Target: root, Now: time.UnixMilli(0)})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// invented is a gate of the given name that says what a function says.
func invented(name string, says func(ctx context.Context, out *verify.Findings)) gate.Gate {
	table := verify.NewTable(name, []verify.Rule{{ID: name + ".bad", Do: "mend it"}})
	return gate.Gate{Name: name, Artifact: name + ".json", Table: table, Validate: func(ctx context.Context, run *gate.Run) gate.Result {
		out := table.Collect(run.Level())
		says(ctx, out)
		return gate.Result{Findings: out}
	}}
}

// A gate that does not end in its time has failed, also when it never looks at
// its context; the others are judged all the same.
func TestGateTimeout(t *testing.T) {
	ended := make(chan struct{})
	defer close(ended)
	gates := []gate.Gate{
		invented("deaf", func(context.Context, *verify.Findings) { <-ended }),
		invented("good", func(context.Context, *verify.Findings) {}),
	}
	a, err := runGates(context.Background(), emptyRun(t), AggregateOptions{}, gates, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Failed(); !slices.Equal(got, []string{"deaf"}) || !a.Gates[0].TimedOut || a.Gates[1].TimedOut || a.Compared {
		t.Errorf("failed %q, gates %+v, compared %t", got, a.Gates, a.Compared)
	}
	if a.Verdict() != verify.Fail {
		t.Errorf("a gate without an answer is %s", a.Verdict())
	}
}

func TestGateOverflow(t *testing.T) {
	loud := invented("loud", func(_ context.Context, out *verify.Findings) {
		var many []verify.Finding
		for range MaxGateOutput / 100 {
			many = append(many, verify.Finding{Rule: "loud.bad", Severity: verify.Warning, Found: strings.Repeat("x", 150)})
		}
		out.Append(verify.Finding{Rule: "loud.bad", Severity: verify.Warning, Causes: many})
	})
	a, err := runGates(context.Background(), emptyRun(t), AggregateOptions{}, []gate.Gate{loud}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Gates[0].Failed || a.Verdict() != verify.Fail {
		t.Errorf("a gate with more to say than %d bytes passed: %+v", MaxGateOutput, a.Gates[0])
	}
}

// An aggregate whose caller gave up has no answer.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := invented("slow", func(ctx context.Context, _ *verify.Findings) { cancel(); <-ctx.Done() })
	if a, err := runGates(ctx, emptyRun(t), AggregateOptions{}, []gate.Gate{g}, time.Minute); err == nil {
		t.Errorf("an answer after the interruption: %+v", a)
	}
}

// What one part has told, no other repeats; the verdict stays that of all parts
// together, and one error among them flips a pass.
func TestTellingsKeepTheVerdict(t *testing.T) {
	finding := rapid.Custom(func(t *rapid.T) verify.Finding {
		f := verify.Finding{
			Rule:         rapid.SampledFrom([]string{"a.b", "a.c"}).Draw(t, "rule"),
			Severity:     rapid.SampledFrom([]verify.Severity{verify.Error, verify.Warning}).Draw(t, "severity"),
			Artifact:     rapid.SampledFrom([]string{"x", "y"}).Draw(t, "artifact"),
			NotEvaluated: rapid.Bool().Draw(t, "open"),
		}
		return f
	})
	wrapping := rapid.Custom(func(t *rapid.T) verify.Finding {
		f := finding.Draw(t, "finding")
		f.Causes = rapid.SliceOfN(finding, 0, 2).Draw(t, "causes")
		return f
	})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(wrapping, 0, 4), 1, 4).Draw(t, "parts")
		join := func(parts ...[]verify.Finding) *verify.Report {
			r := &verify.Report{Omitted: map[string]int{}, Checked: []verify.Checked{{Verifier: "v", Rules: 1, Artifacts: []verify.Artifact{{Path: "x"}}}}}
			told := tellings{}
			for _, part := range parts {
				told.add(r, part, nil)
			}
			return r
		}
		if got, want := join(parts...).Verdict(), verify.Fold(slices.Concat(parts...)); got != want {
			t.Fatalf("%s, the parts together are %s", got, want)
		}
		bad := []verify.Finding{{Rule: "z.z", Severity: verify.Error}}
		if v := join(append(parts, bad)...).Verdict(); v != verify.Fail {
			t.Fatalf("one more error, and it is %s", v)
		}
	})
}
