package readiness

import (
	"time"

	"finishline/canon"
	"finishline/verify/evidence"
)

// A DeadlineKind says what goes stale.
type DeadlineKind int

// What can go stale.
const (
	// OfAssessment: the assessment itself, which the aggregate accepts only
	// within the freshness window of its generatedAt (contract 09, section 3.3).
	OfAssessment DeadlineKind = iota
	// OfEvidence: an item that an assessment written later could not list any
	// more (contract 07, section 6).
	OfEvidence
	// OfApproval: an item of type approval, which also expires.
	OfApproval
	// OfWaiver: a waiver that expires.
	OfWaiver
)

var deadlineNames = [...]string{"assessment", "evidence", "approval", "waiver"}

func (k DeadlineKind) String() string {
	return deadlineNames[min(max(int(k), 0), len(deadlineNames)-1)]
}

// A Deadline is until when something counts.
type Deadline struct {
	Kind    DeadlineKind
	Layer   string // "" for the assessment, and for a waiver of no control of a layer
	Control string
	// Pointer leads to it: in the waiver ledger for a waiver, else in the
	// assessment.
	Pointer string
	Member  string // whose value decides it, such as completedAt or expiresAt
	Until   int64  // last instant at which it counts, in milliseconds since 1970
	Past    bool   // that was before the instant of the overview
}

// At is the last instant at which it counts, as a timestamp.
func (d Deadline) At() string {
	return time.UnixMilli(d.Until).UTC().Format("2006-01-02T15:04:05.000Z")
}

// stale finds what goes stale, as seen from an instant.
type stale struct {
	now, window int64
}

func (s stale) deadline(d Deadline) *Deadline {
	d.Past = d.Until < s.now
	return &d
}

// earlier is the deadline that ends first; of two that end together the one
// that was found first.
func (s stale) earlier(a, b *Deadline) *Deadline {
	if a == nil || b != nil && b.Until < a.Until {
		return b
	}
	return a
}

// control is what goes stale first of a control's evidence, and how many of its
// items have no known end.
func (s stale) control(layer string, control canon.Node) (first *Deadline, untimed int) {
	id := evidence.Trimmed(control.Get("id"))
	for item := range control.At("evidence").All() {
		life, known := evidence.LifetimeOf(item.Value, s.window)
		if !known {
			untimed++
			continue
		}
		kind := OfEvidence
		if evidence.Trimmed(item.Get("type")) == evidence.TypeApproval {
			kind = OfApproval
		}
		first = s.earlier(first, s.deadline(Deadline{
			Kind: kind, Layer: layer, Control: id, Pointer: item.Pointer, Member: life.Member, Until: life.Until}))
	}
	return first, untimed
}

// document is until when the aggregate accepts the assessment itself.
func (s stale) document(assessment canon.Value) *Deadline {
	made, ok := canon.TimestampOf(assessment.Get("generatedAt"))
	if !ok || s.window == 0 {
		return nil
	}
	return s.deadline(Deadline{Kind: OfAssessment, Member: "generatedAt", Until: made + s.window})
}

// waivers adds the ends of the ledger's waivers, to the layers whose controls
// they are about and to the overview as a whole.
func (s stale) waivers(o *Overview, catalog layers, ledger canon.Value) {
	for w := range (canon.Node{Value: ledger}).At("waivers").All() {
		end, ok := canon.TimestampOf(w.Get("expiresAt"))
		if !ok {
			continue
		}
		d := Deadline{Kind: OfWaiver, Control: evidence.Trimmed(w.Get("controlId")), Pointer: w.Pointer, Member: "expiresAt", Until: end}
		if l, known := catalog.ofControl(d.Control); known {
			d.Layer = l.ID
		}
		first := s.deadline(d)
		o.First = s.earlier(o.First, first)
		for i := range o.Layers {
			if o.Layers[i].ID == d.Layer {
				o.Layers[i].First = s.earlier(o.Layers[i].First, first)
			}
		}
	}
}
