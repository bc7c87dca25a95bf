package privacy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
)

// A Redaction is a copy of a text or document that may be published as far as
// the base set can tell.
type Redaction struct {
	Data []byte
	// Changed is how many lines of a text, or strings and values of a document,
	// differ from the original.
	Changed int
	// Controls is how many terminal escapes, control characters and ill-formed
	// bytes were left out: with any of them a text is a binary file.
	Controls int
}

// marker stands for what was redacted. It is the only marker that the scan
// accepts after a name (10 §19).
const marker = "[REDACTED]"

// RedactText writes a redacted copy of a text: known values first, then what
// the detectors of contract 01 find, keys over several lines included, then
// what those of the scan find, line by line, until they find nothing.
func RedactText(data []byte, known ...string) Redaction {
	text, controls := printableText(data)
	before := strings.Split(text, "\n")
	for range maxPasses {
		text = redactLines(plainMarkers(secret.Settle(text, known...)))
		if !secret.InText(text) {
			return Redaction{Data: []byte(text), Changed: differing(before, strings.Split(text, "\n")), Controls: controls}
		}
	}
	return Redaction{Data: []byte(marker + "\n"), Changed: len(before), Controls: controls}
}

// maxPasses bounds how often the two redactions take turns. One pass is enough
// for texts that nobody made for the purpose.
const maxPasses = 8

// redactLines redacts each line of a text.
func redactLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i < len(lines)-1 {
			if body, ok := strings.CutSuffix(l, "\r"); ok {
				lines[i] = redactLine(body) + "\r"
				continue
			}
		}
		lines[i] = redactLine(l)
	}
	return strings.Join(lines, "\n")
}

// differing counts the lines that changed. A key over several lines becomes one
// marker.
func differing(before, after []string) (n int) {
	if len(before) != len(after) {
		return max(1, len(before)-len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}

// plainMarkers writes every marker as the plain one.
func plainMarkers(s string) string {
	for _, m := range [...]string{"[REDACTED TOKEN]", "[REDACTED JWT]", "[REDACTED PRIVATE KEY]"} {
		s = strings.ReplaceAll(s, m, marker)
	}
	return s
}

// maxRedactions bounds how often a line is looked at again. Each time what was
// found is gone, so two or three are enough for lines that nobody made for the
// purpose; another line is replaced as a whole.
const maxRedactions = 64

// redactLine replaces what the scan reports in a line, at strict level, until
// it reports nothing.
func redactLine(s string) string {
	j := judge{level: verify.Strict}
	for range maxRedactions {
		replaced, found := redactOnce(j, s)
		if !found {
			return s
		}
		s = replaced
	}
	return marker
}

// redactOnce replaces the matches of the first detector that reports any.
func redactOnce(j judge, s string) (replaced string, found bool) {
	l := &line{text: s}
	seen := words().look([]byte(s))
	for d := range detectorID(len(detectors)) {
		if seen&d.mask() == 0 {
			continue
		}
		var b strings.Builder
		done := 0
		for from := 0; from < len(s); {
			m, ok := detectors[d].find(l, from)
			if !ok {
				break
			}
			from = m.end
			if j.rule(d, s, m) == allowed {
				continue
			}
			start, end := replaceable(d, s, m)
			b.WriteString(s[done:start])
			b.WriteString(substitute(d, s[start:end]))
			done, from = end, max(end, m.end)
		}
		if done > 0 {
			return b.String() + s[done:], true
		}
	}
	return s, false
}

// replaceable is the part of a match that is replaced: of what is assigned to a
// name the value, up to the end of the line where what follows would keep a
// placeholder from being one.
func replaceable(d detectorID, s string, m match) (start, end int) {
	switch d {
	case secretAssignment:
		if safeEnd(s[m.end:]) {
			return m.value.start, m.end
		}
		return m.value.start, len(s)
	case namedID:
		return m.value.start, m.value.end
	case connection:
		return m.value.start, m.value.end
	}
	return m.start, m.end
}

// substitute is what stands for a match afterwards.
func substitute(d detectorID, found string) string {
	switch d {
	case connection:
		return "<redacted>"
	case windowsPath, unixPath:
		return hiddenUser(found)
	}
	return marker
}

// hiddenUser is a local path with <user> for the name in it, or the marker when
// it has none.
func hiddenUser(path string) string {
	low := canon.LowerASCII(path)
	for _, folder := range [...]string{"/users/", "/home/", `\users\`, "/users\\", `\users/`} {
		i := strings.Index(low, folder)
		if i < 0 {
			continue
		}
		name := i + len(folder)
		for name < len(path) && path[name] == '\\' {
			name++
		}
		end := name
		for end < len(path) && path[end] != '/' && path[end] != '\\' {
			end++
		}
		return path[:name] + "<user>" + path[end:]
	}
	return marker
}

// printableText is a text without terminal escapes and other control
// characters, and with U+FFFD for ill-formed bytes.
func printableText(data []byte) (text string, dropped int) {
	data = []byte(strings.TrimPrefix(string(data), "\uFEFF"))
	if utf8.Valid(data) && words().look(data)&controlSeen == 0 {
		return string(data), 0
	}
	var b strings.Builder
	b.Grow(len(data))
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && n == 1:
			b.WriteRune(c)
			dropped++
		case c == '\x1b':
			n = escapeLen(data[i:])
			dropped++
		case c < utf8.RuneSelf && isControl(byte(c)):
			dropped++
		default:
			b.Write(data[i : i+n])
		}
		i += n
	}
	return b.String(), dropped
}

// escapeLen is the length of the escape sequence at the start of data: a
// control sequence, an operating system command up to its end, or two bytes.
func escapeLen(data []byte) int {
	if len(data) < 2 {
		return 1
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			if data[i] >= 0x40 && data[i] <= 0x7E {
				return i + 1
			}
			if data[i] < 0x20 || data[i] >= utf8.RuneSelf {
				return i
			}
		}
	case ']':
		const longest = 4096
		for i := 2; i < min(len(data), longest); i++ {
			switch {
			case data[i] == '\a':
				return i + 1
			case data[i] == '\x1b':
				return i
			case data[i] == '\n':
				return i
			}
		}
	}
	return 1
}

// A NameError says that the name of a member discloses something. Names are not
// replaced, since a document with other names is another document.
type NameError struct {
	Pointer string // of the object, not of the member
}

func (e *NameError) Error() string {
	return "the name of a member of " + verify.Quote("#"+e.Pointer) + " discloses something"
}

// RedactDocument writes a redacted copy of a JSON document, a member a line:
// values whose name announces a secret, command lines and strings are redacted
// as documents of the format are (01 §6.2), then what the scan would report in
// a string or number where it stands. The error is a *canon.ReadError, a
// *NameError, or says that the document has a defect.
func RedactDocument(data []byte, known ...string) (Redaction, error) {
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		return Redaction{}, err
	}
	if len(doc.Defects) > 0 {
		d := doc.Defects[0]
		return Redaction{}, fmt.Errorf("the document has a defect (%s), so its copy would be another document", d.Rule)
	}
	w := &documentRedactor{known: known}
	root, err := w.value(doc.Node(), "", false)
	if err != nil {
		return Redaction{}, err
	}
	return Redaction{Data: canon.Pretty(root), Changed: w.changed}, nil
}

type documentRedactor struct {
	known   []string
	changed int
}

func (w *documentRedactor) value(n canon.Node, name string, secretContext bool) (canon.Value, error) {
	kind := secret.NameOf(name)
	secretContext = secretContext || name != "" && kind.SecretLike && !(kind.BenignMetric && isMetric(n.Value))
	switch {
	case secretContext:
		if s, ok := n.Str(); ok && secret.IsPlaceholder(s) {
			return w.text(n.Value, name, s), nil
		}
		w.changed++
		return canon.NewString(marker), nil
	case n.IsObject():
		members := make([]canon.Member, 0, n.Len())
		for _, m := range n.Members() {
			child := n.At(m.Name)
			if redactLine(escaped(m.Name)) != escaped(m.Name) || secret.InText(m.Name) {
				return canon.Value{}, &NameError{n.Pointer}
			}
			v, err := w.value(child, m.Name, false)
			if err != nil {
				return canon.Value{}, err
			}
			members = append(members, canon.Member{Name: m.Name, Value: v})
		}
		return canon.Build(members...), nil
	case n.IsArray():
		if kind.IsArgv() {
			if args, ok := w.argv(n.Value); ok {
				return args, nil
			}
		}
		elems := make([]canon.Value, 0, n.Len())
		for _, item := range n.Items() {
			v, err := w.value(item, "", false)
			if err != nil {
				return canon.Value{}, err
			}
			elems = append(elems, v)
		}
		return canon.NewArray(elems...), nil
	}
	if s, ok := n.Str(); ok {
		return w.text(n.Value, name, s), nil
	}
	return w.other(n.Value, name), nil
}

// isMetric reports whether a value is a count, or holds counts only.
func isMetric(v canon.Value) bool {
	if f, ok := v.Num(); ok {
		return f >= 0
	}
	items := v.Elems()
	if v.IsObject() {
		for _, m := range v.Members() {
			items = append(items[:len(items):len(items)], m.Value)
		}
	}
	for _, item := range items {
		if !isMetric(item) {
			return false
		}
	}
	return len(items) > 0
}

// argv redacts a command line; ok is false when it is malformed.
func (w *documentRedactor) argv(v canon.Value) (canon.Value, bool) {
	args := make([]string, 0, v.Len())
	for _, e := range v.Elems() {
		s, ok := e.Str()
		if !ok {
			return canon.Value{}, false
		}
		args = append(args, s)
	}
	persisted, ok := secret.RedactArgv(args, w.known...)
	if !ok {
		return canon.Value{}, false
	}
	list := make([]canon.Value, len(persisted))
	for i, s := range persisted {
		list[i] = w.text(canon.NewString(s), "", s)
		if s != args[i] {
			w.changed++
		}
	}
	return canon.NewArray(list...), true
}

// text redacts one string. In the document it stands escaped and after its
// name, and that is how the scan will see it.
func (w *documentRedactor) text(v canon.Value, name, s string) canon.Value {
	out := plainMarkers(secret.Settle(s, w.known...))
	if line := escaped(out); redactLine(line) != line {
		lines := strings.Split(out, "\n")
		for i := range lines {
			lines[i] = redactLine(lines[i])
		}
		out = strings.Join(lines, "\n")
	}
	if member := escaped(name) + ":" + escaped(out); redactLine(member) != member {
		out = marker
	}
	if out == s {
		return v
	}
	w.changed++
	return canon.NewString(out)
}

// other redacts a number where its name makes it an identifier.
func (w *documentRedactor) other(v canon.Value, name string) canon.Value {
	member := escaped(name) + ":" + string(canon.Canonical(v)) + ","
	if redactLine(member) == member {
		return v
	}
	w.changed++
	return canon.NewString(marker)
}

func escaped(s string) string { return string(canon.Canonical(canon.NewString(s))) }
