package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/internal/render"
	"finishline/packet/pack"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/gate/scaffold"
)

// draft makes a document of the run, has its gate judge it, and writes it
// unless it is refused.
func (s *session) draft(flags runFlags, make func(scaffold.Place) (scaffold.Draft, error)) error {
	root, err := evidence.Open(flags.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	selected, err := pack.Select(root, flags.Runtime)
	if err != nil {
		return err
	}
	place := scaffold.Place{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}, Level: flags.level()}
	d, err := make(place)
	if err != nil {
		return err
	}
	if err := vacant(root.Dir(), d); err != nil {
		return err
	}
	judged, err := place.Judge(s.ctx, d)
	if err != nil {
		return err
	}
	if len(judged.Refused) > 0 {
		return s.report(flags.outputFlags, &verify.Report{
			Subject: verify.Subject{Kind: "new " + d.Gate, Path: d.Files[0].Path, SHA256: canon.SHA256(d.Files[0].Data())},
			Level:   flags.level(), Findings: judged.Refused, Checked: []verify.Checked{judged.Checked},
			Notes: []string{"nothing was written"},
		})
	}
	if err := writeDraft(root.Dir(), d); err != nil {
		return err
	}
	return s.printDraft(flags.outputFlags, d, judged)
}

// vacant demands that nothing is where a new document goes.
func vacant(dir string, d scaffold.Draft) error {
	if d.Replaces {
		return nil
	}
	for _, f := range d.Files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path))); err == nil {
			return fmt.Errorf("%s: %w", f.Path, atomicfile.ErrExists)
		}
	}
	return nil
}

func writeDraft(dir string, d scaffold.Draft) error {
	write := atomicfile.Create
	if d.Replaces {
		write = atomicfile.Replace
	}
	for _, f := range d.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := write(path, f.Data()); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) printDraft(flags outputFlags, d scaffold.Draft, judged *scaffold.Judgement) error {
	var files []canon.Value
	var paths []string
	for _, f := range d.Files {
		files = append(files, canon.Build(member("path", canon.NewString(f.Path)), member("sha256", canon.NewString(canon.SHA256(f.Data())))))
		paths = append(paths, f.Path)
	}
	var open []string
	for _, f := range judged.Open {
		open = append(open, f.Rule)
	}
	slices.Sort(open)
	open = slices.Compact(open)
	value := canon.Build(member("schema", canon.NewString("finishline.draft.v1")), member("gate", canon.NewString(d.Gate)),
		member("files", canon.NewArray(files...)), member("complete", canon.NewBool(d.Complete())), member("open", stringList(open)))
	return s.print(flags, value, func(w io.Writer) {
		fmt.Fprintf(w, "wrote %s", strings.Join(paths, ", "))
		if !d.Complete() {
			fmt.Fprintf(w, ", a skeleton: %s open; fill it in until finishline gate verify %s passes", render.Count(len(open), "rule"), d.Gate)
		}
		fmt.Fprintln(w)
	})
}
