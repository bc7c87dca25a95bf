package rules

import (
	_ "embed"
	"fmt"
	"sync"
)

// A Tier says what a finding does to the verdict (contract 10 §15.5).
type Tier uint8

// The tiers.
const (
	// Gate fails the extended verdict. The zero value, and the tier of every
	// rule of a configuration that names none.
	Gate Tier = iota
	// Personal fails it unless the operator chose to report personal data only.
	Personal
	// Info never fails it.
	Info
)

var tierNames = [...]string{"gate", "pii", "info"}

func (t Tier) String() string { return tierNames[min(int(t), len(tierNames)-1)] }

func tierOf(name string) (Tier, bool) {
	for i, n := range tierNames {
		if n == name {
			return Tier(i), true
		}
	}
	return Gate, false
}

// A View is how the text was read when a rule matched (contract 10 §15.1).
type View uint8

// The views.
const (
	Raw     View = iota // the text as it is
	Escaped             // backslash escapes decoded, once or twice
	Base64              // a run of base64 in one of the others, decoded
)

var viewNames = [...]string{"raw", "escaped", "base64"}

func (v View) String() string { return viewNames[min(int(v), len(viewNames)-1)] }

// A Dialect says how a rule is held against a text.
type Dialect uint8

// The dialects.
const (
	// GitleaksDialect: the expression is searched in the whole text, when one of the
	// keywords, if any, occurs in it. Matches may span lines. The zero value.
	GitleaksDialect Dialect = iota
	// ExtendedDialect: the expression is searched in every view of each line, and
	// boundaries and checks decide with it (contract 10 §15.2).
	ExtendedDialect
)

// A Rule finds one kind of secret or personal datum. It is data: a [Set] of
// rules does nothing before [Set.Compile].
type Rule struct {
	Kind        string // unique in its set, such as "github-token"
	Group       string // what the kind belongs to, such as "vcs"; may be empty
	Tier        Tier
	Description string
	Dialect     Dialect

	Expression  string  // RE2; empty for a rule of paths alone
	Path        string  // RE2 over the path of the file; empty for every file
	SecretGroup int     // the group that is the secret; 0 for the first that took part, or the whole match
	Entropy     float64 // Shannon, bits per character: Extended refuses less, Gitleaks refuses this and less

	Keywords []string    // Gitleaks: in lower case; one of them occurs in the text, in any case of letters
	Allow    []Allowlist // Gitleaks: what drops a match of this rule

	Left, Right string   // Extended: names of boundary classes; empty for none
	Checks      []string // Extended: names of checks, in order
	Base64      bool     // Extended: decoded base64 is searched too
}

// An Allowlist drops matches, as a gitleaks configuration asks for. What it
// dropped is counted in [Stats], so that a report can tell.
type Allowlist struct {
	Description string
	All         bool     // every criterion that is given must hold, not just one
	Commits     bool     // commits are among the criteria; a file has none, so it never holds
	Paths       []string // RE2 over the path
	Regexes     []string // RE2 over the target
	Target      string   // "secret", "match" or "line"
	StopWords   []string // in lower case, anywhere in the secret
	Rules       []string // of an allowlist of the whole set: the kinds it is for; empty for all
}

// A Set is a list of rules in the order in which they are tried.
type Set struct {
	Title string
	Rules []*Rule
	Allow []Allowlist // of the whole set
}

// Rule returns the rule of a kind, or nil.
func (s *Set) Rule(kind string) *Rule {
	for _, r := range s.Rules {
		if r.Kind == kind {
			return r
		}
	}
	return nil
}

//go:embed extended.toml
var extendedFile []byte

// The embedded file is decoded once; a mistake in it is a mistake of this
// package, which its tests find.
var embedded = sync.OnceValue(func() *file {
	f, err := decode(extendedFile)
	if err != nil {
		panic(fmt.Sprintf("rules: the embedded rule file: %v", err))
	}
	return f
})

// Extended returns the extended rule set of contract 10 §15.6. Each call
// returns a set of its own.
func Extended() *Set {
	f := embedded()
	s := &Set{Title: f.Title}
	for i := range f.Rules {
		r, err := f.Rules[i].rule()
		if err != nil {
			panic(fmt.Sprintf("rules: the embedded rule file: %v", err))
		}
		s.Rules = append(s.Rules, r)
	}
	return s
}
