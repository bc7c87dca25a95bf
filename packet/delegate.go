package packet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"finishline/packet/pack"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Delegate is the validator of one kind of document: an input or a route
// gate. The packet verifier hands it the document's canonical file, never its
// own opinion of it.
type Delegate interface {
	// Validate judges the document at call.Path below call.Target. An error
	// says that the validator could not run; the gate is then not evaluated.
	Validate(ctx context.Context, call Call) (Answer, error)
}

// A Call is what a delegate is asked to judge.
type Call struct {
	Gate   string         // the gate, or the name of the input
	Path   string         // canonical path, relative to Target
	Target *evidence.Root // files that were read already are not read again
	Pack   pack.Pack      // the pack root with the catalogs to judge by
	Level  verify.Level
}

// An Answer is the judgement of a delegate. The document passes when no finding
// of base level is an error.
type Answer struct {
	Findings []verify.Finding
	Omitted  map[string]int // findings that were only counted, by rule
	// Checked says what was evaluated. An answer that evaluated no rule is
	// none: the gate counts as not evaluated.
	Checked verify.Checked
	// AssuranceLevel is the level that a closure reaches; "" from the others.
	AssuranceLevel string
}

// Delegates are validators by the gate or input that they judge.
type Delegates map[string]Delegate

// Delegable lists, sorted, the names that a delegate can have: the inputs and
// the route gates.
func Delegable() []string {
	names := RouteGates()
	for _, s := range inputSpecs {
		names = append(names, string(s.Name))
	}
	slices.SortFunc(names, strings.Compare)
	return names
}

// ruleDelegate says that nobody judged a document.
const ruleDelegate = "packet.delegate.unavailable"

// maxDelegates is how many delegates run at once.
const maxDelegates = 2

// A delegation is one call of a delegate and the rule that its refusal fires.
type delegation struct {
	gate string
	path string
	at   verify.Place
	rule string

	answer Answer
	ran    bool
	why    string // why it did not run
}

// ask puts the calls to their delegates, side by side.
func (v *verification) ask(ctx context.Context, lists ...[]*delegation) {
	var group errgroup.Group
	group.SetLimit(maxDelegates)
	for _, d := range slices.Concat(lists...) {
		group.Go(func() error {
			v.validate(ctx, d)
			return nil
		})
	}
	group.Wait()
}

func (v *verification) validate(ctx context.Context, d *delegation) {
	validator := v.in.Delegates[d.gate]
	if validator == nil {
		d.why = "this build has no validator for it"
		return
	}
	var err error
	d.answer, err = validator.Validate(ctx, Call{Gate: d.gate, Path: d.path, Target: v.root, Pack: v.in.Pack, Level: v.in.Level})
	switch {
	case err != nil:
		d.why = "its validator could not run: " + err.Error()
	case d.answer.Checked.Rules == 0:
		d.why = "its validator evaluated no rule"
	default:
		d.ran = true
	}
}

func (v *verification) reportDelegation(out *verify.Findings, d *delegation) {
	if !d.ran {
		if slices.Contains(v.in.AcceptNotEvaluated, d.gate) {
			v.accepted = append(v.accepted, d.gate)
			return
		}
		out.Add(ruleDelegate, d.at, verify.What{
			Found: fmt.Sprintf("%s (%s) was not evaluated: %s", d.gate, d.path, d.why), Expected: "a validator that judges the document"})
		return
	}
	v.checked = append(v.checked, d.answer.Checked)
	v.fold(out, d.rule, d.at, d.path, d.answer.Findings, d.answer.Omitted)
}

// fold takes over the findings of a part. What base level refuses fires the
// one rule of the packet that wraps the part, with the part's errors as its
// causes. What only strict level refuses, and warnings, stand for themselves.
func (v *verification) fold(out *verify.Findings, rule string, at verify.Place, artifact string, part []verify.Finding, omitted map[string]int) {
	var causes []verify.Finding
	for _, f := range part {
		if f.Severity == verify.Error && levelOf(f.Rule) == verify.Base {
			causes = append(causes, f)
			continue
		}
		out.Append(f)
	}
	if len(causes) == 0 {
		return
	}
	more := 0
	for id, n := range omitted {
		if levelOf(id) == verify.Base {
			more += n
		}
	}
	found := fmt.Sprintf("%s is refused by %s", artifact, causes[0].Rule)
	if n := len(causes) - 1 + more; n > 0 {
		found += fmt.Sprintf(" and %d more", n)
	}
	out.Wrap(rule, at, verify.What{Found: found}, causes)
}

func levelOf(rule string) verify.Level { return verify.Rule{ID: rule}.Level() }
