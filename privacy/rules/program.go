package rules

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A program is an Extended rule, compiled.
type program struct {
	rule        *Rule
	order       int            // in the set
	index       int            // among the programs
	start       *regexp.Regexp // matches at the start of a text
	inner       *regexp.Regexp // the same after one character; nil when what is before does not matter
	prefix      []byte         // every match begins with it
	first       byteSet        // or with one of these
	guard       *guard         // what every match passes; nil when the prefix says enough
	longest     int            // bytes of the longest match, or unlimited
	factor      factor         // what every match holds
	hasFactor   bool
	run         int // base64 characters in a row that every match holds, at least
	left, right byteSet
	checks      []check
	path        *regexp.Regexp
	allow       []allowlist
}

// unlimited stands for a length without bound.
const unlimited = 1 << 30

func (r *Rule) compile() (*program, error) {
	fail := func(reason string, err error) (*program, error) {
		return nil, &FileError{Rule: r.Kind, Reason: reason, Err: err}
	}
	tree, err := parse(r.Expression)
	if err != nil {
		return fail("regex", err)
	}
	p := &program{rule: r, longest: longest(tree), run: runOf(tree).any}
	p.factor, p.hasFactor = factorOf(tree)
	if p.start, err = regexp.Compile(`^(?:` + r.Expression + `)`); err != nil {
		return fail("regex", err)
	}
	if looksBack(tree) {
		if p.inner, err = regexp.Compile(`^(?s:.)(?:` + r.Expression + `)`); err != nil {
			return fail("regex", err)
		}
	}
	if r.SecretGroup < 0 || r.SecretGroup > p.start.NumSubexp() {
		return fail(fmt.Sprintf("the secret is group %d, but the expression has %d groups", r.SecretGroup, p.start.NumSubexp()), nil)
	}
	whole, _ := regexp.Compile(r.Expression)
	prefix, _ := whole.LiteralPrefix()
	p.prefix = []byte(prefix)
	var nullable bool
	if p.first, nullable = firstBytes(tree); nullable {
		return fail("the expression matches the empty text", nil)
	}
	if len(p.prefix) < 3 {
		p.guard = guardOf(tree)
	}
	if p.left, err = boundary(r.Left); err != nil {
		return fail("left", err)
	}
	if p.right, err = boundary(r.Right); err != nil {
		return fail("right", err)
	}
	for _, name := range r.Checks {
		c, known := checks[name]
		if !known {
			return fail(fmt.Sprintf("check %q is unknown; known are %s", name, strings.Join(CheckNames(), ", ")), nil)
		}
		p.checks = append(p.checks, c)
	}
	if p.path, err = compilePath(r.Path); err != nil {
		return fail("path", err)
	}
	if p.allow, err = compileAllow(r.Allow); err != nil {
		return fail("allowlist", err)
	}
	return p, nil
}

// CheckNames lists the checks that a rule may name, sorted.
func CheckNames() []string {
	names := make([]string, 0, len(checks))
	for name := range checks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// boundary gives the class of a name. The class "home" is part of the check
// home-user.
func boundary(name string) (byteSet, error) {
	if name == "" || name == "none" || name == "home" {
		return byteSet{}, nil
	}
	class, known := listed().boundaries[name]
	if !known {
		return byteSet{}, fmt.Errorf("there is no class %q", name)
	}
	return class, nil
}

func parse(expr string) (*syntax.Regexp, error) {
	if len(expr) > MaxExpression {
		return nil, fmt.Errorf("it is longer than %d bytes", MaxExpression)
	}
	return syntax.Parse(expr, syntax.Perl)
}

// looksBack reports whether an expression asks what is before its match.
func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, looksBack)
}

// longest is the length in bytes of the longest match.
func longest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, r := range re.Rune {
			width := utf8.RuneLen(r)
			if re.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					width = max(width, utf8.RuneLen(f))
				}
			}
			n += max(width, 1)
		}
		return n
	case syntax.OpCharClass:
		if len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] < utf8.RuneSelf {
			return 1
		}
		return utf8.UTFMax
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		return unlimited
	case syntax.OpRepeat:
		if re.Max < 0 {
			return unlimited
		}
		return bounded(re.Max * longest(re.Sub[0]))
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
		return n
	}
	n := 0
	for _, sub := range re.Sub {
		n = bounded(n + longest(sub))
	}
	return n
}

func bounded(n int) int {
	if n < 0 || n >= unlimited {
		return unlimited
	}
	return n
}

// firstBytes gives the bytes that a match can begin with, and whether a match
// can be empty. A character that is not ASCII stands for every such byte.
func firstBytes(re *syntax.Regexp) (set byteSet, nullable bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return set, false
	case syntax.OpLiteral:
		r := re.Rune[0]
		addRune(&set, r)
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				addRune(&set, f)
			}
		}
		return set, false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if lo < utf8.RuneSelf {
				set.addRange(byte(lo), byte(min(hi, utf8.RuneSelf-1)))
			}
			if hi >= utf8.RuneSelf {
				set.addRange(utf8.RuneSelf, 255)
			}
		}
		return set, false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		set.addRange(0, 255)
		return set, false
	case syntax.OpCapture, syntax.OpPlus:
		return firstBytes(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		set, _ = firstBytes(re.Sub[0])
		return set, true
	case syntax.OpRepeat:
		set, nullable = firstBytes(re.Sub[0])
		return set, nullable || re.Min == 0
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, empty := firstBytes(sub)
			set.addAll(more)
			nullable = nullable || empty
		}
		return set, nullable
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			more, empty := firstBytes(sub)
			set.addAll(more)
			if !empty {
				return set, false
			}
		}
		return set, true
	}
	return set, true // assertions and the empty match
}

func addRune(set *byteSet, r rune) {
	if r < utf8.RuneSelf {
		set.add(byte(r))
	} else {
		set.addRange(utf8.RuneSelf, 255)
	}
}
