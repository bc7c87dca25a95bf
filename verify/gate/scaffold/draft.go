package scaffold

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A File is a document at its path below the target.
type File struct {
	Path  string
	Value canon.Value
}

// Data is the file as it is written.
func (f File) Data() []byte { return canon.Pretty(f.Value) }

// A Draft is what was made: one document, or for a code graph the three that
// belong together.
type Draft struct {
	// Gate names the gate that judges it.
	Gate  string
	Files []File
	// Open are the rules that may refuse the draft until it is filled in, nil
	// for a complete one. Every other error refuses it.
	Open []string
	// Replaces says that the document is a later revision of the one that is
	// there; otherwise nothing may be there.
	Replaces bool
	// mode of the goal gate.
	mode gate.Mode
}

// Complete reports whether nothing is left to fill in.
func (d Draft) Complete() bool { return len(d.Open) == 0 }

// A Place is where a run's documents go and what they are judged by.
type Place struct {
	// Target is the run directory.
	Target *evidence.Root
	Pack   gate.Pack
	Level  verify.Level
}

// A NeedError says that a document which another one is made of is not there,
// or not as it must be.
type NeedError struct {
	Path   string
	Reason string
	Advice string
}

func (e *NeedError) Error() string { return e.Path + ": " + e.Reason }

// Hint says what to do.
func (e *NeedError) Hint() string { return e.Advice }

// A document is one that was read, to make another of it.
type document struct {
	canon.Node
	path   string
	sha256 string
}

// makers say how a needed document comes to be.
var makers = map[string]string{
	intakePath:         "write it with finishline intake new",
	classificationPath: "write it with finishline classification new",
	routePath:          "write it with finishline route new",
	goalPath:           "write it with finishline goal new",
	contextPath:        "write it with finishline gate new context, and fill it in",
}

// need reads a document of the run that another one is made of.
func (p Place) need(path string) (document, error) {
	artifact, doc, bad := p.Target.ReadDocument(path, p.Level, (*evidence.Root).SafeFile, canon.MaxDocument)
	if bad != nil {
		return document{}, &NeedError{path, bad.Error(), makers[path]}
	}
	if !doc.Root.IsObject() {
		return document{}, &NeedError{path, doc.Root.Kind().String() + ", not an object", makers[path]}
	}
	return document{doc.Node(), path, artifact.SHA256}, nil
}

// A Judgement is what the gates say about a draft.
type Judgement struct {
	// Refused are the findings that stand against writing the draft.
	Refused []verify.Finding
	// Open are the findings that say what is left to fill in.
	Open    []verify.Finding
	Checked verify.Checked
}

// ErrPasses says that a skeleton passes its gate, so that it could be mistaken
// for a finished document. It is never written.
var ErrPasses = errors.New("the skeleton passes its gate")

// Judge has the gate of a draft judge its bytes as they would lie in the run,
// and scans them for secrets and self-grants. The error is that of the context,
// of a path at which nothing can be written, or [ErrPasses].
func (p Place) Judge(ctx context.Context, d Draft) (*Judgement, error) {
	target, err := p.with(d)
	if err != nil {
		return nil, err
	}
	result, err := p.result(ctx, d, target)
	if err != nil {
		return nil, err
	}
	j := &Judgement{Checked: verify.Checked{Verifier: d.Gate, Rules: result.rules, Artifacts: target.Artifacts()}}
	scan := evidence.Table.Collect(p.Level)
	for _, f := range d.Files {
		evidence.ScanDocument(scan, f.Path, f.Value, evidence.ScanSelfGrant|evidence.ScanSecrets)
	}
	for _, f := range append(scan.List(), result.findings...) {
		switch {
		case f.Severity != verify.Error:
		case slices.Contains(d.Open, f.Rule):
			j.Open = append(j.Open, f)
		default:
			j.Refused = append(j.Refused, f)
		}
	}
	if len(j.Refused) == 0 && !d.Complete() && len(j.Open) == 0 {
		return nil, fmt.Errorf("%s: %w", d.Files[0].Path, ErrPasses)
	}
	return j, context.Cause(ctx)
}

// with is the target as it would be with the draft in it.
func (p Place) with(d Draft) (*evidence.Root, error) {
	target := p.Target
	for _, f := range d.Files {
		data := f.Data()
		if data == nil {
			return nil, fmt.Errorf("%s: the document has no JSON form", f.Path)
		}
		next, err := target.With(f.Path, data)
		if err != nil {
			return nil, err
		}
		target = next
	}
	return target, nil
}

type judged struct {
	findings []verify.Finding
	rules    int
}

// result asks the gate. One that could not evaluate everything gives no answer.
func (p Place) result(ctx context.Context, d Draft, target *evidence.Root) (judged, error) {
	if d.Gate == waiversGate {
		out := evidence.Waivers.Collect(p.Level)
		evidence.VerifyWaivers(out, target, d.Files[0].Path, evidence.WaiverOptions{})
		return judged{out.List(), evidence.Waivers.Count(p.Level)}, nil
	}
	g, known := gate.Find(d.Gate)
	if !known {
		return judged{}, fmt.Errorf("no gate is called %s", d.Gate)
	}
	run, err := gate.NewRun(gate.Options{Target: target, Pack: p.Pack, Level: p.Level, Mode: d.mode})
	if err != nil {
		return judged{}, err
	}
	defer run.Close()
	r := g.Validate(ctx, run)
	if err := context.Cause(ctx); err != nil {
		return judged{}, err
	}
	if len(r.NotEvaluated) > 0 {
		return judged{}, &NeedError{registryPath, "the gate " + g.Name + " cannot be evaluated without a pack", "make one with finishline pack new, or name it with --runtime"}
	}
	return judged{r.Findings.List(), g.Table.Count(p.Level)}, nil
}

// timestamp is how the documents write a time: to the millisecond, so that a
// document is not older than evidence of the same second.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
