package git

import (
	"context"
	"testing"
)

// A path need not exist to be ignored; patterns of the caller's configuration
// and pathspec magic do not count.
func TestIgnored(t *testing.T) {
	r := sample(t)
	r.Write(".gitignore", []byte("/assurance/\n*.tmp\n!keep.tmp\n"), 0o644)
	r.Write("keep/a.txt", []byte("x\n"), 0o644)
	r.Write("tracked.tmp", []byte("x\n"), 0o644)
	r.Git("add", "-f", "tracked.tmp")
	ix, err := open(t, r.Dir).Index(context.Background())
	must(t, err)
	defer ix.Close()
	for path, want := range map[string]bool{
		"assurance/authoritative.json": true, "run/x.tmp": true, "deep/er/x.tmp": true,
		"keep.tmp": false, "run/packet.json": false, "a.txt": false, "tracked.tmp": false, "*": false,
	} {
		got, err := ix.Ignored(context.Background(), path)
		must(t, err)
		if got != want {
			t.Errorf("%s: ignored %t, want %t", path, got, want)
		}
	}
	for _, path := range []string{"../outside", ":(glob)**", ":/a.txt"} {
		if _, err := ix.Ignored(context.Background(), path); err == nil {
			t.Errorf("%s has an answer", path)
		}
	}
}
