package rca

import (
	"errors"
	"slices"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// maxCausalBytes is the largest committed file that can be a causal input.
const maxCausalBytes = 1 << 20

// causalInputs evaluates section 3.3: declared inputs against exact Git bytes.
func (a *analysis) causalInputs() {
	n := a.regression().At("causalInputs")
	if !n.Present() {
		return
	}
	if n.Len() == 0 || !n.IsArray() {
		a.fail("rca.causal.array", n, "a non-empty array, or no such member")
		return
	}
	seen := map[string]bool{}
	order := make([]string, 0, n.Len())
	for entry := range n.All() {
		order = append(order, entry.Get("path").Text())
		if !entry.IsObject() {
			a.fail("rca.causal.entry-object", entry, "an object with path, preFixSha256 and postFixSha256")
			continue
		}
		a.inputs = append(a.inputs, entry)
		a.causalInput(entry, seen)
	}
	if !slices.IsSortedFunc(order, canon.CompareUTF16) {
		a.failWith("rca.causal.order", n, verify.What{Found: "entries in another order", Expected: "ascending paths"})
	}
}

func (a *analysis) causalInput(entry canon.Node, seen map[string]bool) {
	path, pre, post := entry.At("path"), entry.At("preFixSha256"), entry.At("postFixSha256")
	if entry.Len() != 3 || !path.Present() || !pre.Present() || !post.Present() {
		a.fail("rca.causal.entry-fields", entry, "exactly path, preFixSha256 and postFixSha256")
	}
	if err := evidence.Canonical(path.Text()); err != nil {
		a.out.Wrap("rca.causal.path", a.at(path), verify.What{Found: err.Reason + ": " + verify.Show(path.Value),
			Expected: "a plain relative path below the target"}, []verify.Finding{evidence.PathFinding(a.in.Level, a.at(path), err)})
	}
	if p, ok := path.Str(); ok {
		if seen[p] {
			a.fail("rca.causal.path-duplicate", path, "a path that no other entry has")
		}
		seen[p] = true
	}
	preOK, postOK := canon.IsDigest(pre.Value), canon.IsDigest(post.Value)
	if !preOK {
		a.fail("rca.causal.pre-digest", pre, "64 hexadecimal characters")
	}
	if !postOK {
		a.fail("rca.causal.post-digest", post, "64 hexadecimal characters")
	}
	if preOK && postOK && evidence.Identical(pre.Value, post.Value) {
		a.fail("rca.causal.digests-equal", post, "another digest than preFixSha256: an input that did not change is no cause")
	}
	if preOK {
		a.binding("rca.causal.pre-binding", &a.pre, path, pre)
	}
	if postOK {
		a.binding("rca.causal.post-binding", &a.post, path, post)
	}
}

// binding demands that a digest is that of the file at one of the commits.
func (a *analysis) binding(rule string, rev *revision, path, sum canon.Node) {
	if !rev.hex {
		return
	}
	if a.prefix.err != nil {
		a.failGit(rule, sum, a.prefix.err)
		return
	}
	actual, err := a.committed(rev, path)
	var unusable *git.Error
	switch {
	case errors.As(err, &unusable):
		a.failGit(rule, sum, err)
	case err != nil:
		a.failWith(rule, sum, verify.What{Found: err.Error(), Expected: "a committed file of at most 1 MiB at " + rev.node.Text()})
	case !sum.Is(actual):
		a.fail(rule, sum, actual+", the digest of "+verify.Quote(path.Text())+" at "+rev.node.Text())
	}
}

var (
	errNoRevision  = errors.New("no such commit")
	errNotAFile    = errors.New("no regular file")
	errLargeFile   = errors.New("a file of more than 1 MiB")
	errNoDirectory = errors.New("the target lies outside the work tree")
)

// committed is the digest of the raw bytes of a file at a revision.
func (a *analysis) committed(rev *revision, path canon.Node) (string, error) {
	name, isText := path.Str()
	switch {
	case !a.prefix.ok:
		return "", errNoDirectory
	case !rev.found:
		return "", errNoRevision
	case !isText || name == "":
		return "", errNotAFile
	}
	blob, err := a.in.Repo.BlobAt(a.ctx, rev.object.ID, a.prefix.text+canon.UTF8(name))
	switch {
	case errors.Is(err, git.ErrNotFound):
		return "", errNotAFile
	case err != nil:
		return "", err
	case blob.Mode != git.ModeFile && blob.Mode != git.ModeExecutable:
		return "", errNotAFile
	case len(blob.Data) > maxCausalBytes:
		return "", errLargeFile
	}
	if !blob.Genuine {
		a.forged = append(a.forged, blob.ID)
	}
	return canon.SHA256(blob.Data), nil
}
