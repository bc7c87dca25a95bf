package store

import (
	"bytes"
	"path/filepath"

	"finishline/canon"
)

// A companion is a snapshot that is read beside the journal whose events it
// repeats. It is for the snapshots that bridges write, which have the canonical
// layout (11 §3.3):
//
//	{
//	  "id": "…",              the members before, small
//	  "events": [
//	    {                     the events, as long as the journal: each has the
//	      "id": "e0",         text of the journal's, laid out
//	      …
//	    },
//	    …
//	  ],
//	  "contractVersion": "…", the members after, small
//	  "snapshotIntegrity": {
//	    …
//	  }
//	}
//
// The events are compared byte by byte with those of the journal, which were
// read already, and are neither parsed nor held. What is left without them, the
// skeleton, is a document like every other, with an empty list of events, and is
// read and judged as one. In a canonical text a line that starts with two spaces
// and a quote is a member of the outermost object, so if the skeleton is
// canonical, its list is the one that was taken out, and the file is the
// canonical text of the whole.
//
// A companion only ever says that everything is as it should be. When it sees
// anything else the two are apart, nothing of it is used, and the snapshot is
// read by itself, as a whole: that reading finds what is wrong and how to say it.
type companion struct {
	file     *openFile
	src      *ahead
	rest     []byte // of a piece, not yet looked at
	skeleton []byte // as far as it was read

	mac     *mac   // has what was read so far; nil without a key
	opening []byte // of the skeleton's compact text, up to the events
	binding string // as the end of the file states it

	past  *past // the events that were compared
	ended bool  // the list of events has ended
}

const (
	listStart = "\n  \"events\": [\n"
	listEnd   = "\n  ]"
	sealStart = "\n  \"snapshotIntegrity\": "
	fileEnd   = "\n}\n"
	// pieceBytes is how much of the file is read at once.
	pieceBytes = 128 << 10
	// eventDepth is how deep an event lies in a snapshot.
	eventDepth = 2
	// maxSkeleton bounds what a companion holds; a snapshot with more beside
	// its events is read by itself.
	maxSkeleton = 4 << 20
	// maxSeal bounds the text of an integrity member with all that may be in it.
	maxSeal = 1 << 10
)

// openCompanion opens run.json of a run directory, or returns nil when it is not
// one to be read beside the journal. Whoever opens one closes it.
func openCompanion(dir string, key Key) *companion {
	f, where, _ := open(filepath.Join(dir, SnapshotFile), SnapshotFile, snapshotKind.maxBytes)
	if where != present {
		return nil
	}
	c := &companion{file: f, src: readAhead(f, pieceBytes), past: &past{}}
	if !c.head() || key.usable() && !c.start(key.mac()) {
		c.close()
		return nil
	}
	return c
}

func (c *companion) close() {
	c.src.close()
	c.file.Close()
}

// head reads up to the list of events.
func (c *companion) head() bool {
	for len(c.skeleton) <= maxSkeleton {
		piece := c.src.next()
		if piece == nil {
			return false
		}
		from := max(0, len(c.skeleton)-len(listStart)) // the start may lie across two pieces
		c.skeleton = append(c.skeleton, piece...)
		if i := bytes.Index(c.skeleton[from:], []byte(listStart)); i >= 0 {
			end := from + i + len(listStart)
			c.rest = piece[len(piece)-(len(c.skeleton)-end):]
			c.skeleton = c.skeleton[:end-1] // its list will be empty
			return true
		}
	}
	return false
}

// start begins the message of the keyed hash: the binding, which only the end of
// the file tells, and the payload up to the events.
func (c *companion) start(m *mac) bool {
	binding, ok := c.stated()
	if !ok {
		return false
	}
	doc, err := canon.Read(append(bytes.Clone(c.skeleton), "]}"...), 2*maxSkeleton)
	if err != nil {
		return false
	}
	c.opening, ok = bytes.CutSuffix(canon.Compact(doc.Root), []byte("]}"))
	c.mac, c.binding = m, binding
	m.start(SnapshotSchema, binding).Write(c.opening)
	return ok
}

// stated is the binding that the end of the file states. It is believed only
// once the whole file was read.
func (c *companion) stated() (binding string, ok bool) {
	size := c.file.info.Size()
	tail := make([]byte, min(size, maxSeal))
	if _, err := c.file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return "", false
	}
	i := bytes.LastIndex(tail, []byte(sealStart))
	text, whole := bytes.CutSuffix(tail[i+1:], []byte(fileEnd))
	if i < 0 || !whole {
		return "", false
	}
	doc, err := canon.Read(text[len(sealStart)-1:], maxSeal)
	if err != nil {
		return "", false
	}
	return bindingOf(doc.Root), true
}

// take compares the next event of the snapshot, if it has one, with that of a
// record of the journal. It reports false when the two are apart.
func (c *companion) take(r *parsed) bool {
	if c.past.events > 0 && !c.ended {
		c.ended = c.peek() == '\n'
	}
	switch {
	case c.ended:
		return true
	case r.text == nil:
		return false // not canonical, so not what a bridge wrote
	case c.past.events > 0 && !c.separator():
		return false
	}
	if !c.expect("    ") || !c.laidOut(r.text, eventDepth) {
		return false
	}
	if c.mac != nil {
		c.mac.h.Write(r.text)
	}
	c.past.add(r.event)
	return true
}

func (c *companion) separator() bool {
	if c.mac != nil {
		c.mac.h.Write(comma)
	}
	return c.expect(",\n")
}

var comma = []byte{','}

// finish reads the members after the events, and judges the snapshot. It returns
// nil when anything is not as it should be.
func (c *companion) finish() *sealed {
	if c.past.events == 0 || !c.expect(listEnd) || !c.tail() {
		return nil
	}
	s := &sealed{kind: snapshotKind, where: present, sha256: c.src.sha256()}
	s.parse(c.skeleton)
	s.comparing.Wait()
	events := s.value.Get("events")
	if !s.canonic || len(s.defects) > 0 || !events.IsArray() || events.Len() > 0 || !c.complete(s) {
		return nil
	}
	if c.mac == nil {
		s.judgeSnapshot(nil)
	} else {
		s.judgeSnapshot(func() *mac { return c.mac })
	}
	if len(s.failing(authenticated)) > 0 {
		return nil
	}
	return s
}

// tail completes the skeleton with what follows the events.
func (c *companion) tail() bool {
	c.skeleton = append(c.skeleton, ']')
	for ; c.rest != nil; c.rest = c.src.next() {
		if len(c.skeleton)+len(c.rest) > maxSkeleton {
			return false
		}
		c.skeleton = append(c.skeleton, c.rest...)
	}
	return c.src.err == nil && c.src.size == c.file.info.Size() && c.file.unchanged() == nil
}

// complete completes the message of the keyed hash, if it was started as it
// should.
func (c *companion) complete(s *sealed) bool {
	if c.mac == nil {
		return true
	}
	rest, ok := bytes.CutPrefix(canon.Compact(s.payload), c.opening)
	c.mac.h.Write(rest)
	return ok && c.binding == bindingOf(s.value.Get(snapshotKind.integrity))
}
