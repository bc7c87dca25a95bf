package sshkey

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"net"
	"regexp"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// SocketVariable is the environment variable in which ssh-agent says where it
// listens. Only cmd reads it.
const SocketVariable = "SSH_AUTH_SOCK"

const (
	// listTimeout is how long an agent may take to say what it holds.
	listTimeout = 10 * time.Second
	// agentPayload is what OpenSSH's agent takes in one message, less what
	// surrounds the payload.
	agentPayload = 256<<10 - 1<<10
)

// An Agent is a connection to an ssh-agent.
type Agent struct {
	ctx  context.Context
	conn net.Conn
	stop func() bool
	keys agent.Agent
}

// DialAgent connects to the agent that listens on a Unix socket. When the
// context ends, so does whatever waits for the agent. The error is an *Error.
func DialAgent(ctx context.Context, socket string) (*Agent, error) {
	const advice = "start one (eval \"$(ssh-agent)\"; ssh-add KEY), or sign with --key FILE"
	if socket == "" {
		return nil, &Error{"no ssh-agent: " + SocketVariable + " is not set", advice}
	}
	conn, err := (&net.Dialer{Timeout: listTimeout}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, &Error{"no ssh-agent answers at " + SocketVariable, advice}
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return &Agent{ctx: ctx, conn: conn, stop: stop, keys: agent.NewClient(connOnly{conn})}, nil
}

// connOnly hides that the connection can be closed: the client then speaks in
// turn and starts no goroutine.
type connOnly struct{ conn net.Conn }

func (c connOnly) Read(p []byte) (int, error)  { return c.conn.Read(p) }
func (c connOnly) Write(p []byte) (int, error) { return c.conn.Write(p) }

// Close ends the connection.
func (a *Agent) Close() error {
	a.stop()
	return a.conn.Close()
}

// fingerprintForm is what ssh-keygen -l prints for a key.
var fingerprintForm = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)

// Key finds the Ed25519 key with a fingerprint of the form of [Fingerprint].
// The error is an *Error, or that of the context.
func (a *Agent) Key(fingerprint string) (*AgentKey, error) {
	if !fingerprintForm.MatchString(fingerprint) {
		return nil, &Error{"not the fingerprint of a key", "ssh-add -l lists what the agent holds; the fingerprint is the word that starts with SHA256:"}
	}
	list, err := a.list()
	if err != nil {
		return nil, err
	}
	for _, held := range list {
		if ssh.FingerprintSHA256(held) != fingerprint {
			continue
		}
		key, err := ssh.ParsePublicKey(held.Blob)
		if err != nil {
			return nil, &Error{"the agent's key with that fingerprint cannot be read", adviceAgentKey}
		}
		public, ok := ed25519Of(key)
		if !ok {
			return nil, &Error{"the agent's key with that fingerprint is no plain Ed25519 key", adviceAgentKey}
		}
		return &AgentKey{agent: a, key: key, public: public}, nil
	}
	return nil, &Error{fmt.Sprintf("none of the %d keys of the agent has that fingerprint", len(list)),
		"ssh-add -l lists what the agent holds; a locked agent (ssh-add -x) shows nothing"}
}

// list asks the agent what it holds. Like all it says, the answer is bounded by
// the client, to 16 MiB.
func (a *Agent) list() ([]*agent.Key, error) {
	ctx, cancel := context.WithTimeout(a.ctx, listTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { a.conn.Close() })()
	list, err := a.keys.List()
	switch {
	case err == nil:
		return list, nil
	case a.ctx.Err() == nil && ctx.Err() != nil:
		return nil, a.trouble("did not say in time what it holds")
	}
	return nil, a.trouble("did not say what it holds")
}

const adviceAgentKey = "reviews are signed with ssh-ed25519 keys; keys in security tokens (sk-) sign other bytes"

// trouble says that the agent gave no answer. What it did say is not repeated:
// it comes from another program.
func (a *Agent) trouble(what string) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	return &Error{"the agent " + what, "check it with ssh-add -l; the agent may be locked, or its owner refused"}
}

// An AgentKey is a key that an agent holds.
type AgentKey struct {
	agent  *Agent
	key    ssh.PublicKey
	public ed25519.PublicKey
}

// Public is the public half.
func (k *AgentKey) Public() ed25519.PublicKey { return k.public }

// Sign has the agent sign the payload, and checks that what comes back is the
// plain Ed25519 signature over exactly these bytes. There is no time limit,
// because an agent may ask its owner (ssh-add -c); the context ends the wait.
func (k *AgentKey) Sign(payload []byte) ([]byte, error) {
	if len(payload) > agentPayload {
		return nil, &Error{fmt.Sprintf("the payload of %d bytes is more than an agent takes", len(payload)),
			"sign with --key FILE, or with finishline review payload and attach"}
	}
	signature, err := k.agent.keys.Sign(k.key, payload)
	if err != nil {
		return nil, k.agent.trouble("did not sign")
	}
	if signature.Format != ssh.KeyAlgoED25519 || len(signature.Rest) != 0 {
		return nil, errNotOurs
	}
	return checked(k.public, payload, signature.Blob)
}
