package evidence

import "finishline/canon"

// A Lifetime is until when a piece of evidence counts.
type Lifetime struct {
	Until  int64  // last instant at which it does, in milliseconds since 1970
	Member string // whose value decides it: the time field of the type, or expiresAt
}

// LifetimeOf tells until when an item of evidence may be listed by a document
// that is written then (contract 07, sections 5.4 and 6): its time plus the
// freshness window, in milliseconds, and for an approval no later than its
// expiresAt. Without a window (0) only an expiresAt limits it. Known is false
// for an item that states no usable time; it is no evidence either.
func LifetimeOf(item canon.Value, window int64) (life Lifetime, known bool) {
	typ := Trimmed(item.Get("type"))
	field := timeFields[typ]
	if made, ok := canon.TimestampOf(item.Get(field)); ok && field != "" && window > 0 {
		life, known = Lifetime{made + window, field}, true
	}
	if end, ok := canon.TimestampOf(item.Get("expiresAt")); ok && typ == TypeApproval && (!known || end < life.Until) {
		life, known = Lifetime{end, "expiresAt"}, true
	}
	return life, known
}
