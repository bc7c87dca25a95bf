package rules

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The oracle finds what a line shows the way the contract tells it: every rule
// against every view, nothing skipped, nothing shared with the engine but the
// checks.
type oracle struct {
	set     *Set
	exprs   []*regexp.Regexp
	classes map[string]*regexp.Regexp
}

func newOracle(s *Set) *oracle {
	o := &oracle{set: s, classes: map[string]*regexp.Regexp{}}
	for name, expr := range embedded().Finishline.Boundaries {
		o.classes[name] = regexp.MustCompile(expr)
	}
	for _, r := range s.Rules {
		o.exprs = append(o.exprs, regexp.MustCompile(r.Expression))
	}
	return o
}

// shown is a kind, a secret of it and where the match begins: the column of
// the line that its first character was decoded from.
type shown struct {
	kind, secret string
	column       int
}

// A text of a view, and for each byte the offset in the line that it is from.
type oracleText struct {
	text string
	at   []int
}

func (t oracleText) cut(from, to int) oracleText { return oracleText{t.text[from:to], t.at[from:to]} }

func (t oracleText) lines() []oracleText {
	var list []oracleText
	for from, to := 0, 0; from <= len(t.text); from = to + 1 {
		if to = strings.IndexByte(t.text[from:], '\n') + from; to < from {
			to = len(t.text)
		}
		list = append(list, t.cut(from, to))
	}
	return list
}

// line gives what a line shows; of what several views show of one secret, the
// first.
func (o *oracle) line(line string) []shown {
	raw := oracleText{text: line}
	for i := range len(line) {
		raw.at = append(raw.at, i)
	}
	texts := []oracleText{raw}
	for _, escaped := range oracleEscapes(raw) {
		texts = append(texts, escaped.lines()...)
	}
	var list []shown
	type secret struct {
		kind string
		at   int
	}
	known := map[secret]bool{}
	add := func(t oracleText, decoded bool) {
		for _, f := range o.view(t.text, decoded) {
			if key := (secret{f.kind, t.at[f.from]}); !known[key] {
				known[key] = true
				list = append(list, shown{f.kind, t.text[f.from:f.to], 1 + utf8.RuneCountInString(line[:t.at[f.start]])})
			}
		}
	}
	for _, decoded := range []bool{false, true} {
		for _, t := range texts {
			if !decoded {
				add(t, false)
				continue
			}
			for _, loc := range oracleRun.FindAllStringIndex(t.text, -1) {
				for _, inner := range t.base64(loc[0], loc[1]) {
					add(inner, true)
				}
			}
		}
	}
	return sortedShown(list)
}

// base64 decodes a run and gives its lines.
func (t oracleText) base64(from, to int) []oracleText {
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(t.text[from:to], "="))
	data, err := base64.RawStdEncoding.DecodeString(plain)
	if len(plain)%4 == 1 || err != nil || oracleBinary.Match(data) {
		return nil
	}
	inner := oracleText{text: string(data)}
	for i := range data {
		inner.at = append(inner.at, t.at[from+i/3*4+i%3])
	}
	list := inner.lines()
	for i, l := range list {
		if strings.HasSuffix(l.text, "\r") {
			list[i] = l.cut(0, len(l.text)-1)
		}
	}
	return list
}

func sortedShown(list []shown) []shown {
	slices.SortFunc(list, func(a, b shown) int {
		if n := strings.Compare(a.kind, b.kind); n != 0 {
			return n
		}
		if a.column != b.column {
			return a.column - b.column
		}
		return strings.Compare(a.secret, b.secret)
	})
	return slices.Compact(list)
}

var (
	oracleRun    = regexp.MustCompile(`[A-Za-z0-9+/_-]{24,}={0,2}`)
	oracleBinary = regexp.MustCompile(`[^\t\n\r -~]`)
	oracleEscape = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})?|(?s:.))`)
)

func oracleEscapes(t oracleText) []oracleText {
	var list []oracleText
	for range 2 {
		next := oracleDecode(t)
		if next.text == t.text {
			break
		}
		list, t = append(list, next), next
	}
	return list
}

func oracleDecode(t oracleText) oracleText {
	var out oracleText
	write := func(s string, at int) {
		for range len(s) {
			out.at = append(out.at, at)
		}
		out.text += s
	}
	from := 0
	for from < len(t.text) {
		loc := oracleEscape.FindStringIndex(t.text[from:])
		if loc == nil {
			break
		}
		for i := range loc[0] {
			write(t.text[from+i:from+i+1], t.at[from+i])
		}
		from += loc[0]
		pair := t.text[from : from+loc[1]-loc[0]]
		at, n := t.at[from], 2
		switch pair[1] {
		case '"', '\\', '/':
			write(pair[1:], at)
		case 'n', 'r':
			write("\n", at)
		case 't':
			write("\t", at)
		case 'b', 'f':
			write(" ", at)
		case 'u':
			if len(pair) < 6 {
				write(pair[:1], at)
				write(pair[1:], t.at[from+1])
				break
			}
			units := []uint16{hexUnit(pair[2:6])}
			n = 6
			if len(pair) == 12 && utf16.IsSurrogate(rune(units[0])) && units[0] < 0xdc00 {
				if low := hexUnit(pair[8:12]); low >= 0xdc00 && low < 0xe000 {
					units, n = append(units, low), 12
				}
			}
			write(string(utf16.Decode(units)), at)
		default:
			n = len(pair)
			for i := range n {
				write(pair[i:i+1], t.at[from+i])
			}
		}
		from += n
	}
	for ; from < len(t.text); from++ {
		write(t.text[from:from+1], t.at[from])
	}
	return out
}

func hexUnit(s string) uint16 {
	v := uint16(0)
	for _, c := range []byte(s) {
		d, _ := hexDigit(c)
		v = v<<4 | uint16(d)
	}
	return v
}

type kindMatch struct {
	match
	kind string
}

func (o *oracle) view(text string, decoded bool) []kindMatch {
	var list []kindMatch
	var spans [][2]int
	v := &view{text: []byte(text)}
	for i, r := range o.set.Rules {
		if decoded && !r.Base64 {
			continue
		}
		for cursor := 0; cursor < len(text); {
			loc := o.exprs[i].FindStringSubmatchIndex(text[cursor:])
			if loc == nil {
				break
			}
			for k := range loc {
				loc[k] += cursor
			}
			m := kindMatch{match{start: loc[0], end: loc[1], from: loc[0], to: loc[1]}, r.Kind}
			if len(loc) > 2 {
				m.from, m.to = loc[2], loc[3]
			}
			cursor = m.start + 1
			overlaps := slices.ContainsFunc(spans, func(s [2]int) bool { return m.start < s[1] && s[0] < m.end })
			if overlaps || !o.passes(r, v, m.match) {
				continue
			}
			spans = append(spans, [2]int{m.start, m.end})
			list = append(list, m)
			cursor = m.end
		}
	}
	return list
}

func (o *oracle) passes(r *Rule, v *view, m match) bool {
	class := func(name string, at int) bool {
		if name == "" || name == "home" || at < 0 || at >= len(v.text) {
			return false
		}
		return o.classes[name].Match(v.text[at : at+1])
	}
	if class(r.Left, m.start-1) || class(r.Right, m.end) {
		return false
	}
	if strings.HasPrefix(r.Expression, `\b`) && class("word", m.start-1) {
		return false
	}
	if r.Entropy > 0 && entropy(v.text[m.from:m.to]) < r.Entropy {
		return false
	}
	for _, name := range r.Checks {
		if !checks[name](v, m) {
			return false
		}
	}
	return true
}

// engineShown gives the same from the engine.
func engineShown(e *Engine, text string) []shown {
	var list []shown
	e.Scan("file.txt", []byte(text), func(h Hit) { list = append(list, shown{h.Rule.Kind, string(h.Secret.text), h.Column}) })
	return sortedShown(list)
}

// lineGenerator makes lines of what rules look for: the vectors' lines, whole,
// cut and changed, encoded in the ways that views undo, and what may be near.
func lineGenerator(t testing.TB) *rapid.Generator[string] {
	var texts []string
	for _, l := range vectorLines(t) {
		texts = append(texts, l.text())
	}
	glue := []string{"", " ", "\t", "\"", "'", "=", ":", ",", `\n`, `\\n`, `\"`, `\u0022`, `\u002`, `\ud83d\ude00`, `\d`, `\`, "é", "-", "_", "/", ".", "x", "0", "token=", "password: \"", "curl -u a:", "://", "@", "+1", "::"}
	piece := rapid.Custom(func(r *rapid.T) string {
		text := rapid.SampledFrom(texts).Draw(r, "text")
		switch rapid.IntRange(0, 6).Draw(r, "change") {
		case 0:
			return text
		case 1:
			i := rapid.IntRange(0, len(text)).Draw(r, "from")
			return text[i:rapid.IntRange(i, len(text)).Draw(r, "to")]
		case 2:
			return base64.StdEncoding.EncodeToString([]byte(text))
		case 3:
			return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`).Replace(text)
		case 4:
			b := []byte(text)
			if len(b) > 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(r, "at")] = rapid.SampledFrom([]byte(" aA0-_\"\\.:/=@+")).Draw(r, "byte")
			}
			return string(b)
		case 5:
			return base64.URLEncoding.EncodeToString([]byte(rapid.SampledFrom(texts).Draw(r, "other") + "\r\n" + text))
		}
		return rapid.StringMatching(`[ -~]{0,30}`).Draw(r, "any")
	})
	return rapid.Custom(func(r *rapid.T) string {
		var line strings.Builder
		for range rapid.IntRange(1, 4).Draw(r, "pieces") {
			line.WriteString(rapid.SampledFrom(glue).Draw(r, "glue"))
			line.WriteString(piece.Draw(r, "piece"))
		}
		line.WriteString(rapid.SampledFrom(glue).Draw(r, "end"))
		return strings.ReplaceAll(line.String(), "\n", " ")
	})
}

// The automata, the runs and the places skip nothing that the contract finds.
func TestEngineFindsWhatTheContractFinds(t *testing.T) {
	e, o := extendedEngine(t), newOracle(Extended())
	lines := lineGenerator(t)
	rapid.Check(t, func(r *rapid.T) {
		line := lines.Draw(r, "line")
		got, want := engineShown(e, line), o.line(line)
		if !slices.Equal(got, want) {
			r.Errorf("%q:\nengine   %+v\ncontract %+v", line, got, want)
		}
	})
}

// Hits do not depend on the pieces in which a text is written.
func TestPiecesDoNotMatter(t *testing.T) {
	e := extendedEngine(t)
	line := lineGenerator(t)
	type place struct {
		kind, secret string
		view         View
		line, column int
	}
	rapid.Check(t, func(r *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(line, 1, 6).Draw(r, "lines"), rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(r, "end")))
		var whole, pieces []place
		stats := e.Scan("f", text, func(h Hit) {
			whole = append(whole, place{h.Rule.Kind, string(h.Secret.text), h.View, h.Line, h.Column})
		})
		s := e.Scanner("f", func(h Hit) {
			pieces = append(pieces, place{h.Rule.Kind, string(h.Secret.text), h.View, h.Line, h.Column})
		})
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 200)).Draw(r, "n")
			s.Write(rest[:n])
			rest = rest[n:]
		}
		if again := s.Close(); again != stats || !slices.Equal(whole, pieces) {
			r.Errorf("%q:\nwhole  %v %v\npieces %v %v", text, stats, whole, again, pieces)
		}
		if want := bytes.Count(text, newline); stats.Lines != want && stats.Lines != want+1 {
			r.Errorf("%d lines, the text has %d line ends", stats.Lines, want)
		}
	})
}
