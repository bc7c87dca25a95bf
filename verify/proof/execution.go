package proof

import (
	"fmt"
	"iter"
	"strconv"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Bounds of an execution (03 B.1), for verifier and producer.
const (
	MaxTimeoutMs   = 600_000
	MaxRepeat      = 20
	MinOutputBytes = 256
	MaxOutputBytes = 1 << 20
)

func itoa(n int) string { return strconv.Itoa(n) }

func (c check) execution(execution canon.Node) {
	if !execution.Get("shell").IsBool(false) {
		c.member("proof.execution.shell", execution, "shell", "false: the command is an argv, never a shell line")
	}
	if mode := execution.Get("mode"); !mode.Is(ModeGreen) && !mode.Is(ModeRedBaseline) {
		c.member("proof.execution.mode", execution, "mode", "green or red-baseline")
	}
	if !integerIn(execution.Get("timeoutMs"), 1, MaxTimeoutMs) {
		c.member("proof.execution.timeout", execution, "timeoutMs", fmt.Sprintf("an integer from 1 to %d", MaxTimeoutMs))
	}
	repeat := execution.Get("repeat")
	if !integerIn(repeat, 1, MaxRepeat) {
		c.member("proof.execution.repeat", execution, "repeat", fmt.Sprintf("an integer from 1 to %d", MaxRepeat))
	}
	bound := outputBound{}
	if maxOutput := execution.Get("maxOutputBytes"); integerIn(maxOutput, MinOutputBytes, MaxOutputBytes) {
		f, _ := maxOutput.Integer()
		bound = outputBound{int(f), true}
	} else {
		c.member("proof.execution.max-output", execution, "maxOutputBytes", fmt.Sprintf("an integer from %d to %d", MinOutputBytes, MaxOutputBytes))
	}
	attempts := execution.At("attempts")
	if !attempts.IsArray() || !isNumber(repeat, attempts.Len()) {
		c.fail("proof.execution.attempts", attempts, "an array of exactly execution.repeat attempts")
	}
	for i, attempt := range examined(attempts) {
		c.attempt(i, attempt, bound)
	}
}

// MaxExamined is how many attempts are looked at one by one. No more than
// MaxRepeat can be valid: a longer list is refused whatever is in it.
const MaxExamined = 50 * MaxRepeat

func examined(attempts canon.Node) iter.Seq2[int, canon.Node] {
	if elems := attempts.Elems(); len(elems) > MaxExamined {
		attempts.Value = canon.NewArray(elems[:MaxExamined]...)
	}
	return elements(attempts)
}

// outputBound is maxOutputBytes, where that is known.
type outputBound struct {
	bytes int
	known bool
}

func (c check) attempt(i int, attempt canon.Node, bound outputBound) {
	if !attempt.IsObject() {
		c.fail("proof.attempt.object", attempt, "an object")
		return
	}
	if !isNumber(attempt.Get("index"), i+1) {
		c.member("proof.attempt.index", attempt, "index", itoa(i+1)+", the position in the list")
	}
	if exit := attempt.Get("exitCode"); !isInteger(exit) && !exit.IsNull() {
		c.member("proof.attempt.exit-code", attempt, "exitCode", "an integer or null")
	}
	if signal := attempt.Get("signal"); !isString(signal) && !signal.IsNull() {
		c.member("proof.attempt.signal", attempt, "signal", "a string or null")
	}
	if _, ok := attempt.Get("timedOut").Bool(); !ok {
		c.member("proof.attempt.timed-out", attempt, "timedOut", "true or false")
	}
	if spawn := attempt.Get("spawnError"); !isString(spawn) && !spawn.IsNull() {
		c.member("proof.attempt.spawn-error", attempt, "spawnError", "a string or null")
	}
	if ms, ok := attempt.Get("durationMs").Integer(); !ok || ms < 0 {
		c.member("proof.attempt.duration", attempt, "durationMs", "an integer of at least 0")
	}
	c.stream(attempt.At("stdout"), bound)
	c.stream(attempt.At("stderr"), bound)
}

func isInteger(v canon.Value) bool { _, ok := v.Integer(); return ok }

func isString(v canon.Value) bool { return v.Kind() == canon.String }

// stream checks what an attempt printed on one stream. A text's length is that
// of its UTF-8; an unpaired surrogate counts three bytes, as U+FFFD does.
func (c check) stream(stream canon.Node, bound outputBound) {
	output, ok := stream.Get("text").Str()
	if !ok {
		c.fail("proof.attempt.stream", stream, "an object with a string text")
		return
	}
	if want := canon.TextDigest(output); !stream.Get("sha256").Is(want) {
		c.tell("proof.attempt.stream-digest", stream.At("sha256"), func() verify.What {
			return verify.What{Found: verify.Show(stream.Get("sha256")), Expected: want + ", the digest of text", Hint: streamHint(stream, want)}
		})
	}
	if bound.known && len(output) > bound.bytes {
		c.tell("proof.attempt.stream-bound", stream.At("text"), func() verify.What {
			return verify.What{Found: fmt.Sprintf("%d bytes", len(output)), Expected: fmt.Sprintf("at most %d, as execution.maxOutputBytes says", bound.bytes)}
		})
	}
	if !isNumber(stream.Get("persistedBytes"), len(output)) {
		c.member("proof.attempt.stream-persisted", stream, "persistedBytes", fmt.Sprintf("%d, the length of text in bytes", len(output)))
	}
}

// streamHint explains a mismatch that is a matter of spelling or of line ends.
func streamHint(stream canon.Node, want string) string {
	stated := stream.Get("sha256").Text()
	if hint := bindingHint(stream.Get("sha256"), want); hint != "" {
		return hint
	}
	if canon.IsHex64(stated) && evidence.LineEndHint([]byte(stream.Get("text").Text()), stated) != "" {
		return "the digest is that of the same text with the other line ends; something rewrote LF and CRLF inside the document"
	}
	return ""
}
