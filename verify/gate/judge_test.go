package gate_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/gate"
)

// counting is a gate that counts how often it is asked.
func counting(asked *atomic.Int32, wait <-chan struct{}) gate.Gate {
	g, _ := gate.Find("intake")
	table := g.Table
	g.Validate = func(ctx context.Context, run *gate.Run) gate.Result {
		asked.Add(1)
		out := table.Collect(run.Level())
		if wait != nil {
			select {
			case <-wait:
			case <-ctx.Done():
				return gate.Result{Findings: out, NotEvaluated: []gate.NotEvaluated{{Gate: g.Name, Reason: gate.ReasonInterrupted}}}
			}
		}
		out.Add("intake.object", verify.At("run/intake.json", ""), verify.What{})
		return gate.Result{Findings: out}
	}
	return g
}

func TestJudgedOnce(t *testing.T) {
	var asked atomic.Int32
	wait := make(chan struct{})
	g := counting(&asked, wait)
	run := newRun(t, t.TempDir(), canon.Value{}, verify.Strict)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if r := run.Judge(context.Background(), g); !r.Findings.Has("intake.object") {
				t.Error("another result")
			}
		})
	}
	close(wait)
	group.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("judged %d times", n)
	}
}

// A judgement that was cut short is made again for the next caller, and one
// who cannot wait for another's is told so.
func TestInterruptedJudgementIsNotKept(t *testing.T) {
	var asked atomic.Int32
	wait := make(chan struct{})
	g := counting(&asked, wait)
	run := newRun(t, t.TempDir(), canon.Value{}, verify.Strict)
	brief, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if r := run.Judge(brief, g); r.Verdict() != verify.Incomplete {
		t.Errorf("a judgement that was cut short is %s", r.Verdict())
	}

	started := make(chan struct{})
	done := make(chan gate.Result)
	go func() { close(started); done <- run.Judge(context.Background(), g) }()
	<-started
	for asked.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if r := run.Judge(brief, g); r.Verdict() != verify.Incomplete {
		t.Errorf("whoever could not wait got %s", r.Verdict())
	}
	close(wait)
	if r := <-done; r.Verdict() != verify.Fail || asked.Load() != 2 {
		t.Errorf("the second judgement: %s after %d", r.Verdict(), asked.Load())
	}
}
