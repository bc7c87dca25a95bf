package rules

import (
	"errors"
	"regexp/syntax"
)

// A trigger finds in one pass where some programs may match.
type trigger struct {
	automaton *automaton
	places    []place // by factor: its program, and how far before its end a match begins
}

// triggers divides the programs: those whose matches all hold a long run of
// base64 characters, which is most of them, need to look at lines with such a
// run only.
func (e *Engine) triggers() error {
	var hot, cold []int32
	for i, p := range e.programs {
		switch {
		case !p.hasFactor:
			e.always = append(e.always, int32(i))
		case p.run >= minRun:
			cold = append(cold, int32(i))
		default:
			hot = append(hot, int32(i))
		}
	}
	var err error
	if e.hot, err = e.buildTriggers(hot); err != nil {
		return err
	}
	e.cold, err = e.buildTriggers(cold)
	return err
}

// buildTriggers makes one trigger, or several when one would be too large.
func (e *Engine) buildTriggers(programs []int32) ([]trigger, error) {
	if len(programs) == 0 {
		return nil, nil
	}
	t := trigger{}
	var factors []*syntax.Regexp
	for _, i := range programs {
		f := e.programs[i].factor
		factors = append(factors, f.tree)
		t.places = append(t.places, place{program: i, before: int32(f.before)})
	}
	var err error
	t.automaton, err = build(factors, anywhere, maxStates)
	if !errors.As(err, &errStates{}) {
		return []trigger{t}, err
	}
	if len(programs) == 1 {
		e.always = append(e.always, programs[0])
		return nil, nil
	}
	half := len(programs) / 2
	one, err := e.buildTriggers(programs[:half])
	if err != nil {
		return nil, err
	}
	two, err := e.buildTriggers(programs[half:])
	return append(one, two...), err
}

// find appends the places in a text.
func (t *trigger) find(places []place, text []byte) []place {
	a := t.automaton
	next, state := a.next, uint32(0)
	for i, c := range text {
		state = next[state+uint32(a.class[c])]
		if state < a.accept {
			continue
		}
		for _, f := range a.ends[(state-a.accept)/a.width] {
			at := t.places[f]
			at.end = int32(i + 1)
			places = append(places, at)
		}
	}
	return places
}

func findAll(list []trigger, places []place, text []byte) []place {
	for i := range list {
		places = list[i].find(places, text)
	}
	return places
}
