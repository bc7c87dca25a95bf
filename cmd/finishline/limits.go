package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/sshkey"
	"finishline/packet"
	"finishline/privacy"
	"finishline/privacy/rules"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
	"finishline/verify/journal/bridgeevent"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/event"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/hux"
	"finishline/verify/journal/mailbox"
	"finishline/verify/journal/store"
	"finishline/verify/proof"
	"finishline/verify/proof/produce"
)

type limitsCmd struct {
	outputFlags
}

func (limitsCmd) Help() string {
	return `What is larger is refused by a rule of its own, never taken for tampering.

Examples:
  finishline limits
  finishline limits --format json`
}

// A limit is a bound and where it applies. The numbers are the constants of
// the code that enforces them.
type limit struct {
	what  string
	value int64
	unit  string
	where string
}

func limits() []limit {
	const second = int64(time.Second)
	return []limit{
		{"trust store", canon.MaxTrustStore, "bytes", "live and committed (json.size)"},
		{"review", canon.MaxReview, "bytes", "json.size"},
		{"portable proof, review subject", canon.MaxSubject, "bytes", "json.size"},
		{"any other JSON document", canon.MaxDocument, "bytes", "json.size"},
		{"nesting of a JSON document", canon.MaxDepth, "levels", "json.depth"},
		{"artifact path", evidence.MaxPath, "bytes", "strict.path.too-long"},
		{"component of a path", evidence.MaxComponent, "bytes", "strict.path.too-long"},
		{"inventory of a packet", packet.MaxInventoryFiles, "files", "packet.inventory.too-many-files"},
		{"one file of an inventory", packet.MaxInventoryFile, "bytes", "packet.inventory.size-invalid"},
		{"all files of an inventory", packet.MaxInventoryBytes, "bytes", "packet.inventory.too-many-bytes"},
		{"time limit of a proof", proof.MaxTimeoutMs, "milliseconds", "proof.execution.timeout"},
		{"attempts of a proof", proof.MaxRepeat, "attempts", "proof.execution.repeat"},
		{"output of an attempt", proof.MaxOutputBytes, "bytes", "proof.execution.max-output"},
		{"captured output of an attempt", produce.MinCapture, "bytes", "proof run, each stream; or 4 times --max-output-bytes if that is more"},
		{"output of a command", produce.MaxCommandOutput, "bytes", "proof write, each stream"},
		{"quoted end of an output", produce.TailUnits, "UTF-16 units", "proof write, each stream"},
		{"from SIGTERM to SIGKILL", int64(produce.KillGrace) / second, "seconds", "proof run, proof write"},
		{"judging one gate", int64(finish.GateTimeout) / second, "seconds", "aggregate.gate.failed"},
		{"findings of one gate", finish.MaxGateOutput, "bytes", "aggregate.gate.failed"},
		{"one Git command", int64(git.CommandTimeout) / second, "seconds", "source.git-unavailable, runtime.git.unavailable"},
		{"output of a Git command, a Git object", git.MaxOutputBytes, "bytes", "source.git-unavailable, runtime.git.unavailable"},
		{"records of a bridge's journal", store.MaxEvents, "records", "journal.count.exceeded"},
		{"record of a bridge's journal", store.MaxRecord, "bytes", "journal.line.too-large"},
		{"event of a bridge's journal", event.MaxBytes, "bytes", "journal.event.contract"},
		{"configuration of a bridge's run", store.MaxConfig, "bytes", "runconfig.file.too-large"},
		{"snapshot of a bridge's run", store.MaxSnapshot, "bytes", "snapshot.file.too-large"},
		{"integrity key file", maxKeyFile, "bytes", "journal commands"},
		{"line of a Harness v2 journal", harness.DefaultMaxLine, "bytes", "harness.line.too-long, or --max-line-bytes"},
		{"line of a HUX stream", hux.MaxLine, "bytes", "hux.line.too-long"},
		{"HUX stream that is one array", hux.MaxArray, "bytes", "hux.line.too-long"},
		{"event of such an array", hux.MaxElement, "bytes", "a larger one is not judged, so the verification ends without a verdict"},
		{"nesting of a HUX event", hux.MaxDepth, "levels", "hux.line.depth"},
		{"lines of a HUX stream", hux.MaxLines, "lines", "more are not judged"},
		{"what is kept of a HUX stream", hux.MaxState, "bytes", "about 30 for each event; beyond it the verification ends without a verdict"},
		{"history of a HUX stream", hux.MaxEntries, "entries", "journal show; further ones are counted"},
		{"schemas, allowlist, secret patterns", hux.MaxOptionFile, "bytes", "each file"},
		{"mailbox store with its log", mailbox.MaxStore, "bytes", "journal verify"},
		{"rows of a mailbox export", mailbox.MaxRows, "rows", "journal verify"},
		{"line of a mailbox export", mailbox.MaxLine, "bytes", "json.size"},
		{"payload of a mailbox row", mailbox.MaxPayload, "bytes", "json.size"},
		{"tables, indexes and the like of a mailbox", mailbox.MaxObjects, "objects", "journal verify"},
		{"memory of SQLite", mailbox.MaxHeap, "bytes", "journal verify, of a mailbox"},
		{"verifying a mailbox", int64(mailbox.MaxTime) / second, "seconds", "journal verify"},
		{"bridge event", bridgeevent.MaxBytes, "bytes", "json.size"},
		{"nesting of a bridge event", bridgeevent.MaxDepth, "levels", "doc.json"},
		{"checkpoint with its signatures", checkpoint.MaxNote, "bytes", "ext.checkpoint.malformed"},
		{"proof on a checkpoint", checkpoint.MaxProof, "bytes", "ext.inclusion.mismatch, ext.consistency.mismatch"},
		{"records that a timeline lists", maxEntries, "records", "journal show, of a Harness v2 journal"},
		{"privacy scan", privacy.MaxFiles, "files", "privacy.strict.bounds"},
		{"one file of a privacy scan", privacy.MaxFile, "bytes", "privacy.strict.bounds"},
		{"all files of a privacy scan", privacy.MaxBytes, "bytes", "privacy.strict.bounds"},
		{"line of a scanned text", privacy.MaxLine, "bytes", "privacy.strict.bounds"},
		{"findings of a privacy scan", privacy.MaxFindings, "findings", "privacy.strict.bounds"},
		{"line of a scanned text, with --base", privacy.MaxBaseLine, "bytes", "privacy.read.failed"},
		{"findings of a privacy scan, with --base", privacy.MaxBaseFindings, "findings", "privacy.read.failed"},
		{"path of a scanned file", privacy.MaxPath, "bytes", "privacy.read.failed"},
		{"closure of a run", privacy.MaxClosurePaths, "paths", "privacy.closure.count"},
		{"documents that lead to a path of a closure", privacy.MaxClosureDepth, "documents", "privacy.closure.depth"},
		{"privacy scan of a run", int64(finish.PrivacyTimeout) / second, "seconds", "finish.privacy.failed"},
		{"report of the privacy scan of a run", finish.MaxPrivacyOutput, "bytes", "finish.privacy.failed"},
		{"acceptances of privacy findings", privacy.MaxAcceptances, "acceptances", "privacy scan, privacy accept"},
		{"life of an acceptance", privacy.MaxAcceptDays, "days", "privacy scan, privacy accept"},
		{"rule file", rules.MaxFile, "bytes", "privacy scan --rules"},
		{"rules of a rule file", rules.MaxRules, "rules", "privacy scan --rules"},
		{"findings of one rule", verify.MaxPerRule, "findings", "reports; the true number is told"},
		{"text from the evidence in a finding", verify.MaxText, "bytes", "reports"},
		{"private or public key file", sshkey.MaxFile, "bytes", "review sign, trust add"},
		{"passphrase, answer to a question", maxAnswer, "bytes", "review sign"},
		{"file given as an argument", maxInput, "bytes", "every command"},
	}
}

func (c limitsCmd) Run(s *session) error {
	list := limits()
	values := make([]canon.Value, len(list))
	for i, l := range list {
		values[i] = canon.Build(
			canon.Member{Name: "what", Value: canon.NewString(l.what)},
			canon.Member{Name: "value", Value: canon.NewNumber(float64(l.value))},
			canon.Member{Name: "unit", Value: canon.NewString(l.unit)},
			canon.Member{Name: "where", Value: canon.NewString(l.where)},
		)
	}
	return s.print(c.outputFlags, canon.NewArray(values...), func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, l := range list {
			fmt.Fprintf(tab, "%s\t%d %s\t%s\n", l.what, l.value, l.unit, l.where)
		}
		tab.Flush()
	})
}
