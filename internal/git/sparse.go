package git

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// expand replaces each directory that a sparse index names as a whole with the files of its tree, as Git does in memory
// when a command needs them. Otherwise what lies in there would be known to Git and not to us: a submodule, whose filter
// drivers have to be neutralised, or the files of a target below the directory, which Git never looks at.
//
// A tree that cannot be read is an error, while Git goes on with the entries that it came to.
func (ix *Index) expand(ctx context.Context) (*indexFile, error) {
	const op = "expand sparse index"
	full := new(indexFile)
	w := treeWalk{repo: ix.repo, left: maxTreeEntries}
	room := maxIndexBytes // for the names
	for _, e := range ix.file.records {
		if !e.directory() {
			full.records = append(full.records, e)
			continue
		}
		err := w.walk(ctx, hex.EncodeToString(e.id), e.path, 0, func(te treeEntry, path string) {
			if room -= len(path); room >= 0 {
				full.records = append(full.records, hiddenRecord(te, path))
			}
		})
		if errors.Is(err, ErrNotFound) {
			return nil, &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: printable("a tree below " + e.path + " is missing"), Err: err}
		}
		if err != nil {
			return nil, err
		}
		if room < 0 {
			return nil, &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("more than %d bytes of names", maxIndexBytes)}
		}
	}
	slices.SortStableFunc(full.records, compareRecords) // a forged tree may be out of order
	return full, full.check()
}

// hiddenRecord is an entry outside the sparse checkout, with nothing known of its file.
func hiddenRecord(te treeEntry, path string) indexRecord {
	mode, _ := strconv.ParseUint(te.mode, 8, 32) // canonical
	id, _ := hex.DecodeString(te.id)             // made by EncodeToString
	stat := make([]byte, indexStatBytes)
	binary.BigEndian.PutUint32(stat[statModeAt:], uint32(mode))
	return indexRecord{stat: stat, id: id, flags: uint16(min(len(path), flagNameMask)), ext: extSkipWorktree, path: path}
}
