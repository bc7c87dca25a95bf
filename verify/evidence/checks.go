package evidence

import (
	"bytes"
	"errors"

	"finishline/canon"
	"finishline/verify"
)

// ReadFindings reports how reading a JSON document went: json.* when err is a
// *canon.ReadError, and strict.json.* for the defects of doc. It returns
// whether there is a document to look at.
func ReadFindings(out *verify.Findings, path string, doc *canon.Document, err error) bool {
	var re *canon.ReadError
	if errors.As(err, &re) {
		out.Add(re.Rule, verify.AtLine(path, re.Line), verify.What{
			Found: re.Where(), Expected: "one JSON value (RFC 8259) within the bounds of `finishline limits`",
		})
		return false
	}
	if err != nil || doc == nil {
		return false
	}
	for _, d := range doc.Defects {
		out.Add(d.Rule, verify.Place{Artifact: path, Pointer: d.Pointer, Line: d.Line}, verify.What{Found: d.Detail})
	}
	return true
}

// PathFinding is the finding of a path that was refused, with its own rule id:
// a cause for the rule of the caller.
func PathFinding(level verify.Level, at verify.Place, err *PathError) verify.Finding {
	out := Table.Collect(level)
	AddPath(out, at, err)
	list := out.List()
	if len(list) == 0 { // a strict rule at base level
		return verify.Finding{Rule: err.Rule, Severity: verify.Note}
	}
	return list[0]
}

// AddPath reports a refused path under its own rule id.
func AddPath(out *verify.Findings, at verify.Place, err *PathError) {
	out.Add(err.Rule, at, verify.What{Found: err.Reason + ": " + verify.Quote(err.Path), Unevaluated: err.Unevaluated})
}

// AddStrictPath reports what strict level has against a path: its text, and
// what it led to when it resolved.
func (r *Root) AddStrictPath(out *verify.Findings, at verify.Place, path string) {
	if !out.Strict() || path == "" {
		return
	}
	var list []*PathError
	if e := StrictPath(path); e != nil {
		list = append(list, e)
	}
	if res, err := r.Resolve(path, MustExist); err == nil {
		list = append(list, r.StrictResolved(path, res)...)
	}
	for _, e := range list {
		AddPath(out, at, e)
	}
}

// StrictDigests reports strict.digest.* for members that hold digests. Absent
// members and texts that are no digests are the business of the rule of the
// member.
func StrictDigests(out *verify.Findings, path string, members ...canon.Node) {
	if !out.Strict() {
		return
	}
	for _, m := range members {
		s, isString := m.Str()
		switch {
		case !m.Present():
		case !isString:
			out.Add("strict.digest.non-string", verify.At(path, m.Pointer), verify.What{
				Found: verify.Show(m.Value), Expected: "a string of 64 lower-case hexadecimal characters"})
		case canon.IsHex64(s) && canon.HasUpperHex(s):
			out.Add("strict.digest.upper-case", verify.At(path, m.Pointer), verify.What{
				Found: verify.Quote(s), Expected: "a string of 64 lower-case hexadecimal characters"})
		}
	}
}

// maxLineEndHint bounds the files that are hashed again for a hint.
const maxLineEndHint = 16 << 20

// LineEndHint explains a digest mismatch that line ends caused: it hashes the
// LF and the CRLF form of a text and, when one has the wanted digest, says so
// and how to fix the checkout. Otherwise it is "".
func LineEndHint(data []byte, want string) string {
	if len(data) > maxLineEndHint || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	lf := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	want = canon.LowerASCII(want)
	switch {
	case len(lf) != len(data) && canon.SHA256(lf) == want:
		return "the file has CRLF line ends and the recorded digest is that of its LF form; " +
			"check out with `* -text` or `eol=lf` in .gitattributes and core.autocrlf=false"
	case canon.SHA256(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))) == want:
		return "the file has LF line ends and the recorded digest is that of its CRLF form; " +
			"restore the bytes that were recorded, with `-text` for the path in .gitattributes"
	}
	return ""
}

// LineEndHint is [LineEndHint] of a file below the root.
func (r *Root) LineEndHint(path, want string) string {
	a, err := r.Read(path, maxLineEndHint)
	if err != nil {
		return ""
	}
	return LineEndHint(a.Data, want)
}
