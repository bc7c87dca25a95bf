package packet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// UntrackedEvidence lists, in UTF-16 order, the regular files below the target
// that lie in an evidence directory and that Git neither tracks nor ignores:
// what an inventory is about (contract 05, §11 and §12). Names are relative to
// the target, as Git stores them. The error is Git's.
func UntrackedEvidence(ctx context.Context, repo *git.Repo, target *evidence.Root) ([]string, error) {
	ix, err := repo.Index(ctx)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	names, err := ix.Untracked(ctx, git.Below())
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		if !strings.Contains(name, "/") || !InNamespace(name) {
			return true
		}
		info, err := target.FS().Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	})
	slices.SortFunc(names, canon.CompareUTF16)
	return names, nil
}

// unlistedCheck evaluates strict.packet.evidence-unlisted. What Git cannot list
// is the business of the application state, which also has the names already,
// but for the files that it leaves out.
func (v *verification) unlistedCheck(ctx context.Context, app *application) *verify.Findings {
	out := v.collect()
	inventory := v.doc.At("artifactInventory")
	if !out.Strict() || !inventory.IsArray() || app == nil || app.state == nil {
		return out
	}
	listed := map[string]bool{v.path: true, review.DefaultPath: true}
	for _, e := range inventory.Elems() {
		listed[e.Get("path").Text()] = true
	}
	names := v.untrackedNow(ctx, app.state, listed)
	names = slices.DeleteFunc(names, func(name string) bool { return listed[name] })
	if len(names) == 0 {
		return out
	}
	out.Add("strict.packet.evidence-unlisted", v.at(inventory), verify.What{Found: firstOf(names), Expected: "an inventory with all evidence"})
	return out
}

// untrackedNow asks Git only when a file that the application state leaves out
// is not listed; whether it is ignored is not known then.
func (v *verification) untrackedNow(ctx context.Context, s *source.State, listed map[string]bool) []string {
	for _, path := range source.PostProof {
		if _, err := v.root.FS().Lstat(path); err == nil && !listed[path] {
			names, _ := UntrackedEvidence(ctx, v.repo, v.root)
			return names
		}
	}
	var names []string
	for _, u := range s.Untracked {
		if u.Type == source.TypeFile && strings.Contains(u.Path, "/") && InNamespace(u.Path) {
			names = append(names, u.Path)
		}
	}
	return names
}

// firstOf names a few of many files.
func firstOf(names []string) string {
	const shown = 3
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
