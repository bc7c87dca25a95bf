package checkpoint

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"finishline/verify"
)

// MaxNote bounds a checkpoint with its signatures, in bytes.
const MaxNote = 64 << 10

// A File is a checkpoint or a proof as it was given, and how findings name it.
type File struct {
	Path string
	Data []byte
}

// Opened is a checkpoint whose text and signature have been verified.
type Opened struct {
	Checkpoint
	File File
	// Signers are the trusted keys whose signatures verify, at least one.
	Signers []Verifier
}

// Sign signs a checkpoint, and opens the result before it is given out.
func Sign(c Checkpoint, signer Signer) ([]byte, error) {
	data, err := note.Sign(&note.Note{Text: c.Text()}, signer.Signer)
	if err != nil {
		return nil, fmt.Errorf("sign the checkpoint: %w", err)
	}
	n, err := note.Open(data, note.VerifierList(signer.Verifier))
	if err != nil || n.Text != c.Text() {
		return nil, errors.New("the signature that was just made does not verify")
	}
	return data, nil
}

// Open reads a checkpoint and verifies its signature (ext.checkpoint.malformed,
// ext.checkpoint.signature). at says where a finding points. It returns nil
// when there was one.
func Open(out *verify.Findings, at verify.Place, f File, keys []Verifier) *Opened {
	if len(f.Data) > MaxNote {
		out.Add("ext.checkpoint.malformed", at, verify.What{Found: fmt.Sprintf("%d bytes", len(f.Data)), Expected: fmt.Sprintf("at most %d", MaxNote)})
		return nil
	}
	n, err := openUnverified(f.Data)
	if err != nil {
		out.Add("ext.checkpoint.malformed", at, verify.What{Found: err.Error(), Expected: "a signed note"})
		return nil
	}
	c, err := Parse(n.Text)
	if err != nil {
		out.Add("ext.checkpoint.malformed", at, verify.What{Found: err.Error(), Expected: "the seven lines of a checkpoint"})
		return nil
	}
	o := &Opened{Checkpoint: c, File: f}
	for _, k := range keys {
		// One key at a time: a bad signature under one of them must not hide a
		// good one under another.
		if opened, err := note.Open(f.Data, note.VerifierList(k)); err == nil && opened.Text == n.Text {
			o.Signers = append(o.Signers, k)
		}
	}
	if len(o.Signers) == 0 {
		out.Add("ext.checkpoint.signature", at, verify.What{Found: signaturesOf(n, keys), Expected: trusted(keys)})
		return nil
	}
	return o
}

// openUnverified reads a note without believing anything in it.
func openUnverified(data []byte) (*note.Note, error) {
	_, err := note.Open(data, note.VerifierList())
	var unverified *note.UnverifiedNoteError
	switch {
	case errors.As(err, &unverified):
		return unverified.Note, nil
	case err == nil: // out of reach: no key verifies nothing
		err = errors.New("a note that nobody signed")
	}
	return nil, err
}

// signaturesOf says whose signatures a note carries.
func signaturesOf(n *note.Note, keys []Verifier) string {
	found := ""
	for _, s := range n.UnverifiedSigs {
		id := fmt.Sprintf("%s+%08x", s.Name, s.Hash)
		for _, k := range keys {
			if k.Name() == s.Name && k.KeyHash() == s.Hash {
				return "a signature by " + verify.Quote(id) + " that does not verify"
			}
		}
		if found == "" {
			found = "a signature by " + verify.Quote(id)
		}
	}
	return found
}

func trusted(keys []Verifier) string {
	if len(keys) == 0 {
		return "a key to trust, none was given"
	}
	text := "a signature by " + keys[0].ID()
	if more := len(keys) - 1; more > 0 {
		text += fmt.Sprintf(" or %d other keys", more)
	}
	return text
}

// Verify holds a journal against its checkpoints, oldest first. The result
// holds those that passed.
func Verify(out *verify.Findings, log *Log, files []File, keys []Verifier) []*Opened {
	var passed []*Opened
	var before *Opened
	for _, f := range files {
		at := verify.At(f.Path, "")
		o := Open(out, at, f, keys)
		if o == nil {
			before = nil
			continue
		}
		errorsBefore := out.Errors()
		o.against(out, at, log)
		if before != nil {
			o.after(out, at, before)
		}
		if out.Errors() == errorsBefore {
			passed = append(passed, o)
		}
		before = o
	}
	return passed
}

// Covered is how many of the first records of the journal the checkpoints
// commit to.
func Covered(passed []*Opened) int64 {
	var most int64
	for _, o := range passed {
		most = max(most, o.Size)
	}
	return most
}

// against compares a checkpoint with the journal.
func (o *Opened) against(out *verify.Findings, at verify.Place, log *Log) {
	switch key := o.storageOf(); {
	case o.RunID != log.RunID:
		out.Add("ext.checkpoint.run-mismatch", at, verify.What{Found: "run " + verify.Quote(o.RunID), Expected: "run " + verify.Quote(log.RunID)})
	case key != "" && key != log.StorageKey:
		out.Add("ext.checkpoint.run-mismatch", at, verify.What{Found: "origin " + o.Origin, Expected: "origin " + defaultOrigin + log.StorageKey})
	}
	if log.Size() < o.Size {
		out.Add("ext.checkpoint.rollback", at, verify.What{Found: fmt.Sprintf("%d records in the journal", log.Size()), Expected: fmt.Sprintf("at least %d", o.Size)})
	} else {
		o.prefix(out, at, log)
	}
	if o.Size > 0 && o.Config != log.Config {
		out.Add("ext.checkpoint.config-changed", at, verify.What{Found: "a configuration sealed as " + verify.Quote(log.Config), Expected: verify.Quote(o.Config)})
	}
}

// prefix compares the records that both have.
func (o *Opened) prefix(out *verify.Findings, at verify.Place, log *Log) {
	root, head, err := log.root(o.Size)
	switch {
	case err != nil: // out of reach: the journal has these records
		out.Add("ext.checkpoint.fork", at, verify.What{Found: err.Error(), Expected: "the records that were signed for"})
	case head != o.Head:
		out.Add("ext.checkpoint.fork", at, verify.What{Found: fmt.Sprintf("record %d has the digest %s", o.Size-1, verify.Quote(head)), Expected: verify.Quote(o.Head)})
	case root != o.Root:
		out.Add("ext.checkpoint.fork", at, verify.What{Found: fmt.Sprintf("the first %d records have the root %s", o.Size, root), Expected: o.Root.String()})
	}
}

// after compares a checkpoint with the one before it.
func (o *Opened) after(out *verify.Findings, at verify.Place, before *Opened) {
	switch digest := Digest(before.File.Data); {
	case o.Previous != digest:
		out.Add("ext.checkpoint.chain", at, verify.What{Found: "previous " + dash(o.Previous), Expected: fmt.Sprintf("previous %s, of %s", digest, before.File.Path)})
	case o.Size < before.Size:
		out.Add("ext.checkpoint.chain", at, verify.What{Found: fmt.Sprintf("%d records", o.Size), Expected: fmt.Sprintf("at least the %d of %s", before.Size, before.File.Path)})
	}
}
