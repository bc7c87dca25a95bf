package readiness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A suppliedCatalog is a catalog file that the caller named instead of the
// embedded one (section 2).
type suppliedCatalog struct {
	path   string // as the caller named it
	sha256 string
	doc    *canon.Document
}

// openCatalog reads a supplied catalog. A rule that fails here stops the
// verification.
func openCatalog(root *evidence.Root, path string) (*suppliedCatalog, *stop) {
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(root.Dir(), file)
	}
	data, err := readNear(filepath.Clean(file))
	at := verify.At(path, "")
	if err != nil {
		if tooLarge(err) {
			return nil, &stop{"catalog.json", at, verify.What{Found: unavailable(err), Expected: "a catalog within the bounds of `finishline limits`"}}
		}
		return nil, &stop{"catalog.unavailable", at, verify.What{
			Found: unavailable(err), Expected: "a regular file, reached without a link that leaves its surroundings", Unevaluated: troubled(err)}}
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		var syntax *canon.ReadError
		if errors.As(err, &syntax) {
			at.Line = syntax.Line
		}
		return nil, &stop{"catalog.json", at, verify.What{Found: err.Error(), Expected: "a JSON object"}}
	}
	if !doc.Root.IsObject() {
		return nil, &stop{"catalog.json", at, verify.What{Found: verify.Show(doc.Root), Expected: "a JSON object"}}
	}
	return &suppliedCatalog{path, canon.SHA256(data), doc}, nil
}

// errOutside says that links lead a catalog away from where it was named.
var errOutside = errors.New("its directory leads outside the directory above it")

// readNear reads a regular file that is no link and whose real place is not
// outside the parent of the directory that holds it.
func readNear(file string) ([]byte, error) {
	dir, name := filepath.Dir(file), filepath.Base(file)
	above, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(above, real); err != nil || !filepath.IsLocal(rel) {
		return nil, errOutside
	}
	// Below a file there is nothing, and the system's error does not say so.
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, _, err := evidence.ReadRegular(root, name, canon.MaxDocument)
	return data, err
}

// unavailable says why there is no file, without the name of the system's call.
func unavailable(err error) string {
	var file *evidence.FileError
	switch {
	case errors.As(err, &file):
		return file.Reason
	case evidence.IsAbsent(err):
		return "no such file"
	}
	return err.Error()
}

func tooLarge(err error) bool {
	var file *evidence.FileError
	return errors.As(err, &file) && file.Kind == evidence.TooLarge
}

// troubled reports whether the operating system refused to look, rather than
// finding nothing or something else there.
func troubled(err error) bool {
	var file *evidence.FileError
	switch {
	case errors.As(err, &file):
		return file.Kind == evidence.Trouble
	case errors.Is(err, errOutside):
		return false
	}
	return !evidence.IsAbsent(err)
}

// check judges a supplied catalog by section 2. The layers of the assessment
// are judged by the embedded one all the same.
func (s *suppliedCatalog) check(out *verify.Findings, want layers) {
	evidence.ReadFindings(out, s.path, s.doc, nil)
	before := out.Errors()
	c := catalogCheck{
		judge: judge{out: out, path: s.path}, want: want,
		layerSeen: map[string]bool{}, capabilitySeen: map[string]bool{}, controlSeen: map[string]bool{},
	}
	root := s.doc.Node()
	if n := root.At("schema"); !n.Is(CatalogSchema) {
		c.fail("catalog.schema", n, CatalogSchema)
	}
	list := root.At("layers")
	if !list.IsArray() || list.Len() != LayerCount {
		c.fail("catalog.layer-count", list, "an array of 13 layers")
	}
	for n := range list.All() {
		c.layer(n)
	}
	for _, member := range []string{hardMember, conditionalMember} {
		c.cycle(list, member)
	}
	if out.Errors() == before {
		c.structure(list)
	}
}

// Members that hold the edges of a layer, in a catalog and in an assessment.
const (
	hardMember        = "dependencies"
	conditionalMember = "conditionalDependencies"
)

type catalogCheck struct {
	judge
	want                                   layers
	layerSeen, capabilitySeen, controlSeen map[string]bool
}

// once reports whether an id occurs for the first time.
func once(seen map[string]bool, id string) bool {
	again := seen[id]
	seen[id] = true
	return !again
}

func (c *catalogCheck) layer(n canon.Node) {
	id := n.At("layer")
	known, canonical := c.want.find(id.Text())
	if !canonical {
		c.fail("catalog.layer.unknown", id, "one of the 13 production layers")
	}
	if evidence.Present(id.Value) && !once(c.layerSeen, id.Text()) {
		c.fail("catalog.layer.duplicate", id, "each layer once")
	}
	c.present("catalog.layer.title", n.At("title"))
	for _, member := range []string{hardMember, conditionalMember} {
		for edge := range n.At(member).All() {
			if _, ok := c.want.find(edge.Text()); !ok {
				c.fail("catalog.dependency.unknown", edge, "one of the 13 production layers")
			}
		}
	}
	declared := c.capabilities(n.At("capabilities"))
	controls := c.controls(n.At("controls"), declared)
	c.sameControls(n.At("controls"), known, controls)
}

// capabilities returns the ids that a layer declares.
func (c *catalogCheck) capabilities(list canon.Node) map[string]bool {
	declared := map[string]bool{}
	if list.Len() == 0 || !list.IsArray() {
		c.fail("catalog.capability.none", list, "at least one capability")
	}
	for n := range list.All() {
		id := n.At("id")
		if !evidence.Present(id.Value) || !evidence.Present(n.Get("title")) || !evidence.Present(n.Get("description")) {
			c.fail("catalog.capability.invalid", n, "id, title and description, none of them blank")
		}
		if evidence.Present(id.Value) {
			declared[id.Text()] = true
			if !once(c.capabilitySeen, id.Text()) {
				c.fail("catalog.capability.duplicate", id, "each capability once, in one layer")
			}
		}
	}
	return declared
}

// controls returns the ids that a layer lists.
func (c *catalogCheck) controls(list canon.Node, declared map[string]bool) map[string]bool {
	listed := map[string]bool{}
	if list.Len() == 0 || !list.IsArray() {
		c.fail("catalog.control.none", list, "at least one control")
	}
	for n := range list.All() {
		id := n.At("id")
		if !evidence.Present(id.Value) || !evidence.Present(n.Get("requirement")) {
			c.fail("catalog.control.invalid", n, "id and requirement, neither of them blank")
		}
		if evidence.Present(id.Value) {
			listed[id.Text()] = true
			if !once(c.controlSeen, id.Text()) {
				c.fail("catalog.control.duplicate", id, "each control once, in one layer")
			}
		}
		if capability := n.At("capability"); !declared[capability.Text()] {
			c.fail("catalog.control.capability", capability, "a capability that the same layer declares")
		}
		if types := n.At("proofPolicy").At("types"); types.Len() == 0 || !types.IsArray() || slices.ContainsFunc(types.Elems(), noType) {
			c.fail("catalog.control.proof-types", types, "a non-empty array of artifact, command, metric, approval and provider-report")
		}
	}
	return listed
}

func noType(v canon.Value) bool { return !evidence.IsEvidenceType(v.Text()) }

// sameControls compares the set of controls of a layer with section 1.2; a
// layer that is none of the thirteen has none.
func (c *catalogCheck) sameControls(list canon.Node, known *Layer, listed map[string]bool) {
	var want []Control
	if known != nil {
		want = known.Controls
	}
	for _, w := range want {
		if !listed[w.ID] {
			c.failWith("catalog.control.missing-canonical", list, verify.What{Found: "no control " + w.ID, Expected: w.ID})
		}
	}
	for n := range list.All() {
		id := n.At("id")
		if evidence.Present(id.Value) && !slices.ContainsFunc(want, func(w Control) bool { return w.ID == id.Text() }) {
			c.fail("catalog.control.non-canonical", id, "only the controls of the format, which every verifier knows")
		}
	}
}

// cycle looks for a cycle among the canonical layers; an edge to anything else
// leads nowhere and has a rule of its own.
func (c *catalogCheck) cycle(list canon.Node, member string) {
	edges := map[string]map[string]bool{}
	for n := range list.All() {
		from, ok := c.want.find(n.Get("layer").Text())
		if !ok {
			continue
		}
		if edges[from.ID] == nil {
			edges[from.ID] = map[string]bool{}
		}
		for _, e := range n.Get(member).Elems() {
			if to, ok := c.want.find(e.Text()); ok {
				edges[from.ID][to.ID] = true
			}
		}
	}
	for _, l := range c.want {
		if path := c.roundTrip(edges, []string{l.ID}, map[string]bool{}); path != nil {
			c.failWith("catalog.dependency.cycle", list, verify.What{Found: member + " lead round in a circle: " + strings.Join(path, " -> "), Expected: "no cycle"})
			return
		}
	}
}

// roundTrip extends a path until it is back at its first layer; nil when it
// never is.
func (c *catalogCheck) roundTrip(edges map[string]map[string]bool, path []string, visited map[string]bool) []string {
	last := path[len(path)-1]
	for _, l := range c.want {
		switch {
		case !edges[last][l.ID]:
		case l.ID == path[0]:
			return append(path, l.ID)
		case once(visited, l.ID):
			if found := c.roundTrip(edges, append(slices.Clone(path), l.ID), visited); found != nil {
				return found
			}
		}
	}
	return nil
}

// structure compares everything that identifies the catalog, in order: layers,
// edges, capabilities, controls, and their capability and proof types.
func (c *catalogCheck) structure(list canon.Node) {
	for i, l := range c.want {
		n := list.Index(i)
		controls := n.At("controls")
		same := c.identical(n.At("layer"), l.ID) &&
			c.sequence(n.At(hardMember), l.Hard) && c.sequence(n.At(conditionalMember), l.Conditional) &&
			c.ids(n.At("capabilities"), l.Capabilities) && c.ids(controls, ids(l.Controls))
		if !same {
			continue // one place for each layer: the rest follows from it
		}
		for k, want := range l.Controls {
			control := controls.Index(k)
			_ = c.identical(control.At("capability"), want.Capability) && c.sequence(control.At("proofPolicy").At("types"), want.Types)
		}
	}
}

func ids(controls []Control) []string {
	out := make([]string, len(controls))
	for i, c := range controls {
		out[i] = c.ID
	}
	return out
}

func (c *catalogCheck) identical(n canon.Node, want string) bool {
	if n.Is(want) {
		return true
	}
	c.fail("catalog.structure-mismatch", n, want)
	return false
}

// sequence demands an array of exactly these texts. An absent list is not an
// empty one.
func (c *catalogCheck) sequence(n canon.Node, want []string) bool {
	return c.listed(n, want, func(v canon.Value) canon.Value { return v })
}

// ids demands an array of objects with exactly these ids.
func (c *catalogCheck) ids(n canon.Node, want []string) bool {
	return c.listed(n, want, func(v canon.Value) canon.Value { return v.Get("id") })
}

func (c *catalogCheck) listed(n canon.Node, want []string, key func(canon.Value) canon.Value) bool {
	if n.IsArray() && slices.EqualFunc(n.Elems(), want, func(v canon.Value, w string) bool { return key(v).Is(w) }) {
		return true
	}
	what := verify.What{Found: n.Kind().String(), Expected: "an empty array"}
	if n.IsArray() {
		what.Found = fmt.Sprintf("%d of %d", n.Len(), len(want))
		for i, v := range n.Elems() {
			if i >= len(want) || !key(v).Is(want[i]) {
				what.Found = fmt.Sprintf("%s at %d", verify.Show(key(v)), i)
				break
			}
		}
	}
	if len(want) > 0 {
		what.Expected = strings.Join(want, ", ") + ", in this order"
	}
	c.failWith("catalog.structure-mismatch", n, what)
	return false
}
