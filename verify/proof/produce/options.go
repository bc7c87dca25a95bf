package produce

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify/evidence"
	"finishline/verify/proof"
)

// Defaults of a run (03 D.1).
const (
	DefaultTimeoutMs      = 30_000
	DefaultRepeat         = 1
	DefaultMaxOutputBytes = 16_384
)

// Options say what [Run] is to prove. The zero value of a number is refused
// like every other number out of its range: the caller has the defaults.
type Options struct {
	RunID, Environment string
	Commit             string // must be HEAD, exactly
	Output             string // artifact path of the proof, which must not exist
	TimeoutMs          int
	Repeat             int
	MaxOutputBytes     int
	Mode               string   // proof.ModeGreen or proof.ModeRedBaseline
	CausalInputs       []string // canonical paths relative to the target
	PassEnv            []string // names of variables that the command gets as well
	RedactEnv          []string // names of variables whose values are redacted
	Argv               []string // the program and its arguments
}

// An OptionError says which option of a producer is wrong, and never what its
// value is: that may be a secret in the wrong place.
type OptionError struct {
	Option string // as it is typed, with its dashes
	Reason string
}

func (e *OptionError) Error() string { return e.Option + " " + e.Reason }

func wrong(option, format string, args ...any) *OptionError {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

// check applies D.1, without looking at the file system.
func (o Options) check() error {
	checks := []func() *OptionError{
		func() *OptionError { return identifier("--run-id", o.RunID) },
		func() *OptionError { return identifier("--environment", o.Environment) },
		func() *OptionError { return commit(o.Commit) },
		func() *OptionError { return output(o.Output) },
		func() *OptionError { return number("--timeout-ms", o.TimeoutMs, 1, proof.MaxTimeoutMs) },
		func() *OptionError { return number("--repeat", o.Repeat, 1, proof.MaxRepeat) },
		func() *OptionError {
			return number("--max-output-bytes", o.MaxOutputBytes, proof.MinOutputBytes, proof.MaxOutputBytes)
		},
		func() *OptionError { return mode(o.Mode) },
		func() *OptionError { return causalPaths(o.CausalInputs) },
		func() *OptionError { return names("--pass-env", o.PassEnv) },
		func() *OptionError { return names("--redact-env", o.RedactEnv) },
		func() *OptionError { return command(o.Argv) },
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func identifier(option, value string) *OptionError {
	if value == "" {
		return wrong(option, "is required")
	}
	if !canon.Identifier(value) {
		return wrong(option, "must be 1 to 256 letters, digits and . _ : / -, the first a letter or digit")
	}
	if secret.InText(value) {
		return wrong(option, "reads like a secret, and would stand in the proof")
	}
	return nil
}

func commit(value string) *OptionError {
	if value == "" {
		return wrong("--commit", "is required: the full id that git rev-parse HEAD prints")
	}
	hex := !strings.ContainsFunc(value, func(c rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", c) })
	if !hex || len(value) != 40 && len(value) != 64 {
		return wrong("--commit", "must be the full id of a commit, 40 or 64 hexadecimal digits")
	}
	return nil
}

func output(value string) *OptionError {
	if value == "" {
		return wrong("--output", "is required, for example proof/portable.json")
	}
	if err := evidence.Portable(value); err != nil {
		return wrong("--output", "is no portable path: %s (%s)", err.Reason, err.Rule)
	}
	return nil
}

func number(option string, value, low, high int) *OptionError {
	if value < low || value > high {
		return wrong(option, "must be a whole number from %d to %d", low, high)
	}
	return nil
}

func mode(value string) *OptionError {
	if value != proof.ModeGreen && value != proof.ModeRedBaseline {
		return wrong("the mode", "must be %s or %s", proof.ModeGreen, proof.ModeRedBaseline)
	}
	return nil
}

func causalPaths(paths []string) *OptionError {
	const option = "--causal-input"
	for i, path := range paths {
		if err := evidence.Canonical(path); err != nil {
			return wrong(option, "is no canonical path relative to the target: %s (%s)", err.Reason, err.Rule)
		}
		if secret.InText(path) {
			return wrong(option, "reads like a secret, and would stand in the proof")
		}
		if slices.Contains(paths[:i], path) {
			return wrong(option, "names a file twice")
		}
	}
	return nil
}

// names demands names that every platform has the same upper case of
// (strict.proof.passed-name-ascii).
func names(option string, list []string) *OptionError {
	for _, name := range list {
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c == '=' || c < 0x21 || c > 0x7e }) {
			return wrong(option, "must be the name of a variable: visible ASCII characters without =")
		}
	}
	return nil
}

func command(argv []string) *OptionError {
	const option = "the command after --"
	if len(argv) == 0 {
		return wrong(option, "is missing: write -- and then the program and its arguments")
	}
	for i, arg := range argv {
		switch {
		case arg == "":
			return wrong(option, "has an empty argument, number %d", i)
		case !utf8.ValidString(arg):
			return wrong(option, "has an argument that is no UTF-8, number %d", i)
		case strings.ContainsRune(arg, 0):
			return wrong(option, "has an argument with a NUL byte, number %d", i)
		}
	}
	if _, malformed := secret.Argv(argv); malformed {
		return wrong(option, "has a flag for a secret without a value, so the secret cannot be told from the other arguments (secrets.argv-malformed)")
	}
	return nil
}

func (o Options) timeout() time.Duration { return time.Duration(o.TimeoutMs) * time.Millisecond }
