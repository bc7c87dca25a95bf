package bridgeevent

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"finishline/canon"
	"finishline/verify"
)

// MaxDepth is the deepest nesting of a document; the outermost object is depth
// 1 (contract 22, doc.json).
const MaxDepth = 64

// MaxBytes bounds a document, a raw notice, and a row of the mailbox
// (json.size).
const MaxBytes = 4 << 20

// Members are the members of an object: raw JSON texts by name.
type Members struct {
	names  []string
	values map[string]jsontext.Value
}

// Names returns the names, in the order of the text.
func (m Members) Names() []string { return m.names }

// Get returns the raw text of a member, nil when there is none. It has no
// white space around it.
func (m Members) Get(name string) jsontext.Value { return m.values[name] }

// errNoObject says that a text is strict JSON of another kind than an object.
var errNoObject = errors.New("no object")

// ReadStrict reads one JSON object as documents of contract 22 are read:
// UTF-8, no byte order mark, no repeated members, no unpaired surrogates, one
// value, at most 64 levels. isObject is false for JSON of another kind; an
// error says why the text is no such JSON.
func ReadStrict(data []byte) (m Members, isObject bool, err error) {
	m, rest, err := readMembers(data, MaxDepth)
	switch {
	case err == nil || errors.Is(err, errNoObject):
		if !blank(rest) {
			return Members{}, false, errors.New("text follows the end of the JSON value")
		}
		return m, err == nil, nil
	case errors.Is(err, io.EOF):
		return Members{}, false, errors.New("no JSON value")
	}
	return Members{}, false, plain(err)
}

// errDepth says that a text is nested too deeply.
var errDepth = errors.New("nested too deeply")

// readMembers reads the object at the start of a text, and returns what follows
// it. The options say what is accepted beyond strict JSON; a repeated member
// replaces the earlier one. The error is errNoObject for JSON of another kind,
// errDepth, or one of jsontext.
func readMembers(data []byte, depth int, options ...jsontext.Options) (m Members, rest []byte, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), options...)
	if dec.PeekKind() != '{' {
		if err := skip(dec, depth); err != nil {
			return m, nil, err
		}
		return m, data[dec.InputOffset():], errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return m, nil, err
	}
	m.values = map[string]jsontext.Value{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return m, nil, err
		}
		text := name.String()
		start := valueStart(data, dec.InputOffset())
		if err := skip(dec, depth); err != nil {
			return m, nil, err
		}
		if _, twice := m.values[text]; !twice {
			m.names = append(m.names, text)
		}
		m.values[text] = data[start:dec.InputOffset()]
	}
	if _, err := dec.ReadToken(); err != nil {
		return m, nil, err
	}
	return m, data[dec.InputOffset():], nil
}

// valueStart is the offset of the value of a member, after its name.
func valueStart(data []byte, offset int64) int64 {
	return offset + int64(len(data[offset:])-len(bytes.TrimLeft(data[offset:], " \t\r\n:")))
}

// skip reads a value, no deeper than depth levels in all.
func skip(dec *jsontext.Decoder, depth int) error {
	outer := dec.StackDepth()
	for {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		switch d := dec.StackDepth(); {
		case d > depth:
			return errDepth
		case d <= outer:
			return nil
		}
	}
}

func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

// plain is the text of an error of jsontext, without its prefix.
func plain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the text ends inside a JSON value")
	case errors.As(err, &syntax) && syntax.Err != nil:
		return syntax.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
}

// tolerant are the options of base level.
var tolerant = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// readRaw reads a raw notice. The rule that it breaks is "" when there is none;
// at base level only those of the JSON grammar count.
func readRaw(data []byte, lenient bool) (m Members, rule string, err error) {
	text := data
	if !utf8.Valid(data) {
		text = []byte(canon.DecodeUTF8(data))
	}
	m, rest, err := readMembers(text, maxRawDepth, tolerant...)
	switch {
	case err != nil && !errors.Is(err, errNoObject):
		if errors.Is(err, io.EOF) {
			err = errors.New("no JSON value")
		}
		return Members{}, "bridge-event.raw.json", plain(err)
	case lenient:
	case !utf8.Valid(data):
		return Members{}, "bridge-event.raw.utf8", errors.New("bytes that are not well-formed UTF-8")
	default:
		notice := text[:len(text)-len(rest)]
		if _, _, err := readMembers(notice, maxRawDepth, jsontext.AllowDuplicateNames(true)); err != nil && !errors.Is(err, errNoObject) {
			return Members{}, "bridge-event.raw.utf8", plain(err)
		}
		if _, _, err := readMembers(notice, maxRawDepth); err != nil && !errors.Is(err, errNoObject) {
			return Members{}, "bridge-event.raw.duplicate-key", plain(err)
		}
		if !blank(rest) {
			return Members{}, "bridge-event.raw.trailing", errors.New(verify.Quote(string(bytes.TrimSpace(rest))) + " after the notice")
		}
	}
	if err != nil {
		return Members{}, "bridge-event.raw.object", errors.New(kindName(value(text)))
	}
	return m, "", nil
}

// value is a JSON text without the white space before it.
func value(text []byte) jsontext.Value { return bytes.TrimLeft(text, " \t\r\n") }

// kindName says what a value is, for a message.
func kindName(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return verify.Quote(stringOf(v))
	case 0:
		return "absent"
	}
	return string(v[:min(len(v), verify.MaxText)])
}

// maxRawDepth is one less than MaxDepth: a normalised event, which holds the
// members of the notice one level deeper, must be a document that can be read.
const maxRawDepth = MaxDepth - 1

// appendClean appends a value that was read tolerantly as strict JSON without
// white space: of repeated members the last counts, what is not UTF-8 becomes
// U+FFFD. Number literals are kept. Every level is read once more, and there
// are at most 64.
func appendClean(dst []byte, value jsontext.Value) ([]byte, error) {
	var err error
	switch value.Kind() {
	case '{':
		m, _, err := readMembers(value, MaxDepth, tolerant...)
		if err != nil {
			return dst, err
		}
		return appendObject(dst, m, "", "")
	case '[':
		dec := jsontext.NewDecoder(bytes.NewBuffer(value), tolerant...)
		if _, err := dec.ReadToken(); err != nil {
			return dst, err
		}
		dst = append(dst, '[')
		for n := 0; dec.PeekKind() != ']'; n++ {
			elem, err := dec.ReadValue()
			if err != nil {
				return dst, err
			}
			if n > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendClean(dst, elem); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case '"':
		return appendString(dst, stringOf(value))
	}
	return append(dst, value...), err
}

// appendObject appends an object without two of its members.
func appendObject(dst []byte, m Members, without, other string) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	n := 0
	for _, name := range m.names {
		if without != "" && (name == without || name == other) {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, name); err != nil {
			return dst, err
		}
		dst = append(dst, ':')
		if dst, err = appendClean(dst, m.values[name]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendString(dst []byte, s string) ([]byte, error) {
	return jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\uFFFD"))
}

// stringOf decodes a string literal whose grammar has been checked; an unpaired
// surrogate becomes U+FFFD.
func stringOf(value jsontext.Value) string {
	s, err := jsontext.AppendUnquote(nil, value)
	if err != nil { // an unpaired surrogate; the rest is decoded all the same
		return strings.ToValidUTF8(string(s), "\uFFFD")
	}
	return string(s)
}
