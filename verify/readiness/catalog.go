package readiness

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"finishline/canon"
	"finishline/verify/catalog"
)

// Schemas of the documents of contract 08.
const (
	Schema        = "uash.production-readiness.v2" // of a current assessment
	LegacySchema  = "uash.production-readiness.v1" // of a historical one
	CatalogSchema = "uash.production-control-catalog.v2"
)

// A Layer is one of the thirteen production layers (section 1).
type Layer struct {
	ID    string
	Title string
	// Hard are the layers that it cannot be ready without; Conditional are
	// questions for whoever classifies the run, and never enforced.
	Hard, Conditional []string
	Capabilities      []string
	Controls          []Control
}

// A Control is one thing that a layer must show.
type Control struct {
	ID          string
	Capability  string
	Requirement string
	// Types are the types of evidence of which a passed control needs at least
	// one.
	Types []string
}

// control finds a control of the layer by its exact id.
func (l *Layer) control(id string) (*Control, bool) {
	i := slices.IndexFunc(l.Controls, func(c Control) bool { return c.ID == id })
	if i < 0 {
		return nil, false
	}
	return &l.Controls[i], true
}

// layers is the structure of section 1: thirteen layers in their canonical
// order. It is shared and never changed.
type layers []Layer

// find returns the layer of that exact id.
func (s layers) find(id string) (*Layer, bool) {
	i := slices.IndexFunc(s, func(l Layer) bool { return l.ID == id })
	if i < 0 {
		return nil, false
	}
	return &s[i], true
}

// ofControl returns the layer that has a control.
func (s layers) ofControl(id string) (*Layer, bool) {
	for i := range s {
		if _, ok := s[i].control(id); ok {
			return &s[i], true
		}
	}
	return nil, false
}

// Layers returns the thirteen production layers in their canonical order, with
// the house edition's wording. The error says that the program itself is
// damaged.
func Layers() ([]Layer, error) {
	s, err := embedded()
	if err != nil {
		return nil, err
	}
	copied := slices.Clone(s)
	for i, l := range copied {
		copied[i].Hard, copied[i].Conditional = slices.Clone(l.Hard), slices.Clone(l.Conditional)
		copied[i].Capabilities, copied[i].Controls = slices.Clone(l.Capabilities), slices.Clone(l.Controls)
		for k, c := range l.Controls {
			copied[i].Controls[k].Types = slices.Clone(c.Types)
		}
	}
	return copied, nil
}

// embedded reads the structure from the house edition, once.
var embedded = sync.OnceValues(func() (layers, error) {
	data, err := fs.ReadFile(catalog.House(), catalog.Production)
	if err != nil {
		return nil, fmt.Errorf("production catalog: %w", err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("production catalog: %w", err)
	}
	var s layers
	for _, l := range doc.Root.Get("layers").Elems() {
		layer := Layer{
			ID: l.Get("layer").Text(), Title: l.Get("title").Text(),
			Hard: texts(l.Get("dependencies")), Conditional: texts(l.Get("conditionalDependencies")),
		}
		for _, c := range l.Get("capabilities").Elems() {
			layer.Capabilities = append(layer.Capabilities, c.Get("id").Text())
		}
		for _, c := range l.Get("controls").Elems() {
			layer.Controls = append(layer.Controls, Control{
				ID: c.Get("id").Text(), Capability: c.Get("capability").Text(),
				Requirement: c.Get("requirement").Text(), Types: texts(c.Get("proofPolicy").Get("types")),
			})
		}
		s = append(s, layer)
	}
	if len(s) != LayerCount {
		return nil, fmt.Errorf("production catalog: %d layers", len(s))
	}
	return s, nil
})

// LayerCount is the number of production layers.
const LayerCount = 13

// texts are the strings of an array.
func texts(list canon.Value) []string {
	out := make([]string, 0, list.Len())
	for _, e := range list.Elems() {
		if s, ok := e.Str(); ok {
			out = append(out, s)
		}
	}
	return out
}
