package main

import (
	"fmt"
	"io"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/internal/render"
	"finishline/privacy"
)

type privacyRedactCmd struct {
	File    string `arg:"" help:"The log or JSON document; - reads standard input."`
	Out     string `required:"" help:"Where the copy is written. It must not exist." placeholder:"FILE"`
	As      string `help:"What the file is: ${enum}. A document is one JSON value." enum:"auto,text,json" default:"auto" placeholder:"FORM"`
	Secrets string `help:"Known secrets to replace, one a line, in a file." type:"path" placeholder:"FILE"`
	outputFlags
}

func (privacyRedactCmd) Help() string {
	return `Writes a copy in which what finishline privacy scan and the documents of a run refuse is replaced: secrets by [REDACTED], the account in a local path by <user>. Terminal colours, control characters and ill-formed bytes go too, since with them a log is a binary file. The original is never changed, and an existing file never overwritten.

A JSON document stays one: values under names such as password and secret options of command lines are replaced whole. Where the name of a member discloses something, nothing is written.

A copy without findings can still hold what no detector knows. Read it before you publish it.

Examples:
  finishline privacy redact build.log --out docs/build-redacted.txt
  finishline privacy redact --as json trace.json --out trajectory/trace.json
  kubectl logs job/build | finishline privacy redact - --out build.txt`
}

func (c privacyRedactCmd) Run(s *session) error {
	data, err := s.readInput(c.File)
	if err != nil {
		return err
	}
	known, err := s.knownSecrets(c.Secrets)
	if err != nil {
		return err
	}
	copied, form, err := c.redact(data, known)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was written", c.File, err)
	}
	if err := atomicfile.Create(c.Out, copied.Data); err != nil {
		return err
	}
	number := func(n int) canon.Value { return canon.NewNumber(float64(n)) }
	value := canon.Build(member("schema", canon.NewString("finishline.redaction.v1")), member("out", canon.NewString(c.Out)), member("form", canon.NewString(form)),
		member("sha256", canon.NewString(canon.SHA256(copied.Data))), member("changed", number(copied.Changed)), member("controls", number(copied.Controls)))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		what := map[string]string{"text": "line", "json": "value"}[form]
		fmt.Fprintf(w, "wrote %s: %s changed", c.Out, render.Count(copied.Changed, what))
		if copied.Controls > 0 {
			fmt.Fprintf(w, ", %s left out", render.Count(copied.Controls, "control character"))
		}
		fmt.Fprintln(w)
	})
}

// redact makes the copy, and says as what.
func (c privacyRedactCmd) redact(data []byte, known []string) (r privacy.Redaction, form string, err error) {
	if c.As == "json" || c.As == "auto" && isJSONObject(data) {
		r, err = privacy.RedactDocument(data, known...)
		return r, "json", err
	}
	return privacy.RedactText(data, known...), "text", nil
}

// isJSONObject reports whether a file is one JSON object or array. A log of one
// number or word is a text.
func isJSONObject(data []byte) bool {
	doc, err := canon.Read(data, canon.MaxSubject)
	return err == nil && (doc.Root.IsObject() || doc.Root.IsArray())
}

// knownSecrets reads one secret a line; empty lines do not count.
func (s *session) knownSecrets(path string) (known []string, err error) {
	if path == "" {
		return nil, nil
	}
	data, err := s.readInput(path)
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(data)) {
		if l = strings.TrimRight(l, "\r\n"); l != "" {
			known = append(known, l)
		}
	}
	return known, nil
}
