package privacy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Whatever a file holds: no panic, strict level finds what base level finds,
// and places lie within the file.
func FuzzFile(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(vectors.Dir(f, "privacy"), "scan-*.json"))
	for _, file := range files {
		var c scanCase
		vectors.Read(f, file, &c)
		for _, e := range c.Tree {
			f.Add([]byte(e.Text+strings.Join(e.Parts, "")), uint8(7))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, buf uint8) {
		read := func(level verify.Level) content {
			s := newScanner(Options{Level: level}, nil)
			r := s.reader("a.txt")
			r.maxSize = int64(len(data))
			c, err := r.read(context.Background(), bytes.NewReader(data), make([]byte, int(buf)+1))
			if errors.Is(err, errLongLine) {
				t.Skip("a line beyond the bounds has no findings to compare")
			}
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		base, strict := read(verify.Base), read(verify.Strict)
		if base.binary != strict.binary || len(base.found) > len(strict.found) {
			t.Fatalf("base finds %d, strict %d", len(base.found), len(strict.found))
		}
		lines := bytes.Split(data, []byte("\n"))
		for _, found := range base.found {
			if found.line < 1 || found.line > len(lines) || found.column < 1 || found.column > len(lines[found.line-1]) {
				t.Fatalf("line %d, column %d", found.line, found.column)
			}
		}
	})
}

// Whatever the documents of a run hold: no panic, bounded paths, each canonical
// and a file, and strict level refuses what base level refuses.
func FuzzClosure(f *testing.F) {
	dir := vectors.Dir(f, "privacy")
	files, _ := filepath.Glob(filepath.Join(dir, "closure-*.json"))
	for _, file := range files {
		var c closureCase
		vectors.Read(f, file, &c)
		for path, raw := range c.Files {
			f.Add(path, []byte(raw))
		}
		for path, text := range c.RawFiles {
			f.Add(path, []byte(text))
		}
	}
	documents := []string{}
	for path := range references {
		documents = append(documents, path)
	}
	slices.Sort(documents)
	var base closureCase
	vectors.Read(f, filepath.Join(dir, "closure-base.json"), &base)
	root := f.TempDir()
	for path, raw := range base.Files {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		write(f, filepath.Join(root, path), []byte(text))
	}
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		if !slices.Contains(documents, path) {
			path = documents[len(path)%len(documents)]
		}
		full := filepath.Join(root, path)
		before, missing := os.ReadFile(full)
		write(t, full, data)
		defer func() {
			if missing != nil {
				os.Remove(full)
				return
			}
			write(t, full, before)
		}()
		r, err := evidence.Open(root)
		must(t, err)
		defer r.Close()
		lenient := FindClosure(r, nil, PacketPath, verify.Base)
		strict := FindClosure(r, nil, PacketPath, verify.Strict)
		if len(lenient.Paths) > MaxClosurePaths || len(lenient.Hardening) > 0 || len(lenient.Problems) > len(strict.Problems) {
			t.Fatalf("%d paths; %v; %v", len(lenient.Paths), lenient.Problems, strict.Problems)
		}
		for _, p := range lenient.Paths {
			if info, err := os.Lstat(filepath.Join(root, p.Path)); evidence.CanonicalReason(p.Path) != "" || err != nil || !info.Mode().IsRegular() {
				t.Fatalf("%q: %v", p.Path, err)
			}
		}
	})
}

// The words of a table are found by it and by nothing else.
func FuzzAutomaton(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + p)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want mask
		low := lowered(s)
		for d, list := range triggers() {
			for _, w := range list {
				if strings.Contains(low, w) {
					want |= d.mask()
				}
			}
		}
		for i := range len(s) {
			if isControl(s[i]) {
				want |= controlSeen
			}
		}
		if got := words().look([]byte(s)); got != want {
			t.Fatalf("%q: %x, want %x", s, got, want)
		}
	})
}

func lowered(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}
