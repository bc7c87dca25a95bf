package secret

import (
	"slices"
	"strings"

	"finishline/canon"
)

// Redact replaces what a text discloses, as producers do: each known secret
// value by [REDACTED], the longest first, then what the detectors find, each
// kind by its marker. Without known values it changes the text exactly when
// [InText] holds. Empty values and repetitions among known do not matter.
//
// One pass need not be enough (a value quoted in the middle of a line leaves
// the rest of that line behind its name): see [RedactStable].
func Redact(s string, known ...string) string {
	s = replaceKnown(s, known)
	has := triggersOf(s)
	for i := range detectors {
		if d := &detectors[i]; has&d.needs != 0 {
			s = d.redact(s)
		}
	}
	return s
}

// maxReplaced bounds what replacing known values makes of a text. Only values
// that occur in the marker itself, single letters say, multiply a text.
const maxReplaced = 64 << 20

// replaceKnown replaces each value by the marker, the longest first. A text that
// would grow beyond bounds is replaced as a whole.
func replaceKnown(s string, known []string) string {
	for _, value := range longestFirst(known) {
		n := strings.Count(s, value)
		if n > 0 && len(s)+n*(len(marker)-len(value)) > max(maxReplaced, len(s)) {
			return marker
		}
		s = strings.ReplaceAll(s, value, marker)
	}
	return s
}

// longestFirst returns the values without repetitions and empty ones, by
// falling length in UTF-16 units, equal lengths in the order given.
func longestFirst(known []string) []string {
	var values []string
	for _, v := range known {
		if v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.SortStableFunc(values, func(a, b string) int { return canon.UTF16Len(b) - canon.UTF16Len(a) })
	return values
}

func (d *detector) redact(s string) string {
	var b strings.Builder
	done := 0
	for {
		start, end, ok := d.find(s, done)
		if !ok {
			break
		}
		b.WriteString(s[done:start])
		b.WriteString(d.mask(s[start:end]))
		done = end
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// maxPasses bounds RedactStable. Two passes are enough for texts that people
// and programs write.
const maxPasses = 8

// RedactStable redacts a text until it discloses nothing, as a document that
// will be scanned needs it (contract 03, D.4: a fixed point). A text that does
// not settle is replaced as a whole.
func RedactStable(s string, known ...string) string {
	s = Redact(s, known...)
	for range maxPasses {
		if !InText(s) {
			return s
		}
		s = Redact(s)
	}
	return marker
}

// IsPlaceholder reports whether a text, trimmed, is a safe placeholder:
// [REDACTED], [REDACTED SOME WORDS], <redacted>, [placeholder] or
// <placeholder>, in any ASCII case.
func IsPlaceholder(s string) bool {
	s = canon.Trim(s)
	return s != "" && placeholderLen(s) == len(s)
}
