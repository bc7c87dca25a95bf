package sshkey

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// serve answers at a Unix socket with an agent, and returns its path.
func serve(t *testing.T, a agent.Agent) string {
	t.Helper()
	return listen(t, func(conn net.Conn) { agent.ServeAgent(a, conn) })
}

func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sshkey") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return socket
}

func keyring(t *testing.T, keys ...any) agent.Agent {
	t.Helper()
	ring := agent.NewKeyring()
	for _, key := range keys {
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	return ring
}

func dial(t *testing.T, socket string) *Agent {
	t.Helper()
	a, err := DialAgent(context.Background(), socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestAgentSigns(t *testing.T) {
	key := testKey(1)
	a := dial(t, serve(t, keyring(t, ecdsaKey(t), testKey(2), key)))
	held, err := a.Key(Fingerprint(publicOf(key)))
	if err != nil {
		t.Fatal(err)
	}
	payload := []byte(`{"canonical":"bytes"}`)
	for range 2 { // the connection stays usable
		signature, err := held.Sign(payload)
		if err != nil {
			t.Fatal(err)
		}
		if !held.Public().Equal(publicOf(key)) || !bytes.Equal(signature, ed25519.Sign(key, payload)) {
			t.Errorf("signature %x is not that of RFC 8032", signature)
		}
	}
}

func TestAgentKeyThatCannotBeUsed(t *testing.T) {
	ec := ecdsaKey(t)
	public, err := ssh.NewPublicKey(&ec.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	locked := keyring(t, testKey(1))
	if err := locked.Lock([]byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		agent       agent.Agent
		fingerprint string
		reason      string
	}{
		{"another algorithm", keyring(t, ec), ssh.FingerprintSHA256(public), "no plain Ed25519 key"},
		{"not held", keyring(t, testKey(1)), Fingerprint(publicOf(testKey(2))), "none of the 1 keys"},
		{"empty agent", keyring(t), Fingerprint(publicOf(testKey(1))), "none of the 0 keys"},
		{"locked agent", locked, Fingerprint(publicOf(testKey(1))), "none of the 0 keys"},
		{"a comment instead", keyring(t, testKey(1)), "ada@desk", "not the fingerprint"},
		{"an MD5 fingerprint", keyring(t, testKey(1)), "MD5:00:11:22", "not the fingerprint"},
		{"nothing", keyring(t, testKey(1)), "", "not the fingerprint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := dial(t, serve(t, c.agent)).Key(c.fingerprint)
			mustRefuse(t, err, c.reason)
		})
	}
}

// A liar is an agent whose signatures are not what was asked for.
type liar struct {
	agent.Agent
	sign func(key ssh.PublicKey, data []byte) (*ssh.Signature, error)
}

func (l liar) SignWithFlags(key ssh.PublicKey, data []byte, _ agent.SignatureFlags) (*ssh.Signature, error) {
	return l.sign(key, data)
}
func (l liar) Sign(key ssh.PublicKey, data []byte) (*ssh.Signature, error) { return l.sign(key, data) }
func (l liar) Extension(string, []byte) ([]byte, error)                    { return nil, agent.ErrExtensionUnsupported }

func TestAgentThatSignsSomethingElse(t *testing.T) {
	key := testKey(1)
	honest := keyring(t, key)
	payload := []byte("the payload")
	good := ed25519.Sign(key, payload)
	plain := func(blob []byte) *ssh.Signature { return &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: blob} }
	for _, c := range []struct {
		name    string
		answer  *ssh.Signature
		succeed bool
	}{
		{"the right signature", plain(good), true},
		{"of other bytes", plain(ed25519.Sign(key, append(payload, '\n'))), false},
		{"of the digest", plain(ed25519.Sign(key, []byte("sha256"))), false},
		{"of another key", plain(ed25519.Sign(testKey(2), payload)), false},
		{"cut short", plain(good[:63]), false},
		{"with a byte more", plain(append(bytes.Clone(good), 0)), false},
		{"empty", plain(nil), false},
		{"under another name", &ssh.Signature{Format: "sk-ssh-ed25519@openssh.com", Blob: good}, false},
		{"with something after it", &ssh.Signature{Format: ssh.KeyAlgoED25519, Blob: good, Rest: []byte{1}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := dial(t, serve(t, liar{honest, func(ssh.PublicKey, []byte) (*ssh.Signature, error) { return c.answer, nil }}))
			held, err := a.Key(Fingerprint(publicOf(key)))
			if err != nil {
				t.Fatal(err)
			}
			signature, err := held.Sign(payload)
			if (err == nil) != c.succeed || c.succeed != (signature != nil) {
				t.Errorf("signature %x, error %v", signature, err)
			}
		})
	}
}

func TestAgentThatRefuses(t *testing.T) {
	a := dial(t, serve(t, liar{keyring(t, testKey(1)), func(ssh.PublicKey, []byte) (*ssh.Signature, error) {
		return nil, errors.New("the owner said no")
	}}))
	held, err := a.Key(Fingerprint(publicOf(testKey(1))))
	if err != nil {
		t.Fatal(err)
	}
	_, err = held.Sign([]byte("x"))
	mustRefuse(t, err, "did not sign")
	_, err = held.Sign(make([]byte, agentPayload+1))
	mustRefuse(t, err, "more than an agent takes")
}

func TestAgentThatIsNone(t *testing.T) {
	_, err := DialAgent(context.Background(), "")
	mustRefuse(t, err, SocketVariable+" is not set")
	_, err = DialAgent(context.Background(), filepath.Join(t.TempDir(), "gone"))
	mustRefuse(t, err, "no ssh-agent answers")

	hangsUp := dial(t, listen(t, func(net.Conn) {}))
	_, err = hangsUp.Key(Fingerprint(publicOf(testKey(1))))
	mustRefuse(t, err, "did not say")

	babbles := dial(t, listen(t, func(conn net.Conn) { conn.Write(bytes.Repeat([]byte{0xFF}, 64)) }))
	_, err = babbles.Key(Fingerprint(publicOf(testKey(1))))
	mustRefuse(t, err, "did not say")
}

func TestInterruptEndsTheWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	reached := make(chan struct{})
	socket := serve(t, liar{keyring(t, testKey(1)), func(ssh.PublicKey, []byte) (*ssh.Signature, error) {
		close(reached)
		<-ctx.Done() // a person who does not answer
		time.Sleep(time.Second)
		return nil, errors.New("late")
	}})
	a, err := DialAgent(ctx, socket)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	held, err := a.Key(Fingerprint(publicOf(testKey(1))))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-reached
		cancel()
	}()
	if _, err := held.Sign([]byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
