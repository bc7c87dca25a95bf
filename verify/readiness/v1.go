package readiness

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// legacy judges a historical assessment (section 5). Nothing in it is bound to
// a run, and no file that it names is opened.
func (v *verification) legacy(doc canon.Node) {
	h := historical{judge: judge{v.o.Findings, v.in.Path}, catalog: v.catalog, seen: map[string]recorded{}}
	h.document(doc)
	list := doc.At("layers")
	for e := range entries(list) {
		h.layer(e)
	}
	for _, l := range v.catalog {
		if _, ok := h.seen[l.ID]; !ok {
			h.failWith("readiness.v1.layer.missing", list, verify.What{Found: "no entry for " + l.ID, Expected: "all 13 layers"})
		}
	}
	v.o.Result.Legacy = true
	v.o.Result.fill(v.catalog, len(h.seen), h.seen)
}

type historical struct {
	judge
	catalog layers
	seen    map[string]recorded // by trimmed name, canonical or not
}

func (h *historical) document(doc canon.Node) {
	if n := doc.At("generatedAt"); !isTimestamp(n.Value) {
		h.fail("readiness.v1.generated-at", n, expTimestamp)
	}
	if n := doc.At("status"); !isPassed(n.Value) {
		h.fail("readiness.v1.status", n, evidence.StatusPassed)
	}
	h.present("readiness.v1.summary", doc.At("summary"))
}

func (h *historical) layer(e entry) {
	if !e.usable() {
		h.fail("readiness.v1.layer.object", e.Node, "an object")
		return
	}
	if n := e.At("layer"); e.mapped && n.Present() && !n.Is(e.key) {
		h.fail("readiness.hardening.map-key-conflict", n, verify.Quote(e.key)+", the name of the member")
	}
	node := e.legacyName()
	name := evidence.Trimmed(node.Value)
	if name == "" {
		h.fail("readiness.v1.layer.name", node, "layer, id or slug with the name of a layer")
		return
	}
	if _, again := h.seen[name]; again {
		h.fail("readiness.v1.layer.duplicate", node, "one entry for each layer")
	}
	if _, known := h.catalog.find(name); !known {
		h.fail("readiness.v1.layer.unknown", node, expLayer)
	}
	status := h.text(e.status().Value)
	h.seen[name] = recorded{status: status}
	h.status(e, status)
}

func (h *historical) status(e entry, status string) {
	n := e.status()
	switch status {
	case evidence.StatusSkipped:
		h.reason(e)
	case evidence.StatusPassed:
		if !legacyEvidence(e.Value) {
			h.fail("readiness.v1.layer.evidence", e.Node, "a text in evidence, evidencePath, proof or proofPath, a list of texts in proof, proofPaths or artifacts, or a command that exited with 0")
		}
	case evidence.StatusFailed:
		h.present("readiness.v1.layer.failed-reason", e.At("failureReason"))
		h.present("readiness.v1.layer.failed-recovery", e.At("recoveryPath"))
	}
	switch {
	case !evidence.IsControlStatus(status):
		h.fail("readiness.v1.layer.status-unsupported", n, "passed, skipped, required, pending, failed, blocked or needs_approval")
	case evidence.BlockingStatus(status):
		h.fail("readiness.v1.layer.blocking", n, evidence.StatusPassed+" or "+evidence.StatusSkipped)
	}
}

func (h *historical) reason(e entry) {
	if !evidence.Present(evidence.Reason(e.Value)) {
		h.fail("readiness.v1.layer.skip-reason", e.reason(), expPresent)
	}
}

// legacyEvidence reports whether an entry names anything at all as its
// evidence. A list in the member evidence is no legacy evidence.
func legacyEvidence(e canon.Value) bool {
	for _, member := range []string{"evidence", "evidencePath", "proof", "proofPath"} {
		if evidence.Present(e.Get(member)) {
			return true
		}
	}
	for _, member := range []string{"proof", "proofPaths", "artifacts"} {
		if slices.ContainsFunc(e.Get(member).Elems(), evidence.Present) {
			return true
		}
	}
	return slices.ContainsFunc(e.Get("commands").Elems(), func(c canon.Value) bool {
		code, ok := c.Get("exitCode").Num()
		return ok && code == 0
	})
}
