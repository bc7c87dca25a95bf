package canon_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
)

// The texts that are written in pieces are those that are made at once.
func TestWrittenInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "elements")
		elem := rapid.SampledFrom([]string{`{}`, `[]`, `[1,{"b":"x\n","1":null}]`, `"é"`, `-0`, `{"a":{"b":[true,[]]}}`}).Draw(t, "element")
		text := "[" + strings.TrimSuffix(strings.Repeat(elem+",", n), ",") + "]"
		doc, err := canon.Read([]byte(text), canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		var compact, pretty bytes.Buffer
		if err := errors.Join(canon.CompactTo(&compact, doc.Root), canon.PrettyTo(&pretty, doc.Root)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compact.Bytes(), canon.Compact(doc.Root)) {
			t.Fatalf("compact: %.200q", compact.Bytes())
		}
		if want := canon.Pretty(doc.Root); !bytes.Equal(append(pretty.Bytes(), '\n'), want) {
			t.Fatalf("pretty: %.200q, want %.200q", pretty.Bytes(), want)
		}
	})
}

type refusing struct{ after int }

var errFull = errors.New("full")

func (r *refusing) Write(p []byte) (int, error) {
	if r.after -= len(p); r.after < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterThatRefuses(t *testing.T) {
	doc, err := canon.Read([]byte("["+strings.Repeat("12345678,", 20000)+"1]"), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	if err := canon.CompactTo(&refusing{after: 50000}, doc.Root); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
