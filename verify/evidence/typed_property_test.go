package evidence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// The run of these tests: two files, and a document made at noon.
const (
	noon     = "2026-03-04T12:00:00Z"
	fileName = "proof/log.txt"
	fileText = "all rows green\n"
	otherSum = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
)

func fixedRoot(t testing.TB) *evidence.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{fileName: fileText, "other.txt": "other\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return openRoot(t, dir)
}

func fixedContext(root *evidence.Root) evidence.Context {
	return evidence.Context{
		Root: root, Artifact: "doc.json", Profile: "regulated", MinimumTrust: "ci-attested", AsOf: str(noon),
		RunID: str("RUN-1"), Commit: str("c0ffee"), Environment: str("staging"), Subject: "CTL-1",
	}
}

func str(s string) canon.Value { return canon.NewString(s) }

func with(v canon.Value, name string, value canon.Value) canon.Value {
	members := slices.DeleteFunc(slices.Clone(v.Members()), func(m canon.Member) bool { return m.Name == name })
	if value.Present() {
		members = append(members, canon.Member{Name: name, Value: value})
	}
	return canon.Build(members...)
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

// goodItems are one passing item of each type in the context above.
func goodItems(t testing.TB) map[string]canon.Value {
	sum := canon.SHA256([]byte(fileText))
	common := func(typ, tier, kind, rest string) canon.Value {
		return parse(t, fmt.Sprintf(`{"type":%q,"trustTier":%q,"producer":{"name":"n","version":"1","kind":%q},
			"subject":"CTL-1","runId":"RUN-1","commit":"c0ffee","environment":"staging",%s}`, typ, tier, kind, rest))
	}
	return map[string]canon.Value{
		"artifact": common("artifact", "ci-attested", "ci",
			fmt.Sprintf(`"path":%q,"sha256":%q,"generatedAt":"2026-03-04T11:00:00Z"`, fileName, sum)),
		"command": common("command", "ci-attested", "ci",
			fmt.Sprintf(`"command":"make","exitCode":0,"outputPath":%q,"outputDigest":%q,"completedAt":"2026-03-04T11:00:00Z"`, fileName, sum)),
		"metric": common("metric", "ci-attested", "ci",
			`"metric":"p95","value":1.5,"target":2,"operator":"<","window":"1h","source":"s","observedAt":"2026-03-04T11:00:00Z"`),
		"approval": common("approval", "human-approved", "human",
			`"actorType":"human","actor":"a","approvalId":"i","scope":"s","status":"granted","approvedAt":"2026-03-04T11:00:00Z","expiresAt":"2026-03-05T11:00:00Z"`),
		"provider-report": common("provider-report", "provider-attested", "provider",
			fmt.Sprintf(`"url":"https://x.example/1","status":"passed","provider":"p","reportId":"r","attestationPath":%q,"digest":%q,"checkedAt":"2026-03-04T11:00:00Z"`, fileName, sum)),
	}
}

func itemRules(ctx evidence.Context, level verify.Level, v canon.Value) []string {
	out := typedTable.Collect(level)
	evidence.CheckItem(out, ctx, canon.Node{Value: v})
	return verify.RuleIDs(out.List(), verify.Error)
}

// Every member of a passing item matters: dropping it, or making it another
// type, fails the item. The positive control is the item itself.
func TestEveryMemberMatters(t *testing.T) {
	ctx := fixedContext(fixedRoot(t))
	for name, good := range goodItems(t) {
		for level, l := range levels {
			if got := itemRules(ctx, l, good); got != nil {
				t.Fatalf("%s at %s level: a good item fails %q", name, level, got)
			}
			for _, m := range good.Members() {
				for _, bad := range []canon.Value{{}, canon.NewNull(), canon.NewBool(true), canon.NewArray(m.Value), str("")} {
					if got := itemRules(ctx, l, with(good, m.Name, bad)); got == nil {
						t.Errorf("%s at %s level passes with %s %s", name, level, m.Name, verify.Show(bad))
					}
				}
			}
		}
	}
}

// Every binding fails on a valid value of something else, and by its own rule.
func TestBindings(t *testing.T) {
	ctx := fixedContext(fixedRoot(t))
	for name, good := range goodItems(t) {
		cases := map[string]string{
			"subject": "evidence.binding.subject", "runId": "evidence.binding.run-id",
			"commit": "evidence.binding.commit", "environment": "evidence.binding.environment",
		}
		switch name {
		case "artifact":
			cases["sha256"] = "evidence.artifact.sha256-mismatch"
		case "command":
			cases["outputDigest"] = "evidence.command.digest-mismatch"
		case "provider-report":
			cases["digest"] = "evidence.provider-report.digest-mismatch"
		}
		for member, rule := range cases {
			got := itemRules(ctx, verify.Strict, with(good, member, str(otherSum)))
			if !slices.Equal(got, []string{rule}) {
				t.Errorf("%s with another %s: %q, want %s", name, member, got, rule)
			}
		}
	}
}

// The freshness rules fire exactly outside [0, window], to the millisecond.
func TestFreshnessWindow(t *testing.T) {
	root := fixedRoot(t)
	good := goodItems(t)
	asOf, _ := time.Parse(time.RFC3339, noon)
	hours := map[string]int64{"prototype": 720, "production": 168, "enterprise": 72, "regulated": 24, "": 168, "constructor": 168}
	rapid.Check(t, func(t *rapid.T) {
		profile := rapid.SampledFrom([]string{"prototype", "production", "enterprise", "regulated", "", "constructor"}).Draw(t, "profile")
		name := rapid.SampledFrom([]string{"artifact", "command", "metric", "provider-report"}).Draw(t, "type")
		window := hours[profile] * 3_600_000
		age := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(window-3, window+3), rapid.Int64Range(-window, 2*window)).Draw(t, "age")
		at := asOf.Add(-time.Duration(age) * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
		ctx := fixedContext(root)
		ctx.Profile = profile
		field := map[string]string{"artifact": "generatedAt", "command": "completedAt", "metric": "observedAt", "provider-report": "checkedAt"}[name]
		got := itemRules(ctx, verify.Strict, with(good[name], field, str(at)))
		var want []string
		switch {
		case age < 0:
			want = []string{"evidence.freshness.future"}
		case age > window:
			want = []string{"evidence.freshness.stale"}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s of profile %q at age %d: %q, want %q", name, profile, age, got, want)
		}
	})
}

// A metric passes exactly when its comparison holds.
func TestOperators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, target := rapid.Float64().Draw(t, "value"), rapid.Float64().Draw(t, "target")
		if rapid.Bool().Draw(t, "equal") {
			target = v
		}
		less, equal := v < target, v == target
		for op, want := range map[string]bool{"<": less, "<=": less || equal, "=": equal, ">=": !less, ">": !less && !equal, "==": false, "": false} {
			if got := evidence.Satisfies(v, op, target); got != want {
				t.Fatalf("%v %s %v: %t", v, op, target, got)
			}
		}
	})
}

// A path that strict level takes, base level takes as well, and as the same
// file; what either takes is a regular file inside the root.
func TestSafeFileLevels(t *testing.T) {
	root := fixedRoot(t)
	for link, target := range map[string]string{"in": "proof", "out": "..", "leaf": "other.txt", "loop": "loop", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(root.Dir(), link)); err != nil {
			t.Fatal(err)
		}
	}
	parts := rapid.SampledFrom([]string{"proof", "log.txt", "other.txt", "in", "out", "leaf", "loop", "gone", "..", ".", "", "C:", `a\b`, "..x", "\x00", "proof ", "\ufeff"})
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(parts, 0, 5).Draw(t, "parts"), "/")
		if rapid.Bool().Draw(t, "absolute") {
			path = root.Dir() + "/" + path
		}
		strict, strictErr := root.SafeFile(path, verify.Strict)
		base, baseErr := root.SafeFile(path, verify.Base)
		if strictErr == nil && (baseErr != nil || base.Rel != strict.Rel || strict.Rel != path) {
			t.Fatalf("%q: strict gives %q, base %q and %v", path, strict.Rel, base.Rel, baseErr)
		}
		if baseErr != nil {
			return
		}
		info, err := os.Lstat(filepath.Join(root.Dir(), base.Rel))
		if err != nil || !info.Mode().IsRegular() {
			t.Fatalf("%q: base takes %q, which is no regular file: %v", path, base.Rel, err)
		}
		if _, err := root.DigestResolved(base); err != nil {
			t.Fatalf("%q: %v", path, err)
		}
	})
}

// A passed control passes exactly when each of its items does and not all are
// approvals, whatever their order.
func TestControlNeedsEveryItem(t *testing.T) {
	ctx := fixedContext(fixedRoot(t))
	good := goodItems(t)
	names := []string{"artifact", "command", "metric", "approval", "provider-report"}
	rapid.Check(t, func(t *rapid.T) {
		var items []canon.Value
		technical, bad := false, false
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "types") {
			v := good[name]
			if rapid.IntRange(0, 4).Draw(t, "spoil") == 0 {
				v = with(v, "runId", str("RUN-2"))
				bad = true
			}
			items = append(items, v)
			technical = technical || name != "approval"
		}
		control := canon.Build(canon.Member{Name: "id", Value: str("CTL-1")}, canon.Member{Name: "status", Value: str("passed")},
			canon.Member{Name: "evidence", Value: canon.NewArray(items...)})
		out := typedTable.Collect(verify.Strict)
		evidence.CheckControl(out, ctx, canon.Node{Value: control})
		if pass := out.Verdict() == verify.Pass; pass != (technical && !bad) {
			t.Fatalf("pass %t with %d items, technical %t, bad %t", pass, len(items), technical, bad)
		}
	})
}

// Only the enclosing control's id counts as subject, also when the caller set
// another one.
func TestControlSetsSubject(t *testing.T) {
	ctx := fixedContext(fixedRoot(t))
	ctx.Subject = "SOMETHING-ELSE"
	control := with(with(with(canon.Build(), "id", str(" CTL-1 ")), "status", str("passed")), "evidence", canon.NewArray(goodItems(t)["metric"]))
	out := typedTable.Collect(verify.Strict)
	evidence.CheckControl(out, ctx, canon.Node{Value: control})
	if got := verify.RuleIDs(out.List(), verify.Error); got != nil {
		t.Errorf("rules %q", got)
	}
}

// Correlation does not depend on the order of records, and each of event,
// scope and status decides.
func TestCorrelation(t *testing.T) {
	record := func(event, scope, status string) canon.Value {
		return with(with(with(canon.Build(), "eventId", str(event)), "scope", str(scope)), "status", str(status))
	}
	small := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		event, scope := small.Draw(t, "event"), small.Draw(t, "scope")
		var records []canon.Value
		backed := false
		for range rapid.IntRange(0, 6).Draw(t, "records") {
			e, s, st := small.Draw(t, "e"), small.Draw(t, "s"), rapid.SampledFrom([]string{"granted", "pending", "denied"}).Draw(t, "st")
			records = append(records, record(e, s, st))
			backed = backed || e == event && s == scope && st == "granted"
		}
		waiver := with(with(canon.Build(), "approvalEventId", str(event)), "scope", str(scope))
		out := typedTable.Collect(verify.Strict)
		evidence.CorrelateWaivers(out, "w.json", canon.Node{Value: canon.NewArray(waiver)}, records)
		if out.Has("waiver.correlation.missing-approval") == backed {
			t.Fatalf("backed %t but findings %v", backed, out.List())
		}
	})
}

// The warnings warn and never decide.
func TestWarnings(t *testing.T) {
	ctx := fixedContext(fixedRoot(t))
	good := goodItems(t)["provider-report"]
	for url, want := range map[string]bool{
		"https://localhost": true, "HTTPS://LocalHost:8443/x": true, "https://a.localhost?q": true, "https://127.0.0.1/": true,
		"https://u:p@127.9.9.9#f": true, "https://[::1]:443/": true, `https://localhost\evil`: true,
		"https://example.org/localhost": false, "https://localhost.example.org": false, "https://[::2]/": false,
		"https://": false, "https://1127.0.0.1": false, "https://example.org/@localhost": false,
	} {
		for name, level := range levels {
			out := typedTable.Collect(level)
			evidence.CheckItem(out, ctx, canon.Node{Value: with(good, "url", str(url))})
			if out.Has("evidence.warn.loopback-url") != want || out.Verdict() != verify.Pass {
				t.Errorf("%s at %s level: warned %t, verdict %s", url, name, !want, out.Verdict())
			}
		}
	}
}

// Two scalars have the same key exactly when they are identical.
func TestScalarKey(t *testing.T) {
	texts := []string{`null`, `"null"`, `true`, `false`, `"true"`, `0`, `-0`, `0.0`, `1`, `1.0`, `1e0`, `"1"`, `1e400`, `1e401`, `-1e400`, `5e-324`, `""`, `" "`, `"\u00e9"`, `"e\u0301"`,
		`9007199254740993`, `9007199254740992`, `{}`, `[]`, `[1]`, `"[object Object]"`, `"\ud800"`, `"\ufffd"`}
	for _, a := range texts {
		for _, b := range texts {
			x, y := parse(t, a), parse(t, b)
			keyX, okX := evidence.ScalarKey(x)
			keyY, okY := evidence.ScalarKey(y)
			if same := okX && okY && keyX == keyY; same != evidence.Identical(x, y) {
				t.Errorf("%s and %s: same key %t, identical %t", a, b, same, evidence.Identical(x, y))
			}
		}
	}
	if _, ok := evidence.ScalarKey(canon.Value{}); ok || evidence.Identical(canon.Value{}, canon.Value{}) {
		t.Error("absent is a scalar")
	}
}
