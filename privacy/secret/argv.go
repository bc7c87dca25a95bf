package secret

import "strings"

// A Form is how a flag and its value are written.
type Form string

// The forms, as portable proofs name them (contract 03, B.2).
const (
	Equals Form = "equals" // --flag=value
	Split  Form = "split"  // --flag value
)

// A Flag is a long option of a command line whose name announces a secret.
type Flag struct {
	Name       string // text before the first "=", with its dashes
	Index      int    // in the command line
	Form       Form
	ValueIndex int // Index + 1 for Split, -1 for Equals
	Value      string
}

// Raw reports whether the flag's value is not a placeholder.
func (f Flag) Raw() bool { return !IsPlaceholder(f.Value) }

// Argv finds the secret flags of a command line. It is malformed when it is
// empty, when an argument is empty, or when a secret flag lacks a value; the
// flags are then those that do have one. args[0], the program, is never a flag,
// and short options are never recognised.
func Argv(args []string) (flags []Flag, malformed bool) {
	malformed = len(args) == 0
	for i := range args {
		malformed = malformed || args[i] == ""
	}
	for i := 1; i < len(args); i++ {
		name, value, equals := strings.Cut(args[i], "=")
		if !isSecretFlag(name) {
			continue
		}
		flag := Flag{Name: name, Index: i, Form: Equals, ValueIndex: -1, Value: value}
		if !equals {
			if i+1 == len(args) || strings.HasPrefix(args[i+1], "-") {
				malformed = true
				continue
			}
			i++
			flag.Form, flag.ValueIndex, flag.Value = Split, i, args[i]
		}
		if flag.Value == "" {
			malformed = true
			continue
		}
		flags = append(flags, flag)
	}
	return flags, malformed
}

// maxFlag is the longest name of a flag after its two dashes.
const maxFlag = 128

func isSecretFlag(flag string) bool {
	name, ok := strings.CutPrefix(flag, "--")
	if !ok || name == "" || len(name) > maxFlag || !isLetter(name[0]) {
		return false
	}
	return runEnd(name, 0, isNameByte) == len(name) && isFlagName(name)
}

// RedactArgv returns the form of a command line that may be persisted (contract
// 03, B.2 and D.4): every argument redacted with the known values and those of
// the secret flags, and each secret flag's value replaced by [REDACTED]. ok is
// false when the command line is malformed.
func RedactArgv(args []string, known ...string) (persisted []string, ok bool) {
	flags, malformed := Argv(args)
	if malformed {
		return nil, false
	}
	values := argvSecrets(flags, known)
	persisted = make([]string, len(args))
	for i, arg := range args {
		persisted[i] = Redact(arg, values...)
	}
	for _, f := range flags {
		if f.Form == Equals {
			persisted[f.Index] = f.Name + "=" + marker
			continue
		}
		persisted[f.Index], persisted[f.ValueIndex] = f.Name, marker
	}
	return persisted, true
}

// argvSecrets joins known values and flag values, the longest first.
func argvSecrets(flags []Flag, known []string) []string {
	values := append([]string(nil), known...)
	for _, f := range flags {
		values = append(values, f.Value)
	}
	return longestFirst(values)
}
