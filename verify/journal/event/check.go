package event

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"finishline/canon"
	"finishline/verify"
)

// Stored checks an event of a journal (13 §9). Invalid are the findings that
// make it so: the rules that are not marked (*). Beyond is what the marked
// rules and the hardening rules have against it, as warnings, so that older
// histories stay readable. At is where the event is; its pointer leads to the
// event. Size is the number of UTF-8 bytes of its compact text.
func Stored(ev canon.Value, size int, at verify.Place) (invalid, beyond []verify.Finding) {
	c := check{ev: ev, size: size, at: at, reading: stored}
	c.all()
	return c.base, c.beyond
}

// Submitted checks an event that is to be recorded, or a single document
// (13 §3 and 3.1): every rule counts with its own severity.
func Submitted(ev canon.Value, size int, at verify.Place) []verify.Finding {
	c := check{ev: ev, size: size, at: at, reading: submitted}
	c.all()
	return append(c.base, c.beyond...)
}

type reading int

const (
	stored reading = iota
	submitted
)

// A standing says whether a violation counts in stored journals.
type standing int

const (
	plain  standing = iota
	marked          // (*), or of section 3.1
)

type check struct {
	ev      canon.Value
	size    int
	at      verify.Place
	reading reading

	base, beyond []verify.Finding
}

func (c *check) add(s standing, rule, member string, what verify.What) {
	r, _ := Table.Lookup(rule)
	at := c.at
	if member != "" {
		at.Pointer += "/" + canon.EscapePointer(member)
	}
	if what.Hint == "" {
		what.Hint = r.Do
	}
	f := verify.Finding{Rule: rule, Severity: r.Severity, Artifact: at.Artifact, Pointer: at.Pointer, Line: at.Line,
		Found: what.Found, Expected: what.Expected, Hint: what.Hint}
	if s == marked {
		if c.reading == stored {
			f.Severity = verify.Warning
		}
		c.beyond = append(c.beyond, f)
		return
	}
	c.base = append(c.base, f)
}

func (c *check) all() {
	if c.size > MaxBytes {
		c.add(plain, "event.document.too-large", "", verify.What{Found: fmt.Sprintf("%d bytes", c.size), Expected: fmt.Sprintf("at most %d", MaxBytes)})
	}
	c.id()
	c.word("type", "event.type", types)
	c.word("actor", "event.actor", actors)
	if !c.ev.Get("message").Truthy() {
		c.missing(plain, "event.message.missing", "message")
	}
	c.word("status", "event.status", statuses)
	c.word("runMode", "event.run-mode", modes)
	c.word("eventSource", "event.source", sources)
	c.word("nodeId", "event.node-id", nodeIDs)
	c.nodeState()
	c.reasons()
	c.approval()
	c.references()
	c.types()
	c.hardening()
}

var nodeIDs = func() (ids []string) {
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	return ids
}()

func (c *check) id() {
	id := c.ev.Get("id")
	switch text, ok := id.Str(); {
	case !ok || text == "":
		c.add(plain, "event.id.invalid", "id", verify.What{Found: verify.Show(id), Expected: "a text"})
	case canon.UTF16Len(text) > MaxIDUnits:
		c.add(plain, "event.id.too-long", "id", verify.What{Found: fmt.Sprintf("%d code units", canon.UTF16Len(text)), Expected: fmt.Sprintf("at most %d", MaxIDUnits)})
	}
}

// word checks a member that must be one of a few words. For a submitted event
// event.field.type says of a wrong type what "unknown" would say.
func (c *check) word(member, rule string, words []string) {
	v := c.ev.Get(member)
	switch text, ok := v.Str(); {
	case !v.Truthy():
		c.missing(plain, rule+".missing", member)
	case ok && slices.Contains(words, text), !ok && c.reading == submitted:
	default:
		c.add(plain, rule+".unknown", member, verify.What{Found: verify.Show(v), Expected: "one of " + strings.Join(words, ", ")})
	}
}

func (c *check) missing(s standing, rule, member string) {
	c.add(s, rule, member, verify.What{Found: verify.Show(c.ev.Get(member)), Expected: "a text"})
}

func (c *check) nodeState() {
	if text, ok := c.ev.Get("nodeState").Str(); ok && !slices.Contains(nodeStates, text) {
		c.add(marked, "event.node-state.unknown", "nodeState", verify.What{Found: verify.Quote(text), Expected: "one of " + strings.Join(nodeStates, ", ")})
	}
}

// when says how an event comes to be of a kind: by type or status, or only by
// nodeState, which the format text alone asks for.
func (c *check) when(status string, eventTypes ...string) (s standing, is bool) {
	switch {
	case slices.Contains(eventTypes, c.ev.Get("type").Text()), c.ev.Get("status").Is(status):
		return plain, true
	case c.ev.Get("nodeState").Is(status):
		return marked, true
	}
	return plain, false
}

func (c *check) reasons() {
	if s, is := c.when("skipped", NodeSkipped); is && !c.ev.Get("skipReason").Truthy() {
		c.missing(s, "event.skip.reason-missing", "skipReason")
	}
	if s, is := c.when("failed", NodeFailed); is {
		if !c.ev.Get("failureReason").Truthy() {
			c.missing(s, "event.failure.reason-missing", "failureReason")
		}
		if !c.ev.Get("recoveryPath").Truthy() {
			c.missing(s, "event.failure.recovery-missing", "recoveryPath")
		}
	}
}

func (c *check) approval() {
	if s, is := c.when("needs_approval", ApprovalRequested, ApprovalGranted, ApprovalDenied); is {
		if !c.ev.Get("approvalOwner").Truthy() {
			c.missing(s, "event.approval.owner-missing", "approvalOwner")
		}
		if !c.ev.Get("approvalScope").Truthy() {
			c.missing(s, "event.approval.scope-missing", "approvalScope")
		}
	}
	if t := c.ev.Get("type"); (t.Is(ApprovalGranted) || t.Is(ApprovalDenied)) && !c.ev.Get("actor").Is("human") {
		c.add(plain, "event.approval.actor-not-human", "actor", verify.What{Found: verify.Show(c.ev.Get("actor")), Expected: "human"})
	}
}

func (c *check) references() {
	t, artifact := c.ev.Get("type"), c.ev.Get("artifact").Truthy()
	if (t.Is(SelfHealOpened) || t.Is(SelfHealProposed)) && !artifact && !c.ev.Get("selfHealPrUrl").Truthy() {
		c.add(plain, "event.self-heal.reference-missing", "", verify.What{Found: "neither selfHealPrUrl nor artifact", Expected: "one of them"})
	}
	if t.Is(ArtifactWritten) && !artifact {
		c.missing(plain, "event.artifact.path-missing", "artifact")
	}
}

// types: every kept member but the claim, which the bridge adds, is text. Of an
// id only event.id.invalid is reported.
func (c *check) types() {
	for _, name := range members[1 : len(members)-1] {
		v := c.ev.Get(name)
		if _, ok := v.Str(); v.Present() && !v.IsNull() && !ok {
			c.add(marked, "event.field.type", name, verify.What{Found: verify.Show(v), Expected: "a text"})
		}
	}
}

var (
	mustSay   = []string{"message", "skipReason", "failureReason", "recoveryPath", "approvalOwner", "approvalScope", "artifact"}
	mustPrint = []string{"id", "artifact", "artifactRoot", "adapterPath", "approvalOwner", "approvalScope"}
)

func (c *check) hardening() {
	for _, name := range mustSay {
		if text := c.ev.Get(name).Text(); text != "" && strings.TrimFunc(text, blank) == "" {
			c.add(marked, "event.field.blank", name, verify.What{Found: "white space only", Expected: "a text"})
		}
	}
	for _, name := range mustPrint {
		text := c.ev.Get(name).Text()
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7F }) {
			c.add(marked, "event.field.control-character", name, verify.What{Found: verify.Quote(text), Expected: "no control character"})
		}
	}
	c.contradiction()
	mode, source := c.ev.Get("runMode").Text(), c.ev.Get("eventSource").Text()
	if allowed := sourcesOf[mode]; allowed != nil && slices.Contains(sources, source) && !slices.Contains(allowed, source) {
		c.add(marked, "event.mode.source-mismatch", "eventSource", verify.What{Found: source + " in mode " + mode, Expected: "one of " + strings.Join(allowed, ", ")})
	}
	if ts, ok := c.ev.Get("ts").Str(); ok && ts != "" {
		if _, ok := canon.Timestamp(ts); !ok {
			c.add(marked, "event.ts.not-timestamp", "ts", verify.What{Found: verify.Quote(ts), Expected: "a time such as 2026-05-11T12:05:00Z"})
		}
	}
}

func blank(r rune) bool { return unicode.Is(unicode.White_Space, r) || r == '\uFEFF' }

var sourcesOf = map[string][]string{
	"blueprint": {"static-blueprint"},
	"live":      {"bridge", "mcp", "api", "watched-artifact", "browser-local"},
	"replay":    {"local-jsonl", "database", "run-packet"},
}

func (c *check) contradiction() {
	state, ok := c.ev.Get("nodeState").Str()
	if !ok {
		return
	}
	t, status := c.ev.Get("type"), c.ev.Get("status")
	want := ""
	switch {
	case (t.Is(NodeSkipped) || status.Is("skipped")) && state != "skipped":
		want = "skipped"
	case (t.Is(NodeFailed) || status.Is("failed")) && state != "failed":
		want = "failed"
	case (t.Is(ApprovalRequested) || status.Is("needs_approval")) && state != "needs_approval":
		want = "needs_approval"
	case state == "passed" && status.Is("blocked"):
		want = "another state than passed"
	default:
		return
	}
	c.add(marked, "event.node-state.contradiction", "nodeState", verify.What{Found: verify.Quote(state), Expected: want})
}
