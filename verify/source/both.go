package source

import (
	"bytes"
	"context"
	"path"
)

// Both computes the two states that a producer needs, at one moment if it can. The error is an [*Error].
//
// Leaving paths out changes nothing where the status names none of them: status lists every untracked file, every
// changed path and both sides of a rename, and diff and the untracked files follow it (TestVectorsSourceState holds
// that against every vector). Only when the status of the target names something that the application state leaves out is
// that state computed by itself.
func Both(ctx context.Context, t Target, commit, validatorSHA256 string) (tracked, application *State, err error) {
	tracked, err = Tracked(ctx, t, commit, validatorSHA256)
	if err != nil {
		return nil, nil, err
	}
	if tracked.excluded.seen {
		application, err = Application(ctx, t, commit)
		return tracked, application, err
	}
	same := *tracked
	same.Kind, same.ValidatorSHA256 = ApplicationState, ""
	return tracked, &same, nil
}

// excludedScanner notes whether a status, as it is written to it, may name something that concerns a PostProof path: the
// path itself, something below it, or a directory or submodule in its place that status names as a whole. It looks for
// texts, not records, so it may well be wrong, but only in this direction.
type excludedScanner struct {
	seen bool
	tail []byte // end of what was written, which a text may start in
}

var excludedTexts = func() (texts [][]byte) {
	for _, p := range PostProof {
		texts = append(texts, []byte(p), []byte(path.Dir(p)+"/\x00"), []byte(path.Dir(p)+"\x00"))
	}
	return texts
}()

// Write never fails.
func (s *excludedScanner) Write(p []byte) (int, error) {
	if s.seen {
		return len(p), nil
	}
	s.tail = append(s.tail, p...)
	longest := 0
	for _, text := range excludedTexts {
		s.seen = s.seen || bytes.Contains(s.tail, text)
		longest = max(longest, len(text))
	}
	s.tail = append([]byte(nil), s.tail[max(0, len(s.tail)-longest):]...)
	return len(p), nil
}
