package pack

import (
	"context"
	"errors"
	"fmt"

	"finishline/verify"
	"finishline/verify/evidence"
)

// discovery judges the loaders of a commissioned pack (rule 25, 06 §6).
func (b *binder) discovery(context.Context) proceed {
	if !b.commissioned {
		return next
	}
	for _, name := range loaderNames {
		if b.loader(name) == stop {
			return stop
		}
	}
	return next
}

func (b *binder) loader(name string) proceed {
	at := verify.At(name, "")
	live := b.seen.loaders[name]
	if live.err != nil {
		return b.loaderUnread(at, live.err)
	}
	if b.loaderBlock(name, live.data, "live") == stop {
		return stop
	}
	e := b.committed.loaders[name]
	if e == nil {
		return b.fail(ruleLoaderUntracked, at, verify.What{Found: "not committed", Expected: "a committed file"})
	}
	if b.loaderBlock(name, e.data, "committed") == stop {
		return stop
	}
	if live.text != e.text {
		return b.fail(ruleLoaderDirty, at, verify.What{
			Found:    fmt.Sprintf("live text %s (%d bytes)", live.text, live.size),
			Expected: fmt.Sprintf("committed text %s (%d bytes)", e.text, e.size)})
	}
	return next
}

func (b *binder) loaderUnread(at verify.Place, err error) proceed {
	var fe *evidence.FileError
	const expected = "a plain file"
	switch {
	case evidence.IsAbsent(err):
		return b.fail(ruleLoaderMissing, at, verify.What{Found: "no such file", Expected: expected})
	case errors.As(err, &fe) && fe.Kind == evidence.TooLarge:
		return b.fail(ruleLoaderDirty, at, verify.What{Found: fe.Reason, Expected: "the committed text"})
	}
	return b.fail(ruleLoaderNotRegular, at, verify.What{Found: reasonOf(err), Expected: expected, Unevaluated: isTrouble(err)})
}

func (b *binder) loaderBlock(name string, data []byte, which string) proceed {
	bad := CheckLoader(name, data)
	if bad == nil {
		return next
	}
	return b.fail(bad.Rule, verify.AtLine(name, bad.Line), verify.What{
		Found: which + " file: " + bad.Found, Expected: bad.Expected})
}
