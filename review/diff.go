package review

import (
	"maps"
	"slices"

	"finishline/canon"
)

// A ChangeKind says what happened to a key between two stores (contract 01
// §7.4).
type ChangeKind string

// The kinds of change, in the order in which [Diff] lists those of one key.
// ChangeDescription and ChangeOrder are about the store, not about a key.
const (
	ChangeDescription    ChangeKind = "description"      // of the store: added, removed or changed
	ChangeOrder          ChangeKind = "order"            // of the store: its keys are in another order
	ChangeAdded          ChangeKind = "added"            // keyId only in new
	ChangeRemoved        ChangeKind = "removed"          // keyId only in old
	ChangeRevoked        ChangeKind = "revoked"          // active, then revoked
	ChangeReinstated     ChangeKind = "reinstated"       // revoked, then active
	ChangeRekeyed        ChangeKind = "rekeyed"          // other key bytes
	ChangeReencoded      ChangeKind = "re-encoded"       // same key bytes in another text
	ChangeReusedMaterial ChangeKind = "reused-material"  // key bytes that another keyId has or had
	ChangeWidened        ChangeKind = "widened"          // allow-lists admit more
	ChangeNarrowed       ChangeKind = "narrowed"         // allow-lists admit less
	ChangeChanged        ChangeKind = "changed"          // allow-lists admit others
	ChangeAllowListOrder ChangeKind = "allow-list-order" // same entries in another order, or repeated
)

// A Risk says how closely an operator should look at a change.
type Risk string

// The risks. RiskNone still changes the pin.
const (
	RiskHigh   Risk = "high"
	RiskMedium Risk = "medium"
	RiskLow    Risk = "low"
	RiskNone   Risk = "none"
)

// A Change is one difference between two stores. KeyID is "" for changes of
// the store itself.
type Change struct {
	Kind   ChangeKind
	KeyID  string
	Risk   Risk
	Detail string // for people: what it means
}

// Diff compares two trust stores by meaning, for the person who is about to
// replace a pin (contract 01 §7.4). Both must satisfy §7.1, as the findings of
// [ReadStore] say. Changes come in a fixed order: those of the store, then by
// keyId. The pins differ exactly when there is a change; they are old.Pin and
// new.Pin.
//
// A key whose material cannot be read is compared by its text: another text
// counts as another key.
func Diff(old, new *Store) []Change {
	d := differ{old: byID(old), new: byID(new), holders: map[PublicKey][]Key{}}
	for _, store := range []*Store{old, new} {
		for _, key := range store.Keys {
			if key.PublicErr == nil {
				d.holders[key.Public] = append(d.holders[key.Public], key)
			}
		}
	}
	if !canon.Same(old.Description, new.Description) {
		d.add(ChangeDescription, "", RiskNone, "the description differs")
	}
	if !slices.Equal(commonOrder(old, d.new), commonOrder(new, d.old)) {
		d.add(ChangeOrder, "", RiskNone, "the keys are listed in another order")
	}
	ids := slices.Sorted(maps.Keys(d.old))
	for _, id := range slices.Sorted(maps.Keys(d.new)) {
		if _, both := d.old[id]; !both {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		d.key(id)
	}
	return d.changes
}

type differ struct {
	old, new map[string]Key
	holders  map[PublicKey][]Key // by key bytes, of both stores
	changes  []Change
}

func byID(s *Store) map[string]Key {
	m := make(map[string]Key, len(s.Keys))
	for _, k := range s.Keys {
		m[k.ID] = k
	}
	return m
}

// commonOrder is the ids of a store that the other one has too, in order.
func commonOrder(s *Store, other map[string]Key) []string {
	var ids []string
	for _, k := range s.Keys {
		if _, both := other[k.ID]; both {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

func (d *differ) add(kind ChangeKind, id string, risk Risk, detail string) {
	d.changes = append(d.changes, Change{kind, id, risk, detail})
}

func (d *differ) key(id string) {
	was, inOld := d.old[id]
	is, inNew := d.new[id]
	switch {
	case !inOld:
		risk := RiskLow
		if is.Status == StatusActive {
			risk = RiskHigh
		}
		d.add(ChangeAdded, id, risk, "a new key ("+is.Status.String()+")")
		d.reuse(id, is)
	case !inNew:
		d.add(ChangeRemoved, id, RiskMedium, "the key is gone; if it comes back nothing will tell, so prefer revoking")
	default:
		d.status(id, was, is)
		d.bytes(id, was, is)
		d.lists(id, was, is)
	}
}

func (d *differ) status(id string, was, is Key) {
	switch {
	case was.Status == is.Status:
	case is.Status == StatusRevoked:
		d.add(ChangeRevoked, id, RiskLow, "its reviews stop verifying under the new pin")
	default:
		d.add(ChangeReinstated, id, RiskHigh, "a revoked key verifies again")
	}
}

func (d *differ) bytes(id string, was, is Key) {
	readable := was.PublicErr == nil && is.PublicErr == nil
	switch {
	case was.PEM == is.PEM:
	case readable && was.Public == is.Public:
		d.add(ChangeReencoded, id, RiskNone, "the same key in another text")
	default:
		d.add(ChangeRekeyed, id, RiskHigh, "another key under the same name")
		d.reuse(id, is)
	}
}

// reuse reports key bytes that are not new: another keyId has them in old or
// new.
func (d *differ) reuse(id string, key Key) {
	if key.PublicErr != nil {
		return
	}
	for _, other := range d.holders[key.Public] {
		if other.ID != id {
			d.add(ChangeReusedMaterial, id, RiskHigh, "the key bytes of "+other.ID+" ("+other.Status.String()+")")
			return
		}
	}
}

func (d *differ) lists(id string, was, is Key) {
	grew, shrank, texts := false, false, false
	for _, pair := range [][2]AllowList{{was.ActorIDs, is.ActorIDs}, {was.ActorTypes, is.ActorTypes}} {
		grew = grew || admitsMore(pair[0], pair[1])
		shrank = shrank || admitsMore(pair[1], pair[0])
		texts = texts || !canon.Same(pair[0].value, pair[1].value)
	}
	switch {
	case grew && shrank:
		d.add(ChangeChanged, id, RiskHigh, "other actors may sign with it")
	case grew:
		d.add(ChangeWidened, id, RiskHigh, "more actors may sign with it")
	case shrank:
		d.add(ChangeNarrowed, id, RiskLow, "fewer actors may sign with it")
	case texts:
		d.add(ChangeAllowListOrder, id, RiskNone, "the same actors in another order")
	}
}

// admitsMore reports whether the second list admits something that the first
// does not. An absent list admits everything, so more than any list.
func admitsMore(first, second AllowList) bool {
	if first.Absent() || second.Absent() {
		return second.Absent() && !first.Absent()
	}
	have := first.set()
	for entry := range second.set() {
		if !have[entry] {
			return true
		}
	}
	return false
}
