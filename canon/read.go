package canon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is the deepest nesting of arrays and objects that is read; the
// outermost container is depth 1 (json.depth).
const MaxDepth = 128

// Size bounds of contract 01, section 1 (json.size).
const (
	MaxTrustStore = 1 << 20  // a trust store, live or committed
	MaxReview     = 4 << 20  // a review
	MaxDocument   = 16 << 20 // any other JSON document
	MaxSubject    = 64 << 20 // a review subject or a portable proof (02 §7.1, 03 B.1)
)

// maxDefects bounds how many defects of one rule are kept, so that many of one
// kind never hide one of another; Document.DefectCount has the true number.
const maxDefects = 16

// A Document is what Read makes of bytes.
type Document struct {
	Root Value
	// Defects are what base level reads its own way and strict level refuses,
	// in the order of the text; at most 16 of each rule are kept.
	Defects []Defect
	// DefectCount is how many there were.
	DefectCount int
}

// A Defect is a strict.json.* violation.
type Defect struct {
	Rule    string // strict.json.duplicate-key, …
	Pointer string // JSON pointer of the value, "" for the whole file
	Line    int    // 1-based
	Detail  string // what was found, short; may quote untrusted text
}

// A ReadError says that bytes are not a readable JSON document. Rule is one of
// json.syntax, json.depth and json.size.
type ReadError struct {
	Rule   string
	Line   int // 1-based; 0 when the position means nothing (size)
	Column int // 1-based, in bytes
	Reason string
}

func (e *ReadError) Error() string { return e.Where() + " (" + e.Rule + ")" }

// Where is the error without its rule, for a finding that names the rule
// anyway.
func (e *ReadError) Where() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Read reads one JSON value surrounded by optional white space, as contract 01
// section 1 reads it. maxBytes is the size bound of the document's kind, one of
// the Max constants. The error, if any, is a [*ReadError].
func Read(data []byte, maxBytes int) (*Document, error) {
	if len(data) > maxBytes {
		return nil, &ReadError{Rule: "json.size", Reason: fmt.Sprintf("%d bytes; at most %d are read", len(data), maxBytes)}
	}
	r := &reader{doc: &Document{}, text: data}
	if !utf8.Valid(data) {
		r.text = decodeWHATWG(data)
		r.defect("strict.json.invalid-utf8", firstInvalid(data), "bytes that are not well-formed UTF-8")
	}
	r.dec = jsontext.NewDecoder(bytes.NewBuffer(r.text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	root, err := r.value(0)
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		return nil, r.readError(err)
	}
	r.doc.Root = root
	return r.doc, nil
}

var (
	errDepth    = errors.New("nested deeper than 128 levels")
	errTrailing = errors.New("text after the end of the JSON value")
)

type reader struct {
	dec  *jsontext.Decoder
	text []byte
	doc  *Document
	path []step
	kept map[string]int // defects, by rule
	// names are member names seen lately: documents repeat a few names over
	// and over, and one copy of each is enough.
	names [64]string
	end   int // offset after the value, for errTrailing
}

type step struct {
	name  string
	index int // -1: name counts
}

func (r *reader) value(depth int) (Value, error) {
	switch k := r.dec.PeekKind(); k {
	case '{', '[':
		if depth == MaxDepth {
			return Value{}, errDepth
		}
		if _, err := r.dec.ReadToken(); err != nil {
			return Value{}, err
		}
		if k == '{' {
			return r.object(depth + 1)
		}
		return r.array(depth + 1)
	default:
		raw, err := r.dec.ReadValue()
		if err != nil {
			return Value{}, err
		}
		switch raw[0] {
		case 'n':
			return NewNull(), nil
		case 't', 'f':
			return NewBool(raw[0] == 't'), nil
		case '"':
			return NewString(r.string(raw)), nil
		}
		return NewNumber(r.number(raw)), nil
	}
}

func (r *reader) object(depth int) (Value, error) {
	o := &object{}
	if r.dec.PeekKind() != '}' {
		o.members = make([]Member, 0, 4)
	}
	top := len(r.path)
	for r.dec.PeekKind() != '}' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return Value{}, err
		}
		at := int(r.dec.InputOffset()) - len(raw)
		r.path = r.path[:top] // a defect of the name is one of the object
		name := r.name(raw)
		r.path = append(r.path, step{name: name, index: -1})
		v, err := r.value(depth)
		if err != nil {
			return Value{}, err
		}
		if o.set(name, v) {
			r.defect("strict.json.duplicate-key", at, "a second member named "+strconv.Quote(clip(name)))
		}
	}
	r.path = r.path[:top]
	_, err := r.dec.ReadToken()
	return Value{o}, err
}

func (r *reader) array(depth int) (Value, error) {
	elems := []Value{}
	r.path = append(r.path, step{})
	top := len(r.path) - 1
	for r.dec.PeekKind() != ']' {
		r.path[top].index = len(elems)
		v, err := r.value(depth)
		if err != nil {
			return Value{}, err
		}
		elems = append(elems, v)
	}
	r.path = r.path[:top]
	_, err := r.dec.ReadToken()
	return Value{elems}, err
}

// finish demands that nothing but white space follows the value.
func (r *reader) finish() error {
	r.end = int(r.dec.InputOffset())
	if _, err := r.dec.ReadToken(); err == nil {
		return errTrailing
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// name decodes a member name, and shares the copy of one seen lately.
func (r *reader) name(raw []byte) string {
	n := len(raw)
	if n == 2 || n > 34 || bytes.IndexByte(raw, '\\') >= 0 {
		return r.string(raw)
	}
	body := raw[1 : n-1]
	slot := &r.names[(n*7+int(body[0])*31+int(raw[n-2])+int(body[len(body)/2])*3)%len(r.names)]
	if *slot != string(body) {
		*slot = string(body)
	}
	return *slot
}

// string decodes a string literal whose grammar jsontext has checked.
func (r *reader) string(raw []byte) string {
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body)
	}
	s, lone := unescape(body)
	if lone {
		r.defect("strict.json.lone-surrogate", int(r.dec.InputOffset())-len(raw), "an unpaired surrogate escape")
	}
	return s
}

func (r *reader) number(raw []byte) float64 {
	f, err := strconv.ParseFloat(string(raw), 64)
	at := int(r.dec.InputOffset()) - len(raw)
	switch {
	case err != nil && math.IsInf(f, 0):
		r.defect("strict.json.number-overflow", at, "the number "+clip(string(raw)))
	case math.Abs(f) > maxSafeInteger, f == 0 && nonZeroLiteral(raw):
		r.defect("strict.json.number-inexact", at, "the number "+clip(string(raw)))
	}
	return f
}

// maxSafeInteger is 2^53 - 1. Every double beyond it is an integer.
const maxSafeInteger = 1<<53 - 1

func nonZeroLiteral(raw []byte) bool {
	for _, c := range raw {
		switch {
		case c == 'e' || c == 'E':
			return false
		case '1' <= c && c <= '9':
			return true
		}
	}
	return false
}

func (r *reader) defect(rule string, offset int, detail string) {
	r.doc.DefectCount++
	if r.kept[rule] == maxDefects {
		return
	}
	if r.kept == nil {
		r.kept = map[string]int{}
	}
	r.kept[rule]++
	line, _ := position(r.text, offset)
	r.doc.Defects = append(r.doc.Defects, Defect{rule, r.pointer(), line, detail})
}

func (r *reader) pointer() string {
	var b strings.Builder
	for _, s := range r.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(EscapePointer(s.name))
		}
	}
	return b.String()
}

func (r *reader) readError(err error) *ReadError {
	offset := int(r.dec.InputOffset())
	rule, reason := "json.syntax", err.Error()
	var syn *jsontext.SyntacticError
	switch {
	case errors.Is(err, errDepth):
		rule = "json.depth"
	case errors.Is(err, errTrailing):
		offset = len(r.text) - len(bytes.TrimLeft(r.text[r.end:], " \t\r\n"))
	case errors.Is(err, io.EOF):
		reason = "no JSON value"
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the text ends inside a JSON value"
		offset = len(r.text)
	case errors.As(err, &syn):
		offset = int(syn.ByteOffset)
		if syn.Err != nil {
			reason = syn.Err.Error()
		}
	}
	line, col := position(r.text, offset)
	return &ReadError{Rule: rule, Line: line, Column: col, Reason: clip(reason)}
}

// position turns a byte offset into a line and a column, both 1-based.
func position(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	line = 1 + bytes.Count(text[:offset], []byte{'\n'})
	column = offset - bytes.LastIndexByte(text[:offset], '\n')
	return line, column
}

// clip bounds text that is quoted in a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
