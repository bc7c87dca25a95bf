package gate

import (
	"errors"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A problem says why a document cannot be looked at.
type problem int

const (
	readable problem = iota
	missing          // nothing there that may be read as a file
	notJSON          // not one JSON value within the bounds
)

// A document is a JSON file of the run or of the pack, read once.
type document struct {
	path     string
	artifact *evidence.Artifact // nil unless readable
	doc      *canon.Document    // nil unless readable
	node     canon.Node         // absent unless readable

	problem problem
	what    verify.What // what to say about the problem
	line    int
}

func (d *document) sha256() string {
	if d.artifact == nil {
		return ""
	}
	return d.artifact.SHA256
}

// usable reports whether there is an object to look at.
func (d *document) usable() bool { return d.problem == readable && d.node.IsObject() }

// place points at the document as a whole, or at the line where reading ended.
func (d *document) place() verify.Place { return verify.AtLine(d.path, d.line) }

// why says in what way an unusable document is unusable.
func (d *document) why() verify.What {
	if d.problem != readable {
		return d.what
	}
	return verify.What{Found: verify.Show(d.node.Value), Expected: "an object"}
}

// How a file may be reached.
type access int

const (
	// ownFile: at base level links that stay inside the root are followed,
	// at strict level the file must be a safe file (09a, conventions).
	ownFile access = iota
	// safeFile: a safe file of contract 07, section 1.4, as the level reads it.
	safeFile
)

// existing is a document of the run that must only exist: links are followed
// at both levels. Its own gate judges how it is reached.
func (r *Run) existing(path string) *document {
	return r.load(r.opt.Target, path, verify.Base, ownFile, canon.MaxDocument)
}

// safe is a document of the run that must be a safe file.
func (r *Run) safe(path string) *document {
	return r.load(r.opt.Target, path, r.opt.Level, safeFile, canon.MaxDocument)
}

// load reads a document below a root, which is nil where there is none.
func (r *Run) load(root *evidence.Root, path string, level verify.Level, how access, maxBytes int64) *document {
	artifact, fail := r.read(root, path, level, how, maxBytes)
	if fail != nil {
		return fail
	}
	d := &document{path: path, artifact: artifact}
	doc, err := artifact.JSON(int(maxBytes))
	if err != nil {
		return d.refuse(notJSON, err)
	}
	d.doc, d.node = doc, doc.Node()
	return d
}

// read reads the bytes of a file below a root. It returns either the artifact
// or a document that says why there is none.
func (r *Run) read(root *evidence.Root, path string, level verify.Level, how access, maxBytes int64) (*evidence.Artifact, *document) {
	d := &document{path: path}
	if root == nil {
		d.problem = missing
		d.what = verify.What{Found: "no pack directory", Expected: "a file", Unevaluated: r.packErr != nil && !evidence.IsAbsent(r.packErr)}
		return nil, d
	}
	resolve := root.OwnFile
	if how == safeFile {
		resolve = root.SafeFile
	}
	res, refErr := resolve(path, level)
	if refErr != nil {
		d.problem = missing
		d.what = verify.What{Found: refErr.Reason, Expected: "a regular file", Unevaluated: refErr.Unevaluated}
		return nil, d
	}
	artifact, err := root.ReadResolved(res, maxBytes)
	if err != nil {
		return nil, d.refuse(missing, err)
	}
	return artifact, nil
}

// refuse records why a file could not be read. One that is too large is not
// JSON within the bounds; a directory in its place counts as a missing file.
func (d *document) refuse(p problem, err error) *document {
	d.problem = p
	d.what = verify.What{Found: err.Error(), Expected: "a JSON document of at most 16 MiB", Unevaluated: evidence.IsTrouble(err)}
	var file *evidence.FileError
	var syntax *canon.ReadError
	switch {
	case errors.As(err, &syntax):
		d.line = syntax.Line
		d.what.Unevaluated = false
	case errors.As(err, &file) && file.Kind == evidence.TooLarge:
		d.problem = notJSON
	}
	return d
}
