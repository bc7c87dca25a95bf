package review

import (
	"encoding/base64"
	"encoding/hex"
	"path/filepath"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
)

// TestWycheproof runs Project Wycheproof's Ed25519 signatures through the rules
// of a strict verification, key rules included. The suite has no keys of small
// order and no keys in another encoding, so each verdict here is one of the
// signature itself; what strict level says of weak keys is our own rule
// (strict.trust.key-*) and tested in TestWeakKeys.
func TestWycheproof(t *testing.T) {
	var suite struct {
		NumberOfTests int
		TestGroups    []struct {
			PublicKeyPem string
			Tests        []struct {
				TCID    int `json:"tcId"`
				Comment string
				Msg     string
				Sig     string
				Result  string
			}
		}
	}
	vectors.Read(t, filepath.Join(vectors.Peers(t, "wycheproof"), "ed25519_test.json"), &suite)
	decided := 0
	for _, group := range suite.TestGroups {
		key, err := ParseStrictPublicKey(group.PublicKeyPem)
		if err != nil || key.Weakness() != (Weakness{}) {
			t.Errorf("key %q: %v, %+v", group.PublicKeyPem, err, key.Weakness())
		}
		for _, c := range group.Tests {
			msg, err1 := hex.DecodeString(c.Msg)
			sig, err2 := hex.DecodeString(c.Sig)
			if err1 != nil || err2 != nil {
				t.Fatalf("test %d is not hexadecimal", c.TCID)
			}
			found := signatureFindings(t, group.PublicKeyPem, msg, base64.StdEncoding.EncodeToString(sig), verify.Strict)
			if accepted := verify.Fold(found) == verify.Pass; accepted != (c.Result == "valid") {
				t.Errorf("test %d (%s): accepted %v, want %s: %s", c.TCID, c.Comment, accepted, c.Result, describe(found))
			}
			decided++
		}
	}
	if decided != suite.NumberOfTests || decided == 0 {
		t.Errorf("decided %d of %d", decided, suite.NumberOfTests)
	}
	t.Logf("wycheproof: %d of %d", decided, suite.NumberOfTests)
}
