package proof

import (
	"finishline/canon"
	"finishline/verify"
)

// Bindings are the ten digests of 03 B.5, each 64 lower-case hexadecimal
// characters.
type Bindings struct {
	Command, ExecutionInputs, Output, CausalInputs string
	Run, Commit, Environment, Host, Source         string
	Envelope                                       string // over all of the above, mode, repeat and timeoutMs
}

// DeriveBindings computes the bindings of a portable proof from the values
// beside them. It needs the structure of 03 B.1 only to be meaningful, not to
// be safe: an absent member is written as undefined (01 §2.6), and a text that
// is no string counts as "".
func DeriveBindings(proof canon.Value) Bindings {
	command, run, execution := proof.Get("command"), proof.Get("run"), proof.Get("execution")
	b := Bindings{
		ExecutionInputs: canon.Digest(command.Get("executionInputs")),
		Output:          OutputSHA256(execution.Get("attempts")),
		CausalInputs:    canon.Digest(proof.Get("causalInputs")),
		Run:             canon.TextDigest(run.Get("id").Text()),
		Commit:          canon.TextDigest(run.Get("commit").Text()),
		Environment:     canon.TextDigest(run.Get("environment").Text()),
		Host:            canon.Digest(proof.Get("host")),
		Source:          canon.Digest(proof.Get("source")),
	}
	b.Command = commandDigest(command, b.ExecutionInputs)
	b.Envelope = b.envelope(proof.Get("schema"), execution)
	return b
}

// CommandSHA256 is the identity of a command: argv, requestedArgv (absent is
// not null), resolution and the digest of its execution inputs.
func CommandSHA256(command canon.Value) string {
	return commandDigest(command, canon.Digest(command.Get("executionInputs")))
}

func commandDigest(command canon.Value, executionInputs string) string {
	return canon.Digest(canon.Build(
		canon.Member{Name: "argv", Value: command.Get("argv")},
		canon.Member{Name: "requestedArgv", Value: command.Get("requestedArgv")},
		canon.Member{Name: "resolution", Value: command.Get("resolution")},
		text("executionInputsSha256", executionInputs),
	))
}

// OutputSHA256 is the digest of what the attempts did and printed.
func OutputSHA256(attempts canon.Value) string {
	var list []canon.Value
	for _, a := range attempts.Elems() {
		members := append([]canon.Member{{Name: "index", Value: a.Get("index")}}, signed(a)...)
		list = append(list, canon.Build(members...))
	}
	return canon.Digest(canon.NewArray(list...))
}

// envelope is the digest that ties the nine others to one run of one command.
func (b Bindings) envelope(schema, execution canon.Value) string {
	members := []canon.Member{
		{Name: "schema", Value: schema},
		{Name: "mode", Value: execution.Get("mode")},
		{Name: "repeat", Value: execution.Get("repeat")},
		{Name: "timeoutMs", Value: execution.Get("timeoutMs")},
	}
	for _, bound := range bindingTable {
		if bound.rule != envelopeRule {
			members = append(members, text(bound.member, bound.digest(b)))
		}
	}
	return canon.Digest(canon.Build(members...))
}

// Value is the bindings object of a portable proof.
func (b Bindings) Value() canon.Value {
	members := make([]canon.Member, len(bindingTable))
	for i, bound := range bindingTable {
		members[i] = text(bound.member, bound.digest(b))
	}
	return canon.Build(members...)
}

func text(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(value)}
}

const envelopeRule = "proof.binding.envelope"

// bindingTable says which rule compares which member with which digest. The
// envelope comes last: it follows from the others.
var bindingTable = []binding{
	{"proof.binding.command", "commandSha256", "command.argv, requestedArgv, resolution and executionInputs", func(b Bindings) string { return b.Command }},
	{"proof.binding.execution-inputs", "executionInputsSha256", "command.executionInputs", func(b Bindings) string { return b.ExecutionInputs }},
	{"proof.binding.output", "outputSha256", "exit code, signal, time-out, spawn error and output digests of every attempt", func(b Bindings) string { return b.Output }},
	{"proof.binding.causal-inputs", "causalInputsSha256", "causalInputs", func(b Bindings) string { return b.CausalInputs }},
	{"proof.binding.run", "runSha256", "run.id", func(b Bindings) string { return b.Run }},
	{"proof.binding.commit", "commitSha256", "run.commit", func(b Bindings) string { return b.Commit }},
	{"proof.binding.environment", "environmentSha256", "run.environment", func(b Bindings) string { return b.Environment }},
	{"proof.binding.host", "environmentSnapshotSha256", "host", func(b Bindings) string { return b.Host }},
	{"proof.binding.source", "sourceSha256", "source", func(b Bindings) string { return b.Source }},
	{envelopeRule, "envelopeSha256", "schema, the nine other digests, mode, repeat and timeoutMs", func(b Bindings) string { return b.Envelope }},
}

type binding struct {
	rule, member string
	covers       string // what the digest is of, for people
	digest       func(Bindings) string
}

// bindings compares the digests a proof states with those of its values. Only
// for proofs whose structure is right.
func (c check) bindings(root canon.Node) {
	stated := root.At("bindings")
	if !stated.IsObject() {
		c.fail("proof.bindings.missing", stated, "an object of ten digests")
		return
	}
	derived := DeriveBindings(root.Value)
	failed := 0
	for _, b := range bindingTable {
		at, want := stated.At(b.member), b.digest(derived)
		if at.Is(want) {
			continue
		}
		what := verify.What{Found: verify.Show(at.Value), Expected: want + ", the digest of " + b.covers, Hint: bindingHint(at.Value, want)}
		if b.rule == envelopeRule && failed > 0 {
			what.Hint = "a consequence when only the members named above changed; the envelope covers the other nine digests"
		}
		failed++
		c.tell(b.rule, at, func() verify.What { return what })
	}
}

// bindingHint explains the one mismatch that is a matter of spelling. An empty
// hint leaves the rule's own advice.
func bindingHint(stated canon.Value, want string) string {
	if canon.LowerASCII(stated.Text()) == want {
		return "the digest is right but in upper case; write it in lower case"
	}
	return ""
}
