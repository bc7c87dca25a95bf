package privacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/verify"
)

// Secrets of tests are put together, so that no scanner finds them here.
var (
	hubToken = "gh" + "p_RwV0EUoKDxoLLP0qy3" + "JmcW5RqpGvMUDepEru"
	address  = "kim@harbor" + ".test"
)

// tree writes files by path: text, or a folder for a path that ends in "/".
func writeTree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		full := filepath.Join(dir, path)
		if strings.HasSuffix(path, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		write(t, full, []byte(text))
	}
	return dir
}

func TestAPipeNeverBlocks(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.txt": "ok\n"})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	done := make(chan *Result, 1)
	go func() { done <- scanDir(t, dir, Options{}) }()
	select {
	case r := <-done:
		if !r.OK() || r.StrictOK() || ids(r.Hardening)[0] != "privacy.strict.special-file" {
			t.Errorf("%v %v", r.Findings, r.Hardening)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the scan waits on a pipe")
	}
	// A file that is replaced by a pipe between its listing and its opening.
	s := newScanner(Options{Level: verify.Base}, nil)
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	s.open = func(e entry) (source, error) { return openFile(root, e) }
	if got := s.file(t.Context(), entry{"pipe", "pipe"}, make([]byte, 64)); got.failed == nil || got.failed.Rule != "privacy.read.failed" {
		t.Errorf("%+v", got.failed)
	}
}

// What is read must be what was inspected.
func TestChangesWhileReading(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(t *testing.T, path string)
		changed bool
	}{
		"nothing": {func(t *testing.T, path string) {}, false},
		"grown": {func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			defer f.Close()
			_, err = f.WriteString("more\n")
			must(t, err)
		}, true},
		"cut":     {func(t *testing.T, path string) { must(t, os.Truncate(path, 1)) }, true},
		"touched": {func(t *testing.T, path string) { must(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))) }, true},
		"mode":    {func(t *testing.T, path string) { must(t, os.Chmod(path, 0o600)) }, true}, // only the change time tells
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"a.txt": "one line\n"})
			root, err := os.OpenRoot(dir)
			must(t, err)
			defer root.Close()
			time.Sleep(20 * time.Millisecond) // beyond the grain of the file system's clock
			s := newScanner(Options{}, func(e entry) (source, error) {
				src, err := openFile(root, e)
				c.change(t, filepath.Join(dir, "a.txt"))
				return src, err
			})
			if got := s.file(t.Context(), entry{"a.txt", "a.txt"}, make([]byte, 64)); got.failed != nil || got.changed != c.changed {
				t.Errorf("changed: %v, want %v (%v)", got.changed, c.changed, got.failed)
			}
		})
	}
}

// endless grows as fast as it is read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "harmless line\n"[e.read%14]
		e.read++
	}
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestAFileThatGrowsForEverEnds(t *testing.T) {
	for _, level := range []verify.Level{verify.Base, verify.Strict} {
		in := &endless{}
		s := newScanner(Options{Level: level}, func(entry) (source, error) { return source{ReadCloser: in}, nil })
		got := s.file(t.Context(), entry{path: "log"}, make([]byte, blockSize))
		if got.failed == nil || got.failed.Rule != s.bounds.rule || in.read > maxGrowth+blockSize {
			t.Errorf("%s: %v after %d bytes", level, got.failed, in.read)
		}
	}
}

func TestBoundsAreGateErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	long := strings.Repeat("x", MaxLine)
	for name, c := range map[string]struct {
		files map[string]string
		ok    bool
	}{
		"line at the bound":   {map[string]string{"a": long + "\n" + long}, true},
		"line over the bound": {map[string]string{"a": long + "x\n"}, false},
		"last line over":      {map[string]string{"a": "b\n" + long + "x"}, false},
		"binary long line":    {map[string]string{"a": long + "xx\x00"}, true}, // a finding, not an error
		"file at the bound":   {map[string]string{"a": strings.Repeat(strings.Repeat("x", 1023)+"\n", MaxFile>>10)}, true},
		"file over the bound": {map[string]string{"a": strings.Repeat(strings.Repeat("x", 1023)+"\n", MaxFile>>10) + "x"}, false},
		"findings":            {map[string]string{"a": strings.Repeat(address+"\n", MaxFindings)}, true},
		"too many findings":   {map[string]string{"a": strings.Repeat(address+"\n", MaxFindings/2), "b": strings.Repeat(address+"\n", MaxFindings/2+1)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, c.files)
			strict := scanDir(t, dir, Options{})
			if (strict.Error == nil) != c.ok || !c.ok && strict.Error.Rule != "privacy.strict.bounds" {
				t.Errorf("strict: %v", strict.Error)
			}
			if !c.ok && (len(strict.Findings) > 0 || len(strict.Files) > 0) {
				t.Error("something is told beside the gate error")
			}
			if base := scanDir(t, dir, Options{Level: verify.Base}); base.Error != nil {
				t.Errorf("base: %v", base.Error)
			}
		})
	}
}

// Lines beyond the bound of base level are no text that was read, unless the
// file turns out to be binary.
func TestVeryLongLines(t *testing.T) {
	if testing.Short() {
		t.Skip("a file of 65 MiB")
	}
	for text, want := range map[string]string{"\xc3": "", "é": "privacy.read.failed"} {
		in := io.MultiReader(io.LimitReader(spaces{}, MaxBaseLine+1), strings.NewReader(text))
		s := newScanner(Options{Level: verify.Base}, func(entry) (source, error) { return source{ReadCloser: io.NopCloser(in), size: MaxBaseLine + 8}, nil })
		got := s.file(t.Context(), entry{path: "log"}, make([]byte, blockSize))
		rule := ""
		if got.failed != nil {
			rule = got.failed.Rule
		}
		if rule != want || want == "" && !got.binary {
			t.Errorf("%q: %v, binary %v", text, got.failed, got.binary)
		}
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The last match of a long line is found, with its column.
func TestLongLinesAreScannedWhole(t *testing.T) {
	r := scanOf(t, []byte(strings.Repeat("é", 400_000)+" "+hubToken+"\n"), Options{Level: verify.Base})
	if len(r.Findings) != 1 || r.Findings[0].Column != 400_002 {
		t.Errorf("%v", r.Findings)
	}
}

// However the bytes come, and however large the buffer is, the same is found.
func TestPiecesDoNotMatter(t *testing.T) {
	parts := append([]string{"\n", "\r\n", "\uFEFF", "\xff", "\x01", hubToken, address, "password = 12345678x\r"}, pieces...)
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts"), ""))
		read := func(in io.Reader, buf int) content {
			s := newScanner(Options{Level: verify.Base}, nil)
			r := s.reader("a.txt")
			r.maxSize = MaxFile
			c, err := r.read(context.Background(), in, make([]byte, buf))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		want := read(bytes.NewReader(text), 1<<16)
		got := read(&pieceReader{text, rapid.IntRange(1, 9).Draw(t, "piece")}, rapid.IntRange(1, 40).Draw(t, "buffer"))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: in pieces %+v, at once %+v", text, got, want)
		}
	})
}

type pieceReader struct {
	rest []byte
	n    int
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.n, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// Files are read side by side; the report does not show it.
func TestWorkersDoNotMatter(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%d/f%02d.txt", i%7, i)] = strings.Repeat("x\n", i) + address + " " + hubToken + "\n"
	}
	dir := writeTree(t, files)
	one := scanDir(t, dir, Options{Level: verify.Base, Workers: 1})
	many := scanDir(t, dir, Options{Level: verify.Base, Workers: 16})
	if !reflect.DeepEqual(one, many) || len(one.Findings) != 120 {
		t.Errorf("%d findings by one, %d by many", len(one.Findings), len(many.Findings))
	}
}

// Of several failures always the same one is told.
func TestFailuresAreDeterministic(t *testing.T) {
	for range 20 {
		s := newScanner(Options{Level: verify.Base, Workers: 8}, func(e entry) (source, error) { return source{}, errors.New(e.path) })
		_, failed := s.all(t.Context(), []entry{{path: "a"}, {path: "b"}, {path: "c"}})
		if failed == nil || failed.Path != "a" {
			t.Fatalf("%v", failed)
		}
	}
}

func TestDeepFolders(t *testing.T) {
	dir, deep := t.TempDir(), 300
	if testing.Short() {
		deep = 100
	}
	path := filepath.Join(dir, strings.Repeat("d/", deep))
	must(t, os.MkdirAll(path, 0o755))
	must(t, os.WriteFile(filepath.Join(path, "a.txt"), []byte(hubToken+"\n"), 0o644))
	r := scanDir(t, dir, Options{})
	if len(r.Findings) != 1 || r.Error != nil {
		t.Errorf("%v %v", r.Error, r.Findings)
	}
	// Deeper than any path may be long: a gate error, not half a scan.
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	name := strings.Repeat("n", 250)
	at := ""
	for range MaxPath/250 + 1 {
		at += name + "/"
		must(t, root.Mkdir(strings.TrimSuffix(at, "/"), 0o755))
	}
	if r := scanDir(t, dir, Options{Level: verify.Base}); r.Error == nil || r.Error.Rule != "privacy.read.failed" {
		t.Errorf("%v", r.Error)
	}
	must(t, root.RemoveAll(name))
}

func TestManyTinyFiles(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	dir := t.TempDir()
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprint(i/1000))
		if i%1000 == 0 {
			must(t, os.Mkdir(folder, 0o755))
		}
		must(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("x\n"), 0o644))
	}
	if r := scanDir(t, dir, Options{}); !r.StrictOK() || r.Counts.Scanned != n {
		t.Errorf("%v, %d files", r.Error, r.Counts.Scanned)
	}
}

func TestTooManyFiles(t *testing.T) {
	tr := &tree{files: map[string]entry{}}
	for i := range MaxFiles {
		tr.files[fmt.Sprint(i)] = entry{}
	}
	if failed := tr.tooMany(verify.Strict); failed != nil {
		t.Errorf("at the bound: %v", failed)
	}
	tr.files["one more"] = entry{}
	if failed := tr.tooMany(verify.Strict); failed == nil || failed.Rule != "privacy.strict.bounds" {
		t.Errorf("over the bound: %v", failed)
	}
	if failed := tr.tooMany(verify.Base); failed != nil {
		t.Errorf("base: %v", failed)
	}
}

func TestNamesThatAreNoText(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.txt": hubToken})
	if err := os.WriteFile(filepath.Join(dir, "b\xff"), nil, 0o644); err != nil {
		t.Skip("the file system refuses such names")
	}
	r := scanDir(t, dir, Options{Level: verify.Base})
	if r.Error == nil || r.Error.Rule != "privacy.read.name" || len(r.Findings) > 0 {
		t.Errorf("%v", r.Error)
	}
}

func TestUnreadableFilesEndTheScan(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := writeTree(t, map[string]string{"a.txt": hubToken, "b.txt": "x"})
	must(t, os.Chmod(filepath.Join(dir, "b.txt"), 0))
	if r := scanDir(t, dir, Options{}); r.Error == nil || r.Error.Rule != "privacy.read.failed" {
		t.Errorf("%v", r.Error)
	}
}

func TestApprovedBinaries(t *testing.T) {
	dir := writeTree(t, map[string]string{"i.png": "\x00"})
	sum := "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
	for name, c := range map[string]struct {
		approval Approval
		ok       bool
	}{
		"exact":      {Approval{"i.png", sum}, true},
		"other path": {Approval{"j.png", sum}, false},
		"other file": {Approval{"i.png", strings.Repeat("0", 64)}, false},
	} {
		r := scanDir(t, dir, Options{Level: verify.Base, Approved: []Approval{c.approval}})
		if r.OK() != c.ok {
			t.Errorf("%s: %v", name, r.Findings)
		}
		if notes := strings.Join(r.Report(verify.Subject{}).Notes, "\n"); !strings.Contains(notes, c.approval.SHA256) {
			t.Errorf("%s: the report does not tell what was approved: %s", name, notes)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := writeTree(t, map[string]string{"a.txt": hubToken})
	if r, err := Scan(ctx, dir, Options{GitErr: errors.New("no git")}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", r, err)
	}
}

func TestStaged(t *testing.T) {
	dir := writeTree(t, map[string]string{"old.txt": address + "\n", "kept.txt": "x\n", "sub/b.txt": "y\n"})
	runGit(t, dir, "init", "-q")
	opt := Options{Mode: Staged, Level: verify.Base, Git: findGit(t)}
	scan := func() *Result {
		t.Helper()
		r, err := Scan(t.Context(), dir, opt)
		must(t, err)
		return r
	}
	runGit(t, dir, "add", ".")
	if r := scan(); len(r.Findings) != 1 || r.Counts.Scanned != 3 {
		t.Errorf("before the first commit: %v, %d files", r.Findings, r.Counts.Scanned)
	}
	runGit(t, dir, "commit", "-q", "-m", "x")
	if r := scan(); !r.OK() || r.Counts.Scanned != 0 {
		t.Errorf("nothing staged: %v", r.Findings)
	}
	// What is staged counts, not what is in the work tree.
	write(t, filepath.Join(dir, "new.txt"), []byte(hubToken+"\n"))
	must(t, os.Symlink("new.txt", filepath.Join(dir, "link")))
	runGit(t, dir, "add", "new.txt", "link")
	write(t, filepath.Join(dir, "new.txt"), []byte("clean\n"))
	write(t, filepath.Join(dir, "kept.txt"), []byte(hubToken+"\n"))
	if got := ids(scan().Findings); !reflect.DeepEqual(got, []string{"privacy.file.symlink", "privacy.content.github-token"}) {
		t.Errorf("%v", got)
	}
	opt.GitErr = errors.New("no git")
	if r := scan(); r.Error == nil || r.Error.Rule != "privacy.tracked.unreadable" {
		t.Errorf("%v", r.Error)
	}
}

func TestGitUnavailable(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.txt": "x\n"})
	if r := scanDir(t, dir, Options{}); !r.StrictOK() || len(r.Notes) != 1 {
		t.Errorf("no repository: %v %v", r.Hardening, r.Notes)
	}
	must(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: nowhere\n"), 0o644))
	r := scanDir(t, dir, Options{})
	if got := ids(r.Hardening); len(got) != 1 || got[0] != "privacy.strict.git-unavailable" || !r.OK() {
		t.Errorf("%v", got)
	}
	if v := r.Report(verify.Subject{}).Verdict(); v != verify.Incomplete {
		t.Errorf("verdict %v", v)
	}
}

// Strict level refuses whatever base level refuses.
func TestStrictRefusesMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"\n", "\x00"}, pieces...)), 0, 20).Draw(t, "parts"), "")
		found := func(level verify.Level) (n int, binary bool) {
			s := newScanner(Options{Level: level}, nil)
			r := s.reader("a.txt")
			r.maxSize = MaxFile
			c, err := r.read(context.Background(), strings.NewReader(text), make([]byte, 512))
			if err != nil {
				t.Fatal(err)
			}
			return len(c.found), c.binary
		}
		base, baseBinary := found(verify.Base)
		strict, strictBinary := found(verify.Strict)
		if strict < base || baseBinary != strictBinary {
			t.Fatalf("%q: base finds %d, strict %d", text, base, strict)
		}
	})
}

// A scan of nothing is ok by the format, and no pass.
func TestNothingScannedIsNoPass(t *testing.T) {
	r := scanDir(t, t.TempDir(), Options{Level: verify.Base})
	if v := r.Report(verify.Subject{}).Verdict(); !r.OK() || v != verify.Incomplete {
		t.Errorf("ok %v, verdict %v", r.OK(), v)
	}
}

// A repository that Git opens and we will not is not the same as none: what it
// tracks in folders that are passed over would go unseen.
func TestARepositoryThatCannotBeListedIsAnError(t *testing.T) {
	dir := writeTree(t, map[string]string{"node_modules/x": address + "\n"})
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "-f", ".")
	opt := Options{Level: verify.Base, Git: findGit(t)}
	r, err := Scan(t.Context(), dir, opt)
	must(t, err)
	if r.Error != nil || len(r.Findings) != 1 {
		t.Fatalf("%v %v", r.Error, r.Findings)
	}
	var drivers strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&drivers, "[filter \"f%d\"]\n\tclean = cat\n", i)
	}
	config := filepath.Join(dir, ".git", "config")
	before, err := os.ReadFile(config)
	must(t, err)
	write(t, config, append(before, drivers.String()...))
	if r, err = Scan(t.Context(), dir, opt); err != nil || r.Error == nil || r.Error.Rule != "privacy.tracked.unreadable" {
		t.Errorf("%v %v", r, err)
	}
}
