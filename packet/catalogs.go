package packet

import (
	"context"
	"errors"
	"fmt"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/source"
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
	reader := v.catalogReader(ctx, list)
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
		nodes = append(nodes, v.snapshotSource(out, s, path, reader.at(ctx, path)))
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

// snapshotSource compares a snapshot, whose own digest is known to be right,
// with what was committed.
func (v *verification) snapshotSource(out *verify.Findings, s canon.Node, path string, c committed) Node {
	source := s.At("sourceSha256")
	n := Node{Kind: "catalog", Path: path, Declared: source.Text(), Actual: c.sha256, State: Unreadable}
	if c.err != nil {
		out.Wrap("packet.catalogs.source-unavailable", v.at(s.At("path")), verify.What{
			Found: verify.Quote(path) + ": " + c.err.Error(), Expected: "a JSON file of the runtime at the packet's commit"}, c.causes)
		return n
	}
	if n.State = stateOf(n.Declared, n.Actual); n.State != Same {
		out.Add("packet.catalogs.source-digest-mismatch", v.at(source), verify.What{Found: verify.Show(source.Value), Expected: n.Actual})
	}
	if !s.Get("sha256").Is(c.canonical) {
		out.Add("packet.catalogs.document-mismatch", v.at(s.At("document")), verify.What{
			Found: "a document with the digest " + s.Get("sha256").Text(), Expected: c.canonical + ", the committed catalog"})
	}
	return n
}

// maxCatalogBytes bounds what is read of all committed catalogs together.
const maxCatalogBytes = 256 << 20

// A committed catalog is what the packet's commit holds at a path.
type committed struct {
	sha256    string // of its bytes
	canonical string // of its canonical form
	err       error  // why there is none
	causes    []verify.Finding
}

var (
	errNoRuntimePath   = errors.New("the declared runtime names no path in the work tree")
	errTooMuchCatalogs = fmt.Errorf("more than %d bytes of catalogs", maxCatalogBytes)
)

// catalogReader reads catalogs below the declared runtime path at the packet's
// commit, each once. The commit is resolved by Git's own rules; strict level
// refuses a name that is no object id.
type catalogReader struct {
	*verification
	dir     string
	entries map[string]git.TreeEntry // of the commit, by Git path
	err     error                    // why nothing can be read
	read    map[string]committed
	bytes   int
}

// catalogReader finds what the snapshots name, all at once: a packet can name
// any number of paths, and a tree is not to be parsed for each.
func (v *verification) catalogReader(ctx context.Context, list canon.Node) *catalogReader {
	r := &catalogReader{verification: v, read: map[string]committed{}}
	dir, isString := v.doc.Get("validationRuntime").Get("source").Get("runtimePath").Str()
	switch r.dir = dir; {
	case v.repo == nil:
		r.err = v.repoErr
	case !isString:
		r.err = errNoRuntimePath
	default:
		r.entries, r.err = v.entriesAtCommit(ctx, snapshotPaths(list, dir))
	}
	return r
}

func (v *verification) entriesAtCommit(ctx context.Context, paths []string) (map[string]git.TreeEntry, error) {
	commit, err := v.repo.Resolve(ctx, v.doc.Get("commit").Text())
	if err != nil {
		return nil, err
	}
	return v.repo.EntriesAt(ctx, commit.ID, paths)
}

func snapshotPaths(list canon.Node, dir string) []string {
	var paths []string
	for _, s := range list.Elems() {
		if path, isString := s.Get("path").Str(); isString {
			paths = append(paths, below(dir, path))
		}
	}
	return paths
}

func (r *catalogReader) at(ctx context.Context, path string) committed {
	c, known := r.read[path]
	if !known {
		c = r.load(ctx, path)
		r.read[path] = c
	}
	return c
}

func (r *catalogReader) load(ctx context.Context, path string) committed {
	if r.err != nil {
		return r.refuse(r.err)
	}
	entry, found := r.entries[below(r.dir, path)]
	if !found || entry.Type != git.TypeBlob {
		return r.refuse(git.ErrNotFound)
	}
	blob, err := r.repo.Object(ctx, entry.ID)
	switch {
	case err != nil:
		return r.refuse(err)
	case blob.Type != git.TypeBlob:
		return r.refuse(git.ErrNotFound)
	}
	if r.bytes += len(blob.Data); r.bytes > maxCatalogBytes {
		return committed{err: errTooMuchCatalogs}
	}
	doc, err := canon.Read(blob.Data, canon.MaxDocument)
	if err != nil {
		return committed{err: err}
	}
	return committed{sha256: canon.SHA256(blob.Data), canonical: canon.Digest(doc.Root)}
}

// refuse says that a catalog cannot be read; Git that did not answer at all is
// the cause.
func (r *catalogReader) refuse(err error) committed {
	c := committed{err: err}
	var ge *git.Error
	if r.repo == nil || errors.As(err, &ge) && !errors.Is(err, git.ErrNotFound) {
		c.causes = source.AsError(err).Causes(r.in.Level, "")
	}
	return c
}

// below is the Git path of a runtime file; the runtime path "." is the top. One
// that is empty or ends with "/" leads to a path that no tree has.
func below(dir, path string) string {
	if dir == "." {
		return path
	}
	return dir + "/" + path
}
