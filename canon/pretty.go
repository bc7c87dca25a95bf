package canon

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Pretty is the form in which documents are written to files: compact text,
// members in reading order, indented by two spaces, with a final line feed
// (05 §12, 03 D.2). It has the same canonical form as v. A value with absent
// members has no JSON text and gives nil.
func Pretty(v Value) []byte {
	text := jsontext.Value(Compact(v))
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil
	}
	return append(text, '\n')
}
