package review

import (
	"errors"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/proof"
)

// A digestState is what became of the subject, for the roles that are bound to
// the same file.
type digestState int

const (
	subjectUnknown digestState = iota // refused or unreadable
	subjectDiffers                    // its digest is not subject.sha256
	subjectMatches
)

// subject evaluates contract 02 §7.1 on the artifact the review is about.
func (v *verifier) subject() digestState {
	artifact, stated := v.review.At("subject").At("artifact"), v.review.At("subject").At("sha256")
	if !canon.NonEmpty(artifact.Value, 1) {
		return subjectUnknown
	}
	path := artifact.Text()
	v.result.Subject = path
	v.strictPath(artifact)
	loaded, digest, err := v.loadSubject(path)
	if err != nil {
		wrapUnreadable(v.out, "review.subject.artifact-invalid", verify.At(v.path, artifact.Pointer), "a file below the target root", err)
		return subjectUnknown
	}
	state := subjectMatches
	if canon.IsDigest(stated.Value) && !stated.Is(digest) {
		state = subjectDiffers
		v.out.Add("review.subject.digest-mismatch", verify.At(v.path, stated.Pointer), verify.What{
			Found: "the file has " + digest, Expected: verify.Show(stated.Value), Hint: v.mismatchHint(path, digest, stated)})
	}
	v.subjectDocument(path, loaded)
	return state
}

// loadSubject reads the subject; one beyond [canon.MaxSubject] is only hashed
// and gives no artifact.
func (v *verifier) loadSubject(path string) (*evidence.Artifact, string, error) {
	loaded, err := v.in.Root.Read(path, canon.MaxSubject)
	var fileErr *evidence.FileError
	if errors.As(err, &fileErr) && fileErr.Kind == evidence.TooLarge {
		digest, err := v.in.Root.Digest(path)
		if err == nil {
			v.in.artifacts.add(fileErr.Path, digest.SHA256)
		}
		return nil, digest.SHA256, err
	}
	if err != nil {
		return nil, "", err
	}
	v.in.artifacts.add(loaded.Path, loaded.SHA256)
	return loaded, loaded.SHA256, nil
}

// subjectDocument looks into a subject that is JSON, or ought to be.
func (v *verifier) subjectDocument(path string, loaded *evidence.Artifact) {
	named := hasJSONExtension(path)
	if loaded == nil {
		if named {
			v.out.Add("json.size", verify.At(path, ""), verify.What{Found: "a subject of more than 64 MiB", Expected: "at most 64 MiB of JSON"})
		}
		return
	}
	doc, err := loaded.JSON(canon.MaxSubject)
	if err != nil {
		if named {
			wrapUnreadable(v.out, "review.subject.json-malformed", verify.At(path, ""), "one JSON value, as the name says", err)
		}
		return
	}
	if doc.Root.Get("schema").Is(portableSchema) {
		v.portableProof(path, doc)
	}
}

const portableSchema = "valdris.portable-proof.v1"

// portableProof verifies a subject that says it is a portable proof, and
// compares what it is a proof of with what the review says.
func (v *verifier) portableProof(path string, doc *canon.Document) {
	parsed, found := proof.VerifyPortable(doc, path, v.in.Level)
	var base []verify.Finding
	for _, f := range found.List() {
		if strings.HasPrefix(f.Rule, "strict.") {
			v.out.Append(f)
		} else {
			base = append(base, f)
		}
	}
	if parsed == nil || !parsed.Valid() {
		v.out.Wrap("review.subject.portable-proof-invalid", verify.At(path, ""), verify.What{
			Found: "a portable proof that breaks its contract", Expected: "a portable proof that passes by itself"}, base)
	}
	run := doc.Node().At("run")
	for _, pair := range [][2]string{{"id", "runId"}, {"commit", "commit"}, {"environment", "environment"}} {
		proved, reviewed := run.At(pair[0]), v.review.At(pair[1])
		if !exact(proved.Value, reviewed.Value) {
			v.out.Add("review.subject.portable-proof-mismatch", verify.At(path, proved.Pointer), verify.What{
				Found: verify.Show(proved.Value), Expected: pair[1] + " of the review, " + verify.Show(reviewed.Value)})
		}
	}
}

// hasJSONExtension reports whether the extension of the path's last component,
// ASCII lower-cased, is .json. A name that starts with its only dot has none.
func hasJSONExtension(path string) bool {
	name := strings.TrimRight(path, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && canon.LowerASCII(name[dot:]) == ".json"
}

// strictPath reports what strict level has against an artifact path, once for
// each path.
func (v *verifier) strictPath(m canon.Node) {
	if v.checkedPaths == nil {
		v.checkedPaths = map[string]bool{}
	}
	if path := m.Text(); !v.checkedPaths[path] {
		v.checkedPaths[path] = true
		v.in.Root.AddStrictPath(v.out, verify.At(v.path, m.Pointer), path)
	}
}

// mismatchHint explains a digest that differs, "" when the rule's own advice
// must do.
func (v *verifier) mismatchHint(path, actual string, stated canon.Node) string {
	switch text, isText := stated.Str(); {
	case !isText:
		return "write the digest as a string"
	case canon.LowerASCII(text) == actual:
		return "digests are compared exactly: write it in lower case and sign again"
	default:
		return v.in.Root.LineEndHint(path, text)
	}
}
