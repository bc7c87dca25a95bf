package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/internal/render"
	"finishline/packet/pack"
	"finishline/packet/pack/starter"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

type packCmds struct {
	New packNewCmd `cmd:"" help:"Write the first pack of a repository."`
}

type packNewCmd struct {
	Dir          string `arg:"" optional:"" default:"." help:"The directory whose runs the pack is for." type:"path"`
	Commissioned bool   `help:"Put the pack into .valdris-harness, with a project adapter, and the discovery blocks into AGENTS.md and CLAUDE.md."`
	Description  string `help:"Whose trust store it is, for people." placeholder:"TEXT"`
	outputFlags
}

func (packNewCmd) Help() string {
	return `Writes control catalogs, skill registry, skills, finish-line scripts and a trust store that holds no key: what a run is judged by. Enrol reviewers with finishline trust add, commit it all, and have the operator set ` + envPin + ` to the store's pin.

A file that is there with other content is never written over, and then nothing is written; a trust store that is there is kept. AGENTS.md and CLAUDE.md keep what they say and get a block.

Examples:
  finishline pack new
  finishline pack new --commissioned --description "who may close runs of Lantern"
  finishline pack new --commissioned services/api`
}

const trustStoreFile = "controls/review-trust.v1.json"

func (c packNewCmd) Run(s *session) error {
	layout := starter.Plain
	if c.Commissioned {
		layout = starter.Commissioned
	}
	root, err := evidence.Open(c.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := starter.New(layout, c.Description)
	if err != nil {
		return err
	}
	if files, err = keepStore(root, layout, files); err != nil {
		return err
	}
	if err := starter.Check(s.ctx, layout, files); err != nil {
		return c.refused(s, err)
	}
	loaders, err := loaderFiles(root, layout)
	if err != nil {
		return err
	}
	missing, err := unwritten(root, files)
	if err != nil {
		return err
	}
	if err := writeFiles(root, missing, loaders); err != nil {
		return err
	}
	value := canon.Build(member("schema", canon.NewString("finishline.pack-created.v1")), member("runtime", canon.NewString(layout.Dir())),
		member("written", canon.NewNumber(float64(len(missing)))), member("loaders", canon.NewNumber(float64(len(loaders)))))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "wrote a pack of %s in %s; finishline trust add %s enrols a reviewer, then commit it\n",
			render.Count(len(files), "file"), layout.Dir(), filepath.ToSlash(filepath.Join(layout.Dir(), trustStoreFile)))
	})
}

func (c packNewCmd) refused(s *session, err error) error {
	var refused *starter.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	g, _ := gate.Find("skill-registry")
	return s.report(c.outputFlags, &verify.Report{
		Subject: verify.Subject{Kind: "new pack", Path: c.Dir}, Findings: refused.Findings,
		Checked: []verify.Checked{{Verifier: g.Name, Rules: g.Table.Count(verify.Strict)}}, Notes: []string{"nothing was written"},
	})
}

// keepStore takes the trust store that is there instead of an empty one.
func keepStore(root *evidence.Root, layout starter.Layout, files []starter.File) ([]starter.File, error) {
	path := filepath.ToSlash(filepath.Join(layout.Dir(), trustStoreFile))
	for i, f := range files {
		if f.Path != path {
			continue
		}
		data, err := readExisting(root, path, canon.MaxTrustStore)
		if err != nil {
			return nil, err
		}
		if data != nil {
			files[i].Data = data
		}
	}
	return files, nil
}

// readExisting reads a file below the root, nil when there is none.
func readExisting(root *evidence.Root, path string, maxBytes int64) ([]byte, error) {
	data, _, err := evidence.ReadRegular(root.FS(), path, maxBytes)
	if evidence.IsAbsent(err) {
		return nil, nil
	}
	return data, err
}

// maxLoader bounds a loader that gets a block.
const maxLoader = 1 << 20

// loaderFiles are the loaders that have to change.
func loaderFiles(root *evidence.Root, layout starter.Layout) ([]starter.File, error) {
	if layout != starter.Commissioned {
		return nil, nil
	}
	var list []starter.File
	for _, name := range pack.Loaders() {
		existing, err := readExisting(root, name, maxLoader)
		if err != nil {
			return nil, err
		}
		data, err := starter.Loader(name, existing)
		if err != nil {
			return nil, &advisedError{name + ": " + err.Error(), "mend the file by hand; the block must be in it exactly once"}
		}
		if !bytes.Equal(data, existing) {
			list = append(list, starter.File{Path: name, Data: data})
		}
	}
	return list, nil
}

// unwritten are the files that are not there yet. One that is there with other
// content is an error.
func unwritten(root *evidence.Root, files []starter.File) ([]starter.File, error) {
	var list []starter.File
	for _, f := range files {
		if _, refErr := root.With(f.Path, f.Data); refErr != nil {
			return nil, refErr
		}
		existing, err := readExisting(root, f.Path, canon.MaxDocument)
		switch {
		case err != nil:
			return nil, err
		case existing == nil:
			list = append(list, f)
		case !bytes.Equal(existing, f.Data):
			return nil, fmt.Errorf("%s: %w", f.Path, atomicfile.ErrExists)
		}
	}
	return list, nil
}

func writeFiles(root *evidence.Root, files, loaders []starter.File) error {
	for _, f := range files {
		path := filepath.Join(root.Dir(), filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Create(path, f.Data); err != nil {
			return err
		}
	}
	for _, f := range loaders {
		path, write := filepath.Join(root.Dir(), f.Path), atomicfile.Replace
		if _, err := root.FS().Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
			write = atomicfile.Create
		}
		if err := write(path, f.Data); err != nil {
			return err
		}
	}
	return nil
}
