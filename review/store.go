package review

import (
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// StoreSchema is the schema of a trust store (contract 01 §7.1).
const StoreSchema = "valdris.review-trust.v1"

// The members of a store and of its keys, in the order of contract 01 §7.1.
var (
	membersOfStore = []string{"schema", "description", "keys"}
	membersOfKey   = []string{"keyId", "algorithm", "status", "publicKeyPem", "allowedActorIds", "allowedActorTypes"}
)

// A Store is a review trust store that was read. It may break the rules of
// contract 01 §7.1; whether it does is in the findings that came with it, and
// a caller that trusts a store must have looked at them.
type Store struct {
	// Document is the store as read.
	Document *canon.Document
	// Pin is the digest D2 of the store: what an operator pins.
	Pin string
	// Description is the text of the member, absent when there is none.
	Description canon.Value
	// Keys are the entries that are objects, in the order of the store.
	Keys []Key
}

// A Key is an entry of a trust store.
type Key struct {
	Index  int    // position in keys
	ID     string // "" when keyId is not an identifier
	Status Status
	PEM    string // publicKeyPem, "" when it is not a string
	// ActorIDs and ActorTypes are the allow-lists as read.
	ActorIDs   AllowList
	ActorTypes AllowList
	// Public is the key material, as base level reads it; PublicErr says why
	// there is none. Base level never looks at the material of unused keys.
	Public    PublicKey
	PublicErr error

	id canon.Value // keyId as read
}

// A Status is that of a key.
type Status int

// The statuses. The zero Status is one that the store may not hold.
const (
	StatusInvalid Status = iota
	StatusActive
	StatusRevoked
)

// String is the status as a store writes it.
func (s Status) String() string { return [...]string{"invalid", "active", "revoked"}[s] }

// An AllowList restricts who may sign with a key. Absent means anybody.
type AllowList struct{ value canon.Value }

// Absent reports whether there is no list, so no restriction.
func (l AllowList) Absent() bool { return !l.value.Present() }

// Allows reports whether the list admits v: it is no array (which is no
// restriction, or is refused by a rule of the store), or v is a string in it.
func (l AllowList) Allows(v canon.Value) bool {
	if !l.value.IsArray() {
		return true
	}
	return slices.ContainsFunc(l.value.Elems(), func(e canon.Value) bool { return exact(e, v) })
}

// set is the entries without repeats.
func (l AllowList) set() map[string]bool {
	set := map[string]bool{}
	for _, e := range l.value.Elems() {
		set[e.Text()] = true
	}
	return set
}

// exact is the comparison of members in contract 02: both absent, or scalars
// of the same kind and value. Arrays and objects equal nothing.
func exact(a, b canon.Value) bool {
	if a.IsArray() || a.IsObject() || a.Kind() != b.Kind() {
		return false
	}
	if x, isNumber := a.Num(); isNumber { // as text, all that overflowed are null
		y, _ := b.Num()
		return x == y
	}
	return canon.Same(a, b)
}

// ReadStore reads a trust store and evaluates the rules of contract 01 §7.1,
// and of §7.3 at strict level. It is the one loader of trust material: nothing
// else in the module makes a Key. The store is nil when the bytes are no JSON
// within [canon.MaxTrustStore] (trust.store.unreadable).
//
// Path is the store's name in findings.
func ReadStore(path string, data []byte, level verify.Level) (*Store, *verify.Findings) {
	out := TrustTable.Collect(level)
	doc, err := canon.Read(data, canon.MaxTrustStore)
	if err != nil {
		causes := TrustTable.Collect(level)
		evidence.ReadFindings(causes, path, nil, err)
		out.Wrap("trust.store.unreadable", verify.At(path, ""),
			verify.What{Found: err.Error(), Expected: "a JSON trust store"}, causes.List())
		return nil, out
	}
	evidence.ReadFindings(out, path, doc, nil)
	return newStore(doc, path, out), out
}

func newStore(doc *canon.Document, path string, out *verify.Findings) *Store {
	c := storeCheck{path: path, out: out, firstUse: map[string]int{}}
	store := &Store{Document: doc, Pin: canon.Digest(doc.Root), Description: doc.Root.Get("description")}
	root := doc.Node()
	if !root.IsObject() {
		c.add("trust.store.not-object", root, "a JSON object")
		return store
	}
	c.storeMembers(root)
	keys := root.At("keys")
	if !keys.IsArray() {
		c.add("trust.store.keys-not-array", keys, "an array of keys")
		return store
	}
	for i, node := range keys.Items() {
		if !node.IsObject() {
			c.add("trust.key.not-object", node, "an object")
			continue
		}
		c.key(i, node)
		store.Keys = append(store.Keys, newKey(i, node))
	}
	if out.Strict() {
		c.strictKeys(store.Keys)
	}
	return store
}

func newKey(index int, node canon.Node) Key {
	key := Key{
		Index: index, id: node.Get("keyId"), PEM: node.Get("publicKeyPem").Text(),
		ActorIDs: AllowList{node.Get("allowedActorIds")}, ActorTypes: AllowList{node.Get("allowedActorTypes")},
	}
	if canon.IsIdentifier(key.id) {
		key.ID = key.id.Text()
	}
	switch status := node.Get("status"); {
	case status.Is("active"):
		key.Status = StatusActive
	case status.Is("revoked"):
		key.Status = StatusRevoked
	}
	key.Public, key.PublicErr = ParsePublicKey(key.PEM)
	return key
}

// A storeCheck evaluates the rules of contract 01 §7.1 on one store.
type storeCheck struct {
	path     string
	out      *verify.Findings
	firstUse map[string]int // of a keyId: index of the key
}

func (c *storeCheck) add(rule string, at canon.Node, expected string) {
	c.out.Add(rule, verify.At(c.path, at.Pointer), verify.What{Found: verify.Show(at.Value), Expected: expected})
}

// unknown reports the members of an object that its table does not list.
func (c *storeCheck) unknown(rule string, object canon.Node, known ...string) {
	for _, m := range object.Members() {
		if !slices.Contains(known, m.Name) {
			c.out.Add(rule, verify.At(c.path, object.At(m.Name).Pointer), verify.What{
				Found: "member " + verify.Quote(m.Name), Expected: "only " + strings.Join(known, ", ")})
		}
	}
}

func (c *storeCheck) storeMembers(root canon.Node) {
	c.unknown("trust.store.unknown-field", root, membersOfStore...)
	if schema := root.At("schema"); !schema.Is(StoreSchema) {
		c.add("trust.store.schema", schema, `"`+StoreSchema+`"`)
	}
	if d := root.At("description"); d.Present() && !canon.NonEmpty(d.Value, 1) {
		c.add("trust.store.description", d, "a non-empty string, or no such member")
	}
}

func (c *storeCheck) key(index int, key canon.Node) {
	c.unknown("trust.key.unknown-field", key, membersOfKey...)
	c.keyID(index, key.At("keyId"))
	if status := key.At("status"); !status.Is("active") && !status.Is("revoked") {
		c.add("trust.key.status", status, `"active" or "revoked"`)
	}
	if algorithm := key.At("algorithm"); !algorithm.Is("ed25519") {
		c.add("trust.key.algorithm", algorithm, `"ed25519"`)
	}
	if text := key.At("publicKeyPem"); !strings.Contains(text.Text(), "BEGIN PUBLIC KEY") {
		found := text.Kind().String()
		if found == canon.String.String() {
			found = "a text without that marker"
		}
		c.out.Add("trust.key.pem-marker", verify.At(c.path, text.Pointer),
			verify.What{Found: found, Expected: "a PEM text with BEGIN PUBLIC KEY"})
	}
	c.allowList(key.At("allowedActorIds"), "trust.key.actor-ids", "trust.key.actor-id-entry", "an identifier", canon.IsIdentifier)
	c.allowList(key.At("allowedActorTypes"), "trust.key.actor-types", "trust.key.actor-type-entry", actorTypesText, isActorType)
}

func (c *storeCheck) keyID(index int, id canon.Node) {
	if !canon.IsIdentifier(id.Value) {
		c.add("trust.key.key-id", id, identifierText)
		return
	}
	if first, seen := c.firstUse[id.Text()]; seen {
		c.add("trust.key.duplicate-key-id", id, fmt.Sprintf("a name of its own; keys[%d] has this one", first))
		return
	}
	c.firstUse[id.Text()] = index
}

func (c *storeCheck) allowList(list canon.Node, rule, entryRule, expected string, valid func(canon.Value) bool) {
	if !list.Present() {
		return
	}
	if list.Len() == 0 || !list.IsArray() {
		c.add(rule, list, "a non-empty array, or no such member")
	}
	for _, entry := range list.Items() {
		if !valid(entry.Value) {
			c.add(entryRule, entry, expected)
		}
	}
}

const (
	identifierText = "1 to 256 letters, digits or . _ : / -, starting with a letter or digit"
	actorTypesText = `"agent", "human" or "service"`
)

func isActorType(v canon.Value) bool { return v.Is("agent") || v.Is("human") || v.Is("service") }

// strictKeys evaluates strict.trust.* on every key, active or revoked.
func (c *storeCheck) strictKeys(keys []Key) {
	holder := map[PublicKey]Key{}
	for _, key := range keys {
		at := verify.At(c.path, fmt.Sprintf("/keys/%d/publicKeyPem", key.Index))
		if strings.Contains(key.PEM, "BEGIN PUBLIC KEY") { // else trust.key.pem-marker says it
			if _, err := ParseStrictPublicKey(key.PEM); err != nil {
				c.out.Add("strict.trust.key-encoding", at, verify.What{Found: err.Error(), Expected: "one PUBLIC KEY block and nothing else"})
			}
		}
		if key.PublicErr == nil {
			c.material(key, at)
			if first, seen := holder[key.Public]; seen && !first.named(key.id) {
				c.out.Add("strict.trust.duplicate-key-material", at, verify.What{
					Found:    fmt.Sprintf("the key bytes of keys[%d], %s (%s)", first.Index, verify.Quote(first.ID), first.Status),
					Expected: "key bytes of its own"})
			} else if !seen {
				holder[key.Public] = key
			}
		}
		c.restrictions(key)
	}
}

func (c *storeCheck) material(key Key, at verify.Place) {
	weak := key.Public.Weakness()
	if weak.NotCanonical {
		c.out.Add("strict.trust.key-not-canonical", at, verify.What{
			Found: "32 bytes that are not the canonical encoding of a point", Expected: "the encoding of RFC 8032 §5.1.2"})
	}
	found := "a point outside the prime-order subgroup"
	if weak.SmallOrder {
		found = "a point of order 1, 2, 4 or 8"
	}
	if weak.SmallOrder || weak.Mixed {
		c.out.Add("strict.trust.key-small-order", at, verify.What{Found: found, Expected: "a point of the prime-order subgroup"})
	}
}

func (c *storeCheck) restrictions(key Key) {
	at := fmt.Sprintf("/keys/%d", key.Index)
	if key.Status == StatusActive && key.ActorIDs.Absent() {
		c.out.Add("strict.trust.key-unrestricted", verify.At(c.path, at), verify.What{
			Found: "an active key without allowedActorIds", Expected: "the actors that may sign with it"})
	}
	for _, list := range []struct {
		name string
		AllowList
	}{{"/allowedActorIds", key.ActorIDs}, {"/allowedActorTypes", key.ActorTypes}} {
		if len(list.set()) < list.value.Len() && list.value.IsArray() {
			c.out.Add("strict.trust.duplicate-allow-entry", verify.At(c.path, at+list.name), verify.What{
				Found: verify.Show(list.value) + " with repeats", Expected: "each entry once"})
		}
	}
}

// named reports whether the key's keyId is exactly v, whatever it is.
func (k Key) named(v canon.Value) bool { return exact(k.id, v) }
