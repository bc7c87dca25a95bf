package harness

import (
	"cmp"
	"slices"

	"finishline/verify"
)

// The rules about the contracts and the plan of the run hold for every record,
// whether it stands before or after the first run.open. One that stands before
// it has harness.run.open-first to its name already; it is remembered until
// run.open tells what it is to be compared with.

// early is what such a record is held to. Records that are alike in it are
// remembered once, so that a journal that never comes to its run.open costs
// what its ids cost.
type early struct {
	kind           kind // taskStart, taskCheckpoint or integrationIntent
	task           id
	plan, contract id // not for taskStart
}

// sightings are the lines of the records that are alike: the first, some more,
// and how many there are.
type sightings struct {
	first, all int
	more       []int
}

func (s *state) remember(e early, r *record) {
	seen, known := s.early[e]
	switch {
	case !known:
		seen.first = r.line
		s.cost += 150 // about 135 were measured, for two million records
	case len(seen.more) < verify.MaxPerRule:
		seen.more = append(seen.more, r.line)
		s.cost += 16
	}
	seen.all++
	s.early[e] = seen
}

// judgeEarly holds the remembered records to the first run.open.
func (s *state) judgeEarly() {
	broken := map[string]*offences{}
	breaks := func(rule string, e early, seen sightings) {
		if broken[rule] == nil {
			broken[rule] = &offences{}
		}
		broken[rule].add(e, seen)
	}
	for e, seen := range s.early {
		contract, contracted := s.contractOf(e.task)
		if e.kind == taskStart {
			if len(s.contracts) > 0 && !contracted {
				breaks(ruleUncontracted, e, seen)
			}
			continue
		}
		rules := checkpointBindings
		if e.kind == integrationIntent {
			rules = intentBindings
		}
		if plan := s.first[nPlanDigest]; plan != 0 && plan != e.plan {
			breaks(rules.plan, e, seen)
		}
		if contracted && contract != e.contract {
			breaks(rules.contract, e, seen)
		}
	}
	s.early = nil
	for rule, o := range broken {
		s.tellEarly(rule, o)
	}
}

func (s *state) tellEarly(rule string, o *offences) {
	out := s.out
	if rule == ruleUncontracted { // whether it counts is not known yet
		out = s.uncontracted
	}
	o.settle()
	for _, x := range o.list {
		found, expected := foundUncontracted, wantContracted
		switch rule {
		case checkpointBindings.plan, intentBindings.plan:
			found, expected = names[nPlanDigest]+" "+quote(s.texts.text(x.plan)), s.asOpened(s.first[nPlanDigest])
		case checkpointBindings.contract, intentBindings.contract:
			found, expected = names[nTaskContractDigest]+" "+quote(s.texts.text(x.contract)), s.asOpened(s.contracts[x.task])
		}
		s.fireAtTo(out, rule, mark{x.line, x.kind}, names[nTaskID]+" "+quote(s.taskIDs.text(x.task))+", "+found, expected)
	}
	out.AddCounted(rule, o.rest)
}

// offences are the records that break one rule: the first that are told, and
// the number of the others.
type offences struct {
	list []offence
	rest int
}

type offence struct {
	early
	line int
}

func (o *offences) add(e early, seen sightings) {
	o.list = append(o.list, offence{e, seen.first})
	for _, line := range seen.more {
		o.list = append(o.list, offence{e, line})
	}
	o.rest += seen.all - 1 - len(seen.more)
	if len(o.list) > 20*verify.MaxPerRule {
		o.settle()
	}
}

// settle puts the offences in the order of the journal and lets go of those
// that are not told.
func (o *offences) settle() {
	slices.SortFunc(o.list, func(a, b offence) int { return cmp.Compare(a.line, b.line) })
	told := min(len(o.list), verify.MaxPerRule)
	o.rest += len(o.list) - told
	o.list = o.list[:told]
}
