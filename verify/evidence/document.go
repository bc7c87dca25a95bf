package evidence

import (
	"errors"

	"finishline/canon"
	"finishline/verify"
)

// An Access says how a document may be reached: [Root.OwnFile] for the one that
// a verifier was pointed at, [Root.SafeFile] for one that a contract demands to
// be a safe file (07 §1.4), as method expressions.
type Access func(r *Root, path string, level verify.Level) (Resolved, *RefError)

// A DocumentError says why there is no document to look at, in the words of a
// finding.
type DocumentError struct {
	// Missing: nothing is there that may be read as a file. Otherwise it is a
	// file, and not one JSON value within the bounds.
	Missing bool
	Line    int // where reading ended, 0 when that is no line
	What    verify.What
}

func (e *DocumentError) Error() string { return e.What.Found }

// ReadDocument reads and parses a document below the root, once. A directory in
// its place counts as missing, a file of more than maxBytes as no JSON. A file
// that was read and is no JSON is returned with the error, for its digest.
func (r *Root) ReadDocument(path string, level verify.Level, how Access, maxBytes int64) (*Artifact, *canon.Document, *DocumentError) {
	res, refErr := how(r, path, level)
	if refErr != nil {
		return nil, nil, &DocumentError{Missing: true, What: verify.What{
			Found: refErr.Reason, Expected: refErr.expected(), Unevaluated: refErr.Unevaluated}}
	}
	artifact, err := r.ReadResolved(res, maxBytes)
	var doc *canon.Document
	if err == nil {
		doc, err = artifact.JSON(int(maxBytes))
	}
	if err == nil {
		return artifact, doc, nil
	}
	fail := &DocumentError{What: verify.What{Found: err.Error(), Expected: "one JSON value within the bounds of `finishline limits`"}}
	var syntax *canon.ReadError
	var file *FileError
	switch {
	case errors.As(err, &syntax):
		fail.Line = syntax.Line
		return artifact, nil, fail
	case errors.As(err, &file) && file.Kind == TooLarge:
	default:
		fail.Missing, fail.What.Unevaluated = true, IsTrouble(err)
	}
	return nil, nil, fail
}
