package packet

import (
	"context"
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/gate"
)

// gateNames are the names by which package gate knows a document where it has
// another one than the packet.
var gateNames = map[string]string{string(Classification): "workload-classification"}

// Native returns the delegates that this module has: the gates of package gate
// that judge an input or a route gate, for one run. The run must be about the
// target, pack and level of the packet's Input, and demand a completed goal
// (gate.FinishLine). What is not in the result has no validator.
func Native(run *gate.Run) Delegates {
	delegates := Delegates{}
	for _, name := range Delegable() {
		known := name
		if other, renamed := gateNames[name]; renamed {
			known = other
		}
		if g, ok := gate.Find(known); ok {
			delegates[name] = nativeGate{g, run}
		}
	}
	return delegates
}

type nativeGate struct {
	gate.Gate
	run *gate.Run
}

// Validate judges by the gate, once for the run. One that could not look at everything counts as not
// run, unless what it saw is bad already.
func (n nativeGate) Validate(ctx context.Context, call Call) (Answer, error) {
	if n.Artifact != call.Path {
		return Answer{}, fmt.Errorf("it judges %s", n.Artifact)
	}
	r := n.run.Judge(ctx, n.Gate)
	if len(r.NotEvaluated) > 0 && r.Findings.Verdict() != verify.Fail {
		return Answer{}, fmt.Errorf("not evaluated: %s", r.NotEvaluated[0].Reason)
	}
	checked := verify.Checked{Verifier: n.Name, Rules: n.Table.Count(call.Level)}
	if a, err := call.Target.Read(call.Path, canon.MaxDocument); err == nil {
		checked.Artifacts = []verify.Artifact{{Path: a.Path, SHA256: a.SHA256}}
	}
	return Answer{Findings: r.Findings.List(), Omitted: r.Findings.Omitted(), Checked: checked}, nil
}
