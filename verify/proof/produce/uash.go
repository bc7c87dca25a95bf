package produce

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"time"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
	"finishline/verify/proof"
)

const (
	// TailUnits is how much of a stream a command result quotes, in UTF-16
	// units (03 A).
	TailUnits = 6000
	// tailWindow is how much of the end of a stream is redacted to quote from
	// it, in bytes.
	tailWindow = 1 << 20
	// MaxCommandOutput is how much a command may print on a stream; one that
	// prints more is ended and has failed.
	MaxCommandOutput = 64 << 20
)

// WriteOptions say what [Write] is to run and record.
type WriteOptions struct {
	RunID    string   // "" for a proof that names no run
	Summary  string   // "" for a sentence that counts the commands
	Output   string   // artifact path of the proof, which must not exist
	Commands []string // each a line for the platform's shell
}

func (o WriteOptions) check() error {
	if o.RunID != "" {
		if err := identifier("--run-id", o.RunID); err != nil {
			return err
		}
	}
	if o.Summary != "" && (canon.Trim(o.Summary) == "" || secret.InText(o.Summary)) {
		return wrong("--summary", "must be a text that is not blank and does not read like a secret")
	}
	if err := output(o.Output); err != nil {
		return err
	}
	if len(o.Commands) == 0 {
		return wrong("the command", "is missing: write each command as one argument")
	}
	for _, c := range o.Commands {
		if err := command([]string{c}); err != nil {
			return err
		}
		if canon.Trim(c) == "" {
			return wrong("the command", "is blank")
		}
	}
	return nil
}

// A Written is what [Write] produced.
type Written struct {
	Artifact string // path relative to the directory, with /
	Commands int
	Failed   int // how many did not end with exit code 0
}

// Passed reports whether the file is a proof: whether every command passed.
func (w *Written) Passed() bool { return w.Failed == 0 }

// Write runs commands one after the other, a failing one or not, and writes the
// bridge's proof uash.proof.v1 (03 A). The error is an [*OptionError] for wrong
// options, else a [*Refusal]; then nothing was written.
func Write(ctx context.Context, sys System, opts WriteOptions) (*Written, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	environ := variables(sys.Environ)
	r := redactorOf(environ, nil, nil, nil)
	if r.discloses(opts.RunID) || r.discloses(opts.Output) {
		return nil, wrong("--run-id or --output", "holds the value of a secret")
	}
	written, err := sys.write(ctx, opts, environ, r)
	return written, r.refusal(ctx, err)
}

func (s System) write(ctx context.Context, opts WriteOptions, environ []variable, r redactor) (*Written, error) {
	target, err := openOutput(s.Dir, opts.Output)
	if err != nil {
		return nil, err
	}
	s.Dir = target.dir
	last := s.Now()
	now := func() time.Time { // never earlier than before
		if t := last.Add(s.Now().Sub(last)); t.After(last) {
			last = t
		}
		return last
	}
	written := &Written{Artifact: target.path, Commands: len(opts.Commands)}
	var results []canon.Value
	for i, line := range opts.Commands {
		s.started(i+1, len(opts.Commands))
		result, passed, err := s.result(ctx, line, environ, r, now)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
		if !passed {
			written.Failed++
		}
	}
	data, err := checkedUASH(bridgeProof(opts, written, results, r, now()), target.path, opts.RunID, written.Passed())
	if err != nil {
		return nil, err
	}
	if err := target.create(data); err != nil {
		return nil, err
	}
	return written, nil
}

// result runs one command and describes it.
func (s System) result(ctx context.Context, line string, environ []variable, r redactor, now func() time.Time) (result canon.Value, passed bool, err error) {
	c := shell(line, environ)
	digest := sha256.New()
	stdout, stderr := &tail{digest: digest}, &chunks{}
	c.Dir, c.Env, c.Stdout, c.Stderr = s.Dir, s.Environ, stdout, stderr
	started := now()
	e, err := s.Exec(ctx, c)
	if err != nil {
		return canon.Value{}, false, err
	}
	digest.Write([]byte("\n--- STDERR ---\n"))
	for _, chunk := range stderr.list {
		digest.Write(chunk)
	}
	exit := canon.NewNull()
	if e.Exited && e.Failure == "" {
		exit = canon.NewNumber(float64(e.Code))
	}
	last := stderr.last(tailWindow)
	return canon.Build(
		text("command", r.text(line)),
		member("exitCode", exit),
		text("startedAt", stamp(started)),
		text("completedAt", stamp(now())),
		text("outputDigest", "sha256:"+hex.EncodeToString(digest.Sum(nil))),
		text("stdoutTail", r.tail(stdout.data, stdout.size > len(stdout.data), e.Cut)),
		text("stderrTail", r.tail(last, len(last) < stderr.size, e.Cut)),
	), !exit.IsNull() && e.Code == 0, nil
}

// tail redacts the end of a stream and cuts it to its bound. What may be half a
// secret at an end that is not the stream's own is dropped first.
func (r redactor) tail(data []byte, noStart, cut bool) string {
	s := canon.DecodeUTF8(data)
	if noStart {
		s = secret.DropUnsafeStart(s, r.known...)
	}
	if cut {
		s = secret.DropUnsafeEnd(s, r.known...)
	}
	return secret.Tail(r.text(s), TailUnits)
}

// A tail digests a stream and keeps its end.
type tail struct {
	digest hash.Hash
	data   []byte
	size   int
}

func (t *tail) Write(p []byte) (int, error) {
	fits := min(len(p), MaxCommandOutput-t.size)
	t.size += fits
	t.digest.Write(p[:fits])
	t.data = append(t.data, p[:fits]...)
	if len(t.data) > 2*tailWindow {
		t.data = t.data[:copy(t.data, t.data[len(t.data)-tailWindow:])]
	}
	if fits < len(p) {
		return fits, ErrEnough
	}
	return fits, nil
}

func bridgeProof(opts WriteOptions, w *Written, results []canon.Value, r redactor, now time.Time) canon.Value {
	status, summary := "passed", r.text(opts.Summary)
	if !w.Passed() {
		status = "failed"
	}
	if summary == "" {
		summary = fmt.Sprintf("%d of %d commands passed", w.Commands-w.Failed, w.Commands)
	}
	members := []canon.Member{text("schema", proof.UASHSchema), text("generatedAt", stamp(now))}
	if opts.RunID != "" {
		members = append(members, text("runId", opts.RunID))
	}
	members = append(members, text("status", status), text("summary", summary), member("commands", canon.NewArray(results...)))
	return canon.Build(members...)
}

// sayFailed are the rules that a document breaks by saying that a command failed
// and in no other way.
var sayFailed = map[string]bool{"uash-proof.status": true, "uash-proof.command.nonzero": true, "uash-proof.command.exit-code": true}

// checkedUASH is the text of a proof of the bridge, which its verifier has
// accepted at strict level, but for what a failed run says.
func checkedUASH(doc canon.Value, path, runID string, passed bool) ([]byte, error) {
	data := canon.Pretty(doc)
	_, findings := proof.ReadUASH(data, path, verify.Strict, proof.Options{RunID: runID})
	var against []verify.Finding
	for _, f := range findings.List() {
		if passed || !sayFailed[f.Rule] {
			against = append(against, f)
		}
	}
	if err := invalid("the proof", against); err != nil {
		return nil, err
	}
	return data, nil
}

// chunkSize is the size of the pieces in which chunks keeps a stream.
const chunkSize = 1 << 20

// chunks keeps a stream whole, up to MaxCommandOutput, in pieces, so that it
// never needs room for two copies. It is for the stream that is digested after
// the other one.
type chunks struct {
	list [][]byte
	size int
}

// Write answers ErrEnough once something does not fit.
func (c *chunks) Write(p []byte) (int, error) {
	fits := min(len(p), MaxCommandOutput-c.size)
	for rest := p[:fits]; len(rest) > 0; {
		if n := len(c.list); n == 0 || len(c.list[n-1]) == cap(c.list[n-1]) {
			c.list = append(c.list, make([]byte, 0, min(chunkSize, max(len(rest), 4<<10))))
		}
		end := &c.list[len(c.list)-1]
		n := min(len(rest), cap(*end)-len(*end))
		*end = append(*end, rest[:n]...)
		rest = rest[n:]
	}
	c.size += fits
	if fits < len(p) {
		return fits, ErrEnough
	}
	return fits, nil
}

// last is the end of the stream, at most n bytes.
func (c *chunks) last(n int) []byte {
	var end []byte
	for i := len(c.list) - 1; i >= 0 && len(end) < n; i-- {
		end = append(bytes.Clone(c.list[i]), end...)
	}
	return end[max(0, len(end)-n):]
}
