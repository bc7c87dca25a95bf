package event

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The forms agree with the contract's expressions.
func TestNamesAreThoseOfTheContract(t *testing.T) {
	run, storage := regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\z`), regexp.MustCompile(`\Arun-[a-f0-9]{64}\z`)
	check := func(t interface{ Errorf(string, ...any) }, text string) {
		if got, want := IsRunID(text), run.MatchString(text); got != want {
			t.Errorf("run id %q: %v", text, got)
		}
		if got, want := IsStorageKey(text), storage.MatchString(text); got != want {
			t.Errorf("storage key %q: %v", text, got)
		}
	}
	key := "run-" + strings.Repeat("0a", 32)
	for _, text := range []string{"", "a", "-a", ".", "a.b_c-D9", "a\n", "é", "aé", strings.Repeat("a", 128), strings.Repeat("a", 129), key, key + "\n", key + "0", strings.ToUpper(key), key[:67]} {
		check(t, text)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringMatching(`[A-Za-z0-9._\-\x00\n/é]{0,132}`).Draw(t, "text")) })
}
