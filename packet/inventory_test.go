package packet

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

// Paths that some platform takes for one file fold to one name; others do not.
// The fold is full Unicode lower-casing, the same in every locale.
func TestFoldPath(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"goal/Map.json", "goal/map.json", true},
		{"goal/é", "goal/e\u0301", true},
		{"goal/É", "goal/e\u0301", true},
		{"goal/ΑΣ", "goal/ας", true}, // a final sigma
		{"goal/ΑΣ", "goal/ασ", false},
		{"goal/İ", "goal/i\u0307", true}, // one character, two when lower-cased
		{"goal/I", "goal/ı", false},      // not the Turkish way
		{"goal/\u212A", "goal/k", true},  // the Kelvin sign
		{"goal/ß", "goal/ss", false},     // lower-casing is not case folding
		{"goal/ẞ", "goal/ß", true},
		{"goal/\U00010400", "goal/\U00010428", true},
		{"goal/a", "goal/b", false},
	} {
		if got := foldPath(c.a) == foldPath(c.b); got != c.same {
			t.Errorf("%q and %q: same %v, want %v (%q, %q)", c.a, c.b, got, c.same, foldPath(c.a), foldPath(c.b))
		}
	}
}

func TestInventorySize(t *testing.T) {
	for literal, want := range map[string]bool{
		"0": true, "-0": true, "12.0": true, "1.2e1": true, "10485760": true, "10485761": false, "-1": false, "0.5": false,
		"1e400": false, "9007199254740993": false, `"3"`: false, "null": false, "[3]": false,
	} {
		if got := isInventorySize(parse(t, []byte(literal))); got != want {
			t.Errorf("%s: %v", literal, got)
		}
	}
}

// A list is accepted only when it is the one spelling of its set of paths.
func TestInventoryOrder(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	rapid.Check(t, func(r *rapid.T) {
		paths := rapid.SliceOfN(rapid.StringMatching(`(qa|run)/[a-c\x{1F600}\x{FF5E}]{1,2}`), 0, 6).Draw(r, "paths")
		v := &verification{in: s.in, look: look{root: s.in.Target}, path: DefaultPath}
		var list []canon.Value
		for _, p := range paths {
			list = append(list, canon.Build(canon.Member{Name: "path", Value: text(p)}, canon.Member{Name: "size", Value: canon.NewNumber(0)},
				canon.Member{Name: "sha256", Value: text(strings.Repeat("0", 64))}))
		}
		out := v.collect()
		v.inventoryEntries(out, canon.Node{Value: canon.NewArray(list...)})
		sorted := slices.IsSortedFunc(paths, canon.CompareUTF16) && len(slices.Compact(slices.Clone(paths))) == len(paths)
		if out.Has("packet.inventory.path-order") == sorted {
			r.Fatalf("%q: sorted %v", paths, sorted)
		}
	})
}

// A checkout that converted line ends is one finding that says so, not one per
// file.
func TestLineEndsAreOneFinding(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	crlf := func(path string) {
		s.write(path, strings.ReplaceAll(string(s.repo().Read(path)), "\n", "\r\n"))
	}
	for _, e := range s.packet().Get("artifactInventory").Elems() {
		crlf(e.Get("path").Text())
	}
	o := s.verify()
	mismatches := 0
	for _, f := range o.Findings {
		if f.Rule == "packet.inventory.digest-mismatch" {
			mismatches++
			if !strings.Contains(f.Hint, "CRLF") || !strings.HasSuffix(f.Found, ", run/intake.json and 2 more") {
				t.Errorf("found %q, hint %q", f.Found, f.Hint)
			}
		}
		if f.Rule == "packet.input.digest-mismatch" && !strings.Contains(f.Hint, "CRLF") {
			t.Errorf("%s: hint %q", f.Found, f.Hint)
		}
	}
	if mismatches != 1 || o.Verdict() != verify.Fail {
		t.Errorf("%d findings, verdict %v\n%s", mismatches, o.Verdict(), shown(o))
	}
}

// Files beyond the bounds are not hashed, and the packet is refused for them.
func TestInventoryBounds(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	s.write("qa/large.bin", strings.Repeat("x", MaxInventoryFile+1))
	s.set("/artifactInventory", canon.NewArray(canon.Build(
		canon.Member{Name: "path", Value: text("qa/large.bin")}, canon.Member{Name: "sha256", Value: text(strings.Repeat("0", 64))},
		canon.Member{Name: "size", Value: canon.NewNumber(MaxInventoryFile)})))
	o := s.verify()
	if !has(o, "packet.inventory.size-mismatch") || has(o, "packet.inventory.digest-mismatch") {
		t.Errorf("%v", errorsOf(o))
	}
	for _, n := range o.Tree.Children {
		if n.Kind == "inventory" && (n.State != NotLookedAt || n.Actual != "") {
			t.Errorf("%+v", n)
		}
	}
}
