package pack

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/internal/git"
)

// Schema is the schema of the binding object.
const Schema = "valdris.run-packet-runtime.v1"

// The kinds of files that a binding lists (06 §5).
const (
	KindScript   = "validator-source"
	KindCatalog  = "control-catalog"
	KindRegistry = "skill-registry"
	KindAdapter  = "project-adapter"
	KindLoader   = "target-root-discovery-loader"
)

// Places below the pack root.
const (
	scriptsDir   = "scripts"
	catalogsDir  = "controls"
	registryPath = "skills/registry.json"
	adapterPath  = "project-adapter.json"
	storePath    = "controls/review-trust.v1.json"

	// commissionedDir is where a pack lies that was commissioned into a project.
	commissionedDir = ".valdris-harness"

	sourceScheme = "git-head"
)

// requiredScripts are the finish-line scripts that a pack must have (06 §4).
// Only their names matter; nothing ever runs them.
var requiredScripts = [...]string{
	"scripts/enterprise-ai-gate-all.mjs", "scripts/rca-gate.mjs", "scripts/review-gate.mjs",
	"scripts/run-packet-gate.mjs", "scripts/authoritative-assurance-gate.mjs",
}

// RequiredScripts lists the finish-line scripts that a pack must have, below
// its root (06 §4).
func RequiredScripts() []string { return slices.Clone(requiredScripts[:]) }

// A File is one entry of a binding's list.
type File struct {
	Kind   string
	Path   string // relative to the pack root; a loader's bare name
	SHA256 string // of the folded text for scripts, of the committed bytes for everything else
}

// A Binding is the validation runtime as computed from a commit.
type Binding struct {
	Commit      string // as Git prints it
	Tree        string
	TargetPath  string // of the target in the work tree, "." at its top
	RuntimePath string // of the pack root in the work tree, "." at its top

	Files             []File // sorted by path, then kind
	RuntimeSHA256     string
	ReviewTrustSHA256 string // the operator's pin, lower-case
	SetSHA256         string // what packet and review name
}

// Value is the valdris.run-packet-runtime.v1 object.
func (b *Binding) Value() canon.Value {
	return canon.Build(
		member("schema", Schema),
		canon.Member{Name: "source", Value: b.source()},
		canon.Member{Name: "files", Value: fileValues(b.Files)},
		member("runtimeSha256", b.RuntimeSHA256),
		member("reviewTrustSha256", b.ReviewTrustSHA256),
		member("setSha256", b.SetSHA256),
	)
}

func (b *Binding) source() canon.Value {
	return canon.Build(member("scheme", sourceScheme), member("commit", b.Commit), member("tree", b.Tree),
		member("targetPath", b.TargetPath), member("runtimePath", b.RuntimePath))
}

// seal computes the digests of a binding whose other members are complete.
// identity is the list that runtimeSha256 covers (06 §5).
func (b *Binding) seal(identity canon.Value) {
	b.RuntimeSHA256 = canon.Digest(runtimeObject(canon.NewString(b.TargetPath), canon.NewString(b.RuntimePath), identity))
	b.SetSHA256 = canon.Digest(setObject(b.source(), fileValues(b.Files), b.RuntimeSHA256, canon.NewString(b.ReviewTrustSHA256)))
}

// runtimeObject and setObject are what runtimeSha256 and setSha256 hash (06
// §5). They take values because a historical declaration may hold anything (06
// §9).
func runtimeObject(targetPath, runtimePath, identity canon.Value) canon.Value {
	return canon.Build(
		canon.Member{Name: "targetPath", Value: targetPath},
		canon.Member{Name: "runtimePath", Value: runtimePath},
		canon.Member{Name: "files", Value: identity})
}

func setObject(source, files canon.Value, runtimeSHA256 string, trust canon.Value) canon.Value {
	return canon.Build(
		canon.Member{Name: "source", Value: source},
		canon.Member{Name: "files", Value: files},
		member("runtimeSha256", runtimeSHA256),
		canon.Member{Name: "reviewTrustSha256", Value: trust})
}

func fileValues(files []File) canon.Value {
	list := make([]canon.Value, len(files))
	for i, f := range files {
		list[i] = canon.Build(member("kind", f.Kind), member("path", f.Path), member("sha256", f.SHA256))
	}
	return canon.NewArray(list...)
}

// sortFiles orders a list as the format has it.
func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(canon.CompareUTF16(a.Path, b.Path), canon.CompareUTF16(a.Kind, b.Kind))
	})
}

// An identity is one committed file as runtimeSha256 covers it when the pack
// is commissioned: everything below the pack root and the two loaders.
type identity struct {
	path   string // relative to the work tree's top
	mode   string // six digits
	sha256 string // of the committed bytes
}

func identityValue(list []identity) canon.Value {
	slices.SortStableFunc(list, func(a, b identity) int { return canon.CompareUTF16(a.path, b.path) })
	list = slices.CompactFunc(list, func(a, b identity) bool { return a.path == b.path })
	values := make([]canon.Value, len(list))
	for i, e := range list {
		values[i] = canon.Build(member("path", e.path), member("mode", e.mode), member("sha256", e.sha256))
	}
	return canon.NewArray(values...)
}

func member(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(value)}
}

// text is a path of a Git tree as a JSON string.
func text(gitPath string) string {
	if utf8.ValidString(gitPath) {
		return gitPath
	}
	return canon.DecodeUTF8([]byte(gitPath))
}

// kindOf tells what a committed file below the pack root is, by its path
// relative to that root, and "" for one that no list has.
func kindOf(rel string) string {
	switch {
	case strings.HasPrefix(rel, scriptsDir+"/"):
		return KindScript
	case strings.HasPrefix(rel, catalogsDir+"/") && strings.HasSuffix(rel, ".json"):
		return KindCatalog
	case rel == registryPath:
		return KindRegistry
	case rel == adapterPath:
		return KindAdapter
	}
	return ""
}

// isScriptName reports whether the extension is exactly .mjs. A name whose
// only dot is its first character has none.
func isScriptName(rel string) bool {
	base := path.Base(rel)
	return len(base) > len(".mjs") && path.Ext(base) == ".mjs"
}

func isFileMode(mode string) bool { return mode == git.ModeFile || mode == git.ModeExecutable }

// join puts a Git path below a directory of the work tree; "" and "." are its
// top.
func join(dir, rel string) string {
	if dir == "" || dir == "." {
		return rel
	}
	return dir + "/" + rel
}

// dotted is a prefix as the binding names it: "." at the top.
func dotted(prefix string) string { return cmp.Or(prefix, ".") }
