package rules

import "sync"

// An Engine finds what a set of rules looks for. It may be used by several
// goroutines at once.
type Engine struct {
	programs []*program     // ExtendedDialect rules, in table order
	hot      []trigger      // of those for any text
	cold     []trigger      // of those for text with a run of base64 characters
	always   []int32        // those without a factor
	files    []*fileProgram // GitleaksDialect rules
	keywords []trigger      // of those
	factors  []trigger      // of those
	allow    []allowlist
	pool     sync.Pool
}

// Compile prepares a set for use. The error, if any, is a *FileError that
// names the rule. The set must not be changed while the engine is in use.
func (s *Set) Compile() (*Engine, error) {
	e := &Engine{}
	seen := map[string]bool{}
	for i, r := range s.Rules {
		if r.Kind == "" || seen[r.Kind] {
			return nil, &FileError{Rule: r.Kind, Reason: "its kind is empty, or there is another rule of this kind"}
		}
		seen[r.Kind] = true
		if r.Dialect == GitleaksDialect {
			p, err := r.compileFile()
			if err != nil {
				return nil, err
			}
			p.order = i
			e.files = append(e.files, p)
			continue
		}
		p, err := r.compile()
		if err != nil {
			return nil, err
		}
		p.order, p.index = i, len(e.programs)
		e.programs = append(e.programs, p)
	}
	var err error
	if e.allow, err = compileAllow(s.Allow); err != nil {
		return nil, &FileError{Reason: "global allowlist", Err: err}
	}
	if err := e.triggers(); err != nil {
		return nil, &FileError{Reason: "automaton", Err: err}
	}
	e.pool.New = func() any { return &worker{engine: e} }
	return e, nil
}

// Scan searches a whole text, which is the content of the file at path. It
// calls emit for each hit, in the order of lines, columns and rules. One
// leading byte order mark, if it is not to count as text, is the caller's to
// drop.
func (e *Engine) Scan(path string, text []byte, emit func(Hit)) Stats {
	s := e.Scanner(path, emit)
	s.Write(text)
	return s.Close()
}

// Scanner returns a scanner for the content of the file at path, which the
// caller writes to it in pieces of any size. It calls emit during Write and
// Close.
func (e *Engine) Scanner(path string, emit func(Hit)) *Scanner {
	s := &Scanner{worker: e.pool.Get().(*worker), path: path, emit: emit, line: 1}
	s.worker.begin(path)
	s.flush()
	return s
}
