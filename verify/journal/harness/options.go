package harness

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"finishline/verify/journal/flat"
)

// DefaultMaxLine is the longest accepted line in bytes, without its LF, unless
// Options says otherwise (contract 20, section 1).
const DefaultMaxLine = 1 << 20

// MaxMaxLine is the most that Options.MaxLine may be: what a line of a journal
// is held in memory for.
const MaxMaxLine = 16 << 20

// maxDepth is the deepest nesting of a line; the outermost object is depth 1
// (harness.line.depth).
const maxDepth = 64

// Auto as Options.Payload has the payload pointer found on the first accepted
// line.
const Auto = "auto"

// A Demand makes the verdict depend on what the format itself only warns of.
type Demand uint8

// What may be demanded; combine with |.
const (
	// StrictTail makes a torn or unterminated tail an error (--strict-tail).
	StrictTail Demand = 1 << iota
	// Terminal makes a run without a terminal record an error
	// (--require-terminal).
	Terminal
	// NoWarnings makes every warning an error (--fail-on warning).
	NoWarnings
)

// Options are the options of contract 20, section 1. The zero value has the
// contract's defaults.
type Options struct {
	// Path names the journal in findings.
	Path string
	// Payload is the RFC 6901 pointer from a line's object to the payload, ""
	// for the line itself, or Auto.
	Payload string
	// Seq, Timestamp and PrevHash are pointers to the envelope's sequence
	// number, timestamp and hash chain; nil leaves the check out.
	Seq, Timestamp, PrevHash *string
	// MaxLine is the longest accepted line, DefaultMaxLine when 0.
	MaxLine int
	// Demand is what makes the verdict stricter.
	Demand Demand
	// RunDir enables the check of the files beside the journal; "" leaves it
	// out.
	RunDir string
	// Workers is how many goroutines parse; all cores when 0.
	Workers int
	// Progress, when given, is told how many bytes were read so far, from
	// another goroutine.
	Progress func(bytes int64)
}

// An OptionError says that an option cannot be followed.
type OptionError struct {
	Option string // as on the command line, such as --payload-pointer
	Value  string
	Reason string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %q: %s", e.Option, e.Value, e.Reason)
}

// config is Options, checked.
type config struct {
	Options
	payload               *pointer // nil for Auto
	seq, ts, prev         *pointer // nil when off
	envelope, digestLines bool

	heavy       sync.Mutex // held while a long line is looked at
	heavyParser flat.Parser
}

func (o Options) check() (*config, error) {
	c := &config{Options: o}
	switch {
	case c.MaxLine == 0:
		c.MaxLine = DefaultMaxLine
	case c.MaxLine < 0 || c.MaxLine > MaxMaxLine:
		return nil, &OptionError{"--max-line-bytes", strconv.Itoa(c.MaxLine), fmt.Sprintf("must be from 1 to %d", MaxMaxLine)}
	}
	if o.Payload != Auto {
		p, err := parsePointer("--payload-pointer", o.Payload)
		if err != nil {
			return nil, err
		}
		c.payload = p
	}
	for _, x := range []struct {
		option string
		text   *string
		to     **pointer
	}{{"--seq-pointer", o.Seq, &c.seq}, {"--ts-pointer", o.Timestamp, &c.ts}, {"--prev-hash-pointer", o.PrevHash, &c.prev}} {
		if x.text == nil {
			continue
		}
		p, err := parsePointer(x.option, *x.text)
		if err != nil {
			return nil, err
		}
		*x.to, c.envelope = p, true
	}
	c.digestLines = c.prev != nil
	c.heavyParser.Keep(c.MaxLine)
	return c, nil
}

// A pointer is an RFC 6901 JSON pointer.
type pointer struct {
	text  string
	parts []string
}

func parsePointer(option, text string) (*pointer, error) {
	p := &pointer{text: text}
	if text == "" {
		return p, nil
	}
	if text[0] != '/' {
		return nil, &OptionError{option, text, "a JSON pointer is empty or starts with /"}
	}
	for part := range strings.SplitSeq(text[1:], "/") {
		for i := range len(part) {
			if part[i] == '~' && (i+1 == len(part) || part[i+1] != '0' && part[i+1] != '1') {
				return nil, &OptionError{option, text, "~ in a JSON pointer must be written ~0"}
			}
		}
		p.parts = append(p.parts, strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
	}
	return p, nil
}

// of is what the pointer selects, or Absent.
func (p *pointer) of(v flat.Value) flat.Value {
	for _, part := range p.parts {
		if v.Kind() == flat.Array {
			v = element(v, part)
		} else {
			v = v.Get(part)
		}
	}
	return v
}

// element is the element of an array that a pointer's part names.
func element(v flat.Value, part string) flat.Value {
	index, err := strconv.ParseUint(part, 10, 31)
	if err != nil || strconv.FormatUint(index, 10) != part {
		return flat.Value{}
	}
	for e := range v.Elems() {
		if index == 0 {
			return e
		}
		index--
	}
	return flat.Value{}
}

// candidates are the pointers that Auto tries, in order (section 3).
var candidates = []*pointer{
	{text: ""},
	{text: "/payload", parts: []string{"payload"}},
	{text: "/event", parts: []string{"event"}},
	{text: "/data", parts: []string{"data"}},
	{text: "/record", parts: []string{"record"}},
	{text: "/body", parts: []string{"body"}},
}

// guess is the candidate that selects an object with a string member kind, nil
// if none does.
func guess(line flat.Value) *pointer {
	for _, p := range candidates {
		if v := p.of(line); v.Kind() == flat.Object && v.Get("kind").Kind() == flat.String {
			return p
		}
	}
	return nil
}
