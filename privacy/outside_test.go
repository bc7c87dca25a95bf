package privacy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/verify"
)

// outer makes a root with a link out to a folder beside it, which holds a file,
// a folder and two links.
func outer(t *testing.T) string {
	t.Helper()
	dir := writeTree(t, map[string]string{"root/a.txt": "ok\n", "beside/file": "ok\n", "beside/folder/": ""})
	for link, target := range map[string]string{"root/out": "../beside", "root/up": "..", "beside/link": "file", "beside/dangling": "nowhere"} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	return filepath.Join(dir, "root")
}

// Only what is followed can lead out: a link beyond the root is a link.
func TestPathsWhoseParentsLeadOut(t *testing.T) {
	for _, c := range []struct{ path, include, release string }{
		{"out/file", "privacy.include.escape", "privacy.release.root-not-directory"},
		{"out/folder", "privacy.include.escape", "privacy.release.root-escape"},
		{"out/link", "privacy.file.symlink", "privacy.release.root-symlink"},
		{"out/dangling", "privacy.file.symlink", "privacy.release.root-symlink"},
		{"out/nothing", "privacy.include.missing", "privacy.release.root-missing"},
		{"up/root", "privacy.include.escape", "privacy.release.root-escape"},
		{"nothing/file", "privacy.include.missing", "privacy.release.root-missing"},
	} {
		root := outer(t)
		for mode, want := range map[Mode]string{Include: c.include, Release: c.release} {
			opt := Options{Mode: mode, Level: verify.Base, Include: []string{c.path}}
			if mode == Release {
				opt.Include, opt.Release = nil, opt.Include
			}
			r, err := Scan(t.Context(), root, opt)
			must(t, err)
			got := ids(r.Findings)
			if r.Error != nil {
				got = []string{r.Error.Rule}
			}
			if !slices.Equal(got, []string{want}) {
				t.Errorf("%v %s: got %v, want %s", mode, c.path, got, want)
			}
		}
	}
}

// Links and files as a whole are findings as well, so they count.
func TestLinksCountAsFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	for n, ok := range map[int]bool{MaxFindings: true, MaxFindings + 1: false} {
		dir := t.TempDir()
		for i := range n {
			must(t, os.Symlink("nowhere", filepath.Join(dir, fmt.Sprintf("l%05d", i))))
		}
		r := scanDir(t, dir, Options{})
		if (r.Error == nil) != ok || !ok && r.Error.Rule != "privacy.strict.bounds" {
			t.Errorf("%d links: %v", n, r.Error)
		}
	}
}

// What the name of a file keeps out of a release scan is one finding, however
// much it holds, and a build tool's own records have no bounds.
func TestWhatIsPassedOverHasNoShareOfTheBounds(t *testing.T) {
	full := strings.Repeat(hubToken+"\n", MaxFindings+1)
	for name, want := range map[string]string{
		"trace-utils.js": "privacy.strict.release-exclusion", "trace": "told", "a.tsbuildinfo": "told", "b.tsbuildinfo": "told", "trace-long.js": "privacy.strict.bounds",
	} {
		text := full
		if name == "b.tsbuildinfo" || name == "trace-long.js" {
			text = strings.Repeat("x", MaxLine+1)
		}
		dir := writeTree(t, map[string]string{"dist/a.js": "export default 1;\n", "dist/" + name: text})
		r := scanDir(t, dir, Options{Mode: Release, Release: []string{"dist"}})
		got := "nothing"
		switch {
		case r.Error != nil:
			got = r.Error.Rule
		case len(r.Hardening) == 1 && r.Hardening[0].Advisory:
			got = "told"
		case len(r.Hardening) == 1:
			got = r.Hardening[0].Rule
		}
		if got != want || want == "told" && !r.StrictOK() {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A file that release mode passes over by name is published by that name.
func TestNamesThatArePassedOverAreContent(t *testing.T) {
	dir := writeTree(t, map[string]string{"dist/a.js": "export default 1;\n", "dist/trace-" + hubToken: "ok\n"})
	r := scanDir(t, dir, Options{Mode: Release, Release: []string{"dist"}})
	if got := ids(r.Hardening); !r.OK() || !slices.Equal(got, []string{"privacy.strict.path-content"}) {
		t.Errorf("%v %v", r.Findings, got)
	}
}
