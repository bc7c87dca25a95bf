package hux

import (
	_ "embed"
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"

	"finishline/canon"
)

// Patterns say what counts as a secret (§3): names of members that never have
// content, and expressions that no text may match. They never change once they
// are read.
type Patterns struct {
	forbidden map[string]bool // normal forms of names
	longest   int             // of them
	list      []pattern
	filter    prefilter
}

type pattern struct {
	id string
	re *regexp.Regexp
}

//go:embed catalogs/hux-secret-patterns.json
var companionPatterns []byte

// BuiltInPatterns are the patterns that count where none are given.
func BuiltInPatterns() *Patterns { return builtInPatterns() }

var builtInPatterns = sync.OnceValue(func() *Patterns {
	p, err := ReadPatterns(companionPatterns)
	if err != nil {
		panic("hux: the embedded secret patterns are damaged: " + err.Error()) // a test reads them
	}
	return p
})

// maxPatterns bounds the list of --secret-patterns.
const maxPatterns = 1000

// ReadPatterns reads the file of --secret-patterns: RE2 expressions, and
// forbidden names in normal form. A file of unknown shape is an error, never an
// empty list.
func ReadPatterns(data []byte) (*Patterns, error) {
	root, err := readOption(data)
	if err != nil {
		return nil, fmt.Errorf("secret patterns: %w", err)
	}
	keys, list := root.Get("forbidden_keys"), root.Get("patterns")
	if !keys.IsArray() || !list.IsArray() || keys.Len()+list.Len() == 0 || list.Len() > maxPatterns {
		return nil, fmt.Errorf("secret patterns: forbidden_keys and patterns must be arrays, not both empty, of at most %d patterns", maxPatterns)
	}
	p := &Patterns{forbidden: make(map[string]bool, keys.Len())}
	for _, k := range keys.Elems() {
		name, ok := k.Str()
		if !ok || name == "" {
			return nil, fmt.Errorf("secret patterns: forbidden_keys must hold strings that are not empty")
		}
		name = string(appendNormal(nil, name))
		p.forbidden[name] = true
		p.longest = max(p.longest, len(name))
	}
	for _, e := range list.Elems() {
		if err := p.add(e); err != nil {
			return nil, fmt.Errorf("secret patterns: %w", err)
		}
	}
	return p, nil
}

func (p *Patterns) add(e canon.Value) error {
	id, ok := e.Get("id").Str()
	if !ok || id == "" {
		return fmt.Errorf("every pattern needs an id")
	}
	text, ok := e.Get("re").Str()
	if !ok || text == "" {
		return fmt.Errorf("the pattern %.80q has no re", id)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return fmt.Errorf("the pattern %.80q: %w", id, err)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return fmt.Errorf("the pattern %.80q: %w", id, err)
	}
	p.filter.add(len(p.list), parsed)
	p.list = append(p.list, pattern{id, re})
	return nil
}

// match returns the id of the first pattern that a text matches.
func (p *Patterns) match(text []byte) (id string, found bool) {
	set := p.filter.candidates(text)
	if set == 0 {
		return "", false
	}
	for i := range p.list {
		if set.has(i) && p.list[i].re.Match(text) {
			return p.list[i].id, true
		}
	}
	return "", false
}

// forbids reports whether a member of that name must not have content.
func (p *Patterns) forbids(name []byte) bool {
	var scratch [64]byte
	normal := appendNormal(scratch[:0], string(name))
	return len(normal) <= p.longest && p.forbidden[string(normal)]
}

// appendNormal appends the normal form of a name (§3): ASCII lower case,
// without _ - . and spaces.
func appendNormal(to []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == ' ':
		case 'A' <= c && c <= 'Z':
			to = append(to, c+'a'-'A')
		default:
			to = append(to, c)
		}
	}
	return to
}
