package hux

import (
	"cmp"
	"context"
	"io"
	"slices"
	"unicode/utf8"

	"finishline/verify/journal/flat"
)

// A Depth says how much of a stream a [History] keeps.
type Depth int

const (
	// Counts keeps numbers only: memory grows with the conversations and the
	// names of tools.
	Counts Depth = iota
	// Timeline keeps what happened, up to MaxEntries.
	Timeline
)

// MaxEntries bounds the entries, spans and artifacts that a history keeps, and
// its conversations. Further ones are counted in Omitted.
const MaxEntries = 100_000

// A History is what happened in a stream, told for people. It says what the
// events say: whether they contradict one another is the [Result]'s. Texts are
// those of the stream, cut to 400 bytes; whoever prints them must escape them.
type History struct {
	Depth Depth
	// Conversations in the order of their first events.
	Conversations []*Conversation
	// Omitted counts what was not kept because of MaxEntries.
	Omitted int

	byKey map[key]*Conversation
	most  int // MaxEntries
	kept  int
	open  map[uint32]*Span // by the line that opened it
}

// A Conversation is one conversation of a stream.
type Conversation struct {
	ID                  string
	Events              int
	FirstLine, LastLine int
	FirstSeq, LastSeq   string
	FirstTime, LastTime string
	LastTurn            string
	Kinds               map[string]int
	// Tools counts the tool runs, by name.
	Tools map[string]*ToolCount
	// RunSpend and DelegationSpend add up spend_usd of what completed.
	RunSpend, DelegationSpend flat.Sum
	// Failures are the events that say that something failed.
	Failures int

	// At depth Timeline:
	Runs, Approvals, Delegations, Effects, ToolRuns []*Span
	Artifacts                                       []*Artifact
	Failed                                          []Entry
	Timeline                                        []Entry

	runs      map[string]*Span
	artifacts map[string]*Artifact
}

// An Entry is one event.
type Entry struct {
	Line    int
	Seq     string
	Time    string
	Kind    string
	Summary string
	Run     string
	Subject string // the id in detail that the event is about
}

// A Span is something that begins and ends: a run, an approval, a delegation, a
// held side effect, a tool run.
type Span struct {
	ID           string
	What         string // the summary of what opened it
	Opened       int    // line
	OpenedTime   string
	Closed       int // line of what closed it last, 0 while it is open
	ClosedTime   string
	Outcome      string // decision, outcome, status or error code; the kind of the end where none is told
	ClosedBy     string // identity
	ClosedAgain  int    // how often it was closed after that
	ClosingEvent string // kind
}

// An Artifact is one artifact of a conversation.
type Artifact struct {
	ID       string
	Created  int // line, 0 when its creation is not in the stream
	Versions []string
	Promoted []string // version, and where to
}

// A ToolCount counts the runs of one tool.
type ToolCount struct {
	Calls, Results int
	// Failures are results with an error_code.
	Failures int
	// Milliseconds adds up duration_ms.
	Milliseconds flat.Sum
}

// Tell verifies a stream like [Verify], and fills a history on the way. Events
// that are in error are left out of it.
func Tell(ctx context.Context, r io.Reader, o Options, h *History) (*Result, error) {
	h.most = cmp.Or(h.most, MaxEntries)
	h.byKey, h.open = map[key]*Conversation{}, map[uint32]*Span{}
	return verifyWith(ctx, r, o, h)
}

// add takes the next event; partner is the line of the event that it closes.
func (h *History) add(e *event, root flat.Value, partner uint32) {
	c := h.byKey[e.conversation]
	if c == nil {
		if len(h.byKey) >= h.most {
			h.Omitted++
			return
		}
		c = &Conversation{ID: textOf(root, "conversation_id"), FirstLine: e.line, FirstSeq: numberOf(root, "seq"), FirstTime: textOf(root, "ts"),
			Kinds: map[string]int{}, Tools: map[string]*ToolCount{}, runs: map[string]*Span{}, artifacts: map[string]*Artifact{}}
		h.byKey[e.conversation] = c
		h.Conversations = append(h.Conversations, c)
	}
	c.Events++
	c.LastLine, c.LastSeq, c.LastTime, c.LastTurn = e.line, numberOf(root, "seq"), textOf(root, "ts"), numberOf(root, "turn")
	c.Kinds[e.kind.String()]++
	c.count(h, e, root.Get("detail"))
	if h.Depth == Timeline {
		h.tell(c, e, root, partner)
	}
}

// count adds up what stats tell.
func (c *Conversation) count(h *History, e *event, detail flat.Value) {
	switch e.kind {
	case toolCall, toolResult:
		name := textOf(detail, "tool")
		tool := c.Tools[name]
		if tool == nil {
			if !h.keep() {
				return
			}
			tool = &ToolCount{}
			c.Tools[name] = tool
		}
		if e.kind == toolCall {
			tool.Calls++
			return
		}
		tool.Results++
		if failed(e.kind, detail) {
			tool.Failures++
		}
		sum(&tool.Milliseconds, detail.Get("duration_ms"))
	case runCompleted:
		sum(&c.RunSpend, detail.Get("spend_usd"))
	case delegationCompleted:
		sum(&c.DelegationSpend, detail.Get("spend_usd"))
	}
	if failed(e.kind, detail) {
		c.Failures++
	}
}

// maxLimbs bounds a sum: numbers of absurd size are not added up.
const maxLimbs = 64

func sum(s *flat.Sum, v flat.Value) {
	if v.Kind() == flat.Number && len(v.Raw()) <= maxCounted && s.Limbs() < maxLimbs {
		if d := v.Decimal(); d.Sign() > 0 {
			s.Add(d)
		}
	}
}

// maxCounted is the longest literal that is added up.
const maxCounted = 40

// failed reports whether an event says that something failed.
func failed(k kind, detail flat.Value) bool {
	return k == runFailed || k == delegationFailed || k == budgetExhausted ||
		k == toolResult && detail.Get("error_code").Kind() != flat.Absent
}

// keep counts one more thing to keep, and reports whether there is room.
func (h *History) keep() bool {
	if h.kept >= h.most {
		h.Omitted++
		return false
	}
	h.kept++
	return true
}

// tell keeps what happened.
func (h *History) tell(c *Conversation, e *event, root flat.Value, partner uint32) {
	detail := root.Get("detail")
	entry := Entry{Line: e.line, Seq: numberOf(root, "seq"), Time: textOf(root, "ts"), Kind: e.kind.String(),
		Summary: textOf(root, "summary"), Run: textOf(root, "run_id"), Subject: textOf(detail, subjects[e.kind])}
	if h.keep() {
		c.Timeline = append(c.Timeline, entry)
	}
	if failed(e.kind, detail) && h.keep() {
		c.Failed = append(c.Failed, entry)
	}
	switch f := opens[e.kind]; {
	case f != noFamily && f != suggestionFamily && h.keep():
		s := &Span{ID: entry.Subject, What: entry.Summary, Opened: e.line, OpenedTime: entry.Time}
		list := c.spans(f)
		*list = append(*list, s)
		h.open[uint32(e.line)] = s
	case e.kind == runStarted && h.keep():
		s := &Span{ID: entry.Run, What: entry.Summary, Opened: e.line, OpenedTime: entry.Time}
		c.Runs = append(c.Runs, s)
		c.runs[entry.Run] = s
	case e.kind.endsRun():
		c.runs[entry.Run].close(&entry, root)
	case closes[e.kind] != noFamily && partner != 0:
		h.open[partner].close(&entry, root)
	case e.kind == artifactCreated || e.kind == artifactVersion || e.kind == artifactPromoted:
		h.artifact(c, e, &entry, detail)
	}
}

// spans is where the spans of a family are kept.
func (c *Conversation) spans(f family) *[]*Span {
	switch f {
	case approvalFamily:
		return &c.Approvals
	case toolFamily:
		return &c.ToolRuns
	case delegationFamily:
		return &c.Delegations
	}
	return &c.Effects
}

// close ends a span; of one that was not kept there is nothing to end.
func (s *Span) close(e *Entry, root flat.Value) {
	if s == nil {
		return
	}
	if s.Closed != 0 {
		s.ClosedAgain++
	}
	detail := root.Get("detail")
	s.Closed, s.ClosedTime, s.ClosingEvent = e.Line, e.Time, e.Kind
	s.Outcome = cmp.Or(textOf(detail, "decision"), textOf(detail, "outcome"), textOf(detail, "status"), textOf(detail, "error_code"), e.Kind)
	identity := root.Get("identity")
	s.ClosedBy = cmp.Or(textOf(identity, "user_id"), textOf(identity, "actor_id"), textOf(identity, "agent_id"), textOf(identity, "service_id"))
}

func (h *History) artifact(c *Conversation, e *event, entry *Entry, detail flat.Value) {
	a := c.artifacts[entry.Subject]
	if a == nil {
		if !h.keep() {
			return
		}
		a = &Artifact{ID: entry.Subject}
		c.artifacts[entry.Subject] = a
		c.Artifacts = append(c.Artifacts, a)
	}
	version := numberOf(detail, "version")
	switch {
	case e.kind == artifactPromoted:
		if h.keep() {
			a.Promoted = append(a.Promoted, version+" to "+cmp.Or(textOf(detail, "target"), "an unnamed target"))
		}
		return
	case e.kind == artifactCreated && a.Created == 0:
		a.Created = e.line
	}
	if version != "" && h.keep() {
		a.Versions = append(a.Versions, version)
	}
}

// ToolNames are the names of the tools, the most used first.
func (c *Conversation) ToolNames() []string {
	names := make([]string, 0, len(c.Tools))
	for name := range c.Tools {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.Tools[b].Calls, c.Tools[a].Calls), cmp.Compare(a, b))
	})
	return names
}

// maxKeptText bounds a text that a history keeps, in bytes.
const maxKeptText = 400

// textOf is the text of a member, cut between two characters.
func textOf(v flat.Value, name string) string {
	m := v.Get(name)
	if m.Kind() != flat.String {
		return ""
	}
	text := m.AppendText(nil)
	if len(text) > maxKeptText {
		cut := maxKeptText
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = append(text[:cut:cut], "…"...)
	}
	return string(text)
}

func numberOf(v flat.Value, name string) string {
	m := v.Get(name)
	if m.Kind() != flat.Number {
		return ""
	}
	return m.Decimal().String()
}
