package rca_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"finishline/internal/vectors"
	"finishline/verify"
)

// A document that repeats what costs the most is judged in linear time, and its
// findings stay bounded.
func TestLargeDocument(t *testing.T) {
	vectors.Long(t)
	b := newBench(t, "valid-source-fix")
	const entries = 20_000
	long := strings.Repeat("s", 1<<20)
	var doc strings.Builder
	fmt.Fprintf(&doc, `{"symptom":{"id":%q},"regression":{"id":%q,"failureSignature":%q,"causalInputs":[`, long, long, long)
	for i := range entries {
		fmt.Fprintf(&doc, `{"path":"p%d"},`, i)
	}
	doc.WriteString(`null]},"fix":{"changedPaths":[`)
	for i := range entries {
		fmt.Fprintf(&doc, `"p%d",`, i)
	}
	doc.WriteString(`null]},"rootCause":{"affectedPaths":[`)
	for i := range entries {
		fmt.Fprintf(&doc, `"p%d",`, i)
	}
	doc.WriteString(`null]},"evidence":[`)
	for range entries {
		doc.WriteString(`{"type":"runtime-command","phase":"reproduction","artifact":"proof/red.json"},`)
	}
	doc.WriteString(`null]}`)
	start := time.Now()
	o := b.verify([]byte(doc.String()), verify.Strict)
	if took := time.Since(start); took > time.Minute { // on an idle machine it is a second or two
		t.Errorf("took %s", took)
	}
	if n := len(o.Findings.List()); o.Verdict() != verify.Fail || n > 60*verify.MaxPerRule {
		t.Errorf("verdict %s with %d findings", o.Verdict(), n)
	}
}
