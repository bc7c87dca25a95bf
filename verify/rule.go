package verify

import (
	"fmt"
	"slices"
	"strings"
)

// A Level selects the rules that count. Base is the verdict of the format;
// Strict, the default of every command, adds our hardening and can only refuse
// more (contract 01, "Two verdict levels").
type Level int

// The two levels.
const (
	Strict Level = iota
	Base
)

func (l Level) String() string {
	if l == Base {
		return "base"
	}
	return "strict"
}

// Severity says what a finding does to the verdict. Only errors count.
type Severity int

// The severities, most severe first.
const (
	Error Severity = iota
	Warning
	Note
)

var severityNames = [...]string{"error", "warning", "note"}

func (s Severity) String() string { return severityNames[min(int(s), len(severityNames)-1)] }

// Evaluation says what it means for the verdict that a rule fires.
type Evaluation int

const (
	// Decides: the rule was evaluated and the evidence is bad. The zero value.
	Decides Evaluation = iota
	// NotEvaluated: the rule says that something could not be looked at
	// (contract 01, "Not evaluated"), so alone it makes a run incomplete.
	NotEvaluated
	// Wraps: the rule wraps the findings of another document; it counts as
	// not evaluated when every error among its causes does.
	Wraps
)

// A Rule is one reason to refuse evidence. It is named by its contract's id.
type Rule struct {
	ID       string
	Severity Severity
	Contract string // where it is defined, such as "02 §3"
	Fails    string // what fails it
	Why      string // why it matters
	Do       string // what a person should do about it
	Eval     Evaluation
	// Hardening puts a rule at strict level whose id does not say so: one of
	// the hardening tables of contracts 12 to 14, 20 and 22.
	Hardening bool
}

// Level is the level at which the rule is evaluated, which its id tells
// (DESIGN decision 1 and 10), or else Hardening.
func (r Rule) Level() Level {
	if r.Hardening || strings.HasPrefix(r.ID, "strict.") || strings.Contains(r.ID, ".strict.") || strings.Contains(r.ID, ".hardening.") {
		return Strict
	}
	return Base
}

// A Table holds the rules that one verifier evaluates. It never changes after
// NewTable.
type Table struct {
	Name  string // the verifier's name, as reports give it
	rules []Rule
	index map[string]int
	uses  []*Table
}

// NewTable makes the table of a verifier from its own rules and the tables
// whose rules its findings may also carry, such as those of package evidence
// for reading JSON, paths and scans. A repeated id is a programming error that
// the rule cross-check test reports; the first one counts.
func NewTable(name string, own []Rule, uses ...*Table) *Table {
	t := &Table{Name: name, index: map[string]int{}, uses: uses}
	for _, r := range own {
		if _, dup := t.index[r.ID]; !dup {
			t.index[r.ID] = len(t.rules)
			t.rules = append(t.rules, r)
		}
	}
	return t
}

// Rules returns a copy of the table's own rules, in the order of the contract.
func (t *Table) Rules() []Rule { return slices.Clone(t.rules) }

// Lookup returns the rule of that id, the table's own or one it uses.
func (t *Table) Lookup(id string) (Rule, bool) {
	if i, ok := t.index[id]; ok {
		return t.rules[i], true
	}
	for _, used := range t.uses {
		if r, ok := used.Lookup(id); ok {
			return r, true
		}
	}
	return Rule{}, false
}

// Count is how many of the table's own rules are evaluated at a level.
func (t *Table) Count(level Level) int {
	n := 0
	for _, r := range t.rules {
		if level == Strict || r.Level() == Base {
			n++
		}
	}
	return n
}

// A Registry is the set of all tables of a program, for the commands that list
// and explain rules.
type Registry struct {
	rules []Rule
	index map[string]int
}

// NewRegistry joins tables. Two tables that define the same id are an error:
// a rule lives in exactly one place.
func NewRegistry(tables ...*Table) (*Registry, error) {
	reg := &Registry{index: map[string]int{}}
	owner := map[string]string{}
	for _, t := range tables {
		for _, r := range t.rules {
			if other, dup := owner[r.ID]; dup {
				return nil, fmt.Errorf("rule %s is defined by both %s and %s", r.ID, other, t.Name)
			}
			owner[r.ID] = t.Name
			reg.index[r.ID] = len(reg.rules)
			reg.rules = append(reg.rules, r)
		}
	}
	return reg, nil
}

// Rules returns all rules, in table order.
func (r *Registry) Rules() []Rule { return slices.Clone(r.rules) }

// Lookup returns the rule of that id.
func (r *Registry) Lookup(id string) (Rule, bool) {
	i, ok := r.index[id]
	if !ok {
		return Rule{}, false
	}
	return r.rules[i], true
}
