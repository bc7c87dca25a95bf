package main

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/internal/sshkey"
	"finishline/packet"
	"finishline/review"
	"finishline/verify"
)

// storeArg is the store that a command writes.
type storeArg struct {
	Store string `arg:"" optional:"" default:"controls/review-trust.v1.json" help:"The trust store."`
	outputFlags
}

const editHelp = ` Prints the old pin, the new pin and what changed with its risk, and writes the store in one step or not at all. When ` + envPin + ` is set, the store must be the pinned one: nobody vouches for another. The new pin counts only once its operator has set it.`

type trustNewCmd struct {
	storeArg
	Description string `help:"Whose store this is, for people." placeholder:"TEXT"`
}

func (trustNewCmd) Help() string {
	return `Writes a store that holds no key, under which nothing passes yet. Never overwrites one.

Examples:
  finishline trust new
  finishline trust new --description "who may close runs of Lantern" .valdris-harness/controls/review-trust.v1.json`
}

func (c trustNewCmd) Run(s *session) error {
	edit, findings := review.NewStore(c.Store, c.Description)
	if edit == nil {
		return s.refuseStore(c.storeArg, nil, findings)
	}
	if err := os.MkdirAll(filepath.Dir(c.Store), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Create(c.Store, edit.Data); err != nil {
		return err
	}
	value := canon.Build(canon.Member{Name: "newPin", Value: canon.NewString(edit.New.Pin)})
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "new pin  %s\nno key may sign yet; finishline trust add enrols one\n", edit.New.Pin)
	})
}

type trustAddCmd struct {
	storeArg
	KeyID     string   `name:"key-id" required:"" help:"The name of the key in the store." placeholder:"ID"`
	PublicKey string   `name:"public-key" xor:"source" required:"" help:"The public key: a PEM file or an OpenSSH .pub file; - reads standard input." placeholder:"FILE"`
	SSHKey    string   `name:"ssh-key" xor:"source" required:"" help:"The public key: an OpenSSH line (ssh-ed25519 AAAA...)." placeholder:"LINE"`
	Agent     string   `xor:"source" required:"" help:"The public key: one that the ssh-agent holds, by its fingerprint." placeholder:"SHA256:..."`
	ActorID   []string `name:"actor-id" xor:"actor" required:"" help:"Who may sign with the key; repeat it for several." placeholder:"ID"`
	AnyActor  bool     `name:"any-actor" xor:"actor" required:"" help:"Let every reviewer sign with the key, whatever he is called."`
	ActorType []string `name:"actor-type" help:"What may sign with the key: agent, human or service; all of them unless given." placeholder:"TYPE"`
}

func (trustAddCmd) Help() string {
	return `Enrols a key that its owner handed over. Compare the fingerprint that is printed with the owner's: it is that of ssh-keygen -l. A key file among the evidence of a run is refused; whoever wrote the evidence would choose its judge.` + editHelp + `

Examples:
  finishline trust add --key-id release-2026 --public-key jonas.pub --actor-id jonas.weil --actor-type human
  finishline trust add --key-id release-2026 --agent SHA256:q5F... --actor-id jonas.weil`
}

func (c trustAddCmd) Run(s *session) error {
	public, err := c.public(s)
	if err != nil {
		return err
	}
	edit, err := s.editStore(c.storeArg, review.AddKey(review.Enrolment{
		KeyID: c.KeyID, Public: review.PublicKey(public),
		Actors: review.Restriction{ActorIDs: c.ActorID, ActorTypes: c.ActorType},
	}))
	if edit == nil {
		return err
	}
	fingerprint := sshkey.Fingerprint(public)
	value := canon.With(diffValue(edit.stores(), edit.Changes), "fingerprint", canon.NewString(fingerprint))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "enrolled %s  %s\n", c.KeyID, fingerprint)
		printDiff(w, edit.stores(), edit.Changes)
	})
}

// public is the key to enrol.
func (c trustAddCmd) public(s *session) (ed25519.PublicKey, error) {
	switch {
	case c.Agent != "":
		agent, err := sshkey.DialAgent(s.ctx, s.getenv(sshkey.SocketVariable))
		if err != nil {
			return nil, err
		}
		defer agent.Close()
		key, err := agent.Key(c.Agent)
		if err != nil {
			return nil, err
		}
		return key.Public(), nil
	case c.SSHKey != "":
		return sshkey.ParsePublic([]byte(c.SSHKey))
	}
	if c.PublicKey != "-" {
		if err := refuseEvidence(c.Store, c.PublicKey); err != nil {
			return nil, err
		}
	}
	data, err := s.readInput(c.PublicKey)
	if err != nil {
		return nil, err
	}
	defer clear(data) // in case it is the private half
	public, err := parsePublicKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.PublicKey, err)
	}
	return public, nil
}

// parsePublicKey reads a public key in either of its usual forms.
func parsePublicKey(data []byte) (ed25519.PublicKey, error) {
	if len(data) > sshkey.MaxFile || !bytes.HasPrefix(bytes.TrimSpace(data), []byte("-----BEGIN PUBLIC KEY-----")) {
		return sshkey.ParsePublic(data)
	}
	key, err := review.ParseStrictPublicKey(string(data))
	if err != nil {
		return nil, &sshkey.Error{Reason: err.Error(), Advice: "give what openssl pkey -pubout prints for an Ed25519 key, and nothing else"}
	}
	return key[:], nil
}

// refuseEvidence refuses a key file that lies among the evidence of the run
// whose target the store belongs to.
func refuseEvidence(store, key string) error {
	target, inTarget := strings.CutSuffix(filepath.ToSlash(resolved(store)), "/controls/review-trust.v1.json")
	target = strings.TrimSuffix(target, "/"+review.HarnessDir)
	file, below := strings.CutPrefix(filepath.ToSlash(resolved(key)), target+"/")
	if inTarget && below && packet.InNamespace(file) {
		return &review.EditError{
			Reason: key + " lies among the evidence of the run, and no key is ever enrolled from there",
			Advice: "get the public key from its owner by another way",
		}
	}
	return nil
}

// resolved is an absolute path whose links are followed, as far as it exists.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}

type trustRevokeCmd struct {
	KeyID string `arg:"" help:"The name of the key in the store."`
	storeArg
}

func (trustRevokeCmd) Help() string {
	return `A revoked key stays in the store, so that it cannot come back under its name; reviews that it signed do not verify under the new pin.` + editHelp + `

Examples:
  finishline trust revoke release-2026
  finishline trust revoke release-2026 .valdris-harness/controls/review-trust.v1.json`
}

func (c trustRevokeCmd) Run(s *session) error {
	return s.editAndPrint(c.storeArg, review.RevokeKey(c.KeyID))
}

type trustRestrictCmd struct {
	KeyID string `arg:"" help:"The name of the key in the store."`
	storeArg
	ActorID   []string `name:"actor-id" help:"The only ones who may sign with the key; as before unless given." placeholder:"ID"`
	ActorType []string `name:"actor-type" help:"What may sign with the key: agent, human or service; as before unless given." placeholder:"TYPE"`
}

func (trustRestrictCmd) Help() string {
	return `Replaces the lists of who may sign with a key by smaller ones. A list that would admit anybody new is refused.` + editHelp + `

Examples:
  finishline trust restrict release-2026 --actor-id jonas.weil
  finishline trust restrict release-2026 --actor-id jonas.weil --actor-id ines.maron --actor-type human`
}

func (c trustRestrictCmd) Run(s *session) error {
	if c.ActorID == nil && c.ActorType == nil {
		return usagef("name those who may still sign with --actor-id or --actor-type; finishline trust revoke takes a key from everybody")
	}
	return s.editAndPrint(c.storeArg, review.RestrictKey(c.KeyID, review.Restriction{ActorIDs: c.ActorID, ActorTypes: c.ActorType}))
}

// A storeEdit is a change that was written.
type storeEdit struct{ *review.StoreEdit }

func (e storeEdit) stores() [2]*review.Store { return [2]*review.Store{e.Old, e.New} }

func (s *session) editAndPrint(arg storeArg, change review.StoreChange) error {
	edit, err := s.editStore(arg, change)
	if edit == nil {
		return err
	}
	return s.print(arg.outputFlags, diffValue(edit.stores(), edit.Changes), func(w io.Writer) {
		printDiff(w, edit.stores(), edit.Changes)
	})
}

// editStore changes a store in its file. The edit is nil when nothing was
// written: the reasons are in a report that was printed, or in the error.
func (s *session) editStore(arg storeArg, change review.StoreChange) (*storeEdit, error) {
	if info, err := os.Lstat(arg.Store); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, so it is not replaced", arg.Store)
	}
	data, err := s.readInput(arg.Store)
	if err != nil {
		return nil, err
	}
	store, findings := review.ReadStore(arg.Store, data, verify.Strict)
	if pin := review.ParsePin(s.pin()); store != nil && pin.State() != review.PinMissing {
		pin.Report(findings)
		pin.ReportLive(findings, arg.Store, store)
	}
	if store == nil || findings.Errors() > 0 {
		return nil, s.refuseStore(arg, data, findings)
	}
	edit, findings, err := review.EditStore(arg.Store, store, change)
	if err != nil {
		return nil, err
	}
	if edit == nil {
		return nil, s.refuseStore(arg, data, findings)
	}
	if err := atomicfile.Replace(arg.Store, edit.Data); err != nil {
		return nil, err
	}
	return &storeEdit{edit}, nil
}

// refuseStore reports a store that breaks rules, as it is or as it would be.
func (s *session) refuseStore(arg storeArg, data []byte, findings *verify.Findings) error {
	report := storeReport(arg.Store, data, verify.Strict, findings)
	report.Notes = append(report.Notes, "nothing was written")
	return s.report(arg.outputFlags, report)
}
