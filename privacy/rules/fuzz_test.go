package rules

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	for _, l := range vectorLines(f) {
		f.Add(l.text())
	}
}

// Any text: no panic, hits are where they say, counts add up, and the pieces in
// which the text comes do not matter.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Add("\\u004\\\\u0041\r\n\r\xff\xfe\x00\n")
	e := extendedEngine(f)
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		var hits []string
		stats := e.Scan("f", []byte(text), func(h Hit) {
			hits = append(hits, h.Rule.Kind)
			if h.Line < 1 || h.Line > len(lines) || h.Column < 1 || h.Column > utf8.RuneCountInString(lines[h.Line-1]) {
				t.Errorf("%s at %d:%d of %d lines", h.Rule.Kind, h.Line, h.Column, len(lines))
			} else if h.View == Raw && !strings.Contains(lines[h.Line-1], string(h.Secret.text)) {
				t.Errorf("%s: line %d does not hold what was found raw", h.Rule.Kind, h.Line)
			}
		})
		if stats.Hits != len(hits) || stats.Bytes != int64(len(text)) || stats.Tiers[0]+stats.Tiers[1]+stats.Tiers[2] != len(hits) {
			t.Errorf("%+v, %d hits", stats, len(hits))
		}
		var again []string
		s := e.Scanner("f", func(h Hit) { again = append(again, h.Rule.Kind) })
		s.Write([]byte(text[:len(text)/3]))
		s.Write([]byte(text[len(text)/3:]))
		if s.Close() != stats || strings.Join(again, " ") != strings.Join(hits, " ") {
			t.Errorf("whole %q, pieces %q", hits, again)
		}
	})
}

// One line: the engine finds what the contract finds.
func FuzzLine(f *testing.F) {
	seeds(f)
	e, o := extendedEngine(f), newOracle(Extended())
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) > 2000 || strings.ContainsFunc(line, func(r rune) bool { return r == '\n' || r == 'ſ' || r == 'K' }) || !utf8.ValidString(line) {
			return // folds beyond ASCII are not looked for
		}
		line = strings.TrimSuffix(line, "\r")
		got, want := engineShown(e, line), o.line(line)
		if len(got) != len(want) {
			t.Fatalf("%q:\nengine   %+v\ncontract %+v", line, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q:\nengine   %+v\ncontract %+v", line, got[i], want[i])
			}
		}
	})
}

// The view of escapes: the offsets are those of what was decoded, and decoding
// adds nothing.
func FuzzEscapes(f *testing.F) {
	for _, s := range []string{`\"\\\/\n\r\t\b\f`, `\u0041\ud83d\ude00\ud83d\u0041\ude00`, `\x\`, `\u12`, "é\\né", `a\\nb`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var at []int32
		got, changed := decodeEscapes(nil, []byte(text), &at)
		if len(at) != len(got) || len(got) > len(text) || !changed && string(got) != text || changed != (nextEscape([]byte(text), 0) >= 0) {
			t.Fatalf("%q: %q, %d offsets, changed %v", text, got, len(at), changed)
		}
		last := int32(0)
		for i, offset := range at {
			if offset < last || int(offset) >= len(text) || got[i] != text[offset] && text[offset] != '\\' {
				t.Fatalf("%q: byte %d is from %d", text, i, offset)
			}
			last = offset
		}
		if utf8.ValidString(text) && !strings.ContainsRune(text, '\n') {
			line := oracleText{text: text, at: make([]int, len(text))}
			if want := oracleDecode(line).text; want != string(got) {
				t.Errorf("%q: %q, expected %q", text, got, want)
			}
		}
	})
}

// The view of base64: the runs are those of the expression, and a run decodes
// as the standard library decodes it.
func FuzzBase64(f *testing.F) {
	f.Add("x " + base64.StdEncoding.EncodeToString([]byte("some text that is long enough")) + " y")
	f.Add(strings.Repeat("Ab-_+/09", 9) + "=" + strings.Repeat("Q", 24))
	f.Add(strings.Repeat("A", 23) + " " + strings.Repeat("A", 25))
	expr := regexp.MustCompile(`[A-Za-z0-9+/_-]{24,}`)
	f.Fuzz(func(t *testing.T, text string) {
		from := 0
		for _, want := range expr.FindAllStringIndex(text, -1) {
			start, end := nextRun([]byte(text), from)
			if start != want[0] || end != want[1] {
				t.Fatalf("%q: run %d-%d, expected %v", text, start, end, want)
			}
			from = end
			run := text[start:end]
			got, isText := decodeRun(nil, []byte(run))
			plain, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(run))
			if want := err == nil && !oracleBinary.Match(plain); want != isText || want && !bytes.Equal(got, plain) {
				t.Errorf("%q: %q %v, expected %q %v", run, got, isText, plain, want)
			}
		}
		if start, _ := nextRun([]byte(text), from); start >= 0 {
			t.Errorf("%q: a run too many, at %d", text, start)
		}
	})
}

// Any check on any match of any rule that names it: no panic, and the same
// answer when it is asked again.
func FuzzChecks(f *testing.F) {
	for _, l := range vectorLines(f) {
		f.Add(l.text(), uint8(3), uint8(40))
	}
	f.Add("+1 (212) 736-5000", uint8(0), uint8(17))
	set := Extended()
	exprs := map[string]*regexp.Regexp{}
	for _, r := range set.Rules {
		exprs[r.Kind] = regexp.MustCompile(r.Expression)
	}
	f.Fuzz(func(t *testing.T, text string, from, to uint8) {
		for _, r := range set.Rules {
			for _, loc := range exprs[r.Kind].FindAllStringSubmatchIndex(text, 20) {
				m := match{start: loc[0], end: loc[1], from: loc[0], to: loc[1]}
				if len(loc) > 2 {
					m.from, m.to = loc[2], loc[3]
				}
				for _, name := range r.Checks {
					v := &view{text: []byte(text)}
					one := checks[name](v, m)
					if two := checks[name](v, m); one != two {
						t.Errorf("%s of %q in %q: %v, then %v", name, text[m.from:m.to], text, one, two)
					}
				}
			}
		}
		// The checks that look at a secret alone take any text.
		if a, b := int(from), int(to); a <= b && b <= len(text) {
			s := []byte(text[a:b])
			placeholder(s)
			urlPassword(s)
			userPassword(s)
			jwt(s)
			bech32(s, "age-secret-key-")
			pathLike(s)
			wordy(s)
			if h := entropy(s); h < 0 || h > 8 {
				t.Errorf("entropy of %q is %v", s, h)
			}
		}
	})
}

// Any configuration: no panic, and what loads is either refused by name or
// scans.
func FuzzLoad(f *testing.F) {
	f.Add(config)
	f.Add(manyRules)
	f.Add("[extend]\nuseDefault = true")
	f.Add("[[rules]]\nid='a'\nregex='(?i)a{1,1000}[b-z]*$|x'\nentropy=1e400")
	text := []byte("OURS_k3j9x2m1 KEY=123456 lin-abcdefg123\nBEGIN OURS\nab\ncd\nEND OURS")
	f.Fuzz(func(t *testing.T, data string) {
		set, _, err := Load(strings.NewReader(data))
		if err != nil {
			if set != nil {
				t.Error("a set beside an error")
			}
			return
		}
		e, err := set.Compile()
		if err != nil {
			return
		}
		hits := 0
		if stats := e.Scan("a.ours", text, func(Hit) { hits++ }); stats.Hits != hits {
			t.Errorf("%+v, %d hits", stats, hits)
		}
	})
}
