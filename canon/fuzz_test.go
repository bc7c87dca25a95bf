package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"

	"finishline/internal/vectors"
)

// addVectors seeds a fuzz target with the inputs of the vectors.
func addVectors(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(vectors.Dir(f, "canon"), "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		var group canonFile
		vectors.Read(f, file, &group)
		for i, c := range group.Cases {
			switch {
			case c.Input != "":
				f.Add([]byte(c.Input))
			case c.Literal != "" && i%20 == 0:
				f.Add([]byte("[" + c.Literal + "]"))
			}
		}
	}
	f.Add([]byte(smallEvent))
	f.Add([]byte("{\"\\ud83d\\ude00\":1,\"\\ue000\":2,\"\\ud83d\":[\"\xf0\x9f\"]}"))
}

func FuzzRead(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Read(data, 1<<20)
		var refused *ReadError
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("another error than a *ReadError: %v", err)
		}
		// encoding/json checks the same grammar with other code; it knows
		// neither our depth nor our size.
		if valid := json.Valid(data); valid != (err == nil) && (err == nil || refused.Rule == "json.syntax") {
			t.Fatalf("%q: %v, but encoding/json says %v", data, err, valid)
		}
		if err != nil {
			if refused.Line < 1 || refused.Column < 1 {
				t.Errorf("no place: %+v", refused)
			}
			return
		}
		if (len(doc.Defects) == 0) != (doc.DefectCount == 0) {
			t.Errorf("%d defects, kept %v", doc.DefectCount, doc.Defects)
		}
		if !utf8.Valid(data) != hasRule(doc, "strict.json.invalid-utf8") {
			t.Errorf("ill-formed UTF-8 and defects %v", doc.Defects)
		}
		canonical := Canonical(doc.Root)
		if len(canonical) > 8*len(data) {
			t.Errorf("%d bytes become %d", len(data), len(canonical))
		}
		if !utf8.Valid(canonical) {
			t.Errorf("canonical form is ill-formed: %q", canonical)
		}
		for name, text := range map[string][]byte{"canonical": canonical, "compact": Compact(doc.Root), "pretty": Pretty(doc.Root)} {
			again, err := Read(text, 8<<20+1<<20)
			if err != nil {
				t.Fatalf("%s form %q: %v", name, text, err)
			}
			if !bytes.Equal(Canonical(again.Root), canonical) {
				t.Errorf("%s form of %q reads as %q", name, canonical, Canonical(again.Root))
			}
			if name != "canonical" && !Same(again.Root, doc.Root) {
				t.Errorf("%s form %q loses the order", name, text)
			}
		}
	})
}

func hasRule(doc *Document, rule string) bool {
	for _, d := range doc.Defects {
		if d.Rule == rule {
			return true
		}
	}
	return false
}

// On every document without a defect, three canonicalisers of three authors
// give the same bytes.
func FuzzCanonicalAgree(f *testing.F) {
	addVectors(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Read(data, 1<<20)
		if err != nil || doc.DefectCount > 0 {
			return
		}
		ours := canonicalTolerant(doc.Root)
		if got := Canonical(doc.Root); !bytes.Equal(got, ours) {
			t.Errorf("Canonical gives %q, the tolerant writer %q", got, ours)
		}
		if got, err := jcs.Transform(data); err != nil || !bytes.Equal(got, ours) {
			t.Errorf("jcs gives %q (%v), the tolerant writer %q", got, err, ours)
		}
		theirs := jsontext.Value(bytes.Clone(data))
		if err := theirs.Canonicalize(); err != nil || !bytes.Equal(theirs, ours) {
			t.Errorf("jsontext gives %q (%v), the tolerant writer %q", theirs, err, ours)
		}
	})
}

var fuzzTimestampForm = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$`)

// countedTimestamp reads a timestamp by counting the days since 1970, without
// package time.
func countedTimestamp(s string) (ms int64, ok bool) {
	m := fuzzTimestampForm.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	n := func(i int) (n int64) {
		for _, c := range m[i] {
			n = n*10 + int64(c-'0')
		}
		return n
	}
	year, month, day := n(1), n(2), n(3)
	leap := func(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }
	lengths := [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if leap(year) {
		lengths[1] = 29
	}
	if month < 1 || month > 12 || day < 1 || day > lengths[month-1] || n(4) > 23 || n(5) > 59 || n(6) > 59 || n(9) > 23 || n(10) > 59 {
		return 0, false
	}
	days := day - 1
	for y := int64(1970); y < year; y++ {
		days += 365
		if leap(y) {
			days++
		}
	}
	for y := year; y < 1970; y++ {
		days -= 365
		if leap(y) {
			days--
		}
	}
	for _, l := range lengths[:month-1] {
		days += l
	}
	offset := n(9)*60 + n(10)
	if m[8] == "-" {
		offset = -offset
	}
	ms = (((days*24+n(4))*60+n(5)-offset)*60 + n(6)) * 1000
	for i, unit := 0, int64(100); i < len(m[7]) && i < 3; i, unit = i+1, unit/10 {
		ms += int64(m[7][i]-'0') * unit
	}
	return ms, true
}

func FuzzTimestamp(f *testing.F) {
	for _, s := range timestamps {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ms, ok := Timestamp(s)
		wantMS, want := countedTimestamp(s)
		if ok != want || ms != wantMS {
			t.Fatalf("%q: %d %v, counting gives %d %v", s, ms, ok, wantMS, want)
		}
		if ok {
			if again, ok := Timestamp(time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")); s[0] != '0' && s[:4] != "9999" && (!ok || again != ms) {
				t.Errorf("%q: written back it is %d", s, again)
			}
		}
	})
}
