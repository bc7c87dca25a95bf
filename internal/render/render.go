// Package render prints a [verify.Report]. It decides nothing: the verdict and
// the exit status are the report's, the same for every format.
//
// A [Format] is a name and a function; [Formats] is the one list of them, which
// the command line takes its choices from, so that no format can be offered
// that does not exist. Every format is deterministic: the same report gives the
// same bytes.
package render

import (
	"fmt"
	"io"

	"finishline/verify"
)

// A Format turns a report into bytes.
type Format struct {
	Name  string
	Write func(w io.Writer, r *verify.Report, style Style) error
}

// A Style holds what a terminal may change. It never changes what is said.
type Style struct {
	Color bool
}

// Formats are the formats of reports, the default first.
func Formats() []Format {
	return []Format{
		{"text", Text},
		{"json", JSON},
	}
}

// Lookup returns the format of that name. An unknown name is an error, never
// an empty output.
func Lookup(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown format %q", name)
}
