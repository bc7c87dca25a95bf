package gate

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A packFile is a file of the pack that section 4 reads, or the reason why it
// is none.
type packFile struct {
	rel      string // below R
	text     string // decoded
	problem  problem
	what     verify.What
	tooLarge bool
}

type usedFile struct{ path, sha256 string }

// file reads a pack file: a registry path leads to it (trimmed at base level,
// in canonical form at strict level), it is a regular file and no link, and it
// lies in R.
func (r *registry) file(ref string, maxBytes int64) *packFile {
	if f := r.files[ref]; f != nil {
		return f
	}
	f := &packFile{}
	r.files[ref] = f
	res, refErr := r.root.SafeFile(ref, r.run.Level())
	if refErr != nil {
		f.problem = missing
		f.what = verify.What{Found: refErr.Error(), Expected: "a file of the pack", Unevaluated: refErr.Unevaluated}
		return f
	}
	artifact, err := r.root.ReadResolved(res, maxBytes)
	if err != nil {
		f.problem = missing
		f.what = verify.What{Found: err.Error(), Expected: "a readable file of the pack", Unevaluated: evidence.IsTrouble(err)}
		var fe *evidence.FileError
		f.tooLarge = errors.As(err, &fe) && fe.Kind == evidence.TooLarge
		return f
	}
	f.rel, f.text = res.Rel, canon.DecodeUTF8(artifact.Data)
	r.use(artifact)
	return f
}

// tooLarge reports a file beyond its bound, which stops the gate.
func (r *registry) tooLarge(f *packFile) bool {
	if f.tooLarge {
		r.stop(r.doc, f.what)
	}
	return f.tooLarge
}

// use notes that a file of the pack was read.
func (r *registry) use(a *evidence.Artifact) {
	r.used = append(r.used, usedFile{a.Path, a.SHA256})
}

// linked reports a file that was reached through a link. It is asked for files
// of which no other rule has failed.
func (r *registry) linked(rel string) {
	if !r.out.Strict() {
		return
	}
	res, err := r.root.OwnFile(rel, verify.Base)
	if err != nil {
		return
	}
	for _, e := range r.root.StrictResolved(rel, res) {
		if e.Rule == "strict.path.symlink-component" {
			r.out.Add("strict.pack.links", verify.At(rel, ""), verify.What{Found: e.Reason, Expected: "the file itself"})
		}
	}
}

// committed warns about files that are not those of HEAD.
func (r *registry) committed() {
	if r.run.opt.Committed == nil || !r.out.Strict() {
		return
	}
	slices.SortFunc(r.used, func(a, b usedFile) int { return canon.CompareUTF16(a.path, b.path) })
	used := slices.Compact(r.used)
	paths := make([]string, len(used))
	for i, f := range used {
		paths[i] = f.path
	}
	sums, err := r.run.opt.Committed.CommittedSHA256(paths)
	if err != nil {
		r.out.Add("strict.pack.committed", verify.At(registryPath, ""), verify.What{Found: err.Error(), Expected: "a commit to compare with", Unevaluated: true})
		return
	}
	for _, f := range used {
		sum, ok := sums[f.path]
		what := verify.What{Expected: "the bytes committed at HEAD"}
		switch {
		case !ok:
			what.Found = "a file that is not committed"
		case sum != f.sha256:
			what.Found = "other bytes than those committed"
		default:
			continue
		}
		r.out.Add("strict.pack.committed", verify.At(f.path, ""), what)
	}
}

// A dirError says why a directory could not be listed.
type dirError struct {
	Reason  string
	Trouble bool // the operating system's doing
}

func (e *dirError) Error() string { return e.Reason }

// subdirectories lists the directories directly below dir, sorted, links not
// included.
func (r *registry) subdirectories(dir string, bound int) ([]string, *dirError) {
	res, refErr := r.root.OwnFile(dir, verify.Base)
	if refErr != nil { // such as a link that leaves the pack
		return nil, &dirError{Reason: refErr.Reason, Trouble: refErr.Unevaluated}
	}
	h, err := r.root.FS().Open(filepath.FromSlash(res.Real()))
	if err != nil {
		return nil, &dirError{Reason: err.Error(), Trouble: !evidence.IsAbsent(err)}
	}
	defer h.Close()
	entries, err := h.ReadDir(maxDirEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &dirError{Reason: err.Error(), Trouble: !evidence.IsAbsent(err)}
	}
	if len(entries) > maxDirEntries {
		return nil, &dirError{Reason: fmt.Sprintf("more than %d entries", maxDirEntries)}
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) > bound {
		return nil, &dirError{Reason: fmt.Sprintf("%d directories", len(names))}
	}
	slices.Sort(names)
	return names, nil
}
