package pack

import (
	"context"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/review"
	"finishline/verify"
)

// digests evaluates the declared digests and the pin.
func (h *historian) digests() {
	runtime, computable := h.runtimeDigest()
	declared := h.Runtime.At("runtimeSha256")
	if !computable || !declared.Is(runtime) {
		h.out.Add(ruleHistRuntimeDigest, h.place(declared), verify.What{Found: verify.Show(declared.Value), Expected: computed(runtime, computable)})
	}
	h.trustPin()
	trust := h.Runtime.At("reviewTrustSha256")
	object := setObject(h.source.Value, h.files.Value, runtime, trust.Value)
	h.absent(object)
	set := canon.Digest(object)
	if declared := h.Runtime.At("setSha256"); !computable || !declared.Is(set) {
		h.out.Add(ruleHistSetDigest, h.place(declared), verify.What{Found: verify.Show(declared.Value), Expected: computed(set, computable)})
	}
}

func computed(digest string, ok bool) string {
	if !ok {
		return "a digest that the commit gives, and it gives none"
	}
	return verify.Quote(digest)
}

// runtimeDigest is the formula of 06 §5 over the declared places and, when
// commissioned, the list rebuilt from the commit, else the declared files.
func (h *historian) runtimeDigest() (digest string, ok bool) {
	var identity canon.Value
	switch {
	case h.commissioned:
		if h.pick == nil || len(h.pick.loaders) != len(loaderNames) {
			return "", false
		}
		identity = h.pick.identity(h.commissioned)
	case h.files.IsArray():
		var list []canon.Value
		for _, e := range h.files.Elems() {
			list = append(list, canon.Pick(e, "kind", "path", "sha256"))
		}
		identity = canon.NewArray(list...)
	default:
		return "", false
	}
	object := runtimeObject(h.source.Get("targetPath"), h.source.Get("runtimePath"), identity)
	h.absent(object)
	return canon.Digest(object), true
}

// absent reports, once, a hashed member that the declaration does not have.
func (h *historian) absent(object canon.Value) {
	if canon.HasAbsent(object) && !h.out.Has(ruleAbsentMember) {
		h.out.Add(ruleAbsentMember, h.place(h.Runtime), verify.What{Found: "a member that a digest covers is absent", Expected: "all of them"})
	}
}

// trustPin evaluates runtime.historical.trust-pin. Without a pin, that is the
// cause, and the declaration was not looked at.
func (h *historian) trustPin() {
	declared := h.Runtime.At("reviewTrustSha256")
	if h.Pin.Binds(declared.Text()) {
		return
	}
	what := verify.What{Found: verify.Show(declared.Value), Expected: "pin " + verify.Quote(h.Pin.String())}
	causes := Table.Collect(h.Level)
	if h.Pin.State() != review.PinUsable {
		what.Found, what.Expected = "no usable pin", pinForm
	}
	if h.Pin.State() == review.PinMissing {
		causes.Add(rulePinMissing, verify.Place{}, verify.What{Found: "no value", Expected: pinForm})
	}
	h.out.Wrap(ruleHistTrustPin, h.place(declared), what, causes.List())
}

// strict evaluates what strict level adds to history (06 §10).
func (h *historian) strict(ctx context.Context) {
	if !h.out.Strict() {
		return
	}
	h.pathShape()
	h.read.report(h.out, h.target.git)
	h.store(ctx)
	if h.pick != nil {
		reportNotUTF8(h.out, h.pick, h.target.git)
	}
	h.complete()
	reportForged(h.out, h.Repo.Forged())
}

// pathShape evaluates strict.runtime.historical-path-shape.
func (h *historian) pathShape() {
	targetPath, runtimePath := h.source.At("targetPath"), h.source.At("runtimePath")
	for _, n := range []canon.Node{targetPath, runtimePath} {
		if s, ok := n.Str(); !ok || !plainPath(s) {
			h.out.Add(ruleStrictHistShape, h.place(n), verify.What{Found: verify.Show(n.Value), Expected: "a plain path of the work tree"})
		}
	}
	target, pack := targetPath.Text(), runtimePath.Text()
	if pack != target && pack != join(target, commissionedDir) {
		h.out.Add(ruleStrictHistShape, h.place(runtimePath), verify.What{
			Found: verify.Show(runtimePath.Value), Expected: verify.Quote(target) + " or " + verify.Quote(join(target, commissionedDir))})
	}
}

// plainPath reports whether a declared place has none of the shapes that
// select something else than they say.
func plainPath(s string) bool {
	components := strings.Split(s, "/")
	return !strings.Contains(s, `\`) && !slices.Contains(components, "..") && !slices.Contains(components, "")
}

// store evaluates strict.runtime.historical-trust-store.
func (h *historian) store(ctx context.Context) {
	at := verify.At(storePath+"@"+h.Commit.Text(), "")
	fail := func(found, expected string) {
		h.out.Add(ruleStrictHistStore, at, verify.What{Found: found, Expected: expected})
	}
	if !h.pack.valid {
		fail("no place to look for it", "a trust store below the declared pack root")
		return
	}
	blob, err := h.Repo.BlobAt(ctx, h.tree, join(h.pack.git, storePath))
	if err != nil {
		fail(err.Error(), "a trust store below the declared pack root")
		return
	}
	if !isFileMode(blob.Mode) {
		fail("mode "+blob.Mode, "a plain file")
		return
	}
	store, _ := review.ReadStore(at.Artifact, blob.Data, h.Level)
	switch {
	case store == nil:
		fail("a file that is no readable JSON", "a trust store")
	case h.Pin.State() == review.PinUsable && !h.Pin.Binds(store.Pin):
		fail("committed store "+store.Pin, "pin "+h.Pin.String())
	}
}

// complete evaluates strict.runtime.historical-files-incomplete.
func (h *historian) complete() {
	if h.pick == nil {
		h.out.Add(ruleStrictHistFiles, h.place(h.files), verify.What{Found: "a commit whose pack cannot be listed", Expected: "a pack to compare with"})
		return
	}
	want := h.pick.files()
	if canon.Equal(h.files.Value, fileValues(want)) {
		return
	}
	pointer, what := firstDifferingFile(h.files, want)
	h.out.Add(ruleStrictHistFiles, verify.At(h.Artifact, pointer), what)
}
