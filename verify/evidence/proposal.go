package evidence

import (
	"io/fs"
	"path"
	"strings"
	"time"

	"finishline/canon"
)

// A proposal is a file that is not written yet. It is what the directory would
// say about the file, and its content.
type proposal struct {
	rel  string
	data []byte
}

// With returns the same directory as it will be once data has been written to
// path, for producers: the verifier of a document then judges the very bytes
// that are about to be written, and nothing on the disk has changed when it
// refuses them. The path must be canonical, lead through no link, and lead to
// nothing or to a regular file, whose place the data takes; otherwise the error
// says so. It concerns what is read by path: walks of the directory and Git see
// the disk. Nothing is read yet in the result, which is closed with its origin.
func (r *Root) With(path string, data []byte) (*Root, *RefError) {
	if reason := CanonicalReason(path); reason != "" {
		return nil, &RefError{Path: path, Reason: reason, Escapes: true}
	}
	rel := canon.UTF8(path)
	if err := r.placeFor(rel); err != nil {
		return nil, err
	}
	with := &Root{dir: r.dir, root: r.root, dirs: r.dirs, files: map[string]*file{}}
	with.propose(append(append([]proposal(nil), r.proposals()...), proposal{rel, data})...)
	return with, nil
}

// placeFor looks whether a file can be written at rel: directories, no links,
// on the way, as far as there are any, and nothing but a regular file at its
// end.
func (r *Root) placeFor(rel string) *RefError {
	for end := 0; end < len(rel); end++ {
		next := strings.IndexByte(rel[end:], '/')
		if next < 0 {
			break
		}
		end += next
		info, err := r.root.Lstat(rel[:end])
		switch {
		case err != nil && notExist(err):
			return nil
		case err != nil:
			return absence(rel, err)
		case !info.IsDir():
			return &RefError{Path: rel, Reason: "a component is a symbolic link or a file"}
		}
	}
	info, err := r.root.Lstat(rel)
	switch {
	case err != nil && notExist(err):
		return nil
	case err != nil:
		return absence(rel, err)
	case !info.Mode().IsRegular():
		return &RefError{Path: rel, Reason: "not a regular file"}
	}
	return nil
}

// propose makes the files known, as if they had been read.
func (r *Root) propose(list ...proposal) {
	if len(list) == 0 {
		return
	}
	r.proposed = map[string]proposal{}
	for _, p := range list {
		r.proposed[p.rel] = p
		sum := canon.SHA256(p.data)
		r.files[p.rel] = &file{path: p.rel, sum: sum, size: int64(len(p.data)),
			data: &Artifact{Path: p.rel, SHA256: sum, Data: p.data}}
	}
}

func (r *Root) proposals() []proposal {
	var list []proposal
	for _, p := range r.proposed {
		list = append(list, p)
	}
	return list
}

// resolveProposed is the resolution of a cleaned path to a file that is not
// written yet.
func (r *Root) resolveProposed(rel string) (Resolved, bool) {
	p, ok := r.proposed[rel]
	if !ok {
		return Resolved{}, false
	}
	return Resolved{Rel: rel, Exists: true, Regular: true, real: rel, info: p}, true
}

func (p proposal) Name() string       { return path.Base(p.rel) }
func (p proposal) Size() int64        { return int64(len(p.data)) }
func (p proposal) Mode() fs.FileMode  { return 0o644 }
func (p proposal) ModTime() time.Time { return time.Time{} }
func (p proposal) IsDir() bool        { return false }
func (p proposal) Sys() any           { return nil }
