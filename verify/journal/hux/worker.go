package hux

import (
	"finishline/verify"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// Bounds of a stream (§1).
const (
	MaxLine  = 1 << 20  // bytes of a line, without its newline
	MaxDepth = 64       // nesting of an event; the event itself is depth 1
	MaxArray = 64 << 20 // bytes of a file that is one JSON array
)

// A batch is what a worker makes of a batch of lines.
type batch struct {
	events []event
	found  []found
	keys   []key // that events refer to
	per    [kindCount]int
	tally  Tally
	// details says that some event has a detail.
	details bool
	crlf    int // number of the first record line that ends in CR LF, 0 for none
	torn    bool
}

func (b *batch) reset() {
	*b = batch{events: b.events[:0], found: b.found[:0], keys: b.keys[:0]}
}

// next makes room for another event.
func (b *batch) next(line int, text []byte, k kind) *event {
	n := len(b.events)
	if n == cap(b.events) {
		b.events = append(b.events, event{})
	} else {
		b.events = b.events[:n+1]
	}
	e := &b.events[n]
	*e = event{}
	e.line, e.text, e.kind = line, text, k
	return e
}

// A found is a finding of the layers that look at one line at a time.
type found struct {
	rule     string
	line     int
	pointer  string
	what     verify.What
	severity verify.Severity
}

// A worker judges lines on one goroutine.
type worker struct {
	reader
	options *Options
	parser  flat.Parser
	schema  *checker // nil: the shapes
	digest  digester
	out     *batch
	line    int
	counts  map[string]int // findings of each rule so far
	said    report         // about this event
	at      instant        // ts of this event
	timed   bool           // ts has the shape of a timestamp

	nameFacts map[string]nameFacts

	conversation, run memo
}

// A memo keeps the key of a name that most events repeat.
type memo struct {
	name  []byte
	scope key
	key   key
}

func (m *memo) of(scope key, name []byte) key {
	if m.scope != scope || string(m.name) != string(name) {
		m.name, m.scope, m.key = append(m.name[:0], name...), scope, scope.of(name)
	}
	return m.key
}

func newWorker(o *Options) *worker {
	return &worker{options: o, schema: o.Schemas.checker(), digest: o.digest, counts: map[string]int{}, nameFacts: map[string]nameFacts{}}
}

// batch judges a batch of lines.
func (w *worker) batch(list []lines.Line, out *batch) {
	out.reset()
	w.out = out
	for i := range list {
		w.physical(&list[i])
	}
}

// physical judges one line of the file.
func (w *worker) physical(l *lines.Line) {
	w.line = l.Number
	if l.Blank() {
		w.out.tally.Blank++
		w.fireLine("hux.line.blank", "", verify.What{Found: "a blank line", Expected: "an event"})
		return
	}
	var rule string
	var what verify.What
	if l.TooLong {
		rule, what = "hux.line.too-long", verify.What{Found: sizeText(l.Size), Expected: "at most 1048576 bytes"}
	} else {
		var p flat.Problem
		if rule, p = w.parse(l.Text); rule != "" {
			what = problemText(rule, p)
		}
	}
	switch {
	case rule != "" && !l.Terminated:
		w.out.torn = true
		w.fireLine("hux.tail.torn", "", verify.What{Found: "a last line without newline: " + what.Found, Expected: "a whole event"})
		return
	case rule != "":
		w.fireLine(rule, "", what)
		return
	case !l.Terminated:
		w.fireLine("hux.tail.unterminated", "", verify.What{Found: "a whole event without newline", Expected: "a newline after every event"})
	case l.CRLF() && w.out.crlf == 0:
		w.out.crlf = l.Number
	}
	w.record(l.Text)
}

// record judges an event that the line rules accept, and that the parser holds.
func (w *worker) record(text []byte) {
	w.out.tally.Records++
	root := w.parser.Root()
	if want := w.options.Conversation; want != "" && !root.Get("conversation_id").Is(want) {
		w.out.tally.Others++
		return
	}
	w.out.tally.Events++
	var m [memberCount]flat.Value
	if x := w.valid(root, &m); !x.none() {
		w.out.details = w.out.details || root.Get("detail").Kind() != flat.Absent
		w.invalid(x)
		return
	}
	k := w.kindOf(m[memberKind])
	w.out.per[k]++
	w.content(root, k, &m)
	w.extract(w.out.next(w.line, text, k), root, &m)
}

// valid holds an event to the schemas in force, and finds its members.
func (w *worker) valid(root flat.Value, m *[memberCount]flat.Value) violation {
	if w.schema == nil {
		return w.check(&eventShape, root, m[:])
	}
	for v := root.First(); v.Kind() != flat.Absent; v = v.Next(root) {
		if i := eventShape.find(w.name(v), 0); i >= 0 {
			m[i] = v
		}
	}
	return w.schema.check(root)
}

// extract takes from an event what the rules about several events need.
func (w *worker) extract(e *event, root flat.Value, m *[memberCount]flat.Value) {
	e.conversation = w.conversation.of(w.options.secret, w.string(m[memberConversation]))
	scope := e.conversation
	if id := m[memberID]; id.Kind() == flat.String {
		e.id, e.has = w.options.secret.of(w.text(id)), e.has|hasID
	}
	e.seq, e.has = w.count(m[memberSeq], e.has, hasSeq)
	e.turn, e.has = w.count(m[memberTurn], e.has, hasTurn)
	if w.timed {
		e.at, e.has = w.at, e.has|hasTime
	}
	if id := w.string(m[memberRun]); len(id) > 0 {
		e.run, e.has = w.run.of(scope, id), e.has|hasRun
		if e.kind == runStarted {
			e.runAnywhere = w.options.secret.of(id)
		}
	}
	if id := w.string(m[memberParent]); len(id) > 0 {
		e.parent, e.has = w.options.secret.of(id), e.has|hasParent
	}
	if m[memberRetry].Kind() == flat.String {
		e.retry, e.has = scope.of(w.text(m[memberRetry])), e.has|hasRetry
		e.content = w.digest.event(root)
	}
	if opens[e.kind] != noFamily || closes[e.kind] != noFamily {
		if id := w.string(m[memberCorrelation]); len(id) > 0 {
			e.correlation, e.has = scope.of(id), e.has|hasCorrelation
		}
	}
	if e.kind == approvalRequested || e.kind == approvalResolved {
		e.identity = w.digest.value(m[memberIdentity])
	}
	w.subject(e, m[memberDetail])
}

// string is the text of a string, and nothing for other values.
func (w *worker) string(v flat.Value) []byte {
	if v.Kind() != flat.String {
		return nil
	}
	return w.text(v)
}

// count is an integer of at least 0.
func (w *worker) count(v flat.Value, h, bit has) (flat.Decimal, has) {
	if !isCount(v) {
		return flat.Decimal{}, h
	}
	return v.Decimal(), h | bit
}

// subject takes what detail says the event is about. A member that is not of
// the type it should be is as good as absent; §3 has judged it.
func (w *worker) subject(e *event, d flat.Value) {
	if e.kind == modeChanged {
		if from := d.Get("from"); from.Kind() == flat.String {
			e.from, e.has = w.options.secret.of(w.text(from)), e.has|hasFrom
		}
		if to := d.Get("to"); to.Kind() == flat.String {
			e.to, e.has = w.options.secret.of(w.text(to)), e.has|hasTo
		}
		return
	}
	member := subjects[e.kind]
	if member == "" {
		return
	}
	id := w.string(d.Get(member))
	if len(id) == 0 {
		return
	}
	e.subject, e.has = e.conversation.of(id), e.has|hasSubject
	switch e.kind {
	case memoryCommitted:
		w.supersedes(e, d.Get("supersedes"))
	case artifactCreated, artifactVersion, artifactPromoted:
		if v := d.Get("version"); v.Kind() == flat.Number {
			if n := v.Decimal(); n.IsInteger() {
				e.version, e.has = n, e.has|hasVersion
				e.versioned = e.subject.of(n.AppendNormal(nil))
			}
		}
	}
}

// supersedes takes one id or an array of ids.
func (w *worker) supersedes(e *event, v flat.Value) {
	start := len(w.out.keys)
	add := func(v flat.Value) {
		if v.Kind() != flat.String {
			return
		}
		if k := e.conversation.of(w.text(v)); k == e.subject {
			e.has |= supersedesSelf
		} else {
			w.out.keys = append(w.out.keys, k)
		}
	}
	add(v)
	if v.Kind() == flat.Array {
		for x := range v.Elems() {
			add(x)
		}
	}
	e.supersedes = w.out.keys[start:len(w.out.keys):len(w.out.keys)]
}
