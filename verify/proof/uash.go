package proof

import (
	"regexp"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// UASHSchema names the bridge's proof document.
const UASHSchema = "uash.proof.v1"

// A UASH is a proof of the bridge as its document states it. Nothing its
// accessors return has been verified unless [UASH.Valid] is true.
type UASH struct {
	root  canon.Value
	valid bool
}

// Options are what a caller knows besides the document.
type Options struct {
	// RunID is the run the proof should belong to, "" when the caller does
	// not know it. Only uash.proof.v1 has a rule for it
	// (strict.uash-proof.run-id); the run of a portable proof is compared by
	// the document that binds it, with Portable.Run.
	RunID string
}

// VerifyUASH verifies a document as a proof of the bridge (03 A). The document
// is at path, which only names it in findings. The *UASH is nil when the
// document is not an object.
func VerifyUASH(doc *canon.Document, path string, level verify.Level, opts Options) (*UASH, *verify.Findings) {
	out := UASHTable.Collect(level)
	c := check{out, path}
	var root canon.Node
	if evidence.ReadFindings(out, path, doc, nil) {
		root = doc.Node()
	}
	if !root.IsObject() {
		c.fail("uash-proof.document", root, "a proof of the bridge, a JSON object")
		return nil, out
	}
	c.uash(root)
	if out.Strict() {
		c.strictUASH(root, opts)
	}
	return &UASH{root: root.Value, valid: baseErrors(out, UASHTable) == 0}, out
}

// ReadUASH reads and verifies the bytes of a proof of the bridge, which may be
// up to canon.MaxDocument long. Bytes that are no JSON document give the
// findings json.* and a nil *UASH.
func ReadUASH(data []byte, path string, level verify.Level, opts Options) (*UASH, *verify.Findings) {
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		out := UASHTable.Collect(level)
		evidence.ReadFindings(out, path, nil, err)
		return nil, out
	}
	return VerifyUASH(doc, path, level, opts)
}

// Valid reports whether no base rule failed.
func (u *UASH) Valid() bool { return u.valid }

// Value is the document.
func (u *UASH) Value() canon.Value { return u.root }

// RunID returns runId, "" when it is absent or no string.
func (u *UASH) RunID() string { return u.root.Get("runId").Text() }

// Schema returns schema.
func (u *UASH) Schema() string { return u.root.Get("schema").Text() }

// Status returns status.
func (u *UASH) Status() string { return u.root.Get("status").Text() }

// Commands is the number of command results.
func (u *UASH) Commands() int { return len(u.root.Get("commands").Elems()) }

func (c check) uash(root canon.Node) {
	if !root.Get("schema").Is(UASHSchema) {
		c.member("uash-proof.schema", root, "schema", verify.Quote(UASHSchema))
	}
	if _, ok := canon.TimestampOf(root.Get("generatedAt")); !ok {
		c.member("uash-proof.generated-at", root, "generatedAt", expectTimestamp)
	}
	if !root.Get("status").Is("passed") {
		c.member("uash-proof.status", root, "status", `"passed"`)
	}
	if !canon.NonEmpty(root.Get("summary"), 1) {
		c.member("uash-proof.summary", root, "summary", "a text that is not blank")
	}
	commands := root.At("commands")
	if commands.Len() == 0 || !commands.IsArray() {
		c.fail("uash-proof.commands", commands, "a non-empty array of command results")
	}
	failed := c.out.Errors()
	for _, result := range elements(commands) {
		if c.uashCommand(result); c.out.Errors()-failed > MaxFailures {
			return
		}
	}
}

// outputEvidence are the members of which one must say what a command printed.
var outputEvidence = []string{"stdoutTail", "stderrTail", "outputDigest"}

func (c check) uashCommand(result canon.Node) {
	if !result.IsObject() {
		c.fail("uash-proof.command.object", result, "an object")
		return
	}
	if !canon.NonEmpty(result.Get("command"), 1) {
		c.member("uash-proof.command.text", result, "command", "a text that is not blank")
	}
	if code, ok := result.Get("exitCode").Integer(); !ok {
		c.member("uash-proof.command.exit-code", result, "exitCode", "an integer")
	} else if code != 0 {
		c.member("uash-proof.command.nonzero", result, "exitCode", "0")
	}
	if _, ok := canon.TimestampOf(result.Get("completedAt")); !ok {
		c.member("uash-proof.command.completed-at", result, "completedAt", expectTimestamp)
	}
	for _, name := range outputEvidence {
		if result.Get(name).Truthy() {
			return
		}
	}
	c.tell("uash-proof.command.output", result, func() verify.What {
		return verify.What{Found: "neither stdoutTail nor stderrTail nor outputDigest says anything", Expected: "what the command printed, or its digest"}
	})
}

// strictUASH checks what strict level adds to part A.
func (c check) strictUASH(root canon.Node, opts Options) {
	if run := root.At("runId"); run.Present() {
		switch {
		case !canon.IsIdentifier(run.Value):
			c.fail("strict.uash-proof.run-id", run, expectIdentifier)
		case opts.RunID != "" && !run.Is(opts.RunID):
			c.fail("strict.uash-proof.run-id", run, verify.Quote(opts.RunID)+", the run that is verified")
		}
	}
	c.onlyMembers("strict.uash-proof.unknown-field", root, uashMembers)
	generated, hasGenerated := canon.TimestampOf(root.Get("generatedAt"))
	for _, result := range elements(root.At("commands")) {
		if !result.IsObject() {
			continue
		}
		c.onlyMembers("strict.uash-proof.unknown-field", result, uashCommandMembers)
		c.strictOutput(result)
		c.timeOrder(result, instant{generated, hasGenerated})
	}
	c.strictScan(root)
}

var outputDigestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// strictOutput demands that output evidence is text, or a digest, and says
// something.
func (c check) strictOutput(result canon.Node) {
	for _, name := range []string{"stdoutTail", "stderrTail"} {
		if tail := result.At(name); tail.Present() && !isString(tail.Value) {
			c.fail("strict.uash-proof.output-type", tail, "a string")
		}
	}
	if digest := result.At("outputDigest"); digest.Present() && !outputDigestForm.MatchString(digest.Text()) {
		c.fail("strict.uash-proof.output-type", digest, "sha256: and 64 lower-case hexadecimal characters")
	}
	blank := canon.Node{}
	for _, name := range outputEvidence {
		at := result.At(name)
		switch {
		case !at.Truthy():
		case isString(at.Value) && canon.Trim(at.Text()) == "":
			blank = at
		default:
			return
		}
	}
	if blank.Present() {
		c.fail("strict.uash-proof.output-blank", blank, "output that is more than white space, or its digest")
	}
}

// instant is a time in milliseconds, where there is one.
type instant struct {
	ms    int64
	known bool
}

func (c check) timeOrder(result canon.Node, generated instant) {
	const rule = "strict.uash-proof.time-order"
	completed, hasCompleted := canon.TimestampOf(result.Get("completedAt"))
	if start := result.At("startedAt"); start.Present() {
		started, ok := canon.TimestampOf(start.Value)
		switch {
		case !ok:
			c.fail(rule, start, expectTimestamp)
		case hasCompleted && started > completed:
			c.fail(rule, start, "a time that is not after completedAt")
		}
	}
	if hasCompleted && generated.known && completed > generated.ms {
		c.member(rule, result, "completedAt", "a time that is not after the document's generatedAt")
	}
}

// strictScan wraps the secret scan, which part A has at strict level only.
func (c check) strictScan(root canon.Node) {
	scan := evidence.Table.Collect(c.out.Level())
	evidence.ScanDocument(scan, c.path, root.Value, evidence.ScanSecrets)
	if causes := scan.List(); len(causes) > 0 {
		c.out.Wrap("strict.uash-proof.secrets", verify.At(c.path, causes[0].Pointer), verify.What{
			Found: "a secret, or something that reads as one", Expected: "redacted text",
		}, causes)
	}
}
