package privacy

import (
	"sync"

	"finishline/privacy/rules"
)

// An Engine looks for the kinds of a rule set (package privacy/rules) beside
// the base detectors. It may be used by several scans at once.
type Engine struct {
	compiled *rules.Engine
	count    int
}

// NewEngine prepares a rule set.
func NewEngine(set *rules.Set) (*Engine, error) {
	compiled, err := set.Compile()
	if err != nil {
		return nil, err
	}
	return &Engine{compiled, len(set.Rules)}, nil
}

// Embedded is the engine of the extended set of contract 10, section 15. It is
// made once.
var Embedded = sync.OnceValues(func() (*Engine, error) { return NewEngine(rules.Extended()) })

// open begins a file. The findings in one that turns out to be binary are
// dropped.
func (e *Engine) open(path string, key []byte, most int) *fileScan {
	s := &fileScan{}
	s.scanner = e.compiled.Scanner(path, func(h rules.Hit) {
		if len(s.found) > most {
			return // one too many is enough to say that there are too many
		}
		x := Extra{
			Kind: h.Rule.Kind, Group: h.Rule.Group, Tier: h.Rule.Tier.String(), View: h.View.String(), What: h.Rule.Description,
			Path: path, Line: h.Line, Column: h.Column, ValueSHA256: h.Secret.SHA256(),
		}
		if len(key) > 0 {
			x.Fingerprint = h.Secret.Fingerprint(key, h.Rule.Kind, path)
		}
		s.found = append(s.found, x)
	})
	return s
}

// name reports whether a kind that can fail a verdict is in the name of a file.
func (e *Engine) name(path string) (found bool) {
	e.compiled.Scan("", []byte(path), func(h rules.Hit) { found = found || h.Line > 0 && h.Rule.Tier != rules.Info })
	return found
}

// A fileScan takes the bytes of one file in order.
type fileScan struct {
	scanner *rules.Scanner
	found   []Extra
}

func (s *fileScan) write(block []byte) { s.scanner.Write(block) }

// close gives what was found, and how many matches an allow-list of the rules
// dropped.
func (s *fileScan) close() (found []Extra, allowed int) {
	stats := s.scanner.Close()
	return s.found, stats.Allowed
}
