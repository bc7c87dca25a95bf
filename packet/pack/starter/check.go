package starter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A RefusedError says that a pack would be refused, and by which rules.
type RefusedError struct{ Findings []verify.Finding }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the pack would be refused: %s", strings.Join(verify.RuleIDs(e.Findings, verify.Error), ", "))
}

// Check judges the files of a pack as they would lie in a target of their own:
// written to a private directory, which is removed again. The error is a
// *RefusedError, that of the file system, or the context's.
func Check(ctx context.Context, layout Layout, files []File) error {
	dir, err := os.MkdirTemp("", "finishline-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			return err
		}
	}
	root, err := evidence.Open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	findings, err := judge(ctx, root, layout)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		return &RefusedError{findings}
	}
	return nil
}

// judge collects what stands against the pack below a root.
func judge(ctx context.Context, root *evidence.Root, layout Layout) ([]verify.Finding, error) {
	packDir := filepath.Join(root.Dir(), layout.Dir())
	selected, err := pack.Select(root, "")
	if err != nil {
		return nil, err
	}
	if selected.Dir != packDir || !selected.Present {
		return nil, fmt.Errorf("the pack is not found at %s", layout.Dir())
	}
	run, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: packDir, Present: true}})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	g, known := gate.Find("skill-registry")
	if !known {
		return nil, fmt.Errorf("this build has no gate for skill registries")
	}
	result := g.Validate(ctx, run)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	list := result.Findings.List()
	where := review.PackTarget
	if layout == Commissioned {
		where = review.PackHarness
	}
	_, store := review.LoadLive(root, where, "", verify.Strict)
	list = append(list, store.List()...)
	if err := knownCatalogs(root, layout); err != nil {
		return nil, err
	}
	var errs []verify.Finding
	for _, f := range list {
		if f.Severity == verify.Error {
			errs = append(errs, f)
		}
	}
	return errs, nil
}

// knownCatalogs demands that every catalog is a known edition.
func knownCatalogs(root *evidence.Root, layout Layout) error {
	for _, name := range catalog.Paths() {
		file := filepath.ToSlash(filepath.Join(layout.Dir(), name))
		artifact, err := root.Read(file, canon.MaxDocument)
		if err != nil {
			return err
		}
		doc, err := artifact.JSON(canon.MaxDocument)
		if err != nil {
			return err
		}
		if !catalog.Known(name, canon.SemanticDigest(doc.Root)) {
			return fmt.Errorf("%s is no known edition of its catalog", file)
		}
	}
	return nil
}
