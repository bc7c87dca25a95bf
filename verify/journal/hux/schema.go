package hux

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"finishline/canon"
	"finishline/schemas"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// Schema is what every event says it is.
const Schema = "hux.event.v1"

// The identifiers under which the schemas refer to one another (§2).
const (
	eventID    = "https://hermes.bstein.dev/contracts/hux/v1/event.schema.json"
	commonID   = "https://hermes.bstein.dev/contracts/hux/v1/common.schema.json"
	commonFile = "common.schema.json"
	eventFile  = "event.schema.json"
)

// Schemas are the schemas in force for single events. They never change once
// they are loaded.
type Schemas struct {
	event     *jsonschema.Schema // nil: the built-in ones, as shapes
	companion bool               // the companion's definitions are in force
}

// BuiltInSchemas are the event schema and the companion.
func BuiltInSchemas() *Schemas { return &Schemas{companion: true} }

// An UnresolvedError says that a reference of the schemas leads nowhere
// (hux.schema.unresolved). Nothing is ever fetched.
type UnresolvedError struct{ Reference string }

func (e *UnresolvedError) Error() string {
	return "the schemas refer to " + e.Reference + ", which is not at hand"
}

// maxSchemaFiles bounds the files of a directory of schemas.
const maxSchemaFiles = 100

// LoadSchemas reads the directory of --schema-dir. The error is an
// *[UnresolvedError] when a reference leads nowhere; other errors say that the
// directory or a schema in it cannot be used at all. A directory that replaces
// neither schema is such an error: it was meant to.
func LoadSchemas(dir string) (*Schemas, error) {
	files, err := readSchemaDir(dir)
	if err != nil {
		return nil, fmt.Errorf("schema directory %s: %w", dir, err)
	}
	common, err := pickCommon(files)
	if err != nil {
		return nil, fmt.Errorf("schema directory %s: %w", dir, err)
	}
	event := files[eventFile]
	if common == nil && event == nil {
		return nil, fmt.Errorf("schema directory %s: it has neither %s nor %s", dir, commonFile, eventFile)
	}
	s := &Schemas{companion: common == nil}
	if common == nil {
		common = builtIn(schemas.HUXCommon())
	}
	if event == nil {
		event = builtIn(schemas.HUXEvent())
	}
	s.event, err = compile(event, common, files)
	return s, err
}

// builtIn reads an embedded schema; a test reads them too.
func builtIn(text []byte) any {
	doc, err := canon.Read(text, MaxOptionFile)
	if err != nil {
		panic("hux: an embedded schema is damaged: " + err.Error())
	}
	return plainJSON(doc.Root)
}

// readSchemaDir reads the JSON files of a directory, by name.
func readSchemaDir(dir string) (map[string]any, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string]any{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".json") {
			continue
		}
		if len(files) == maxSchemaFiles {
			return nil, fmt.Errorf("more than %d schemas", maxSchemaFiles)
		}
		root, err := readSchema(path.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = plainJSON(root)
	}
	return files, nil
}

func readSchema(name string) (canon.Value, error) {
	file, size, err := lines.Open(name)
	if err != nil {
		return canon.Value{}, err
	}
	defer file.Close()
	if size > MaxOptionFile {
		return canon.Value{}, fmt.Errorf("%d bytes; at most %d are read", size, MaxOptionFile)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxOptionFile+1))
	if err != nil {
		return canon.Value{}, err
	}
	return readOption(data)
}

// pickCommon finds the file with the common definitions: by its name, or by an
// $id that ends in it.
func pickCommon(files map[string]any) (any, error) {
	if doc := files[commonFile]; doc != nil {
		return doc, nil
	}
	var names []string
	for name, doc := range files {
		if strings.HasSuffix(idOf(doc), "/"+commonFile) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	switch len(names) {
	case 0:
		return nil, nil
	case 1:
		return files[names[0]], nil
	}
	return nil, fmt.Errorf("%s all say that they are the common definitions", strings.Join(names, ", "))
}

func idOf(doc any) string {
	id, _ := doc.(map[string]any)["$id"].(string)
	return id
}

// compile resolves everything that the event schema refers to, from what is at
// hand.
func compile(event, common any, files map[string]any) (*jsonschema.Schema, error) {
	base := idOf(event)
	if base == "" {
		base = eventID
	}
	at, err := url.Parse(base)
	if err != nil || !at.IsAbs() {
		return nil, fmt.Errorf("the $id of the event schema, %.80q, is not an absolute URL", base)
	}
	known := map[string]any{}
	for name, doc := range files {
		known[at.ResolveReference(&url.URL{Path: name}).String()] = doc
		if id := idOf(doc); id != "" {
			known[id] = doc
		}
	}
	known[base] = event
	for _, id := range []string{idOf(common), commonID, at.ResolveReference(&url.URL{Path: commonFile}).String()} {
		if id != "" {
			known[id] = common
		}
	}
	schema, err := atHand(known).compile(base)
	var lost *UnresolvedError
	if errors.As(err, &lost) {
		return nil, atHand(known).firstUnresolved(lost)
	}
	return schema, err
}

// atHand loads schemas from memory and nowhere else.
type atHand map[string]any

func (known atHand) Load(id string) (any, error) {
	if doc, ok := known[strings.TrimSuffix(id, "#")]; ok {
		return doc, nil
	}
	return nil, fs.ErrNotExist
}

func (known atHand) compile(id string) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(known)
	schema, err := c.Compile(id)
	return schema, unresolved(err)
}

// firstUnresolved picks, of all references that lead nowhere, the first by name:
// the library tells any one of them.
func (known atHand) firstUnresolved(one *UnresolvedError) *UnresolvedError {
	targets := map[string]bool{}
	for id, doc := range known {
		if base, err := url.Parse(id); err == nil {
			collectReferences(doc, base, targets)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(targets)) {
		var lost *UnresolvedError
		if _, err := known.compile(target); errors.As(err, &lost) {
			return &UnresolvedError{target}
		}
	}
	return one
}

func collectReferences(doc any, base *url.URL, targets map[string]bool) {
	switch doc := doc.(type) {
	case map[string]any:
		for name, v := range doc {
			if text, ok := v.(string); ok && name == "$ref" {
				if ref, err := url.Parse(text); err == nil {
					targets[base.ResolveReference(ref).String()] = true
				}
			}
			collectReferences(v, base, targets)
		}
	case []any:
		for _, v := range doc {
			collectReferences(v, base, targets)
		}
	}
}

// unresolved tells a reference that leads nowhere from other trouble.
func unresolved(err error) error {
	var load *jsonschema.LoadURLError
	var pointer *jsonschema.JSONPointerNotFoundError
	var anchor *jsonschema.AnchorNotFoundError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &load):
		return &UnresolvedError{load.URL}
	case errors.As(err, &pointer):
		return &UnresolvedError{pointer.URL}
	case errors.As(err, &anchor):
		return &UnresolvedError{anchor.Reference}
	}
	return fmt.Errorf("the schemas cannot be used: %w", err)
}

// plainJSON gives a value as the schema library takes it.
func plainJSON(v canon.Value) any {
	switch v.Kind() {
	case canon.Object:
		m := make(map[string]any, v.Len())
		for _, x := range v.Members() {
			m[x.Name] = plainJSON(x.Value)
		}
		return m
	case canon.Array:
		list := make([]any, 0, v.Len())
		for _, x := range v.Elems() {
			list = append(list, plainJSON(x))
		}
		return list
	case canon.String:
		return v.Text()
	case canon.Bool:
		return v.Truthy()
	case canon.Number:
		return json.Number(canon.Canonical(v))
	}
	return nil
}

// A checker holds events to schemas of the user.
type checker struct{ schema *jsonschema.Schema }

// checker is nil where the shapes say the same.
func (s *Schemas) checker() *checker {
	if s.event == nil {
		return nil
	}
	return &checker{s.event}
}

func (c *checker) check(root flat.Value) violation {
	err := c.schema.Validate(plainValue(root))
	if err == nil {
		return violation{}
	}
	const expected = "an event that the schemas of --schema-dir allow"
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return violation{found: "an event that the schema refuses", expected: expected, foreign: true}
	}
	first := leaves(invalid)[0]
	return violation{pointer: first.pointer, found: first.text, expected: expected, foreign: true}
}

// A leaf is one thing that a schema of the user refuses, and where.
type leaf struct{ pointer, text string }

// leaves are all of them, in an order of their own: the library has none.
func leaves(e *jsonschema.ValidationError) []leaf {
	if len(e.Causes) == 0 {
		l := leaf{text: "a value that breaks " + strings.Join(append([]string{"#"}, e.ErrorKind.KeywordPath()...), "/") + " of " + e.SchemaURL}
		for _, step := range e.InstanceLocation {
			l.pointer += "/" + canon.EscapePointer(step)
		}
		return []leaf{l}
	}
	var all []leaf
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	slices.SortFunc(all, func(a, b leaf) int { return cmp.Or(cmp.Compare(a.pointer, b.pointer), cmp.Compare(a.text, b.text)) })
	return all
}

// Bounds of number literals that the schema library sees as they are.
const (
	maxLiteral  = 400
	maxExponent = 400
)

// plainValue gives a value as the schema library takes it. The library computes
// with fractions of any size, so a number of absurd size becomes one that is
// merely huge: as an integer or not, and against any bound, it answers alike.
func plainValue(v flat.Value) any {
	switch v.Kind() {
	case flat.Object:
		m := map[string]any{}
		for x := v.First(); x.Kind() != flat.Absent; x = x.Next(v) {
			m[string(x.AppendName(nil))] = plainValue(x)
		}
		return m
	case flat.Array:
		list := []any{}
		for x := v.First(); x.Kind() != flat.Absent; x = x.Next(v) {
			list = append(list, plainValue(x))
		}
		return list
	case flat.String:
		return string(v.AppendText(nil))
	case flat.True, flat.False:
		return v.Kind() == flat.True
	case flat.Number:
		return plainNumber(v)
	}
	return nil
}

func plainNumber(v flat.Value) json.Number {
	d := v.Decimal()
	if i, small := d.Small(); small {
		return json.Number(strconv.FormatInt(i, 10))
	}
	digits, text, _ := bytes.Cut(d.AppendNormal(nil), []byte{'e'})
	exponent, err := strconv.ParseInt(string(text), 10, 64)
	sign, size := "", int64(len(digits))
	if d.Sign() < 0 {
		sign, size = "-", size-1
	}
	switch {
	case err == nil && size <= maxLiteral && -maxExponent <= exponent && exponent <= maxExponent:
		return json.Number(d.AppendNormal(nil))
	case d.IsInteger():
		return json.Number(sign + "1e800")
	case exponent+size > 0:
		return json.Number(sign + strings.Repeat("9", min(int(exponent+size), maxLiteral)) + ".5")
	}
	return json.Number(sign + "1e-400")
}
