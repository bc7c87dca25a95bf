package evidence_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A control that lists evidence without end is judged in linear time, and its
// findings stay bounded.
func TestLargeControl(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"id":"CTL-1","status":"passed","evidence":[`)
	const items = 50_000
	for i := range items {
		fmt.Fprintf(&b, `{"type":"artifact","path":"proof/%d/log.txt","sha256":"x"},`, i)
	}
	b.WriteString(`null]}`)
	doc, err := canon.Read([]byte(b.String()), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out := typedTable.Collect(verify.Strict)
	evidence.CheckControl(out, fixedContext(fixedRoot(t)), doc.Node())
	if took := time.Since(start); took > time.Minute { // on an idle machine it is about a second
		t.Errorf("took %s", took)
	}
	if n := len(out.List()); n > 20*verify.MaxPerRule || out.Omitted()["evidence.artifact.path-not-file"] != items-verify.MaxPerRule {
		t.Errorf("%d findings, omitted %v", n, out.Omitted())
	}
}
