package review

import (
	"context"
	"errors"
	"fmt"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// isCommitHash is the pattern ^[A-Fa-f0-9]{40,64}$ of contract 01 §7.2.
func isCommitHash(v canon.Value) bool {
	s, ok := v.Str()
	if !ok || len(s) < 40 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// committedStore compares the store at the reviewed commit with the live one
// and with the pin (contract 02 §6, step 5).
func (s *stage) committedStore(ctx context.Context, commit canon.Node, live *Live) {
	if !isCommitHash(commit.Value) {
		s.fail("trust.commit.not-a-hash", commit, verify.What{Found: verify.Show(commit.Value), Expected: "40 to 64 hexadecimal digits"})
		return
	}
	if canon.HasUpperHex(commit.Text()) {
		s.fail("strict.commit.upper-case", commit, verify.What{Found: verify.Show(commit.Value), Expected: "lower case"})
	}
	blob, err := s.lookup(ctx, commit, live.Path)
	if err != nil {
		s.commitMissing(commit, live.Path, err)
		return
	}
	name := live.Path + "@" + commit.Text()
	s.in.artifacts.add(name, canon.SHA256(blob.Data))
	if blob.Mode != git.ModeFile && blob.Mode != git.ModeExecutable {
		s.failAt("strict.commit.not-a-blob", verify.At(name, ""), verify.What{Found: "mode " + blob.Mode, Expected: "a regular file"})
	}
	if !blob.Genuine {
		s.failAt(source.RuleObjectIdentity, verify.At(name, ""), verify.What{
			Found: "an object whose content does not hash to its id", Expected: "commit, trees and blob as they were committed"})
	}
	s.compareCommitted(name, blob.Data, live)
}

func (s *stage) compareCommitted(name string, data []byte, live *Live) {
	doc, err := canon.Read(data, canon.MaxTrustStore)
	if err != nil {
		causes := Table.Collect(s.out.Level())
		evidence.ReadFindings(causes, name, nil, err)
		s.wrap("trust.commit.unreadable", verify.At(name, ""), verify.What{Found: err.Error(), Expected: "a JSON trust store"}, causes.List())
		return
	}
	evidence.ReadFindings(s.out, name, doc, nil)
	digest := canon.Digest(doc.Root)
	if digest != live.Store.Pin {
		s.failAt("trust.commit.differs", verify.At(live.Path, ""), verify.What{
			Found: "live " + live.Store.Pin, Expected: "as committed " + digest})
	}
	if s.in.Pin.State() == PinUsable && !s.in.Pin.Binds(digest) {
		s.failAt("trust.pin.commit-mismatch", verify.At(name, ""), verify.What{Found: digest, Expected: s.in.Pin.String()})
	}
}

// lookup reads <commit>:<prefix><path>, and reports what strict level has
// against the name of the commit.
func (s *stage) lookup(ctx context.Context, commit canon.Node, path string) (git.Blob, error) {
	repo := s.in.Repo
	if repo == nil {
		return git.Blob{}, s.in.gitCause()
	}
	if repo.Dir() != s.in.Root.Dir() {
		return git.Blob{}, errors.New("the repository was opened for another directory than the target")
	}
	name := commit.Text()
	fullLength := len(name) == repo.IDLen()
	if !fullLength {
		s.fail("strict.commit.length", commit, verify.What{
			Found: fmt.Sprintf("%d digits", len(name)), Expected: fmt.Sprintf("%d digits, the length of this repository's object names", repo.IDLen())})
	}
	resolved, err := repo.Resolve(ctx, name)
	if err != nil {
		return git.Blob{}, err
	}
	if fullLength && (resolved.ViaRef || resolved.Type != git.TypeCommit) {
		s.fail("strict.commit.not-a-commit", commit, verify.What{Found: "the name of a " + resolved.Type, Expected: "the name of a commit"})
	}
	return repo.BlobAt(ctx, resolved.ID, repo.Place().RawPrefix+path)
}

// commitMissing reports trust.commit.missing. When Git itself could not be
// used, that is its cause, and nothing is said about the evidence.
func (s *stage) commitMissing(commit canon.Node, path string, err error) {
	what := verify.What{Found: err.Error(), Expected: verify.Quote(path) + " in the reviewed commit"}
	var causes []verify.Finding
	if gitErr := (*git.Error)(nil); errors.As(err, &gitErr) && !errors.Is(err, git.ErrNotFound) {
		what.Hint = "make the repository usable here (a full clone of the reviewed commit, owned by this user) and verify again"
		causes = source.AsError(err).Causes(s.out.Level(), s.path)
	}
	s.wrap("trust.commit.missing", verify.At(s.path, commit.Pointer), what, causes)
}
