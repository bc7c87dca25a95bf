package verify

import (
	"cmp"
	"slices"
)

// SortByLine puts the findings of a line-oriented artifact, such as a journal,
// in the order of their lines, and on one line by rule id. Findings that were
// made in another order, by layers that each look at every line, read better
// so.
func (f *Findings) SortByLine() {
	slices.SortStableFunc(f.list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
}

// RaiseWarnings makes every warning an error, those that were only counted
// included: for callers who demand that nothing is even suspicious.
func (f *Findings) RaiseWarnings() {
	for i := range f.list {
		if f.list[i].Severity == Warning {
			f.list[i].Severity = Error
			f.errors++
		}
	}
	for id, t := range f.seen {
		if r, known := f.table.Lookup(id); known && r.Severity == Warning {
			f.errors += t.count - t.kept
		}
	}
}

// AddCounted counts n more findings of a rule that is [Findings.Full] without
// describing them, for verifiers that meet millions.
func (f *Findings) AddCounted(rule string, n int) {
	r, known := f.table.Lookup(rule)
	if n <= 0 || known && f.dropped(r) {
		return
	}
	t := f.seen[rule]
	t.count += n
	f.seen[rule] = t
	if r.Severity == Error {
		f.errors += n
	}
}
