package produce

import (
	"context"
	"errors"
	"fmt"

	"finishline/verify"
	"finishline/verify/source"
)

// A Refusal says why nothing was produced. Its texts are redacted, so it wraps
// no other error than the end of a context.
type Refusal struct {
	Reason string
	Advice string // what to do, "" when there is nothing to add
	cause  error
}

func (e *Refusal) Error() string { return e.Reason }

// Unwrap returns the end of the caller's context, if that is the reason.
func (e *Refusal) Unwrap() error { return e.cause }

// Hint is the advice, for whoever prints errors.
func (e *Refusal) Hint() string { return e.Advice }

// refusal turns an error into one whose text is redacted.
func (r redactor) refusal(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return &Refusal{Reason: ctx.Err().Error(), cause: ctx.Err()}
	}
	out := &Refusal{Reason: err.Error()}
	var inner *Refusal
	var state *source.Error
	switch {
	case errors.As(err, &inner):
		out.Reason, out.Advice = inner.Reason, inner.Advice
	case errors.As(err, &state):
		out.Reason, out.Advice = state.Error(), state.Hint
		if rule, ok := source.Table.Lookup(state.Rule); ok && out.Advice == "" {
			out.Advice = rule.Do
		}
	}
	out.Reason, out.Advice = r.text(out.Reason), r.text(out.Advice)
	return out
}

// invalid refuses a document that its verifier refuses.
func invalid(what string, findings []verify.Finding) error {
	for _, f := range findings {
		if f.Severity == verify.Error {
			return &Refusal{
				Reason: fmt.Sprintf("%s would not be valid at %q: found %s, expected %s (%s)", what, f.Pointer, f.Found, f.Expected, f.Rule),
				Advice: f.Hint,
			}
		}
	}
	return nil
}
