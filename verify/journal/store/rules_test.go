package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/store"
)

func permissions(res *store.Result) (ids []string) {
	for _, r := range res.Runs {
		if r.Findings().Has("strict.permissions") {
			ids = append(ids, "strict.permissions")
		}
	}
	return ids
}

// What the vectors have no case for: rules that depend on the machine, on what
// was seen before, and some that are rare.
func TestRulesBesideTheVectors(t *testing.T) {
	fifo := func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("no FIFO here")
		}
	}
	cases := []struct {
		name    string
		scene   func(s *scene)
		files   func(files map[string][]byte)
		disk    func(t *testing.T, run string)
		opt     func(o *store.Options)
		want    []string // errors at strict level
		warning string
	}{
		{name: "nothing"},
		{name: "journal is a FIFO", disk: func(t *testing.T, run string) { fifo(t, filepath.Join(run, store.JournalFile)) }, want: []string{"journal.file.not-regular"}},
		{name: "snapshot too large", disk: func(t *testing.T, run string) {
			if err := os.Truncate(filepath.Join(run, store.SnapshotFile), store.MaxSnapshot+1); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"snapshot.file.too-large"}},
		{name: "scheme of the snapshot", files: func(f map[string][]byte) {
			f[store.SnapshotFile] = bytes.Replace(f[store.SnapshotFile], []byte(`"scheme": "hmac-sha256"`), []byte(`"scheme": "sha256"`), 1)
		}, want: []string{"snapshot.integrity.scheme"}},
		{name: "blank line", files: func(f map[string][]byte) {
			f[store.JournalFile] = bytes.Replace(f[store.JournalFile], []byte("\n"), []byte("\n\n"), 1)
		}, want: []string{"strict.blank-line"}},
		{name: "events of the snapshot are no array", scene: func(s *scene) {
			s.snapshot = 0
			s.resnap = func(p canon.Value) canon.Value { return canon.With(p, "events", canon.NewNull()) }
		}, want: []string{"strict.snapshot.events-type"}, warning: "snapshot.behind"},
		{name: "others may read", disk: func(t *testing.T, run string) {
			if err := os.Chmod(filepath.Join(run, store.SnapshotFile), 0o644); err != nil {
				t.Fatal(err)
			}
		}, warning: "strict.permissions"},
		{name: "pin of another form", opt: func(o *store.Options) { o.Pin = "abc" }, want: []string{"bridge.pin.malformed"}},
		{name: "the pin in upper case", opt: func(o *store.Options) { o.Pin = strings.ToUpper(testPin) }},
		{name: "commissioned", scene: func(s *scene) {
			s.runtime = obj("schema", "uash.commissioned-runtime-identity.v1", "runtimeSha256", testPin, "targetPath", ".", "runtimePath", ".valdris-harness")
		}, warning: "commissioned.not-evaluated"},
		{name: "no root is mapped", opt: func(o *store.Options) { o.Roots = nil }, warning: "artifact.not-evaluated"},
		{name: "a file is missing", opt: func(o *store.Options) { o.Roots[0].Local = t.TempDir() }, warning: "artifact.missing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, root := t.TempDir(), t.TempDir()
			s := story()
			s.events = s.events[:4]
			s.events[1] = s.claimed(t, root, 1, "intake", "run/intake.json", []byte("{}"))
			s.snapshot = len(s.events)
			if c.scene != nil {
				c.scene(s)
			}
			files := s.files()
			if c.files != nil {
				c.files(files)
			}
			run := write(t, dir, s.id, files)
			if c.disk != nil {
				c.disk(t, run)
			}
			opt := withKey(verify.Strict)
			opt.Roots = []store.Root{{Recorded: testRoot, Local: root}}
			if c.opt != nil {
				c.opt(&opt)
			}
			res := verified(t, dir, opt)
			compare(t, "errors", rules(res, verify.Error), c.want)
			var warnings []string
			if c.warning != "" {
				warnings = []string{c.warning}
			}
			compare(t, "warnings", append(rules(res, verify.Warning), permissions(res)...), warnings)
		})
	}
}

// claimed writes a file below the root and makes the event that claims it.
func (s *scene) claimed(t testing.TB, root string, i int, node, path string, data []byte) canon.Value {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	claim := obj("checked", canon.NewBool(true), "exists", canon.NewBool(true), "path", testRoot+"/"+path, "realPath", testRoot+"/"+path,
		"size", canon.NewNumber(float64(len(data))), "mtimeMs", canon.NewNumber(1), "sha256", canon.SHA256(data))
	return testEvent(i, "artifact.written", node, "ok", "artifact", path, "artifactVerification", claim)
}

// A complete run needs a valid proof and a valid assessment, not just files
// with the sealed bytes (14 §2.4, 2.5).
func TestCompleteRun(t *testing.T) {
	fixture := filepath.Join(vectors.Dir(t, "readiness-v1"), "_fixtures", "v1")
	goodProof, err := os.ReadFile(filepath.Join(vectors.Dir(t, "journal"), "valid-complete", "files", "tide", "proof", "proof.json"))
	if err != nil {
		t.Fatal(err)
	}
	assessment, err := os.ReadFile(filepath.Join(fixture, "production", "layer-assessment.json"))
	if err != nil {
		t.Fatal(err)
	}
	policy := func(schema string) canon.Value {
		p := obj("requiredNodes", canon.NewArray(str("production-readiness"), str("prove"), str("handoff")))
		if schema != "" {
			p = canon.With(p, "productionReadinessSchema", str(schema))
		}
		return p
	}
	skipped := func(i int, node string) canon.Value {
		return testEvent(i, "node.skipped", node, "skipped", "skipReason", "not today")
	}
	for _, c := range []struct {
		name              string
		proof, assessment []byte
		policy            canon.Value
		last              func(i int) canon.Value // before the completion
		want              []string
	}{
		{name: "good", proof: goodProof, assessment: assessment, policy: policy("")},
		{name: "bad proof", proof: []byte("{}"), assessment: assessment, policy: policy(""), want: []string{"finish.proof.invalid"}},
		{name: "proof is no JSON", proof: []byte("{"), assessment: assessment, policy: policy(""), want: []string{"finish.proof.invalid"}},
		{name: "bad assessment", proof: goodProof, assessment: []byte("[]"), policy: policy(""), want: []string{"finish.production.invalid"}},
		{name: "assessment of another schema", proof: goodProof, assessment: assessment, policy: policy("uash.production-readiness.v2"), want: []string{"finish.production.invalid"}},
		{name: "handoff skipped", proof: goodProof, assessment: assessment, policy: policy(""), last: func(i int) canon.Value { return skipped(i, "handoff") }, want: []string{"complete.artifact.skipped-invariant"}},
		{name: "assessment skipped", proof: goodProof, assessment: []byte("[]"), policy: policy(""), last: func(i int) canon.Value { return skipped(i, "production-readiness") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, root := t.TempDir(), t.TempDir()
			if err := vectors.CopyPrivate(root, fixture); err != nil {
				t.Fatal(err)
			}
			s := newScene("loom-2")
			s.policy = c.policy
			s.events = []canon.Value{
				testEvent(0, "run.created", "intake", "ok", "artifactRoot", testRoot),
				s.claimed(t, root, 1, "production-readiness", "production/layer-assessment.json", c.assessment),
				s.claimed(t, root, 2, "prove", "proof/proof.json", c.proof),
				s.claimed(t, root, 3, "handoff", "handoff/final.md", []byte("done\n")),
			}
			if c.last != nil {
				s.events = append(s.events, c.last(4))
			}
			s.events = append(s.events, testEvent(9, "run.completed", "handoff", "ok"))
			s.snapshot = len(s.events)
			write(t, dir, s.id, s.files())
			opt := withKey(verify.Strict)
			opt.Roots = []store.Root{{Recorded: testRoot, Local: root}}
			res := verified(t, dir, opt)
			compare(t, "errors", rules(res, verify.Error), c.want)
			r := res.Runs[0]
			if r.State == nil || r.State.Status != store.StatusComplete {
				t.Fatalf("state: %+v", r.State)
			}
			if want := len(c.want) == 0; r.Anchored != want {
				t.Errorf("anchored %t, want %t", r.Anchored, want)
			}
			for _, f := range r.Findings().List() {
				if strings.HasPrefix(f.Rule, "finish.") && len(f.Causes) == 0 {
					t.Errorf("%s without a cause", f.Rule)
				}
			}
		})
	}
}

// Every state a bridge can leave its lease in, and what it means.
func TestLeases(t *testing.T) {
	lease := func(host, pid string) string {
		return `{"schema":"uash.bridge-process-lease.v1","leaseId":"0f0f","pid":` + pid + `,"hostname":"` + host + `","startedAt":"2026-01-01T00:00:00.000Z"}` + "\n"
	}
	here := store.Machine{Host: "loom", Alive: func(pid int) bool { return pid == 7 }}
	for _, c := range []struct {
		name, text string
		want       store.LeaseState
		strict     bool // lease.malformed
	}{
		{"none", "", store.LeaseNone, false},
		{"alive", lease("loom", "7"), store.LeaseHeld, false},
		{"alive as text", lease("loom", `"7"`), store.LeaseHeld, true},
		{"gone", lease("loom", "8"), store.LeaseStale, false},
		{"null", lease("loom", "null"), store.LeaseStale, true},
		{"a fraction", lease("loom", "7.5"), store.LeaseStale, true},
		{"0", lease("loom", "0"), store.LeaseStale, true},
		{"another host", lease("mill", "7"), store.LeaseForeign, false},
		{"no JSON", "lease", store.LeaseMalformed, true},
		{"an array", "[]", store.LeaseMalformed, true},
		{"another schema", strings.Replace(lease("loom", "7"), "process-lease", "recovery-lease", 1), store.LeaseMalformed, true},
		{"a mark", "\uFEFF" + lease("loom", "7"), store.LeaseMalformed, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := story()
			write(t, dir, s.id, s.files())
			if c.text != "" {
				if err := os.WriteFile(filepath.Join(dir, store.LeaseFile), []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, level := range levels {
				opt := withKey(level)
				opt.Here = here
				res := verified(t, dir, opt)
				if res.Leases.Main.State != c.want {
					t.Errorf("state %s, want %s", res.Leases.Main.State, c.want)
				}
				if got, want := res.General.Has("lease.malformed"), c.strict && level == verify.Strict; got != want {
					t.Errorf("%s level: lease.malformed %t, want %t", level, got, want)
				}
			}
			blocks := c.want == store.LeaseForeign || c.want == store.LeaseMalformed
			advice := (&store.Result{Leases: store.ReadLeases(dir, here), General: store.Table.Collect(verify.Strict)}).Advise()
			if got := advice[0].Need == store.Person; got != blocks {
				t.Errorf("advice %+v", advice)
			}
		})
	}
}

// A journal with a byte order mark fails anyway; strict level says which mark.
func TestByteOrderMarkIsNamed(t *testing.T) {
	dir, s := t.TempDir(), story()
	for _, name := range []string{store.ConfigFile, store.SnapshotFile, store.JournalFile} {
		files := s.files()
		files[name] = append([]byte("\xEF\xBB\xBF"), files[name]...)
		write(t, dir, s.id, files)
		r := verified(t, dir, withKey(verify.Strict)).Runs[0]
		if ids := verify.RuleIDs(r.Findings().List(), verify.Note); len(ids) != 1 || ids[0] != "strict.bom" {
			t.Errorf("%s: notes %q, want strict.bom", name, ids)
		}
	}
}

func TestManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 10,001 files")
	}
	dir, s := t.TempDir(), story()
	write(t, dir, s.id, s.files())
	for i := range store.MaxEntries {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res := verified(t, dir, withKey(verify.Strict))
	compare(t, "warnings", rules(res, verify.Warning), []string{"datadir.too-many-entries", "artifact.not-evaluated"})
	if len(res.Runs) != 1 || !res.Runs[0].Valid() {
		t.Errorf("%d runs", len(res.Runs))
	}
}

// Names of directories are evidence too: they never reach a terminal as they
// are.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run-\x1b[2J\nforged: pass")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Skip("no such name here")
	}
	for _, name := range []string{store.ConfigFile, store.JournalFile, store.SnapshotFile} {
		if err := os.Symlink(name, filepath.Join(run, name)); err != nil { // to itself: it cannot be read
			t.Skip("no links here")
		}
	}
	res := verified(t, dir, withKey(verify.Strict))
	rep := res.Report(store.DemandAnchor)
	if rep.Verdict() == verify.Pass {
		t.Error("passes")
	}
	texts := append(slices.Clone(rep.Notes), rep.Withheld...)
	for _, f := range rep.Findings {
		texts = append(texts, f.Artifact, f.Found, f.Expected)
	}
	for _, a := range res.Advise() {
		texts = append(texts, verify.Print(a.Where, 200), verify.Print(a.Found, 200))
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("printed as it is: %q", text)
		}
	}
}
