package gate

import (
	"context"

	"finishline/verify/readiness"
)

// productionGate is contract 08 as the aggregate reads it: the classification
// of the run, the embedded catalog, and no historical assessment. Its rules are
// those of package readiness.
var productionGate = Gate{Name: "production", Artifact: readiness.DefaultPath, Table: readiness.Table, Validate: validateProduction}

func validateProduction(ctx context.Context, run *Run) Result {
	outcome, err := readiness.Verify(ctx, readiness.Input{
		Root: run.opt.Target, Classification: classificationPath, Level: run.Level(),
	})
	if err != nil {
		reason := err.Error() // without a root or a catalog there is nothing to judge by
		if ctx.Err() != nil {
			reason = ReasonInterrupted
		}
		return Result{
			Findings:     readiness.Table.Collect(run.Level()),
			NotEvaluated: []NotEvaluated{{Gate: "production", Reason: reason}},
		}
	}
	return Result{Findings: outcome.Findings}
}
