package proof

import (
	"slices"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
)

// A change is an edit of a valid document and the exact set of rules it must
// fail at strict level. Documents are made consistent again before they are
// verified, so that only the rule under test can object, unless forged is set.
type change struct {
	name   string
	base   string
	patch  string
	forged bool
	rules  []string
}

const hexA = `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`

func set(pointer, value string) string {
	return `[{"op":"add","path":"` + pointer + `","value":` + value + `}]`
}

func remove(pointer string) string { return `[{"op":"remove","path":"` + pointer + `"}]` }

var portableChanges = []change{
	{name: "document", patch: set("", `[]`), forged: true, rules: []string{"proof.document"}},
	{name: "schema absent", patch: remove("/schema"), rules: []string{"proof.schema"}},
	{name: "run missing", patch: remove("/run"), forged: true,
		rules: []string{"proof.run.id", "proof.run.commit", "proof.run.environment", "proof.source.git-head"}},
	{name: "run an array", patch: set("/run", `[]`), forged: true,
		rules: []string{"proof.run.id", "proof.run.commit", "proof.run.environment", "proof.source.git-head"}},
	{name: "host null is present", patch: set("/host", `null`), rules: []string{"strict.proof.host-object"}},
	{name: "argv with an empty argument", patch: set("/command/argv/1", `""`), rules: []string{"proof.command.argv", "secrets.argv-malformed", "strict.proof.requested-argv"}},
	{name: "argv blank argument is one", patch: `[{"op":"add","path":"/command/argv/1","value":" "},{"op":"add","path":"/command/requestedArgv/1","value":" "}]`},
	{name: "argv a string", patch: set("/command/argv", `"make"`), rules: []string{"proof.command.argv", "strict.proof.requested-argv"}},
	{name: "argv bad leaves stability alone", patch: `[{"op":"replace","path":"/command/argv","value":"make"},{"op":"replace","path":"/command/executionInputs/stability","value":"x"}]`,
		rules: []string{"proof.command.argv", "strict.proof.requested-argv"}},
	{name: "requested argv empty", patch: set("/command/requestedArgv", `[]`), rules: []string{"proof.command.requested-argv", "secrets.argv-malformed", "strict.proof.requested-argv"}},
	{name: "requested argv differs when resolved", patch: `[{"op":"replace","path":"/command/resolution","value":"windows-npm-cli"},{"op":"replace","path":"/command/requestedArgv","value":["npm","test"]}]`},
	{name: "command missing", patch: remove("/command"), forged: true,
		rules: []string{"proof.command.argv", "proof.command.resolution", "proof.inputs.missing", "strict.proof.requested-argv"}},
	{name: "inputs a member short", patch: remove("/command/executionInputs/schema"), rules: []string{"proof.inputs.fields", "proof.inputs.schema"}},
	{name: "names not canonical are opaque", patch: `[{"op":"replace","path":"/command/executionInputs/passedEnvironmentNames","value":["zone"]},{"op":"replace","path":"/command/executionInputs/stability","value":"opaque-dynamic"},{"op":"replace","path":"/command/executionInputs/causalIdentityEligible","value":false}]`,
		rules: []string{"proof.inputs.passed-names"}},
	{name: "name with =", patch: set("/command/executionInputs/passedEnvironmentNames", `["A=B"]`), rules: []string{"proof.inputs.passed-names"}},
	{name: "name with a control character", patch: set("/command/executionInputs/passedEnvironmentNames", `["A\u001f"]`), rules: []string{"proof.inputs.passed-names", "strict.proof.passed-name-ascii"}},
	{name: "name that grows in upper case", patch: `[{"op":"replace","path":"/command/executionInputs/passedEnvironmentNames","value":["ß"]},{"op":"replace","path":"/command/executionInputs/stability","value":"opaque-dynamic"},{"op":"replace","path":"/command/executionInputs/causalIdentityEligible","value":false}]`,
		rules: []string{"proof.inputs.passed-names", "strict.proof.passed-name-ascii"}},
	{name: "opaque argv an object", patch: set("/command/executionInputs/opaqueArgv", `{}`), rules: []string{"proof.inputs.opaque-argv"}},
	{name: "opaque entry with a fifth member", base: "valid-rich", patch: set("/command/executionInputs/opaqueArgv/0/note", `1`), rules: []string{"proof.inputs.opaque-argv"}},
	{name: "environment digest an array of one", patch: set("/command/executionInputs/allowlistedEnvironmentSha256", `[`+hexA+`]`), rules: []string{"strict.digest.non-string"}},
	{name: "environment digest upper case", patch: set("/command/executionInputs/allowlistedEnvironmentSha256", `"AAAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`), rules: []string{"strict.digest.upper-case"}},
	{name: "causal null first sorts first", base: "valid-rich", patch: set("/causalInputs/0", `null`), rules: []string{"proof.causal.entry-object"}},
	{name: "causal path a number sorts as nothing", base: "valid-rich", patch: set("/causalInputs/1/path", `7`), rules: []string{"proof.causal.path", "proof.causal.order"}},
	{name: "causal digest missing", base: "valid-rich", patch: remove("/causalInputs/0/afterSha256"), rules: []string{"proof.causal.entry-fields", "proof.causal.digest", "strict.proof.causal-mutated"}},
	{name: "causal empty path twice", patch: set("/causalInputs", `[{"path":"","beforeSha256":`+hexA+`,"afterSha256":`+hexA+`},{"path":"","beforeSha256":`+hexA+`,"afterSha256":`+hexA+`}]`),
		rules: []string{"proof.causal.path", "proof.causal.path-duplicate"}},
	{name: "execution missing", patch: remove("/execution"), forged: true,
		rules: []string{"proof.execution.shell", "proof.execution.timeout", "proof.execution.repeat", "proof.execution.max-output", "proof.execution.mode", "proof.execution.attempts"}},
	{name: "repeat beyond the bound, stated honestly", patch: set("/execution/repeat", `21`), rules: []string{"proof.execution.repeat", "proof.execution.attempts"}},
	{name: "repeat a string", patch: set("/execution/repeat", `"1"`), rules: []string{"proof.execution.repeat", "proof.execution.attempts"}},
	{name: "numbers by value", patch: `[{"op":"replace","path":"/execution/attempts/0/index","value":1.0},{"op":"replace","path":"/execution/timeoutMs","value":3e4},{"op":"replace","path":"/execution/attempts/0/exitCode","value":-0}]`},
	{name: "max output unknown leaves the bound alone", patch: `[{"op":"replace","path":"/execution/maxOutputBytes","value":null}]`, rules: []string{"proof.execution.max-output"}},
	{name: "attempt null", patch: set("/execution/attempts", `[null]`), forged: true, rules: []string{"proof.attempt.object"}},
	{name: "spawn error a number", patch: set("/execution/attempts/0/spawnError", `0`), rules: []string{"proof.attempt.spawn-error"}},
	{name: "exit code a fraction", patch: set("/execution/attempts/0/exitCode", `0.5`), rules: []string{"proof.attempt.exit-code"}},
	{name: "stream digest in upper case", patch: set("/execution/attempts/0/stderr/sha256", `"36229DA14EE97DA2CEACF269B6754E3B3E5A80E9D415AE67600B3E94B67EE218"`), rules: []string{"proof.attempt.stream-digest"}},
	{name: "stream without text skips its other rules", patch: set("/execution/attempts/0/stdout", `{"text":5,"sha256":1,"persistedBytes":-1,"observedBytes":1,"truncated":false}`),
		rules: []string{"proof.attempt.stream", "strict.proof.stream-truncated"}},
	{name: "source empty", patch: set("/source", `{}`),
		rules: []string{"proof.source.git-head", "proof.source.target-path", "proof.source.tree-digest", "proof.source.digest", "proof.source.dirty-flags", "proof.source.stable", "proof.source.application-stable"}},
	{name: "dirty flag a number", patch: set("/source/dirtyBefore", `0`), rules: []string{"proof.source.dirty-flags"}},
	{name: "digests that are no strings equal nothing", patch: `[{"op":"replace","path":"/source/beforeSha256","value":[` + hexA + `]},{"op":"replace","path":"/source/afterSha256","value":[` + hexA + `]}]`,
		rules: []string{"proof.source.stable", "strict.digest.non-string"}},
	{name: "target path empty", patch: set("/source/targetPath", `""`), rules: []string{"proof.source.target-path"}},
	{name: "target path with a control character", patch: set("/source/targetPath", `"a\nb"`), rules: []string{"proof.source.target-path"}},
	{name: "bindings an array", patch: set("/bindings", `[]`), forged: true, rules: []string{"proof.bindings.missing"}},
	{name: "outcome missing", patch: remove("/outcome"), forged: true, rules: []string{"proof.outcome.missing"}},
	{name: "outcome empty", patch: set("/outcome", `{}`), forged: true, rules: []string{"proof.outcome.status", "proof.outcome.flaky", "proof.outcome.successful"}},
	{name: "exit code and signal", patch: set("/execution/attempts/0/signal", `"SIGTERM"`), rules: []string{"strict.proof.attempt-contradiction"}},
	{name: "empty spawn error", patch: set("/execution/attempts/0/spawnError", `""`), rules: []string{"strict.proof.attempt-contradiction"}},
	{name: "observed less than kept", patch: set("/execution/attempts/0/stdout/observedBytes", `16`), rules: []string{"strict.proof.stream-truncated"}},
	{name: "observed more, not said", patch: set("/execution/attempts/0/stdout/observedBytes", `18`), rules: []string{"strict.proof.stream-truncated"}},
	{name: "observed a text where the kept length is one too", patch: `[{"op":"replace","path":"/execution/attempts/0/stdout/persistedBytes","value":"17"},{"op":"replace","path":"/execution/attempts/0/stdout/observedBytes","value":"17"}]`,
		rules: []string{"proof.attempt.stream-persisted", "strict.proof.stream-truncated"}},
	{name: "kept length a text, the others right", patch: set("/execution/attempts/0/stdout/persistedBytes", `"17"`), rules: []string{"proof.attempt.stream-persisted"}},
	{name: "a text alone for a stream", patch: set("/execution/attempts/0/stdout", `{"text":"x"}`),
		rules: []string{"proof.attempt.stream-digest", "proof.attempt.stream-persisted", "strict.proof.stream-truncated"}},
	{name: "an exit code that is no number, and a signal", patch: `[{"op":"replace","path":"/execution/attempts/0/exitCode","value":"0"},{"op":"replace","path":"/execution/attempts/0/signal","value":"SIGTERM"}]`,
		rules: []string{"proof.attempt.exit-code", "strict.proof.attempt-contradiction"}},
	{name: "dirty flag changes in a stable worktree", patch: set("/source/dirtyAfter", `true`), rules: []string{"strict.proof.stable-contradiction"}},
	{name: "duration at the bound", patch: set("/execution/attempts/0/durationMs", `90000`)},
	{name: "unknown member of a stream", patch: set("/execution/attempts/0/stdout/note", `1`), rules: []string{"strict.proof.unknown-field"}},
	{name: "unknown member of bindings", patch: set("/bindings/note", `1`), forged: true, rules: []string{"strict.proof.unknown-field"}},
	{name: "unknown member of outcome", patch: set("/outcome/note", `1`), forged: true, rules: []string{"strict.proof.unknown-field"}},
	{name: "unknown member of host is open", patch: set("/host/note", `1`)},
	{name: "secret scanned although structure fails", patch: `[{"op":"remove","path":"/schema"},{"op":"add","path":"/host/password","value":"plum"}]`, rules: []string{"proof.schema", "secrets.raw-value"}},
}

func TestPortableChanges(t *testing.T) {
	for _, c := range portableChanges {
		t.Run(c.name, func(t *testing.T) {
			v := changed(t, "proof-portable", "valid-green", c)
			if !c.forged {
				v = rebind(t, v)
			}
			_, out := portable(v, verify.Strict)
			if got := errorsOf(out); !vectors.SameRules(got, c.rules) {
				t.Errorf("strict: %v, want %v", got, c.rules)
			}
			_, out = portable(v, verify.Base)
			want := slices.DeleteFunc(slices.Clone(c.rules), isStrict)
			if got := errorsOf(out); !vectors.SameRules(got, want) {
				t.Errorf("base: %v, want %v", got, want)
			}
		})
	}
}

func changed(t *testing.T, area, base string, c change) canon.Value {
	t.Helper()
	if c.base != "" {
		base = c.base
	}
	v, err := casefile.Patch(vector(t, area, base), read(t, []byte(c.patch)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var uashChanges = []change{
	{name: "schema absent", patch: remove("/schema"), rules: []string{"uash-proof.schema"}},
	{name: "one of two commands says nothing", patch: `[{"op":"replace","path":"/commands/1","value":{}}]`,
		rules: []string{"uash-proof.command.text", "uash-proof.command.exit-code", "uash-proof.command.completed-at", "uash-proof.command.output"}},
	{name: "a string for a command", patch: set("/commands/0", `"make"`), rules: []string{"uash-proof.command.object"}},
	{name: "killed", patch: set("/commands/0/exitCode", `-9`), rules: []string{"uash-proof.command.nonzero"}},
	{name: "run id of another form", patch: set("/runId", `"a run"`), rules: []string{"strict.uash-proof.run-id"}},
	{name: "run id null", patch: set("/runId", `null`), rules: []string{"strict.uash-proof.run-id"}},
	{name: "run id of another run", patch: set("/runId", `"kelp-0418"`), rules: []string{"strict.uash-proof.run-id"}},
	{name: "tail null", patch: set("/commands/0/stderrTail", `null`), rules: []string{"strict.uash-proof.output-type"}},
	{name: "digest in upper case", patch: set("/commands/0/outputDigest", `"sha256:11BE72a057be334d717e527f9e8ef0a7a10edd5013fddf03ec91fe6c8ee54319"`), rules: []string{"strict.uash-proof.output-type"}},
	{name: "blank digest is blank evidence", patch: `[{"op":"replace","path":"/commands/0","value":{"command":"make","exitCode":0,"completedAt":"2026-03-04T10:10:41Z","outputDigest":" "}}]`,
		rules: []string{"strict.uash-proof.output-type", "strict.uash-proof.output-blank"}},
	{name: "start not a time", patch: set("/commands/0/startedAt", `"soon"`), rules: []string{"strict.uash-proof.time-order"}},
	{name: "start after the end", patch: set("/commands/0/startedAt", `"2026-03-04T10:10:41.121Z"`), rules: []string{"strict.uash-proof.time-order"}},
	{name: "start at the end, in another zone", patch: set("/commands/0/startedAt", `"2026-03-04T11:10:41.120+01:00"`)},
	{name: "written when the last command ended", patch: set("/generatedAt", `"2026-03-04T10:11:10.002Z"`)},
	{name: "secret member", patch: set("/commands/0/password", `"plum"`), rules: []string{"strict.uash-proof.secrets"}},
	{name: "unknown members are only warned of", patch: set("/commands/0/note", `1`)},
}

func TestUASHChanges(t *testing.T) {
	known := Options{RunID: "kelp-0417"}
	for _, c := range uashChanges {
		t.Run(c.name, func(t *testing.T) {
			doc := &canon.Document{Root: changed(t, "proof-uash", "valid-two-commands", c)}
			_, out := VerifyUASH(doc, "proof/proof.json", verify.Strict, known)
			if got := errorsOf(out); !vectors.SameRules(got, c.rules) {
				t.Errorf("strict: %v, want %v", got, c.rules)
			}
			_, out = VerifyUASH(doc, "proof/proof.json", verify.Base, known)
			want := slices.DeleteFunc(slices.Clone(c.rules), isStrict)
			if got := errorsOf(out); !vectors.SameRules(got, want) {
				t.Errorf("base: %v, want %v", got, want)
			}
		})
	}
}

func TestUASHUnknownMemberWarns(t *testing.T) {
	v := edit(t, vector(t, "proof-uash", "valid-two-commands"), "add", "/commands/0/note", canon.NewNumber(1))
	_, out := VerifyUASH(&canon.Document{Root: v}, "p", verify.Strict, Options{})
	if got := verify.RuleIDs(out.List(), verify.Warning); !vectors.SameRules(got, []string{"strict.uash-proof.unknown-field"}) {
		t.Errorf("warnings %v", got)
	}
	if out.Verdict() != verify.Pass {
		t.Errorf("a warning changed the verdict to %v", out.Verdict())
	}
}

// TestEveryRuleFires shows that no rule is registered in vain: the vectors and
// the changes above together fail each of them.
func TestEveryRuleFires(t *testing.T) {
	fired := map[string]bool{"strict.uash-proof.unknown-field": true} // TestUASHUnknownMemberWarns
	for _, area := range []string{"proof-portable", "proof-uash"} {
		for _, c := range casefile.Own(t, area) {
			for _, id := range slices.Concat(c.Base.Rules, c.Strict.Rules) {
				fired[id] = true
			}
		}
	}
	for _, c := range slices.Concat(portableChanges, uashChanges) {
		for _, id := range c.rules {
			fired[id] = true
		}
	}
	for _, b := range bindingTable { // TestBindingOfSomethingElse
		fired[b.rule] = true
	}
	for _, table := range []*verify.Table{Table, UASHTable} {
		for _, r := range table.Rules() {
			if !fired[r.ID] {
				t.Errorf("no test fails rule %s", r.ID)
			}
			if r.Contract == "" || r.Fails == "" || r.Why == "" || r.Do == "" {
				t.Errorf("rule %s is not explained", r.ID)
			}
		}
	}
}
