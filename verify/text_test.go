package verify

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/privacy/secret"
)

var hostilePieces = []string{
	"plain words", "é", "\x00", "\x1b[31m", "\n", "\r\n::error::", "\u202e", "\u200b", "\ufeff", "\xff\xfe", "\xed\xa0\x80", "\ufffd",
	"password=", "hunter2hunter2", "[REDACTED]", "token: ", "\x07uth=1", `"`, "'", "~1", "~0", "/", " ", "sk" + "-" + strings.Repeat("q", 20),
	"mysql://u:hunter2hunter2@h", "mysql:~1~1u:hunter2hunter2@h", "Bearer hunter2hunter2", "-----BEGIN DSA PRIVATE " + "KEY-----\nhunter2hunter2",
	strings.Repeat("x", 150), strings.Repeat("é", 99), "xoxb" + "-hunter2hunter2", "github_" + "pat_" + strings.Repeat("z", 300),
}

func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostilePieces), 0, 8).Draw(t, "pieces"), "")
	})
}

type reporter interface {
	Errorf(format string, args ...any)
}

// isFitToPrint checks what the package promises about every text of a finding.
func isFitToPrint(t reporter, from, text string, most int) {
	if len(text) > most {
		t.Errorf("%q gives %d bytes", from, len(text))
	}
	if !utf8.ValidString(text) {
		t.Errorf("%q gives ill-formed %q", from, text)
	}
	for _, c := range text {
		if !unicode.IsPrint(c) || unicode.Is(unicode.Cf, c) || c == utf8.RuneError {
			t.Errorf("%q gives %q, which holds %U", from, text, c)
		}
	}
	if secret.InText(text) || secret.HasCloudToken(text) || secret.HasPrivateKeyMarker(text) {
		t.Errorf("%q gives %q, which discloses %s", from, text, secret.Kind(text))
	}
}

func TestCleanIsFitToPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "s")
		got := clean(s)
		isFitToPrint(t, s, got, MaxText)
		if again := clean(got); again != got {
			t.Errorf("clean is not idempotent: %q, then %q", got, again)
		}
		isFitToPrint(t, s, cleanPointer(s), MaxText)
		if len(Quote(s)) > 4*maxQuote+2 {
			t.Errorf("Quote(%q) has %d bytes", s, len(Quote(s)))
		}
		if back, err := strconv.Unquote(Quote(s)); err != nil || len(back) > maxQuote {
			t.Errorf("Quote(%q) = %s, %v", s, Quote(s), err)
		}
	})
}

func TestNothingInAFindingShowsASecret(t *testing.T) {
	const password = "hunter2hunter2"
	rapid.Check(t, func(t *rapid.T) {
		filler := rapid.SampledFrom([]string{"", "x ", strings.Repeat("w ", 30), strings.Repeat("w ", 95), strings.Repeat("é ", 40), "\x00\n"}).Draw(t, "filler")
		shape := rapid.SampledFrom([]string{
			"password=%", `{"token": "%"}`, "Bearer %", "redis://:%@host/0", "-----BEGIN ENCRYPTED PRIVATE " + "KEY-----\n%", "xoxb" + "-%",
		}).Draw(t, "shape")
		s := filler + strings.ReplaceAll(shape, "%", password)
		name := canon.EscapePointer(s)
		out := testTable.Collect(Strict)
		out.Wrap("t.error", At(s, "/a/"+name+"/b"), What{Found: "found " + Quote(s), Expected: s, Hint: Show(canon.NewString(s))},
			[]Finding{{Rule: "c", Found: s, Pointer: "/" + name, Causes: []Finding{{Artifact: s}}}})
		out.Append(Finding{Rule: "t.other", Found: s, Hint: s, Pointer: "/" + name})
		var all func(list []Finding)
		all = func(list []Finding) {
			for _, f := range list {
				isFitToPrint(t, s, f.Hint, MaxHint)
				for _, text := range []string{f.Artifact, f.Pointer, f.Found, f.Expected} {
					isFitToPrint(t, s, text, MaxText)
				}
				for _, text := range []string{f.Artifact, f.Pointer, f.Found, f.Expected, f.Hint} {
					if strings.Contains(text, "hunter2") {
						t.Errorf("%q shows the secret of %q", text, s)
					}
				}
				all(f.Causes)
			}
		}
		all(out.List())
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"plain é 😀":              "plain é 😀",
		"a\tb\x00\u202e\xff":     `a\tb\x00\u202e\xff`,
		"\ufffd":                 `\ufffd`,
		"token=abc":              "token=[REDACTED]",
		strings.Repeat("é", 100): strings.Repeat("é", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 98) + "…",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	// A marker that would be cut in two is cut away, not the text before it.
	if got, want := clean(strings.Repeat("w ", 93)+"password=hunter2"), strings.Repeat("w ", 87)+"w…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := cleanPointer("/a~1b/mysql:~1~1u:p@h/1"), "/a~1b/mysql:~1~1[REDACTED]@h/1"; got != want {
		t.Errorf("cleanPointer gives %q, want %q", got, want)
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		value canon.Value
		want  string
	}{
		{canon.Value{}, "absent"},
		{canon.NewNull(), "null"},
		{canon.NewBool(false), "false"},
		{canon.NewNumber(1e21), "1e+21"},
		{canon.NewNumber(math.Inf(-1)), "a number beyond the range of a double"},
		{canon.NewString("a\"\n"), `"a\"\n"`},
		{canon.NewString(strings.Repeat("a", 81)), `"` + strings.Repeat("a", 77) + `…"`},
		{canon.NewArray(), "an array of 0 elements"},
		{canon.NewArray(canon.NewNull()), "an array of 1 element"},
		{canon.Build(canon.Member{Name: "a"}), "an object of 1 member"},
	} {
		if got := Show(c.value); got != c.want {
			t.Errorf("Show gives %q, want %q", got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, p := range hostilePieces {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		isFitToPrint(t, s, got, MaxText)
		if again := clean(got); again != got {
			t.Errorf("clean is not idempotent: %q, then %q", got, again)
		}
		isFitToPrint(t, s, cleanPointer(s), MaxText)
	})
}
