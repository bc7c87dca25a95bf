package workload

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
)

// Views of the text (contract 09b, section 2.1).
const (
	viewFolded   = "folded"
	viewSqueezed = "squeezed"
)

// fold lower-cases A to Z and nothing else.
func fold(t string) string { return canon.LowerASCII(t) }

// squeeze trims, turns every run of white space into one space, and folds.
func squeeze(t string) string {
	t = canon.Trim(t)
	var b strings.Builder
	b.Grow(len(t))
	for start, inRun := 0, false; start < len(t); {
		c, n := utf8.DecodeRuneInString(t[start:])
		switch space := canon.IsSpace(c); {
		case !space:
			b.WriteString(t[start : start+n])
		case !inRun:
			b.WriteByte(' ')
		}
		inRun = canon.IsSpace(c)
		start += n
	}
	return canon.LowerASCII(b.String())
}

// lower trims, folds, and maps the two characters whose full lower case holds
// an ASCII letter.
func lower(t string) string {
	return lowerExtra.Replace(canon.LowerASCII(canon.Trim(t)))
}

var lowerExtra = strings.NewReplacer("\u212A", "k", "\u0130", "i\u0307")

// A wordMatcher finds which of many named expressions \b(?:f1|…|fn)\b match
// anywhere in a text (contract 09b, section 2.2), reading the text once.
//
// Nearly all fragments describe finite sets of short texts. Those are expanded
// from their parsed form into one trie that is walked at every start of a word:
// time is bounded by text length times the longest fragment, and does not grow
// with their number. The few that repeat without end stay regular expressions.
// A test compares both against the plain RE2 expression.
type wordMatcher struct {
	names []string
	root  *trieNode
	loops []loop
}

type trieNode struct {
	next map[byte]*trieNode
	ends []int // indexes of names
}

type loop struct {
	name int
	re   *regexp.Regexp
}

// maxExpansion bounds the texts that one fragment may expand to.
const maxExpansion = 512

func newWordMatcher(named map[string][]string) (*wordMatcher, error) {
	m := &wordMatcher{root: &trieNode{}}
	for name := range named {
		m.names = append(m.names, name)
	}
	slices.Sort(m.names)
	for i, name := range m.names {
		for _, fragment := range named[name] {
			parsed, err := syntax.Parse(fragment, syntax.Perl)
			if err != nil {
				return nil, fmt.Errorf("%s: fragment %q: %w", name, fragment, err)
			}
			if texts, ok := expandRegexp(parsed); ok && wordsOnly(texts) {
				for _, text := range texts {
					m.root.add(text, i)
				}
				continue
			}
			re, err := regexp.Compile(`\b(?:` + fragment + `)\b`)
			if err != nil {
				return nil, fmt.Errorf("%s: fragment %q: %w", name, fragment, err)
			}
			m.loops = append(m.loops, loop{i, re})
		}
	}
	return m, nil
}

func (n *trieNode) add(text string, name int) {
	for i := 0; i < len(text); i++ {
		child := n.next[text[i]]
		if child == nil {
			if n.next == nil {
				n.next = map[byte]*trieNode{}
			}
			child = &trieNode{}
			n.next[text[i]] = child
		}
		n = child
	}
	if !slices.Contains(n.ends, name) {
		n.ends = append(n.ends, name)
	}
}

// match returns the names that fire.
func (m *wordMatcher) match(text string) map[string]bool {
	fired := map[string]bool{}
	for i := 0; i < len(text); i++ {
		if isWord(text[i]) && (i == 0 || !isWord(text[i-1])) {
			m.walk(text[i:], fired)
		}
	}
	for _, l := range m.loops {
		if name := m.names[l.name]; !fired[name] && l.re.MatchString(text) {
			fired[name] = true
		}
	}
	return fired
}

// walk follows the trie from a start of a word.
func (m *wordMatcher) walk(rest string, fired map[string]bool) {
	n := m.root
	for i := 0; i < len(rest); i++ {
		if n = n.next[rest[i]]; n == nil {
			return
		}
		if len(n.ends) > 0 && (i+1 == len(rest) || !isWord(rest[i+1])) {
			for _, name := range n.ends {
				fired[m.names[name]] = true
			}
		}
	}
}

// isWord reports whether c is a word character of \b: ASCII letter, digit or
// underscore.
func isWord(c byte) bool { return canon.IsAlnum(c) || c == '_' }

// wordsOnly admits texts whose ends are word characters, so that \b means
// "no word character outside".
func wordsOnly(texts []string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool {
		return s == "" || !isWord(s[0]) || !isWord(s[len(s)-1])
	})
}

// expandRegexp lists the texts that an expression matches, when they are few.
func expandRegexp(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		var texts []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				if texts = append(texts, string(c)); len(texts) > maxExpansion {
					return nil, false
				}
			}
		}
		return texts, true
	case syntax.OpQuest:
		texts, ok := expandRegexp(re.Sub[0])
		return append([]string{""}, texts...), ok
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts, ok := expandRegexp(sub)
			if all = append(all, texts...); !ok || len(all) > maxExpansion {
				return nil, false
			}
		}
		return all, true
	case syntax.OpConcat:
		return expandConcat(re.Sub)
	}
	return nil, false
}

func expandConcat(parts []*syntax.Regexp) ([]string, bool) {
	all := []string{""}
	for _, part := range parts {
		texts, ok := expandRegexp(part)
		if !ok || len(all)*len(texts) > maxExpansion {
			return nil, false
		}
		longer := make([]string, 0, len(all)*len(texts))
		for _, head := range all {
			for _, tail := range texts {
				longer = append(longer, head+tail)
			}
		}
		all = longer
	}
	return all, true
}
