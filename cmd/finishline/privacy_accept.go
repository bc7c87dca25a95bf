package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/privacy"
	"finishline/verify"
)

type privacyAcceptCmd struct {
	Dir    string `arg:"" optional:"" default:"." help:"The directory that is scanned." type:"path"`
	Kind   string `required:"" help:"The kind of the finding, as the scan shows it." placeholder:"KIND"`
	At     string `required:"" help:"Where the finding is: the file and the line." placeholder:"PATH:LINE"`
	Reason string `required:"" help:"Why it may stay, for whoever reads it next." placeholder:"TEXT"`
	Owner  string `required:"" help:"Who answers for it." placeholder:"NAME"`
	Until  string `required:"" help:"The last day it may stay, at most 366 days away." placeholder:"YYYY-MM-DD"`
	searchFlags
	fingerprintFlags
	acceptanceFlags
	clockFlags
	outputFlags
}

func (privacyAcceptCmd) Help() string {
	return `Records that one finding of the extended rules may stay until a day, in .finishline/privacy-acceptances.json. The record names the kind, the file and the value, the value by its fingerprint under --fingerprint-key, or else by its SHA-256; another value in the same place is a finding again. Personal data can be guessed from a digest, so it takes a key. Every report tells what it let pass.

Findings of the format itself, those named privacy.*, cannot be accepted: every other verifier would refuse them still.

Examples:
  finishline privacy accept --kind jwt --at docs/login.md:12 --reason "expired sample of the vendor" --owner mira --until 2026-12-31
  finishline privacy accept --kind email-address --at AUTHORS:3 --fingerprint-key ~/.finishline-key --reason "public contact" --owner mira --until 2026-12-31`
}

func (c privacyAcceptCmd) Run(s *session) error {
	path, line, err := c.place()
	if err != nil {
		return err
	}
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	if strings.HasPrefix(c.Kind, "privacy.") {
		return &advisedError{"findings of the format cannot be accepted: every verifier refuses them", "remove what was found, or write a redacted copy with finishline privacy redact"}
	}
	found, kept, err := c.find(s, path, line)
	if err != nil {
		return err
	}
	a := privacy.Acceptance{
		Kind: c.Kind, Path: path, Reason: c.Reason, Owner: c.Owner, Accepted: now.UTC().Format(time.DateOnly), Expires: c.Until,
	}
	switch {
	case kept:
		a.Fingerprint = found.Fingerprint
	case found.Tier == privacy.TierPersonal:
		return &advisedError{"a digest of personal data can be guessed, so it is not recorded", "give --fingerprint-key, here and to finishline privacy scan"}
	default:
		a.ValueSHA256 = found.ValueSHA256
	}
	if err := a.Check(); err != nil {
		return usagef("%w", err)
	}
	if a.Expired(now) {
		return usagef("--until %s is over", c.Until)
	}
	return c.record(s, a)
}

// place splits --at.
func (c privacyAcceptCmd) place() (path string, line int, err error) {
	path, number, ok := cutLast(c.At, ":")
	line, convErr := strconv.Atoi(number)
	if !ok || convErr != nil || line < 1 {
		return "", 0, usagef("--at: %q is no path, colon and line", c.At)
	}
	return filepath.ToSlash(path), line, nil
}

// find looks for the finding; kept says that its fingerprint will be the same
// the next time.
func (c privacyAcceptCmd) find(s *session, path string, line int) (found privacy.Extra, kept bool, err error) {
	if c.Rules == "" {
		c.Extended = true
	}
	opt := privacy.Options{Level: verify.Base}
	if opt.Extended, _, err = c.engine(); err != nil {
		return found, false, err
	}
	if opt.Key, kept, err = c.key(); err != nil {
		return found, false, err
	}
	result, err := scanOne(s.ctx, c.Dir, path, opt)
	if err != nil {
		return found, false, err
	}
	n := 0
	for _, x := range result.Extended.Findings {
		if x.Kind == c.Kind && x.Line == line && x.ValueSHA256 != found.ValueSHA256 {
			found = x
			n++
		}
	}
	switch n {
	case 0:
		return found, false, &advisedError{fmt.Sprintf("no finding of the kind %s in line %d of %s", verify.Quote(c.Kind), line, verify.Quote(path)),
			"finishline privacy scan --extended shows kind and line of each"}
	case 1:
		return found, kept, nil
	}
	return found, false, &advisedError{fmt.Sprintf("%d different values of the kind %s in that line", n, verify.Quote(c.Kind)), "put them on lines of their own"}
}

// record adds the acceptance to the file.
func (c privacyAcceptCmd) record(s *session, a privacy.Acceptance) error {
	file := c.path(c.Dir)
	var list privacy.Acceptances
	write := atomicfile.Create
	if _, err := os.Lstat(file); err == nil {
		write = atomicfile.Replace
		data, err := s.readInput(file)
		if err != nil {
			return err
		}
		if list, err = privacy.ReadAcceptances(data); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	same := func(b privacy.Acceptance) bool {
		return b.Kind == a.Kind && b.Path == a.Path && b.Fingerprint == a.Fingerprint && b.ValueSHA256 == a.ValueSHA256
	}
	kept := list[:0:0]
	for _, b := range list {
		if !same(b) {
			kept = append(kept, b)
		}
	}
	if len(kept) >= privacy.MaxAcceptances {
		return fmt.Errorf("%s: there are %d acceptances already", file, len(kept))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := write(file, canon.Pretty(append(kept, a).Value())); err != nil {
		return err
	}
	if c.Acceptances == "" {
		file = privacy.AcceptancePath
	}
	value := canon.Build(member("schema", canon.NewString("finishline.privacy-acceptance.v1")), member("file", canon.NewString(file)),
		member("kind", canon.NewString(a.Kind)), member("path", canon.NewString(a.Path)), member("expires", canon.NewString(a.Expires)))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "accepted until %s: %s in %s; recorded in %s\n", a.Expires, a.Kind, verify.Quote(a.Path), file)
	})
}
