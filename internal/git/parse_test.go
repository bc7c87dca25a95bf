package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawRecords draws the entries of a legal index.
func drawRecords(t *rapid.T, idBytes int) []indexRecord {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c\xff]{1,3}(/[a-c \n]{1,3}){0,3}`), 0, 12, rapid.ID).Draw(t, "names")
	slices.Sort(names)
	var records []indexRecord
	for _, name := range names {
		for _, stage := range rapid.SampledFrom([][]uint16{{0}, {1}, {2, 3}, {1, 2, 3}}).Draw(t, "stages") {
			e := indexRecord{
				stat:  rapid.SliceOfN(rapid.Byte(), indexStatBytes, indexStatBytes).Draw(t, "stat"),
				id:    rapid.SliceOfN(rapid.Byte(), idBytes, idBytes).Draw(t, "id"),
				ext:   rapid.SampledFrom([]uint16{0, 0, extSkipWorktree, extIntentToAdd, extSkipWorktree | extIntentToAdd}).Draw(t, "ext"),
				flags: stage<<12 | uint16(len(name)),
				path:  name,
			}
			binary.BigEndian.PutUint32(e.stat[statModeAt:], rapid.SampledFrom([]uint32{0o100644, 0o100755, 0o120000, 0o160000}).Draw(t, "mode"))
			if rapid.Bool().Draw(t, "assume") {
				e.flags |= flagAssumeUnchanged
			}
			if e.ext != 0 {
				e.flags |= flagExtended
			}
			records = append(records, e)
		}
	}
	return records
}

// What is written reads back as it was, but for a modification time of zero.
func TestIndexRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idBytes := rapid.SampledFrom([]int{20, 32}).Draw(t, "id bytes")
		want := &indexFile{records: drawRecords(t, idBytes), sparse: rapid.Bool().Draw(t, "sparse")}
		got, err := parseIndex(want.encode(idBytes), idBytes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.records {
			mtime := want.records[i].stat[statMtimeAt:][:4]
			if binary.BigEndian.Uint32(mtime) == 0 {
				binary.BigEndian.PutUint32(mtime, 1)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(indexFile{}, indexRecord{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParseIndex(f *testing.F) {
	r := sample(f)
	f.Add(r.Read(".git/index"))
	r.Git("update-index", "--index-version", "4")
	r.Git("update-index", "--skip-worktree", "a.txt")
	f.Add(r.Read(".git/index"))
	r.Git("update-index", "--index-version", "3", "--split-index")
	f.Add(r.Read(".git/index"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parseIndex(data, 20)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Reason != Malformed {
				t.Fatalf("error %v is not malformed data", err)
			}
			return
		}
		if file.split {
			return
		}
		again, err := parseIndex(file.encode(20), 20)
		if err != nil {
			t.Fatalf("what was written does not read: %v", err)
		}
		if len(again.records) != len(file.records) {
			t.Fatalf("%d entries became %d", len(file.records), len(again.records))
		}
		for i, e := range again.records {
			if !slices.Equal([]IndexEntry{e.public()}, []IndexEntry{file.records[i].public()}) {
				t.Fatalf("entry %d: %+v became %+v", i, file.records[i].public(), e.public())
			}
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a.txt\x0012345678901234567890" + "40000 dir\x0012345678901234567890"))
	f.Add([]byte("160000 \xff\x00" + strings.Repeat("\x00", 20)))
	f.Add([]byte("100644 ..\x0012345678901234567890"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data, 20)
		if err != nil {
			return
		}
		length := 0
		for _, e := range entries {
			if e.name == "" || e.name == "." || e.name == ".." || strings.ContainsAny(e.name, "/\x00") {
				t.Fatalf("entry named %q", e.name)
			}
			if len(e.id) != 40 || len(e.mode) != 6 {
				t.Fatalf("entry %+v", e)
			}
			length += len(e.name) + 22
		}
		if length > len(data) {
			t.Fatal("more entries than bytes")
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("core.bare\nfalse\x00filter.a.b.clean\ncat\nx\x00x.flag\x00"))
	f.Add([]byte("filter.clean\nx\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		c, err := parseConfig(out)
		if err != nil {
			return
		}
		if n := bytes.Count(out, []byte{0}); len(c.entries) != n {
			t.Fatalf("%d entries of %d records", len(c.entries), n)
		}
		for _, e := range c.entries {
			if last, ok := c.last(e.key); !ok || last != e.value && !slices.ContainsFunc(c.entries, func(o configEntry) bool { return o.key == e.key && o.value == last }) {
				t.Fatalf("value of %q", e.key)
			}
		}
		for _, d := range c.filters() {
			if !bytes.Contains(out, []byte("filter."+d+".")) {
				t.Fatalf("driver %q from nowhere", d)
			}
		}
	})
}

func TestConfiguredFilters(t *testing.T) {
	c, err := parseConfig([]byte("filter.b.clean\nx\x00filter.a.b.process\x00filter.a=b.smudge\ny\x00filter.c.required\ntrue\x00filter.clean\nz\x00xfilter.d.clean\nx\x00filter.b.smudge\n\x00filter.CASE.clean\n\x00"))
	must(t, err)
	if got, want := c.filters(), []string{"CASE", "a.b", "a=b", "b"}; !slices.Equal(got, want) {
		t.Errorf("drivers %q, want %q", got, want)
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add("HEAD", "0123456789012345678901234567890123456789 blob 12")
	f.Add("HEAD", "HEAD missing")
	f.Add("x commit", "x commit ambiguous")
	f.Fuzz(func(t *testing.T, name, line string) {
		a, size, err := parseHeader(name, line)
		if err == nil && (!isID(a.id) || !isType(a.typ) || size < 0) {
			t.Fatalf("accepted %q as %+v, %d", line, a, size)
		}
		if err == nil && strings.HasSuffix(line, " missing") {
			t.Fatalf("a missing object has an id: %+v", a)
		}
	})
}

func FuzzParseRecords(f *testing.F) {
	f.Add([]byte("a.txt\x00filter\x00evil\x00b\nc\x00filter\x00unspecified\x00"))
	f.Add([]byte("160000 0123 0\tmod\x00100644 0123 0\ta\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		if paths, err := parseFiltered(out, []string{"evil", "set"}); err == nil && len(paths) > bytes.Count(out, []byte{0})/3 {
			t.Fatalf("more paths than records: %q", paths)
		}
		if links, err := parseGitlinks(string(out)); err == nil {
			for _, l := range links {
				if !plainPath(l, false) {
					t.Fatalf("submodule at %q", l)
				}
			}
		}
		for _, name := range parseNames(out) {
			if name == "" || strings.Contains(name, "\x00") {
				t.Fatalf("name %q", name)
			}
		}
	})
}

func TestScanners(t *testing.T) {
	status := "?? a\x00 M b\x00R  new\x00?? old name\x00MM x\x00C  copy\x00from\x00A  ?? y\x00!! z\x00"
	diff := "diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\n+ GIT\r\n+++ b\n+line\r\n Subproject commit 12\n"
	wantStatus := StatusScanner{Untracked: 1, Tracked: 6, Renamed: 2}
	for _, chunk := range []int{1, 2, 3, 7, 1000} {
		var s StatusScanner
		var d DiffScanner
		for c := range slices.Chunk([]byte(status), chunk) {
			s.Write(c)
		}
		for c := range slices.Chunk([]byte(diff), chunk) {
			d.Write(c)
		}
		if s.Untracked != wantStatus.Untracked || s.Tracked != wantStatus.Tracked || s.Renamed != wantStatus.Renamed {
			t.Errorf("chunks of %d: status %+v, want %+v", chunk, s, wantStatus)
		}
		if !d.Binary || !d.Submodule || !d.AddedCR {
			t.Errorf("chunks of %d: diff %+v", chunk, d)
		}
	}
	var d DiffScanner
	d.Write([]byte("+GIT binary patch\n-old\r\n context\r\n+new\n\n+Subproject\n"))
	if d.Binary || d.Submodule || d.AddedCR {
		t.Errorf("near misses: %+v", d)
	}
}

func TestDecodeVarint(t *testing.T) {
	for text, want := range map[string]uint64{"00": 0, "7f": 127, "8000": 128, "8001": 129, "ff7f": 16511, "808000": 16512} {
		b, err := hex.DecodeString(text)
		must(t, err)
		if got, n := decodeVarint(b); got != want || n != len(b) {
			t.Errorf("varint %s = %d in %d bytes, want %d", text, got, n, want)
		}
	}
	for _, b := range [][]byte{nil, {0x80}, bytes.Repeat([]byte{0xff}, 20)} {
		if got, n := decodeVarint(b); n != 0 {
			t.Errorf("varint %x = %d", b, got)
		}
	}
}

func TestDubiousPath(t *testing.T) {
	for stderr, want := range map[string]string{
		"fatal: detected dubious ownership in repository at '/a b'\nTo add": "/a b",
		"fatal: unsafe repository ('/x' is owned by someone else)\n":        "/x",
		"fatal: something else": "",
	} {
		if got, ok := dubiousPath(stderr); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", stderr, got, ok)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		" a \"b\" \n": `a "b"`, "\x1b[31m": `\x1b[31m`, "é\u202e": `\u00e9\u202e`, strings.Repeat("x", 400): strings.Repeat("x", maxDetailBytes) + "...",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}
