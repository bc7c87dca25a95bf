package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"sync"
)

// maxSurveyBytes of status are kept to be shared; where Git has more to say, each asks for himself.
const maxSurveyBytes = 8 << 20

// SharedIndex is [Repo.Index] for several verifiers that look at the same moment: their calls of [Index.Status] are
// answered from one status of everything below the target, as long as that names nothing but untracked files. Otherwise
// each call asks Git for itself.
func (r *Repo) SharedIndex(ctx context.Context) (*Index, error) {
	ix, err := r.Index(ctx)
	if err != nil {
		return nil, err
	}
	ix.survey = new(survey)
	return ix, nil
}

// A survey is one status of everything below the target.
type survey struct {
	once    sync.Once
	records [][]byte // "?? path", without the NUL
	err     error    // why the records cannot be shared
}

var errNotShared = errors.New("tracked changes, or a repository in the work tree")

// answer writes the part of the survey that a pathspec is about, when that is byte for byte what the command itself would
// print: Git lists untracked files one by one and in order, whatever the pathspec, while what it says of tracked files may
// depend on the paths that renames are looked for in, and of a repository in the work tree on how deep a path leads.
func (s *survey) answer(ctx context.Context, ix *Index, spec Pathspec, w io.Writer) (answered bool, err error) {
	prefix := ix.repo.place.RawPrefix
	if _, commands := spec.commands(); len(commands) != 1 || !spec.within(prefix) {
		return false, nil
	}
	s.once.Do(func() { s.err = s.take(ctx, ix) })
	if s.err != nil {
		return false, nil
	}
	covers := spec.matcher(prefix)
	for _, record := range s.records {
		if !covers(string(record[len(untrackedMark):])) {
			continue
		}
		if _, err := w.Write(append(record[:len(record):len(record)], 0)); err != nil {
			return true, &Error{Kind: Unavailable, Reason: Failed, Op: "git status", Detail: printable(err.Error()), Err: err}
		}
	}
	return true, nil
}

const untrackedMark = "?? "

func (s *survey) take(ctx context.Context, ix *Index) error {
	out := limitedBuffer{limit: maxSurveyBytes}
	if err := ix.status(ctx, Below(), &out); err != nil {
		return err
	}
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out.Bytes(), []byte{0}), []byte{0}) {
		switch {
		case len(record) == 0: // nothing at all
		case !bytes.HasPrefix(record, []byte(untrackedMark)), bytes.HasSuffix(record, []byte("/")):
			return errNotShared
		default:
			s.records = append(s.records, record)
		}
	}
	return nil
}

// within tells whether the pathspec names nothing outside the directory with the raw prefix, and each path in the one form
// that is compared with what Git lists: a slash at the end, say, means directories only.
func (s Pathspec) within(prefix string) bool {
	for _, item := range s.items {
		if path.Clean(item) != item || !s.below && !strings.HasPrefix(item, prefix) {
			return false
		}
	}
	return true
}
