package proof

import (
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Result is what [Read] makes of the bytes of a proof. At most one of
// Portable and UASH is set: the document, when it was an object of that format.
type Result struct {
	Portable *Portable
	UASH     *UASH
	Findings *verify.Findings
	Table    *verify.Table // the rules that were evaluated
}

// Read verifies the bytes of a proof of either format. The schema member tells
// which; where it does not, the other members and the path do, so that a proof
// without a schema, or of another version, is told all that is wrong with it. A
// document of neither format is not verified any further: the one finding is
// proof.schema, or proof.document for one that is no object.
func Read(data []byte, path string, level verify.Level, opts Options) Result {
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		out := Table.Collect(level)
		evidence.ReadFindings(out, path, nil, err)
		return Result{Findings: out, Table: Table}
	}
	switch formatOf(doc.Root, path) {
	case PortableSchema:
		p, out := VerifyPortable(doc, path, level)
		return Result{Portable: p, Findings: out, Table: Table}
	case UASHSchema:
		if len(data) > canon.MaxDocument {
			u, out := ReadUASH(data, path, level, opts) // refuses the size
			return Result{UASH: u, Findings: out, Table: UASHTable}
		}
		u, out := VerifyUASH(doc, path, level, opts)
		return Result{UASH: u, Findings: out, Table: UASHTable}
	}
	return unknown(doc, path, level)
}

// DefaultUASH is where a run keeps the bridge's proof.
const DefaultUASH = "proof/proof.json"

// formatOf is the schema of the format that a document is meant to have, ""
// when nothing tells.
func formatOf(root canon.Value, path string) string {
	schema := root.Get("schema").Text()
	switch {
	case strings.HasPrefix(schema, "valdris.portable-proof."):
		return PortableSchema
	case strings.HasPrefix(schema, "uash.proof."):
		return UASHSchema
	case strings.HasPrefix(schema, "valdris."), strings.HasPrefix(schema, "uash."):
		return "" // a document of another kind, whatever its members are called
	case hasAny(root, "bindings", "execution", "causalInputs"):
		return PortableSchema
	case hasAny(root, "commands"), path == DefaultUASH, strings.HasSuffix(path, "/"+DefaultUASH):
		return UASHSchema
	}
	return ""
}

func hasAny(v canon.Value, names ...string) bool { return slices.ContainsFunc(names, v.Has) }

// unknown refuses a document of neither format.
func unknown(doc *canon.Document, path string, level verify.Level) Result {
	rule, at := "proof.schema", doc.Node().At("schema")
	if !doc.Root.IsObject() {
		rule, at = "proof.document", doc.Node()
	}
	out := Table.Collect(level)
	evidence.ReadFindings(out, path, doc, nil)
	check{out, path}.fail(rule, at, `a proof: an object with the schema "`+PortableSchema+`" or "`+UASHSchema+`"`)
	return Result{Findings: out, Table: Table}
}
