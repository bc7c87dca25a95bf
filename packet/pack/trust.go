package pack

import (
	"context"
	"strings"

	"finishline/canon"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

const pinForm = "64 hexadecimal digits in " + review.PinVariable

// trust holds pin, committed store and live store against one another (rules
// 16 to 21).
func (b *binder) trust(context.Context) proceed {
	switch b.in.Pin.State() {
	case review.PinMissing:
		return b.fail(rulePinMissing, verify.Place{}, verify.What{Found: "no value", Expected: pinForm})
	case review.PinMalformed:
		// The value is not repeated: it may be a secret in the wrong variable.
		return b.fail(rulePinMalformed, verify.Place{}, verify.What{Found: "a value of another form", Expected: pinForm})
	}
	e := b.committed.byRel[storePath]
	if e == nil {
		return b.fail(ruleStoreMissing, b.at(storePath), verify.What{Found: "not committed", Expected: "a committed trust store"})
	}
	live := b.live(e)
	committed, problems := b.store("committed", e.data)
	if committed == nil {
		return stop
	}
	lively, liveProblems := b.store("live", live.data)
	if lively == nil {
		return stop
	}
	b.out.Append(problems...)
	if live.raw != e.raw {
		b.out.Append(liveProblems...)
	}
	if !b.in.Pin.Binds(committed.Pin) {
		return b.fail(ruleCommittedPin, b.at(storePath), verify.What{
			Found: "committed store " + committed.Pin, Expected: "pin " + b.in.Pin.String(), Hint: b.pinHint(e)})
	}
	if !b.in.Pin.Binds(lively.Pin) {
		return b.fail(ruleLivePin, b.at(storePath), verify.What{Found: "live store " + lively.Pin, Expected: "pin " + b.in.Pin.String()})
	}
	return next
}

// pinHint explains a pin that was taken from the wrong bytes.
func (b *binder) pinHint(store *entry) string {
	if !b.in.Pin.Binds(store.raw) {
		return ""
	}
	return "the pin is the digest of the file's bytes; pin the digest of its JSON meaning (`finishline trust pin`)"
}

// store reads a trust store. The findings are what strict level has against
// it; its structure is the review's business (06 §3). Nil ends the binding
// (rule 19).
func (b *binder) store(which string, data []byte) (*review.Store, []verify.Finding) {
	place := b.at(storePath)
	store, findings := review.ReadStore(place.Artifact, data, b.in.Level)
	if store == nil {
		b.out.Wrap(ruleStoreInvalidJSON, place, verify.What{
			Found: "the " + which + " store is not readable", Expected: "a JSON document"}, findings.List())
		return nil, nil
	}
	return store, strictOnly(findings.List())
}

func strictOnly(list []verify.Finding) []verify.Finding {
	var strict []verify.Finding
	for _, f := range list {
		if strings.HasPrefix(f.Rule, "strict.") {
			strict = append(strict, f)
		}
	}
	return strict
}

// registry compares the skill registry (rule 22).
func (b *binder) registry(context.Context) proceed {
	if b.committed.byRel[registryPath] == nil {
		return b.fail(ruleRegistryMissing, b.at(registryPath), verify.What{Found: "not committed", Expected: "a committed skill registry"})
	}
	return b.sameTexts(KindRegistry)
}

// adapter compares and reads the adapter of a commissioned pack (rules 23 and
// 24).
func (b *binder) adapter(context.Context) proceed {
	if !b.commissioned {
		return next
	}
	e := b.committed.byRel[adapterPath]
	if e == nil {
		return b.fail(ruleAdapterMissing, b.at(adapterPath), verify.What{Found: "not committed", Expected: "a committed adapter"})
	}
	if b.sameTexts(KindAdapter) == stop {
		return stop
	}
	place := b.at(adapterPath)
	doc, err := canon.Read(e.data, canon.MaxDocument)
	causes := Table.Collect(b.in.Level)
	if !evidence.ReadFindings(causes, place.Artifact, doc, err) {
		b.out.Wrap(ruleAdapterInvalidJSON, place, verify.What{Found: err.Error(), Expected: "a JSON document"}, causes.List())
		return stop
	}
	b.out.Merge(causes)
	return next
}
