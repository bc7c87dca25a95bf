package evidence

import (
	"finishline/canon"
)

// Real is the path with all links resolved, relative to the root: two paths
// that lead to one file have the same.
func (res Resolved) Real() string { return res.real }

// Load reads a resolved file of at most maxBytes and keeps its digest, but not
// its bytes: for large files of which the caller keeps only what it learns. A
// file that was read before must still have the same digest. The error is a
// *FileError.
func (r *Root) Load(res Resolved, maxBytes int64) (data []byte, sha256 string, err error) {
	f := r.entry(res)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, "", f.err
	}
	if f.data != nil && int64(len(f.data.Data)) <= maxBytes {
		return f.data.Data, f.data.SHA256, nil
	}
	if res.Size() > maxBytes {
		return nil, "", tooLarge(res.Rel, res.Size(), maxBytes)
	}
	h, err := r.open(res)
	if err != nil {
		return nil, "", err
	}
	defer h.Close()
	data, err = readBounded(h, res.Size(), maxBytes)
	if err != nil {
		return nil, "", &FileError{res.Rel, Trouble, osReason(err)}
	}
	if int64(len(data)) > maxBytes {
		return nil, "", tooLarge(res.Rel, int64(len(data)), maxBytes)
	}
	sum := canon.SHA256(data)
	if f.sum != "" && f.sum != sum {
		f.err = &FileError{res.Rel, Changed, "the file changed while it was verified"}
		return nil, "", f.err
	}
	f.sum, f.size = sum, int64(len(data))
	return data, sum, nil
}
