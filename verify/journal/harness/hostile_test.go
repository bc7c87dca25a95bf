package harness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"finishline/verify"
)

const openAndClose = `{"kind":"run.open"}` + "\n" + `{"kind":"run.complete"}` + "\n"

// repeated is a stream of one text again and again, up to a size.
func repeated(text string, size int64) io.Reader {
	block := strings.Repeat(text, 1+(64<<10)/len(text)) // a byte at a time would be slow
	return io.LimitReader(&loop{text: []byte(block)}, size/int64(len(text))*int64(len(text)))
}

type loop struct {
	text []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c := copy(p[n:], l.text[l.at:])
		n += c
		l.at = (l.at + c) % len(l.text)
	}
	return n, nil
}

// watchHeap tells the greatest heap in use while something runs.
func watchHeap(run func()) uint64 {
	runtime.GC()
	var most atomic.Uint64
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapInuse))
			}
		}
	}()
	run()
	close(stop)
	<-done
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return max(most.Load(), m.HeapInuse)
}

// Whatever a journal consists of, memory stays bounded.
func TestHostileJournalsStayInBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("streams of many megabytes")
	}
	big := int64(5 << 20)
	dense := "[" + strings.Repeat("0,", 500_000) + "0]\n"
	for name, text := range map[string]string{
		"blank lines":          "\n",
		"bad lines":            "x\n",
		"unknown kinds":        `{"kind":"?"}` + "\n",
		"dense lines":          dense,
		"deep lines":           strings.Repeat("[", 1_000_000) + "\n",
		"many members":         `{` + members(60_000) + `}` + "\n",
		"escaped members":      `{` + strings.ReplaceAll(members(60_000), `"m`, `"\u006d`) + `}` + "\n",
		"a line without end":   strings.Repeat("y", 1<<20),
		"sound records":        `{"kind":"quarantine","phase":"p","reason":"` + strings.Repeat("r", 200) + `"}` + "\n",
		"long strings escaped": `{"kind":"quarantine","phase":"p","reason":"` + strings.Repeat(`\u00e9`, 100_000) + `"}` + "\n",
		"long integers":        `{"kind":"verify.retry","task":"t","attempt":` + strings.Repeat("9", 500_000) + `,"code":1}` + "\n",
		"many findings":        `{"kind":"attempt.reply","attemptId":"none","valid":false,"replyPath":"p"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			var r *Result
			start := time.Now()
			most := watchHeap(func() {
				var err error
				r, err = Verify(context.Background(), io.MultiReader(strings.NewReader(openAndClose), repeated(text, big)), Options{})
				if err != nil {
					t.Error(err)
				}
			})
			if most > 100<<20 {
				t.Errorf("%d MiB of heap", most>>20)
			}
			t.Logf("%d MiB of heap, %v, %d findings kept", most>>20, time.Since(start).Round(time.Millisecond), len(r.Findings.List()))
			for rule, n := range r.Findings.Omitted() {
				if n < 1 {
					t.Errorf("%s: %d omitted", rule, n)
				}
			}
		})
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"m%d":%d`, i, i)
	}
	return b.String()
}

// A line of 100 MB is told of in a moment, and the rest is read.
func TestHugeLine(t *testing.T) {
	const size = 100_000_000
	stream := io.MultiReader(strings.NewReader(`{"kind":"run.open"}`+"\n"), repeated("z", size), strings.NewReader("\n{\"kind\":\"run.complete\"}\n"))
	var r *Result
	most := watchHeap(func() {
		var err error
		if r, err = Verify(context.Background(), stream, Options{}); err != nil {
			t.Fatal(err)
		}
	})
	list := r.Findings.List()
	if most > 32<<20 || len(list) != 2 || list[1].Rule != "harness.line.too-long" || list[1].Line != 2 || list[1].Found != "100000000 bytes" || r.Records != 2 || r.Lines != 3 {
		t.Errorf("%d MiB, %d records, %+v", most>>20, r.Records, list)
	}
}

// The true number of findings is told although few are kept.
func TestFindingsAreCounted(t *testing.T) {
	data := openAndClose + strings.Repeat("x\n", 3000)
	r := verifyBytes(t, []byte(data), Options{})
	kept := 0
	for _, f := range r.Findings.List() {
		if f.Rule == "harness.line.json" {
			kept++
		}
	}
	if omitted := r.Findings.Omitted()["harness.line.json"]; kept != verify.MaxPerRule || kept+omitted != 3000 {
		t.Errorf("%d kept, %d omitted", kept, omitted)
	}
}

// More distinct ids than are remembered are refused, with the line.
func TestTooManyIds(t *testing.T) {
	cfg, err := Options{}.check()
	if err != nil {
		t.Fatal(err)
	}
	s := newState(cfg)
	s.cost = MaxState
	if _, err := s.apply(&record{line: 7, kind: planError, vals: make([]val, 1)}); err != nil {
		t.Fatalf("at the bound: %v", err)
	}
	s.texts.add(bytes.Repeat([]byte("x"), 10))
	_, err = s.apply(&record{line: 8, kind: planError, vals: make([]val, 1)})
	if se, ok := err.(*StateError); !ok || se.Line != 8 {
		t.Errorf("error %v", err)
	}
}

// What a journal repeats costs the same each time: a result with a form of its
// own in every record, and a run that is reopened over and over while much
// waits.
func TestRepetitionIsNotQuadratic(t *testing.T) {
	const many = 60_000
	var forms, waits bytes.Buffer
	forms.WriteString(openAndClose[:len(`{"kind":"run.open"}`)+1])
	waits.WriteString(forms.String())
	for i := range many {
		fmt.Fprintf(&forms, `{"kind":"task.checkpoint","checkpointId":"%d","planDigest":"p","taskId":"t","taskContractDigest":"c","dependencyCheckpointIds":[],"baseCommit":"%d","resultCommit":"r","qualityReceipt":"q","leaseToken":"l","leaseEpoch":1}`+"\n", i, i)
		fmt.Fprintf(&waits, `{"kind":"rate-limit.parked","task":"t","taskId":"t","phase":"%d","binding":"b","runId":"r","failureClass":"c","failureFingerprint":"f","baseHead":"h","taskHead":"h"}`+"\n", i)
	}
	forms.WriteString(`{"kind":"integration.applied","taskId":"t","planDigest":"p","taskContractDigest":"c","qualityReceipt":"q","baseCommit":"0","resultCommit":"r"}` + "\n")
	waits.WriteString(strings.Repeat(`{"kind":"run.interrupted","status":"incomplete","signal":"TERM"}`+"\n"+`{"kind":"run.open"}`+"\n", many))
	start := time.Now()
	mismatch := "harness.checkpoint.integration-mismatch"
	if n := verifyBytes(t, forms.Bytes(), Options{}).Findings.Omitted()[mismatch]; n != many-1-verify.MaxPerRule {
		t.Errorf("%d of %s are counted only", n, mismatch)
	}
	if r := verifyBytes(t, waits.Bytes(), Options{}); r.State != "open" || hasRule(r, "harness.rate-limit.") {
		t.Errorf("%s: %+v", r.State, r.Findings.List())
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
