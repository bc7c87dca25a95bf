package review

import (
	"finishline/canon"
	"finishline/verify"
)

// PinVariable is the environment variable in which the operator holds the pin.
// Only cmd reads it.
const PinVariable = "UASH_REVIEW_TRUST_SHA256"

// A Pin is the operator's digest of the trust store he reviewed, held out of
// band (contract 01 §7.2). The zero Pin binds nothing.
type Pin struct {
	hex   string // 64 lower-case hexadecimal digits, "" when there is none
	given bool
}

// ParsePin takes the value of [PinVariable]; "" stands for unset, as the
// contract treats both alike. Upper case is lowered, nothing is trimmed.
// [Pin.State] says what came of it.
func ParsePin(env string) Pin {
	if !canon.IsHex64(env) {
		return Pin{given: env != ""}
	}
	return Pin{hex: canon.LowerASCII(env), given: true}
}

// A PinState says whether a pin can be compared with anything.
type PinState int

// The states of a pin; the zero state is PinMissing.
const (
	PinMissing   PinState = iota // unset or empty: not evaluated
	PinMalformed                 // not 64 hexadecimal digits
	PinUsable
)

// State says whether the pin is usable.
func (p Pin) State() PinState {
	switch {
	case p.hex != "":
		return PinUsable
	case p.given:
		return PinMalformed
	}
	return PinMissing
}

// String is the pin in lower case, "" unless it is usable.
func (p Pin) String() string { return p.hex }

// Binds reports whether digest is exactly the pinned one. A pin that is not
// usable binds nothing, so a comparison cannot succeed without it.
func (p Pin) Binds(digest string) bool { return p.hex != "" && digest == p.hex }

// Report adds trust.pin.missing or trust.pin.malformed for a pin that is not
// usable. The malformed value is not repeated: it may be a secret that ended
// up in the wrong variable.
func (p Pin) Report(out *verify.Findings) {
	const expected = "64 hexadecimal digits in " + PinVariable
	switch p.State() {
	case PinMissing:
		out.Add("trust.pin.missing", verify.Place{}, verify.What{Found: "no value", Expected: expected})
	case PinMalformed:
		out.Add("trust.pin.malformed", verify.Place{}, verify.What{Found: "a value of another form", Expected: expected})
	}
}

// ReportLive adds trust.pin.live-mismatch when the pin is usable and another
// than the digest of the store.
func (p Pin) ReportLive(out *verify.Findings, path string, store *Store) {
	if p.State() == PinUsable && !p.Binds(store.Pin) {
		out.Add("trust.pin.live-mismatch", verify.At(path, ""), verify.What{Found: store.Pin, Expected: p.hex})
	}
}
