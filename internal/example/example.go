// Package example holds a small, complete run of a documentation task, for the
// demonstration and for tests.
//
// [Materialise] writes it into an empty directory: the product and its pack,
// committed to a repository of their own, then the evidence, which is
// uncommitted as evidence is. The run crosses the finish line under [Run.Pin] at
// the moment [Now]; the functions of [Tamperings] each break it in one way. The
// product is written here, the pack is that of packet/pack/starter, the evidence
// is what internal/runtest makes of both, and a test keeps the two equal.
package example

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/packet/pack/starter"
)

//go:embed files
var files embed.FS

const (
	productDir  = "files/commit"
	evidenceDir = "files/evidence"
	trustPath   = "controls/review-trust.v1.json"
)

// Now is a moment at which the run is fresh: it was closed shortly before, and
// is too old a month later (09 §3.3).
var Now = time.Date(2026, time.April, 7, 12, 0, 0, 0, time.UTC)

// Commit is the one commit of the example's repository.
var Commit = git.Commit{
	Message: "Reword the user guide for the spring edition\n",
	Name:    "Ines Maron", Email: "ines.maron@lantern.example",
	Time: time.Date(2026, time.April, 7, 9, 0, 0, 0, time.UTC),
}

// A Run is the example in a directory.
type Run struct {
	Dir    string
	Commit string
	Pin    string // what the operator of the example has set
}

// WriteProduct writes the product and its pack into dir: everything that is
// committed, except the trust store. That of a new pack trusts nobody.
func WriteProduct(dir string) error {
	if err := copyTree(files, productDir, dir); err != nil {
		return err
	}
	pack, err := starter.New(starter.Plain, "who may close runs of Lantern")
	if err != nil {
		return err
	}
	for _, f := range pack {
		if f.Path == trustPath {
			continue
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Data); err != nil {
			return err
		}
	}
	return nil
}

// Materialise writes the example into the empty directory dir, which must lie
// in no repository.
func Materialise(ctx context.Context, prog git.Program, dir string) (*Run, error) {
	if err := WriteProduct(dir); err != nil {
		return nil, fmt.Errorf("write the example: %w", err)
	}
	store, err := fs.ReadFile(files, evidenceDir+"/"+trustPath)
	if err != nil {
		return nil, fmt.Errorf("write the example: %w", err)
	}
	if err := writeFile(filepath.Join(dir, trustPath), store); err != nil {
		return nil, fmt.Errorf("write the example: %w", err)
	}
	commit, err := git.Scratch(ctx, prog, dir, Commit)
	if err != nil {
		return nil, fmt.Errorf("write the example: %w", err)
	}
	run := &Run{Dir: dir, Commit: commit}
	return run, run.Reset()
}

// Reset undoes whatever a tampering did: evidence, trust store and pin are
// those of the run as it was closed.
func (run *Run) Reset() error {
	if err := copyTree(files, evidenceDir, run.Dir); err != nil {
		return fmt.Errorf("write the example: %w", err)
	}
	store, err := run.read(trustPath, canon.MaxTrustStore)
	if err != nil {
		return fmt.Errorf("write the example: %w", err)
	}
	run.Pin = canon.Digest(store)
	return nil
}

// Documents are the JSON documents among the evidence of the example. They hold
// sentences of the format that a documentation task carries word for word (09b
// §2.7), for producers that need them.
func Documents() ([]canon.Value, error) {
	var list []canon.Value
	err := fs.WalkDir(files, evidenceDir+"/run", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return fmt.Errorf("read the example: %s: %w", path, err)
		}
		list = append(list, doc.Root)
		return nil
	})
	return list, err
}

func copyTree(from fs.FS, root, to string) error {
	return fs.WalkDir(from, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(to, rel), data)
	})
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
