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
