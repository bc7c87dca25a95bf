package packet

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

// inventory lists every regular file of the evidence directories that Git does
// not track, ignored or not, except packet and review (05 §12). A review that
// is there already when the bundle is printed must not enter what the next one
// signs.
func (b *builder) inventory(ctx context.Context) canon.Value {
	if b.repo == nil {
		return canon.NewArray() // there is no packet without a repository; bind says so
	}
	ix, err := b.repo.Index(ctx)
	if err != nil {
		b.refuse(ruleSelfCheck, verify.At(DefaultPath, "/artifactInventory"), err.Error(), "an answer from Git")
		return canon.NewArray()
	}
	defer ix.Close()
	w := &evidenceWalk{builder: b, tracked: trackedBelow(ix, b.repo.Place().RawPrefix)}
	for _, dir := range namespaces {
		if !b.out.Has(ruleLimit) {
			w.walk(dir)
		}
	}
	slices.SortFunc(w.paths, canon.CompareUTF16)
	if b.out.Has(ruleLimit) || b.out.Has(ruleSymlink) {
		return canon.NewArray()
	}
	entries := make([]canon.Value, 0, len(w.paths))
	for _, path := range w.paths {
		if entry, ok := b.inventoryEntry(path); ok {
			entries = append(entries, entry)
		}
	}
	return canon.NewArray(entries...)
}

func (b *builder) inventoryEntry(path string) (canon.Value, bool) {
	at := verify.At(path, "")
	res, refErr := b.root.PlainFile(path)
	if refErr != nil {
		b.refuse(ruleSelfCheck, at, refErr.Reason, "a file that an inventory can name")
		return canon.Value{}, false
	}
	sum, err := b.root.DigestResolved(res)
	if err != nil {
		b.refuse(ruleSelfCheck, at, reason(err), "a readable file")
		return canon.Value{}, false
	}
	return canon.Build(textMember("path", path), textMember("sha256", sum.SHA256),
		canon.Member{Name: "size", Value: canon.NewNumber(float64(sum.Size))}), true
}

// trackedBelow are the paths that Git tracks below the target, relative to it.
// That of a submodule stands for all that is in it.
func trackedBelow(ix *git.Index, prefix string) map[string]bool {
	tracked := map[string]bool{}
	for _, e := range ix.Entries(git.Below()) {
		tracked[strings.TrimPrefix(e.Path, prefix)] = true
	}
	return tracked
}

// An evidenceWalk collects the untracked files of the evidence directories,
// within the bounds of an inventory.
type evidenceWalk struct {
	*builder
	tracked map[string]bool
	paths   []string
	bytes   int64
}

func (w *evidenceWalk) walk(dir string) {
	info, err := w.root.FS().Lstat(dir)
	if err != nil && evidence.IsAbsent(err) {
		return
	}
	if err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		return // a file of that name is no evidence directory
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		w.refuse(ruleSymlink, verify.At(dir, ""), "a symbolic link", "a directory")
		return
	}
	err = fs.WalkDir(w.root.FS().FS(), dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			w.refuse(ruleSelfCheck, verify.At(path, ""), reason(err), "a readable directory")
			return nil
		}
		return w.visit(path, d)
	})
	if err != nil {
		w.refuse(ruleSelfCheck, verify.At(dir, ""), reason(err), "a readable directory")
	}
}

func (w *evidenceWalk) visit(path string, d fs.DirEntry) error {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		w.refuse(ruleSymlink, verify.At(path, ""), "a symbolic link", "a regular file")
		return nil
	case d.IsDir() && w.tracked[path]: // a submodule
		return fs.SkipDir
	case !d.Type().IsRegular() || w.tracked[path] || path == DefaultPath || path == review.DefaultPath:
		return nil
	}
	info, err := d.Info()
	if err != nil {
		w.refuse(ruleSelfCheck, verify.At(path, ""), reason(err), "a readable file")
		return nil
	}
	return w.take(path, info.Size())
}

// take adds a file, unless a bound is reached: then there is nothing more to
// find out.
func (w *evidenceWalk) take(path string, size int64) error {
	at := verify.At(path, "")
	w.paths, w.bytes = append(w.paths, path), w.bytes+size
	switch {
	case size > MaxInventoryFile:
		w.refuse(ruleLimit, at, fmt.Sprintf("%d bytes", size), fmt.Sprintf("at most %d in one file", MaxInventoryFile))
	case len(w.paths) > MaxInventoryFiles:
		w.refuse(ruleLimit, at, "one file more than there may be", fmt.Sprintf("at most %d untracked files in the evidence directories", MaxInventoryFiles))
	case w.bytes > MaxInventoryBytes:
		w.refuse(ruleLimit, at, fmt.Sprintf("%d bytes up to this file", w.bytes), fmt.Sprintf("at most %d together", MaxInventoryBytes))
	default:
		return nil
	}
	return fs.SkipAll
}
