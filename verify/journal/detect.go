package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"finishline/canon"
	"finishline/verify/journal/store"
)

// A Kind is a kind of journal.
type Kind int

// The kinds.
const (
	Unknown     Kind = iota
	Bridge           // a data directory of the bridge, or the directory of one run
	Harness          // a Harness v2 journal
	HUX              // a HUX event stream
	Mailbox          // a mailbox, or an export of one
	BridgeEvent      // bridge-event.v1 documents
)

var kindNames = [...]string{"unknown", "bridge", "harness", "hux", "mailbox", "bridge-event"}

func (k Kind) String() string { return kindNames[min(max(int(k), 0), len(kindNames)-1)] }

// Kinds are the names of the kinds.
func Kinds() []string { return append([]string(nil), kindNames[1:]...) }

// ParseKind is the kind of that name.
func ParseKind(name string) (Kind, error) {
	for k, n := range kindNames {
		if k > 0 && n == name {
			return Kind(k), nil
		}
	}
	return Unknown, fmt.Errorf("no kind of journal is called %q; there are %s", name, strings.Join(Kinds(), ", "))
}

// HarnessFile is the name under which a run keeps its Harness v2 journal.
const HarnessFile = "events.ndjson"

// peekBytes is how much of a file is looked at: enough for the first line of
// any journal whose lines say early what they are.
const peekBytes = 128 << 10

// An UnknownError says that nothing at a path looks like a journal.
type UnknownError struct{ Path, Reason string }

func (e *UnknownError) Error() string { return e.Path + ": " + e.Reason }

// Hint says what to do.
func (e *UnknownError) Hint() string {
	return "say what it is with --kind: " + strings.Join(Kinds(), ", ")
}

// Detect tells what kind of journal lies at a path, and which path its verifier
// is to open: of a directory with a Harness v2 journal that file, of a file of
// a bridge's run its directory. A journal that cannot be told from its
// beginning is an [*UnknownError]; other errors are of reading.
func Detect(path string) (Kind, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Unknown, path, err
	}
	switch {
	case info.IsDir():
		return detectDirectory(path)
	case !info.Mode().IsRegular():
		return Unknown, path, &UnknownError{path, "neither a file nor a directory"}
	}
	head, err := peek(path)
	if err != nil {
		return Unknown, path, err
	}
	switch k := detectText(head); {
	case k == Bridge:
		return Bridge, filepath.Dir(path), nil
	case k != Unknown:
		return k, path, nil
	case store.IsStateFile(filepath.Base(path)):
		return Bridge, filepath.Dir(path), nil
	case filepath.Base(path) == HarnessFile:
		return Harness, path, nil
	case info.Size() == 0:
		return Unknown, path, &UnknownError{path, "an empty file"}
	}
	return Unknown, path, &UnknownError{path, "its first line is that of no known journal"}
}

func detectDirectory(dir string) (Kind, string, error) {
	harness := filepath.Join(dir, HarnessFile)
	_, err := os.Stat(harness)
	switch isBridge, listErr := bridgeDirectory(dir); {
	case listErr != nil:
		return Unknown, dir, listErr
	case isBridge && err == nil:
		return Unknown, dir, &UnknownError{dir, "both a bridge's data directory and a Harness v2 journal"}
	case isBridge:
		return Bridge, dir, nil
	case err == nil:
		return Harness, harness, nil
	}
	return Unknown, dir, &UnknownError{dir, "no run of a bridge and no " + HarnessFile + " there"}
}

// bridgeDirectory reports whether a directory is one run, holds runs, or holds
// the leases of a bridge.
func bridgeDirectory(dir string) (bool, error) {
	for _, name := range []string{store.LeaseFile, store.MutexFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true, nil
		}
	}
	if store.IsRunDirectory(dir) {
		return true, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(512)
		for _, name := range names {
			if below := filepath.Join(dir, name); isDirectory(below) && store.IsRunDirectory(below) {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("list %s: %w", dir, err)
		}
	}
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func peek(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, peekBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return head[:n], nil
}

// sqliteHeader starts every SQLite database.
const sqliteHeader = "SQLite format 3\x00"

// detectText goes by the first line that is a JSON object, be it damaged after
// that: what a damaged journal is must not depend on its damage.
func detectText(head []byte) Kind {
	if bytes.HasPrefix(head, []byte(sqliteHeader)) {
		return Mailbox
	}
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	if first := bytes.TrimLeft(head, " \t\r\n"); len(first) > 0 && first[0] == '[' {
		head = bytes.TrimLeft(first[1:], " \t\r\n") // an array of events is a HUX stream
		if bytes.Contains(head[:min(len(head), 4096)], []byte(huxSchema)) {
			return HUX
		}
		return Unknown
	}
	for range peekLines {
		line, rest, _ := bytes.Cut(head, []byte{'\n'})
		if k := kindOf(line); k != Unknown {
			return k
		}
		if head = rest; len(head) == 0 {
			break
		}
	}
	return Unknown
}

// peekLines is how many lines are looked at.
const peekLines = 64

const huxSchema = "hux.event.v1"

func kindOf(line []byte) Kind {
	doc, err := canon.Read(line, peekBytes)
	if err != nil {
		return Unknown
	}
	v := doc.Root
	schema := v.Get("schema")
	_, kind := v.Get("kind").Str()
	switch {
	case schema.Is(store.JournalSchema), schema.Is(store.ConfigSchema), v.Get("snapshotIntegrity").IsObject():
		return Bridge
	case schema.Is(huxSchema):
		return HUX
	case v.Has("payload_json") && v.Has("event_id"):
		return Mailbox
	case v.Has("source") && v.Has("event_type") && v.Has("payload") && v.Has("ts"):
		return BridgeEvent
	case kind, hasPayload(v):
		return Harness
	}
	return Unknown
}

// hasPayload reports whether a member of an envelope is a Harness v2 payload
// (contract 20, section 3).
func hasPayload(v canon.Value) bool {
	for _, m := range v.Members() {
		if _, ok := m.Value.Get("kind").Str(); ok {
			return true
		}
	}
	return false
}

// PathFor is the path that the verifier of a kind opens: of a directory with a
// Harness v2 journal that file, of a state file of a run its directory.
func PathFor(kind Kind, path string) string {
	switch {
	case kind == Harness && isDirectory(path):
		return filepath.Join(path, HarnessFile)
	case kind == Bridge && store.IsStateFile(filepath.Base(path)) && !isDirectory(path):
		return filepath.Dir(path)
	}
	return path
}
