package privacy

import (
	"fmt"
	"slices"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// AcceptancePath is where the acceptances of a directory lie unless the
// operator names another file.
const AcceptancePath = ".finishline/privacy-acceptances.json"

// AcceptanceSchema names the form of the file.
const AcceptanceSchema = "finishline.privacy-acceptances.v1"

// Bounds of acceptances.
const (
	MaxAcceptances = 1000
	MaxAcceptDays  = 366 // from the day of acceptance to the last day
	maxAcceptText  = 500 // bytes of a reason or owner
)

// An Acceptance lets one finding of the extended section pass for a time. It is
// exact: the kind, the path, and the value by a keyed fingerprint or by its
// SHA-256. Findings of the base set cannot be accepted, since every verifier of
// the format refuses them.
type Acceptance struct {
	Kind, Path string
	// Fingerprint is the keyed fingerprint of the finding; ValueSHA256 the
	// digest of what was found. Exactly one is given.
	Fingerprint, ValueSHA256 string
	Reason, Owner            string
	Accepted, Expires        string // days, such as 2026-11-30; the last is included
}

// covers reports whether the acceptance is about a finding.
func (a Acceptance) covers(f Extra) bool {
	if a.Kind != f.Kind || a.Path != f.Path {
		return false
	}
	if a.Fingerprint != "" {
		return a.Fingerprint == f.Fingerprint
	}
	return a.ValueSHA256 != "" && a.ValueSHA256 == f.ValueSHA256
}

// day parses a date as the contract of the file writes it.
func day(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && t.Format(time.DateOnly) == s
}

// Expired reports whether the last day of the acceptance is over, in UTC.
func (a Acceptance) Expired(now time.Time) bool {
	last, ok := day(a.Expires)
	return !ok || !now.UTC().Before(last.AddDate(0, 0, 1))
}

// Check says what is wrong with an acceptance, nil for nothing.
func (a Acceptance) Check() error {
	from, fromOK := day(a.Accepted)
	last, lastOK := day(a.Expires)
	long := func(s string) bool { return canon.Trim(s) == "" || len(s) > maxAcceptText }
	switch {
	case a.Kind == "" || a.Path == "":
		return fmt.Errorf("kind and path must be given")
	case evidence.CanonicalReason(a.Path) != "":
		return fmt.Errorf("path: %s", evidence.CanonicalReason(a.Path))
	case (a.Fingerprint == "") == (a.ValueSHA256 == ""):
		return fmt.Errorf("exactly one of fingerprint and valueSha256 must be given")
	case a.Fingerprint != "" && !canon.IsLowerHex(a.Fingerprint, 16):
		return fmt.Errorf("fingerprint: not 16 lower-case hexadecimal digits")
	case a.ValueSHA256 != "" && !canon.IsLowerHex(a.ValueSHA256, 64):
		return fmt.Errorf("valueSha256: not 64 lower-case hexadecimal digits")
	case long(a.Reason) || long(a.Owner):
		return fmt.Errorf("reason and owner must be given, in at most %d bytes", maxAcceptText)
	case !fromOK || !lastOK:
		return fmt.Errorf("accepted and expires must be days such as 2026-11-30")
	case last.Before(from) || last.After(from.AddDate(0, 0, MaxAcceptDays)):
		return fmt.Errorf("expires must lie within %d days after accepted", MaxAcceptDays)
	}
	return nil
}

// Acceptances are those of one file.
type Acceptances []Acceptance

// ReadAcceptances reads a file of acceptances. It is the operator's own file,
// so whatever is not understood in it is an error, and there is no base level.
func ReadAcceptances(data []byte) (Acceptances, error) {
	doc, err := canon.Read(data, canon.MaxReview)
	if err != nil {
		return nil, err
	}
	if len(doc.Defects) > 0 {
		return nil, fmt.Errorf("%s: %s", doc.Defects[0].Rule, verify.Quote(doc.Defects[0].Detail))
	}
	list := doc.Root.Get("acceptances")
	if unknown := unknownMember(doc.Root, "schema", "acceptances"); unknown != "" || !doc.Root.Get("schema").Is(AcceptanceSchema) || !list.IsArray() {
		return nil, fmt.Errorf("no document of schema %s with a list of acceptances %s", AcceptanceSchema, unknown)
	}
	if list.Len() > MaxAcceptances {
		return nil, fmt.Errorf("%d acceptances; at most %d are read", list.Len(), MaxAcceptances)
	}
	var all Acceptances
	for i, v := range list.Elems() {
		a, err := acceptanceOf(v)
		if err == nil {
			err = a.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("acceptances/%d: %w", i, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// members are those of an acceptance by name.
func (a *Acceptance) members() map[string]*string {
	return map[string]*string{
		"kind": &a.Kind, "path": &a.Path, "fingerprint": &a.Fingerprint, "valueSha256": &a.ValueSHA256,
		"reason": &a.Reason, "owner": &a.Owner, "accepted": &a.Accepted, "expires": &a.Expires,
	}
}

func acceptanceOf(v canon.Value) (a Acceptance, err error) {
	if !v.IsObject() {
		return a, fmt.Errorf("not an object")
	}
	fields := a.members()
	for _, m := range v.Members() {
		field, known := fields[m.Name]
		s, isText := m.Value.Str()
		if !known || !isText {
			return a, fmt.Errorf("a member that is unknown or no text: %s", verify.Quote(m.Name))
		}
		*field = s
	}
	return a, nil
}

func unknownMember(v canon.Value, known ...string) string {
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return "(unknown member " + verify.Quote(m.Name) + ")"
		}
	}
	return ""
}

// Value is the file as a document.
func (as Acceptances) Value() canon.Value {
	list := make([]canon.Value, len(as))
	for i, a := range as {
		var members []canon.Member
		fields := a.members()
		for _, name := range []string{"kind", "path", "fingerprint", "valueSha256", "reason", "owner", "accepted", "expires"} {
			if s := *fields[name]; s != "" {
				members = append(members, text(name, s))
			}
		}
		list[i] = canon.Build(members...)
	}
	return canon.Build(text("schema", AcceptanceSchema), canon.Member{Name: "acceptances", Value: canon.NewArray(list...)})
}

// Apply moves what is accepted out of the findings of the extended section, and
// notes which acceptances are over or about nothing that was found.
func (as Acceptances) Apply(r *Result, now time.Time) {
	if r.Extended == nil {
		return
	}
	used := make([]bool, len(as))
	r.Extended.Findings = slices.DeleteFunc(r.Extended.Findings, func(f Extra) bool {
		for i, a := range as {
			if a.covers(f) && !a.Expired(now) {
				used[i] = true
				r.Extended.Accepted = append(r.Extended.Accepted, Accepted{f, a})
				return true
			}
		}
		return false
	})
	for i, a := range as {
		switch {
		case a.Expired(now):
			r.Notes = append(r.Notes, fmt.Sprintf("the acceptance of a %s in %s ended on %s", a.Kind, shownPath(a.Path), a.Expires))
		case !used[i]:
			r.Notes = append(r.Notes, fmt.Sprintf("the acceptance of a %s in %s is about nothing that was found; remove it", a.Kind, shownPath(a.Path)))
		}
	}
	if n := len(r.Extended.Accepted); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("accepted findings of the extended section: %d", n))
	}
}
