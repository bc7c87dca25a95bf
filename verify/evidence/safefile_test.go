package evidence_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// plant makes files, folders and links for references to lead to.
func plant(t *testing.T) *evidence.Root {
	t.Helper()
	root := fixedRoot(t)
	for link, target := range map[string]string{
		"parent": "proof", "leaf.txt": "other.txt", "escape": "..", "loop": "loop", "dangling": "nowhere", "absolute": filepath.Join(root.Dir(), "proof"),
	} {
		if err := os.Symlink(target, filepath.Join(root.Dir(), link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"..dots.txt", `back\slash.txt`, "C:", "colon:x"} {
		if err := os.WriteFile(filepath.Join(root.Dir(), name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root.Dir(), "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestSafeFile(t *testing.T) {
	root := plant(t)
	const ok, escapes, invalid = "ok", "escapes", "invalid"
	for _, c := range []struct{ ref, strict, base string }{
		{"proof/log.txt", ok, ok},
		{" proof/log.txt", escapes, ok},
		{"./proof//log.txt", escapes, ok},
		{"proof/../other.txt", escapes, ok},
		{"../" + filepath.Base(root.Dir()) + "/other.txt", escapes, escapes},
		{root.Dir() + "/other.txt", escapes, ok},
		{"/etc/passwd", escapes, escapes},
		{"..dots.txt", escapes, escapes},
		{`back\slash.txt`, escapes, ok},
		{"C:", escapes, ok},
		{"colon:x", ok, ok}, // a second letter before the colon is no drive
		{"proof", invalid, invalid},
		{"fifo", invalid, invalid},
		{"missing", invalid, invalid},
		{"other.txt/x", invalid, invalid},
		{"other.txt/", escapes, ok},
		{"parent/log.txt", invalid, ok},
		{"absolute/log.txt", invalid, ok},
		{"leaf.txt", invalid, invalid},
		{"escape/x", invalid, invalid},
		{"loop/x", invalid, invalid},
		{"dangling", invalid, invalid},
		{"a\x00b", escapes, invalid},
		{"", escapes, invalid},
		{".", escapes, invalid},
	} {
		for level, want := range map[verify.Level]string{verify.Strict: c.strict, verify.Base: c.base} {
			got := ok
			res, err := root.SafeFile(c.ref, level)
			switch {
			case err != nil && err.Escapes:
				got = escapes
			case err != nil:
				got = invalid
			default:
				if _, derr := root.DigestResolved(res); derr != nil {
					t.Errorf("%q at %s level: %v", c.ref, level, derr)
				}
			}
			if got != want {
				t.Errorf("%q at %s level: %s (%v), want %s", c.ref, level, got, err, want)
			}
		}
	}
}

func TestPlainFile(t *testing.T) {
	root := plant(t)
	for ref, want := range map[string]bool{
		"proof/log.txt": true, "..dots.txt": true, "parent/log.txt": false, "leaf.txt": false, "./other.txt": false, "fifo": false, "": false, "proof": false,
	} {
		if _, err := root.PlainFile(ref); (err == nil) != want {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestOwnFile(t *testing.T) {
	root := plant(t)
	for _, c := range []struct {
		ref          string
		strict, base bool
	}{
		{"other.txt", true, true}, {"leaf.txt", false, true}, {"parent/log.txt", false, true}, {"escape/x", false, false},
		{"dangling", false, false}, {"missing", false, false}, {"../x", false, false},
	} {
		for level, want := range map[verify.Level]bool{verify.Strict: c.strict, verify.Base: c.base} {
			if _, err := root.OwnFile(c.ref, level); (err == nil) != want {
				t.Errorf("%q at %s level: %v", c.ref, level, err)
			}
		}
	}
}

// A file that is swapped for another after it was resolved is not read.
func TestSwappedAfterResolving(t *testing.T) {
	root := fixedRoot(t)
	res, err := root.SafeFile(fileName, verify.Strict)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root.Dir(), fileName)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../other.txt", file); err != nil {
		t.Fatal(err)
	}
	if sum, err := root.DigestResolved(res); err == nil {
		t.Errorf("a link swapped in is read: %s", sum.SHA256)
	}
	if data, _, err := root.Load(res, 1<<20); err == nil {
		t.Errorf("a link swapped in is loaded: %q", data)
	}
}

func TestLoad(t *testing.T) {
	root := fixedRoot(t)
	res, refErr := root.SafeFile(fileName, verify.Strict)
	if refErr != nil {
		t.Fatal(refErr)
	}
	if _, _, err := root.Load(res, 3); err == nil {
		t.Error("a file beyond the bound is loaded")
	}
	data, sum, err := root.Load(res, 1<<20)
	if err != nil || string(data) != fileText || sum != canon.SHA256(data) {
		t.Fatalf("%q, %s, %v", data, sum, err)
	}
	if list := root.Artifacts(); len(list) != 1 || list[0].SHA256 != sum {
		t.Errorf("artifacts %v", list)
	}
	// Loaded again, the file must still be the same.
	later := time.Now().Add(time.Hour)
	file := filepath.Join(root.Dir(), fileName)
	if err := os.WriteFile(file, []byte("all rows red!!\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	if _, _, err := root.Load(res, 1<<20); err == nil {
		t.Error("a file that changed is loaded again")
	}
}

func TestWaiverWarnings(t *testing.T) {
	const ledger = `{"schema":"uash.waiver-ledger.v1","runId":"r","commit":"c","environment":"e","profile":"enterprise","generatedAt":"2026-03-04T11:00:00Z","waivers":[
		{"id":"W","controlId":"SEC-SECRETS-002","status":"active","reason":"r","riskOwner":" Ines ","riskOwnerType":"human","approvedBy":"Ines","approvedByType":"human",
		"approvalEventId":"e","scope":"s","compensatingControls":["c"],"remediationIssue":"https://x.example/1","issuedAt":"2026-03-04T10:00:00Z","expiresAt":"2026-03-14T12:00:00Z"}]}`
	out := typedTable.Collect(verify.Strict)
	evidence.CheckWaivers(out, "w.json", canon.Node{Value: parse(t, ledger)}, evidence.WaiverOptions{})
	for _, rule := range []string{"waiver.warn.same-person", "waiver.warn.unknown-control"} {
		if !out.Has(rule) {
			t.Errorf("%s does not fire", rule)
		}
	}
	if out.Verdict() != verify.Pass {
		t.Errorf("warnings decide: %q", verify.RuleIDs(out.List(), verify.Error))
	}
}

// Strict level reads the ledger's own file without following links, and reports
// how it reads.
func TestWaiverFile(t *testing.T) {
	root := fixedRoot(t)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root.Dir(), name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root.Dir(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const good = `{"schema":"uash.waiver-ledger.v1","runId":"r","runId":"r","commit":"c","environment":"e","profile":"enterprise","generatedAt":"2026-03-04T11:00:00Z","waivers":[]}`
	write("real.json", good)
	write("dir/x", "")
	if err := os.Symlink("real.json", filepath.Join(root.Dir(), "link.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, strict, base string }{
		{"real.json", "strict.json.duplicate-key", ""}, {"link.json", "waiver.ledger.missing", ""},
		{"dir", "waiver.ledger.missing", "waiver.ledger.missing"}, {"gone.json", "waiver.ledger.missing", "waiver.ledger.missing"},
	} {
		for level, want := range map[verify.Level]string{verify.Strict: c.strict, verify.Base: c.base} {
			out := typedTable.Collect(level)
			node := evidence.VerifyWaivers(out, root.Fresh(), c.path, evidence.WaiverOptions{})
			got := verify.RuleIDs(out.List(), verify.Error)
			if want == "" && got != nil || want != "" && (len(got) != 1 || got[0] != want) {
				t.Errorf("%s at %s level: %q, want %q", c.path, level, got, want)
			}
			if node.IsObject() == out.Has("waiver.ledger.missing") {
				t.Errorf("%s at %s level: document %s", c.path, level, node.Kind())
			}
		}
	}
}

func BenchmarkCheckControl(b *testing.B) {
	ctx := fixedContext(fixedRoot(b))
	items := goodItems(b)
	control := with(with(with(canon.Build(), "id", str("CTL-1")), "status", str("passed")), "evidence",
		canon.NewArray(items["artifact"], items["command"], items["metric"], items["approval"], items["provider-report"]))
	b.ReportAllocs()
	for b.Loop() {
		out := typedTable.Collect(verify.Strict)
		if evidence.CheckControl(out, ctx, canon.Node{Value: control}); out.Errors() > 0 {
			b.Fatal(out.List())
		}
	}
}
