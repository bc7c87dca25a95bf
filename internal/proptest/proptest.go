// Package proptest helps property tests that must have met certain cases to
// say anything. It is imported by tests only.
package proptest

import (
	"testing"

	"pgregory.net/rapid"
)

// rounds bounds [Seen.Until]: what one round in two shows, that many miss once
// in 2^100 runs.
const rounds = 100

// Seen counts what the cases of a property showed, by the names of all that
// they must show.
type Seen struct {
	names []string
	need  int
	count map[string]int
}

// Need wants each of the names to be shown as often as told, at least.
func Need(times int, names ...string) *Seen {
	return &Seen{names, times, map[string]int{}}
}

// Add counts a name that was shown.
func (s *Seen) Add(name string) { s.count[name]++ }

// Missing lists the names that were not shown often enough, in their order.
func (s *Seen) Missing() (list []string) {
	for _, name := range s.names {
		if s.count[name] < s.need {
			list = append(list, name)
		}
	}
	return list
}

// Until checks a property over drawn cases, and over more of them while any
// name is missing. What chance has to bring about fails a test only when chance
// cannot: one round, of 20 cases in a short run, may well miss it.
func (s *Seen) Until(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	for range rounds {
		rapid.Check(t, property)
		if t.Failed() || len(s.Missing()) == 0 {
			return
		}
	}
	t.Errorf("no drawn case shows %q often enough, so this test says nothing of it", s.Missing())
}
