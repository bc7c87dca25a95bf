package review

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/verify"
)

const liveStore = "controls/review-trust.v1.json"

// finding returns the finding of a rule.
func finding(t testing.TB, r *Result, rule string) verify.Finding {
	t.Helper()
	for _, f := range r.Findings.List() {
		if f.Rule == rule {
			return f
		}
	}
	t.Fatalf("%s did not fire: %s", rule, describe(r.Findings.List()))
	return verify.Finding{}
}

// TestPassSaysWhatItRestsOn: the pin, the key by its bytes, what was read, and
// what a pass does not mean.
func TestPassSaysWhatItRestsOn(t *testing.T) {
	f := newFixture(t)
	r := f.verify()
	f.mustFind(r)
	key := publicOf(testSigner("A"))
	if trust := r.TrustUsed(); trust.Pin != f.in.Pin.String() || len(trust.Keys) != 1 ||
		trust.Keys[0].Fingerprint != canon.SHA256(key[:]) || trust.Keys[0].KeyID != "heron/reviewer-2026" {
		t.Errorf("trust %+v", trust)
	}
	var paths []string
	for _, a := range r.Checked().Artifacts {
		paths = append(paths, a.Path)
	}
	want := []string{liveStore, liveStore + "@" + f.value().Get("commit").Text(), "out/report.txt", "review/review.json", "run/route.json"}
	if strings.Join(paths, " ") != strings.Join(want, " ") {
		t.Errorf("read %v, want %v", paths, want)
	}
	if r.Checked().Rules < 80 || len(r.Notes) != 1 || r.Notes[0] != NoteStandAlone {
		t.Errorf("%d rules, notes %q", r.Checked().Rules, r.Notes)
	}
}

// TestOneRulePerCause: the ways in which a signature can be missing or wrong
// are told apart, each with advice of its own.
func TestOneRulePerCause(t *testing.T) {
	shared := newFixture(t)
	hints := map[string]string{}
	for _, c := range []struct {
		name   string
		change func(f *fixture)
		rule   string
		found  string // part of what was found
	}{
		{"absent", func(f *fixture) { f.in.ReviewPath = "review/none.json" }, "path.missing", "review/none.json"},
		{"unsigned", func(f *fixture) { delete(f.doc, "attestation") }, "review.attestation.missing", "absent"},
		{"unknown key", func(f *fixture) { f.set("/attestation/keyId", "heron/nobody"); f.sign("A") }, "review.key.unresolved", "no such key"},
		{"revoked key", func(f *fixture) { f.set("/attestation/keyId", "heron/reviewer-2025"); f.sign("B") }, "review.key.unresolved", "revoked"},
		{"actor not authorised", func(f *fixture) { f.set("/roleProvenance/independentReviewer/actorId", "lake.reviewer"); f.sign("A") }, "review.key.actor", "lake.reviewer"},
		{"type not authorised", func(f *fixture) { f.set("/roleProvenance/independentReviewer/actorType", "service"); f.sign("A") }, "review.key.actor-type", "service"},
		{"another key signed", func(f *fixture) { f.sign("C") }, "review.attestation.signature", "a key that is not in the store"},
		{"changed after signing", func(f *fixture) { f.set("/decision/summary", "Something else was decided.") }, "review.attestation.payload-mismatch", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := shared.again(t)
			c.change(f)
			r := f.verify()
			f.mustFind(r, c.rule)
			got := finding(t, r, c.rule)
			if !strings.Contains(got.Found, c.found) || got.Hint == "" {
				t.Errorf("found %q, hint %q", got.Found, got.Hint)
			}
			if other, dup := hints[got.Hint]; dup {
				t.Errorf("the same advice as for %q: %s", other, got.Hint)
			}
			hints[got.Hint] = c.name
			if r.Verdict() != verify.Fail || len(r.Keys) != 0 {
				t.Errorf("verdict %v, keys %v", r.Verdict(), r.Keys)
			}
		})
	}
}

// TestWhoseSignature: a signature of another key of the store is told from one
// of other content, and verifies nothing all the same.
func TestWhoseSignature(t *testing.T) {
	f := newFixture(t)
	f.sign("B")
	r := f.verify()
	f.mustFind(r, "review.attestation.signature")
	if got := finding(t, r, "review.attestation.signature"); !strings.Contains(got.Found, `"heron/reviewer-2025" (revoked)`) {
		t.Errorf("found %q", got.Found)
	}
	if len(r.Keys) != 0 {
		t.Errorf("verified under %v", r.Keys)
	}
}

// TestBindings puts, for each digest of a review, a valid digest of something
// else in its place and signs the result: a binding rule must refuse it.
func TestBindings(t *testing.T) {
	f := newFixture(t)
	digests := map[string]string{ // of real things, none of which belongs at the place
		"route":  canon.SHA256(f.repo.Read("run/route.json")),
		"report": canon.SHA256(f.repo.Read("out/report.txt")),
		"readme": canon.SHA256(f.repo.Read("README.md")),
		"review": canon.SHA256(f.repo.Read("review/review.json")),
	}
	for _, c := range []struct {
		pointer, of string
		rules       []string
	}{
		{"/subject/sha256", "readme", []string{"review.evidence.subject-digest", "review.subject.digest-mismatch"}},
		{"/roleProvenance/scout/evidence/sha256", "report", []string{"review.evidence.digest-mismatch"}},
		{"/roleProvenance/implementer/evidence/sha256", "route", []string{"review.evidence.digest-mismatch", "review.evidence.subject-digest"}},
		{"/roleProvenance/verifier/evidence/sha256", "route", []string{"review.evidence.digest-mismatch", "review.evidence.subject-digest"}},
		{"/roleProvenance/independentReviewer/evidence/sha256", "review", []string{"review.evidence.reviewer-bundle"}},
		{"/evidenceBundleSha256", "review", []string{"review.evidence.reviewer-bundle"}},
		{"/reviewTrustSha256", "report", []string{"trust.pin.review-mismatch"}},
		{"/subject/artifact", "", []string{"review.evidence.path", "review.subject.digest-mismatch"}},
		{"/roleProvenance/scout/evidence/path", "", []string{"review.evidence.digest-mismatch", "review.evidence.path"}},
	} {
		t.Run(c.pointer, func(t *testing.T) {
			f.reset()
			f.set(c.pointer, digests[c.of])
			if c.of == "" {
				f.set(c.pointer, "README.md")
			}
			f.sign("A")
			f.mustFind(f.verify(), c.rules...)
		})
	}
	// The digest of the payload is bound too, to a payload of another review.
	f.reset()
	f.set("/attestation/payloadSha256", digests["review"])
	f.mustFind(f.verify(), "review.attestation.payload-mismatch")
	// Only the packet knows the validation runtime: a stand-alone pass says so.
	f.reset()
	f.set("/validationRuntimeSha256", digests["review"])
	f.sign("A")
	r := f.verify()
	f.mustFind(r)
	if !strings.Contains(strings.Join(r.Notes, "\n"), "validation runtime") {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestNotEvaluated: what could not be looked at is incomplete, never a pass,
// and a fault beside it makes it a fail.
func TestNotEvaluated(t *testing.T) {
	f := newFixture(t)
	f.in.Pin = ParsePin("")
	r := f.verify()
	f.mustFind(r, "trust.pin.missing")
	if r.Verdict() != verify.Incomplete || len(r.Keys) != 0 {
		t.Errorf("without a pin: %v, %v", r.Verdict(), r.Keys)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "the signature was not checked") {
		t.Errorf("notes %q", r.Notes)
	}

	intact := newFixture(t)
	f = intact.again(t)
	f.in.Repo, f.in.GitErr = nil, &git.Error{Kind: git.Unavailable, Reason: git.DubiousOwnership, Op: "git rev-parse"}
	r = f.verify()
	f.mustFind(r, "trust.commit.missing")
	if got := finding(t, r, "trust.commit.missing"); !got.NotEvaluated || len(got.Causes) != 1 || got.Causes[0].Rule != "source.git-unavailable" {
		t.Errorf("finding %+v", got)
	}
	if r.Verdict() != verify.Incomplete {
		t.Errorf("without Git: %v", r.Verdict())
	}
	f.set("/status", "failed")
	if r := f.verify(); r.Verdict() != verify.Fail {
		t.Errorf("without Git and failed: %v", r.Verdict())
	}

	// An object that Git can say is not there is a fault of the evidence.
	f = intact.again(t)
	f.set("/commit", strings.Repeat("ab", 20))
	f.sign("A")
	if r := f.verify(); r.Verdict() != verify.Fail || finding(t, r, "trust.commit.missing").NotEvaluated {
		t.Errorf("an unknown commit: %v", r.Verdict())
	}

	// A repository of another directory answers nothing.
	f = intact.again(t)
	f.in.Repo = newFixture(t).in.Repo
	f.mustFind(f.verify(), "trust.commit.missing")

	// Neither a repository nor a reason: refused all the same.
	f = intact.again(t)
	f.in.Repo, f.in.GitErr = nil, nil
	f.mustFind(f.verify(), "trust.commit.missing")
}

// TestCanceled: a verification that is cut short has no result.
func TestCanceled(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Verify(ctx, f.in); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", r, err)
	}
}

// TestNoVerifiedKeyIsNoPass guards the fold: without a verified signature
// there is no pass even if no rule fired.
func TestNoVerifiedKeyIsNoPass(t *testing.T) {
	r := &Result{Findings: Table.Collect(verify.Strict)}
	if r.Verdict() != verify.Incomplete {
		t.Errorf("verdict %v", r.Verdict())
	}
}

// TestLineEndHint: a checkout that changed the line ends is told so.
func TestLineEndHint(t *testing.T) {
	f := newFixture(t)
	text := f.repo.Read("out/report.txt")
	f.repo.Write("out/report.txt", bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), 0o644)
	r := f.verify()
	f.mustFind(r, "review.evidence.digest-mismatch", "review.subject.digest-mismatch")
	if got := finding(t, r, "review.subject.digest-mismatch"); !strings.Contains(got.Hint, "CRLF") {
		t.Errorf("hint %q", got.Hint)
	}
	if got := finding(t, r, "review.evidence.digest-mismatch"); !strings.Contains(got.Hint, "review.subject.digest-mismatch") {
		t.Errorf("the consequence does not name its cause: %q", got.Hint)
	}
	f.repo.Write("out/report.txt", []byte("something else\n"), 0o644)
	if got := finding(t, f.verify(), "review.subject.digest-mismatch"); strings.Contains(got.Hint, "CRLF") {
		t.Errorf("hint %q for another content", got.Hint)
	}
}

// TestTooLarge: a bound is its own rule, not tampering.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	f := newFixture(t)
	f.repo.Write(f.c.Args.Review, append(f.bytes(), bytes.Repeat([]byte(" "), canon.MaxReview)...), 0o644)
	f.mustFind(f.verifyFiles(), "json.size")

	f = newFixture(t)
	store := f.repo.Read(liveStore)
	f.repo.Write(liveStore, append(store, bytes.Repeat([]byte(" "), canon.MaxTrustStore)...), 0o644)
	r := f.verify()
	f.mustFind(r, "trust.store.unreadable")
	if got := finding(t, r, "trust.store.unreadable"); len(got.Causes) != 1 || got.Causes[0].Rule != "json.size" {
		t.Errorf("causes %+v", got.Causes)
	}

	f = newFixture(t)
	big := f.repo.Path("out/report.json")
	if err := os.WriteFile(big, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, canon.MaxSubject+1); err != nil { // sparse
		t.Fatal(err)
	}
	f.set("/subject/artifact", "out/report.json")
	r = f.verify()
	if got := finding(t, r, "json.size"); got.Artifact != "out/report.json" {
		t.Errorf("finding %+v", got)
	}
	finding(t, r, "review.subject.digest-mismatch") // hashed all the same
}

// TestNoClock: no time decides anything.
func TestNoClock(t *testing.T) {
	f := newFixture(t)
	f.set("/generatedAt", "9998-12-31T23:59:59Z")
	f.set("/attestation/signedAt", "9999-12-31T23:59:59Z")
	f.sign("A")
	f.mustFind(f.verify())
}

// TestNothingEchoesASecret: neither a token in the review nor a private key in
// the store comes back in a finding.
func TestNothingEchoesASecret(t *testing.T) {
	f := newFixture(t)
	token := "ghp_" + strings.Repeat("Ab1", 12)
	f.set("/runId", token+" and more")
	f.set("/decision/status", "password: "+token)
	f.set("/attestation/keyId", token)
	f.sign("A")
	r := f.verify()
	if text := describe(r.Findings.List()); strings.Contains(text, token) || !strings.Contains(text, "secrets.string") {
		t.Errorf("findings %s", text)
	}
	private := "-----BEGIN " + "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAB\n-----END " + "PRIVATE KEY-----\n"
	store := fmt.Sprintf(`{"schema":%q,"keys":[{"keyId":"k","algorithm":"ed25519","status":"active","publicKeyPem":%q}]}`, StoreSchema, private)
	_, found := ReadStore("s", []byte(store), verify.Strict)
	if text := describe(found.List()); strings.Contains(text, "MC4CAQ") || !strings.Contains(text, "trust.key.pem-marker") {
		t.Errorf("findings %s", text)
	}
}

// TestCommitNames: what base level resolves by Git's rules for names, strict
// level refuses.
func TestCommitNames(t *testing.T) {
	f := newFixture(t)
	commit := f.value().Get("commit").Text()
	branch := strings.Repeat("ab", 20) + "c"
	f.repo.Git("branch", branch)
	f.repo.Git("tag", "-a", "-m", "a tag", "reviewed")
	tag := f.repo.Git("rev-parse", "reviewed")
	for _, c := range []struct{ name, commit, strict string }{
		{"branch", branch, "strict.commit.length"},
		{"annotated tag", tag, "strict.commit.not-a-commit"},
		{"tree", f.repo.Git("rev-parse", "HEAD^{tree}"), "strict.commit.not-a-commit"},
		{"upper case", strings.ToUpper(commit), "strict.commit.upper-case"},
	} {
		f.reset()
		f.set("/commit", c.commit)
		f.sign("A")
		f.in.Level = verify.Base
		f.mustFind(f.verify())
		f.in.Level = verify.Strict
		f.mustFind(f.verify(), c.strict)
	}
}

// TestSHA256Repository: the length of a full name is the repository's.
func TestSHA256Repository(t *testing.T) {
	f := newFixture(t)
	repo := gittest.New(t, gittest.Options{ObjectFormat: "sha256"})
	for _, path := range []string{"README.md", "run/route.json", "out/report.txt", liveStore} {
		repo.Write(path, f.repo.Read(path), 0o644)
	}
	repo.Git("add", "-A")
	commit := repo.Commit("vector")
	in := inputFor(t, repo.Dir, verify.Strict)
	in.Pin = f.in.Pin
	f.repo, f.in = repo, in
	f.set("/commit", commit)
	f.sign("A")
	f.mustFind(f.verify())
	f.set("/commit", commit[:40])
	f.sign("A")
	f.mustFind(f.verify(), "strict.commit.length")
}

// TestSwappedObject: Git serves a loose object that was exchanged under its old
// id. Base level believes it, as the format does; strict level hashes it.
func TestSwappedObject(t *testing.T) {
	f := newFixture(t)
	id := f.repo.Git("rev-parse", "HEAD:"+liveStore)
	store := bytes.Replace(f.repo.Read(liveStore), []byte(`"fen.reviewer"`), []byte(`"mud.reviewer"`), 1)
	var object bytes.Buffer
	w := zlib.NewWriter(&object)
	fmt.Fprintf(w, "blob %d\x00%s", len(store), store)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.repo.Write(".git/objects/"+id[:2]+"/"+id[2:], object.Bytes(), 0o444)
	if !strings.Contains(f.repo.Git("show", "HEAD:"+liveStore), "mud.reviewer") {
		t.Fatal("Git does not serve the swapped object, so the test shows nothing")
	}
	f.repo.Write(liveStore, store, 0o644)
	forged, _ := ReadStore(liveStore, store, verify.Base)
	f.in.Pin = ParsePin(forged.Pin)
	f.set("/reviewTrustSha256", forged.Pin)
	f.sign("A")
	f.in.Level = verify.Base
	f.mustFind(f.verify())
	f.in.Level = verify.Strict
	f.mustFind(f.verify(), "strict.source.object-identity")
}

// TestSubjectNames: which subjects are taken for JSON.
func TestSubjectNames(t *testing.T) {
	for path, want := range map[string]bool{
		"out/report.json": true, "out/REPORT.JSON": true, "a.b.json": true, "out/x.json/": true, "..json": true,
		".json": false, "out/.json": false, "json": false, "report.json5": false, "report.json.txt": false, "a.json/b": false, "report.": false,
	} {
		if got := hasJSONExtension(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

// TestPackSelection: the harness directory is taken only when it has a store.
func TestPackSelection(t *testing.T) {
	f := newFixture(t)
	nested := HarnessDir + "/" + liveStore
	if got := TrustPath(f.in.Root, PackDefault); got != liveStore {
		t.Errorf("default %s", got)
	}
	if got := TrustPath(f.in.Root, PackHarness); got != nested {
		t.Errorf("harness %s", got)
	}
	f.in.TrustStorePath = nested
	f.repo.Write(HarnessDir+"/readme", nil, 0o644)
	f.mustFind(f.verify(), "trust.store.unreadable")
	f.repo.Write(nested, f.repo.Read(liveStore), 0o644)
	if got := TrustPath(f.in.Root, PackDefault); got != nested {
		t.Errorf("default %s with a store in the harness directory", got)
	}
	f.in.TrustStorePath = liveStore // exists, but is not the canonical one any more
	r := f.verify()
	f.mustFind(r, "trust.store.path")
	if len(r.Keys) != 0 || r.Trust.Store != nil {
		t.Error("a refused store was used")
	}
	f.in.Pack = PackTarget
	f.mustFind(f.verify())
}

// TestAdapter: an adapter that another tool would read must agree.
func TestAdapter(t *testing.T) {
	f := newFixture(t)
	for content, rules := range map[string][]string{
		`{"reviewTrust":{"path":"controls/review-trust.v1.json"}}`:  nil,
		`{"reviewTrust":{"path":"controls//review-trust.v1.json"}}`: {"trust.adapter.path-mismatch"},
		`{"reviewTrust":null}`: {"trust.adapter.path-mismatch"},
		`{`:                    {"trust.adapter.path-mismatch"},
		"\ufeff{}":             {"trust.adapter.path-mismatch"},
	} {
		f.repo.Write("project-adapter.json", []byte(content), 0o644)
		f.mustFind(f.verify(), rules...)
	}
	f.repo.Symlink("project-adapter.json", "README.md")
	f.mustFind(f.verify(), "trust.adapter.path-mismatch")
}

// TestDirectories: a directory is no review, store or adapter.
func TestDirectories(t *testing.T) {
	f := newFixture(t)
	f.in.ReviewPath = "out"
	f.mustFind(f.verify(), "review.not-object", "strict.path.not-regular-file")
	f = newFixture(t)
	f.repo.Remove(liveStore)
	f.repo.Mkdir(liveStore)
	f.mustFind(f.verify(), "strict.path.not-regular-file", "trust.store.unreadable")
}

// TestExact: members are equal when both are absent or the same scalar; no two
// containers are.
func TestExact(t *testing.T) {
	value := func(text string) canon.Value {
		if text == "" {
			return canon.Value{}
		}
		doc, err := canon.Read([]byte(text), canon.MaxReview)
		if err != nil {
			t.Fatal(err)
		}
		return doc.Root
	}
	texts := []string{"", "null", "1e400", "-1e400", "0", "1", "true", "false", `""`, `"1"`, `"null"`, `[]`, `["1"]`, `{}`}
	for i, a := range texts {
		for j, b := range texts {
			scalar := !strings.ContainsAny(a, "[{")
			if got, want := exact(value(a), value(b)), i == j && scalar; got != want {
				t.Errorf("%s and %s: %v", a, b, got)
			}
		}
	}
	if !exact(value("1"), value("1.0")) || !exact(value("0"), value("-0")) {
		t.Error("two spellings of one number differ")
	}
}
