package review

import (
	"errors"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// HarnessDir is the pack root of a commissioned target, directly below the
// target root (contract 01 §7).
const HarnessDir = ".valdris-harness"

const (
	storeInPack   = "controls/review-trust.v1.json"
	adapterInPack = "project-adapter.json"
)

// A PackRoot selects where the pack lies that holds the trust store.
type PackRoot int

const (
	// PackDefault is [HarnessDir] when a trust store exists in it, else the
	// target root. The zero value.
	PackDefault PackRoot = iota
	// PackTarget is the target root.
	PackTarget
	// PackHarness is [HarnessDir] below the target root.
	PackHarness
)

// TrustPath is the canonical trust path of a target: where, relative to its
// root, the one acceptable trust store lies.
func TrustPath(root *evidence.Root, pack PackRoot) string {
	return packPrefix(root, pack) + storeInPack
}

// packPrefix is "" or the harness directory with a final "/".
func packPrefix(root *evidence.Root, pack PackRoot) string {
	const harness = HarnessDir + "/"
	switch {
	case pack == PackHarness:
		return harness
	case pack == PackDefault && exists(root, harness+storeInPack):
		return harness
	}
	return ""
}

// exists reports whether something is at the path, also a link that leads to
// something or a place outside the root.
func exists(root *evidence.Root, path string) bool {
	_, err := root.Resolve(path, evidence.MustExist)
	return err == nil || err.Rule != "path.missing" || err.Unevaluated
}

// A Live store is the trust store in a target's work tree.
type Live struct {
	Path   string // the canonical trust path
	SHA256 string // D1 of the file, "" when it could not be read
	// Store is nil when the location is refused or the file unreadable; then
	// nothing that depends on a key can be evaluated (contract 02 §6, step 3).
	Store *Store
}

// LoadLive reads the live trust store of a target (contract 01 §7.1). A
// caller-supplied location may be given; it is accepted only where it is the
// canonical trust path. Findings carry rules of [Table] and [TrustTable].
func LoadLive(root *evidence.Root, pack PackRoot, supplied string, level verify.Level) (*Live, *verify.Findings) {
	out := Table.Collect(level)
	prefix := packPrefix(root, pack)
	live := &Live{Path: prefix + storeInPack}
	path := live.Path
	if supplied != "" {
		path = supplied
	}
	root.AddStrictPath(out, verify.At(path, ""), path)
	artifact := openStore(root, path, live.Path, out)
	adapterOK := checkAdapter(root, prefix+adapterInPack, live.Path, out)
	if artifact == nil {
		return live, out
	}
	live.SHA256 = artifact.SHA256
	store, findings := ReadStore(live.Path, artifact.Data, level)
	if adapterOK || store == nil { // a refused place stops the rules of the store
		out.Merge(findings)
	}
	if adapterOK {
		live.Store = store
	}
	return live, out
}

// openStore loads the file at path, nil when it is refused or unreadable.
func openStore(root *evidence.Root, path, canonical string, out *verify.Findings) *evidence.Artifact {
	res, perr := root.Resolve(path, evidence.MustExist)
	if perr == nil && res.Rel != canonical {
		out.Add("trust.store.path", verify.At(path, ""), verify.What{Found: verify.Quote(res.Rel), Expected: verify.Quote(canonical)})
		return nil
	}
	artifact, err := root.Read(path, canon.MaxTrustStore)
	if err != nil {
		wrapUnreadable(out, "trust.store.unreadable", verify.At(path, ""), "the trust store of the pack", err)
		return nil
	}
	return artifact
}

// checkAdapter evaluates trust.adapter.path-mismatch, and reports whether the
// adapter of the pack, if there is one, agrees with the canonical trust path.
func checkAdapter(root *evidence.Root, path, canonical string, out *verify.Findings) bool {
	const rule = "trust.adapter.path-mismatch"
	if !exists(root, path) {
		return true
	}
	expected := "reviewTrust.path " + verify.Quote(canonical)
	artifact, err := root.Read(path, canon.MaxDocument)
	if err != nil {
		wrapUnreadable(out, rule, verify.At(path, ""), expected, err)
		return false
	}
	doc, err := artifact.JSON(canon.MaxDocument)
	if err != nil {
		wrapUnreadable(out, rule, verify.At(path, ""), expected, err)
		return false
	}
	named := doc.Node().At("reviewTrust").At("path")
	if !named.Is(canonical) {
		out.Add(rule, verify.At(path, named.Pointer), verify.What{Found: verify.Show(named.Value), Expected: expected})
		return false
	}
	return true
}

// wrapUnreadable reports a rule that fired because a file could not be read:
// refused by its path, by the system, or by the JSON reader, which is the
// cause.
func wrapUnreadable(out *verify.Findings, rule string, at verify.Place, expected string, err error) {
	what := verify.What{Found: err.Error(), Expected: expected}
	var readErr *canon.ReadError
	what.Unevaluated = !errors.As(err, &readErr) && evidence.IsTrouble(err)
	causes := Table.Collect(out.Level())
	var pathErr *evidence.PathError
	var fileErr *evidence.FileError
	switch {
	case errors.As(err, &pathErr):
		evidence.AddPath(causes, at, pathErr)
	case errors.As(err, &fileErr) && fileErr.Kind == evidence.TooLarge:
		causes.Add("json.size", at, verify.What{Found: fileErr.Reason})
	case readErr != nil:
		evidence.ReadFindings(causes, at.Artifact, nil, err)
	}
	out.Wrap(rule, at, what, causes.List())
}
