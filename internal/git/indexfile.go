package git

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Layout of the index file, after Git's own description (gitformat-index): a header of 12 bytes ("DIRC", version, number of
// entries), the entries, extensions (4 bytes of name, 4 of length, content), and a hash of all that.
const (
	indexHeaderBytes = 12
	indexStatBytes   = 40 // ctime, mtime (8 each), dev, ino, mode, uid, gid, size (4 each)
	statMtimeAt      = 8
	statModeAt       = 24

	flagAssumeUnchanged = 0x8000
	flagExtended        = 0x4000
	flagNameMask        = 0x0fff
	extSkipWorktree     = 0x4000
	extIntentToAdd      = 0x2000

	maxIndexBytes = 64 << 20 // some 800,000 entries
)

// indexRecord is one entry. stat and id point into the file's bytes.
type indexRecord struct {
	stat  []byte
	id    []byte
	flags uint16
	ext   uint16
	path  string
}

func (e indexRecord) mode() uint32 { return binary.BigEndian.Uint32(e.stat[statModeAt:]) }
func (e indexRecord) stage() int   { return int(e.flags>>12) & 3 }

// directory tells whether the entry is a whole directory outside a sparse checkout.
func (e indexRecord) directory() bool { return e.mode()&0o170000 == 0o040000 }

// indexFile is what counts of an index.
type indexFile struct {
	records []indexRecord
	split   bool // entries are spread over a second file
	sparse  bool // some entries are directories outside a sparse checkout
}

// parseIndex reads an index file of version 2, 3 or 4 with ids of idBytes bytes. It is stricter than Git where Git trusts
// what it reads: entries have to be in order, without duplicates, and below the top level.
func parseIndex(data []byte, idBytes int) (*indexFile, error) {
	const op = "read index"
	if len(data) < indexHeaderBytes+idBytes || string(data[:4]) != "DIRC" {
		return nil, malformed(op, "not an index file")
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, malformed(op, "version %d", version)
	}
	body := data[:len(data)-idBytes]
	f := new(indexFile)
	at, previous := indexHeaderBytes, ""
	for range count {
		e, next, err := parseIndexRecord(body, at, idBytes, version, previous)
		if err != nil {
			return nil, err
		}
		f.records = append(f.records, e)
		at, previous = next, e.path
	}
	if err := f.parseExtensions(body[at:]); err != nil {
		return nil, err
	}
	if f.split {
		return f, nil // its entries mean something only together with those of the other file
	}
	return f, f.check()
}

// check refuses entries that Git would take at their word: out of order, twice, above the top level, or a directory where
// there are only files.
func (f *indexFile) check() error {
	const op = "read index"
	for i, e := range f.records {
		directory := strings.HasSuffix(e.path, "/")
		if directory != e.directory() || directory && !f.sparse || !plainPath(e.path, directory) {
			return malformed(op, "entry %q", e.path)
		}
		if i > 0 && compareRecords(f.records[i-1], e) >= 0 {
			return malformed(op, "entry %q is out of order", e.path)
		}
	}
	return nil
}

func compareRecords(a, b indexRecord) int {
	if c := strings.Compare(a.path, b.path); c != 0 {
		return c
	}
	return a.stage() - b.stage()
}

// plainPath tells whether a path stays below the top level and names one place. Directories of a sparse index end in "/".
func plainPath(path string, directory bool) bool {
	if directory {
		path = strings.TrimSuffix(path, "/")
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

func parseIndexRecord(body []byte, at, idBytes int, version uint32, previous string) (indexRecord, int, error) {
	bad := func(what string) (indexRecord, int, error) {
		return indexRecord{}, 0, malformed("read index", "entry at byte %d: %s", at, what)
	}
	var e indexRecord
	fixed := indexStatBytes + idBytes + 2
	if len(body)-at < fixed+2 {
		return bad("cut short")
	}
	e.stat = body[at : at+indexStatBytes]
	e.id = body[at+indexStatBytes : at+indexStatBytes+idBytes]
	e.flags = binary.BigEndian.Uint16(body[at+fixed-2:])
	if e.flags&flagExtended != 0 {
		e.ext = binary.BigEndian.Uint16(body[at+fixed:])
		fixed += 2
		if e.ext&^(extSkipWorktree|extIntentToAdd) != 0 {
			return bad("unknown flags")
		}
	}
	name := body[at+fixed:]
	prefix := ""
	if version == 4 {
		strip, n := decodeVarint(name)
		if n == 0 || strip > uint64(len(previous)) {
			return bad("name compression")
		}
		prefix, name = previous[:uint64(len(previous))-strip], name[n:]
		fixed += n
	}
	end := bytes.IndexByte(name, 0)
	if end < 0 || len(prefix)+end > maxIndexName {
		return bad("name without end")
	}
	e.path = prefix + string(name[:end])
	if stated := int(e.flags & flagNameMask); stated != min(len(e.path), flagNameMask) {
		return bad("length of name")
	}
	next := at + fixed + end + 1
	if version != 4 {
		next = at + (fixed+end+8)&^7
		if next > len(body) || len(bytes.Trim(body[at+fixed+end:next], "\x00")) != 0 {
			return bad("padding")
		}
	}
	return e, next, nil
}

// maxIndexName is longer than any path that a file system takes.
const maxIndexName = 64 << 10

// decodeVarint reads Git's variable-length number (the one of pack offsets); n is 0 when there is none.
func decodeVarint(b []byte) (value uint64, n int) {
	for i, c := range b {
		if i > 8 {
			return 0, 0
		}
		if i > 0 {
			value++
		}
		value = value<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// parseExtensions notes the two extensions that change what entries mean. Those with an upper-case name are caches that
// may be ignored; an unknown one of the other kind may not.
func (f *indexFile) parseExtensions(data []byte) error {
	const op = "read index"
	for len(data) > 0 {
		if len(data) < 8 {
			return malformed(op, "%d bytes after the entries", len(data))
		}
		name, size := string(data[:4]), binary.BigEndian.Uint32(data[4:])
		if uint64(size) > uint64(len(data)-8) {
			return malformed(op, "extension %q is cut short", name)
		}
		switch {
		case name == "link":
			f.split = true
		case name == "sdir":
			f.sparse = true
		case name[0] < 'A' || name[0] > 'Z':
			return malformed(op, "extension %q", name)
		}
		data = data[8+size:]
	}
	return nil
}

// encode writes the index anew, entries only. That drops every cache an adversary could forge and Git would believe: the
// tree cache (which lets status and diff skip a directory whose entries it never compared with HEAD), the untracked cache,
// the file-system monitor's marks, the offsets of entries. A modification time in the first second of the epoch becomes
// the next one: Git's check for racy entries compares it with that of the index file (see Repo.Index) and would trust it.
func (f *indexFile) encode(idBytes int) []byte {
	version := uint32(2)
	size := indexHeaderBytes + idBytes + 8
	for _, e := range f.records {
		if e.ext != 0 {
			version = 3
		}
		size += indexStatBytes + idBytes + 4 + len(e.path) + 8
	}
	out := make([]byte, 0, size)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(f.records)))
	for _, e := range f.records {
		start := len(out)
		out = append(out, e.stat...)
		if mtime := out[start+statMtimeAt:][:4]; binary.BigEndian.Uint32(mtime) == 0 {
			binary.BigEndian.PutUint32(mtime, 1)
		}
		out = append(out, e.id...)
		flags := e.flags &^ flagExtended
		if e.ext != 0 {
			flags |= flagExtended
		}
		out = binary.BigEndian.AppendUint16(out, flags)
		if e.ext != 0 {
			out = binary.BigEndian.AppendUint16(out, e.ext)
		}
		out = append(out, e.path...)
		pad := 8 - (len(out)-start)%8
		out = append(out, make([]byte, pad)...)
	}
	if f.sparse {
		out = append(out, "sdir\x00\x00\x00\x00"...)
	}
	if idBytes == sha256.Size {
		sum := sha256.Sum256(out)
		return append(out, sum[:]...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// IndexEntry is an entry of the index: what "git ls-files -v -s" shows.
type IndexEntry struct {
	Mode            string // six octal digits
	ID              string
	Stage           int    // 0, or 1 to 3 for the versions of an unmerged path
	Path            string // relative to the top level; any byte but NUL
	AssumeUnchanged bool   // ls-files -v shows a lower-case tag
	SkipWorktree    bool   // ls-files -v shows the tag S
}

// Concealed tells whether Git does not look at the entry's file, so that no change of it shows.
func (e IndexEntry) Concealed() bool { return e.AssumeUnchanged || e.SkipWorktree }

func (e indexRecord) public() IndexEntry {
	return IndexEntry{
		Mode: fmt.Sprintf("%06o", e.mode()), ID: hex.EncodeToString(e.id), Stage: e.stage(), Path: e.path,
		AssumeUnchanged: e.flags&flagAssumeUnchanged != 0, SkipWorktree: e.ext&extSkipWorktree != 0,
	}
}

// gitlinks are the paths of submodules, in order.
func (f *indexFile) gitlinks() []string {
	var paths []string
	for _, e := range f.records {
		if e.mode()&0o170000 == 0o160000 {
			paths = append(paths, e.path)
		}
	}
	return slices.Compact(paths)
}
