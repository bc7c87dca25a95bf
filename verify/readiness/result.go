package readiness

import (
	"slices"

	"finishline/verify/evidence"
)

// A Result is what contract 08, section 8, lists besides the findings. After a
// stop it holds no layer.
type Result struct {
	Schema  string // as the document states it
	Profile string // maturity profile that was requested; "" when historical
	// Legacy marks a historical assessment. One that passes is labelled
	// historical and is no finish-line result: no run, commit, tier, owner,
	// control or evidence was bound.
	Legacy bool

	LayerCount    int      // distinct names seen
	PassedLayers  int      // of them
	SkippedLayers int      // of them
	Blocking      []string // names with a blocking status, sorted
	Layers        []LayerStatus
}

// A LayerStatus is the status of one of the thirteen layers, "missing" when the
// assessment has no entry for it.
type LayerStatus struct{ Layer, Status string }

// StatusMissing is the status of a layer without an entry.
const StatusMissing = "missing"

// fill tells of the layers that were seen.
func (r *Result) fill(catalog layers, distinct int, seen map[string]recorded) {
	r.LayerCount = distinct
	for name, l := range seen {
		switch {
		case l.passed():
			r.PassedLayers++
		case l.status == evidence.StatusSkipped:
			r.SkippedLayers++
		case evidence.BlockingStatus(l.status):
			r.Blocking = append(r.Blocking, name)
		}
	}
	slices.Sort(r.Blocking)
	for _, l := range catalog {
		status := StatusMissing
		if known, ok := seen[l.ID]; ok {
			status = known.status
		}
		r.Layers = append(r.Layers, LayerStatus{l.ID, status})
	}
}
