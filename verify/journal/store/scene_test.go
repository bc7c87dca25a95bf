package store_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// testKey is public, and made up.
const testKey = "a-key-of-tests-only-" + "0123456789abcdef"

const testRoot = "/srv/evidence/loom"

// A scene is a run as a bridge would have written it. Its files are sealed here,
// by the formulas of the contract and not by the code under test.
type scene struct {
	id       string
	key      string
	events   []canon.Value
	snapshot int         // how many events the snapshot has
	policy   canon.Value // of the adapter; absent for none
	runtime  canon.Value // commissioned; absent for none
	// resnap changes the snapshot's payload before it is sealed.
	resnap func(payload canon.Value) canon.Value
}

func str(s string) canon.Value { return canon.NewString(s) }

func obj(pairs ...any) canon.Value {
	var members []canon.Member
	for i := 0; i < len(pairs); i += 2 {
		v, ok := pairs[i+1].(canon.Value)
		if !ok {
			v = str(pairs[i+1].(string))
		}
		members = append(members, canon.Member{Name: pairs[i].(string), Value: v})
	}
	return canon.Build(members...)
}

// event is an ordinary event; more are members after it.
func testEvent(i int, kind, node, status string, more ...any) canon.Value {
	at := fmt.Sprintf("2026-05-01T09:%02d:%02dZ", i/60%60, i%60)
	actor := "codex"
	if kind == "approval.granted" || kind == "approval.denied" {
		actor = "human"
	}
	head := []any{"id", fmt.Sprintf("e%d", i), "type", kind, "ts", at, "at", at, "actor", actor, "nodeId", node}
	tail := []any{"message", fmt.Sprintf("step %d", i), "status", status, "runMode", "live", "eventSource", "bridge"}
	return obj(append(append(head, tail...), more...)...)
}

func seal(key string, parts ...string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h.Sum(nil))
}

// records are the lines of the journal, with their digests.
func (s *scene) records() (lines, digests []string) {
	prev := ""
	for _, ev := range s.events {
		previous := canon.NewNull()
		if prev != "" {
			previous = str(prev)
		}
		digest := seal(s.key, store.JournalSchema, s.id, prev, string(canon.Compact(ev)))
		record := obj("schema", store.JournalSchema, "event", ev,
			"integrity", obj("scheme", "hmac-sha256-chain", "previousDigest", previous, "digest", digest))
		lines, digests = append(lines, string(canon.Compact(record))), append(digests, digest)
		prev = digest
	}
	return lines, digests
}

const testPin = "5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f"

func (s *scene) config() []byte {
	payload := obj("schema", store.ConfigSchema, "contractVersion", "uash.connector-events.v0.5", "runId", s.id, "createdAt", "2026-05-01T08:00:00.000Z",
		"artifactRoot", testRoot, "adapterPath", canon.NewNull(), "adapterPolicy", orNull(s.policy), "commissionedRuntime", orNull(s.runtime), "reviewTrustSha256", testPin)
	digest := seal(s.key, store.ConfigSchema, string(canon.Compact(payload)))
	return canon.Pretty(canon.With(payload, "integrity", obj("scheme", "hmac-sha256", "digest", digest)))
}

func orNull(v canon.Value) canon.Value {
	if !v.Present() {
		return canon.NewNull()
	}
	return v
}

func (s *scene) snapshotFile(digests []string) []byte {
	events := s.events[:s.snapshot]
	st := store.ProjectForTest(s.policy, events)
	payload := obj("id", s.id, "title", "A loom", "status", st.Status, "mode", "live", "eventSource", "bridge", "currentNodeId", "intake",
		"artifactRoot", testRoot, "adapterPolicy", orNull(s.policy), "commissionedRuntime", orNull(s.runtime), "reviewTrustSha256", testPin, "createdAt", "2026-05-01T08:00:00.000Z", "updatedAt", "2026-05-01T10:00:00.000Z",
		"approvals", canon.NewArray(st.Approvals...), "artifacts", canon.NewArray(st.Artifacts...), "events", canon.NewArray(events...),
		"contractVersion", "uash.connector-events.v0.5")
	if s.resnap != nil {
		payload = s.resnap(payload)
	}
	count, head := canon.NewNumber(float64(s.snapshot)), canon.NewNull()
	if s.snapshot > 0 {
		head = str(digests[s.snapshot-1])
	}
	binding := string(canon.Compact(obj("eventCount", count, "journalHeadDigest", head)))
	digest := seal(s.key, store.SnapshotSchema, binding, string(canon.Compact(payload)))
	return canon.Pretty(canon.With(payload, "snapshotIntegrity", obj("schema", store.SnapshotSchema, "scheme", "hmac-sha256",
		"eventCount", count, "journalHeadDigest", head, "digest", digest)))
}

// files are the three state files.
func (s *scene) files() map[string][]byte {
	lines, digests := s.records()
	return map[string][]byte{
		store.ConfigFile:   s.config(),
		store.JournalFile:  []byte(strings.Join(lines, "\n") + strings.Repeat("\n", min(1, len(lines)))),
		store.SnapshotFile: s.snapshotFile(digests),
	}
}

func newScene(id string, events ...canon.Value) *scene {
	return &scene{id: id, key: testKey, events: events, snapshot: len(events)}
}

// write lays the files into a directory of the run's name below dir, which it
// returns.
func write(t testing.TB, dir, id string, files map[string][]byte) string {
	t.Helper()
	run := filepath.Join(dir, store.StorageKey(id))
	if err := os.MkdirAll(run, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(run, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func verified(t testing.TB, dir string, opt store.Options) *store.Result {
	t.Helper()
	res, err := store.Verify(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func withKey(level verify.Level) store.Options {
	return store.Options{Key: store.NewKey(testKey), Level: level}
}

// story is a run with everything in it: skips, a failure that was repaired,
// approvals, a self-heal, and sealed artifacts.
func story() *scene {
	claim := func(path string) canon.Value {
		return obj("checked", canon.NewBool(true), "exists", canon.NewBool(true), "path", testRoot+"/"+path, "realPath", testRoot+"/"+path,
			"size", canon.NewNumber(3), "mtimeMs", canon.NewNumber(1.5), "sha256", hex.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	}
	return newScene("loom-1",
		testEvent(0, "run.created", "intake", "ok", "artifactRoot", testRoot),
		testEvent(1, "artifact.written", "intake", "ok", "artifact", "run/intake.json", "artifactVerification", claim("run/intake.json")),
		testEvent(2, "node.skipped", "cloud-platform", "skipped", "skipReason", "nothing is deployed"),
		testEvent(3, "node.failed", "qa-break-it", "failed", "failureReason", "a seam opened", "recoveryPath", "sew it"),
		testEvent(4, "artifact.written", "qa-break-it", "ok", "artifact", "qa/break-it-results.md", "artifactVerification", claim("qa/break-it-results.md")),
		testEvent(5, "approval.requested", "redzone", "needs_approval", "approvalOwner", "weaver", "approvalScope", "release"),
		testEvent(6, "approval.granted", "redzone", "ok", "artifact", "approvals/redzone.json", "approvalOwner", "weaver", "approvalScope", "release",
			"artifactVerification", claim("approvals/redzone.json")),
		testEvent(7, "self_heal.detected", "self-heal", "warn"),
		testEvent(8, "self_heal.pr_opened", "self-heal", "ok", "selfHealPrUrl", "https://example.org/a/b/pull/1"),
		testEvent(9, "gate.fired", "prove", "ok"),
	)
}
