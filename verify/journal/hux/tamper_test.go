package hux

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/internal/vectors"
	"finishline/verify"
)

// The stream is not signed, so what can be found is what contradicts itself.
// By contract these changes of a sound stream cannot be found, and no test
// asks for it:
//
//   - a text, number or name is changed into another one of its form that
//     nothing else refers to: summary, provenance, sensitivity, redaction,
//     identity, evidence, most of detail, a ts that stays in order, a seq or
//     turn that stays in order;
//   - events are cut off at the end, on a line boundary: at most something is
//     left open, a remark (an error with Closed);
//   - events are dropped from the middle that nothing refers to: at most a
//     remark, hux.seq.gap;
//   - two neighbours of different conversations change places, when neither
//     names the other.
//
// Who needs more anchors the file by a digest kept elsewhere.

// soundLines are the lines of the vectors' sound stream.
func soundLines(t testing.TB) [][]byte {
	data := readFile(t, filepath.Join(vectors.Dir(t, "hux"), "stream-a", "events.ndjson"))
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func joined(list [][]byte) []byte { return append(bytes.Join(list, []byte("\n")), '\n') }

func errorsOf(t tester, data []byte, o Options) []string {
	t.Helper()
	return verify.RuleIDs(judge(t, data, o).Findings, verify.Error)
}

// Every event written a second time is found: at once, later, or under another
// id; and so is every exchange of two events of a conversation.
func TestDuplicatesAndSwapsAreFound(t *testing.T) {
	list := soundLines(t)
	for i := range list {
		again := append(append(append([][]byte{}, list[:i+1]...), list[i]), list[i+1:]...)
		late := append(append([][]byte{}, list...), list[i])
		renamed := append(append([][]byte{}, list...), bytes.Replace(list[i], []byte(`"id":"conv`), []byte(`"id":"other`), 1))
		for what, changed := range map[string][][]byte{"again": again, "late": late, "renamed": renamed} {
			if len(errorsOf(t, joined(changed), Options{})) == 0 {
				t.Errorf("line %d %s: not found", i+1, what)
			}
		}
		if i > 0 {
			swapped := append([][]byte{}, list...)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			if len(errorsOf(t, joined(swapped), Options{})) == 0 {
				t.Errorf("lines %d and %d swapped: not found", i, i+1)
			}
		}
	}
}

// A dropped event is found as an error where something refers to it, and
// otherwise leaves the gap in seq; only the last one can go without a trace, or
// leave something open.
func TestDropsLeaveATrace(t *testing.T) {
	list := soundLines(t)
	for i := 1; i < len(list); i++ { // the first seq of a stream may be any
		r := judge(t, joined(append(append([][]byte{}, list[:i]...), list[i+1:]...)), Options{})
		trace := told(r)
		if i < len(list)-1 && !strings.Contains(trace, "seq.gap") {
			t.Errorf("line %d dropped: %s", i+1, trace)
		}
	}
}

// A stream that is cut anywhere within a line is a torn stream; cut between
// lines it is sound, and what is open is told.
func TestCutsAreToldWhereTheyCanBe(t *testing.T) {
	list := soundLines(t)
	data := joined(list[:20])
	at := 0
	for _, line := range list[:20] {
		for cut := at + 1; cut < at+len(line); cut += 37 {
			r := judge(t, data[:cut], Options{})
			if !r.Torn || !strings.Contains(told(r), "tail.torn") {
				t.Fatalf("cut at %d: %s", cut, told(r))
			}
		}
		at += len(line) + 1
		if r := judge(t, data[:at], Options{}); r.Torn || verify.Fold(r.Findings) != verify.Pass {
			t.Errorf("cut at %d, between lines: %s", at, told(r))
		}
	}
	// Inside of run-01, at line 8, its run and nothing else is open.
	if got := errorsOf(t, joined(list[:8]), Options{Demand: Closed}); len(got) != 1 || got[0] != "hux.run.left-open" {
		t.Errorf("left open: %q", got)
	}
}

// A flipped bit in the brackets, quotes and colons of the top level, or in the
// name of a required member, is always found.
func TestFlipsOfStructureAreFound(t *testing.T) {
	list := soundLines(t)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(list)-1).Draw(t, "line")
		changed := bytes.Clone(list[i])
		at := rapid.SampledFrom(structuralBytes(changed)).Draw(t, "byte")
		changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		all := append([][]byte{}, list...)
		all[i] = changed
		if len(errorsOf(t, joined(all), Options{})) == 0 {
			t.Fatalf("byte %d (%q): not found\n%s", at, list[i][at], changed)
		}
	})
}

func structuralBytes(line []byte) []int {
	places := []int{0, len(line) - 1}
	for _, f := range eventShape.fields {
		name := []byte(`"` + f.name + `":`)
		if start := bytes.Index(line, name); start >= 0 && f.required {
			for j := range name {
				places = append(places, start+j)
			}
		}
	}
	return places
}
