package runtest

import (
	"fmt"
	"time"

	"finishline/packet/pack"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/gate/scaffold"
)

// stylePath is the file that the example's writer had before him.
const stylePath = "docs/style.md"

// assurance writes what every run owes besides its packet: package scaffold
// makes the documents, and what it leaves open is measured. The results name
// the manifest by its digest, so they come last.
func (b *builder) assurance() error {
	if err := b.drafts("waivers", "ai-assurance", "domain-assurance", "context"); err != nil {
		return err
	}
	if err := MeasureContext(b.dir, stylePath, assuredAt); err != nil {
		return err
	}
	if err := b.drafts("eval"); err != nil {
		return err
	}
	return MeasureEval(b.dir, assuredAt)
}

// drafts writes the documents of gates as they are made for this run.
func (b *builder) drafts(gates ...string) error {
	root, err := evidence.Open(b.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	selected, err := pack.Select(root, "")
	if err != nil {
		return err
	}
	now, err := time.Parse(time.RFC3339, assuredAt)
	if err != nil {
		return err
	}
	place := scaffold.Place{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}}
	for _, name := range gates {
		draft, err := place.Gate(name, now)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range draft.Files {
			if err := b.write(f.Path, f.Data()); err != nil {
				return err
			}
		}
	}
	return nil
}
