package evidence_test

import (
	"os"
	"path/filepath"
	"testing"

	"finishline/verify"
	"finishline/verify/evidence"
)

// A ledger that was read and is no ledger is bad; it was looked at.
func TestUnreadableLedgerFails(t *testing.T) {
	for _, c := range []struct{ name, text, rule string }{
		{"empty", "", "waiver.ledger.json"},
		{"cut off", `{"schema":`, "waiver.ledger.json"},
		{"no object", "[]", "waiver.ledger.object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "waivers.json"), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for name, level := range levels {
				out := evidence.Waivers.Collect(level)
				evidence.VerifyWaivers(out, openRoot(t, dir), "waivers.json", evidence.WaiverOptions{})
				if !out.Has(c.rule) || out.Verdict() != verify.Fail {
					t.Errorf("%s: %s %v, want fail by %s", name, out.Verdict(), out.List(), c.rule)
				}
			}
		})
	}
}
