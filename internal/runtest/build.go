package runtest

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// A Plan says how a run differs from the example. The zero Plan is the example.
type Plan struct {
	// Inventory are further evidence files, by path. The packet lists them, as it
	// does every untracked evidence file.
	Inventory map[string][]byte
	// Documents are a run's documents and evidence to take instead of those
	// that Build derives, such as a fixture of the vectors: a tree in which
	// run/intake.json names the run. Files that lie in no evidence directory
	// are committed. Nil for the example's own.
	Documents fs.FS
	// Edit changes the text of a file of Documents once it fits the repository;
	// digests of it in other documents, the review and the packet follow, so
	// that the run was closed with the change in it. Nil changes nothing.
	Edit func(path, text string) string
	// Product are further files to commit, over those of the example; nil for
	// none.
	Product fs.FS
}

// A Run is a run that was built.
type Run struct {
	Dir    string
	Commit string
	Pin    string
}

// ReviewerSentence makes the key that signs the reviews of all runs.
const ReviewerSentence = "finishline example reviewer: public knowledge, trust it nowhere"

// ReviewerKeyID names that key.
const ReviewerKeyID = "lantern-reviewer-1"

type builder struct {
	ctx    context.Context
	prog   git.Program
	dir    string
	plan   Plan
	rules  *workload.Rules
	commit string
	pin    string

	runID, environment string
}

// Build makes a run in the empty directory dir, which must lie in no
// repository.
func Build(ctx context.Context, prog git.Program, dir string, plan Plan) (*Run, error) {
	rules, err := workload.Load()
	if err != nil {
		return nil, err
	}
	b := &builder{ctx: ctx, prog: prog, dir: dir, plan: plan, rules: rules, runID: RunID, environment: Environment}
	inputs := b.inputs
	if plan.Documents != nil {
		inputs = b.given
	}
	steps := []struct {
		what string
		run  func() error
	}{
		{"repository", b.repository}, {"inputs and trajectory", inputs}, {"inventory", b.inventory},
		{"proof", b.proof}, {"review and packet", b.close},
	}
	for _, step := range steps {
		if err := step.run(); err != nil {
			return nil, fmt.Errorf("build run: %s: %w", step.what, err)
		}
	}
	return &Run{Dir: dir, Commit: b.commit, Pin: b.pin}, nil
}

func (b *builder) write(path string, data []byte) error {
	full := filepath.Join(b.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, data, 0o644)
}

// document writes a document and returns the digest of its bytes.
func (b *builder) document(path string, v canon.Value) (string, error) {
	data := canon.Pretty(v)
	return canon.SHA256(data), b.write(path, data)
}

func (b *builder) repository() error {
	store, err := TrustStore(Key().Public().(ed25519.PublicKey))
	if err != nil {
		return err
	}
	b.pin = canon.Digest(store)
	if err := example.WriteProduct(b.dir); err != nil {
		return err
	}
	if err := b.committed(); err != nil {
		return err
	}
	if _, err := b.document("controls/review-trust.v1.json", store); err != nil {
		return err
	}
	b.commit, err = git.Scratch(b.ctx, b.prog, b.dir, example.Commit)
	return err
}

// TrustStore is the store of all runs: one active reviewer key.
func TrustStore(key ed25519.PublicKey) (canon.Value, error) {
	block, err := example.PublicKeyPEM(key)
	if err != nil {
		return canon.Value{}, err
	}
	return obj("schema", "valdris.review-trust.v1", "description", "who may close runs of Lantern",
		"keys", arr(obj("keyId", ReviewerKeyID, "algorithm", "ed25519", "status", "active", "publicKeyPem", block,
			"allowedActorIds", []string{"jonas.weil"}, "allowedActorTypes", []string{"human"}))), nil
}

func (b *builder) inputs() error {
	intake := b.intake()
	intakeSHA, err := b.document("run/intake.json", intake)
	if err != nil {
		return err
	}
	classification, err := b.classification()
	if err != nil {
		return err
	}
	classificationSHA, err := b.document("run/workload-classification.json", classification)
	if err != nil {
		return err
	}
	registry, err := b.registryDigest()
	if err != nil {
		return err
	}
	route := b.route(intake, classification, intakeSHA, classificationSHA, registry)
	routeSHA, err := b.document("run/route.json", route)
	if err != nil {
		return err
	}
	check := []byte("3\n")
	if err := b.write(checkOutput, check); err != nil {
		return err
	}
	if _, err := b.document("goal/goal.json", b.goal(classification, classificationSHA, routeSHA, canon.SHA256(check))); err != nil {
		return err
	}
	if err := b.write(tracePath, []byte(traceText)); err != nil {
		return err
	}
	if _, err = b.document("trajectory/trajectory.json", b.trajectory(canon.TextDigest(traceText))); err != nil {
		return err
	}
	return b.assurance()
}

func (b *builder) inventory() error {
	for path, data := range b.plan.Inventory {
		if err := b.write(path, data); err != nil {
			return err
		}
	}
	return nil
}

// proof runs the documentation check, twice, and records what it did.
func (b *builder) proof() error {
	argv := []string{"grep", "-c", "^## ", "docs/guide.md"}
	before, err := b.states()
	if err != nil {
		return err
	}
	var attempts []canon.Value
	for i := range 2 {
		attempt, err := b.attempt(i+1, argv)
		if err != nil {
			return err
		}
		attempts = append(attempts, attempt)
	}
	after, err := b.states()
	if err != nil {
		return err
	}
	environment := canon.Digest(obj("LC_ALL", "C", "PATH", "/usr/bin:/bin"))
	inputs, err := proof.DeriveExecutionInputs(argv, nil, environment)
	if err != nil {
		return err
	}
	guide, err := os.ReadFile(filepath.Join(b.dir, "docs/guide.md"))
	if err != nil {
		return err
	}
	doc := obj(
		"schema", proof.PortableSchema, "generatedAt", provedAt,
		"run", obj("id", b.runID, "commit", b.commit, "environment", b.environment),
		"host", obj("platform", "linux", "arch", "x64", "ci", false),
		"source", sourceBlock(before, after),
		"causalInputs", arr(obj("path", "docs/guide.md", "beforeSha256", canon.SHA256(guide), "afterSha256", canon.SHA256(guide))),
		"command", obj("argv", argv, "requestedArgv", argv, "resolution", "direct", "executionInputs", inputs.Value()),
		"execution", obj("shell", false, "mode", "green", "timeoutMs", 30000, "repeat", len(attempts),
			"maxOutputBytes", 16384, "attempts", arr(attempts...)),
	)
	doc = with(doc, "outcome", proof.DeriveOutcome(doc.Get("execution"), doc.Get("source")).Value())
	doc = with(doc, "bindings", proof.DeriveBindings(doc).Value())
	_, err = b.document("proof/portable.json", doc)
	return err
}

func (b *builder) attempt(index int, argv []string) (canon.Value, error) {
	cmd := exec.CommandContext(b.ctx, argv[0], argv[1:]...)
	cmd.Dir = b.dir
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		return canon.Value{}, err
	}
	stream := func(text string) canon.Value {
		return obj("text", text, "sha256", canon.TextDigest(text), "observedBytes", len(text), "persistedBytes", len(text), "truncated", false)
	}
	return obj("index", index, "exitCode", 0, "signal", nil, "timedOut", false, "spawnError", nil, "durationMs", 4,
		"stdout", stream(string(out)), "stderr", stream("")), nil
}

type states struct{ tracked, application *source.State }

// producer stands for the digest of the program that makes a proof.
var producer = canon.TextDigest("finishline internal/runtest")

func (b *builder) states() (states, error) {
	repo, err := git.Open(b.ctx, b.prog, b.dir)
	if err != nil {
		return states{}, err
	}
	defer repo.Close()
	var s states
	if s.tracked, err = source.Tracked(b.ctx, source.Target{Repo: repo}, b.commit, producer); err != nil {
		return states{}, err
	}
	s.application, err = source.Application(b.ctx, source.Target{Repo: repo}, b.commit)
	return s, err
}

func sourceBlock(before, after states) canon.Value {
	return obj(
		"gitHead", before.tracked.Commit, "targetPath", before.tracked.TargetPath, "gitTreeSha256", before.tracked.TreeSHA256(),
		"beforeSha256", before.tracked.SHA256(), "afterSha256", after.tracked.SHA256(),
		"dirtyBefore", before.tracked.Dirty, "dirtyAfter", after.tracked.Dirty,
		"stable", before.tracked.SHA256() == after.tracked.SHA256(),
		"applicationBeforeSha256", before.application.SHA256(), "applicationAfterSha256", after.application.SHA256(),
		"applicationStable", before.application.SHA256() == after.application.SHA256(),
		"validatorSha256", producer,
	)
}

// Key is the private key of [Build]'s reviewer.
func Key() ed25519.PrivateKey { return example.ThrowAwayKey(ReviewerSentence) }

// close assembles the packet, signs the review over its evidence bundle, and
// completes the packet with both.
func (b *builder) close() error {
	runtime, err := b.runtime()
	if err != nil {
		return err
	}
	head, err := b.skeleton(runtime)
	if err != nil {
		return err
	}
	doc, err := b.review(head, runtime)
	if err != nil {
		return err
	}
	reviewSHA, err := b.document("review/review.json", doc)
	if err != nil {
		return err
	}
	gates := append([]canon.Value{b.gate(packet.GateReview, reviewSHA)}, head.Get("gateArtifacts").Elems()...)
	head = with(head, "gateArtifacts", arr(gates...))
	head = with(head, "roleProvenanceSha256", packet.RoleProvenanceSHA256(doc))
	bindings, err := packet.DigestsOf(head).BindingsValue()
	if err != nil {
		return err
	}
	_, err = b.document(packet.DefaultPath, with(head, "bindings", bindings))
	return err
}

func (b *builder) runtime() (*pack.Binding, error) {
	root, err := evidence.Open(b.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	repo, err := git.Open(b.ctx, b.prog, b.dir)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	selected, err := pack.Select(root, "")
	if err != nil {
		return nil, err
	}
	binding, findings := pack.Bind(b.ctx, pack.Input{
		Target: root, Pack: selected, Repo: repo, Commit: b.commit, Pin: review.ParsePin(b.pin), Level: verify.Strict,
	})
	if list := findings.List(); binding == nil || len(list) > 0 {
		return nil, fmt.Errorf("runtime: %+v", list)
	}
	return binding, nil
}

func (b *builder) digest(path string) (string, int, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(path)))
	return canon.SHA256(data), len(data), err
}

func (b *builder) gate(id, sha string) canon.Value {
	path, _ := packet.CanonicalPath(id)
	return obj("gate", id, "path", path, "sha256", sha, "required", true,
		"runId", b.runID, "commit", b.commit, "environment", b.environment)
}

// skeleton is the packet without review, role provenance and bindings.
func (b *builder) skeleton(runtime *pack.Binding) (canon.Value, error) {
	inputs := canon.Build()
	for _, in := range packet.Inputs() {
		sha, _, err := b.digest(in.Path)
		if err != nil {
			return canon.Value{}, err
		}
		inputs = with(inputs, string(in.Name), obj("path", in.Path, "sha256", sha))
	}
	required, err := b.requiredGates()
	if err != nil {
		return canon.Value{}, err
	}
	gates, err := b.gateEntries(required)
	if err != nil {
		return canon.Value{}, err
	}
	snapshots, err := b.snapshots(runtime)
	if err != nil {
		return canon.Value{}, err
	}
	doc := obj(
		"schema", packet.SchemaV3, "generatedAt", packedAt, "status", "ready",
		"runId", b.runID, "commit", b.commit, "environment", b.environment, "assuranceLevel", packet.Structural,
		"inputs", inputs, "validationRuntime", runtime.Value(),
		"requiredGates", required,
		"gateArtifacts", arr(gates...), "catalogSnapshots", arr(snapshots...),
	)
	list, err := b.inventoryList()
	if err != nil {
		return canon.Value{}, err
	}
	return with(doc, "artifactInventory", list), nil
}

func (b *builder) snapshots(runtime *pack.Binding) ([]canon.Value, error) {
	var list []canon.Value
	for _, f := range runtime.Files {
		if !strings.HasPrefix(f.Path, "controls/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return nil, err
		}
		list = append(list, obj("path", f.Path, "sourceSha256", f.SHA256, "sha256", canon.Digest(doc.Root), "document", doc.Root))
	}
	return list, nil
}

func (b *builder) review(head canon.Value, runtime *pack.Binding) (canon.Value, error) {
	proofSHA, _, err := b.digest("proof/portable.json")
	if err != nil {
		return canon.Value{}, err
	}
	routeSHA, _, err := b.digest("run/route.json")
	if err != nil {
		return canon.Value{}, err
	}
	bundle := packet.DigestsOf(head).BundleSHA256
	role := func(actor, session, kind string, evidence canon.Value) canon.Value {
		return obj("actorId", actor, "sessionId", session, "executionId", session+"/1", "actorType", kind, "evidence", evidence)
	}
	artifact := func(path, sha string) canon.Value { return obj("kind", "artifact", "path", path, "sha256", sha) }
	doc := obj(
		"schema", "valdris.review.v2", "generatedAt", "2026-04-07T10:00:00Z", "runId", b.runID, "commit", b.commit,
		"environment", b.environment, "status", "passed",
		"subject", obj("artifact", "proof/portable.json", "sha256", proofSHA),
		"reviewTrustSha256", b.pin, "validationRuntimeSha256", runtime.SetSHA256, "evidenceBundleSha256", bundle,
		"roleProvenance", obj("schema", "valdris.review-role-provenance.v1",
			"scout", role("scout-agent", "session-scout", "agent", artifact("run/route.json", routeSHA)),
			"implementer", role("writer-agent", "session-writer", "agent", artifact("proof/portable.json", proofSHA)),
			"verifier", role("checker-agent", "session-checker", "agent", artifact("proof/portable.json", proofSHA)),
			"independentReviewer", role("jonas.weil", "session-review", "human", obj("kind", "review-evidence-bundle", "sha256", bundle))),
		"decision", obj("status", "accepted", "summary", "the guide reads well and the checks are those that were asked for"),
		"findings", arr(obj("id", "wording-1", "severity", "minor", "status", "resolved", "text", "\"hand's width\" is a good measure, keep it")),
		"blockers", arr[string](),
		"attestation", obj("scheme", "ed25519", "keyId", ReviewerKeyID, "signedAt", signedAt),
	)
	return example.Sign(doc, Key()), nil
}
