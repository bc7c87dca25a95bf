package pack

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
)

// Bounds of strict.runtime.too-large (06 §10).
const (
	maxBlob = 16 << 20 // one bound blob
	maxPack = 64 << 20 // all bound blobs
)

// An entry is a committed file of the pack.
type entry struct {
	git.TreeEntry
	rel  string // relative to the pack root; a loader's bare name
	kind string // "" for a file that only a commissioned pack binds

	content        // once it was read
	data    []byte // kept only where a rule parses it
}

// A committed pack is what one commit holds of the files that are bound: all
// below the pack root and the loaders when commissioned, else scripts,
// catalogs and registry (06 §7).
type committed struct {
	entries []*entry // without the loaders, sorted by rel
	byRel   map[string]*entry
	loaders map[string]*entry
}

// listing says which pack of which tree is listed.
type listing struct {
	tree         string // object id
	pack         string // Git path of the pack root, "" at the top
	target       string // Git path of the target
	commissioned bool
}

// list finds the committed files of a pack, without reading them.
func list(ctx context.Context, repo *git.Repo, l listing) (*committed, error) {
	c := &committed{byRel: map[string]*entry{}, loaders: map[string]*entry{}}
	dirs, single := []string{scriptsDir, catalogsDir}, []string{join(l.pack, registryPath)}
	if l.commissioned {
		dirs, single = []string{""}, []string{join(l.target, loaderAgents), join(l.target, loaderClaude)}
	}
	for _, dir := range dirs {
		if err := c.listBelow(ctx, repo, l, dir); err != nil {
			return nil, err
		}
	}
	found, err := repo.EntriesAt(ctx, l.tree, single)
	if err != nil {
		return nil, err
	}
	for _, path := range single {
		if e, ok := found[path]; ok {
			c.addSingle(e, l.commissioned)
		}
	}
	slices.SortStableFunc(c.entries, func(a, b *entry) int { return canon.CompareUTF16(text(a.rel), text(b.rel)) })
	return c, nil
}

func (c *committed) listBelow(ctx context.Context, repo *git.Repo, l listing, dir string) error {
	base := strings.Trim(join(l.pack, dir), "/")
	found, err := repo.TreeEntries(ctx, l.tree, base)
	if err != nil {
		return err
	}
	for _, e := range found {
		rel := e.Path
		if l.pack != "" {
			rel = strings.TrimPrefix(e.Path, l.pack+"/")
		}
		if l.commissioned || kindOf(rel) != "" {
			c.add(e, rel)
		}
	}
	return nil
}

func (c *committed) add(e git.TreeEntry, rel string) {
	it := &entry{TreeEntry: e, rel: rel, kind: kindOf(rel)}
	c.entries = append(c.entries, it)
	if c.byRel[rel] == nil {
		c.byRel[rel] = it
	}
}

func (c *committed) addSingle(e git.TreeEntry, commissioned bool) {
	if commissioned {
		name := path.Base(e.Path)
		c.loaders[name] = &entry{TreeEntry: e, rel: name, kind: KindLoader}
		return
	}
	c.add(e, registryPath)
}

// bound lists every bound file, the loaders last.
func (c *committed) bound() []*entry {
	all := slices.Clone(c.entries)
	for _, name := range loaderNames {
		if e := c.loaders[name]; e != nil {
			all = append(all, e)
		}
	}
	return all
}

// ofKind lists the files of a kind in path order.
func (c *committed) ofKind(kind string) []*entry {
	var list []*entry
	for _, e := range c.entries {
		if e.kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// candidates are the files whose content is judged by itself (06 §3 rule 9).
func (c *committed) candidates() []*entry {
	var list []*entry
	for _, e := range c.bound() {
		if e.kind != "" {
			list = append(list, e)
		}
	}
	return list
}

// files is the list of a binding (06 §5); the content of all candidates has
// been read.
func (c *committed) files() []File {
	var files []File
	for _, e := range c.candidates() {
		files = append(files, File{Kind: e.kind, Path: text(e.rel), SHA256: e.fileDigest()})
	}
	sortFiles(files)
	return files
}

// fileDigest is the digest of a file as its kind has it; "" for a script that
// is no text.
func (e *entry) fileDigest() string {
	if e.kind == KindScript {
		return e.text
	}
	return e.raw
}

// identity is what runtimeSha256 covers (06 §5).
func (c *committed) identity(commissioned bool) canon.Value {
	if !commissioned {
		return fileValues(c.files())
	}
	var list []identity
	for _, e := range c.bound() {
		list = append(list, identity{path: text(e.Path), mode: e.Mode, sha256: e.raw})
	}
	return identityValue(list)
}

// A reader reads the blobs of one pack in turn.
type reader struct {
	repo  *git.Repo
	total int
	// large is the first that strict level finds too large, nil if none is.
	large *oversize
}

// oversize says that a blob, or all of them together, are beyond a bound of
// strict.runtime.too-large.
type oversize struct {
	path string // "" for all together
	size string
}

// maxAnyPack ends a reading at every level: more is not looked at.
const maxAnyPack = 1 << 30

// read fills in the content of a file. Its bytes stay only when a later rule
// parses them. The error is the repository's, or wraps git.ErrNotFound.
func (r *reader) read(ctx context.Context, e *entry) error {
	o, err := r.repo.Object(ctx, e.ID)
	var ge *git.Error
	switch {
	case errors.As(err, &ge) && ge.Reason == git.TooLarge:
		r.note(e.Path, ge.Detail)
		return err
	case err != nil:
		return fmt.Errorf("read %s of the commit: %w", verify.Quote(text(e.Path)), err)
	case o.Type != git.TypeBlob:
		return fmt.Errorf("read %s of the commit: object %s is a %s", verify.Quote(text(e.Path)), e.ID, o.Type)
	case len(o.Data) > maxBlob:
		r.note(e.Path, fmt.Sprintf("%d bytes", len(o.Data)))
	}
	if r.total += len(o.Data); r.total > maxPack {
		r.note("", fmt.Sprintf("more than %d bytes in all files together", maxPack))
	}
	if r.total > maxAnyPack {
		return fmt.Errorf("the files of the pack have more than %d bytes", maxAnyPack)
	}
	e.content = contentOf(o.Data)
	if e.rel == storePath || e.rel == adapterPath || e.kind == KindLoader {
		e.data = o.Data
	}
	return nil
}

func (r *reader) note(path, size string) {
	if r.large == nil {
		r.large = &oversize{path, size}
	}
}

// report adds strict.runtime.too-large for what was read; target is where the
// target lies in the work tree.
func (r *reader) report(out *verify.Findings, target string) {
	if r.large == nil {
		return
	}
	out.Add(ruleStrictTooLarge, artifactAt(target, r.large.path), verify.What{Found: r.large.size,
		Expected: fmt.Sprintf("at most %d MiB in a file, %d MiB in the pack", maxBlob>>20, maxPack>>20)})
}
