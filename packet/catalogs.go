package packet

import (
	"context"
	"errors"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
)

// controlCatalog is the kind of runtime files that are snapshotted.
const controlCatalog = "control-catalog"

// catalogChecks evaluates §8: the snapshots against the declared runtime and
// against the bytes committed at the packet's commit.
func (v *verification) catalogChecks(ctx context.Context) (*verify.Findings, []Node) {
	out := v.collect()
	list := v.doc.At("catalogSnapshots")
	if !list.IsArray() || list.Len() == 0 {
		out.Add("packet.catalogs.missing", v.at(list), verify.What{Found: verify.Show(list.Value), Expected: "an array with a snapshot of every catalog of the runtime"})
		return out, nil
	}
	declared := declaredCatalogs(v.doc.Get("validationRuntime").Get("files"))
	committed := v.committedCatalogs(ctx)
	seen := map[string]bool{}
	var nodes []Node
	for _, s := range list.Items() {
		path, ok := v.snapshotShape(out, s)
		if !ok {
			continue
		}
		if seen[path] {
			out.Add("packet.catalogs.duplicate-path", v.at(s.At("path")), verify.What{Found: verify.Quote(path) + " again", Expected: "each catalog once"})
		}
		seen[path] = true
		source := s.At("sourceSha256")
		if want, known := declared[path]; !known || !sameText(want, source.Value) {
			found := verify.Quote(path) + " is not a catalog of the declared runtime"
			if known {
				found = verify.Show(source.Value)
			}
			out.Add("packet.catalogs.runtime-source-mismatch", v.at(source), verify.What{Found: found, Expected: verify.Show(want)})
		}
		nodes = append(nodes, v.snapshotSource(out, s, path, committed))
	}
	for _, f := range v.doc.At("validationRuntime").At("files").Items() {
		path, isString := f.Get("path").Str()
		if f.Get("kind").Is(controlCatalog) && isString && !seen[path] {
			out.Add("packet.catalogs.incomplete", v.at(list), verify.What{Found: "no valid snapshot of " + verify.Quote(path), Expected: "one snapshot per catalog of the runtime"})
		}
	}
	return out, nodes
}

// declaredCatalogs maps the catalogs of the declared runtime to their digests.
// The first entry of a path counts; repeated ones are refused elsewhere.
func declaredCatalogs(files canon.Value) map[string]canon.Value {
	declared := map[string]canon.Value{}
	for _, f := range files.Elems() {
		path, isString := f.Get("path").Str()
		if _, dup := declared[path]; isString && !dup && f.Get("kind").Is(controlCatalog) {
			declared[path] = f.Get("sha256")
		}
	}
	return declared
}

// snapshotShape is the rule that stops an entry.
func (v *verification) snapshotShape(out *verify.Findings, s canon.Node) (path string, ok bool) {
	refuse := func(at canon.Node, found, expected string) (string, bool) {
		out.Add("packet.catalogs.entry-invalid", v.at(at), verify.What{Found: found, Expected: expected})
		return "", false
	}
	if !s.IsObject() {
		return refuse(s, verify.Show(s.Value), "an object")
	}
	path, isString := s.Get("path").Str()
	if !isString {
		return refuse(s.At("path"), verify.Show(s.Get("path")), "a path")
	}
	for _, name := range []string{"sourceSha256", "sha256"} {
		if d := s.At(name); !canon.IsDigest(d.Value) {
			return refuse(d, verify.Show(d.Value), expectDigest)
		}
	}
	document := s.At("document")
	if !document.IsObject() {
		return refuse(document, verify.Show(document.Value), "an object")
	}
	if sum := canon.Digest(document.Value); !s.Get("sha256").Is(sum) {
		return refuse(s.At("sha256"), verify.Show(s.Get("sha256")), sum+", the digest of document")
	}
	return path, true
}

// snapshotSource compares a snapshot with what was committed.
func (v *verification) snapshotSource(out *verify.Findings, s canon.Node, path string, committed func(path string) ([]byte, error)) Node {
	source := s.At("sourceSha256")
	n := Node{Kind: "catalog", Path: path, Declared: source.Text(), State: Unreadable}
	data, err := committed(path)
	if err != nil {
		out.Wrap("packet.catalogs.source-unavailable", v.at(s.At("path")), verify.What{
			Found: verify.Quote(path) + ": " + err.Error(), Expected: "a file of the runtime at the packet's commit", Unevaluated: gitTrouble(err)}, nil)
		return n
	}
	n.Actual = canon.SHA256(data)
	n.State = stateOf(n.Declared, n.Actual)
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		out.Add("packet.catalogs.source-unavailable", v.at(s.At("path")), verify.What{
			Found: verify.Quote(path) + " at the packet's commit is no JSON: " + err.Error(), Expected: "a JSON document"})
		return n
	}
	if n.State != Same {
		out.Add("packet.catalogs.source-digest-mismatch", v.at(source), verify.What{Found: verify.Show(source.Value), Expected: n.Actual})
	}
	if !canon.Equal(doc.Root, s.Get("document")) {
		out.Add("packet.catalogs.document-mismatch", v.at(s.At("document")), verify.What{
			Found: "a document that differs from the committed one", Expected: "the catalog as it was committed"})
	}
	return n
}

var errNoRuntimePath = errors.New("the declared runtime names no path in the work tree")

// committedCatalogs reads files below the declared runtime path at the
// packet's commit. The commit is resolved once, by Git's own rules; strict
// level refuses a name that is no object id.
func (v *verification) committedCatalogs(ctx context.Context) func(path string) ([]byte, error) {
	fail := func(err error) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return nil, err }
	}
	if v.repo == nil {
		return fail(v.repoErr)
	}
	dir, isString := v.doc.Get("validationRuntime").Get("source").Get("runtimePath").Str()
	if !isString {
		return fail(errNoRuntimePath)
	}
	commit, err := v.repo.Resolve(ctx, v.doc.Get("commit").Text())
	if err != nil {
		return fail(err)
	}
	return func(path string) ([]byte, error) {
		blob, err := v.repo.BlobAt(ctx, commit.ID, below(dir, path))
		if err != nil {
			return nil, err
		}
		return blob.Data, nil
	}
}

// below is the Git path of a runtime file; the runtime path "." is the top.
func below(dir, path string) string {
	if dir == "." || dir == "" {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}

// gitTrouble reports whether Git could not be used, rather than said no.
func gitTrouble(err error) bool {
	var ge *git.Error
	return errors.As(err, &ge) && !errors.Is(err, git.ErrNotFound)
}
