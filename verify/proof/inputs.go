package proof

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"finishline/canon"
	"finishline/verify"
)

// InputsSchema names the executionInputs object of a portable proof (03 B.2).
const InputsSchema = "valdris.proof-execution-inputs.v1"

// The stability of execution inputs: opaque-dynamic when something the command
// depended on is not in the proof.
const (
	Static        = "static"
	OpaqueDynamic = "opaque-dynamic"
)

// ExecutionInputs are what a command depended on besides its argv: what was
// passed to it, and what the proof must not show (03 B.2).
type ExecutionInputs struct {
	PassedNames       []string    // canonical, as from PassedNames
	Opaque            []OpaqueArg // as from OpaqueArgv
	EnvironmentSHA256 string      // digest of the allow-listed environment (03 D.3)
}

// DeriveExecutionInputs makes the execution inputs of an argv, the names of the
// variables passed beyond the allow-list in any order and case, and the digest
// of the allow-listed environment. The error is a [*NameError] or says that
// the secret flags of argv have no clear values.
func DeriveExecutionInputs(argv, passedNames []string, environmentSHA256 string) (ExecutionInputs, error) {
	names, err := PassedNames(passedNames)
	if err != nil {
		return ExecutionInputs{}, err
	}
	opaque, err := OpaqueArgv(argv)
	if err != nil {
		return ExecutionInputs{}, err
	}
	return ExecutionInputs{PassedNames: names, Opaque: opaque, EnvironmentSHA256: environmentSHA256}, nil
}

// Stability is static when nothing was passed and nothing is hidden.
func (in ExecutionInputs) Stability() string {
	if len(in.PassedNames) > 0 || len(in.Opaque) > 0 {
		return OpaqueDynamic
	}
	return Static
}

// CausalIdentityEligible reports whether two proofs with these inputs can be
// said to have run the same command (contract 04 asks for it).
func (in ExecutionInputs) CausalIdentityEligible() bool { return in.Stability() == Static }

// Value is the executionInputs object of a portable proof.
func (in ExecutionInputs) Value() canon.Value {
	return canon.Build(
		text("schema", InputsSchema),
		canon.Member{Name: "passedEnvironmentNames", Value: stringArray(in.PassedNames)},
		canon.Member{Name: "opaqueArgv", Value: opaqueArray(in.Opaque)},
		text("stability", in.Stability()),
		canon.Member{Name: "causalIdentityEligible", Value: canon.NewBool(in.CausalIdentityEligible())},
		text("allowlistedEnvironmentSha256", in.EnvironmentSHA256),
	)
}

// A NameError is a name that no environment variable can have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%s is no name of an environment variable: it is empty or has = or a control character", verify.Quote(e.Name))
}

// PassedNames returns the canonical list of names: upper-cased, each once, in
// ascending UTF-16 order. The error is a [*NameError].
func PassedNames(names []string) ([]string, error) {
	list := make([]string, len(names))
	for i, name := range names {
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c == '=' || c < 0x20 }) {
			return nil, &NameError{name}
		}
		list[i] = upper(name)
	}
	slices.SortFunc(list, canon.CompareUTF16)
	return slices.Compact(list), nil
}

// upper is the full, locale-free upper case of Unicode: ß becomes SS. Unpaired
// surrogates, which only base level ever reads, stay as they are.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	caser := cases.Upper(language.Und)
	if !canon.HasLoneSurrogate(s) {
		return caser.String(s)
	}
	var b strings.Builder
	start := 0
	for i := 0; i < len(s); {
		if !canon.HasLoneSurrogate(s[i:min(i+3, len(s))]) {
			i++
			continue
		}
		b.WriteString(caser.String(s[start:i]))
		b.WriteString(s[i : i+3])
		i += 3
		start = i
	}
	b.WriteString(caser.String(s[start:]))
	return b.String()
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c > 0x7E })
}

func stringArray(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.NewString(s)
	}
	return canon.NewArray(values...)
}

// stringsOf returns the elements of an array of strings, and false for anything
// else.
func stringsOf(v canon.Value) ([]string, bool) {
	if !v.IsArray() {
		return nil, false
	}
	list := make([]string, v.Len())
	for i, e := range v.Elems() {
		s, ok := e.Str()
		if !ok {
			return nil, false
		}
		list[i] = s
	}
	return list, true
}

// argument is the argv of a command, or that it has none worth deriving from.
type argument struct {
	list  []string
	valid bool
}

// executionInputs checks B.2. What depends on argv is left out when argv itself
// was refused.
func (c check) executionInputs(in canon.Node, argv argument) {
	if !in.IsObject() {
		c.fail("proof.inputs.missing", in, "an object of six members")
		return
	}
	if !exactly(in.Value, inputsMembers) {
		c.tell("proof.inputs.fields", in, func() verify.What {
			return verify.What{Found: difference(in.Value, inputsMembers), Expected: "exactly " + strings.Join(inputsMembers, ", ")}
		})
	}
	if !in.Get("schema").Is(InputsSchema) {
		c.member("proof.inputs.schema", in, "schema", verify.Quote(InputsSchema))
	}
	if !canon.IsDigest(in.Get("allowlistedEnvironmentSha256")) {
		c.member("proof.inputs.environment-digest", in, "allowlistedEnvironmentSha256", expectDigest)
	}
	derived := ExecutionInputs{PassedNames: c.passedNames(in.At("passedEnvironmentNames"))}
	if !argv.valid {
		return
	}
	derived.Opaque = c.opaqueArgv(in.At("opaqueArgv"), argv.list)
	if at := in.At("stability"); !at.Is(derived.Stability()) {
		c.fail("proof.inputs.stability", at, verify.Quote(derived.Stability())+", as passedEnvironmentNames and command.argv say")
	}
	if at := in.At("causalIdentityEligible"); !at.IsBool(derived.CausalIdentityEligible()) {
		c.fail("proof.inputs.eligibility", at, fmt.Sprintf("%v, as passedEnvironmentNames and command.argv say", derived.CausalIdentityEligible()))
	}
}

// passedNames returns the canonical list of the stated names; an invalid list
// counts as empty.
func (c check) passedNames(at canon.Node) []string {
	const rule = "proof.inputs.passed-names"
	stated, ok := stringsOf(at.Value)
	if !ok {
		c.fail(rule, at, "an array of names")
		return nil
	}
	names, err := PassedNames(stated)
	if err != nil {
		c.tell(rule, at, func() verify.What {
			return verify.What{Found: err.Error(), Expected: "names without = and control characters"}
		})
		return nil
	}
	if !slices.Equal(stated, names) {
		c.tell(rule, at, func() verify.What {
			return verify.What{Found: verify.Quote(strings.Join(stated, " ")), Expected: "upper case, each name once, in order: " + verify.Quote(strings.Join(names, " "))}
		})
	}
	return names
}

// opaqueArgv returns the list derived from argv; one that can't be derived
// counts as empty.
func (c check) opaqueArgv(at canon.Node, argv []string) []OpaqueArg {
	const rule = "proof.inputs.opaque-argv"
	derived, err := OpaqueArgv(argv)
	if err != nil {
		c.tell(rule, at, func() verify.What {
			return verify.What{Found: err.Error(), Expected: "a value after every secret flag of command.argv"}
		})
		return nil
	}
	if !at.IsArray() || !canon.Equal(at.Value, opaqueArray(derived)) {
		c.fail(rule, at, "one {flag, flagIndex, form, valueIndex} for each secret flag of command.argv: "+describeOpaque(derived))
	}
	return derived
}
