package review

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
)

// expectation is the part of a case that says what must come out.
type expectation struct {
	Case           string          `json:"case"`
	Expect         vectors.Expect  `json:"expect"`
	ExpectStrict   *vectors.Expect `json:"expect_strict"`
	WarningsStrict []string        `json:"warnings_strict"`
}

// check compares findings at both levels with the expectation: verdict and the
// exact set of ids.
func (e expectation) check(t *testing.T, base, strict []verify.Finding) {
	t.Helper()
	baseIDs, strictIDs := verify.RuleIDs(base, verify.Error), verify.RuleIDs(strict, verify.Error)
	if valid := verify.Fold(base) == verify.Pass; valid != e.Expect.Valid || !vectors.SameRules(baseIDs, e.Expect.Rules) {
		t.Errorf("base: valid %v, rules %v; want %v, %v\n%s", valid, baseIDs, e.Expect.Valid, e.Expect.Rules, describe(base))
	}
	wantValid, only := e.Expect.Valid, vectors.StrictOnly(strictIDs)
	if e.ExpectStrict != nil {
		wantValid = e.ExpectStrict.Valid
		if !vectors.SameRules(only, e.ExpectStrict.Rules) {
			t.Errorf("strict rules %v, want %v\n%s", only, e.ExpectStrict.Rules, describe(strict))
		}
	} else if e.Expect.Valid && len(only) > 0 {
		t.Errorf("strict rules %v fire on a document that must pass\n%s", only, describe(strict))
	}
	if valid := verify.Fold(strict) == verify.Pass; valid != wantValid {
		t.Errorf("strict: valid %v, want %v", valid, wantValid)
	}
	if !vectors.SameRules(without(strictIDs, only), e.Expect.Rules) {
		t.Errorf("base rules at strict level %v, want %v", strictIDs, e.Expect.Rules)
	}
	warned := verify.RuleIDs(strict, verify.Warning)
	if e.WarningsStrict != nil && !vectors.SameRules(warned, e.WarningsStrict) {
		t.Errorf("strict warnings %v, want %v", warned, e.WarningsStrict)
	}
	for _, f := range append(base, strict...) {
		if f.Hint == "" || f.Found == "" {
			t.Errorf("%s says neither what was found nor what to do: %+v", f.Rule, f)
		}
	}
}

func without(ids, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(drop, id) })
}

func describe(list []verify.Finding) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString("  " + f.Rule + " " + f.Artifact + f.Pointer + ": found " + f.Found + ", expected " + f.Expected + "; " + f.Hint + "\n")
		for _, c := range f.Causes {
			b.WriteString("    because " + c.Rule + " " + c.Found + "\n")
		}
	}
	return b.String()
}

// load reads the cases of a vector file. JSON documents inside are kept as
// text, for our own reader.
func load[T any](t testing.TB, area, file string) []T {
	t.Helper()
	var suite struct {
		Cases []T `json:"cases"`
	}
	vectors.Read(t, filepath.Join(vectors.Dir(t, area), file), &suite)
	return suite.Cases
}

func readStore(t testing.TB, data []byte, level verify.Level) (*Store, []verify.Finding) {
	t.Helper()
	store, out := ReadStore("review-trust.v1.json", data, level)
	if store == nil {
		t.Fatalf("the store is unreadable: %s", describe(out.List()))
	}
	return store, out.List()
}

func TestVectorsStores(t *testing.T) {
	type storeCase struct {
		expectation
		Document json.RawMessage `json:"document"`
		SHA256   string          `json:"canonical_sha256"`
	}
	tally := vectors.NewTally(t, "trust/stores")
	for _, c := range load[storeCase](t, "trust", "stores.json") {
		tally.Case(c.Case, func(t *testing.T) {
			store, base := readStore(t, c.Document, verify.Base)
			_, strict := readStore(t, c.Document, verify.Strict)
			c.check(t, base, strict)
			if store.Pin != c.SHA256 {
				t.Errorf("pin %s, want %s", store.Pin, c.SHA256)
			}
		})
	}
}

func TestVectorsSpellings(t *testing.T) {
	type spelling struct {
		Case   string `json:"case"`
		Text   string `json:"text"`
		SHA256 string `json:"canonical_sha256"`
		Same   bool   `json:"same_as_reference_store"`
	}
	cases := load[spelling](t, "trust", "spellings.json")
	var reference string
	for _, c := range cases {
		if c.Same {
			reference = c.SHA256
		}
	}
	tally := vectors.NewTally(t, "trust/spellings")
	for _, c := range cases {
		tally.Case(c.Case, func(t *testing.T) {
			store, _ := readStore(t, []byte(c.Text), verify.Base)
			if store.Pin != c.SHA256 || (store.Pin == reference) != c.Same {
				t.Errorf("pin %s, want %s; equal to the reference: %v, want %v", store.Pin, c.SHA256, store.Pin == reference, c.Same)
			}
		})
	}
}

func TestVectorsPins(t *testing.T) {
	type pinCase struct {
		expectation
		Env   map[string]string `json:"env"`
		Store json.RawMessage   `json:"store"`
	}
	tally := vectors.NewTally(t, "trust/pins")
	for _, c := range load[pinCase](t, "trust", "pins.json") {
		tally.Case(c.Case, func(t *testing.T) {
			at := func(level verify.Level) []verify.Finding {
				store, _ := readStore(t, c.Store, level)
				out := TrustTable.Collect(level)
				pin := ParsePin(c.Env[PinVariable])
				pin.Report(out)
				pin.ReportLive(out, "review-trust.v1.json", store)
				return out.List()
			}
			c.check(t, at(verify.Base), at(verify.Strict))
		})
	}
}

func TestVectorsRotations(t *testing.T) {
	type change struct {
		Kind  string `json:"change"`
		KeyID string `json:"keyId"`
	}
	type rotation struct {
		Case   string          `json:"case"`
		Old    json.RawMessage `json:"old"`
		New    json.RawMessage `json:"new"`
		Expect struct {
			OldPin     string   `json:"old_pin"`
			NewPin     string   `json:"new_pin"`
			PinChanges bool     `json:"pin_changes"`
			Changes    []change `json:"changes"`
		} `json:"expect"`
	}
	tally := vectors.NewTally(t, "trust/rotations")
	for _, c := range load[rotation](t, "trust", "rotations.json") {
		tally.Case(c.Case, func(t *testing.T) {
			old, _ := readStore(t, c.Old, verify.Strict)
			new, _ := readStore(t, c.New, verify.Strict)
			if old.Pin != c.Expect.OldPin || new.Pin != c.Expect.NewPin || (old.Pin != new.Pin) != c.Expect.PinChanges {
				t.Errorf("pins %s and %s, want %s and %s", old.Pin, new.Pin, c.Expect.OldPin, c.Expect.NewPin)
			}
			got, want := map[change]bool{}, map[change]bool{}
			for _, ch := range Diff(old, new) {
				got[change{string(ch.Kind), ch.KeyID}] = true
			}
			for _, ch := range c.Expect.Changes {
				want[ch] = true
			}
			if !maps.Equal(got, want) {
				t.Errorf("changes %v, want %v", got, want)
			}
		})
	}
}

func TestVectorsSignatures(t *testing.T) {
	type signatureCase struct {
		expectation
		Payload   json.RawMessage `json:"payload"`
		SHA256    string          `json:"canonical_sha256"`
		PEM       string          `json:"publicKeyPem"`
		Signature string          `json:"signature"`
	}
	tally := vectors.NewTally(t, "review/signatures")
	for _, c := range load[signatureCase](t, "review", "signatures.json") {
		tally.Case(c.Case, func(t *testing.T) {
			doc, err := canon.Read(c.Payload, canon.MaxReview)
			if err != nil {
				t.Fatal(err)
			}
			message := canon.Canonical(doc.Root)
			if canon.SHA256(message) != c.SHA256 {
				t.Errorf("payload digest %s, want %s", canon.SHA256(message), c.SHA256)
			}
			c.check(t, signatureFindings(t, c.PEM, message, c.Signature, verify.Base),
				signatureFindings(t, c.PEM, message, c.Signature, verify.Strict))
		})
	}
}

// signatureFindings evaluates what the README of the vectors lists for static
// signature cases.
func signatureFindings(t testing.TB, pem string, message []byte, signature string, level verify.Level) []verify.Finding {
	key := canon.Build(
		canon.Member{Name: "keyId", Value: canon.NewString("k")},
		canon.Member{Name: "algorithm", Value: canon.NewString("ed25519")},
		canon.Member{Name: "status", Value: canon.NewString("active")},
		canon.Member{Name: "publicKeyPem", Value: canon.NewString(pem)},
		canon.Member{Name: "allowedActorIds", Value: canon.NewArray(canon.NewString("a"))})
	store, trust := readStore(t, canon.Canonical(canon.Build(
		canon.Member{Name: "schema", Value: canon.NewString(StoreSchema)},
		canon.Member{Name: "keys", Value: canon.NewArray(key)})), level)
	out := Table.Collect(level)
	out.Append(trust...)
	node := canon.Node{Value: canon.NewString(signature), Pointer: "/attestation/signature"}
	s := stage{verifier: &verifier{out: out, path: "review.json", result: &Result{}}}
	if s.signatureText(node); !s.problem {
		s.verifySignature(store, store.Keys[0], message, node)
	}
	return out.List()
}

func TestVectorsTimestamps(t *testing.T) {
	type timestampCase struct {
		expectation
		Value string `json:"value"`
	}
	tally := vectors.NewTally(t, "review/timestamps")
	for _, c := range load[timestampCase](t, "review", "timestamps.json") {
		tally.Case(c.Case, func(t *testing.T) {
			at := func(level verify.Level) []verify.Finding {
				out := Table.Collect(level)
				s := stage{verifier: &verifier{out: out, path: "review.json", result: &Result{}}}
				s.signedAt(canon.Node{Value: canon.NewString(c.Value), Pointer: "/attestation/signedAt"})
				return out.List()
			}
			c.check(t, at(verify.Base), at(verify.Strict))
		})
	}
}
