package pack_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors/runrepo"
	"finishline/packet/pack"
)

// The digests that the contract gives for comparison (06 §6).
func TestLoaderBlock(t *testing.T) {
	for name, want := range map[string]string{
		"AGENTS.md": "96a84425614277a1e47054cbf51411a413cdbe8c107548b6b9b6a23e27e3c7e9",
		"CLAUDE.md": "3803db09b519964e9897fc187a9e8133b197226ae2e3ec8230ce46869d6011e6",
	} {
		if got := canon.SHA256([]byte(pack.LoaderBlock(name))); got != want {
			t.Errorf("%s: block digest %s, want %s", name, got, want)
		}
	}
}

// Any single byte of the block decides; text around it does not, as long as it
// is text and has no marker.
func TestLoaderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"AGENTS.md", "CLAUDE.md"}).Draw(t, "name")
		block := pack.LoaderBlock(name)
		around := rapid.StringMatching(`[^\x00<]{0,40}`)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		if bad := pack.CheckLoader(name, []byte(before+block+after)); bad != nil {
			t.Fatalf("a good loader: %v", bad)
		}
		if bad := pack.CheckLoader(name, []byte(before+strings.ReplaceAll(block, "\n", "\r\n")+after)); bad != nil {
			t.Fatalf("with CRLF: %v", bad)
		}
		data := []byte(block)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		old := data[at]
		data[at] = rapid.Byte().Filter(func(b byte) bool { return b != old }).Draw(t, "byte")
		if pack.CheckLoader(name, []byte(before+string(data)+after)) == nil {
			t.Fatalf("byte %d of the block changed from %q to %q and passed", at, old, data[at])
		}
	})
}

func FuzzCheckLoader(f *testing.F) {
	for _, file := range cases(f, "runtime") {
		if c := runrepo.Read(f, file); c.Get("kind").Is("discovery-loader") {
			f.Add(c.Get("fileName").Text(), []byte(c.Get("text").Text()))
		}
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		bad := pack.CheckLoader(name, data)
		if bad != nil {
			if _, known := pack.Table.Lookup(bad.Rule); !known || bad.Line < 0 || bad.Line > 1+bytes.Count(data, []byte("\n")) {
				t.Fatalf("refused by %q at line %d", bad.Rule, bad.Line)
			}
			return
		}
		if folded := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")); bytes.Count(folded, []byte(pack.LoaderBlock(name))) != 1 {
			t.Fatal("passed without the block")
		}
	})
}
