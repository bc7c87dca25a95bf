package git

import "bytes"

// StatusScanner counts the records of [Index.Status] as they are written to it.
type StatusScanner struct {
	Untracked int // "??"
	Tracked   int // every other record: a difference of HEAD, index and work tree
	Renamed   int // of Tracked: those that pair two paths (R or C)

	at   int     // bytes of the current record read so far
	code [2]byte // its first two bytes
	skip bool    // the current record is the second path of a pair
}

// Write never fails.
func (s *StatusScanner) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != 0 {
			if s.at < len(s.code) {
				s.code[s.at] = c
			}
			s.at++
			continue
		}
		s.end()
	}
	return len(p), nil
}

// end counts the record that a NUL has just ended.
func (s *StatusScanner) end() {
	pair := false
	switch {
	case s.skip || s.at < len(s.code):
	case s.code == [2]byte{'?', '?'}:
		s.Untracked++
	default:
		s.Tracked++
		if pair = bytes.ContainsAny(s.code[:], "RC"); pair {
			s.Renamed++
		}
	}
	s.at, s.skip = 0, pair
}

// DiffScanner notes, as [Index.Diff] is written to it, what makes the bytes of a diff depend on more than its content.
type DiffScanner struct {
	Binary    bool // it has a deflated binary patch
	Submodule bool // it has a line like that of a submodule
	AddedCR   bool // an added line ends in CR LF

	head []byte // the current line's first bytes
	last byte   // its last byte
}

var (
	binaryMark    = []byte("GIT binary patch")
	submoduleMark = []byte("Subproject commit ")
)

// Write never fails.
func (d *DiffScanner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := len(submoduleMark) + 1 - len(d.head); room > 0 {
			d.head = append(d.head, line[:min(room, len(line))]...)
		}
		if len(line) > 0 {
			d.last = line[len(line)-1]
		}
		if ended {
			d.end()
		}
		p = rest
	}
	return n, nil
}

func (d *DiffScanner) end() {
	added := bytes.HasPrefix(d.head, []byte("+"))
	d.Binary = d.Binary || bytes.HasPrefix(d.head, binaryMark)
	d.Submodule = d.Submodule || len(d.head) > 0 && bytes.HasPrefix(d.head[1:], submoduleMark)
	d.AddedCR = d.AddedCR || added && d.last == '\r'
	d.head, d.last = d.head[:0], 0
}
