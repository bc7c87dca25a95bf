package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Bounds on tree walks. A small repository can describe an enormous tree by naming the same subtree many times.
const (
	maxTreeEntries = 500_000
	maxTreeDepth   = 512
)

// Modes of tree and index entries, as Git prints them.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeSymlink    = "120000"
	ModeGitlink    = "160000"
	modeTree       = "040000"
)

// TreeEntry is an entry of a tree that is not itself a tree.
type TreeEntry struct {
	Mode string // ModeFile, ModeExecutable, ModeSymlink or ModeGitlink
	Type string // TypeBlob, or TypeCommit for a gitlink
	ID   string
	Path string // relative to the root tree, "/" between components; any byte but NUL
}

// treeEntry is an entry as it stands in one tree object.
type treeEntry struct {
	mode, name, id string
}

// parseTree reads a tree object: "<octal mode> SP <name> NUL <raw id>" repeated. Names that could lead elsewhere ("", ".",
// "..", anything with "/") make the object malformed; ".git" does not.
func parseTree(data []byte, idBytes int) ([]treeEntry, error) {
	const op = "read tree"
	var entries []treeEntry
	for len(data) > 0 {
		mode, rest, ok := bytes.Cut(data, []byte(" "))
		if !ok {
			return nil, malformed(op, "entry %d has no mode", len(entries))
		}
		canonical, ok := canonicalMode(mode)
		if !ok {
			return nil, malformed(op, "entry %d has mode %q", len(entries), mode)
		}
		name, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(rest) < idBytes {
			return nil, malformed(op, "entry %d is cut short", len(entries))
		}
		if bytes.IndexByte(name, '/') >= 0 || string(name) == "" || string(name) == "." || string(name) == ".." {
			return nil, malformed(op, "entry %d is named %q", len(entries), name)
		}
		entries = append(entries, treeEntry{canonical, string(name), hex.EncodeToString(rest[:idBytes])})
		data = rest[idBytes:]
	}
	return entries, nil
}

// canonicalMode maps a mode to what "git ls-tree" prints: old trees hold group-writable files and zero-padded modes.
func canonicalMode(text []byte) (string, bool) {
	if len(text) == 0 || len(text) > 7 {
		return "", false
	}
	mode := 0
	for _, c := range text {
		if c < '0' || c > '7' {
			return "", false
		}
		mode = mode<<3 | int(c-'0')
	}
	switch mode & 0o170000 {
	case 0o100000:
		if mode&0o100 != 0 {
			return ModeExecutable, true
		}
		return ModeFile, true
	case 0o120000:
		return ModeSymlink, true
	case 0o040000:
		return modeTree, true
	default:
		return ModeGitlink, true
	}
}

// tree reads and parses one tree object.
func (r *Repo) tree(ctx context.Context, id string) ([]treeEntry, Object, error) {
	o, err := r.Object(ctx, id)
	if err != nil {
		return nil, o, err
	}
	if o.Type != TypeTree {
		return nil, o, malformed("read tree", "object %s is a %s", id, o.Type)
	}
	entries, err := parseTree(o.Data, r.IDLen()/2)
	return entries, o, err
}

// TreeEntries lists recursively what the tree-ish treeish (an object id; see [Repo.Peel]) holds below prefix, a directory
// path without final "/", or "" for everything: the listing of "git ls-tree -r". It is empty when prefix is not a directory
// there. The order is that of the tree objects, which for honest ones is by bytes. The error is an [*Error] (also for more
// than 500,000 entries), or wraps [ErrNotFound] when treeish or a tree below prefix does not exist.
func (r *Repo) TreeEntries(ctx context.Context, treeish, prefix string) ([]TreeEntry, error) {
	p, err := r.Peel(ctx, treeish)
	if err != nil {
		return nil, err
	}
	root, base := p.Tree, ""
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		entry, err := r.lookup(ctx, p.Tree, prefix)
		if errors.Is(err, errNoEntry) || err == nil && entry.mode != modeTree {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		root, base = entry.id, prefix+"/"
	}
	w := treeWalk{repo: r, left: maxTreeEntries}
	var list []TreeEntry
	err = w.walk(ctx, root, base, 0, func(e treeEntry, path string) {
		typ := TypeBlob
		if e.mode == ModeGitlink {
			typ = TypeCommit
		}
		list = append(list, TreeEntry{Mode: e.mode, Type: typ, ID: e.id, Path: path})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// treeWalk visits a tree recursively. It counts every entry, trees included, against left.
type treeWalk struct {
	repo *Repo
	left int
	seen map[string]bool // when not nil: trees that are not visited again
}

// walk calls visit for every entry below the tree id that is not a tree.
func (w *treeWalk) walk(ctx context.Context, id, base string, depth int, visit func(e treeEntry, path string)) error {
	const op = "list tree"
	if depth == maxTreeDepth {
		return &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("deeper than %d", maxTreeDepth)}
	}
	if w.seen[id] {
		return nil
	}
	if ctx.Err() != nil {
		return failure(ctx, op, "", ctx.Err())
	}
	entries, _, err := w.repo.tree(ctx, id)
	if err != nil {
		return err
	}
	if w.seen != nil {
		w.seen[id] = true
	}
	if w.left -= len(entries) + 1; w.left < 0 {
		return &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("more than %d entries", maxTreeEntries)}
	}
	for _, e := range entries {
		if e.mode != modeTree {
			visit(e, base+e.name)
		} else if err := w.walk(ctx, e.id, base+e.name+"/", depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// errNoEntry says that a path names nothing in a tree.
var errNoEntry = fmt.Errorf("no such path: %w", ErrNotFound)

// found is an entry that lookup came to.
type found struct {
	treeEntry
	genuine bool // every tree read on the way hashes to its id
}

// lookup walks from the tree id along path. The error is errNoEntry, or that of a tree that cannot be read.
func (r *Repo) lookup(ctx context.Context, id, path string) (found, error) {
	f := found{genuine: true}
	f.mode, f.id = modeTree, id
	for name := range strings.SplitSeq(path, "/") {
		if f.mode != modeTree {
			return found{}, errNoEntry
		}
		entries, o, err := r.tree(ctx, f.id)
		if err != nil {
			return found{}, err
		}
		at := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == name })
		if at < 0 {
			return found{}, errNoEntry
		}
		f = found{entries[at], f.genuine && o.Genuine}
	}
	return f, nil
}

// Blob is a file of a tree.
type Blob struct {
	Mode    string // ModeFile, ModeExecutable or ModeSymlink
	ID      string
	Data    []byte // verbatim: no line-end or text conversion; do not change it
	Genuine bool   // the blob and every object on the way to it hash to their ids
}

// BlobAt reads the file at path in the tree-ish treeish (an object id; see [Repo.Peel]): the bytes of the object
// "<treeish>:<path>". path has "/" between components and is taken literally; symbolic links are not followed. The error
// wraps [ErrNotFound] when there is no such path or it is a directory or a gitlink, else it is an [*Error].
func (r *Repo) BlobAt(ctx context.Context, treeish, path string) (Blob, error) {
	p, err := r.Peel(ctx, treeish)
	if err != nil {
		return Blob{}, err
	}
	e, err := r.lookup(ctx, p.Tree, path)
	if err != nil && !errors.Is(err, errNoEntry) {
		return Blob{}, err
	}
	if err != nil || e.mode == modeTree || e.mode == ModeGitlink {
		return Blob{}, notFound(path)
	}
	o, err := r.Object(ctx, e.id)
	if err != nil {
		return Blob{}, err
	}
	if o.Type != TypeBlob {
		return Blob{}, malformed("read file", "object %s is a %s", e.id, o.Type)
	}
	return Blob{Mode: e.mode, ID: e.id, Data: o.Data, Genuine: p.Genuine && e.genuine && o.Genuine}, nil
}

// ReadTrees reads the trees from the root of treeish down to the directory prefix ("" for the whole tree) and every tree
// below it, each once. Git compares the index with these trees, so a clean status says that the files are those of the
// commit only if no tree was swapped: [Repo.Forged] has the ids that did not match. Errors as [Repo.TreeEntries].
func (r *Repo) ReadTrees(ctx context.Context, treeish, prefix string) error {
	p, err := r.Peel(ctx, treeish)
	if err != nil {
		return err
	}
	id := p.Tree
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		e, err := r.lookup(ctx, id, prefix)
		if errors.Is(err, errNoEntry) || err == nil && e.mode != modeTree {
			return nil
		}
		if err != nil {
			return err
		}
		id = e.id
	}
	w := treeWalk{repo: r, left: maxTreeEntries, seen: make(map[string]bool)}
	return w.walk(ctx, id, "", 0, func(treeEntry, string) {})
}
