package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/sys/unix"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/internal/sshkey"
)

// Signing through an agent opens a Unix socket and no other.
func TestSigningAsksForNoInternetSocket(t *testing.T) {
	binary := sealedBinary(t)
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := example.Materialise(context.Background(), prog, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(run.Dir, "review/review.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxReview)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, canon.Pretty(canon.With(doc.Root, "attestation", canon.NewNull())), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "agent") // short: a socket's path has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("unix", dir+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: runtest.Key()}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, conn)
		}
	}()
	fingerprint := sshkey.Fingerprint(runtest.Key().Public().(ed25519.PublicKey))
	cmd := sealedCommand(t, "exec", binary, "review", "sign", "--stand-alone", "--yes", "--agent", fingerprint, run.Dir)
	cmd.Env = append(cmd.Env, envPin+"="+run.Pin, sshkey.SocketVariable+"="+dir+"/s")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("is signed with key "+runtest.ReviewerKeyID)) {
		t.Fatalf("signing under the filter: %v\n%s", err, out)
	}
}

// openPTY is a new pseudo-terminal: its far end, and the terminal.
func openPTY(t *testing.T) (far *os.File, near *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("this system has no pseudo-terminals:", err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	far = os.NewFile(uintptr(fd), "ptmx")
	near, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return far, near
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// readUntil reads what the terminal shows until it has shown a text.
func readUntil(t *testing.T, far *os.File, text string) string {
	t.Helper()
	var shown strings.Builder
	chunk := make([]byte, 256)
	for !strings.Contains(shown.String(), text) {
		n, err := far.Read(chunk)
		if err != nil {
			t.Fatalf("after %q: %v", shown.String(), err)
		}
		shown.Write(chunk[:n])
	}
	return shown.String()
}

// A passphrase is not shown while it is typed, and what is typed afterwards is.
func TestPassphraseIsNotShown(t *testing.T) {
	far, near := openPTY(t)
	c := console{near}
	type answer struct {
		line []byte
		err  error
	}
	answers := make(chan answer)
	go func() {
		line, err := c.askSecret(context.Background(), "passphrase: ")
		answers <- answer{line, err}
	}()
	shown := readUntil(t, far, "passphrase: ")
	if echoes(t, near) {
		t.Error("the terminal shows what is typed")
	}
	fmt.Fprint(far, "correct horse\n")
	a := <-answers
	shown += readUntil(t, far, "\n")
	if a.err != nil || string(a.line) != "correct horse" || strings.Contains(shown, "horse") {
		t.Errorf("read %q, %v; shown %q", a.line, a.err, shown)
	}
	if !echoes(t, near) {
		t.Error("the terminal does not show what is typed any more")
	}

	go func() {
		line, err := c.ask(context.Background(), "sign? ")
		answers <- answer{[]byte(line), err}
	}()
	shown = readUntil(t, far, "sign? ")
	fmt.Fprint(far, " y\n")
	if a := <-answers; a.err != nil || string(a.line) != "y" {
		t.Errorf("read %q, %v", a.line, a.err)
	}
	if shown += readUntil(t, far, "y"); !strings.Contains(shown, "sign?  y") {
		t.Errorf("shown %q", shown)
	}
}

// An interrupt ends the question at once, and leaves the terminal as it was.
func TestInterruptedPassphrase(t *testing.T) {
	far, near := openPTY(t)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := console{near}.askSecret(ctx, "passphrase: ")
		failed <- err
	}()
	readUntil(t, far, "passphrase: ")
	cancel()
	select {
	case err := <-failed:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the question goes on")
	}
	if !echoes(t, near) {
		t.Error("the terminal does not show what is typed any more")
	}
	fmt.Fprint(far, "\n") // lets the read that was left behind end
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", maxAnswer)
	for name, c := range map[string]struct{ in, want, rest string }{
		"a line":              {"secret\nrest", "secret", "rest"},
		"CRLF":                {"secret\r\n", "secret", ""},
		"without line feed":   {"secret", "secret", ""},
		"empty":               {"", "", ""},
		"spaces are kept":     {" se cret \n", " se cret ", ""},
		"as long as may be":   {long + "\n", long, ""},
		"one byte too many":   {long + "x\n", "", "\n"},
		"nothing but the end": {"\nrest", "", "rest"},
	} {
		r := strings.NewReader(c.in)
		line, err := readLine(context.Background(), r)
		rest := c.in[len(c.in)-r.Len():]
		if string(line) != c.want || rest != c.rest || (err != nil) != (name == "one byte too many") {
			t.Errorf("%s: read %q, left %q, %v", name, line, rest, err)
		}
	}
}
