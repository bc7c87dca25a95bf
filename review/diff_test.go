package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
)

// storeOf makes a store of keys given as JSON objects.
func storeOf(t testing.TB, head string, keys ...string) *Store {
	t.Helper()
	store, found := ReadStore("store", []byte(fmt.Sprintf(`{"schema":%q,%s"keys":[%s]}`, StoreSchema, head, strings.Join(keys, ","))), verify.Base)
	if store == nil || found.Errors() > 0 {
		t.Fatalf("not a valid store: %s", describe(found.List()))
	}
	return store
}

// keyOf is a key object; extra members follow its four.
func keyOf(id, status, pem, extra string) string {
	return fmt.Sprintf(`{"keyId":%q,"algorithm":"ed25519","status":%q,"publicKeyPem":%q%s}`, id, status, pem, extra)
}

func TestDiff(t *testing.T) {
	a, b, c := pemOf(publicOf(testSigner("A"))), pemOf(publicOf(testSigner("B"))), pemOf(publicOf(testSigner("C")))
	crlf := strings.ReplaceAll(a, "\n", "\r\n")
	ids := func(list ...string) string { return `,"allowedActorIds":["` + strings.Join(list, `","`) + `"]` }
	types := func(list ...string) string { return `,"allowedActorTypes":["` + strings.Join(list, `","`) + `"]` }
	key := func(extra string) string { return keyOf("a", "active", a, extra) }
	for _, tc := range []struct {
		name     string
		old, new []string
		want     []string
	}{
		{"nothing", []string{key("")}, []string{key("")}, nil},
		{"added active", nil, []string{key("")}, []string{"added a high"}},
		{"added revoked", nil, []string{keyOf("a", "revoked", a, "")}, []string{"added a low"}},
		{"removed", []string{key("")}, nil, []string{"removed a medium"}},
		{"revoked", []string{key("")}, []string{keyOf("a", "revoked", a, "")}, []string{"revoked a low"}},
		{"reinstated", []string{keyOf("a", "revoked", a, "")}, []string{key("")}, []string{"reinstated a high"}},
		{"rekeyed", []string{key("")}, []string{keyOf("a", "active", b, "")}, []string{"rekeyed a high"}},
		{"re-encoded", []string{key("")}, []string{keyOf("a", "active", crlf, "")}, []string{"re-encoded a none"}},
		{"unreadable material", []string{key("")}, []string{keyOf("a", "active", "BEGIN PUBLIC KEY", "")}, []string{"rekeyed a high"}},
		{"swapped names", []string{key(""), keyOf("b", "revoked", b, "")}, []string{keyOf("a", "active", b, ""), keyOf("b", "revoked", a, "")},
			[]string{"rekeyed a high", "reused-material a high", "rekeyed b high", "reused-material b high"}},
		{"revoked material under a new name", []string{keyOf("a", "revoked", a, "")}, []string{keyOf("a", "revoked", a, ""), keyOf("b", "active", crlf, "")},
			[]string{"added b high", "reused-material b high"}},
		{"removed and enrolled again", []string{key("")}, []string{keyOf("b", "active", a, "")},
			[]string{"removed a medium", "added b high", "reused-material b high"}},
		{"two new names for one new key", []string{key("")}, []string{key(""), keyOf("b", "active", c, ""), keyOf("c", "active", c, "")},
			[]string{"added b high", "reused-material b high", "added c high", "reused-material c high"}},
		{"widened", []string{key(ids("x"))}, []string{key(ids("x", "y"))}, []string{"widened a high"}},
		{"narrowed", []string{key(ids("x", "y"))}, []string{key(ids("y"))}, []string{"narrowed a low"}},
		{"restriction dropped", []string{key(ids("x"))}, []string{key("")}, []string{"widened a high"}},
		{"restriction added", []string{key("")}, []string{key(types("human"))}, []string{"narrowed a low"}},
		{"every type listed, then none", []string{key(types("agent", "human", "service"))}, []string{key("")}, []string{"widened a high"}},
		{"others", []string{key(ids("x"))}, []string{key(ids("y"))}, []string{"changed a high"}},
		{"one list wider, one narrower", []string{key(ids("x") + types("human", "agent"))}, []string{key(ids("x", "y") + types("human"))}, []string{"changed a high"}},
		{"both wider", []string{key(ids("x") + types("human"))}, []string{key(ids("x", "y"))}, []string{"widened a high"}},
		{"list order", []string{key(ids("x", "y"))}, []string{key(ids("y", "x"))}, []string{"allow-list-order a none"}},
		{"list repeats", []string{key(ids("x"))}, []string{key(ids("x", "x"))}, []string{"allow-list-order a none"}},
		{"key order", []string{key(""), keyOf("b", "active", b, "")}, []string{keyOf("b", "active", b, ""), key("")}, []string{"order  none"}},
		{"a key between", []string{key(""), keyOf("b", "active", b, "")}, []string{key(""), keyOf("c", "active", c, ""), keyOf("b", "active", b, "")}, []string{"added c high"}},
		{"several at once", []string{keyOf("a", "revoked", a, ids("x"))}, []string{keyOf("a", "active", b, "")},
			[]string{"reinstated a high", "rekeyed a high", "widened a high"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old, new := storeOf(t, "", tc.old...), storeOf(t, "", tc.new...)
			changes := Diff(old, new)
			var got []string
			for _, ch := range changes {
				got = append(got, fmt.Sprintf("%s %s %s", ch.Kind, ch.KeyID, ch.Risk))
				if ch.Detail == "" {
					t.Errorf("%s says nothing to a person", ch.Kind)
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if (len(changes) > 0) != (old.Pin != new.Pin) {
				t.Errorf("%d changes, pins %s and %s", len(changes), old.Pin, new.Pin)
			}
		})
	}
	for _, pair := range [][2]string{{"", `"description":"x",`}, {`"description":"x",`, ""}, {`"description":"x",`, `"description":"y",`}} {
		if got := Diff(storeOf(t, pair[0]), storeOf(t, pair[1])); len(got) != 1 || got[0].Kind != ChangeDescription || got[0].Risk != RiskNone {
			t.Errorf("%q: %v", pair, got)
		}
	}
}

// TestPin: a pin binds exactly one digest, and an unusable one binds nothing.
func TestPin(t *testing.T) {
	digest := canon.SHA256([]byte("store"))
	for env, state := range map[string]PinState{
		"": PinMissing, " ": PinMalformed, digest[:63]: PinMalformed, digest + "\n": PinMalformed, "sha256:" + digest: PinMalformed,
		digest: PinUsable, strings.ToUpper(digest): PinUsable,
	} {
		pin := ParsePin(env)
		if pin.State() != state {
			t.Errorf("%q: state %d, want %d", env, pin.State(), state)
		}
		if pin.Binds(digest) != (state == PinUsable) || pin.Binds("") || pin.Binds(strings.ToUpper(digest)) {
			t.Errorf("%q binds what it must not, or not what it must", env)
		}
	}
	if (Pin{}).Binds("") || (Pin{}).State() != PinMissing {
		t.Error("the zero pin binds something")
	}
	secret := "ghp_" + strings.Repeat("Ab1", 12)
	out := TrustTable.Collect(verify.Strict)
	ParsePin(secret).Report(out)
	if text := describe(out.List()); strings.Contains(text, secret) || !strings.Contains(text, "trust.pin.malformed") {
		t.Errorf("findings %s", text)
	}
}
