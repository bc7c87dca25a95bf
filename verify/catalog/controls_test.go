package catalog

import "testing"

func TestIsControl(t *testing.T) {
	for id, want := range map[string]bool{
		"LIVE-SMOKE-001": true, "FND-PRODUCT-001": true, "AI-RAG-001": true, "IOS-PUSH-001": true, "YOUTH-AI-AUTHORITY-001": true,
		"SEC-SECRETS-001": true, "DR-INCIDENT-001": true, "FE-BEHAVIOR-001": true,
		"": false, "sec-secrets-001": false, "SEC-SECRETS-002": false, "security": false, "LIVE-SMOKE-001 ": false,
	} {
		if got := IsControl(id); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
	// 39 production, 14 foundation and 10 AI controls, 5 packs of 6, and the
	// smoke test's at least (contracts 08 §1.2, 09a §6 to §8).
	if n := len(controls()); n < 39+14+10+30+1 {
		t.Errorf("%d controls are known", n)
	}
}
