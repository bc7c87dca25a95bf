package proof

import (
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// graceMs is how much longer than its time limit an attempt may have taken
// (strict.proof.duration).
const graceMs = 60_000

// strict checks what strict level adds to B.7. Each rule looks at members of
// the right type only; the others are the business of a base rule.
func (c check) strict(root canon.Node) {
	if _, ok := canon.TimestampOf(root.Get("generatedAt")); !ok {
		c.member("strict.proof.generated-at", root, "generatedAt", expectTimestamp)
	}
	if host := root.At("host"); host.Present() && !host.IsObject() {
		c.fail("strict.proof.host-object", host, "an object")
	}
	if commit := root.At("run").At("commit"); canon.HasUpperHex(commit.Text()) {
		c.fail("strict.proof.commit-lower-case", commit, "lower-case hexadecimal digits")
	}
	c.strictMembers(root)
	c.strictDigests(root)
	c.strictCommand(root.At("command"))
	c.strictExecution(root.At("execution"))
	c.strictSource(root)
}

const expectTimestamp = "a timestamp such as 2026-04-02T08:30:00.000Z"

// strictMembers refuses what B.1 does not list. host is open, and the sets of
// executionInputs and causal inputs are exact at base level.
func (c check) strictMembers(root canon.Node) {
	const rule = "strict.proof.unknown-field"
	execution := root.At("execution")
	c.onlyMembers(rule, root, documentMembers)
	c.onlyMembers(rule, root.At("run"), runMembers)
	c.onlyMembers(rule, root.At("command"), commandMembers)
	c.onlyMembers(rule, execution, executionMembers)
	for _, attempt := range examined(execution.At("attempts")) {
		c.onlyMembers(rule, attempt, attemptMembers)
		c.onlyMembers(rule, attempt.At("stdout"), streamMembers)
		c.onlyMembers(rule, attempt.At("stderr"), streamMembers)
	}
	c.onlyMembers(rule, root.At("source"), sourceMembers)
	c.onlyMembers(rule, root.At("outcome"), outcomeMembers)
	c.onlyMembers(rule, root.At("bindings"), bindingsMembers)
}

// onlyMembers reports every member of an object that a list does not have.
func (c check) onlyMembers(rule string, at canon.Node, names []string) {
	for _, m := range at.Members() {
		if !slices.Contains(names, m.Name) {
			c.tell(rule, at, func() verify.What {
				return verify.What{Found: "a member " + verify.Quote(m.Name), Expected: "only " + strings.Join(names, ", ")}
			})
		}
	}
}

// strictDigests covers the members that hold digests of the pattern of 01 §3;
// stream digests and bindings are compared exactly by base rules.
func (c check) strictDigests(root canon.Node) {
	source := root.At("source")
	members := []canon.Node{
		root.At("command").At("executionInputs").At("allowlistedEnvironmentSha256"),
		source.At("gitTreeSha256"),
	}
	for _, name := range sourceDigests {
		members = append(members, source.At(name))
	}
	evidence.StrictDigests(c.out, c.path, members...)
	for _, entry := range elements(root.At("causalInputs")) {
		if c.out.Full("strict.digest.non-string") && c.out.Full("strict.digest.upper-case") {
			return
		}
		for _, name := range []string{"beforeSha256", "afterSha256"} {
			if entry.Has(name) {
				evidence.StrictDigests(c.out, c.path, entry.At(name))
			}
		}
	}
}

func (c check) strictCommand(command canon.Node) {
	requested := command.At("requestedArgv")
	switch {
	case !requested.Present():
		c.fail("strict.proof.requested-argv", requested, "the argv that was asked for; without it the identity of the command holds the bare word undefined")
	case command.Get("resolution").Is("direct") && !canon.Equal(requested.Value, command.Get("argv")):
		c.fail("strict.proof.requested-argv", requested, "the same list as command.argv, because resolution is direct")
	}
	for _, name := range elements(command.At("executionInputs").At("passedEnvironmentNames")) {
		if strings.ContainsFunc(name.Text(), func(r rune) bool { return r < 0x21 || r > 0x7E }) {
			c.fail("strict.proof.passed-name-ascii", name, "visible ASCII characters")
		}
	}
}

func (c check) strictExecution(execution canon.Node) {
	limit, limited := execution.Get("timeoutMs").Integer()
	for _, attempt := range examined(execution.At("attempts")) {
		if !attempt.IsObject() {
			continue
		}
		c.contradiction(attempt)
		if ms, ok := attempt.Get("durationMs").Integer(); ok && limited && ms > limit+graceMs {
			c.member("strict.proof.duration", attempt, "durationMs", fmt.Sprintf("at most timeoutMs + %d", graceMs))
		}
		c.truncation(attempt.At("stdout"))
		c.truncation(attempt.At("stderr"))
	}
}

// contradiction refuses attempts that no run can have produced.
func (c check) contradiction(attempt canon.Node) {
	const rule = "strict.proof.attempt-contradiction"
	exit, signal, spawn := attempt.Get("exitCode"), attempt.Get("signal"), attempt.Get("spawnError")
	found := ""
	switch {
	case stated(exit) && stated(signal):
		found = "both an exit code and a signal"
	case exit.IsNull() && signal.IsNull() && spawn.IsNull() && attempt.Get("timedOut").IsBool(false):
		found = "no exit code, no signal, no spawn error and no time-out"
	case spawn.Is(""):
		found = "an empty spawn error"
	default:
		return
	}
	c.tell(rule, attempt, func() verify.What {
		return verify.What{Found: found, Expected: "an exit code, or a signal, or a spawn error, or a time-out"}
	})
}

// stated reports whether a value is there and not null, whatever its type.
func stated(v canon.Value) bool { return v.Present() && !v.IsNull() }

// truncation demands that truncated says whether output was cut. Where
// persistedBytes is no number, which a base rule refuses, the two others still
// have their types: no base rule looks at them.
func (c check) truncation(stream canon.Node) {
	const rule = "strict.proof.stream-truncated"
	if !stream.IsObject() {
		return
	}
	persisted, known := stream.Get("persistedBytes").Integer()
	observed, ok := stream.Get("observedBytes").Integer()
	cut, isBool := stream.Get("truncated").Bool()
	switch {
	case !ok, known && observed < persisted:
		c.member(rule, stream, "observedBytes", "an integer of at least persistedBytes")
	case !isBool:
		c.member(rule, stream, "truncated", "true or false")
	case known && cut != (observed > persisted):
		c.member(rule, stream, "truncated", fmt.Sprintf("%v, because observedBytes and persistedBytes say so", !cut))
	}
}

func (c check) strictSource(root canon.Node) {
	source := root.At("source")
	if source.Get("stable").IsBool(true) {
		c.stableContradiction(source)
	}
	if !root.Get("outcome").Get("successful").IsBool(true) {
		return
	}
	if flag := source.At("applicationStable"); flag.IsBool(false) {
		c.fail("strict.proof.application-mutated", flag, "true, because the outcome is successful")
	}
	for _, entry := range elements(root.At("causalInputs")) {
		if c.out.Full("strict.proof.causal-mutated") {
			return
		}
		if entry.IsObject() && !sameString(entry.Get("beforeSha256"), entry.Get("afterSha256")) {
			c.member("strict.proof.causal-mutated", entry, "afterSha256", "the same digest as beforeSha256, because the outcome is successful")
		}
	}
}

// stableContradiction: an unchanged worktree has an unchanged projection.
func (c check) stableContradiction(source canon.Node) {
	const rule = "strict.proof.stable-contradiction"
	if flag := source.At("applicationStable"); flag.IsBool(false) {
		c.fail(rule, flag, "true, because source.stable is true")
	}
	before, ok := source.Get("dirtyBefore").Bool()
	if after := source.At("dirtyAfter"); ok && after.IsBool(!before) {
		c.fail(rule, after, "the same as dirtyBefore, because source.stable is true")
	}
}
