package evidence

import (
	"finishline/canon"
	"finishline/verify"
)

// The rules of contract 07, section 5: one method for each type of evidence.

func (it *item) artifact() {
	fullRecord := it.ctx.Profile == ProfileEnterprise || it.ctx.Profile == ProfileRegulated
	it.timestamp("evidence.artifact.generated-at", "generatedAt")
	if fullRecord {
		it.present("evidence.artifact.commit-missing", "commit")
		it.present("evidence.artifact.environment-missing", "environment")
	}
	sum := it.node.At("sha256")
	if (fullRecord || it.out.Strict() && sum.Present()) && !it.digestForm(sum.Value) {
		it.fail("evidence.artifact.sha256-format", sum, digestForm)
	}
	file, found := it.file(fileRules{
		missing: "evidence.artifact.path-missing",
		escapes: "evidence.artifact.path-escape",
		invalid: "evidence.artifact.path-not-file",
	}, "path")
	// Only an untrimmed digest is ever compared here, at both levels; strict
	// refuses a padded one by its form (contract 07, section 9).
	if found && canon.IsHex64(sum.Text()) {
		it.compare("evidence.artifact.sha256-mismatch", sum, file)
	}
}

func (it *item) command() {
	it.present("evidence.command.command-missing", "command")
	if n := it.node.At("exitCode"); !isZero(n.Value) {
		it.fail("evidence.command.exit-code", n, "0")
	}
	it.timestamp("evidence.command.completed-at", "completedAt")
	it.present("evidence.command.environment-missing", "environment")
	it.present("evidence.command.commit-missing", "commit")
	it.digestOf("evidence.command.digest-format", "evidence.command.digest-mismatch", "outputDigest",
		fileRules{
			missing: "evidence.command.output-path-missing",
			escapes: "evidence.command.output-path-invalid",
			invalid: "evidence.command.output-path-invalid",
		}, "outputPath")
}

func (it *item) metric() {
	it.present("evidence.metric.metric-missing", "metric")
	value, valueOK := it.finite("evidence.metric.value", "value")
	target, targetOK := it.finite("evidence.metric.target", "target")
	op := it.node.At("operator")
	if !IsOperator(op.Text()) {
		it.fail("evidence.metric.operator", op, "<, <=, =, >= or >")
	} else if valueOK && targetOK && !Satisfies(value, op.Text(), target) {
		it.fail("evidence.metric.target-missed", it.node.At("value"), op.Text()+" "+verify.Show(it.node.Get("target")))
	}
	it.present("evidence.metric.window-missing", "window")
	it.present("evidence.metric.source-missing", "source")
	it.timestamp("evidence.metric.observed-at", "observedAt")
	it.present("evidence.metric.environment-missing", "environment")
	it.present("evidence.metric.commit-missing", "commit")
}

func (it *item) approval() {
	it.exactly("evidence.approval.actor-type", "actorType", "human")
	it.present("evidence.approval.actor-missing", "actor")
	it.present("evidence.approval.approval-id-missing", "approvalId")
	it.present("evidence.approval.scope-missing", "scope")
	it.exactly("evidence.approval.status", "status", "granted")
	approved, approvedOK := it.timestamp("evidence.approval.approved-at", "approvedAt")
	expires, expiresOK := it.timestamp("evidence.approval.expires-at", "expiresAt")
	end := it.node.At("expiresAt")
	if approvedOK && expiresOK && expires <= approved {
		it.fail("evidence.approval.expiry-order", end, "later than approvedAt, "+verify.Show(it.node.Get("approvedAt")))
	}
	if asOf := it.ctx.readAsOf(); asOf.ok && expiresOK && expires < asOf.ms {
		it.failAgainst("evidence.approval.expired", end, "no earlier than the document's generatedAt, ", it.ctx.AsOf)
	}
}

func (it *item) report() {
	if n := it.node.At("url"); !hasHTTPS(Trimmed(n.Value)) {
		it.fail("evidence.provider-report.url", n, "a URL that starts with https://")
	} else if loopback(Trimmed(n.Value)) {
		it.fail("evidence.warn.loopback-url", n, "the host of a provider")
	}
	it.exactly("evidence.provider-report.status", "status", StatusPassed)
	it.timestamp("evidence.provider-report.checked-at", "checkedAt")
	it.present("evidence.provider-report.provider-missing", "provider")
	it.present("evidence.provider-report.report-id-missing", "reportId")
	it.present("evidence.provider-report.environment-missing", "environment")
	it.present("evidence.provider-report.commit-missing", "commit")
	it.digestOf("evidence.provider-report.digest-format", "evidence.provider-report.digest-mismatch", "digest",
		fileRules{
			missing: "evidence.provider-report.attestation-path-missing",
			escapes: "evidence.provider-report.attestation-path-invalid",
			invalid: "evidence.provider-report.attestation-path-invalid",
		}, "attestationPath")
}

// isZero reports whether v is the number zero; -0, 0.0 and 0e9 are.
func isZero(v canon.Value) bool {
	f, ok := v.Num()
	return ok && f == 0
}

func (it *item) finite(rule, member string) (float64, bool) {
	n := it.node.At(member)
	f, ok := n.Finite()
	if !ok {
		it.fail(rule, n, "a finite number")
	}
	return f, ok
}

const digestForm = "64 hexadecimal characters"

// DigestForm reports whether v has the form of a digest as the level reads it:
// raw at strict level, trimmed at base level (contract 07, section 9,
// digest.raw-form).
func DigestForm(level verify.Level, v canon.Value) bool {
	if level == verify.Strict {
		return canon.IsHex64(v.Text())
	}
	return canon.IsHex64(Trimmed(v))
}

func (it *item) digestForm(v canon.Value) bool { return DigestForm(it.out.Level(), v) }

// digestOf checks a member that is the digest of the file another member
// names.
func (it *item) digestOf(format, mismatch, digestMember string, rules fileRules, pathMember string) {
	sum := it.node.At(digestMember)
	formed := it.digestForm(sum.Value)
	if !formed {
		it.fail(format, sum, digestForm)
	}
	if file, found := it.file(rules, pathMember); found && formed {
		it.compare(mismatch, sum, file)
	}
}

// fileRules are the ids for a reference that is absent, leaves the root, or
// names no safe file.
type fileRules struct{ missing, escapes, invalid string }

// file resolves a file reference and reports what is wrong with it.
func (it *item) file(rules fileRules, member string) (Resolved, bool) {
	n := it.node.At(member)
	if !Present(n.Value) {
		it.fail(rules.missing, n, "a path relative to the root of the run")
		return Resolved{}, false
	}
	file, err := it.ctx.Root.SafeFile(n.Text(), it.out.Level())
	if err == nil {
		return file, true
	}
	rule := rules.invalid
	if err.Escapes {
		rule = rules.escapes
	}
	it.out.Add(rule, it.at(n), verify.What{
		Found:       verify.Quote(n.Text()) + ": " + err.Reason,
		Expected:    "a regular file inside the run, not reached through a link",
		Unevaluated: err.Unevaluated,
	})
	return Resolved{}, false
}

// compare demands that a digest is that of the file's raw bytes. The
// document's value counts as written, lower-cased: a padded one never matches.
func (it *item) compare(rule string, sum canon.Node, file Resolved) {
	want := canon.LowerASCII(sum.Text())
	actual, err := it.ctx.Root.DigestResolved(file)
	if err != nil {
		it.out.Add(rule, it.at(sum), verify.What{
			Found:       "the file could not be read: " + err.Error(),
			Expected:    "the file whose digest is " + want,
			Unevaluated: IsTrouble(err),
		})
		return
	}
	if want == actual.SHA256 {
		return
	}
	what := verify.What{
		Found:    verify.Show(sum.Value),
		Expected: actual.SHA256 + ", the digest of " + verify.Quote(file.Rel),
	}
	// Two more hashes explain a mismatch; once is enough, and bounds the work.
	if !it.out.Has(rule) {
		what.Hint = it.ctx.Root.lineEnds(file, want)
	}
	it.out.Add(rule, it.at(sum), what)
}
