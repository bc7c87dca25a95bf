package proof

import (
	"errors"
	"strings"

	"finishline/canon"
	"finishline/privacy/secret"
)

// An OpaqueArg is a secret flag of a command, whose value the proof hides
// (03 B.2). The value itself is not kept.
type OpaqueArg struct {
	Flag  string // with its dashes, without "="
	Index int    // of the flag in command.argv
	Form  secret.Form
}

// ErrArgvMalformed says that a command line is empty or has an empty argument,
// or that one of its secret flags has no value.
var ErrArgvMalformed = errors.New("a secret flag without a value, or an empty argument")

// OpaqueArgv returns the secret flags of a command, in order. The error is
// [ErrArgvMalformed].
func OpaqueArgv(argv []string) ([]OpaqueArg, error) {
	flags, malformed := secret.Argv(argv)
	if malformed {
		return nil, ErrArgvMalformed
	}
	list := make([]OpaqueArg, len(flags))
	for i, f := range flags {
		list[i] = OpaqueArg{Flag: f.Name, Index: f.Index, Form: f.Form}
	}
	return list, nil
}

// Value is the entry of opaqueArgv.
func (a OpaqueArg) Value() canon.Value {
	value := canon.NewNull()
	if a.Form == secret.Split {
		value = canon.NewNumber(float64(a.Index + 1))
	}
	return canon.Build(
		text("flag", a.Flag),
		canon.Member{Name: "flagIndex", Value: canon.NewNumber(float64(a.Index))},
		text("form", string(a.Form)),
		canon.Member{Name: "valueIndex", Value: value},
	)
}

func opaqueArray(list []OpaqueArg) canon.Value {
	values := make([]canon.Value, len(list))
	for i, a := range list {
		values[i] = a.Value()
	}
	return canon.NewArray(values...)
}

// describeOpaque lists flags for a message.
func describeOpaque(list []OpaqueArg) string {
	if len(list) == 0 {
		return "none"
	}
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = a.Flag + " at " + itoa(a.Index)
	}
	return strings.Join(parts, ", ")
}
