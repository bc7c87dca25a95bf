package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"finishline/canon"
	"finishline/verify"
)

type rulesCmd struct {
	Prefix string `arg:"" optional:"" help:"Only rules whose id starts with this, such as review or strict.json."`
	outputFlags
	levelFlags
}

func (rulesCmd) Help() string {
	return `Every reason for which finishline refuses evidence is a rule, named by its contract's id. Strict rules are evaluated unless --base is given.

Examples:
  finishline rules
  finishline rules packet.gate
  finishline rules --base --format json`
}

func (c rulesCmd) Run(s *session) error {
	registry, err := registry()
	if err != nil {
		return err
	}
	rules := slices.DeleteFunc(registry.Rules(), func(r verify.Rule) bool {
		return !strings.HasPrefix(r.ID, c.Prefix) || c.Base && r.Level() == verify.Strict
	})
	if len(rules) == 0 {
		return usagef("no rule starts with %q", c.Prefix)
	}
	slices.SortFunc(rules, func(a, b verify.Rule) int { return strings.Compare(a.ID, b.ID) })
	values := make([]canon.Value, len(rules))
	for i, r := range rules {
		values[i] = ruleValue(r)
	}
	return s.print(c.outputFlags, canon.NewArray(values...), func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range rules {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, r.Contract, r.Fails)
		}
		tab.Flush()
		fmt.Fprintf(w, "%d rules\n", len(rules))
	})
}

func ruleValue(r verify.Rule) canon.Value {
	text := func(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.NewString(s)} }
	return canon.Build(text("id", r.ID), text("severity", r.Severity.String()), text("level", r.Level().String()),
		text("contract", r.Contract), text("fails", r.Fails), text("why", r.Why), text("do", r.Do))
}

type explainCmd struct {
	Rule string `arg:"" help:"The id of a rule, as findings and finishline rules show it."`
	outputFlags
}

func (explainCmd) Help() string {
	return `Tells what fails a rule, why it matters, and what to do.

Examples:
  finishline explain review.attestation.signature
  finishline explain --format json trust.pin.missing`
}

func (c explainCmd) Run(s *session) error {
	registry, err := registry()
	if err != nil {
		return err
	}
	r, ok := registry.Lookup(c.Rule)
	if !ok {
		if near := nearRules(registry, c.Rule); len(near) > 0 {
			return usagef("no rule is called %q; did you mean %s?", c.Rule, strings.Join(near, ", "))
		}
		return usagef("no rule is called %q; finishline rules lists them", c.Rule)
	}
	return s.print(c.outputFlags, ruleValue(r), func(w io.Writer) {
		fmt.Fprintf(w, "%s\n", r.ID)
		fmt.Fprintf(w, "  %s, %s level, contract %s\n\n", r.Severity, r.Level(), r.Contract)
		fmt.Fprintf(w, "  fails when  %s\n", r.Fails)
		fmt.Fprintf(w, "  matters     %s\n", r.Why)
		fmt.Fprintf(w, "  to do       %s\n", r.Do)
		switch r.Eval {
		case verify.NotEvaluated:
			fmt.Fprintf(w, "\n  Alone this makes a run incomplete, not failed: something could not be looked at.\n")
		case verify.Wraps:
			fmt.Fprintf(w, "\n  The findings below it (because ...) say why.\n")
		}
	})
}

// nearRules are at most five ids that hold the last word of what was asked or,
// when that word is misspelt, the rules of the same family that begin like it.
func nearRules(registry *verify.Registry, asked string) []string {
	word := asked[strings.LastIndexByte(asked, '.')+1:]
	begins := asked[:len(asked)-len(word)+min(len(word), 2)]
	var near, family []string
	for _, r := range registry.Rules() {
		if word != "" && strings.Contains(r.ID, word) && len(near) < 5 {
			near = append(near, r.ID)
		}
		if strings.Contains(asked, ".") && strings.HasPrefix(r.ID, begins) && len(family) < 5 {
			family = append(family, r.ID)
		}
	}
	if len(near) == 0 {
		return family
	}
	return near
}
