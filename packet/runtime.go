package packet

import (
	"context"

	"finishline/packet/pack"
	"finishline/verify"
)

// A runtimeCheck is the runtime check of the mode (06 §8 or §9).
type runtimeCheck struct {
	findings *verify.Findings
	// passed says that no base rule failed: only then is anything judged by
	// the pack's catalogs.
	passed bool
	node   Node
}

func (v *verification) declaredRuntime(level verify.Level) pack.Declared {
	return pack.Declared{Artifact: v.path, Runtime: v.doc.At("validationRuntime"), Level: level}
}

// currentRuntime computes the binding of the pack and compares the declared one
// with it.
func (v *verification) currentRuntime(ctx context.Context, l look, level verify.Level) *runtimeCheck {
	bound, found := pack.Bind(ctx, pack.Input{
		Target: l.root, Pack: v.in.Pack, Repo: l.repo, RepoErr: l.repoErr, Index: l.index,
		Commit: v.doc.Get("commit").Text(), Pin: v.in.Pin, Level: level,
	})
	c := v.runtimeFound(pack.Compare(v.declaredRuntime(level), bound, found))
	if bound != nil {
		c.node.Actual = bound.SetSHA256
		c.node.State = stateOf(c.node.Declared, c.node.Actual)
	}
	return c
}

// historicalRuntime rebuilds the binding from the packet's commit.
func (v *verification) historicalRuntime(ctx context.Context) *runtimeCheck {
	return v.runtimeFound(pack.Historical(ctx, pack.History{
		Declared: v.declaredRuntime(v.in.Level), Commit: v.doc.At("commit"), Repo: v.repo, RepoErr: v.repoErr, Pin: v.in.Pin,
	}))
}

func (v *verification) runtimeFound(findings *verify.Findings) *runtimeCheck {
	declared := v.doc.Get("validationRuntime").Get("setSha256").Text()
	return &runtimeCheck{
		findings: findings,
		passed:   len(baseErrors(findings.List())) == 0,
		node:     Node{Kind: "runtime", Declared: declared},
	}
}

func (c *runtimeCheck) checked(level verify.Level, packet Node) verify.Checked {
	return verify.Checked{Verifier: pack.Table.Name, Rules: pack.Table.Count(level),
		Artifacts: []verify.Artifact{{Path: packet.Path, SHA256: packet.Actual}}}
}
