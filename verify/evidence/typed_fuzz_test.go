package evidence_test

import (
	"slices"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/evidence"
)

// bothLevels runs a check at both levels and demands what holds for every
// input: strict refuses whatever base refuses, only registered rules fire, and
// the same input gives the same findings again.
func bothLevels(t *testing.T, check func(out *verify.Findings)) {
	t.Helper()
	collect := func(level verify.Level) *verify.Findings {
		out := typedTable.Collect(level)
		check(out)
		return out
	}
	base, strict := collect(verify.Base), collect(verify.Strict)
	if base.Errors() > 0 && strict.Errors() == 0 {
		t.Errorf("base refuses with %q, strict passes", verify.RuleIDs(base.List(), verify.Error))
	}
	for _, out := range []*verify.Findings{base, strict} {
		for _, f := range out.List() {
			if _, known := typedTable.Lookup(f.Rule); !known {
				t.Errorf("finding of an unregistered rule %q", f.Rule)
			}
			if len(f.Found) > verify.MaxText || len(f.Expected) > verify.MaxText {
				t.Errorf("%s: a text of the evidence is not bounded", f.Rule)
			}
		}
	}
	again := collect(verify.Strict)
	if !slices.EqualFunc(strict.List(), again.List(), func(a, b verify.Finding) bool { return a.Rule == b.Rule && a.Pointer == b.Pointer }) {
		t.Error("the second evaluation differs from the first")
	}
}

// seed adds the documents of vectors of a kind.
func seed(f *testing.F, area string, kinds ...string) {
	for _, c := range rundir.Load(f, area, kinds...) {
		if doc := c.Fields.Get("document"); doc.Present() {
			f.Add(canon.Compact(doc))
		}
	}
}

func fuzzDocument(data []byte) (canon.Node, bool) {
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		return canon.Node{}, false
	}
	return doc.Node(), true
}

func FuzzItem(f *testing.F) {
	seed(f, "evidence", "typed-evidence")
	for _, v := range goodItems(f) {
		f.Add(canon.Compact(v))
	}
	ctx := fixedContext(fixedRoot(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		node, ok := fuzzDocument(data)
		if !ok {
			return
		}
		bothLevels(t, func(out *verify.Findings) { evidence.CheckItem(out, ctx, node) })
	})
}

func FuzzControl(f *testing.F) {
	seed(f, "evidence", "control")
	ctx := fixedContext(fixedRoot(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		node, ok := fuzzDocument(data)
		if !ok {
			return
		}
		bothLevels(t, func(out *verify.Findings) {
			evidence.CheckControl(out, ctx, node)
			if out.Errors() == 0 && node.Get("evidence").Len() == 0 {
				t.Error("a control without evidence passes where skipping is forbidden")
			}
		})
	})
}

func FuzzWaivers(f *testing.F) {
	seed(f, "waivers", "waiver-ledger")
	opt := evidence.WaiverOptions{Now: str(noon)}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, ok := fuzzDocument(data)
		if !ok {
			return
		}
		bothLevels(t, func(out *verify.Findings) {
			evidence.CheckWaivers(out, "waivers.json", node, opt)
			if out.Errors() == 0 && !node.Get("waivers").IsArray() {
				t.Error("a ledger without waivers passes")
			}
		})
		bothLevels(t, func(out *verify.Findings) {
			evidence.CorrelateWaivers(out, "waivers.json", node.At("waivers"), node.Get("waivers").Elems())
		})
	})
}
