package review

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// A StoreEdit is a trust store that was made or changed, and is not written
// yet. It satisfies every rule of a store at strict level.
type StoreEdit struct {
	Old     *Store // nil for a store that is new
	New     *Store
	Data    []byte   // the file to write
	Changes []Change // what the change means, for the operator who replaces the pin
}

// A StoreChange makes the document of another store out of one. The error is an
// *EditError.
type StoreChange func(store *Store) (canon.Value, error)

// An EditError says why a store is not changed, and what to do about it.
type EditError struct{ Reason, Advice string }

func (e *EditError) Error() string { return e.Reason }

// Hint is what to do about it.
func (e *EditError) Hint() string { return e.Advice }

// A Restriction says who may sign with a key. A nil list restricts nothing.
type Restriction struct{ ActorIDs, ActorTypes []string }

// An Enrolment is a key that an operator adds to a store, because its owner
// handed it over: never one that came with the evidence under review.
type Enrolment struct {
	KeyID  string
	Public PublicKey
	Actors Restriction
}

// NewStore makes a store without keys, under which nothing passes yet. An empty
// description is left out. The findings are those of [ReadStore] at strict
// level; with an error among them there is no edit.
func NewStore(path, description string) (*StoreEdit, *verify.Findings) {
	doc := object(text("schema", StoreSchema))
	if description != "" {
		doc = canon.With(doc, "description", canon.NewString(description))
	}
	return storeEdit(path, nil, canon.With(doc, "keys", canon.NewArray()))
}

// EditStore applies a change to a store whose findings at strict level hold no
// error. What comes of it is read again by [ReadStore] at strict level; with an
// error among the findings there is no edit. Path is the store's name in them.
func EditStore(path string, old *Store, change StoreChange) (*StoreEdit, *verify.Findings, error) {
	doc, err := change(old)
	if err != nil {
		return nil, nil, err
	}
	edit, findings := storeEdit(path, old, doc)
	return edit, findings, nil
}

func storeEdit(path string, old *Store, doc canon.Value) (*StoreEdit, *verify.Findings) {
	data := canon.Pretty(inOrder(doc))
	store, findings := ReadStore(path, data, verify.Strict)
	if store == nil || findings.Errors() > 0 {
		return nil, findings
	}
	edit := &StoreEdit{Old: old, New: store, Data: data}
	if old != nil {
		edit.Changes = Diff(old, store)
	}
	return edit, findings
}

// AddKey enrols a key, active, after those that are there. That its name and
// its bytes are new is a matter of the store's rules.
func AddKey(e Enrolment) StoreChange {
	return func(store *Store) (canon.Value, error) {
		entry := restricted(object(text("keyId", e.KeyID), text("algorithm", "ed25519"),
			text("status", StatusActive.String()), text("publicKeyPem", e.Public.PEM())), e.Actors)
		doc := store.Document.Root
		keys := append(slices.Clone(doc.Get("keys").Elems()), entry)
		return canon.With(doc, "keys", canon.NewArray(keys...)), nil
	}
}

// RevokeKey revokes an active key.
func RevokeKey(keyID string) StoreChange {
	return func(store *Store) (canon.Value, error) {
		key, err := store.find(keyID)
		if err != nil {
			return canon.Value{}, err
		}
		if key.Status == StatusRevoked {
			return canon.Value{}, &EditError{"key " + verify.Quote(keyID) + " is revoked already", "nothing was written; its reviews do not verify any more"}
		}
		return store.with(key, func(entry canon.Value) canon.Value {
			return canon.With(entry, "status", canon.NewString(StatusRevoked.String()))
		}), nil
	}
}

// RestrictKey lets fewer actors sign with a key: each list that is given takes
// the place of the key's own. Lists that would admit anybody new are refused,
// so that a restriction never widens.
func RestrictKey(keyID string, actors Restriction) StoreChange {
	return func(store *Store) (canon.Value, error) {
		key, err := store.find(keyID)
		if err != nil {
			return canon.Value{}, err
		}
		doc := store.with(key, func(entry canon.Value) canon.Value { return restricted(entry, actors) })
		entry := doc.Get("keys").Elems()[key.Index]
		grows, shrinks := false, false
		for _, pair := range [][2]AllowList{
			{key.ActorIDs, AllowList{entry.Get("allowedActorIds")}},
			{key.ActorTypes, AllowList{entry.Get("allowedActorTypes")}},
		} {
			grows = grows || admitsMore(pair[0], pair[1])
			shrinks = shrinks || admitsMore(pair[1], pair[0])
		}
		switch {
		case grows:
			return canon.Value{}, &EditError{"that would let others sign with key " + verify.Quote(keyID) + " than may now",
				"name only actors that its lists admit already; a new signer gets a key of his own (finishline trust add)"}
		case !shrinks:
			return canon.Value{}, &EditError{"key " + verify.Quote(keyID) + " is restricted to these actors already", "nothing was written"}
		}
		return doc, nil
	}
}

// PEM is the text of the key as a store holds it: one PUBLIC KEY block.
func (k PublicKey) PEM() string {
	return pemBegin + pemLabel + pemTail + "\n" + base64.StdEncoding.EncodeToString(k.spki()) + "\n" + pemEnd + pemLabel + pemTail + "\n"
}

// maxListedKeys bounds the names in a message.
const maxListedKeys = 8

func (s *Store) find(keyID string) (Key, error) {
	var names []string
	for _, key := range s.Keys {
		if key.ID == keyID && keyID != "" {
			return key, nil
		}
		names = append(names, key.ID)
	}
	advice := "the store holds no key yet"
	if len(names) > 0 {
		advice = "its keys are " + strings.Join(names[:min(len(names), maxListedKeys)], ", ")
		if len(names) > maxListedKeys {
			advice += fmt.Sprintf(" and %d more", len(names)-maxListedKeys)
		}
	}
	return Key{}, &EditError{"no key " + verify.Quote(keyID) + " in the store", advice}
}

// with is the store's document with another entry in a key's place.
func (s *Store) with(key Key, change func(canon.Value) canon.Value) canon.Value {
	keys := slices.Clone(s.Document.Root.Get("keys").Elems())
	keys[key.Index] = change(keys[key.Index])
	return canon.With(s.Document.Root, "keys", canon.NewArray(keys...))
}

func restricted(entry canon.Value, actors Restriction) canon.Value {
	for _, list := range []struct {
		member string
		texts  []string
	}{{"allowedActorIds", actors.ActorIDs}, {"allowedActorTypes", actors.ActorTypes}} {
		if list.texts == nil {
			continue
		}
		var values []canon.Value
		for i, text := range list.texts {
			if slices.Index(list.texts, text) == i { // said twice is said once
				values = append(values, canon.NewString(text))
			}
		}
		entry = canon.With(entry, list.member, canon.NewArray(values...))
	}
	return entry
}

// inOrder writes the members of a store in one order, whoever wrote it before.
// Members that the format does not have are kept, for its rules to refuse.
func inOrder(doc canon.Value) canon.Value {
	var keys []canon.Value
	for _, entry := range doc.Get("keys").Elems() {
		keys = append(keys, reordered(entry, membersOfKey))
	}
	return reordered(canon.With(doc, "keys", canon.NewArray(keys...)), membersOfStore)
}

func reordered(object canon.Value, names []string) canon.Value {
	var members []canon.Member
	for _, name := range names {
		if v := object.Get(name); v.Present() {
			members = append(members, canon.Member{Name: name, Value: v})
		}
	}
	for _, m := range object.Members() {
		if !slices.Contains(names, m.Name) {
			members = append(members, m)
		}
	}
	return canon.Build(members...)
}
