package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/review"
	"finishline/verify"
)

// The detached flow, for a key that never comes near this machine: review
// payload --out settles everything that is signed and writes the bytes, and
// review attach brings the signature back.

// writePayload is review payload --out.
func (c reviewPayloadCmd) writePayload(s *session) error {
	g, err := s.openSigning(c.reviewFileFlags(), c.outputFlags)
	if g == nil {
		return err
	}
	if err := outsideOf(g.run.Dir, c.Out); err != nil {
		return err
	}
	draft, err := c.draft(g)
	if err != nil {
		return err
	}
	if _, ok, err := g.check(draft.Document(), review.AwaitedRule); !ok {
		return err
	}
	if ok, err := g.current(); !ok {
		return err
	}
	if err := g.write(draft.Document()); err != nil {
		return err
	}
	if err := atomicfile.Create(c.Out, draft.Payload()); err != nil {
		return err
	}
	digest := canon.SHA256(draft.Payload())
	value := canon.Build(
		canon.Member{Name: "payload", Value: canon.NewString(c.Out)},
		canon.Member{Name: "payloadSha256", Value: canon.NewString(digest)},
		canon.Member{Name: "keyId", Value: canon.NewString(draft.KeyID())},
		canon.Member{Name: "signedAt", Value: canon.NewString(draft.SignedAt())},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "%s holds the bytes to sign with key %s (SHA-256 %s)\n", c.Out, draft.KeyID(), digest)
		fmt.Fprintf(w, "  hint: openssl pkeyutl -sign -rawin -inkey KEY -in PAYLOAD -out SIGNATURE, then finishline review attach --signature SIGNATURE\n")
	})
}

// draft settles key and time, or takes up what was settled before: the bytes
// that may be on their way to the signer stay the ones to sign.
func (c reviewPayloadCmd) draft(g *signing) (*review.Draft, error) {
	attestation := g.doc.Get("attestation")
	if attestation.IsObject() && !attestation.Has("signature") && (c.KeyID == "" || attestation.Get("keyId").Is(c.KeyID)) {
		return review.ResumeDraft(g.doc)
	}
	keyID := c.KeyID
	if keyID == "" {
		keys := g.store.KeysFor(g.doc)
		if len(keys) != 1 {
			return nil, &advisedError{fmt.Sprintf("%d active keys of the trust store may sign for this reviewer", len(keys)), keysAdvice(keys)}
		}
		keyID = keys[0].ID
	}
	return review.NewDraft(g.doc, keyID, g.s.now())
}

func keysAdvice(keys []review.Key) string {
	if len(keys) == 0 {
		return "have the reviewer's key enrolled (finishline trust add), or name another reviewer"
	}
	var names []string
	for _, key := range keys[:min(len(keys), maxShown)] {
		names = append(names, key.ID)
	}
	return "name one with --key-id: " + strings.Join(names, ", ")
}

// outsideOf refuses a file that would lie in the run's directory, or that is
// there already.
func outsideOf(dir, path string) error {
	real := resolved(path)
	if rel, err := filepath.Rel(resolved(dir), real); err == nil && filepath.IsLocal(rel) {
		return &advisedError{path + " would lie in the run's directory", "write it elsewhere: a new file in there changes the application that was proved"}
	}
	if _, err := os.Lstat(real); err == nil {
		return fmt.Errorf("%s: %w", path, atomicfile.ErrExists)
	}
	return nil
}

type reviewAttachCmd struct {
	reviewFileFlags
	Signature string `required:"" help:"The signature: 64 raw bytes, or their text in base64 or hexadecimal; - reads standard input." placeholder:"FILE"`
	outputFlags
}

func (reviewAttachCmd) Help() string {
	return `Puts a signature into a review that finishline review payload --out prepared. It must be that of the key which was named then, over exactly those bytes: pure Ed25519, no digest before. The review is only written when it verifies.

Examples:
  finishline review attach --signature signature.bin
  finishline review attach --signature signature.txt services/api`
}

func (c reviewAttachCmd) Run(s *session) error {
	g, err := s.openSigning(c.reviewFileFlags, c.outputFlags)
	if g == nil {
		return err
	}
	draft, err := review.ResumeDraft(g.doc)
	if err != nil {
		return err
	}
	if _, ok, err := g.check(draft.Document(), review.AwaitedRule); !ok {
		return err
	}
	if ok, err := g.current(); !ok {
		return err
	}
	key, found := g.store.ActiveKey(draft.KeyID())
	if !found {
		return fmt.Errorf("no active key %s in the trust store", verify.Quote(draft.KeyID()))
	}
	signature, err := c.signature(s)
	if err != nil {
		return err
	}
	signed, err := draft.Attach(key.Public, signature)
	if err != nil {
		return err
	}
	return g.finish(signed, draft)
}

func (c reviewAttachCmd) signature(s *session) ([]byte, error) {
	data, err := s.readInput(c.Signature)
	if err != nil {
		return nil, err
	}
	if len(data) > review.MaxSignatureFile {
		data = data[:review.MaxSignatureFile+1] // too long in any form
	}
	signature, err := review.ParseSignature(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Signature, err)
	}
	return signature, nil
}
