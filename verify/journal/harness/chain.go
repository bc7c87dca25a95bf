package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// chain holds envelopes to the ones before them (contract 20, section 3).
type chain struct {
	begun    bool
	seq      flat.Decimal // of the previous line
	numbered bool         // seq counts
	digest   [sha256.Size]byte
	timed    bool
	latest   instant
}

// next looks at the envelope of the next accepted line.
func (c *chain) next(v *verification, e *envelope) {
	if v.cfg.seq != nil {
		c.number(v, e)
	}
	if v.cfg.ts != nil {
		c.time(v, e)
	}
	if v.cfg.prev != nil {
		c.link(v, e)
	}
	c.begun, c.digest = true, e.digest
}

func (v *verification) envelopeFinding(rule string, e *envelope, p *pointer, found, expected string) {
	v.lower.Add(rule, verify.Place{Artifact: v.cfg.Path, Pointer: p.text, Line: e.line}, verify.What{Found: found, Expected: expected})
}

// number holds the sequence number to the previous line's. Where that had
// none, counting begins anew.
func (c *chain) number(v *verification, e *envelope) {
	const rule = "harness.envelope.seq"
	n := e.seq.number()
	if e.seq.kind != flat.Number || !n.IsInteger() || n.Sign() < 0 {
		c.numbered = false
		v.envelopeFinding(rule, e, v.cfg.seq, showVal(e.seq), "an integer of at least 0")
		return
	}
	if c.numbered && !succeeds(n, c.seq) {
		v.envelopeFinding(rule, e, v.cfg.seq, "the number "+n.String(), "one more than "+c.seq.String()+", the previous line's")
	}
	c.numbered, c.seq = true, n
}

func (c *chain) time(v *verification, e *envelope) {
	at, ok := instant{}, false
	if e.ts.isText() {
		at, ok = parseInstant(e.ts.b)
	}
	if !ok {
		v.envelopeFinding("harness.envelope.ts", e, v.cfg.ts, showVal(e.ts), "a date-time such as 2026-05-04T09:00:00Z")
		return
	}
	if c.timed && at.cmp(c.latest) < 0 {
		v.envelopeFinding("harness.envelope.ts-order", e, v.cfg.ts, showVal(e.ts), "no time before the latest one so far")
		return
	}
	c.timed, c.latest = true, at
}

var zeros = strings.Repeat("0", 2*sha256.Size)

func (c *chain) link(v *verification, e *envelope) {
	const rule = "harness.envelope.chain"
	if !c.begun {
		first := e.prev.kind == flat.Absent || e.prev.kind == flat.Null || e.prev.isText() && (len(e.prev.b) == 0 || string(e.prev.b) == zeros)
		if !first {
			v.envelopeFinding(rule, e, v.cfg.prev, showVal(e.prev), "nothing, null, an empty string or 64 zeros on the first line")
		}
		return
	}
	want := hex.EncodeToString(c.digest[:])
	if !e.prev.isText() || string(e.prev.b) != want {
		v.envelopeFinding(rule, e, v.cfg.prev, showVal(e.prev), want+", the SHA-256 of the previous line")
	}
}

// showVal says what a kept member is.
func showVal(v val) string {
	switch v.kind {
	case flat.String:
		return quote(v.b)
	case flat.Number:
		return "the number " + v.number().String()
	}
	return v.kind.String()
}
