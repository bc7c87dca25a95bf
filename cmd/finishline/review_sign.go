package main

import (
	"fmt"
	"io"
	"os"

	"finishline/canon"
	"finishline/internal/sshkey"
	"finishline/review"
)

// signerFlags say whose key signs. A passphrase comes from the terminal or from
// a file descriptor, never from an argument or the environment.
type signerFlags struct {
	Key          string `xor:"signer" required:"" help:"Sign with this private key file: OpenSSH, encrypted or not, or unencrypted PKCS#8 PEM." placeholder:"FILE"`
	Agent        string `xor:"signer" required:"" help:"Sign with the key of this fingerprint that the ssh-agent holds." placeholder:"SHA256:..."`
	PassphraseFD int    `name:"passphrase-fd" default:"-1" help:"Read the passphrase of the key file from this file descriptor, up to a line feed or the end; asked on the terminal unless given." placeholder:"N"`
}

type reviewSignCmd struct {
	reviewFileFlags
	signerFlags
	askFlags
}

func (reviewSignCmd) Help() string {
	return `Signs a review of finishline review new, once its reviewer has decided. Everything but the signature is verified before anything is asked, at strict level; what is signed is shown, with the digest of its bytes. The key must be an active one of the pinned trust store that admits the reviewer. The review is only written when it verifies.

That the review is bound to the run as it is now is checked too; --stand-alone leaves that out.

Examples:
  finishline review sign --key ~/.ssh/id_ed25519
  finishline review sign --agent "$(ssh-keygen -lf jonas.pub | cut -d' ' -f2)" services/api
  finishline review sign --key signer.key --passphrase-fd 3 --yes 3< passphrase`
}

func (c reviewSignCmd) Run(s *session) error {
	g, err := s.openSigning(c.reviewFileFlags, c.outputFlags)
	if g == nil {
		return err
	}
	key, err := c.open(s)
	if err != nil {
		return err
	}
	defer key.close()
	enrolled, err := g.enrolled(key)
	if err != nil {
		return err
	}
	draft, err := review.NewDraft(g.doc, enrolled.ID, s.now())
	if err != nil {
		return err
	}
	warnings, ok, err := g.check(draft.Document(), review.AwaitedRule)
	if !ok {
		return err
	}
	if ok, err := g.current(); !ok {
		return err
	}
	show := func(w io.Writer) { printSigning(w, g, draft, enrolled, warnings) }
	if err := c.confirm(s, show, "sign this with key "+enrolled.ID+"?"); err != nil {
		return err
	}
	if err := key.unlock(s, c.PassphraseFD); err != nil {
		return err
	}
	signed, err := draft.Sign(enrolled.Public, key)
	if err != nil {
		return err
	}
	return g.finish(signed, draft)
}

// finish verifies the signed review and writes it.
func (g *signing) finish(signed canon.Value, draft *review.Draft) error {
	if _, ok, err := g.check(signed); !ok {
		return err
	}
	if err := g.write(signed); err != nil {
		return err
	}
	digest := canon.SHA256(draft.Payload())
	value := canon.Build(
		canon.Member{Name: "review", Value: canon.NewString(g.path)},
		canon.Member{Name: "keyId", Value: canon.NewString(draft.KeyID())},
		canon.Member{Name: "signedAt", Value: canon.NewString(draft.SignedAt())},
		canon.Member{Name: "payloadSha256", Value: canon.NewString(digest)},
	)
	return g.s.print(g.out, value, func(w io.Writer) {
		fmt.Fprintf(w, "%s is signed with key %s (payload %s)\n", g.path, draft.KeyID(), digest)
	})
}

// A heldKey is the key that is to sign, not unlocked yet.
type heldKey struct {
	review.Signer
	file  *sshkey.KeyFile // nil when an agent holds it
	path  string
	close func() error
}

func (f signerFlags) open(s *session) (*heldKey, error) {
	if f.Agent != "" {
		agent, err := sshkey.DialAgent(s.ctx, s.getenv(sshkey.SocketVariable))
		if err != nil {
			return nil, err
		}
		key, err := agent.Key(f.Agent)
		if err != nil {
			agent.Close()
			return nil, err
		}
		return &heldKey{Signer: key, close: agent.Close}, nil
	}
	if f.Key == "-" {
		return nil, usagef("a private key is never read from standard input; give its file")
	}
	data, err := s.readInput(f.Key)
	if err != nil {
		return nil, err
	}
	file, err := sshkey.ParseKeyFile(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Key, err)
	}
	return &heldKey{Signer: file, file: file, path: f.Key, close: func() error { file.Close(); return nil }}, nil
}

// passphraseTries is how often a passphrase is asked for on a terminal.
const passphraseTries = 3

// unlock gets the passphrase of an encrypted key file. When nobody can give
// one, it says so at once.
func (k *heldKey) unlock(s *session, fd int) error {
	if k.file == nil || !k.file.Encrypted() {
		return nil
	}
	if fd >= 0 {
		return k.unlockFrom(s, fd)
	}
	c, err := openConsole()
	if err != nil {
		return &advisedError{k.path + " is encrypted, and " + err.Error() + " to ask for its passphrase",
			"give --passphrase-fd N, or hold the key in an ssh-agent and give --agent"}
	}
	defer c.Close()
	for try := 1; ; try++ {
		passphrase, err := c.askSecret(s.ctx, "passphrase of "+k.path+": ")
		if err != nil {
			return err
		}
		err = k.file.Unlock(passphrase)
		clear(passphrase)
		if err == nil || try == passphraseTries {
			return err
		}
		fmt.Fprintln(c, err)
	}
}

// unlockFrom reads the passphrase from a file descriptor that the caller
// opened for it.
func (k *heldKey) unlockFrom(s *session, fd int) error {
	f := os.NewFile(uintptr(fd), "--passphrase-fd")
	if f == nil {
		return usagef("--passphrase-fd %d is no file descriptor", fd)
	}
	defer f.Close()
	passphrase, err := readLine(s.ctx, f)
	defer clear(passphrase)
	if err != nil {
		return fmt.Errorf("passphrase from file descriptor %d: %w", fd, err)
	}
	return k.file.Unlock(passphrase)
}
