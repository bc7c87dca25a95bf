package harness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"finishline/internal/proptest"
	"finishline/verify"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// journals are sound ones to start from: those of the vectors, and a synthetic
// one of every kind.
func journals(t testing.TB) [][]byte {
	t.Helper()
	list := [][]byte{journal(t, 40_000, 3)}
	for _, v := range loadVectors(t) {
		if v.File != "" && v.Args == nil {
			list = append(list, v.input(t))
		}
	}
	return list
}

func splitLines(data []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func join(list [][]byte) []byte {
	var b bytes.Buffer
	for _, l := range list {
		b.Write(bytes.TrimSuffix(l, []byte("\n")))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// tamper does to a journal what an attacker, a bad disk or a careless script
// does.
func tamper(t *rapid.T, data []byte) []byte {
	list := splitLines(data)
	i := rapid.IntRange(0, len(list)-1).Draw(t, "line")
	switch rapid.SampledFrom([]string{"flip", "drop", "duplicate", "swap", "truncate", "move", "glue"}).Draw(t, "how") {
	case "flip":
		data = bytes.Clone(data)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		return data
	case "drop":
		return join(slices.Delete(list, i, i+1))
	case "duplicate":
		return join(slices.Insert(list, i, list[i]))
	case "swap":
		j := rapid.IntRange(0, len(list)-1).Draw(t, "with")
		list[i], list[j] = list[j], list[i]
		return join(list)
	case "truncate":
		return data[:rapid.IntRange(0, len(data)).Draw(t, "at")]
	case "move":
		line := list[i]
		list = slices.Delete(list, i, i+1)
		return join(slices.Insert(list, rapid.IntRange(0, len(list)).Draw(t, "to"), line))
	default:
		data = join(list)
		at := bytes.IndexByte(data[rapid.IntRange(0, len(data)-1).Draw(t, "from"):], '\n')
		return append(bytes.Clone(data[:max(at, 0)]), data[max(at, 0)+1:]...)
	}
}

// answer is everything a result says.
type answer struct {
	Findings               []verify.Finding
	Omitted                map[string]int
	Payload, State, SHA256 string
	Lines, Blank, Records  int
	Kinds                  []KindCount
	Torn, Resolved         bool
	Bytes                  int64
}

func answerOf(r *Result) answer {
	return answer{r.Findings.List(), r.Findings.Omitted(), r.Payload, r.State, r.SHA256, r.Lines, r.Blank, r.Records, r.Kinds, r.Torn, r.Resolved, r.Bytes}
}

// The answer depends on the bytes alone: not on the number of goroutines, nor
// on how the file is read.
func TestAnswerDoesNotDependOnParallelism(t *testing.T) {
	sound := journals(t)
	sound = append(sound, journal(t, 700_000, 5)) // several batches
	rapid.Check(t, func(t *rapid.T) {
		data := sound[rapid.IntRange(0, len(sound)-1).Draw(t, "journal")]
		for range rapid.IntRange(0, 3).Draw(t, "times") {
			if data = tamper(t, data); len(data) == 0 {
				break
			}
		}
		o := Options{Path: "j", Payload: rapid.SampledFrom([]string{"", Auto, "/payload"}).Draw(t, "payload"), Workers: 1}
		want, err := Verify(context.Background(), bytes.NewReader(data), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 5} {
			o.Workers = workers
			got, err := Verify(context.Background(), iotest.HalfReader(bytes.NewReader(data)), o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(answerOf(want), answerOf(got)); d != "" {
				t.Fatalf("%d workers (-1 +%d):\n%s", workers, workers, d)
			}
		}
	})
}

func TestAnswerDoesNotDependOnProcessors(t *testing.T) {
	data := append(journal(t, 1<<20, 9), journal(t, 300_000, 10)...)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := answerOf(verifyBytes(t, data, Options{}))
	for _, n := range []int{2, 8} {
		runtime.GOMAXPROCS(n)
		if d := cmp.Diff(want, answerOf(verifyBytes(t, data, Options{}))); d != "" {
			t.Errorf("%d processors:\n%s", n, d)
		}
	}
	if len(want.Findings) == 0 {
		t.Error("two runs in one journal were found fine")
	}
}

// enveloped wraps records as a coordinator does that numbers and chains them.
func enveloped(data []byte) []byte {
	var out bytes.Buffer
	prev := "null"
	for i, line := range splitLines(data) {
		wrapped := fmt.Sprintf(`{"seq":%d,"ts":"2026-05-04T09:%02d:%02d.%03dZ","prev":%s,"payload":%s}`, i+1, i/60%60, i%60, i%1000, prev, bytes.TrimSuffix(line, []byte("\n")))
		sum := sha256.Sum256([]byte(wrapped))
		prev = `"` + hex.EncodeToString(sum[:]) + `"`
		out.WriteString(wrapped + "\n")
	}
	return out.Bytes()
}

// With an envelope that numbers and chains the lines, and an end demanded,
// nothing is missed but what no chain without an anchor covers: a change of the
// last line itself, and a cut back to where the run had an end before.
func TestChainedJournalsMissNothing(t *testing.T) {
	seq, prev := "/seq", "/prev"
	o := Options{Payload: "/payload", Seq: &seq, PrevHash: &prev, Demand: StrictTail | Terminal}
	var sound [][]byte
	for _, data := range journals(t) {
		wrapped := enveloped(data)
		if r := verifyBytes(t, wrapped, o); !r.Valid() {
			if hasRule(r, "harness.run.terminal-missing") {
				continue // a live run has no end to demand
			}
			t.Fatalf("%+v", r.Findings.List())
		}
		sound = append(sound, wrapped)
	}
	if len(sound) < 3 {
		t.Fatalf("only %d sound journals", len(sound))
	}
	seen := proptest.Need(1, "a refusal")
	seen.Until(t, func(t *rapid.T) {
		data := sound[rapid.IntRange(0, len(sound)-1).Draw(t, "journal")]
		changed := tamper(t, data)
		if bytes.Equal(changed, data) {
			return
		}
		r, err := Verify(context.Background(), bytes.NewReader(changed), o)
		if err != nil {
			t.Fatal(err)
		}
		before := data[:len(data)-len(splitLines(data)[len(splitLines(data))-1])]
		if r.Valid() && !bytes.HasPrefix(changed, before) && !bytes.HasPrefix(data, changed) {
			t.Fatalf("a change before the last line was missed")
		}
		if !r.Valid() {
			seen.Add("a refusal")
		}
	})
}

// Without an envelope, the rules themselves show what was doubled or lost of
// the records that a story cannot have twice, or do without.
func TestDoubledAndLostRecords(t *testing.T) {
	once := []string{"run.open", "task-start", "task-end", "quality.passed", "task.checkpoint", "integration.applied", "attempt.prompt", "attempt.reply",
		"run.complete", "supervision.registered", "review.verdict", "rate-limit.parked", "rate-limit.woken", "attempt.usage", "integration.intent"}
	needed := []string{"attempt.prompt", "task-start", "quality.passed", "integration.intent", "rate-limit.parked", "review.attempt", "run.complete"}
	most := 3 // of a kind and journal
	if testing.Short() {
		most = 1
	}
	for _, data := range journals(t) {
		list := splitLines(data)
		seen := map[string]int{}
		for i, line := range list {
			var record struct{ Kind string }
			if k := decode(t, line).(map[string]any)["kind"]; k != nil {
				record.Kind = k.(string)
			}
			if seen[record.Kind]++; seen[record.Kind] > most {
				continue
			}
			blocked := bytes.Contains(line, []byte(`"blocked`)) // a task may be declared blocked again
			if slices.Contains(once, record.Kind) && !blocked {
				r := verifyBytes(t, join(slices.Insert(slices.Clone(list), i, line)), Options{})
				if verify.Fold(r.Findings.List()) == verify.Pass && len(verify.RuleIDs(r.Findings.List(), verify.Warning)) == 0 {
					t.Errorf("line %d, %s, twice: nothing found", i+1, record.Kind)
				}
			}
			if slices.Contains(needed, record.Kind) {
				r := verifyBytes(t, join(slices.Delete(slices.Clone(list), i, i+1)), Options{})
				if len(verify.RuleIDs(r.Findings.List(), verify.Error)) == 0 && len(verify.RuleIDs(r.Findings.List(), verify.Warning)) == 0 {
					t.Errorf("line %d, %s, lost: nothing found", i+1, record.Kind)
				}
			}
		}
	}
}

// A journal that was cut anywhere is not taken for a finished one: only a run
// that was stopped, or whose plan never ran, looks whole before its end.
func TestCutJournalsAreUnfinished(t *testing.T) {
	data := journal(t, 1, 4)
	step := max(1, len(data)/400)
	if testing.Short() {
		step *= 10
	}
	for at := 0; at < len(data)-1; at += step {
		torn := at > 0 && data[at-1] != '\n' && data[at] != '\n'
		r := verifyBytes(t, data[:at], Options{Demand: StrictTail | Terminal})
		if r.Valid() && (torn || r.State != "resumable" && r.State != "preamble") {
			t.Errorf("cut after %d of %d bytes: %s, %+v", at, len(data), r.State, r.Findings.List())
		}
		if r.Torn != torn {
			t.Errorf("cut after %d bytes: torn %v", at, r.Torn)
		}
	}
}

// seedsOf are inputs for fuzzing: journals of the vectors, small and odd.
func seedsOf(f *testing.F) {
	for _, v := range loadVectors(f) {
		if v.Kind == "harness-journal" && v.Base == "" {
			f.Add(v.input(f), uint8(0))
		}
	}
	f.Add(enveloped(journal(f, 1, 2)), uint8(3))
	f.Add([]byte(`{"kind":"attempt.heartbeat","attemptId":"a","pid":1e999999999,"elapsedSecs":1,"timeoutSecs":1,"eventCount":1,"lastActivity":""}`), uint8(0))
}

func FuzzVerify(f *testing.F) {
	seedsOf(f)
	seq, ts, prev := "/seq", "/ts", "/prev"
	f.Fuzz(func(t *testing.T, data []byte, how uint8) {
		o := Options{Path: "j", MaxLine: 1 << 16, Workers: 1}
		if how&1 != 0 {
			o.Payload = Auto
		}
		if how&2 != 0 {
			o.Seq, o.Timestamp, o.PrevHash = &seq, &ts, &prev
		}
		plain := verifyBytes(t, data, o)
		list := plain.Findings.List()
		if plain.Valid() != (verify.Fold(list) == verify.Pass) {
			t.Fatalf("valid %v with %+v", plain.Valid(), list)
		}
		if plain.Valid() && plain.Records == 0 {
			t.Fatal("a journal without a record is valid")
		}
		for i, x := range list {
			if r, known := Table.Lookup(x.Rule); !known || r.Severity != x.Severity {
				t.Fatalf("%+v is not in the table", x)
			}
			if i > 0 && (list[i-1].Line > x.Line || list[i-1].Line == x.Line && list[i-1].Rule > x.Rule) {
				t.Fatalf("%+v comes after %+v", x, list[i-1])
			}
			if x.Line < 1 || x.Line > max(plain.Lines, 1) || len(x.Found) > verify.MaxText || strings.ContainsAny(x.Found, "\n\x1b") {
				t.Fatalf("%+v", x)
			}
		}
		o.Workers = 3
		if d := cmp.Diff(answerOf(plain), answerOf(verifyBytes(t, data, o))); d != "" {
			t.Fatal(d)
		}
		o.Demand = StrictTail | Terminal | NoWarnings
		if strict := verifyBytes(t, data, o); strict.Valid() && !plain.Valid() {
			t.Fatal("demanding more made it valid")
		}
		told := 0
		view, err := Show(context.Background(), bytes.NewReader(data), o, func(e Entry) error {
			told++
			if e.Line < 1 || strings.ContainsAny(e.Text+e.Task+e.Attempt+e.Phase, "\n\x1b") {
				t.Fatalf("%+v", e)
			}
			return nil
		})
		if err != nil || view.Records != plain.Records || told > view.Records {
			t.Fatalf("%+v after %d entries, error %v", view, told, err)
		}
	})
}

// What Verify cannot do is told by a named error, and there is no result.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	bad := "no/slash"
	tilde := "/a~2"
	for _, o := range []Options{{Payload: bad}, {Payload: tilde}, {Seq: &bad}, {Timestamp: &bad}, {PrevHash: &tilde}, {MaxLine: -1}, {MaxLine: MaxMaxLine + 1}} {
		var option *OptionError
		if r, err := Verify(ctx, strings.NewReader("{}\n"), o); r != nil || !errors.As(err, &option) || option.Reason == "" {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	if r, err := Verify(ctx, strings.NewReader("{}\n"), Options{RunDir: filepath.Join(t.TempDir(), "none")}); r != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	broken := errors.New("disk on fire")
	if r, err := Verify(ctx, iotest.ErrReader(broken), Options{}); r != nil || !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := Verify(stopped, bytes.NewReader(journal(t, 1, 1)), Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
