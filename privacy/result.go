package privacy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// A Finding is one thing that may not be published (10 §9). It never holds
// what was found.
type Finding struct {
	Rule     string
	Category string
	// Path is relative to the root, or [RedactedPath].
	Path   string
	Line   int // 0 for the file as a whole
	Column int // 1 + code points before the match in its line; 0 for the file
	// Fingerprint is that of the contract at base level. At strict level it is
	// a keyed one, "" without a key.
	Fingerprint string
	// What says in words what was found.
	What string
	// Advisory findings are told and fail nothing.
	Advisory bool
}

// RedactedPath stands for a path that discloses something itself.
const RedactedPath = "[REDACTED_PATH]"

// Redacted is the marker that stands for the match. Its form is that of the
// category, but for gate errors, whose marker the contract gives (10 §10).
func (f Finding) Redacted() string {
	if f.Category == gateErrorCategory {
		return "[REDACTED:GATE_ERROR]"
	}
	upper := []byte(f.Category)
	for i, c := range upper {
		switch {
		case c >= 'a' && c <= 'z':
			upper[i] = c - 'a' + 'A'
		case c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-':
		default:
			upper[i] = '_'
		}
	}
	return "[REDACTED:" + string(upper) + "]"
}

// Counts are the counts of a report; which of them it has depends on the mode.
type Counts struct {
	Scanned, Links                        int // text files, links
	Binary, ApprovedBinary                int // repository and include
	SkippedBinary, Opaque, Maps, Excluded int // release
}

// A File is a file that was read to its end.
type File struct {
	Path   string // as in findings
	SHA256 string
	Size   int64
}

// A Result is what a scan found.
type Result struct {
	Mode  Mode
	Gate  string
	Level verify.Level
	// Error is the gate error that replaces everything else, nil for none.
	Error *GateError
	// Paths are the include paths, or the release root, sorted.
	Paths  []string
	Counts Counts
	// Findings are those of the base set in the order of the contract;
	// Hardening are those that strict level adds.
	Findings  []Finding
	Hardening []Finding
	// Extended is the section of an engine's findings, nil without one.
	Extended *Extended
	// Files are all files that were read.
	Files []File
	// Approved are the pairs that the operator added.
	Approved []Approval
	// Notes say what the verdict does not rest on.
	Notes []string
}

// OK is the verdict of the format: nothing was found, and nothing went wrong.
func (r *Result) OK() bool { return r.Error == nil && len(r.Findings) == 0 }

// StrictOK is the verdict with the hardening.
func (r *Result) StrictOK() bool {
	return r.OK() && !slices.ContainsFunc(r.Hardening, func(f Finding) bool { return !f.Advisory })
}

func newResult(opt Options) *Result {
	return &Result{Mode: opt.Mode, Gate: opt.Mode.gate(), Level: opt.Level, Approved: opt.Approved}
}

func (r *Result) failed(e *GateError) *Result {
	return &Result{Mode: r.Mode, Gate: r.Gate, Level: r.Level, Approved: r.Approved, Error: e}
}

// fingerprints makes the fingerprints of a level.
type fingerprints struct {
	level verify.Level
	key   []byte
}

// of is the fingerprint of a match: at base level the contract's (10 §9), which
// lets anyone confirm a guess; at strict level 16 hexadecimal digits of an HMAC.
func (f fingerprints) of(category, rule, path string, line int, value string) string {
	if f.level == verify.Base {
		h := sha256.New()
		for _, part := range []string{category, "\x00", path, "\x00", strconv.Itoa(line), "\x00", value} {
			h.Write([]byte(part))
		}
		return hex.EncodeToString(h.Sum(nil))[:12]
	}
	if len(f.key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, f.key)
	for _, part := range []string{rule, "\x00", path, "\x00", value} {
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// collect makes the findings of links and files, in their order.
func (r *Result) collect(s *scanner, links, files []entry, results []scanned) {
	r.Counts.Links = len(links)
	for _, l := range links {
		r.Findings = append(r.Findings, s.aboutFile("privacy.file.symlink", symlinkCategory, l.path, l.path, "a symbolic link"))
	}
	approved := map[Approval]bool{}
	for _, a := range append(contractApprovals[:len(contractApprovals):len(contractApprovals)], s.opt.Approved...) {
		approved[a] = true
	}
	if e := s.opt.Extended; e != nil {
		r.Extended = &Extended{Rules: e.count}
	}
	strict := r.Level == verify.Strict
	if strict {
		for _, l := range links {
			r.nameContent(s, l.path)
		}
	}
	for i, f := range files {
		if strict {
			r.nameContent(s, f.path)
		}
		if strict && results[i].changed {
			r.Hardening = append(r.Hardening, s.aboutFile("privacy.strict.changed-while-reading", hardenCategory, f.path, f.path, "a file that changed while it was read"))
		}
		r.file(s, f.path, results[i], approved)
		r.Files = append(r.Files, File{shownPath(f.path), results[i].sha256, results[i].size})
	}
}

// aboutFile is a finding about a file or link as a whole.
func (s *scanner) aboutFile(rule, category, path, value, what string) Finding {
	return Finding{
		Rule: rule, Category: category, Path: reportedPath(category, path), What: what,
		Fingerprint: s.key.of(category, rule, path, 0, value),
	}
}

// file takes what reading one file gave.
func (r *Result) file(s *scanner, path string, c scanned, approved map[Approval]bool) {
	digest := c.sha256 + ":" + strconv.FormatInt(c.size, 10)
	add := func(rule, category, value, what string) {
		r.Findings = append(r.Findings, s.aboutFile(rule, category, path, value, what))
	}
	switch {
	case c.opaque:
		r.Counts.Maps++
		add("privacy.release.compressed-source-map", sourceMapCategory, digest, "a compressed source map")
		return
	case c.binary && r.Mode == Release && isAsset(path):
		r.Counts.SkippedBinary++
		return
	case c.binary && r.Mode == Release:
		r.Counts.Opaque++
		add("privacy.release.binary", releaseBinCategory, digest, "a binary file that is no asset")
		return
	case c.binary:
		r.Counts.Binary++
		if approved[Approval{path, c.sha256}] {
			r.Counts.ApprovedBinary++
			return
		}
		add("privacy.file.binary", binaryCategory, digest, "a binary file")
		return
	}
	r.Counts.Scanned++
	if r.Mode != Release && isOperational(path) {
		add("privacy.path.operational", operationalCategory, path, "a file where runs leave raw logs")
	}
	for _, f := range c.found {
		d := detectors[f.detector]
		found := Finding{
			Rule: f.detector.rule(), Category: d.category, Path: reportedPath(d.category, path), Line: f.line, Column: f.column,
			Fingerprint: f.value, What: d.what,
		}
		if f.strict {
			r.Hardening = append(r.Hardening, found)
		} else {
			r.Findings = append(r.Findings, found)
		}
	}
	if r.Extended != nil {
		r.Extended.Findings = append(r.Extended.Findings, c.extra...)
		r.Extended.Allowed += c.allowed
	}
}

// reportedPath is the path of a finding (10 §9).
func reportedPath(category, path string) string {
	if category == operationalCategory || isOperational(path) || disclosing(path) {
		return RedactedPath
	}
	return path
}

// disclosing reports whether a path holds an address or a UUID, example or not.
func disclosing(path string) bool {
	_, address := findEmail(&line{text: path}, 0)
	_, id := findUUID(&line{text: path}, 0)
	return address || id
}

// shownPath is a path as reports show it. The contract redacts paths with an
// address or a UUID in the findings of its report (10 §9); since nothing that
// is printed may hold a secret, one that any detector finds something in is
// redacted wherever it would be printed.
func shownPath(path string) string {
	if path == RedactedPath || disclosing(path) || named(path, Repository, verify.Strict) != "" {
		return RedactedPath
	}
	return path
}

// named says what a detector finds in a path, or in one of its components by
// itself, "" for nothing. Names are content (privacy.strict.path-content), with
// the allowances of content.
func named(path string, mode Mode, level verify.Level) string {
	seen := words().look([]byte(path))
	if seen == 0 {
		return ""
	}
	j := newJudge(path, mode, level)
	if what := j.firstIn(path, mode, seen); what != "" {
		return what
	}
	for name := range strings.SplitSeq(path, "/") {
		if what := j.firstIn(name, mode, seen); what != "" {
			return what
		}
	}
	return ""
}

// firstIn says what the first detector that reports something in a line of text
// finds there.
func (j judge) firstIn(s string, mode Mode, seen mask) string {
	l := &line{text: s}
	for d := range detectorID(len(detectors)) {
		if seen&d.mask() == 0 || mode == Release && d >= releaseDetectors {
			continue
		}
		for from := 0; from < len(s); {
			m, ok := detectors[d].find(l, from)
			if !ok {
				break
			}
			if j.rule(d, s, m) != allowed {
				return detectors[d].what
			}
			from = m.end
		}
	}
	return ""
}

// settle holds what was found against the bound, since links and files as a
// whole are findings too, and gives empty lists instead of none.
func (r *Result) settle(s *scanner) *Result {
	if len(r.Findings)+len(r.Hardening) > s.bounds.findings {
		return r.failed(s.manyFindings())
	}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	return r
}

// Value is the report of the contract (10 §9 and §10), with the additions it
// allows: rule and column.
func (r *Result) Value() canon.Value {
	findings := make([]canon.Value, 0, len(r.Findings))
	for _, f := range r.Findings {
		findings = append(findings, f.value())
	}
	members := []canon.Member{flag("ok", r.OK()), text("gate", r.Gate)}
	if r.Error != nil {
		f := Finding{Rule: r.Error.Rule, Category: gateErrorCategory, Path: RedactedPath, Fingerprint: gateErrorFingerprint}
		return canon.Build(append(members, canon.Member{Name: "findings", Value: canon.NewArray(f.value())})...)
	}
	members = append(members, r.countMembers()...)
	paths := make([]canon.Value, 0, len(r.Paths))
	for _, p := range r.Paths {
		paths = append(paths, canon.NewString(shownPath(p)))
	}
	return canon.Build(append(members,
		canon.Member{Name: "scope", Value: canon.Build(text("mode", r.Mode.String()), canon.Member{Name: "paths", Value: canon.NewArray(paths...)})},
		canon.Member{Name: "findings", Value: canon.NewArray(findings...)})...)
}

// gateErrorFingerprint is the same for every gate error.
const gateErrorFingerprint = "54a0e8c17ebb"

func (r *Result) countMembers() []canon.Member {
	n := func(name string, v int) canon.Member {
		return canon.Member{Name: name, Value: canon.NewNumber(float64(v))}
	}
	c := r.Counts
	list := []canon.Member{n("scannedFiles", c.Scanned), n("symlinkFiles", c.Links)}
	if r.Mode == Release {
		return append(list, n("skippedBinaryFiles", c.SkippedBinary), n("unscannableBinaryFiles", c.Opaque),
			n("unscannableSourceMapFiles", c.Maps), n("excludedGeneratedEntries", c.Excluded))
	}
	return append(list, n("binaryFiles", c.Binary), n("approvedBinaryFiles", c.ApprovedBinary),
		n("unapprovedBinaryFiles", c.Binary-c.ApprovedBinary))
}

func (f Finding) value() canon.Value {
	members := []canon.Member{
		text("rule", f.Rule), text("category", f.Category), text("path", shownPath(f.Path)),
		{Name: "line", Value: canon.NewNumber(float64(f.Line))}, text("redacted", f.Redacted()),
	}
	if f.Fingerprint != "" {
		members = append(members, text("fingerprint", f.Fingerprint))
	}
	if f.Category != gateErrorCategory {
		members = append(members, canon.Member{Name: "column", Value: canon.NewNumber(float64(f.Column))})
	}
	return canon.Build(members...)
}

func text(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.NewString(s)} }

func flag(name string, b bool) canon.Member { return canon.Member{Name: name, Value: canon.NewBool(b)} }
