package hux

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/verify/journal/flat"
)

func keyNumber(n uint32) key {
	var name [4]byte
	binary.LittleEndian.PutUint32(name[:], n)
	return key{}.of(name[:])
}

// A table is a map.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tab table
		plain := map[uint32]uint32{}
		most := rapid.SampledFrom([]uint32{3, 40, 5000}).Draw(t, "names")
		seed := rapid.Uint32().Draw(t, "seed")
		for range rapid.IntRange(0, 6000).Draw(t, "steps") {
			seed = seed*1664525 + 1013904223
			name := seed >> 8 % most
			value, found := tab.get(keyNumber(name))
			want, wantFound := plain[name]
			if value != want || found != wantFound {
				t.Fatalf("get %d: %d, %v; want %d, %v", name, value, found, want, wantFound)
			}
			tab.put(keyNumber(name), seed>>1)
			plain[name] = seed >> 1
		}
		if tab.len != len(plain) {
			t.Fatalf("%d entries, want %d", tab.len, len(plain))
		}
		for name, want := range plain {
			if value, found := tab.get(keyNumber(name)); value != want || !found {
				t.Fatalf("get %d: %d, %v; want %d", name, value, found, want)
			}
		}
	})
}

// A table of many entries takes the memory that its comment says.
func TestTableIsSmall(t *testing.T) {
	var tab table
	const n = 300_000
	for i := range uint32(n) {
		tab.put(keyNumber(i), i)
	}
	if each := float64(tab.bytes()) / n; each > 14 {
		t.Errorf("%.1f bytes for each entry", each)
	}
}

func TestKeysOfAllLengths(t *testing.T) {
	seen := map[key]int{}
	for n := range 300 {
		k := key{}.of([]byte(strings.Repeat("x", n)))
		if other, dup := seen[k]; dup {
			t.Errorf("%d and %d characters have the same key", n, other)
		}
		seen[k] = n
		if k == k.of(nil) || k.of([]byte("a")) == k.of([]byte("b")) || k.of([]byte("a")) == (key{}).of([]byte("a")) {
			t.Errorf("a key of %d characters does not scope names", n)
		}
	}
}

// The prefilter names every pattern that matches.
func TestPrefilterMissesNothing(t *testing.T) {
	expressions := []string{`\bsk-[a-z]{2,}`, `(?i)\b(?:password|api[_-]?key)\s*[:=]\s*\S{3,}`, `\b(?:gh[pousr]_[A-Za-z0-9]{3,5}|github_pat_x+)\b`, `[a-z]*://[^/\s:@]+:[^/\s:@]+@`,
		`(?i)bearer\s+x`, `(?i)kiss`, `a?b?c?`, `[0-9]{3}`, `(?:ab|cd)(?:ef|gh)`, `x*yz+abc`, `é+abc`, `(?:abc|d)e`, `^abc$`, `(?i:S)ecret`, `[Kk]ey[0-9]`, `(?:abc)+`, `(?:abc){2}`, `(?:abc)*xyz`, `(?:abc){0,2}`, `abc|.`, `\x{17f}abc`, `[ſk]elp`}
	list := rapid.SliceOf(rapid.SampledFrom([]string{"sk-", "SK-", "abc", "ABC", "password", "PaſſWord", "api_key", "apiKey", "ghp_", "github_pat_", "://", ":", "@", "=", "bearer ", "x", "yz", "123", "ef", "gh", "é", "d", "e",
		"\u212Aiss", "kiſs", "kiss", "Key9", "secret", "ſecret", " ", "helper", "kelp", "xyz", "ab"}))
	rapid.Check(t, func(t *rapid.T) {
		p := &Patterns{}
		picked := rapid.SliceOfN(rapid.SampledFrom(expressions), 1, 80).Draw(t, "patterns")
		for i, text := range picked {
			parsed, err := syntax.Parse(text, syntax.Perl)
			must(t, err)
			p.filter.add(i, parsed)
			p.list = append(p.list, pattern{fmt.Sprint(i), regexp.MustCompile(text)})
		}
		text := []byte(strings.Join(list.Draw(t, "text"), ""))
		want := ""
		for _, x := range p.list {
			if x.re.Match(text) {
				want = x.id
				break
			}
		}
		if got, _ := p.match(text); got != want {
			t.Fatalf("match %q: pattern %q, want %q of %q", text, got, want, picked)
		}
	})
	if p := BuiltInPatterns(); p.filter.always != 0 || len(p.filter.owners) < 10 {
		t.Errorf("the built-in patterns are not filtered: %+v", p.filter.owners)
	}
}

func TestForbiddenNames(t *testing.T) {
	p := BuiltInPatterns()
	for name, forbidden := range map[string]bool{
		"raw_arguments": true, "Raw-Arguments": true, "API.Key": true, "access token": true, "password": true, "PASSWD": true,
		"args_digest": false, "tokens_used": false, "": false, strings.Repeat("_", 100): false, strings.Repeat("_", 100) + "log": true, "tokén": false,
	} {
		if p.forbids([]byte(name)) != forbidden {
			t.Errorf("%q: forbidden %v", name, !forbidden)
		}
	}
}

func parsed(t tester, text string) flat.Value {
	t.Helper()
	p := new(flat.Parser)
	if problem := p.Parse([]byte(text), MaxDepth); problem.Code != flat.OK {
		t.Fatal(text, problem)
	}
	return p.Root()
}

func TestDigestIsDeepEquality(t *testing.T) {
	d := newDigester()
	same := [][]string{
		{`{"a":1,"b":[1,2.50,{"c":null}]}`, `{"b":[1e0,25e-1,{"c":null}],"a":1.0}`, `{"\u0061":1,"b":[1,2.5,{"c":null}]}`},
		{`"é"`, `"\u00e9"`}, {`0`, `-0`, `0e9`}, {`1e30`, `1000000000000000000000000000000`, `1.0e30`},
	}
	different := []string{`{}`, `[]`, `null`, `true`, `false`, `0`, `1`, `"0"`, `""`, `[0]`, `[[]]`, `[1,2]`, `[2,1]`, `[[1],2]`, `[1,[2]]`, `{"a":1}`, `{"a":2}`, `{"b":1}`, `{"a":{"b":1}}`, `{"b":{"a":1}}`,
		`{"a":1,"b":2}`, `{"a":2,"b":1}`, `["a",1]`, `9007199254740993`, `9007199254740992`, `1e30`, `1e31`, `-1`, `0.5`, `-0.5`}
	for _, group := range same {
		different = append(different, group[0])
		for _, text := range group[1:] {
			if d.value(parsed(t, text)) != d.value(parsed(t, group[0])) {
				t.Errorf("%s and %s differ", text, group[0])
			}
		}
	}
	seen := map[uint64]string{}
	for _, text := range different {
		sum := d.value(parsed(t, text))
		if other, dup := seen[sum]; dup && text != other {
			t.Errorf("%s and %s are the same", text, other)
		}
		seen[sum] = text
	}
	if a, b := d.event(parsed(t, `{"id":"1","seq":1,"ts":"x","x":1}`)), d.event(parsed(t, `{"x":1.0,"i\u0064":"2","seq":9}`)); a != b {
		t.Error("id, seq or ts count")
	}
	if d.event(parsed(t, `{"x":1,"ids":1}`)) == d.event(parsed(t, `{"x":1}`)) {
		t.Error("ids does not count")
	}
}

func TestFollowsAndBeyondSafe(t *testing.T) {
	for _, text := range []string{"0", "8", "9", "99", "1e3", "999999999999999999", "9007199254740991", "1e18", "123456789012345678909", "99999999999999999999", "1e40", "9999999999e10", "1e1000000000", "1e99999999999999999999"} {
		n := parsed(t, text).Decimal()
		if follows(n, n) {
			t.Errorf("%s follows itself", text)
		}
		if len(text) >= 12 && strings.Contains(text, "e") {
			continue
		}
		exact, _ := new(big.Rat).SetString(text)
		for _, step := range []int64{-1, 1, 2} {
			m := parsed(t, new(big.Int).Add(exact.Num(), big.NewInt(step)).String()).Decimal()
			if got := follows(m, n); got != (step == 1) && exact.Num().Sign() > 0 {
				t.Errorf("%s + %d: follows %v", text, step, got)
			}
		}
		if got, want := beyondSafe(n), exact.Num().Cmp(big.NewInt(maxSafe)) > 0; got != want {
			t.Errorf("%s: beyond %v", text, got)
		}
	}
	for text, want := range map[string]bool{"1.5": false, "1e300": true, "1.5e300": true, "1e-300": false, "-9007199254740992": true, "-9007199254740991": false, "9007199254740991.5": false} {
		if beyondSafe(parsed(t, text).Decimal()) != want {
			t.Errorf("%s: beyond %v", text, !want)
		}
	}
}

// Times are those of the standard library, of the shape that counts.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", n("year", 9999), n("month", 13), n("day", 32), n("hour", 24), n("minute", 60), n("second", 60))
		if decimals := n("decimals", 10); decimals > 0 {
			text += "." + fmt.Sprintf("%010d", n("fraction", 999999999))[:decimals]
		}
		text += rapid.SampledFrom([]string{"Z", "z", "", "+00:00", "-23:59", "+24:00", "+01:60", "+1:00"}).Draw(t, "zone")
		got, ok := parseTime([]byte(text))
		shape := regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
		if ok != shape.MatchString(text) {
			t.Fatalf("%s: shape %v", text, ok)
		}
		if !ok {
			return
		}
		want, err := time.Parse(time.RFC3339Nano, text)
		if got.impossible != (err != nil) {
			t.Fatalf("%s: impossible %v, %v", text, got.impossible, err)
		}
		if err == nil && (got.seconds != want.Unix() || int(got.nanos) != want.Nanosecond()) {
			t.Fatalf("%s: %d.%09d, want %d.%09d", text, got.seconds, got.nanos, want.Unix(), want.Nanosecond())
		}
	})
}

func TestParseAfter(t *testing.T) {
	for text, want := range map[string]string{"-1": "-1", "0": "0", "000": "0", "007": "7", "18446744073709551616": "18446744073709551616"} {
		if n, err := ParseAfter(text); err != nil || n.String() != want {
			t.Errorf("%q: %v, error %v", text, n, err)
		}
	}
	for _, text := range []string{"", "-2", "-0", "+1", "1.0", "1e3", " 1", "x", strings.Repeat("1", 1001)} {
		if n, err := ParseAfter(text); err == nil {
			t.Errorf("%q: %v", text, n)
		}
	}
}
