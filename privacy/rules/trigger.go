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
	var hot, cold []wanted
	for i, p := range e.programs {
		f := wanted{p.factor.tree, p.factor.before, int32(i)}
		switch {
		case !p.hasFactor:
			e.always = append(e.always, int32(i))
		case p.run >= minRun:
			cold = append(cold, f)
		default:
			hot = append(hot, f)
		}
	}
	var large, more []int32
	var err error
	if e.hot, large, err = buildTriggers(hot, inLine); err != nil {
		return err
	}
	if e.cold, more, err = buildTriggers(cold, inLine); err != nil {
		return err
	}
	e.always = append(append(e.always, large...), more...)
	return e.fileTriggers()
}

// A wanted is a factor and the program it is for.
type wanted struct {
	tree   *syntax.Regexp
	before int
	index  int32
}

// buildTriggers makes one trigger, or several when one would be too large. It
// returns those for which even one would be.
func buildTriggers(list []wanted, from start) (made []trigger, tooLarge []int32, err error) {
	if len(list) == 0 {
		return nil, nil, nil
	}
	t := trigger{}
	var factors []*syntax.Regexp
	for _, f := range list {
		factors = append(factors, f.tree)
		t.places = append(t.places, place{program: f.index, before: int32(f.before)})
	}
	t.automaton, err = build(factors, from, maxStates)
	if !errors.As(err, &errStates{}) {
		return []trigger{t}, nil, err
	}
	if len(list) == 1 {
		return nil, []int32{list[0].index}, nil
	}
	half := len(list) / 2
	for _, part := range [][]wanted{list[:half], list[half:]} {
		more, large, err := buildTriggers(part, from)
		if err != nil {
			return nil, nil, err
		}
		made, tooLarge = append(made, more...), append(tooLarge, large...)
	}
	return made, tooLarge, nil
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
