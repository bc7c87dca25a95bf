package packet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Bounds of an inventory (contract 05, §7).
const (
	MaxInventoryFiles = 512
	MaxInventoryFile  = 10 << 20  // bytes of one file
	MaxInventoryBytes = 100 << 20 // bytes of all files together
)

// inventoryWorkers is how many files are hashed at once.
const inventoryWorkers = 4

// namespaces are the directories in which evidence lies.
var namespaces = [...]string{
	"ai", "approvals", "assurance", "cloud", "context", "design", "domain", "evals", "foundation", "goal", "graph",
	"handoff", "learning", "production", "proof", "qa", "rca", "release", "review", "run", "runtime", "self_heal",
	"smoke", "trajectory", "waivers",
}

// InNamespace reports whether the first component of a path is one of the
// evidence directories.
func InNamespace(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains(namespaces[:], first)
}

// foldPath is the name that two paths share when some platform would take
// them for one file: NFC, then full lower-casing without a locale.
func foldPath(path string) string {
	return cases.Lower(language.Und).String(norm.NFC.String(path))
}

// An inventoryFile is an entry whose file was found.
type inventoryFile struct {
	entry  canon.Node
	res    evidence.Resolved
	hashed bool // within the bounds of what is hashed
	digest evidence.Digest
	err    error
}

// inventoryChecks evaluates §7 against the files of the target, in every mode.
// Files are hashed as streams, so that memory does not grow with them.
func (v *verification) inventoryChecks(ctx context.Context) (*verify.Findings, []Node) {
	out := v.collect()
	list := v.doc.At("artifactInventory")
	if !list.IsArray() {
		return out, nil
	}
	files := v.inventoryEntries(out, list)
	v.hashInventory(ctx, files)
	nodes := make([]Node, 0, len(files))
	ends := &lineEnds{root: v.root}
	for _, f := range files {
		v.compareInventory(out, f, ends)
		nodes = append(nodes, inventoryNode(f))
	}
	ends.report(out, "packet.inventory.digest-mismatch")
	return out, nodes
}

// inventoryEntries checks the list itself, and finds the files of the first
// 512 entries.
func (v *verification) inventoryEntries(out *verify.Findings, list canon.Node) []*inventoryFile {
	var files []*inventoryFile
	var bytes float64
	previous := ""
	seen := map[string]bool{}
	for i, e := range list.Items() {
		if !hasExactly(e.Value, "path", "sha256", "size") {
			out.Add("packet.inventory.entry-shape", v.at(e), verify.What{Found: members(e.Value), Expected: "path, sha256, size"})
			continue
		}
		v.inventoryPath(out, e.At("path"), previous, seen)
		if path, isString := e.Get("path").Str(); isString {
			previous = path
		}
		if digest := e.At("sha256"); !canon.IsDigest(digest.Value) {
			out.Add("packet.inventory.digest-invalid", v.at(digest), verify.What{Found: verify.Show(digest.Value), Expected: expectDigest})
		}
		size := e.At("size")
		if !isInventorySize(size.Value) {
			out.Add("packet.inventory.size-invalid", v.at(size), verify.What{
				Found: verify.Show(size.Value), Expected: fmt.Sprintf("an integer from 0 to %d", MaxInventoryFile)})
		}
		if n, isInt := safeInteger(size.Value); isInt {
			bytes += n
		}
		if i < MaxInventoryFiles {
			if f := v.inventoryFile(out, e); f != nil {
				files = append(files, f)
			}
		}
	}
	if n := list.Len(); n > MaxInventoryFiles {
		out.Add("packet.inventory.too-many-files", v.at(list), verify.What{
			Found: fmt.Sprintf("%d entries; the files of the first %d were looked at", n, MaxInventoryFiles), Expected: fmt.Sprintf("at most %d", MaxInventoryFiles)})
	}
	if bytes > MaxInventoryBytes {
		out.Add("packet.inventory.too-many-bytes", v.at(list), verify.What{
			Found: fmt.Sprintf("%.0f bytes", bytes), Expected: fmt.Sprintf("at most %d", MaxInventoryBytes)})
	}
	return files
}

func (v *verification) inventoryPath(out *verify.Findings, path canon.Node, previous string, seen map[string]bool) {
	text, isString := path.Str()
	if !isString || !strings.Contains(text, "/") || canon.CompareUTF16(text, previous) <= 0 {
		out.Add("packet.inventory.path-order", v.at(path), verify.What{
			Found: verify.Show(path.Value), Expected: "a path with a directory, greater than " + verify.Quote(previous)})
	}
	if !isString {
		return
	}
	if !InNamespace(text) {
		out.Add("packet.inventory.namespace", v.at(path), verify.What{
			Found: verify.Quote(text), Expected: "a path below one of " + strings.Join(namespaces[:], " ")})
	}
	folded := foldPath(text)
	if seen[folded] {
		out.Add("packet.inventory.portable-collision", v.at(path), verify.What{
			Found: verify.Quote(text), Expected: "a path that no other entry has in another spelling"})
	}
	seen[folded] = true
}

// inventoryFile finds the file of an entry.
func (v *verification) inventoryFile(out *verify.Findings, e canon.Node) *inventoryFile {
	path := e.At("path")
	v.root.AddStrictPath(out, v.at(path), path.Text())
	res, perr := v.root.Resolve(path.Text(), evidence.MustExist)
	switch {
	case perr != nil:
		out.Wrap("packet.inventory.path-invalid", v.at(path), verify.What{
			Found: perr.Reason + ": " + verify.Show(path.Value), Expected: "the file as it was recorded", Unevaluated: perr.Unevaluated,
		}, []verify.Finding{evidence.PathFinding(out.Level(), v.at(path), perr)})
		return nil
	case !res.Regular:
		out.Add("packet.inventory.file-not-regular", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: "a regular file"})
		return nil
	}
	return &inventoryFile{entry: e, res: res}
}

// hashInventory hashes the files, a few at a time. Files beyond the bounds of
// a valid inventory are not hashed: their sizes alone refuse the packet.
func (v *verification) hashInventory(ctx context.Context, files []*inventoryFile) {
	var group errgroup.Group
	group.SetLimit(inventoryWorkers)
	left := int64(MaxInventoryBytes)
	for _, f := range files {
		size := f.res.Size()
		if size > MaxInventoryFile || size > left {
			continue
		}
		left -= size
		f.hashed = true
		group.Go(func() error {
			if f.err = context.Cause(ctx); f.err == nil {
				f.digest, f.err = v.root.DigestResolved(f.res)
			}
			return nil
		})
	}
	group.Wait()
}

func (v *verification) compareInventory(out *verify.Findings, f *inventoryFile, ends *lineEnds) {
	path, want, size := f.entry.Get("path").Text(), f.entry.At("sha256"), f.entry.At("size")
	if f.err != nil {
		out.Wrap("packet.inventory.path-invalid", v.at(f.entry.At("path")), verify.What{
			Found: reason(f.err), Expected: "the file as it was recorded", Unevaluated: unevaluated(f.err)}, nil)
		return
	}
	live := f.digest.Size
	if !f.hashed {
		live = f.res.Size()
	}
	if n, isNumber := size.Num(); !isNumber || n != float64(live) {
		out.Add("packet.inventory.size-mismatch", v.at(size), verify.What{
			Found: fmt.Sprintf("%s has %d bytes", verify.Quote(path), live), Expected: verify.Show(size.Value)})
	}
	if !f.hashed || !canon.IsDigest(want.Value) || want.Is(f.digest.SHA256) {
		return
	}
	if ends.explains(path, want.Text(), f.digest.Size) {
		return
	}
	out.Add("packet.inventory.digest-mismatch", v.at(want), verify.What{
		Found: verify.Quote(path) + " has " + f.digest.SHA256, Expected: verify.Show(want.Value)})
}

func inventoryNode(f *inventoryFile) Node {
	n := Node{Kind: "inventory", Path: f.entry.Get("path").Text(), Declared: f.entry.Get("sha256").Text(), Actual: f.digest.SHA256}
	switch {
	case f.err != nil:
		n.State = Unreadable
	case !f.hashed:
		n.State = NotLookedAt
	default:
		n.State = stateOf(n.Declared, n.Actual)
	}
	return n
}

func isInventorySize(v canon.Value) bool {
	n, isInt := safeInteger(v)
	return isInt && n >= 0 && n <= MaxInventoryFile
}

// safeInteger reads an integer that a double holds exactly.
func safeInteger(v canon.Value) (float64, bool) {
	const most = 1<<53 - 1
	n, isInt := v.Integer()
	return n, isInt && n >= -most && n <= most
}

// hasExactly reports whether v is an object with exactly these members.
func hasExactly(v canon.Value, names ...string) bool {
	if !v.IsObject() || v.Len() != len(names) {
		return false
	}
	return !slices.ContainsFunc(names, func(n string) bool { return !v.Has(n) })
}

// members shows the names of an object, or what else v is.
func members(v canon.Value) string {
	if !v.IsObject() {
		return verify.Show(v)
	}
	var names []string
	for _, m := range v.Members() {
		names = append(names, m.Name)
	}
	return "members " + verify.Quote(strings.Join(names, ", "))
}

// reason says why a file could not be read, without its path.
func reason(err error) string {
	var pe *evidence.PathError
	var fe *evidence.FileError
	switch {
	case errors.As(err, &pe):
		return pe.Reason
	case errors.As(err, &fe):
		return fe.Reason
	}
	return err.Error()
}

// unevaluated reports whether the operating system kept a file from being
// looked at, or the caller ended the verification.
func unevaluated(err error) bool {
	var pe *evidence.PathError
	var fe *evidence.FileError
	switch {
	case errors.As(err, &pe):
		return pe.Unevaluated
	case errors.As(err, &fe):
		return fe.Kind == evidence.Trouble
	}
	return err != nil
}
