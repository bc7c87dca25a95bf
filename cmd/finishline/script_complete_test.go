package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/internal/vectors"
)

// fixturesDir holds the runs that complete ones are made of.
func fixturesDir() string {
	base := os.Getenv("FINISHLINE_VECTORS")
	if base == "" {
		base = filepath.Join(vectors.ProjectRoot(), "testdata", "vectors")
	}
	return filepath.Join(base, "gates", "_fixtures")
}

// A completeRun is the complete run without changes, built once for all scripts.
type completeRun struct {
	dir  string
	once sync.Once
	run  *runtest.Run
	err  error
}

func (c *completeRun) script(ts *testscript.TestScript, prog git.Program, args []string) {
	if len(args)%3 != 1 {
		ts.Fatalf("usage: complete DIR [FILE POINTER JSON]...")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	var run *runtest.Run
	var err error
	if len(args) == 1 {
		run, err = c.copyTo(prog, dir)
	} else {
		run, err = buildComplete(prog, dir, args[1:])
	}
	ts.Check(err)
	ts.Setenv("PIN", run.Pin)
	ts.Setenv("COMMIT", run.Commit)
}

func (c *completeRun) copyTo(prog git.Program, dir string) (*runtest.Run, error) {
	c.once.Do(func() { c.run, c.err = buildComplete(prog, c.dir, nil) })
	if c.err != nil {
		return nil, c.err
	}
	return c.run, os.CopyFS(dir, os.DirFS(c.dir))
}

// buildComplete builds the complete run, with members of its documents changed
// before it is closed.
func buildComplete(prog git.Program, dir string, changes []string) (*runtest.Run, error) {
	plan, err := runtest.Complete(os.DirFS(fixturesDir()))
	if err != nil {
		return nil, err
	}
	documents := fstest.MapFS{}
	if err := fs.WalkDir(plan.Documents, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(plan.Documents, path)
		documents[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		return nil, err
	}
	var failed error
	for i := 0; i < len(changes); i += 3 {
		switch changes[i+1] {
		case "-":
			delete(documents, changes[i])
		case "+":
			documents[changes[i]] = &fstest.MapFile{Data: []byte(changes[i+2])}
		}
	}
	plan.Documents = documents
	plan.Edit = func(path, text string) string {
		for i := 0; i < len(changes); i += 3 {
			if changes[i] == path && changes[i+1] != "+" && failed == nil {
				text, failed = changedText(text, changes[i+1], changes[i+2])
			}
		}
		return text
	}
	run, err := runtest.Build(context.Background(), prog, dir, plan)
	if failed != nil {
		return nil, failed
	}
	return run, err
}

func changedText(text, pointer, value string) (string, error) {
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		return "", err
	}
	var to canon.Value
	if value != "absent" {
		read, err := canon.Read([]byte(value), canon.MaxDocument)
		if err != nil {
			return "", err
		}
		to = read.Root
	}
	changed, err := setAt(doc.Root, strings.Split(strings.TrimPrefix(pointer, "/"), "/"), to)
	return string(canon.Pretty(changed)), err
}
