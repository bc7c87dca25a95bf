package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"
)

// Object types.
const (
	TypeCommit = "commit"
	TypeTree   = "tree"
	TypeBlob   = "blob"
	TypeTag    = "tag"
)

// Bounds on what objects may make us do.
const (
	// maxCachedBytes of genuine objects are kept; a genuine object never changes.
	maxCachedBytes = 24 << 20
	// maxTagDepth is the longest chain of annotated tags that is followed.
	maxTagDepth = 16
)

// Object is an object of the database.
type Object struct {
	ID      string // lower-case hexadecimal, as Git names it
	Type    string // TypeCommit, TypeTree, TypeBlob or TypeTag
	Data    []byte // the content without the object header; do not change it
	Genuine bool   // hashing type, size and content gives ID
}

// objectCache keeps genuine objects by id, and the ids of all that were not.
type objectCache struct {
	mu      sync.Mutex
	objects map[string]Object
	bytes   int
	forged  map[string]bool
}

// Object reads the object with the given id, written in full (of either case). It is hashed with the repository's hash
// function; one that does not hash to its id is returned all the same, with Genuine false (strict rule
// strict.source.object-identity). The error is an [*Error] ([TooLarge] for more than [MaxOutputBytes]), or wraps
// [ErrNotFound].
func (r *Repo) Object(ctx context.Context, id string) (Object, error) {
	low := strings.ToLower(id)
	if !isID(low) || len(low) != r.IDLen() {
		return Object{}, notFound(id)
	}
	if o, ok := r.cache.get(low); ok {
		return o, nil
	}
	o, err := r.read(ctx, low)
	if err == nil && o.ID != low {
		return Object{}, malformed("git cat-file", "asked for %s, got %s", low, o.ID)
	}
	return o, err
}

// read sends a name, which may be any expression, to the batch process.
func (r *Repo) read(ctx context.Context, name string) (Object, error) {
	a, err := r.batch.request(ctx, r.run.limits, name)
	if err != nil {
		return Object{}, err
	}
	o := Object{ID: a.id, Type: a.typ, Data: a.data}
	o.Genuine = r.hash(o.Type, o.Data) == o.ID
	r.cache.put(o)
	return o, nil
}

// hash is the object id of content.
func (r *Repo) hash(typ string, data []byte) string {
	var h hash.Hash
	if r.format == "sha256" {
		h = sha256.New()
	} else {
		h = sha1.New()
	}
	fmt.Fprintf(h, "%s %d\x00", typ, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func (c *objectCache) get(id string) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.objects[id]
	return o, ok
}

func (c *objectCache) put(o Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !o.Genuine {
		if c.forged == nil {
			c.forged = make(map[string]bool)
		}
		c.forged[o.ID] = true
		return
	}
	if _, ok := c.objects[o.ID]; ok || c.bytes+len(o.Data) > maxCachedBytes {
		return
	}
	if c.objects == nil {
		c.objects = make(map[string]Object)
	}
	c.objects[o.ID] = o
	c.bytes += len(o.Data)
}

// Forged lists the ids of all objects read so far that were not genuine, sorted.
func (r *Repo) Forged() []string {
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	ids := make([]string, 0, len(r.cache.forged))
	for id := range r.cache.forged {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Resolved is what a name denotes.
type Resolved struct {
	ID      string
	Type    string
	ViaRef  bool // the name is not an object id, in full or abbreviated, but a reference or another expression
	Genuine bool // of the object itself
}

// Resolve finds the object that a name denotes, by Git's rules for revisions: an id in full, an abbreviated id, a branch,
// a tag, "HEAD~1". It serves base rules that accept such names; a strict caller checks the length of the name first and
// then Type and ViaRef (contract 01 section 7.2). A name is never an option and never a file. The error is an [*Error], or
// wraps [ErrNotFound] (which an ambiguous name gives too).
func (r *Repo) Resolve(ctx context.Context, name string) (Resolved, error) {
	low := strings.ToLower(name)
	full := len(name) == r.IDLen() && isID(low)
	var o Object
	var err error
	if full {
		o, err = r.Object(ctx, low)
	} else {
		o, err = r.read(ctx, name)
	}
	if err != nil {
		return Resolved{}, err
	}
	const minAbbreviation = 4
	abbreviated := len(name) >= minAbbreviation && strings.HasPrefix(o.ID, low)
	return Resolved{ID: o.ID, Type: o.Type, ViaRef: !full && !abbreviated, Genuine: o.Genuine}, nil
}

// Head is what HEAD denotes at one moment.
type Head struct {
	ID      string // of the commit, as "rev-parse --verify HEAD" prints it
	Tree    string // of the whole repository's root tree
	Genuine bool   // the commit object hashes to ID; the tree object has not been read
}

// Head looks at HEAD anew. The error is an [*Error]; when HEAD names an object that cannot be read as a commit, ID is set
// beside the error, so that a caller who expects another commit can say so.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	o, err := r.read(ctx, "HEAD")
	if errors.Is(err, ErrNotFound) {
		// Unborn, or the object is missing; rev-parse knows the difference and says it.
		out, err := r.run.output(ctx, invocation{dir: r.dir, args: []string{"rev-parse", "--verify", "HEAD"}})
		if err != nil {
			return Head{}, err
		}
		id := strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r")
		return Head{ID: id}, &Error{Kind: Unavailable, Reason: Failed, Op: "read HEAD", Detail: "object " + printable(id) + " is missing"}
	}
	if err != nil {
		return Head{}, err
	}
	h := Head{ID: o.ID, Genuine: o.Genuine}
	p, err := r.peel(ctx, o)
	if err != nil {
		return h, err
	}
	h.Tree, h.Genuine = p.Tree, p.Genuine
	return h, nil
}

// Peeled is the way from an object to a root tree.
type Peeled struct {
	Commit  string // "" when the object was a tree
	Tree    string // id of the root tree; the tree itself has not been read unless it was the object
	Genuine bool   // every object read on the way hashes to its id
}

// Peel follows annotated tags to a commit and the commit to its tree, or accepts a tree, as Git does for "<id>:<path>". A
// blob gives an error that wraps [ErrNotFound].
func (r *Repo) Peel(ctx context.Context, id string) (Peeled, error) {
	o, err := r.Object(ctx, id)
	if err != nil {
		return Peeled{}, err
	}
	return r.peel(ctx, o)
}

func (r *Repo) peel(ctx context.Context, o Object) (Peeled, error) {
	p := Peeled{Genuine: o.Genuine}
	for range maxTagDepth {
		switch o.Type {
		case TypeTree:
			p.Tree = o.ID
			return p, nil
		case TypeCommit:
			tree, err := headerID(o, "tree", r.IDLen())
			p.Commit, p.Tree = o.ID, tree
			return p, err
		case TypeTag:
			next, err := headerID(o, "object", r.IDLen())
			if err != nil {
				return Peeled{}, err
			}
			if o, err = r.Object(ctx, next); err != nil {
				return Peeled{}, err
			}
			p.Genuine = p.Genuine && o.Genuine
		default:
			return Peeled{}, fmt.Errorf("object %s is a %s: %w", o.ID, o.Type, ErrNotFound)
		}
	}
	return Peeled{}, malformed("follow tags", "more than %d tags in a row", maxTagDepth)
}

// headerID reads the id in the first header line of a commit ("tree <id>") or a tag ("object <id>").
func headerID(o Object, name string, idLen int) (string, error) {
	line, _, ok := bytes.Cut(o.Data, []byte("\n"))
	id, named := strings.CutPrefix(string(line), name+" ")
	if !ok || !named || len(id) != idLen || !isID(id) {
		return "", malformed("read object", "%s %s does not start with its %s", o.Type, o.ID, name)
	}
	return id, nil
}
