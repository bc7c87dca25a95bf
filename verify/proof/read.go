package proof

import (
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

// Read verifies the bytes of a proof of either format, which its schema member
// tells. A document of another schema is not verified any further: the one
// finding is proof.schema, or uash-proof.schema when the name is that of
// another version of the bridge's proof. Nor is one that is no object
// (proof.document).
func Read(data []byte, path string, level verify.Level, opts Options) Result {
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		out := Table.Collect(level)
		evidence.ReadFindings(out, path, nil, err)
		return Result{Findings: out, Table: Table}
	}
	schema := doc.Root.Get("schema")
	switch {
	case schema.Is(PortableSchema):
		p, out := VerifyPortable(doc, path, level)
		return Result{Portable: p, Findings: out, Table: Table}
	case schema.Is(UASHSchema) && len(data) > canon.MaxDocument:
		u, out := ReadUASH(data, path, level, opts) // refuses the size
		return Result{UASH: u, Findings: out, Table: UASHTable}
	case schema.Is(UASHSchema):
		u, out := VerifyUASH(doc, path, level, opts)
		return Result{UASH: u, Findings: out, Table: UASHTable}
	}
	return unknown(doc, path, level)
}

// unknown refuses a document of neither format.
func unknown(doc *canon.Document, path string, level verify.Level) Result {
	const known = `"` + PortableSchema + `" or "` + UASHSchema + `"`
	table, rule := Table, "proof.schema"
	at := doc.Node().At("schema")
	switch {
	case !doc.Root.IsObject():
		rule, at = "proof.document", doc.Node()
	case strings.HasPrefix(at.Text(), "uash.proof."):
		table, rule = UASHTable, "uash-proof.schema"
	}
	out := table.Collect(level)
	evidence.ReadFindings(out, path, doc, nil)
	check{out, path}.fail(rule, at, "a proof: an object with the schema "+known)
	return Result{Findings: out, Table: table}
}
