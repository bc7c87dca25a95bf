package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// batch is one "git cat-file --batch" process: a request is a line, the answer is "<id> <type> <size>", the content and
// a line end. It is started at the first request and again after a request that had to be cut short.
type batch struct {
	start func() (*batchProcess, error)

	mu     sync.Mutex
	proc   *batchProcess
	closed bool
}

type batchProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr headBuffer

	mu     sync.Mutex
	reaped bool // its id may belong to someone else
}

// answer is what Git said about a name; nothing of it has been verified.
type answer struct {
	id, typ string
	data    []byte
}

func (r *Repo) startBatch() (*batchProcess, error) {
	p := new(batchProcess)
	// The process outlives the request that starts it; request ends it when a request takes too long.
	p.cmd = r.run.command(context.Background(), invocation{dir: r.dir, args: []string{"cat-file", "--batch"}})
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

// kill stops the process; it may be called at any time.
func (p *batchProcess) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = kill(p.cmd) // it may have ended by itself
	}
}

// end stops the process and waits for it.
func (p *batchProcess) end() {
	p.in.Close()
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Wait() // "killed" is all it could say
	p.reaped = true
}

// request asks for one name, which must hold no line end. The error is an *Error, or wraps ErrNotFound. Requests are
// answered one after the other, each within the bounds of contract 03 C.3.
func (b *batch) request(ctx context.Context, lim limits, name string) (answer, error) {
	const op = "git cat-file"
	if strings.ContainsAny(name, "\n\x00") || name == "" || len(name) > maxNameBytes {
		return answer{}, notFound(name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return answer{}, &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: "the repository was closed"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lim.timeout, errTimeout)
	defer cancel()
	if ctx.Err() != nil {
		return answer{}, failure(ctx, op, "", ctx.Err())
	}
	if b.proc == nil {
		p, err := b.start()
		if err != nil {
			return answer{}, failure(ctx, op, "", err)
		}
		b.proc = p
	}
	p := b.proc
	stop := context.AfterFunc(ctx, p.kill)
	a, err := p.exchange(name, lim.output)
	stopped := stop()
	if (err == nil || errors.Is(err, ErrNotFound)) && stopped {
		return a, err
	}
	// Whatever is left of the answer would be taken for the next one.
	b.proc = nil
	p.end()
	var e *Error
	if errors.As(err, &e) {
		return answer{}, err
	}
	if err == nil {
		err = ctx.Err()
	}
	// Git ended: it says why (an object that cannot be inflated, say) and so is no ExitError of ours.
	if f := failure(ctx, op, string(p.stderr.kept), err); f.Reason != Failed || len(p.stderr.kept) == 0 {
		return answer{}, f
	}
	return answer{}, &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: printable(string(p.stderr.kept)), Err: err}
}

func (p *batchProcess) exchange(name string, maxBytes int64) (answer, error) {
	if _, err := io.WriteString(p.in, name+"\n"); err != nil {
		return answer{}, err
	}
	header, err := readLine(p.out, len(name)+maxHeaderBytes)
	if err != nil {
		return answer{}, err
	}
	a, size, err := parseHeader(name, header)
	if err != nil {
		return answer{}, err
	}
	if size > maxBytes {
		return answer{}, &Error{Kind: Unavailable, Reason: TooLarge, Op: "git cat-file",
			Detail: fmt.Sprintf("object %s has %d bytes, more than %d", a.id, size, maxBytes)}
	}
	a.data = make([]byte, size+1)
	if _, err := io.ReadFull(p.out, a.data); err != nil {
		return answer{}, err
	}
	if a.data[size] != '\n' {
		return answer{}, malformed("git cat-file", "no line end after object %s", a.id)
	}
	a.data = a.data[:size:size]
	return a, nil
}

// maxNameBytes is the longest name that is looked up.
const maxNameBytes = 4096

// maxHeaderBytes is more than any answer line has besides the name: id, type, size or a word such as "missing".
const maxHeaderBytes = 128

// readLine reads up to and without a line end, at most limit bytes.
func readLine(r *bufio.Reader, limit int) (string, error) {
	var line []byte
	for len(line) <= limit {
		c, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return string(line), nil
		}
		line = append(line, c)
	}
	return "", malformed("git cat-file", "answer line longer than %d bytes", limit)
}

// parseHeader reads the answer line to the request name.
func parseHeader(name, line string) (answer, int64, error) {
	for _, word := range []string{" missing", " ambiguous"} {
		if line == name+word {
			return answer{}, 0, notFound(name)
		}
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 || !isID(fields[0]) || !isType(fields[1]) {
		return answer{}, 0, malformed("git cat-file", "answer %q", line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 || fields[2][0] == '+' {
		return answer{}, 0, malformed("git cat-file", "answer %q", line)
	}
	return answer{id: fields[0], typ: fields[1]}, size, nil
}

func isType(s string) bool {
	switch s {
	case TypeCommit, TypeTree, TypeBlob, TypeTag:
		return true
	}
	return false
}

// isID tells whether s is the lower-case text of an object id of either format.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// close ends the process for good.
func (b *batch) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.proc != nil {
		b.proc.end()
		b.proc = nil
	}
}
