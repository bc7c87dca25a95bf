package scaffold

// productionOpen are the rules about what an assessment of production readiness
// has to show. Those that bind it to the run and its layers to the catalog are
// not among them.
var productionOpen = []string{
	"readiness.v2.generated-at", "readiness.v2.summary", "readiness.v2.status", "readiness.v2.layer.applicability", "readiness.v2.layer.required-status",
	"readiness.v2.layer.owner", "readiness.v2.dependency.unsatisfied", "control.status.blocking",
}
