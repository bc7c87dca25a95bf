package proof

import (
	"bytes"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
)

func TestRead(t *testing.T) {
	portableText := canon.Compact(vector(t, "proof-portable", "valid-green"))
	uashText := canon.Compact(vector(t, "proof-uash", "valid-two-commands"))
	padding := bytes.Repeat([]byte(" "), canon.MaxDocument)
	for _, c := range []struct {
		name  string
		data  []byte
		table *verify.Table
		rules []string
	}{
		{"portable", portableText, Table, nil},
		{"uash", uashText, UASHTable, nil},
		{"portable over 16 MiB", append(padding, portableText...), Table, nil},
		{"uash over 16 MiB", append(padding, uashText...), UASHTable, []string{"json.size"}},
		{"over 64 MiB", bytes.Repeat([]byte(" "), canon.MaxSubject+1), Table, []string{"json.size"}},
		{"no JSON", []byte("{"), Table, []string{"json.syntax"}},
		{"empty", nil, Table, []string{"json.syntax"}},
		{"deep", []byte(strings.Repeat("[", 129)), Table, []string{"json.depth"}},
		{"an array", []byte(`[]`), Table, []string{"proof.document"}},
		{"no schema", []byte(`{}`), Table, []string{"proof.schema"}},
		{"schema in an array", []byte(`{"schema":["uash.proof.v1"]}`), Table, []string{"proof.schema"}},
		{"another format", []byte(`{"schema":"valdris.review.v2"}`), Table, []string{"proof.schema"}},
		{"a review with a list of commands", []byte(`{"schema":"valdris.review.v2","commands":[]}`), Table, []string{"proof.schema"}},
		{"another version of the bridge's", []byte(`{"schema":"uash.proof.v2"}`), UASHTable, []string{
			"uash-proof.schema", "uash-proof.generated-at", "uash-proof.status", "uash-proof.summary", "uash-proof.commands"}},
		{"another version of the portable one", schemaOf(t, portableText, str("valdris.portable-proof.v2")), Table, []string{"proof.schema"}},
		{"the bridge's with a blank after the schema", schemaOf(t, uashText, str(UASHSchema+" ")), UASHTable, []string{"uash-proof.schema"}},
		{"the bridge's with null", schemaOf(t, uashText, canon.NewNull()), UASHTable, []string{"uash-proof.schema"}},
		{"the portable one with a number", schemaOf(t, portableText, num(1)), Table, []string{"proof.schema"}},
		{"schema twice", []byte(`{"schema":"x","schema":"y"}`), Table, []string{"proof.schema", "strict.json.duplicate-key"}},
	} {
		r := Read(c.data, "proof.json", verify.Strict, Options{})
		if got := errorsOf(r.Findings); !vectors.SameRules(got, c.rules) || r.Table != c.table {
			t.Errorf("%s: table %s, %v; want %s, %v", c.name, r.Table.Name, got, c.table.Name, c.rules)
		}
		valid := r.Portable != nil && r.Portable.Valid() || r.UASH != nil && r.UASH.Valid()
		if pass := r.Findings.Verdict() == verify.Pass; pass != valid {
			t.Errorf("%s: pass %v with the documents %v and %v", c.name, pass, r.Portable, r.UASH)
		}
	}
}

func schemaOf(t testing.TB, data []byte, schema canon.Value) []byte {
	return canon.Compact(edit(t, read(t, data), "replace", "/schema", schema))
}

// Where the bridge keeps its proof, a document that says nothing of itself is
// held to be one.
func TestReadGoesByThePathLast(t *testing.T) {
	for path, want := range map[string]string{
		"proof/proof.json": "uash-proof.document", "/r/proof/proof.json": "uash-proof.document", "-": "proof.document",
		"waterproof/proof.json": "proof.document", "proof/portable.json": "proof.document",
	} {
		if got := errorsOf(Read([]byte(`[]`), path, verify.Strict, Options{}).Findings); !vectors.SameRules(got, []string{want}) {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
	r := Read([]byte(`{"exitCode":0}`), "proof/proof.json", verify.Base, Options{})
	if !r.Findings.Has("uash-proof.schema") || !r.Findings.Has("uash-proof.commands") {
		t.Errorf("a bare exit code: %v", errorsOf(r.Findings))
	}
}

func TestReadComparesTheRun(t *testing.T) {
	data := canon.Compact(vector(t, "proof-uash", "valid-two-commands"))
	for run, want := range map[string]verify.Verdict{"": verify.Pass, "kelp-0417": verify.Pass, "kelp-0418": verify.Fail} {
		r := Read(data, "p", verify.Strict, Options{RunID: run})
		if got := r.Findings.Verdict(); got != want {
			t.Errorf("run %q: %v, want %v", run, got, want)
		}
		if r.UASH.RunID() != "kelp-0417" || r.UASH.Status() != "passed" || r.UASH.Schema() != UASHSchema || r.UASH.Commands() != 2 {
			t.Errorf("the proof says %+v", r.UASH)
		}
	}
}

// A document that was not read is refused, not passed over.
func TestNoDocument(t *testing.T) {
	if p, out := VerifyPortable(nil, "p", verify.Base); p != nil || out.Verdict() != verify.Fail {
		t.Errorf("%v, %v", p, out.Verdict())
	}
	if u, out := VerifyUASH(nil, "p", verify.Base, Options{}); u != nil || out.Verdict() != verify.Fail {
		t.Errorf("%v, %v", u, out.Verdict())
	}
}

func TestFindingsSayWhereAndWhat(t *testing.T) {
	v := edit(t, vector(t, "proof-portable", "valid-green"), "replace", "/execution/attempts/0/stdout/text", str("12 tides checked\r\n"))
	v = edit(t, v, "replace", "/execution/attempts/0/stdout/persistedBytes", num(18))
	_, out := portable(v, verify.Base)
	list := out.List()
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	f := list[0]
	if f.Rule != "proof.attempt.stream-digest" || f.Artifact != "proof/portable.json" || f.Pointer != "/execution/attempts/0/stdout/sha256" ||
		!strings.Contains(f.Found, "26f0ac93") || !strings.Contains(f.Expected, canon.TextDigest("12 tides checked\r\n")) || !strings.Contains(f.Hint, "line ends") {
		t.Errorf("%+v", f)
	}

	v = edit(t, vector(t, "proof-portable", "valid-green"), "replace", "/run/environment", str("prod"))
	_, out = portable(v, verify.Base)
	list = out.List()
	if len(list) != 2 || list[0].Rule != "proof.binding.environment" || !strings.Contains(list[1].Hint, "consequence") {
		t.Errorf("the cause comes first and the envelope says that it follows: %+v", list)
	}
}

func TestSecretsAreCausesOfOneRule(t *testing.T) {
	v := edit(t, vector(t, "proof-uash", "valid-two-commands"), "add", "/commands/1/apiKey", str("plum"+"99"))
	_, out := VerifyUASH(&canon.Document{Root: v}, "p", verify.Strict, Options{})
	for _, f := range out.List() {
		if f.Rule != "strict.uash-proof.secrets" {
			continue
		}
		if len(f.Causes) != 1 || f.Causes[0].Rule != "secrets.raw-value" || f.Pointer != "/commands/1/apiKey" || strings.Contains(f.Found+f.Causes[0].Found, "plum") {
			t.Errorf("%+v", f)
		}
		return
	}
	t.Errorf("no finding: %v", errorsOf(out))
}

// A list of hostile length is refused without describing, or even visiting, all
// of it; a failure at its very end is not needed for that.
func TestLongListsEnd(t *testing.T) {
	bad := canon.NewArray(make([]canon.Value, 3*MaxFailures)...)
	for i := range bad.Elems() {
		bad.Elems()[i] = canon.Build()
	}
	for pointer, rule := range map[string]string{"/causalInputs": "proof.causal.entry-fields", "/execution/attempts": "proof.execution.attempts"} {
		_, out := portable(edit(t, vector(t, "proof-portable", "valid-green"), "replace", pointer, bad), verify.Strict)
		if !out.Has(rule) || out.Verdict() != verify.Fail || out.Errors() > 2*MaxFailures || len(out.List()) > 1000 {
			t.Errorf("%s: %v, %d errors, %d findings: %v", pointer, out.Verdict(), out.Errors(), len(out.List()), errorsOf(out))
		}
	}
	v := edit(t, vector(t, "proof-uash", "valid-two-commands"), "replace", "/commands", bad)
	if _, out := VerifyUASH(&canon.Document{Root: v}, "p", verify.Strict, Options{}); out.Verdict() != verify.Fail || out.Errors() > 2*MaxFailures {
		t.Errorf("commands: %v, %d errors", out.Verdict(), out.Errors())
	}
}
