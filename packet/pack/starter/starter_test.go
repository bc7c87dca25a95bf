package starter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/packet/pack"
	"finishline/packet/pack/starter"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/catalog"
)

var layouts = map[string]starter.Layout{"plain": starter.Plain, "commissioned": starter.Commissioned}

func files(t testing.TB, layout starter.Layout) []starter.File {
	t.Helper()
	list, err := starter.New(layout, "who may close runs of Lantern")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A new pack holds up before the gate of its registry and the rules of its
// trust store, in both layouts, and is the same each time.
func TestNewPacks(t *testing.T) {
	for name, layout := range layouts {
		list := files(t, layout)
		if err := starter.Check(t.Context(), layout, list); err != nil {
			var refused *starter.RefusedError
			if errors.As(err, &refused) {
				t.Errorf("%s: %+v", name, refused.Findings)
			}
			t.Errorf("%s: %v", name, err)
		}
		for i, f := range files(t, layout) {
			if f.Path != list[i].Path || string(f.Data) != string(list[i].Data) {
				t.Errorf("%s: %s differs from call to call", name, f.Path)
			}
		}
		prefix := ""
		if layout == starter.Commissioned {
			prefix = review.HarnessDir + "/"
		}
		for _, path := range append(catalog.Paths(), pack.RequiredScripts()...) {
			if !slices.ContainsFunc(list, func(f starter.File) bool { return f.Path == prefix+path }) {
				t.Errorf("%s: no %s", name, path)
			}
		}
		for _, f := range list {
			if !strings.HasPrefix(f.Path, prefix) {
				t.Errorf("%s: %s lies outside of the pack", name, f.Path)
			}
		}
	}
}

// The trust store of a new pack trusts nobody.
func TestNewStoreHoldsNoKey(t *testing.T) {
	for name, layout := range layouts {
		for _, f := range files(t, layout) {
			if !strings.HasSuffix(f.Path, "review-trust.v1.json") {
				continue
			}
			store, findings := review.ReadStore(f.Path, f.Data, verify.Strict)
			doc, err := canon.Read(f.Data, canon.MaxTrustStore)
			if store == nil || findings.Errors() > 0 || err != nil || doc.Root.Get("keys").Len() != 0 {
				t.Errorf("%s: %v %v", name, findings.List(), err)
			}
		}
	}
}

// Check is not a formality: whichever file is left out or spoilt, the pack is
// refused, except for those that no rule asks for.
func TestCheckRefusesSpoiltPacks(t *testing.T) {
	vectors.Long(t)
	unasked := []string{
		// bound by the validation runtime (06 §3), which needs a commit
		"scripts/", "AGENTS.md", "CLAUDE.md",
	}
	for name, layout := range layouts {
		whole := files(t, layout)
		for i, f := range whole {
			rel := strings.TrimPrefix(f.Path, review.HarnessDir+"/")
			if slices.ContainsFunc(unasked, func(p string) bool { return strings.HasPrefix(rel, p) }) {
				continue
			}
			if strings.Contains(rel, "valdris-") && !strings.Contains(rel, "valdris-bug-rca") && !strings.Contains(rel, "valdris-assure") {
				continue // one skill of each kind stands for all
			}
			without := slices.Delete(slices.Clone(whole), i, i+1)
			if err := starter.Check(t.Context(), layout, without); err == nil && rel != "project-adapter.json" {
				t.Errorf("%s: %s was left out and nothing was said", name, rel)
			}
			spoilt := slices.Clone(whole)
			spoilt[i].Data = []byte("{\"spoilt\": true}\n")
			if err := starter.Check(t.Context(), layout, spoilt); err == nil {
				t.Errorf("%s: %s was spoilt and nothing was said", name, rel)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := starter.Check(ctx, starter.Plain, files(t, starter.Plain)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A loader keeps what it says and gets the block once.
func TestLoader(t *testing.T) {
	for _, name := range pack.Loaders() {
		for _, existing := range []string{"", "# Rules\n", "# Rules", "# Regeln für alle\r\nzwei\r\n"} {
			data, err := starter.Loader(name, []byte(existing))
			if err != nil {
				t.Errorf("%s %q: %v", name, existing, err)
				continue
			}
			if bad := pack.CheckLoader(name, data); bad != nil || !strings.HasPrefix(string(data), existing) {
				t.Errorf("%s %q became %q: %v", name, existing, data, bad)
			}
			again, err := starter.Loader(name, data)
			if err != nil || string(again) != string(data) {
				t.Errorf("%s %q: the block was added twice (%v)", name, existing, err)
			}
		}
		spoilt := strings.Replace(pack.LoaderBlock(name), "discovery", "disco", 1)
		var bad *pack.LoaderError
		for _, existing := range []string{"\x00", "\xff", spoilt, pack.LoaderBlock(name) + pack.LoaderBlock(name)} {
			if data, err := starter.Loader(name, []byte(existing)); !errors.As(err, &bad) {
				t.Errorf("%s %q became %q (%v)", name, existing, data, err)
			}
		}
	}
}
