package privacy

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Bounds of a closure (10 §11).
const (
	MaxClosurePaths = 128
	MaxClosureDepth = 4
	maxReference    = canon.MaxSubject // bytes of a document whose references are followed
)

// A BridgeArtifact is an entry of the artifact ledger of a run's journal.
type BridgeArtifact struct {
	Path              string
	EvidencePath      string // "" for none
	Required, Skipped bool
}

// A ClosurePath is a file that the scan of a completed run must cover, and why.
type ClosurePath struct {
	Path string // relative to the root, links resolved
	Why  Reference
}

// Shown is the path as reports show it.
func (p ClosurePath) Shown() string { return shownPath(p.Path) }

// A Reference says what names a path: a document and the place in it, or one
// of the reasons of the contract itself.
type Reference struct {
	From    string // a document, or one of [Always], [Exists] and [Ledger]
	Pointer string // JSON pointer in the document
	Depth   int
}

// Reasons for which a path is in a closure without a document that names it.
const (
	Always = "every completed run"
	Exists = "it exists"
	Ledger = "the run's artifact ledger"
)

func (r Reference) String() string { return r.From + r.place() }

func (r Reference) place() string {
	if r.Pointer == "" {
		return ""
	}
	return "#" + r.Pointer
}

// A Problem keeps a closure from being known.
type Problem struct {
	Rule string
	// Path is the path that was referred to, "" when it was no text.
	Path   string
	Reason string
	Why    Reference
	// Unevaluated marks an error of the operating system.
	Unevaluated bool
}

// Tell adds the problem to the findings of a report.
func (p Problem) Tell(out *verify.Findings) {
	found := p.Reason
	if p.Path != "" {
		found = verify.Quote(shownPath(p.Path)) + ": " + found
	}
	at := verify.At(p.Why.From, p.Why.Pointer)
	if p.Why.Pointer == "" {
		at = verify.At(shownPath(p.Path), "")
		found = p.Reason
	}
	out.Add(p.Rule, at, verify.What{Found: found, Expected: expected(p.Rule) + "; " + p.Why.named(), Unevaluated: p.Unevaluated})
}

// expected says what should be at the place of a problem.
func expected(rule string) string {
	switch rule {
	case "privacy.closure.path":
		return "a canonical relative path"
	case "privacy.closure.reference-json", "privacy.closure.packet-json":
		return "one JSON object"
	case "privacy.closure.reference-size":
		return "at most 64 MiB"
	}
	if slices.Contains(documentRules, rule) {
		return "a document that all readers read alike"
	}
	return "a file of the run"
}

// named says what asks for a path.
func (r Reference) named() string {
	switch r.From {
	case Always:
		return Always + " has it"
	case Exists:
		return "it counts when it exists"
	case Ledger:
		return Ledger + " requires it"
	}
	return r.From + " refers to it"
}

// A Closure is what the scan of a completed run must cover (10 §11).
type Closure struct {
	Paths     []ClosurePath // in UTF-16 order
	Problems  []Problem     // each once, in order of first occurrence
	Hardening []Problem     // what strict level adds
}

// Names are the paths alone, as include mode takes them.
func (c *Closure) Names() []string {
	names := make([]string, len(c.Paths))
	for i, p := range c.Paths {
		names[i] = p.Path
	}
	return names
}

// always are the documents of every completed run, in order.
var always = []string{
	"run/intake.json", "run/workload-classification.json", "run/route.json", "goal/goal.json", "context/manifest.json",
	"ai/assurance.json", "domain/assurance.json", "evals/results.json", "trajectory/trajectory.json", "waivers/waivers.json",
	"proof/portable.json", "review/review.json", PacketPath,
}

// PacketPath is where the packet of a completed run is.
const PacketPath = "run/packet.json"

// whenPresent are the documents that count when they exist.
var whenPresent = []string{
	"foundation/assessment.json", "production/layer-assessment.json", "smoke/smoke_proof.json", "rca/rca.json",
}

// FindClosure follows the references of a run's documents from those that every
// completed run has. Artifacts are the entries of its ledger, nil when it is
// not at hand; packet is where the packet is, which is run/packet.json in a
// completed run. Documents are read through the root, so that what was read
// once is not read again.
func FindClosure(root *evidence.Root, artifacts []BridgeArtifact, packet string, level verify.Level) *Closure {
	c := &closure{
		tree: &tree{root: root.FS(), dir: root.Dir(), parents: map[string]string{}}, root: root, level: level, packet: packet,
		enqueued: map[string]bool{}, bounded: map[string]Reference{}, told: map[[2]string]bool{},
	}
	c.start(artifacts)
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.resolve(next)
	}
	for path, why := range c.bounded {
		c.out.Paths = append(c.out.Paths, ClosurePath{path, why})
	}
	slices.SortFunc(c.out.Paths, func(a, b ClosurePath) int { return canon.CompareUTF16(a.Path, b.Path) })
	if len(c.out.Paths) == 0 {
		c.problem("privacy.closure.empty", "", "no file at all", Reference{From: Always})
	}
	return &c.out
}

type closure struct {
	tree     *tree
	root     *evidence.Root
	level    verify.Level
	packet   string
	queue    []queued
	enqueued map[string]bool
	bounded  map[string]Reference
	told     map[[2]string]bool
	out      Closure
}

type queued struct {
	path string
	why  Reference
}

func (c *closure) problem(rule, path, reason string, why Reference) {
	if c.told[[2]string{rule, path}] {
		return
	}
	c.told[[2]string{rule, path}] = true
	p := Problem{Rule: rule, Path: path, Reason: reason, Why: why}
	if !strings.HasPrefix(rule, strictPrefix) {
		c.out.Problems = append(c.out.Problems, p)
	} else if c.level == verify.Strict {
		c.out.Hardening = append(c.out.Hardening, p)
	}
}

const strictPrefix = "privacy.strict."

// start enqueues what no document refers to.
func (c *closure) start(artifacts []BridgeArtifact) {
	for _, a := range artifacts {
		if !a.Required || a.Skipped {
			continue
		}
		path := a.EvidencePath
		if path == "" {
			path = a.Path
		}
		c.enqueue(path, Reference{From: Ledger})
	}
	for _, path := range always {
		if path == PacketPath {
			path = c.packet
		}
		c.enqueue(path, Reference{From: Always})
	}
	for _, path := range whenPresent {
		full := filepath.Join(c.tree.dir, filepath.FromSlash(path))
		if _, err := filepath.EvalSymlinks(full); err == nil {
			c.enqueue(path, Reference{From: Exists})
		}
		if _, info, err := c.tree.lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			c.problem("privacy.strict.conditional-link", path, "a link at the place of a document", Reference{From: Exists})
		}
	}
}

// enqueue takes a path into the queue, once.
func (c *closure) enqueue(path string, why Reference) {
	switch {
	case evidence.CanonicalReason(path) != "":
		c.problem("privacy.closure.path", path, evidence.CanonicalReason(path), why)
	case c.enqueued[path]:
	case why.Depth > MaxClosureDepth:
		c.problem("privacy.closure.depth", path, "more than 4 documents lead to it", why)
	case len(c.enqueued) >= MaxClosurePaths:
		c.problem("privacy.closure.count", path, "more than 128 paths", why)
	default:
		c.enqueued[path] = true
		c.queue = append(c.queue, queued{path, why})
	}
}

// resolve looks for the file of a path, and follows its references if it is a
// document that has some.
func (c *closure) resolve(at queued) {
	e, info, err := c.tree.lstat(at.path)
	reason, open := "", false
	switch {
	case err != nil:
		reason, open = osReason(err), !missing(err) && !errors.Is(err, errOutside)
	case info.Mode()&fs.ModeSymlink != 0:
		reason = "a symbolic link"
	case !info.Mode().IsRegular():
		reason = "not a regular file"
	case strings.HasPrefix(e.real, ".."):
		reason = "a path that begins with two dots"
	}
	if reason != "" {
		c.problem("privacy.closure.unresolvable", at.path, reason, at.why)
		if n := len(c.out.Problems); n > 0 && open {
			c.out.Problems[n-1].Unevaluated = true
		}
		return
	}
	if e.real != e.path {
		c.problem("privacy.strict.symlink-ancestor", at.path, "a folder on the way is a symbolic link", at.why)
	}
	if why := evidence.CanonicalReason(e.real); why != "" {
		c.problem("privacy.closure.namespace", at.path, "it leads to a path that is not canonical: "+why, at.why)
		return
	}
	if _, known := c.bounded[e.real]; !known {
		c.bounded[e.real] = at.why
	}
	name := at.path
	if name == c.packet {
		name = PacketPath
	}
	if follow, ok := references[name]; ok {
		c.document(at, info.Size(), follow)
	}
}

// document follows the references of one document.
func (c *closure) document(at queued, size int64, follow func(canon.Node) []canon.Node) {
	if size > maxReference {
		c.problem("privacy.closure.reference-size", at.path, "larger than 64 MiB", at.why)
		return
	}
	unread := "privacy.closure.reference-json"
	if at.path == c.packet {
		unread = "privacy.closure.packet-json"
	}
	artifact, err := c.root.Read(at.path, maxReference)
	if err != nil {
		c.problem("privacy.closure.unresolvable", at.path, osReason(err), at.why)
		return
	}
	if strings.HasPrefix(string(artifact.Data[:min(3, len(artifact.Data))]), "\uFEFF") {
		c.problem("privacy.strict.bom", at.path, "a byte order mark", at.why)
	}
	doc, err := artifact.JSON(maxReference)
	if err != nil {
		c.problem(unread, at.path, err.Error(), at.why)
		return
	}
	for _, d := range doc.Defects {
		if rule, ok := strictDefects[d.Rule]; ok {
			c.problem(rule, at.path, d.Detail, at.why)
		}
	}
	if !doc.Root.IsObject() {
		c.problem(unread, at.path, "not an object", at.why)
		return
	}
	for _, ref := range follow(doc.Node()) {
		why := Reference{From: at.path, Pointer: ref.Pointer, Depth: at.why.Depth + 1}
		switch ref.Kind() {
		case canon.Absent, canon.Null:
		case canon.String:
			c.enqueue(ref.Text(), why)
		default:
			c.problem("privacy.closure.path", "", verify.Show(ref.Value)+" instead of a path", why)
		}
	}
}

// documentRules are those about how a document is written.
var documentRules = []string{
	"privacy.strict.bom", "privacy.strict.duplicate-key", "privacy.strict.invalid-utf8", "privacy.strict.lone-surrogate",
}

// strictDefects are the defects of documents that strict level refuses here.
var strictDefects = map[string]string{
	"strict.json.duplicate-key":  "privacy.strict.duplicate-key",
	"strict.json.invalid-utf8":   "privacy.strict.invalid-utf8",
	"strict.json.lone-surrogate": "privacy.strict.lone-surrogate",
}
