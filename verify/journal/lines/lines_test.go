package lines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain splits in the plainest way there is, as the check of the reader.
func plain(data []byte, maxLine int) ([]Line, Summary) {
	sum := Summary{Bytes: int64(len(data))}
	data, sum.BOM = bytes.CutPrefix(data, bom)
	offset := sum.Bytes - int64(len(data))
	var list []Line
	parts := bytes.Split(data, lf)
	for i, text := range parts {
		last := i == len(parts)-1
		if last && len(text) == 0 {
			break
		}
		l := Line{Text: text, Number: i + 1, Offset: offset, Size: int64(len(text)), Terminated: !last}
		if len(text) > maxLine {
			l.Text, l.TooLong = text[:min(Peek, maxLine)], true
		}
		if last {
			sum.Tail = l.Size
		}
		list = append(list, l)
		offset = l.End()
	}
	sum.Lines = len(list)
	return list, sum
}

func sameLine(a, b Line) bool {
	text := bytes.Equal(a.Text, b.Text)
	return text && a.Number == b.Number && a.Offset == b.Offset && a.Size == b.Size && a.Terminated == b.Terminated && a.TooLong == b.TooLong
}

func copied(l Line) Line {
	l.Text = bytes.Clone(l.Text)
	return l
}

func readAll(t interface{ Fatal(...any) }, r io.Reader, o Options) ([]Line, Summary) {
	var got []Line
	reader := NewReader(r, o)
	for {
		l, err := reader.Next()
		if err == io.EOF {
			return got, reader.Summary()
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, copied(l))
	}
}

func processAll(r io.Reader, o Options) ([]Line, Summary, error) {
	var got []Line
	sum, err := Process(context.Background(), r, o, Stages[[]Line]{
		Worker: func() func([]Line, *[]Line) {
			return func(batch []Line, out *[]Line) {
				*out = (*out)[:0]
				for _, l := range batch {
					*out = append(*out, copied(l))
				}
			}
		},
		Deliver: func(batch []Line, out *[]Line) error {
			if len(batch) != len(*out) || len(batch) > BatchLines {
				return fmt.Errorf("a batch of %d lines, %d parsed", len(batch), len(*out))
			}
			got = append(got, *out...)
			return nil
		},
	})
	return got, sum, err
}

// streams draws what a journal or an attacker may hold: short and long lines,
// runs of LF, a byte order mark, a tail.
func streams(t *rapid.T) []byte {
	var b bytes.Buffer
	if rapid.Bool().Draw(t, "bom") {
		b.Write(bom)
	}
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		piece := rapid.SampledFrom([]string{"\n", "a\n", "\r\n", "{\"k\":1}\r\n", strings.Repeat("x", 90) + "\n", strings.Repeat("y", 3000) + "\n",
			strings.Repeat("z", BatchBytes) + "\n", strings.Repeat("w", readBytes+17) + "\n", "\xff\xfe\n", string(bom) + "\n"}).Draw(t, "piece")
		times := rapid.SampledFrom([]int{1, 2, 100, 5000}).Draw(t, "times")
		b.WriteString(strings.Repeat(piece, min(times, 1+300_000/len(piece))))
	}
	b.WriteString(rapid.SampledFrom([]string{"", "t", " ", "{\"half\":", strings.Repeat("q", 5000)}).Draw(t, "tail"))
	return b.Bytes()
}

func TestReadersAgreeWithThePlainSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := streams(t)
		maxLine := rapid.SampledFrom([]int{1, 10, 300, 4000, BatchBytes, readBytes, 1 << 20}).Draw(t, "max")
		want, wantSum := plain(data, maxLine)
		reads := rapid.SampledFrom([]func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
		}).Draw(t, "reads")
		o := Options{MaxLine: maxLine, Workers: rapid.IntRange(1, 5).Draw(t, "workers")}
		got, sum := readAll(t, reads(bytes.NewReader(data)), o)
		if !slices.EqualFunc(want, got, sameLine) || sum != wantSum {
			t.Fatalf("Next: %+v, want %+v\n%.2000s", sum, wantSum, cmp.Diff(want, got))
		}
		h := sha256.New()
		o.Tee = h
		got, sum, err := processAll(reads(bytes.NewReader(data)), o)
		if !slices.EqualFunc(want, got, sameLine) || sum != wantSum || err != nil {
			t.Fatalf("Process: %+v, want %+v, error %v\n%.2000s", sum, wantSum, err, cmp.Diff(want, got))
		}
		if digest := sha256.Sum256(data); !bytes.Equal(h.Sum(nil), digest[:]) {
			t.Fatal("the tee saw other bytes than the stream has")
		}
	})
}

func TestOneByteReads(t *testing.T) {
	data := []byte("\xef\xbb\xbf{}\n\n" + strings.Repeat("a", 40) + "\nlast")
	want, wantSum := plain(data, 30)
	got, sum := readAll(t, iotest.OneByteReader(bytes.NewReader(data)), Options{MaxLine: 30})
	if len(got) != len(want) || sum != wantSum {
		t.Fatalf("got %d lines and %+v, want %d and %+v", len(got), sum, len(want), wantSum)
	}
	if !got[2].TooLong || got[2].Size != 40 || got[3].Terminated {
		t.Errorf("got %+v and %+v", got[2], got[3])
	}
}

// A line of 100 MB is told of, and never held.
func TestHugeLineIsNotBuffered(t *testing.T) {
	const size = 100_000_000
	stream := func() io.Reader {
		return io.MultiReader(strings.NewReader("{}\n"), io.LimitReader(letters{}, size), strings.NewReader("\n{}\n"))
	}
	for _, workers := range []int{1, 4} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, sum, err := processAll(stream(), Options{MaxLine: 1 << 20, Workers: workers})
		runtime.ReadMemStats(&after)
		if err != nil || len(got) != 3 || sum.Bytes != size+7 {
			t.Fatalf("%d lines, %+v, error %v", len(got), sum, err)
		}
		if l := got[1]; !l.TooLong || l.Size != size || l.Number != 2 || len(l.Text) != Peek || got[2].Offset != size+4 {
			t.Errorf("got %d bytes of line %d, size %d", len(l.Text), l.Number, l.Size)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%d bytes were allocated in all", used)
		}
	}
}

type letters struct{}

var manyLetters = bytes.Repeat([]byte("x"), 1<<20)

func (letters) Read(p []byte) (int, error) { return copy(p, manyLetters), nil }

func TestStreamErrorIsNotTheEnd(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, rest := range []string{"", "half a li", strings.Repeat("x", 3000)} {
		stream := func() io.Reader {
			return io.MultiReader(strings.NewReader("{}\n{}\n"+rest), iotest.ErrReader(broken))
		}
		got, _, err := processAll(stream(), Options{MaxLine: 1000})
		if !errors.Is(err, broken) || len(got) != 2 {
			t.Errorf("rest %.10q: %d lines, error %v", rest, len(got), err)
		}
		r := NewReader(stream(), Options{MaxLine: 1000})
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := r.Next(); !errors.Is(err, broken) {
				t.Errorf("rest %.10q: error %v", rest, err)
			}
		}
	}
}

func TestReaderThatNeverAnswers(t *testing.T) {
	if _, err := NewReader(silent{}, Options{}).Next(); !errors.Is(err, errNoProgress) {
		t.Errorf("error %v", err)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestDeliverAndContextStopEverything(t *testing.T) {
	data := strings.Repeat("{}\n", 300_000)
	stop := errors.New("seen enough")
	batches := 0
	_, err := Process(context.Background(), strings.NewReader(data), Options{}, Stages[int]{
		Worker:  func() func([]Line, *int) { return func([]Line, *int) {} },
		Deliver: func([]Line, *int) error { batches++; return stop },
	})
	if !errors.Is(err, stop) || batches != 1 {
		t.Errorf("%d batches, error %v", batches, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	batches = 0
	sum, err := Process(ctx, strings.NewReader(data), Options{}, Stages[int]{
		Worker:  func() func([]Line, *int) { return func([]Line, *int) {} },
		Deliver: func([]Line, *int) error { batches++; cancel(); return nil },
	})
	if !errors.Is(err, context.Canceled) || batches != 1 || sum.Bytes == int64(len(data)) {
		t.Errorf("%d batches, %+v, error %v", batches, sum, err)
	}
}

func TestBlankAndEnds(t *testing.T) {
	for text, blank := range map[string]bool{"": true, " \t\r": true, "x": false, "\v": false, " {} ": false, "\u00a0": false} {
		l := Line{Text: []byte(text), Terminated: true}
		if l.Blank() != blank {
			t.Errorf("%q: blank %v", text, !blank)
		}
		if l.CRLF() != strings.HasSuffix(text, "\r") || bytes.HasSuffix(l.WithoutCR(), cr) {
			t.Errorf("%q: wrong line end", text)
		}
	}
	if l := (Line{Text: []byte(" "), TooLong: true}); l.Blank() {
		t.Error("a line whose end was not seen is not blank")
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "j")
	if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, size, err := Open(name)
	if err != nil || size != 3 {
		t.Fatalf("size %d, error %v", size, err)
	}
	f.Close()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, fifo} {
		var not *NotRegularError
		if _, _, err := Open(path); !errors.As(err, &not) || not.Path != path {
			t.Errorf("%s: error %v", path, err)
		}
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbf{}\r\n\n{"), 3)
	f.Add([]byte(strings.Repeat("\n", 9000)), 1)
	f.Fuzz(func(t *testing.T, data []byte, maxLine int) {
		if maxLine < 1 || maxLine > 1<<16 {
			return
		}
		want, wantSum := plain(data, maxLine)
		got, sum, err := processAll(bytes.NewReader(data), Options{MaxLine: maxLine, Workers: 3})
		if err != nil || sum != wantSum || !slices.EqualFunc(want, got, sameLine) {
			t.Fatalf("%+v, want %+v, error %v", sum, wantSum, err)
		}
	})
}

func BenchmarkProcess(b *testing.B) {
	data := []byte(strings.Repeat(strings.Repeat("x", 290)+"\n", 50_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_, err := Process(context.Background(), bytes.NewReader(data), Options{}, Stages[int]{
			Worker:  func() func([]Line, *int) { return func([]Line, *int) {} },
			Deliver: func([]Line, *int) error { return nil },
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
