package harness

import (
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// An Overview says what a journal holds in all. Its texts are fit to print.
type Overview struct {
	Lines, Blank, Records int
	// Bad lines were left out: Verify refuses them. FirstBad is the first.
	Bad, FirstBad int
	Kinds         []KindCount
	Payload       string
	Resolved      bool // false when no payload pointer was found
	Torn          bool

	RunID, Plan string // runId and slug of the latest plan-start, "" for none
	State       string // preamble, open, final or resumable
	Stretches   int    // how often the run was opened or reopened
	Ended       string // kind of the latest terminal record, "" for none

	// Tasks are in the order of their first mention.
	Tasks []TaskView
	// Attempts are in the order of their prompts.
	Attempts []AttemptView
	Total    Usage
}

// A TaskView is a task with what it cost.
type TaskView struct {
	// ID is the taskId, "" where the journal knows the task by its string
	// only.
	ID string
	// Name is a task string that stands for it, "" for none.
	Name string
	// Status is the latest status, "" while the task has not ended.
	Status   string
	Attempts int
	Usage    Usage
}

// An AttemptView is one worker call with what it cost.
type AttemptView struct {
	Line                                int
	ID, Task, Phase, Seat, Model, Reply string
	Heartbeats                          int
	Usage                               Usage
}

// A Usage counts tokens and cost, exactly. What an attempt used is what its
// latest usage record says or, where there is none, what its heartbeats add up
// to.
type Usage struct {
	Input, Output, Cached flat.Sum
	Cost                  flat.Sum // in US dollars
	// Reported, Partial and Unknown count attempts: with token counts in a
	// usage record, with heartbeats only, and with neither.
	Reported, Partial, Unknown int
}

// book is what is remembered for an overview.
type book struct {
	texts    *interner
	tasks    *interner // taskIds
	strings  *interner // task strings
	ids      *interner // attempts
	seen     store[bookTask]
	named    store[bookName]
	attempts store[bookAttempt]
	order    []bookEntry // tasks in the order of their first mention
	run, via id          // runId, slug
}

type bookEntry struct {
	task, name id // one of the two
}

type bookTask struct {
	listed bool
	status id
}

type bookName struct {
	listed bool
	task   id // the taskId it stands for
}

type bookAttempt struct {
	line                     int
	task, phase, seat, model id
	reply                    id
	heartbeats               int
	input, output, cached    flat.Sum
	cost                     flat.Sum
	source                   source
}

// source says where the usage of an attempt comes from.
type source uint8

const (
	nowhere source = iota
	heartbeats
	usageRecord
)

func newBook() *book {
	return &book{texts: newInterner(), tasks: newInterner(), strings: newInterner(), ids: newInterner()}
}

func (b *book) size() int {
	return b.texts.bytes + b.tasks.bytes + b.strings.bytes + b.ids.bytes + 32*b.texts.len() + 64*(b.tasks.len()+b.strings.len()) + 200*b.ids.len()
}

// enter takes the next record.
func (b *book) enter(r *record) {
	task, name := b.mention(r)
	switch r.kind {
	case planStart:
		b.run, b.via = b.note(r, nRunID, b.run), b.note(r, nSlug, b.via)
	case taskStart:
		b.seen.at(task).status = 0
	case taskEnd:
		b.seen.at(task).status = b.texts.add(r.textOf(nStatus))
	case attemptPrompt:
		a := b.attempts.at(b.ids.add(r.textOf(nAttemptID)))
		*a = bookAttempt{line: r.line, task: name, phase: b.texts.add(r.textOf(nPhase)), seat: b.texts.add(r.textOf(nSeat)), model: b.texts.add(r.textOf(nModel))}
	case attemptReply, attemptUsage, attemptHeartbeat:
		if i := b.ids.find(r.textOf(nAttemptID)); i != 0 {
			b.attempt(r, b.attempts.at(i))
		}
	}
}

func (b *book) note(r *record, n name, before id) id {
	if v := r.textOf(n); v != nil {
		return b.texts.add(v)
	}
	return before
}

// mention lists a task the first time that it is met.
func (b *book) mention(r *record) (task, name id) {
	if v := r.textOf(nTaskID); v != nil {
		task = b.tasks.add(v)
		if t := b.seen.at(task); !t.listed {
			t.listed = true
			b.order = append(b.order, bookEntry{task: task})
		}
	}
	if v := r.textOf(nTask); v != nil {
		name = b.strings.add(v)
		n := b.named.at(name)
		if !n.listed {
			n.listed = true
			b.order = append(b.order, bookEntry{name: name})
		}
		if task != 0 && n.task == 0 {
			n.task = task
		}
	}
	return task, name
}

func (b *book) attempt(r *record, a *bookAttempt) {
	switch r.kind {
	case attemptReply:
		reply := "valid"
		if !r.get(nValid).isTrue() {
			reply = "invalid"
		}
		if v := r.textOf(nVerdict); v != nil {
			reply += " " + string(v)
		}
		a.reply = b.texts.add([]byte(reply))
	case attemptUsage:
		a.input, a.output, a.cached, a.cost = flat.Sum{}, flat.Sum{}, flat.Sum{}, flat.Sum{}
		a.source = nowhere
		if r.has(nInputTokens) && r.has(nOutputTokens) {
			a.source = usageRecord
		}
		for _, n := range [...]name{nInputTokens, nOutputTokens, nCachedTokens, nCostUsd} {
			a.add(n, r.get(n))
		}
	case attemptHeartbeat:
		a.heartbeats++
		if a.source == usageRecord || !r.has(nUsageDelta) {
			return
		}
		a.source = heartbeats
		for _, it := range r.list {
			for _, n := range [...]name{nInputTokens, nOutputTokens, nCachedTokens, nCostUsd} {
				if string(it.name) == names[n] {
					a.add(n, it.v)
				}
			}
		}
	}
}

func (a *bookAttempt) add(n name, v val) {
	if v.kind != flat.Number {
		return
	}
	sum := &a.input
	switch n {
	case nOutputTokens:
		sum = &a.output
	case nCachedTokens:
		sum = &a.cached
	case nCostUsd:
		sum = &a.cost
	}
	sum.Add(v.number())
}

// add adds what an attempt used.
func (u *Usage) add(a *bookAttempt) {
	switch a.source {
	case nowhere:
		u.Unknown++
	case heartbeats:
		u.Partial++
	case usageRecord:
		u.Reported++
	}
	u.Input.AddSum(&a.input)
	u.Output.AddSum(&a.output)
	u.Cached.AddSum(&a.cached)
	u.Cost.AddSum(&a.cost)
}

// overview puts everything together.
func (t *teller) overview(sum lines.Summary) *Overview {
	v, b := t.v, t.book
	o := &Overview{
		Lines: sum.Lines, Blank: v.result.Blank, Records: v.result.Records, Bad: t.bad, FirstBad: t.firstBad,
		Resolved: v.result.Resolved, Torn: v.result.Torn,
		RunID: shown(b.texts.text(b.run)), Plan: shown(b.texts.text(b.via)),
		State: runStateNames[v.state.run], Stretches: int(v.state.epoch) + 1,
	}
	if p := v.payload(); p != nil {
		o.Payload = p.text
	}
	if v.state.terminal != noKind {
		o.Ended = kinds[v.state.terminal].name
	}
	for k, n := range v.kinds {
		if n > 0 {
			o.Kinds = append(o.Kinds, KindCount{kinds[k].name, n})
		}
	}
	b.fill(o)
	return o
}

// fill lists tasks and attempts. A task string that stands for a taskId is no
// task of its own.
func (b *book) fill(o *Overview) {
	at := map[bookEntry]int{}
	for _, e := range b.order {
		if e.name != 0 && b.named.at(e.name).task != 0 {
			continue
		}
		at[e] = len(o.Tasks)
		view := TaskView{ID: shown(b.tasks.text(e.task)), Name: shown(b.strings.text(e.name))}
		if e.task != 0 {
			view.Status = shown(b.texts.text(b.seen.at(e.task).status))
		}
		o.Tasks = append(o.Tasks, view)
	}
	for i := 1; i <= b.strings.len(); i++ {
		if task := b.named.at(id(i)).task; task != 0 {
			if view := &o.Tasks[at[bookEntry{task: task}]]; view.Name == "" {
				view.Name = shown(b.strings.text(id(i)))
			}
		}
	}
	for i := 1; i <= b.ids.len(); i++ {
		a := b.attempts.at(id(i))
		view := AttemptView{
			Line: a.line, ID: shown(b.ids.text(id(i))), Task: shown(b.strings.text(a.task)), Phase: shown(b.texts.text(a.phase)),
			Seat: shown(b.texts.text(a.seat)), Model: shown(b.texts.text(a.model)), Reply: string(b.texts.text(a.reply)), Heartbeats: a.heartbeats,
		}
		view.Usage.add(a)
		entry := bookEntry{name: a.task}
		if task := b.named.at(a.task).task; task != 0 {
			entry = bookEntry{task: task}
			view.Task = shown(b.tasks.text(task))
		}
		task := &o.Tasks[at[entry]]
		task.Attempts++
		task.Usage.add(a)
		o.Total.add(a)
		o.Attempts = append(o.Attempts, view)
	}
}
