package review

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
)

// strictStore makes a store without errors at strict level.
func strictStore(t testing.TB, keys ...string) *Store {
	t.Helper()
	store := storeOf(t, `"description":"who may close runs",`, keys...)
	again, found := ReadStore("store", canon.Pretty(store.Document.Root), verify.Strict)
	if again == nil || found.Errors() > 0 {
		t.Fatalf("not a strict store: %s", describe(found.List()))
	}
	return again
}

func mustEdit(t testing.TB, old *Store, change StoreChange) *StoreEdit {
	t.Helper()
	edit, found, err := EditStore("store", old, change)
	if err != nil || edit == nil {
		t.Fatalf("no edit: %v %s", err, describe(found.List()))
	}
	return edit
}

// kinds are the changes of an edit, as TestDiff writes them.
func kinds(changes []Change) (list []string) {
	for _, c := range changes {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Kind, c.KeyID, c.Risk)))
	}
	return list
}

func TestNewStore(t *testing.T) {
	edit, found := NewStore("store", "who may close runs")
	if edit == nil {
		t.Fatal(describe(found.List()))
	}
	const want = "{\n  \"schema\": \"valdris.review-trust.v1\",\n  \"description\": \"who may close runs\",\n  \"keys\": []\n}\n"
	if string(edit.Data) != want {
		t.Errorf("wrote %s", edit.Data)
	}
	if plain, _ := NewStore("store", ""); plain == nil || bytes.Contains(plain.Data, []byte("description")) {
		t.Error("an empty description is written")
	}
	blank, found := NewStore("store", " \t")
	if blank != nil || !found.Has("trust.store.description") {
		t.Errorf("a blank description: %s", describe(found.List()))
	}
}

func TestEnrolRestrictRevoke(t *testing.T) {
	store, _ := NewStore("store", "")
	a, b := publicOf(testSigner("A")), publicOf(testSigner("B"))
	added := mustEdit(t, store.New, AddKey(Enrolment{KeyID: "release-2026", Public: a,
		Actors: Restriction{ActorIDs: []string{"ada", "grace", "ada"}, ActorTypes: []string{"human", "service"}}}))
	if got := kinds(added.Changes); !slices.Equal(got, []string{"added release-2026 high"}) {
		t.Errorf("changes %v", got)
	}
	want := fmt.Sprintf(`{
  "schema": "valdris.review-trust.v1",
  "keys": [
    {
      "keyId": "release-2026",
      "algorithm": "ed25519",
      "status": "active",
      "publicKeyPem": %q,
      "allowedActorIds": [
        "ada",
        "grace"
      ],
      "allowedActorTypes": [
        "human",
        "service"
      ]
    }
  ]
}
`, pemOf(a))
	if string(added.Data) != want {
		t.Errorf("wrote %s", added.Data)
	}

	second := mustEdit(t, added.New, AddKey(Enrolment{KeyID: "free", Public: b}))
	narrowed := mustEdit(t, second.New, RestrictKey("free", Restriction{ActorIDs: []string{"linus"}}))
	if got := kinds(narrowed.Changes); !slices.Equal(got, []string{"narrowed free low"}) {
		t.Errorf("changes %v", got)
	}
	types := mustEdit(t, narrowed.New, RestrictKey("release-2026", Restriction{ActorTypes: []string{"human"}}))
	if key := types.New.Keys[0]; key.ActorIDs.value.Len() != 2 || key.ActorTypes.value.Len() != 1 {
		t.Errorf("one list was given, both changed: %v", canon.Compact(types.New.Document.Root))
	}
	revoked := mustEdit(t, types.New, RevokeKey("release-2026"))
	if got := kinds(revoked.Changes); !slices.Equal(got, []string{"revoked release-2026 low"}) {
		t.Errorf("changes %v", got)
	}
	if revoked.Old.Pin != types.New.Pin || revoked.New.Pin == types.New.Pin || revoked.New.Keys[0].Status != StatusRevoked {
		t.Error("the revocation is not in the store")
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	a, b := publicOf(testSigner("A")), publicOf(testSigner("B"))
	store := strictStore(t,
		keyOf("active", "active", pemOf(a), `,"allowedActorIds":["ada","grace"],"allowedActorTypes":["human"]`),
		keyOf("old", "revoked", pemOf(b), ""))
	low := PublicKey{1} // the point of order one: anybody signs with it
	for _, c := range []struct {
		name   string
		change StoreChange
		want   string // a rule, or a part of the reason
	}{
		{"a name that is taken", AddKey(Enrolment{KeyID: "active", Public: publicOf(testSigner("C"))}), "trust.key.duplicate-key-id"},
		{"the name of a revoked key", AddKey(Enrolment{KeyID: "old", Public: publicOf(testSigner("C"))}), "trust.key.duplicate-key-id"},
		{"no identifier", AddKey(Enrolment{KeyID: "two words", Public: publicOf(testSigner("C"))}), "trust.key.key-id"},
		{"a revoked key under another name", AddKey(Enrolment{KeyID: "new", Public: b}), "strict.trust.duplicate-key-material"},
		{"a key that anybody can forge", AddKey(Enrolment{KeyID: "new", Public: low}), "strict.trust.key-small-order"},
		{"no point of the curve", AddKey(Enrolment{KeyID: "new", Public: PublicKey{2}}), "strict.trust.key-not-canonical"},
		{"an actor that is no identifier", AddKey(Enrolment{KeyID: "new", Public: publicOf(testSigner("C")), Actors: Restriction{ActorIDs: []string{"a b"}}}), "trust.key.actor-id-entry"},
		{"no such type", AddKey(Enrolment{KeyID: "new", Public: publicOf(testSigner("C")), Actors: Restriction{ActorTypes: []string{"robot"}}}), "trust.key.actor-type-entry"},
		{"an empty list", AddKey(Enrolment{KeyID: "new", Public: publicOf(testSigner("C")), Actors: Restriction{ActorIDs: []string{}}}), "trust.key.actor-ids"},
		{"restrict to nobody", RestrictKey("active", Restriction{ActorIDs: []string{}}), "trust.key.actor-ids"},
		{"restrict to others", RestrictKey("active", Restriction{ActorIDs: []string{"linus"}}), "would let others sign"},
		{"restrict to more", RestrictKey("active", Restriction{ActorIDs: []string{"ada", "grace", "linus"}}), "would let others sign"},
		{"fewer ids, more types", RestrictKey("active", Restriction{ActorIDs: []string{"ada"}, ActorTypes: []string{"human", "agent"}}), "would let others sign"},
		{"restrict to the same", RestrictKey("active", Restriction{ActorIDs: []string{"grace", "ada"}}), "already"},
		{"restrict by nothing", RestrictKey("active", Restriction{}), "already"},
		{"restrict an unknown key", RestrictKey("gone", Restriction{ActorIDs: []string{"ada"}}), `no key "gone"`},
		{"revoke an unknown key", RevokeKey("gone"), `no key "gone"`},
		{"revoke twice", RevokeKey("old"), "revoked already"},
		{"revoke nothing", RevokeKey(""), `no key ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			edit, found, err := EditStore("store", store, c.change)
			if edit != nil {
				t.Fatalf("accepted: %s", edit.Data)
			}
			var refused *EditError
			if errors.As(err, &refused) {
				if !strings.Contains(refused.Reason, c.want) || refused.Hint() == "" {
					t.Errorf("refused with %q (hint %q), want %q", refused.Reason, refused.Hint(), c.want)
				}
				return
			}
			if err != nil || !found.Has(c.want) {
				t.Errorf("error %v, findings %s, want %s", err, describe(found.List()), c.want)
			}
		})
	}
}

// An edit writes the members in one order, loses none, and an edited store is
// no change by itself.
func TestEditKeepsWhatItDoesNotChange(t *testing.T) {
	a, b := publicOf(testSigner("A")), publicOf(testSigner("B"))
	shuffled := fmt.Sprintf(`{"keys":[{"allowedActorIds":["ada"],"publicKeyPem":%q,"status":"active","keyId":"x","algorithm":"ed25519"}],"description":"é","schema":%q}`,
		strings.ReplaceAll(pemOf(a), "\n", "\r\n"), StoreSchema)
	old, found := ReadStore("store", []byte(shuffled), verify.Strict)
	if found.Errors() > 0 {
		t.Fatal(describe(found.List()))
	}
	edit := mustEdit(t, old, AddKey(Enrolment{KeyID: "y", Public: b, Actors: Restriction{ActorIDs: []string{"ada"}}}))
	if got := kinds(edit.Changes); !slices.Equal(got, []string{"added y high"}) {
		t.Errorf("changes %v", got)
	}
	if i := bytes.Index(edit.Data, []byte(`"schema"`)); i != 4 || !canon.Equal(old.Document.Root.Get("keys").Elems()[0], edit.New.Document.Root.Get("keys").Elems()[0]) {
		t.Errorf("wrote %s", edit.Data)
	}
}

// Whatever is asked for: what comes out satisfies the rules at strict level, is
// the change that was asked for and no other, and a restriction never admits
// anybody who was not admitted before.
func TestEditProperties(t *testing.T) {
	actors := []string{"ada", "grace", "linus", "Ada", "a b"}
	types := []string{"agent", "human", "service", "robot"}
	names := []string{"A", "B", "C", "D"}
	lists := func(rt *rapid.T, label string) Restriction {
		pick := func(from []string, what string) []string {
			if rapid.Bool().Draw(rt, label+what+" absent") {
				return nil
			}
			return rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(rt, label+what)
		}
		return Restriction{pick(actors, " ids"), pick(types, " types")}
	}
	rapid.Check(t, func(rt *rapid.T) {
		start, _ := NewStore("store", "")
		store := start.New
		for range rapid.IntRange(1, 6).Draw(rt, "edits") {
			name := rapid.SampledFrom(names).Draw(rt, "key")
			var change StoreChange
			allowed := map[ChangeKind]bool{}
			switch rapid.IntRange(0, 2).Draw(rt, "edit") {
			case 0:
				change = AddKey(Enrolment{KeyID: name, Public: publicOf(testSigner(rapid.SampledFrom(names).Draw(rt, "bytes"))), Actors: lists(rt, "add")})
				allowed[ChangeAdded] = true
			case 1:
				change = RestrictKey(name, lists(rt, "restrict"))
				allowed[ChangeNarrowed] = true
			default:
				change = RevokeKey(name)
				allowed[ChangeRevoked] = true
			}
			edit, _, _ := EditStore("store", store, change)
			if edit == nil {
				continue
			}
			again, found := ReadStore("store", edit.Data, verify.Strict)
			if found.Errors() > 0 || again.Pin != edit.New.Pin {
				rt.Fatalf("an invalid store: %s", describe(found.List()))
			}
			if len(edit.Changes) != 1 || !allowed[edit.Changes[0].Kind] || edit.Changes[0].KeyID != name {
				rt.Fatalf("changes %v", kinds(edit.Changes))
			}
			for i, key := range store.Keys {
				for _, actor := range actors {
					v := canon.NewString(actor)
					if again.Keys[i].ActorIDs.Allows(v) && !key.ActorIDs.Allows(v) {
						rt.Fatalf("%s may sign with %s now", actor, key.ID)
					}
				}
			}
			store = again
		}
	})
}
