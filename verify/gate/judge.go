package gate

import (
	"context"
	"time"

	"finishline/verify/evidence"
)

// A judgement is what one gate of a run said, once it has.
type judgement struct {
	turn   chan struct{} // holds one while the gate is being judged
	result *Result       // nil until then
}

// Judge judges the document of a gate, once for the run: whoever asks again,
// or at the same time, gets the same result. A judgement that its context cut
// short is given to nobody else. Results are shared and must not be changed.
func (r *Run) Judge(ctx context.Context, g Gate) Result {
	j := r.judgementOf(g.Name)
	select {
	case j.turn <- struct{}{}:
	case <-ctx.Done():
		return Result{Findings: g.Table.Collect(r.Level()), NotEvaluated: []NotEvaluated{{g.Name, ReasonInterrupted}}}
	}
	defer func() { <-j.turn }()
	if j.result != nil {
		return *j.result
	}
	result := g.Validate(ctx, r)
	if ctx.Err() == nil {
		j.result = &result
	}
	return result
}

func (r *Run) judgementOf(name string) *judgement {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.judged == nil {
		r.judged = map[string]*judgement{}
	}
	j := r.judged[name]
	if j == nil {
		j = &judgement{turn: make(chan struct{}, 1)}
		r.judged[name] = j
	}
	return j
}

// Target is the run directory.
func (r *Run) Target() *evidence.Root { return r.opt.Target }

// Head is the commit that is checked out, "" when it is unknown.
func (r *Run) Head() string { return r.opt.Head }

// Now is the clock of the run, the zero time when there is none.
func (r *Run) Now() time.Time { return r.opt.Now }
