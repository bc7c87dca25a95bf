package readiness

import (
	"iter"

	"finishline/canon"
	"finishline/verify/evidence"
)

// An entry is what an assessment says of one layer. It is an element of the
// array layers, or a member of the object that base level and historical
// assessments also take (sections 5 and 6): then the member's name is the layer
// unless the entry has a member layer of its own, and a value that is no object
// is a bare status.
type entry struct {
	canon.Node
	key    string // name of the member, when mapped
	mapped bool
}

// entries yields the entries of layers in document order; anything but an array
// or an object has none.
func entries(list canon.Node) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for n := range list.All() {
			if !yield(entry{Node: n}) {
				return
			}
		}
		for _, m := range list.Members() {
			if !yield(entry{Node: list.At(m.Name), key: m.Name, mapped: true}) {
				return
			}
		}
	}
}

// usable reports whether there is something to judge: an element of an array
// must be an object.
func (e entry) usable() bool { return e.mapped || e.IsObject() }

// name is the member layer, or what stands for it.
func (e entry) name() canon.Node {
	if e.mapped && !e.Has("layer") {
		return canon.Node{Value: canon.NewString(e.key), Pointer: e.Pointer}
	}
	return e.At("layer")
}

// legacyName is the first truthy of layer, id and slug (section 5).
func (e entry) legacyName() canon.Node {
	name := e.name()
	for _, alias := range []string{"id", "slug"} {
		if name.Truthy() {
			break
		}
		if n := e.At(alias); n.Truthy() {
			name = n
		}
	}
	return name
}

func (e entry) status() canon.Node {
	if e.mapped && !e.IsObject() {
		return e.Node
	}
	return e.At("status")
}

// reason is where the text that [evidence.Reason] picks stands.
func (e entry) reason() canon.Node {
	if n := e.At("reason"); n.Truthy() {
		return n
	}
	return e.At("skipReason")
}

// recorded is what is kept of a layer for the rules that compare layers
// with each other, and for the result. Of repeated entries the last counts.
type recorded struct {
	applicability string
	status        string
}

func (r recorded) required() bool { return r.applicability == required }
func (r recorded) passed() bool   { return r.status == evidence.StatusPassed }

// Values of applicability.
const (
	required      = "required"
	notApplicable = "not-applicable"
)
