package pack

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/review"
	"finishline/verify"
)

// History says what to reconstruct.
type History struct {
	Declared
	// Commit is the packet's member.
	Commit canon.Node
	// Repo is the repository of the target. When it could not be opened, it
	// is nil and RepoErr says why.
	Repo    *git.Repo
	RepoErr error
	Pin     review.Pin
}

// Historical judges a declaration about a commit that is not checked out, or
// of a v2 packet (06 §9). Nothing live is looked at: everything is rebuilt from
// the commit's objects. All rules that fail are reported. A pass says that the
// declaration agrees with the commit; completeness of the files, discovery
// blocks and live state are not verified, and it is never a closure.
func Historical(ctx context.Context, in History) *verify.Findings {
	h := &historian{History: in, out: Table.Collect(in.Level)}
	if declares(in.Declared, h.out) && h.resolve(ctx) {
		h.rebuild(ctx)
	}
	return h.out
}

// historian is one reconstruction.
type historian struct {
	History
	out  *verify.Findings
	tree string // root tree of the commit
	read reader
	seen map[string]content // of blobs that were read, by id

	source, files canon.Node
	target, pack  place
	commissioned  bool
	pick          *committed // what §5 lists for the commit, nil when it cannot be listed
}

// A place is a declared path of the work tree.
type place struct {
	git   string // "" at the top
	valid bool   // can be looked up in a tree
}

// placeOf reads a declared path: "." is the top. What a tree cannot have is
// found nowhere.
func placeOf(v canon.Value) place {
	s, ok := v.Str()
	switch {
	case !ok || s == "" || strings.Trim(s, "/") != s:
		return place{}
	case s == ".":
		return place{valid: true}
	}
	return place{git: s, valid: true}
}

// resolve finds the commit's tree (runtime.historical.commit-unavailable) and
// says at strict level what is wrong with the commit's name.
func (h *historian) resolve(ctx context.Context) bool {
	at, name := h.place(h.Commit), h.Commit.Text()
	if canon.HasUpperHex(name) && isObjectName(name) {
		h.out.Add("strict.commit.upper-case", at, verify.What{Found: verify.Quote(name), Expected: "lower case"})
	}
	if h.Repo == nil {
		h.commitUnavailable(at, Input{RepoErr: h.RepoErr}.repoError())
		return false
	}
	if len(name) != h.Repo.IDLen() {
		h.out.Add("strict.commit.length", at, verify.What{Found: fmt.Sprintf("%d characters", len(name)),
			Expected: fmt.Sprintf("%d digits, the length of this repository's object names", h.Repo.IDLen())})
	}
	resolved, err := h.Repo.Resolve(ctx, name)
	if err != nil {
		h.commitUnavailable(at, err)
		return false
	}
	if len(name) == h.Repo.IDLen() && (resolved.ViaRef || resolved.Type != git.TypeCommit) {
		h.out.Add("strict.commit.not-a-commit", at, verify.What{Found: "the name of a " + resolved.Type, Expected: "the id of a commit"})
	}
	peeled, err := h.Repo.Peel(ctx, resolved.ID)
	switch {
	case err != nil:
		h.commitUnavailable(at, err)
		return false
	case peeled.Commit == "":
		h.commitUnavailable(at, fmt.Errorf("a %s and no commit: %w", resolved.Type, git.ErrNotFound))
		return false
	}
	h.tree = peeled.Tree
	return true
}

func (h *historian) commitUnavailable(at verify.Place, err error) {
	h.out.Wrap(ruleHistCommit, at, verify.What{Found: verify.Show(h.Commit.Value) + ", " + err.Error(), Expected: "a commit of this repository"},
		gitCauses(h.Level, err))
}

// gitCauses is runtime.git.unavailable when Git did not answer at all, nothing
// when it answered that something is not there.
func gitCauses(level verify.Level, err error) []verify.Finding {
	if errors.Is(err, git.ErrNotFound) {
		return nil
	}
	causes := Table.Collect(level)
	reportUnavailable(causes, err)
	return causes.List()
}

// rebuild evaluates the rules of 06 §9 against the commit's tree.
func (h *historian) rebuild(ctx context.Context) {
	h.read = reader{repo: h.Repo}
	h.seen = map[string]content{}
	h.source, h.files = h.Runtime.At("source"), h.Runtime.At("files")
	targetPath, runtimePath := h.source.Get("targetPath"), h.source.Get("runtimePath")
	h.target, h.pack = placeOf(targetPath), placeOf(runtimePath)
	h.commissioned = !canon.Same(targetPath, runtimePath)

	h.schema(h.out)
	h.sources()
	h.declaredFiles(ctx)
	h.list(ctx)
	h.digests()
	h.strict(ctx)
}

// sources evaluates runtime.historical.source.
func (h *historian) sources() {
	var found, expected []string
	for _, m := range []struct{ name, want string }{
		{"scheme", sourceScheme}, {"commit", h.Commit.Text()}, {"tree", h.tree},
	} {
		if v := h.source.Get(m.name); !v.Is(m.want) {
			found = append(found, m.name+" "+verify.Show(v))
			expected = append(expected, m.name+" "+verify.Quote(m.want))
		}
	}
	if len(found) > 0 {
		h.out.Add(ruleHistSource, h.place(h.source), verify.What{
			Found: strings.Join(found, ", "), Expected: strings.Join(expected, ", ")})
	}
}

// declaredFiles evaluates the rules of the single entries.
func (h *historian) declaredFiles(ctx context.Context) {
	items := h.files.Items()
	if len(items) == 0 {
		h.out.Add(ruleHistFilesEmpty, h.place(h.files), verify.What{Found: verify.Show(h.files.Value), Expected: "an array of files"})
		return
	}
	var wellFormed []canon.Node
	var paths []string
	seen := map[string]bool{}
	for _, item := range items {
		path, ok := item.Get("path").Str()
		if what, bad := badEntry(item, ok, seen[path]); bad {
			h.out.Add(ruleHistFileEntry, h.place(item), what)
			continue
		}
		seen[path] = true
		wellFormed = append(wellFormed, item)
		paths = append(paths, h.gitPathOf(item))
	}
	found, err := h.Repo.EntriesAt(ctx, h.tree, paths)
	for i, item := range wellFormed {
		h.declaredFile(ctx, item, paths[i], found, err)
	}
}

func badEntry(item canon.Node, hasPath, repeated bool) (verify.What, bool) {
	switch {
	case !item.IsObject():
		return verify.What{Found: verify.Show(item.Value), Expected: "an object"}, true
	case !hasPath:
		return verify.What{Found: "path " + verify.Show(item.Get("path")), Expected: "a path"}, true
	case !canon.IsDigest(item.Get("sha256")):
		return verify.What{Found: "sha256 " + verify.Show(item.Get("sha256")), Expected: "64 hexadecimal digits"}, true
	case repeated:
		return verify.What{Found: "path " + verify.Show(item.Get("path")) + " again", Expected: "each path once"}, true
	}
	return verify.What{}, false
}

// gitPathOf is where a declared file lies in the commit, or a path that no
// tree has.
func (h *historian) gitPathOf(item canon.Node) string {
	base := h.pack
	if item.Get("kind").Is(KindLoader) {
		base = h.target
	}
	if !base.valid {
		return ""
	}
	return join(base.git, item.Get("path").Text())
}

// declaredFile compares one declared file with the committed one.
func (h *historian) declaredFile(ctx context.Context, item canon.Node, path string, found map[string]git.TreeEntry, err error) {
	e, ok := found[path]
	if err == nil && (!ok || e.Type != git.TypeBlob) {
		err = git.ErrNotFound
	}
	var c content
	if err == nil {
		c, err = h.contentOf(ctx, &entry{TreeEntry: e})
	}
	if err != nil {
		h.out.Add(ruleHistFileMissing, h.place(item), verify.What{
			Found: verify.Show(item.Get("path")) + ": " + err.Error(), Expected: "a file of the commit",
			Unevaluated: !errors.Is(err, git.ErrNotFound)})
		return
	}
	want := c.raw
	if item.Get("kind").Is(KindScript) {
		want = c.text
	}
	if declared := item.At("sha256"); want == "" || !declared.Is(want) {
		h.out.Add(ruleHistFileDigest, h.place(declared), verify.What{
			Found: verify.Show(declared.Value) + " for " + verify.Show(item.Get("path")), Expected: "the committed " + shown(want)})
	}
}

// shown is a computed digest for a finding, or why there is none.
func shown(digest string) string {
	if digest == "" {
		return "file, which is no text"
	}
	return verify.Quote(digest)
}

// contentOf reads a blob, once.
func (h *historian) contentOf(ctx context.Context, e *entry) (content, error) {
	if c, ok := h.seen[e.ID]; ok {
		return c, nil
	}
	err := h.read.read(ctx, e)
	if err == nil {
		h.seen[e.ID] = e.content
	}
	return e.content, err
}

// list rebuilds what a binding of the commit would list, which a commissioned
// pack's runtimeSha256 needs (runtime.historical.tree-unavailable). An
// uncommissioned pack needs it at strict level only.
func (h *historian) list(ctx context.Context) {
	if !h.commissioned && !h.out.Strict() {
		return
	}
	pick, err := h.listed(ctx)
	if err == nil {
		h.pick = pick
		return
	}
	if h.commissioned {
		h.out.Wrap(ruleHistTree, h.place(h.source.At("runtimePath")), verify.What{
			Found: err.Error(), Expected: "a pack of plain files in the commit"}, gitCauses(h.Level, err))
	}
}

func (h *historian) listed(ctx context.Context) (*committed, error) {
	if !h.pack.valid || !h.target.valid {
		return nil, fmt.Errorf("no places that a tree can have: %w", git.ErrNotFound)
	}
	c, err := list(ctx, h.Repo, listing{tree: h.tree, pack: h.pack.git, target: h.target.git, commissioned: h.commissioned})
	if err != nil {
		return nil, err
	}
	if len(c.entries) == 0 {
		return nil, fmt.Errorf("no file below the declared pack root: %w", git.ErrNotFound)
	}
	for _, e := range c.bound() {
		if e.Type != git.TypeBlob {
			return nil, fmt.Errorf("%s is a submodule: %w", verify.Quote(text(e.Path)), git.ErrNotFound)
		}
		if e.content, err = h.contentOf(ctx, e); err != nil {
			return nil, err
		}
	}
	return c, nil
}
