package scaffold

import "finishline/canon"

// Paths of the documents of a run.
const (
	intakePath         = "run/intake.json"
	classificationPath = "run/workload-classification.json"
	routePath          = "run/route.json"
	goalPath           = "goal/goal.json"
	trajectoryPath     = "trajectory/trajectory.json"
	contextPath        = "context/manifest.json"
	registryPath       = "skills/registry.json" // below the pack root
	adapterPath        = "project-adapter.json"
	commissionedDir    = ".valdris-harness"
)

func object(members ...canon.Member) canon.Value { return canon.Build(members...) }

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func text(name, s string) canon.Member { return member(name, canon.NewString(s)) }

func number(name string, f float64) canon.Member { return member(name, canon.NewNumber(f)) }

func boolean(name string, b bool) canon.Member { return member(name, canon.NewBool(b)) }

func texts(name string, list []string) canon.Member { return member(name, textArray(list)) }

func textArray(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.NewString(s)
	}
	return canon.NewArray(values...)
}

func array(name string, list ...canon.Value) canon.Member {
	return member(name, canon.NewArray(list...))
}
