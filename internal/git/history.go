package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds on reading history.
const (
	// maxHistory is the most commits that are read to find an ancestor.
	maxHistory = 200_000
	// renamePairs is up to how many pairs of files Git compares for renames: its limit of 1000, squared.
	renamePairs = 1000 * 1000
	// maxRenameBytes of files that rename detection compares are re-hashed.
	maxRenameBytes = 256 << 20
)

// ChangedNames lists what "git diff --name-only -z <old> <new>" prints for the paths below the directory prefix, which is
// relative to the top level ("" for everything): names relative to the top level, as Git stores them. With rename
// detection only the new name of a renamed file is listed. old and new are names of commits or trees, in hexadecimal. The
// error is an [*Error]; its reason is [TooLarge] when Git prints more than maxBytes.
func (r *Repo) ChangedNames(ctx context.Context, old, new, prefix string, maxBytes int) ([]string, error) {
	const op = "git diff"
	for _, name := range []string{old, new} {
		if !isHex(name) {
			return nil, malformed(op, "not an object name: %q", name)
		}
	}
	if prefix = strings.TrimSuffix(prefix, "/"); prefix == "" {
		prefix = "."
	}
	out := limitedBuffer{limit: maxBytes}
	err := r.run.run(ctx, invocation{
		dir: r.place.Top, config: r.guard, env: r.guards, stdout: &out,
		args: []string{"--literal-pathspecs", "diff", "--name-only", "-z", "--no-color", "--no-ext-diff", "--no-textconv",
			"--no-relative", "-O/dev/null", "--submodule=short", "--ignore-submodules=untracked", old, new, "--", prefix},
	})
	if errors.Is(err, errTooLarge) {
		return nil, &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("printed more than %d bytes", maxBytes), Err: err}
	}
	if err != nil {
		return nil, err
	}
	return parseNames(out.Bytes()), nil
}

func isHex(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

// limitedBuffer keeps at most limit bytes and refuses more.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

// ReadChanged reads, and so re-hashes, the objects that [Repo.ChangedNames] relies on: the trees in which two commits or
// trees (ids in full) differ below prefix, and the files on one side only that rename detection compares. forged are the
// ids that did not match, sorted. The error is an [*Error], or wraps [ErrNotFound].
func (r *Repo) ReadChanged(ctx context.Context, old, new, prefix string) (forged []string, err error) {
	w := changeWalk{repo: r, left: maxTreeEntries, forged: map[string]bool{}}
	var roots [2]string
	for side, id := range [2]string{old, new} {
		if roots[side], err = w.root(ctx, id, strings.Trim(prefix, "/")); err != nil {
			return nil, err
		}
	}
	if err := w.compare(ctx, roots, 0); err != nil {
		return nil, err
	}
	if err := w.readRenameCandidates(ctx); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(w.forged)), nil
}

// changeWalk walks two trees side by side, only where they differ.
type changeWalk struct {
	repo   *Repo
	left   int
	only   [2][]string // blobs that one side has at a path where the other has none
	forged map[string]bool
}

// root finds the tree at prefix, "" for none.
func (w *changeWalk) root(ctx context.Context, id, prefix string) (string, error) {
	p, err := w.repo.Peel(ctx, id)
	if err != nil {
		return "", err
	}
	if !p.Genuine {
		w.forged[id] = true
	}
	tree := p.Tree
	for name := range strings.SplitSeq(prefix, "/") {
		if prefix == "" {
			break
		}
		entries, o, err := w.repo.tree(ctx, tree)
		if err != nil {
			return "", err
		}
		w.note(o)
		at := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == name && e.mode == modeTree })
		if at < 0 {
			return "", nil
		}
		tree = entries[at].id
	}
	return tree, nil
}

func (w *changeWalk) note(o Object) {
	if !o.Genuine {
		w.forged[o.ID] = true
	}
}

// compare visits two trees, "" for none.
func (w *changeWalk) compare(ctx context.Context, trees [2]string, depth int) error {
	const op = "compare trees"
	switch {
	case trees[0] == trees[1]:
		return nil
	case depth == maxTreeDepth:
		return &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("deeper than %d", maxTreeDepth)}
	case ctx.Err() != nil:
		return failure(ctx, op, "", ctx.Err())
	}
	var entries [2]map[string]treeEntry
	for side, id := range trees {
		if id == "" {
			continue
		}
		list, o, err := w.repo.tree(ctx, id)
		if err != nil {
			return err
		}
		w.note(o)
		if w.left -= len(list) + 1; w.left < 0 {
			return &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("more than %d entries", maxTreeEntries)}
		}
		entries[side] = make(map[string]treeEntry, len(list))
		for _, e := range list {
			entries[side][e.name] = e
		}
	}
	for name, e := range entries[0] {
		if err := w.pair(ctx, [2]treeEntry{e, entries[1][name]}, depth); err != nil {
			return err
		}
	}
	for name, e := range entries[1] {
		if _, both := entries[0][name]; both {
			continue
		}
		if err := w.pair(ctx, [2]treeEntry{{}, e}, depth); err != nil {
			return err
		}
	}
	return nil
}

// pair compares what two trees have under one name; the zero entry is nothing.
func (w *changeWalk) pair(ctx context.Context, e [2]treeEntry, depth int) error {
	var below [2]string
	for side := range e {
		if e[side].mode == modeTree {
			below[side] = e[side].id
		}
	}
	for side, other := range [2]int{1, 0} {
		blob := e[side].mode == ModeFile || e[side].mode == ModeExecutable || e[side].mode == ModeSymlink
		if absent := e[other].mode == "" || e[other].mode == modeTree; blob && absent {
			w.only[side] = append(w.only[side], e[side].id)
		}
	}
	return w.compare(ctx, below, depth+1)
}

// readRenameCandidates reads the added and the deleted files when Git compares their contents.
func (w *changeWalk) readRenameCandidates(ctx context.Context) error {
	deleted, added := len(w.only[0]), len(w.only[1])
	if deleted == 0 || added == 0 || deleted*added > renamePairs {
		return nil
	}
	ids := slices.Concat(w.only[0], w.only[1])
	slices.Sort(ids)
	total := 0
	for _, id := range slices.Compact(ids) {
		o, err := w.repo.Object(ctx, id)
		if err != nil {
			return err
		}
		w.note(o)
		if total += len(o.Data); total > maxRenameBytes {
			return &Error{Kind: Unavailable, Reason: TooLarge, Op: "compare files",
				Detail: fmt.Sprintf("renamed files of more than %d bytes", maxRenameBytes)}
		}
	}
	return nil
}

// IsAncestor tells whether the commit old is new itself or can be reached from it along parents. Ids are in full. Commits
// are read one by one and re-hashed, so neither grafts nor a commit-graph file count. The error is an [*Error], also when
// the answer lies in history that the repository does not have (a shallow clone) or beyond 200,000 commits.
func (r *Repo) IsAncestor(ctx context.Context, old, new string) (bool, error) {
	const op = "walk history"
	old, new = strings.ToLower(old), strings.ToLower(new)
	seen := map[string]bool{new: true}
	queue := []string{new}
	cut := ""
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == old {
			return true, nil
		}
		if ctx.Err() != nil {
			return false, failure(ctx, op, "", ctx.Err())
		}
		o, err := r.Object(ctx, id)
		if errors.Is(err, ErrNotFound) {
			cut = id
			continue
		}
		if err != nil {
			return false, err
		}
		if !o.Genuine {
			return false, malformed(op, "commit %s does not hash to its id", id)
		}
		for _, parent := range parents(o) {
			if seen[parent] {
				continue
			}
			if len(seen) == maxHistory {
				return false, &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("more than %d commits", maxHistory)}
			}
			seen[parent] = true
			queue = append(queue, parent)
		}
	}
	if cut != "" {
		return false, &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: "commit " + cut + " is missing; is this a shallow clone?"}
	}
	return false, nil
}

// parents reads the parent lines of a commit; they follow its tree.
func parents(o Object) []string {
	if o.Type != TypeCommit {
		return nil
	}
	_, rest, _ := bytes.Cut(o.Data, []byte("\n"))
	var ids []string
	for {
		line, more, ok := bytes.Cut(rest, []byte("\n"))
		id, isParent := strings.CutPrefix(string(line), "parent ")
		if !ok || !isParent || !isID(id) {
			return ids
		}
		ids = append(ids, id)
		rest = more
	}
}
