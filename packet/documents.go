package packet

import (
	"errors"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A document is an artifact that was read and parsed.
type document struct {
	canon.Node
	path     string // relative to the target
	artifact *evidence.Artifact
	parsed   *canon.Document
}

// fetched is how far reading an artifact came. One of pathErr, readErr and
// parseErr says why it ended; causes are the findings behind it.
type fetched struct {
	res      evidence.Resolved
	artifact *evidence.Artifact
	doc      *document

	pathErr  *evidence.PathError
	readErr  error // the file could not be read as one
	parseErr error // it is no JSON document, or too large for one
	causes   []verify.Finding
}

// fetch resolves, reads and parses an artifact. Strict findings about its path
// go to out at once; what base level refuses is left to the rule of the
// caller.
func (v *verification) fetch(out *verify.Findings, at verify.Place, path string, maxBytes int) fetched {
	f := fetched{}
	f.res, f.pathErr = v.root.Resolve(path, evidence.MustExist)
	if f.pathErr != nil {
		f.causes = []verify.Finding{evidence.PathFinding(out.Level(), at, f.pathErr)}
		return f
	}
	v.root.AddStrictPath(out, at, path)
	artifact, err := v.root.ReadResolved(f.res, int64(maxBytes))
	if isTooLarge(err) {
		// The bound is one of reading JSON (01 §1), so the cause is json.size.
		err = &canon.ReadError{Rule: "json.size", Reason: reason(err)}
		f.parseErr, f.causes = err, v.jsonFindings(f.res.Rel, nil, err)
		return f
	}
	if err != nil {
		f.readErr = err
		return f
	}
	f.artifact = artifact
	doc, err := artifact.JSON(maxBytes)
	if err != nil {
		f.parseErr, f.causes = err, v.jsonFindings(f.res.Rel, nil, err)
		return f
	}
	f.doc = &document{Node: doc.Node(), path: f.res.Rel, artifact: artifact, parsed: doc}
	return f
}

// failed says why there is no document, or "".
func (f fetched) failed() (why string, unlooked bool) {
	switch {
	case f.pathErr != nil:
		return f.pathErr.Reason, f.pathErr.Unevaluated
	case f.readErr != nil:
		return reason(f.readErr), unevaluated(f.readErr)
	case f.parseErr != nil:
		return reason(f.parseErr), false
	}
	return "", false
}

// strictJSON reports what strict level has against the text of a document that
// no other verifier reads.
func (v *verification) strictJSON(out *verify.Findings, d *document) {
	out.Append(v.jsonFindings(d.path, d.parsed, nil)...)
}

func (v *verification) jsonFindings(path string, doc *canon.Document, err error) []verify.Finding {
	c := evidence.Table.Collect(v.in.Level)
	evidence.ReadFindings(c, path, doc, err)
	return c.List()
}

func isTooLarge(err error) bool {
	var fe *evidence.FileError
	return errors.As(err, &fe) && fe.Kind == evidence.TooLarge
}
