// Package schematest compiles the JSON Schemas that tests hold the code
// against. It is imported by tests only.
package schematest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile compiles a whole schema.
func Compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	return Parts(t, schema)("")
}

// Parts gives a function that compiles parts of a schema, by the fragment that
// names them, such as "#/$defs/event"; "" is the whole.
func Parts(t testing.TB, schema []byte) func(fragment string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	const name = "urn:test:schema"
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	return func(fragment string) *jsonschema.Schema {
		t.Helper()
		compiled, err := c.Compile(name + fragment)
		if err != nil {
			t.Fatal(err)
		}
		return compiled
	}
}
