package rules

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Texts that begin one match after another, or have as many views as a text
// can have.
var hostile = []string{
	"a@a.", ":_auth=", "token=", `\\`, `\\\\n`, `\u0041`, "QUJD", "eyJhbGciOiJI.", "4 1", "41-1", "::", "a:", "1.", "+1 ", "machine ", "default login ",
	"curl ", "curl -u a:", " -u ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN A ", `"d":"AAAAAAAAAAAAAAAAAAAAAAAA"`, "FwoGZXIvYXdz", "sk-", "AB12 3456 ",
	"a://b:c", "bearer bearer ", `"`, "'x", "/home/", "C:\\\\Users\\\\", "hf_", "AKIA", "secret_key=secret_key=", "é", "\x00", "a-", "0a:0a-", "authorization:basic ",
	"ZXlKaGJHY2lPaUpJVXpJMU5pSjk.", "&sig=", "password: \"aaaaaaaaaaaaa1\" ", "x.x.x.x.", "Q~", "1Q~1Q~", "passwordpassword",
}

// A line of any length costs time in proportion to it. The bound is generous,
// for slow and busy machines; what it must catch takes hours.
func TestHostileLines(t *testing.T) {
	e := extendedEngine(t)
	size := 1 << 18
	if testing.Short() {
		size = 1 << 13
	}
	for _, unit := range hostile {
		text := []byte(strings.Repeat(unit, size/len(unit)))
		begin := time.Now()
		stats := e.Scan("f", text, func(Hit) {})
		took := time.Since(begin)
		if testing.Verbose() {
			t.Logf("%-30q %6.1f MB/s, %d hits", unit, float64(len(text))/1e6/took.Seconds(), stats.Hits)
		}
		if took > 30*time.Second {
			t.Errorf("%q: %d bytes took %v", unit, len(text), took)
		}
	}
}

// A single line of 64 MiB, written in pieces, with a secret in the middle.
func TestOneLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB")
	}
	e := extendedEngine(t)
	secret := "ghp_" + "hJkzTIH05VmfyoEz2tBAUaEDkDFAVQ1sk6iu"
	part := []byte(strings.Repeat("lorem ipsum=dolor, \"sit\": [1, 2, 3], ", 1<<20/37))
	hits, column, written := 0, 0, 0
	s := e.Scanner("f", func(h Hit) {
		hits++
		if h.Line != 1 || h.Column != column {
			t.Errorf("%s in line %d, column %d, expected 1, %d", h.Rule.Kind, h.Line, h.Column, column)
		}
	})
	for range 32 {
		s.Write(part)
		written += len(part)
	}
	column = written + 2
	s.Write([]byte(" " + secret + " "))
	for range 32 {
		s.Write(part)
	}
	if stats := s.Close(); hits != 1 || stats.Lines != 1 || stats.Long != 1 || stats.Bytes != int64(64*len(part)+len(secret)+2) {
		t.Errorf("%+v, %d hits, expected one", stats, hits)
	}
}

// A secret is found wherever it stands in a long line, each time once, and
// also when it is in base64 or behind escapes.
func TestLongLineSeams(t *testing.T) {
	e := extendedEngine(t)
	secret := "xoxb-" + "902608764644-999117305714-DMHV7xYBnySG1QwdJi51HUt6"
	step := 100_003
	if testing.Short() {
		step = 1_000_003
	}
	unit := " " + secret + ` \"` + secret + `\" a2V5OiB` + "4b3hiLTkwMjYwODc2NDY0NC05OTkxMTczMDU3MTQ4LURNSFY3eFlCbnlTRzFRd2RqaTUxSFV0NgplbmQ= "
	var text []byte
	want := 0
	for len(text) < 5<<19 {
		text = append(text, bytes.Repeat([]byte("é "), (step-len(unit))/3)...)
		text = append(text, unit...)
		want++
	}
	views := map[View]int{}
	last := 0
	e.Scan("f", text, func(h Hit) {
		views[h.View]++
		if h.Column < last {
			t.Errorf("column %d after %d", h.Column, last)
		}
		last = h.Column
	})
	if views[Raw] != 2*want || views[Base64] != want || views[Escaped] != 0 {
		t.Errorf("%v, expected %d times two raw and one base64", views, want)
	}
}

// A text costs no memory by line: what one without a hit allocates is the
// scanner, whatever its length.
func TestNoMemoryByLine(t *testing.T) {
	if testing.Short() {
		t.Skip("under the race detector package regexp keeps no machines")
	}
	e := extendedEngine(t)
	line := `if err := f("token=%s\n", 0x1f, "https://harbor.test/a/b?c=1"); err != nil { // 12.5, user@host, \u00e9` + "\n"
	text := []byte(strings.Repeat(line, 2000))
	if _, stats := findings(e, "f", string(text)); stats.Hits != 0 || stats.Lines != 2000 {
		t.Fatalf("%+v, expected no hit in 2000 lines", stats)
	}
	ignore := func(Hit) {}
	e.Scan("f", text, ignore)
	if n := testing.AllocsPerRun(5, func() { e.Scan("f", text, ignore) }); n > 50 {
		t.Errorf("%v allocations for %d lines", n, 2000)
	}
}
