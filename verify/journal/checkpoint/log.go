package checkpoint

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Log is the records of one journal, as far as checkpoints see them. Make it
// only from a journal whose own rules have passed: those of contract 11,
// sections 4.3 and 4.5.
type Log struct {
	RunID      string
	StorageKey string // the name of the run's directory
	Config     string // integrity.digest of the configuration, as stored

	hashes  []tlog.Hash // as tlog stores them
	digests []string    // of the records, as stored
}

// Append adds the next record: its canonical line without LF, and its
// integrity.digest as it is stored.
func (l *Log) Append(line []byte, digest string) error {
	hashes, err := tlog.StoredHashes(l.Size(), line, tlog.HashReaderFunc(l.read))
	if err != nil {
		return fmt.Errorf("record %d: %w", l.Size(), err)
	}
	l.hashes = append(l.hashes, hashes...)
	l.digests = append(l.digests, digest)
	return nil
}

// Size is the number of records.
func (l *Log) Size() int64 { return int64(len(l.digests)) }

func (l *Log) read(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		if x < 0 || x >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("no hash %d in a log of %d records", x, l.Size())
		}
		list[i] = l.hashes[x]
	}
	return list, nil
}

// root is the Merkle root over the first n records, and head the digest of the
// last of them.
func (l *Log) root(n int64) (root tlog.Hash, head string, err error) {
	if n == 0 {
		return emptyRoot, "", nil
	}
	root, err = tlog.TreeHash(n, tlog.HashReaderFunc(l.read))
	return root, l.digests[n-1], err
}

// Checkpoint is the checkpoint of all records. An empty origin is the default
// one; previous is the whole note of the checkpoint before, nil for the first.
// The error is a *[OriginError], or says that the log is not one of a run.
func (l *Log) Checkpoint(origin string, previous []byte) (Checkpoint, error) {
	if origin == "" {
		origin = defaultOrigin + l.StorageKey
	}
	if !validOrigin(origin) {
		return Checkpoint{}, &OriginError{origin}
	}
	c := Checkpoint{Origin: origin, Size: l.Size(), RunID: l.RunID, Config: l.Config}
	if previous != nil {
		c.Previous = Digest(previous)
	}
	var err error
	if c.Root, c.Head, err = l.root(c.Size); err != nil {
		return Checkpoint{}, err
	}
	if again, err := Parse(c.Text()); err != nil || again != c {
		return Checkpoint{}, fmt.Errorf("the run %q gives no checkpoint: %w", l.RunID, err)
	}
	return c, nil
}

// An OriginError says that a text cannot be an origin.
type OriginError struct{ Origin string }

func (e *OriginError) Error() string { return fmt.Sprintf("%q cannot be an origin", e.Origin) }

// Hint says what to do.
func (e *OriginError) Hint() string {
	return "an origin is a URL without its schema, such as example.org/runs/atlas: no spaces, no +, at most 256 bytes"
}
