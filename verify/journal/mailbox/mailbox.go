package mailbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"finishline/verify"
	"finishline/verify/journal/lines"
)

// A Form is what a mailbox is given as.
type Form int

const (
	// Detect tells the form from the file: a store starts as SQLite databases
	// do, is called .db, .sqlite or .sqlite3, or has a write-ahead log beside
	// it; all else is an export.
	Detect Form = iota
	Store
	Export
)

// MaxTime bounds the verification of a store.
const MaxTime = 5 * time.Minute

// Input is a mailbox to be verified.
type Input struct {
	// Path of the store or export. Links are followed; a store's write-ahead
	// log is looked for beside the file itself, as SQLite does.
	Path string
	Form Form
	// TempDir is where the private copy of a store is made, in a directory of
	// its own that is removed again.
	TempDir string
	// Previous, when given, is an earlier export; PreviousPath names it.
	Previous     io.Reader
	PreviousPath string

	Level verify.Level
	// Progress, when given, is told how many bytes were read so far.
	Progress func(bytes int64)
}

// An Outcome is what [Verify] found.
type Outcome struct {
	Findings *verify.Findings
	Form     Form // Store or Export
	Rows     int
	Bytes    int64 // of all files that were read, but the earlier export
	// Artifacts are the files: the export, or the store and its log, and the
	// earlier export.
	Artifacts []verify.Artifact
	// Notes say what a pass does not mean for this input; Withheld why there
	// is none although nothing failed.
	Notes    []string
	Withheld []string
}

// Verify verifies a mailbox. The error is trouble with reading, a bound that
// the input exceeds (*[LimitError]), a store that is being written
// (*[BusyError]), or a context that ended; there is no outcome then.
func Verify(ctx context.Context, in Input) (*Outcome, error) {
	o := &Outcome{Findings: Table.Collect(in.Level)}
	form, err := in.form()
	if err != nil {
		return nil, err
	}
	o.Form = form
	var past *history
	var earlier []verify.Artifact
	before := Table.Collect(in.Level)
	if in.Previous != nil {
		digest := sha256.New()
		if past, err = readHistory(ctx, before, in, digest); err != nil {
			return nil, err
		}
		earlier = []verify.Artifact{{Path: in.PreviousPath, SHA256: hex.EncodeToString(digest.Sum(nil))}}
	}
	read := o.export
	if form == Store {
		read = o.store
	}
	complete, err := read(ctx, in, past)
	if err != nil {
		return nil, err
	}
	if complete {
		past.missing(o.Findings, in.Path)
	}
	o.Findings.Merge(before)
	o.Artifacts = append(o.Artifacts, earlier...)
	if o.Rows == 0 && complete {
		o.empty()
	}
	if past != nil && len(past.lines) == 0 {
		o.Withheld = append(o.Withheld, "the earlier export holds no row, so nothing was compared with it")
	}
	return o, nil
}

// empty says what no rows mean.
func (o *Outcome) empty() {
	if o.Form == Export {
		o.Withheld = append(o.Withheld, "the export holds no row, so no row was looked at")
		return
	}
	o.Notes = append(o.Notes, "the store holds no row; only its structure was looked at")
}

// magic is what every SQLite database starts with.
const magic = "SQLite format 3\x00"

func (in Input) form() (Form, error) {
	if in.Form != Detect {
		return in.Form, nil
	}
	file, _, err := lines.Open(in.Path)
	if err != nil {
		return Detect, err
	}
	defer file.Close()
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(file, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Detect, err
	}
	switch strings.ToLower(filepath.Ext(in.Path)) {
	case ".db", ".sqlite", ".sqlite3":
		return Store, nil
	}
	if bytes.Equal(head, []byte(magic)) {
		return Store, nil
	}
	if _, err := os.Lstat(in.Path + walSuffix); err == nil {
		return Store, nil
	}
	return Export, nil
}

// export verifies an export.
func (o *Outcome) export(ctx context.Context, in Input, past *history) (complete bool, err error) {
	file, _, err := lines.Open(in.Path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	digest := sha256.New()
	size := &counter{}
	check := rows{out: o.Findings, ordered: true}
	ids := map[key]struct{}{}
	e := export{out: o.Findings, path: in.Path}
	err = e.read(ctx, file, readOptions{io.MultiWriter(digest, size), in.Progress}, func(at verify.Place, w row) error {
		check.check(at, w)
		past.compare(o.Findings, at, w, check.count)
		id := w.idKey()
		if _, twice := ids[id]; twice {
			e.duplicate(at, w)
			return nil
		}
		if len(ids) == MaxRows {
			return &LimitError{Path: in.Path, What: "rows", Most: MaxRows}
		}
		ids[id] = struct{}{}
		return nil
	})
	if err != nil {
		return false, err
	}
	o.Rows, o.Bytes = check.count, size.n
	o.Artifacts = []verify.Artifact{{Path: in.Path, SHA256: hex.EncodeToString(digest.Sum(nil))}}
	return true, nil
}

// A counter counts what is written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// A BusyError says that a store changed while it was copied.
type BusyError struct{ Path string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: changed while it was copied, %d times in a row", e.Path, copyAttempts)
}

// Hint says what to do.
func (e *BusyError) Hint() string {
	return "somebody is writing to the store: verify it when it is at rest, or verify an export"
}
