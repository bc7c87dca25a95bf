package proof

import (
	"finishline/canon"
	"finishline/verify"
)

// A Status is what a portable proof says about its run (03 B.6).
type Status string

// The statuses, in the order in which they are decided.
const (
	Flaky           Status = "flaky"            // the attempts differ
	TimedOut        Status = "timed-out"        // an attempt ran into the time limit
	SpawnFailed     Status = "spawn-failed"     // an attempt could not be started, or its output overflowed
	SourceMutated   Status = "source-mutated"   // the worktree changed during the run
	RedConfirmed    Status = "red-confirmed"    // red baseline: every attempt failed, as it should
	UnexpectedGreen Status = "unexpected-green" // red baseline: some attempt did not fail by exit code
	Passed          Status = "passed"           // every attempt exited with 0
	Failed          Status = "failed"           // some attempt did not
)

// The modes of a portable proof (03 B.1).
const (
	ModeGreen       = "green"
	ModeRedBaseline = "red-baseline"
)

// An Outcome is the result of a run: its status, whether its attempts differed,
// and whether it did what its mode asks for.
type Outcome struct {
	Status     Status
	Flaky      bool
	Successful bool
}

// Value is the outcome as a portable proof states it.
func (o Outcome) Value() canon.Value {
	return canon.Build(
		canon.Member{Name: "status", Value: canon.NewString(string(o.Status))},
		canon.Member{Name: "flaky", Value: canon.NewBool(o.Flaky)},
		canon.Member{Name: "successful", Value: canon.NewBool(o.Successful)},
	)
}

// DeriveOutcome computes the outcome of an execution and a source block that
// have the form of 03 B.1 and B.4: attempts of the right types, at least one.
func DeriveOutcome(execution, source canon.Value) Outcome {
	attempts := execution.Get("attempts").Elems()
	red := execution.Get("mode").Is(ModeRedBaseline)
	o := Outcome{Flaky: differ(attempts)}
	switch {
	case o.Flaky:
		o.Status = Flaky
	case some(attempts, timedOut):
		o.Status = TimedOut
	case some(attempts, spawnFailed):
		o.Status = SpawnFailed
	case source.Get("stable").IsBool(false):
		o.Status = SourceMutated
	case red && every(attempts, ranRed):
		o.Status = RedConfirmed
	case red:
		o.Status = UnexpectedGreen
	case every(attempts, ranGreen):
		o.Status = Passed
	default:
		o.Status = Failed
	}
	o.Successful = o.Status == Passed || o.Status == RedConfirmed
	return o
}

// differ reports whether the attempts have more than one signature.
func differ(attempts []canon.Value) bool {
	for i := 1; i < len(attempts); i++ {
		if signature(attempts[i]) != signature(attempts[0]) {
			return true
		}
	}
	return false
}

// signature identifies what an attempt did (03 B.6).
func signature(attempt canon.Value) string { return canon.Digest(canon.Build(signed(attempt)...)) }

// signed are the members of an attempt that its signature and outputSha256
// cover, without its index.
func signed(attempt canon.Value) []canon.Member {
	return []canon.Member{
		{Name: "exitCode", Value: attempt.Get("exitCode")},
		{Name: "signal", Value: attempt.Get("signal")},
		{Name: "timedOut", Value: attempt.Get("timedOut")},
		{Name: "spawnError", Value: attempt.Get("spawnError")},
		{Name: "stdoutSha256", Value: attempt.Get("stdout").Get("sha256")},
		{Name: "stderrSha256", Value: attempt.Get("stderr").Get("sha256")},
	}
}

func timedOut(attempt canon.Value) bool { return !attempt.Get("timedOut").IsBool(false) }

// spawnFailed reports whether an attempt has a spawn error; "" counts as none.
func spawnFailed(attempt canon.Value) bool { return attempt.Get("spawnError").Text() != "" }

func ranToEnd(attempt canon.Value) bool { return !timedOut(attempt) && !spawnFailed(attempt) }

func ranGreen(attempt canon.Value) bool {
	code, ok := attempt.Get("exitCode").Integer()
	return ok && code == 0 && ranToEnd(attempt)
}

// ranRed demands an exit code: a death by signal confirms nothing.
func ranRed(attempt canon.Value) bool {
	code, ok := attempt.Get("exitCode").Integer()
	return ok && code != 0 && ranToEnd(attempt)
}

func some(attempts []canon.Value, is func(canon.Value) bool) bool {
	for _, a := range attempts {
		if is(a) {
			return true
		}
	}
	return false
}

// every is false for no attempts at all: nothing that was not looked at passes.
func every(attempts []canon.Value, is func(canon.Value) bool) bool {
	for _, a := range attempts {
		if !is(a) {
			return false
		}
	}
	return len(attempts) > 0
}

// outcome compares what the proof claims with what its attempts say. Only for
// proofs whose structure is right.
func (c check) outcome(root canon.Node) {
	claimed := root.At("outcome")
	if !claimed.IsObject() {
		c.fail("proof.outcome.missing", claimed, "an object {status, flaky, successful}")
		return
	}
	derived := DeriveOutcome(root.Get("execution"), root.Get("source")).Value()
	for _, m := range derived.Members() {
		at := claimed.At(m.Name)
		if !at.Present() || !canon.Equal(at.Value, m.Value) {
			c.fail("proof.outcome."+m.Name, at, verify.Show(m.Value)+", as the attempts and the source block say")
		}
	}
}
