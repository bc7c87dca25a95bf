package canon

import "testing"

func TestDecodeUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"\uFEFFa\u2028é":    "\uFEFFa\u2028é",
		"a\xffb":            "a\uFFFDb",
		"\xE2\x80":          "\uFFFD",
		"\xED\xA0\x80":      "\uFFFD\uFFFD\uFFFD",
		"\xF0\x9F\x98x\x80": "\uFFFDx\uFFFD",
	} {
		if got := DecodeUTF8([]byte(text)); got != want {
			t.Errorf("%q decodes to %q, want %q", text, got, want)
		}
	}
}
