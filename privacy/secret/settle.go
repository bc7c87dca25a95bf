package secret

import (
	"strings"
	"unicode/utf8"

	"finishline/canon"
)

// Settle redacts a text for a document that strict level verifies: what any
// detector finds is replaced, the strict ones included, until nothing is found
// any more. Known values come first, as in [Redact]. A text that does not settle
// is replaced as a whole.
func Settle(s string, known ...string) string {
	s = RedactStable(s, known...)
	for range maxPasses {
		if _, found := firstFound(s); !found {
			return s
		}
		s = Mask(s)
	}
	return marker
}

// maxCuts bounds how often [Cut] shortens a text. Every step removes something
// that only the end of the text uncovered, so one or two are enough for texts
// that nobody made for the purpose.
const maxCuts = 32

// Cut bounds a settled text to max bytes (contract 03, D.4): the longest prefix
// that ends between two characters, shortened so far that it splits no marker
// and that [Settle] would leave it as it is.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	end := max
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	for range maxCuts {
		end, _ = aroundMarker(s, end)
		start, found := firstFound(s[:end])
		if !found {
			return s[:end]
		}
		end = start
	}
	return ""
}

// Tail bounds a settled text to its last units UTF-16 units, at a character
// boundary. The result is settled too: half a marker at its front is dropped,
// and what the cut uncovered is redacted.
func Tail(s string, units int) string {
	start := len(s)
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:start])
		if units -= max(1, canon.UTF16Len(string(r))); units < 0 {
			break
		}
		start -= n
	}
	_, start = aroundMarker(s, start)
	return Settle(s[start:])
}

// DropUnsafeEnd shortens a text that ends where its reader stopped rather than
// where its writer did. What was cut in two would not be recognised: so the
// beginning of a known value at the end goes, and the last word, when no white
// space ends it; neither leaves a part of a known value behind.
func DropUnsafeEnd(s string, known ...string) string {
	end := len(s)
	for _, value := range known {
		end = min(end, len(s)-overlap(s, value))
	}
	for {
		before := end
		for end > 0 {
			r, n := utf8.DecodeLastRuneInString(s[:end])
			if canon.IsSpace(r) {
				break
			}
			end -= n
		}
		for _, value := range known {
			if at := across(s, end, value); at >= 0 {
				end = at
			}
		}
		if end == before {
			return s[:end]
		}
	}
}

// DropUnsafeStart is [DropUnsafeEnd] for a text whose beginning is missing. The
// end of a private key without its beginning goes with all that precedes it.
func DropUnsafeStart(s string, known ...string) string {
	start := 0
	if first, end := findKeyLine(s, 0, "-----END "); first >= 0 {
		if begin, _ := findKeyLine(s[:first], 0, "-----BEGIN "); begin < 0 {
			start = end
		}
	}
	for _, value := range known {
		for n := min(len(value)-1, len(s)); n > start; n-- {
			if s[:n] == value[len(value)-n:] {
				start = n
			}
		}
	}
	for {
		before := start
		for start < len(s) {
			r, n := utf8.DecodeRuneInString(s[start:])
			if canon.IsSpace(r) {
				break
			}
			start += n
		}
		for _, value := range known {
			if at := across(s, start, value); at >= 0 {
				start = at + len(value)
			}
		}
		if start == before {
			return s[start:]
		}
	}
}

// across returns where the occurrence of value starts that lies across index i
// of s, or -1.
func across(s string, i int, value string) int {
	from, to := max(0, i-len(value)+1), min(len(s), i+len(value)-1)
	if from >= to {
		return -1
	}
	at := strings.Index(s[from:to], value)
	if at < 0 {
		return -1
	}
	return from + at
}

// overlap is the length of the longest proper beginning of value that s ends
// with.
func overlap(s, value string) int {
	for n := min(len(value)-1, len(s)); n > 0; n-- {
		if s[len(s)-n:] == value[:n] {
			return n
		}
	}
	return 0
}

// markers are what redaction writes.
var markers = [...]string{marker, "[REDACTED TOKEN]", "[REDACTED JWT]", "[REDACTED PRIVATE KEY]"}

// aroundMarker returns where the marker starts and ends that lies across index
// i of s, or i twice.
func aroundMarker(s string, i int) (before, after int) {
	for _, m := range markers {
		for at := max(0, i-len(m)+1); at < i; at++ {
			if at+len(m) <= len(s) && s[at:at+len(m)] == m {
				return at, at + len(m)
			}
		}
	}
	return i, i
}

// firstFound returns where the first thing starts that a detector finds, the
// strict ones included: for an assignment the name that is assigned to.
func firstFound(s string) (start int, found bool) {
	start = len(s)
	note := func(at int, ok bool) {
		if ok && at < start {
			start, found = at, true
		}
	}
	has := triggersOf(s)
	for i := range detectors {
		if d := &detectors[i]; has&d.needs != 0 {
			at, _, ok := d.find(s, 0)
			if ok && d.needs == hasAssign { // the assignments find values
				at = assignedName(s, at)
			}
			note(at, ok)
		}
	}
	for _, find := range cloudTokens {
		at, _, ok := find(s, 0)
		note(at, ok)
	}
	at, _, ok := findKeyMarker(s, 0)
	note(at, ok)
	return start, found
}

// assignedName walks back from a value that [findAssignment] found to its name.
func assignedName(s string, value int) int {
	i := trimSpaceBefore(s, value) - 1 // at the operator
	i = trimSpaceBefore(s, i)
	if i > 0 && isQuote(s[i-1]) {
		for i--; i > 0 && s[i-1] == '\\'; i-- {
		}
	}
	for i > 0 && isNameByte(s[i-1]) {
		i--
	}
	return i
}

// trimSpaceBefore returns where the run of WS starts that ends at i.
func trimSpaceBefore(s string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if !canon.IsSpace(r) {
			break
		}
		i -= n
	}
	return i
}
