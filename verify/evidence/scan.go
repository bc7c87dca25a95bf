package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
)

// Scans selects the document scans of contract 01, section 6.
type Scans uint8

// The scans. A document's contract says which of them it is subject to.
const (
	ScanSelfGrant Scans = 1 << iota // §6.1
	ScanSecrets                     // §6.2
)

// ScanDocument runs the scans over a whole parsed document, unknown members
// included. Each rule is reported at most once, at the first place in reading
// order, with the number of places; what was found there is described and never
// shown. Time is linear in the document.
func ScanDocument(out *verify.Findings, path string, doc canon.Value, scans Scans) {
	s := scanner{scans: scans, strict: out.Strict(), places: map[string]*place{}}
	s.visit(doc, context{})
	for _, p := range s.inOrder() {
		out.Add(p.rule, verify.At(path, p.pointer), verify.What{Found: p.what + p.more(), Expected: p.expected})
	}
}

// A place is where a rule fired first, and how often it fired.
type place struct {
	rule, pointer, what, expected string
	at                            int // ordinal of the value in reading order
	count                         int
}

func (p *place) more() string {
	switch p.count {
	case 1:
		return ""
	case 2:
		return ", and in 1 more place"
	}
	return fmt.Sprintf(", and in %d more places", p.count-1)
}

type scanner struct {
	scans  Scans
	strict bool
	places map[string]*place
	order  []*place
	path   []step
	values int // visited so far
}

// A step leads to a member, or to an element when index is not negative.
type step struct {
	name  string
	index int
}

// context is what a value's ancestors and its name say about it.
type context struct {
	name      secret.Name
	inherited bool // an ancestor is in secret context
	numeric   bool // an ancestor is known to be a numeric metric tree
}

// visit scans a value and everything below it, and reports whether it is a
// numeric metric tree. That is known only after its parts, so the rule about
// metrics is noted last although its place comes first.
func (s *scanner) visit(v canon.Value, c context) (numeric bool) {
	at := s.values
	s.values++
	secretScan := s.scans&ScanSecrets != 0
	// Whether a metric's name also makes it secret depends on the whole value.
	exempt := secretScan && c.name.BenignMetric && c.name.SecretLike && !c.inherited &&
		(c.numeric || numericTree(v))
	inSecret := c.inherited || c.name.SecretLike && !exempt
	if secretScan && inSecret && !secret.IsPlaceholder(v.Text()) {
		s.note("secrets.raw-value", at, describe(v)+" where the name announces a secret", "[REDACTED] or another placeholder")
	}
	below := context{inherited: inSecret, numeric: c.numeric || exempt}
	switch v.Kind() {
	case canon.Number:
		f, finite := v.Finite()
		numeric = finite && f >= 0
	case canon.String:
		if secretScan {
			s.text(v.Text(), at)
		}
	case canon.Array:
		if secretScan && c.name.IsArgv() {
			s.argv(v.Elems(), at)
		}
		numeric = s.elements(v.Elems(), below)
	case canon.Object:
		s.grant(v, at)
		numeric = s.members(v.Members(), below)
	}
	if secretScan && c.name.BenignMetric && !numeric {
		s.note("secrets.metric-not-numeric", at, describe(v)+" where the name announces a count", "a number of at least 0, or a tree of such numbers")
	}
	return numeric
}

func (s *scanner) elements(elems []canon.Value, c context) (numeric bool) {
	numeric = len(elems) > 0
	s.path = append(s.path, step{})
	last := len(s.path) - 1
	for i, e := range elems {
		s.path[last].index = i
		numeric = s.visit(e, c) && numeric
	}
	s.path = s.path[:last]
	return numeric
}

func (s *scanner) members(members []canon.Member, c context) (numeric bool) {
	numeric = len(members) > 0
	s.path = append(s.path, step{})
	last := len(s.path) - 1
	for _, m := range members {
		s.path[last] = step{name: m.Name, index: -1}
		if s.scans&ScanSecrets != 0 {
			c.name = secret.NameOf(m.Name)
			if s.strict && secret.InText(m.Name) {
				s.note("strict.secrets.member-name", s.values, "a member name that is "+secret.Kind(m.Name), "a name that discloses nothing")
			}
		}
		numeric = s.visit(m.Value, c) && numeric
	}
	s.path = s.path[:last]
	return numeric
}

func (s *scanner) text(text string, at int) {
	if kind := secret.Kind(text); kind != "" {
		s.note("secrets.string", at, "a text with "+kind, "[REDACTED] in its place")
	}
	if !s.strict {
		return
	}
	if secret.HasPrivateKeyMarker(text) {
		s.note("strict.secrets.private-key-marker", at, "a text with the first line of a private key", "[REDACTED] in its place")
	}
	if secret.HasCloudToken(text) {
		s.note("strict.secrets.cloud-token", at, "a text with a cloud token", "[REDACTED] in its place")
	}
}

func (s *scanner) argv(elems []canon.Value, at int) {
	args := make([]string, len(elems))
	for i, e := range elems {
		args[i] = e.Text() // "" for what is no string, which is malformed alike
	}
	flags, malformed := secret.Argv(args)
	if malformed {
		s.note("secrets.argv-malformed", at, "a command line of "+countOf(len(elems), "argument"), "non-empty arguments, each secret flag with its value")
		return
	}
	for _, f := range flags {
		if f.Raw() {
			s.note("secrets.argv-raw-value", at, "a raw value of "+verify.Quote(f.Name)+" at argument "+strconv.Itoa(f.Index), "[REDACTED] as the flag's value")
		}
	}
}

func (s *scanner) grant(v canon.Value, at int) {
	if s.scans&ScanSelfGrant != 0 && v.Get("status").Is("granted") && v.Get("actorType").Is("agent") {
		s.note("self-grant.agent-approval", at, `an approval with status "granted" and actorType "agent"`, "an approval by a person or a service")
	}
}

// note records that a rule fired at the value of that ordinal, where the path
// leads.
func (s *scanner) note(rule string, at int, what, expected string) {
	p := s.places[rule]
	if p == nil {
		p = &place{rule: rule, at: at + 1}
		s.places[rule] = p
		s.order = append(s.order, p)
	}
	p.count++
	if at < p.at {
		p.at, p.what, p.expected, p.pointer = at, what, expected, s.pointer()
	}
}

// inOrder sorts what was noted by place. At the same place, the order of the
// contract's steps holds.
func (s *scanner) inOrder() []*place {
	rank := func(p *place) int {
		return slices.IndexFunc(scanRules, func(r verify.Rule) bool { return r.ID == p.rule })
	}
	slices.SortFunc(s.order, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rank(a), rank(b)))
	})
	return s.order
}

func (s *scanner) pointer() string {
	var b []byte
	for _, p := range s.path {
		b = append(b, '/')
		if p.index >= 0 {
			b = strconv.AppendInt(b, int64(p.index), 10)
		} else {
			b = append(b, canon.EscapePointer(p.name)...)
		}
	}
	return string(b)
}

// numericTree reports whether a value is a finite number of at least 0, or a
// non-empty array or object of nothing else.
func numericTree(v canon.Value) bool {
	switch v.Kind() {
	case canon.Number:
		f, finite := v.Finite()
		return finite && f >= 0
	case canon.Array:
		return v.Len() > 0 && !slices.ContainsFunc(v.Elems(), func(e canon.Value) bool { return !numericTree(e) })
	case canon.Object:
		return v.Len() > 0 && !slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return !numericTree(m.Value) })
	}
	return false
}

// describe says what sort of value it is without showing any of it.
func describe(v canon.Value) string {
	switch v.Kind() {
	case canon.String:
		return "a text of " + countOf(canon.UTF16Len(v.Text()), "character")
	case canon.Array:
		return "an array of " + countOf(v.Len(), "element")
	case canon.Object:
		return "an object of " + countOf(v.Len(), "member")
	}
	return v.Kind().String()
}

func countOf(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit
}
