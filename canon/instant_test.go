package canon

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestInstant(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-04-01T00:00:00.000Z": true, "2024-02-29T23:59:59.999Z": true, "0000-01-01T00:00:00.000Z": true,
		"2026-04-01T00:00:00Z": false, "2026-04-01T00:00:00.00Z": false, "2026-04-01T00:00:00.0000Z": false,
		"2026-02-29T00:00:00.000Z": false, "2026-04-01T24:00:00.000Z": false, "2026-04-01T00:00:60.000Z": false,
		"2026-04-01T00:00:00.000z": false, "2026-04-01T00:00+00:00.0Z": false, " 2026-04-01T00:00:00.00Z": false, "": false,
	} {
		if _, ok := Instant(NewString(s)); ok != want {
			t.Errorf("%q: %t", s, ok)
		}
	}
	if _, ok := Instant(NewNumber(2026)); ok {
		t.Error("a number is an instant")
	}
}

// An instant prints back as the text it was read from.
func TestInstantRoundTrip(t *testing.T) {
	const form = "2006-01-02T15:04:05.000Z"
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(-62167219200000, 253402300799999).Draw(t, "ms") // the years 0000 to 9999
		text := time.UnixMilli(ms).UTC().Format(form)
		got, ok := Instant(NewString(text))
		if !ok || got != ms {
			t.Fatalf("%s reads as %d, %t; want %d", text, got, ok, ms)
		}
	})
}
