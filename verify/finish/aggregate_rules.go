package finish

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// AggregateTable holds the rules of the aggregate finish line (contract 09,
// sections 2, 3 and 6). What a gate found is the cause of
// aggregate.gate.failed and carries the gate's own ids.
var AggregateTable = verify.NewTable("aggregate", slices.Concat(
	gateRules, identityRules, clockRules, agreementRules, unknownRules, trustRules, domainRules, planRules, hardeningRules,
))

// BindingTable holds the rules that bind a run to the approvals of its journal
// (contract 09, section 5, step 6).
var BindingTable = verify.NewTable("finish", bindingRules, evidence.Waivers, evidence.Table)

const (
	whyMixed = "documents that each hold up may still have been put together from different runs"
	doMixed  = "make the document again from the documents of this run"
	whyTier  = "a lower tier asks for less evidence, so no document may choose its own"
	whyBytes = "a document that changed after another was made from it was never looked at in this form"
	whyClock = "old evidence says nothing about the system as it is now"
)

var gateRules = []verify.Rule{
	{ID: "aggregate.gate.failed", Contract: "09 §2", Eval: verify.Wraps, Fails: "a gate refuses its document, the document is missing, or judging it took too long",
		Why: "one bad document is enough to stop a run; what documents say of each other is not looked at then", Do: "mend the causes that are reported with it"},
	{ID: "aggregate.artifact.unsafe", Contract: "09 §3.1", Fails: "a document of the run is not a file of the run; strict: or is reached through a link",
		Why: "what lies outside the run can change without the run", Do: "put the document itself at its place"},
	{ID: "aggregate.artifact.json", Contract: "09 §3.1", Fails: "a document is not a JSON object, or one of its lists is none",
		Why: "what cannot be walked cannot be compared", Do: "write the document again with a JSON library and look at the named place"},
	{ID: "aggregate.tier.policy-unknown", Contract: "09 §3.1", Fails: "the classification's effectiveTier is none of T0 to T3",
		Why: "the tier decides how fresh and how trusted the evidence must be", Do: "classify the run again"},
}

var identityRules = []verify.Rule{
	{ID: "aggregate.binding.run-id", Contract: "09 §3.2", Fails: "a document is about another run than the goal", Why: whyMixed, Do: doMixed},
	{ID: "aggregate.binding.profile", Contract: "09 §3.2", Fails: "a document has another profile than the goal", Why: whyMixed, Do: doMixed},
	{ID: "aggregate.binding.commit", Contract: "09 §3.2", Fails: "a document is about another commit than the goal", Why: "evidence about another commit does not cover what is released", Do: doMixed},
	{ID: "aggregate.binding.environment", Contract: "09 §3.2", Fails: "a document is about another environment than the goal", Why: "what holds in one environment need not hold in another", Do: doMixed},
}

var clockRules = []verify.Rule{
	{ID: "aggregate.clock.future", Contract: "09 §3.3", Fails: "a document is dated more than five minutes ahead of the clock",
		Why: "a date ahead of the clock keeps a document fresh for longer than it may be", Do: "compare the clocks of the machines, then make the document again"},
	{ID: "aggregate.clock.stale", Contract: "09 §3.3", Fails: "a document is older than the run's tier allows: 720, 168, 72 or 24 hours for T0 to T3",
		Why: whyClock, Do: "make the document again and close the run within the window"},
	{ID: "aggregate.git.head-mismatch", Contract: "09 §3.9", Fails: "the goal's commit is not the one that is checked out",
		Why: "the evidence is about another state of the code than the one at hand", Do: "check out the goal's commit, or run again at this one; the goal must name the full commit id"},
}

var agreementRules = []verify.Rule{
	{ID: "aggregate.route.ai-mismatch", Contract: "09 §3.4", Fails: "route and AI assurance differ in whether AI is involved, or in its profile",
		Why: "assurance of a smaller AI profile than the routed one shows too little", Do: "make ai/assurance.json again for this route"},
	{ID: "aggregate.route.ai-feature-mismatch", Contract: "09 §3.4", Fails: "route and AI assurance differ in an AI feature",
		Why: "each feature brings controls that would otherwise be missing", Do: "make ai/assurance.json again for this route"},
	{ID: "aggregate.intake.run-id", Contract: "09 §3.4", Fails: "intake and route have different run ids", Why: whyMixed, Do: "route the run again from its intake"},
	{ID: "aggregate.classification.request-digest", Contract: "09 §3.4", Fails: "the classification is of another request than the intake's",
		Why: "the classification decides everything that the run owes", Do: "classify the request of the intake again"},
	{ID: "aggregate.route.tier-mismatch", Contract: "09 §3.4", Fails: "route and classification differ in profile or effective tier", Why: whyTier, Do: "route the run again from its classification"},
	{ID: "aggregate.route.classification-digest", Contract: "09 §3.4", Fails: "the route was made from other bytes of the classification", Why: whyBytes, Do: "route the run again, and renew what was made from the route"},
	{ID: "aggregate.goal.tier-mismatch", Contract: "09 §3.4", Fails: "goal and classification differ in the effective tier", Why: whyTier, Do: "set the goal again from the classification"},
	{ID: "aggregate.goal.classification-digest", Contract: "09 §3.4", Fails: "the goal was made from other bytes of the classification", Why: whyBytes, Do: "set the goal again from the classification"},
	{ID: "aggregate.assurance.tier-mismatch", Contract: "09 §3.4", Fails: "foundation, production, AI or domain assurance has another effective tier than the classification", Why: whyTier, Do: doMixed},
	{ID: "aggregate.assurance.classification-digest", Contract: "09 §3.4", Fails: "foundation, production, AI or domain assurance was made from other bytes of the classification", Why: whyBytes, Do: doMixed},
	{ID: "aggregate.goal.request-mismatch", Contract: "09 §3.4", Fails: "the goal's objective or request digest is not the intake's",
		Why: "a run that pursued another objective has not done what was asked", Do: "copy the request text of the intake exactly, white space included"},
	{ID: "aggregate.goal.route-digest", Contract: "09 §3.4", Fails: "the route is not the one that the goal was set on", Why: "a route that is changed after the goal was set can drop what the run owes", Do: "restore the route, or set the goal again and repeat what follows from it"},
}

var unknownRules = []verify.Rule{
	{ID: "aggregate.unknown.condition-not-passed", Contract: "09 §3.5", Fails: "a material unknown of the classification has no passed stopping condition of its own in the goal",
		Why: "an open question that decides the outcome was never answered", Do: "have a person answer it, and record that under the stopping condition classification-unknown:<id>"},
	{ID: "aggregate.unknown.approval-uncorrelated", Contract: "09 §3.5", Fails: "no human approval of the answer to a material unknown is bound to this run, this classification and this unknown",
		Why: "an approval that is not bound can be one of something else", Do: "approve the answer through the bridge, and keep the event's id and its correlation with the evidence"},
}

var trustRules = []verify.Rule{
	{ID: "aggregate.trust.below-tier", Contract: "09 §3.6", Fails: "technical evidence of a control has less trust than the tier asks for",
		Why: "from T2 on, what only the author's machine saw does not count", Do: "produce the evidence in CI, or at the provider"},
	{ID: "aggregate.trust.external-attestation-missing", Contract: "09 §3.6", Fails: "a T3 run has no report of an outside provider; strict: none under a control that applies",
		Why: "at the highest tier somebody else must have looked", Do: "add a provider report with its attestation to a control that applies"},
}

var domainRules = []verify.Rule{
	{ID: "aggregate.domain.pack-mismatch", Contract: "09 §3.7", Fails: "the packs of the domain assurance are not those of the route", Why: "a pack that is left out takes its controls with it", Do: "make domain/assurance.json again for this route"},
	{ID: "aggregate.mobile.features", Contract: "09 §3.7", Fails: "the mobile features differ between route and domain assurance; their order counts", Why: "each feature brings controls that would otherwise be missing", Do: "copy the features of the route"},
	{ID: "aggregate.mobile.commissioning", Contract: "09 §3.7", Fails: "a run with the mobile pack has no commissioned app in its route", Why: "which app is released must be settled before the release is assured", Do: "commission the app, and route the run again"},
	{ID: "aggregate.mobile.identity", Contract: "09 §3.7", Fails: "the domain assurance is about another app than the route", Why: "assurance of one app must not release another", Do: "make domain/assurance.json again for the commissioned app"},
	{ID: "aggregate.mobile.smoke-identifier", Contract: "09 §3.7", Fails: "the smoke proof is of another build than the domain assurance", Why: "the build that was tried must be the build that is assured", Do: "run the smoke test on the build that the domain assurance names"},
	{ID: "aggregate.mobile.smoke-identity", Contract: "09 §3.7", Fails: "the smoke proof is of another app than the domain assurance", Why: "the app that was tried must be the app that is assured", Do: "run the smoke test on the app that the domain assurance names"},
}

var planRules = []verify.Rule{
	{ID: "aggregate.trajectory.budget-mismatch", Contract: "09 §3.8", Fails: "the trajectory was held to another budget than the goal's", Why: "a budget that grew on the way limits nothing", Do: "record the limits of the goal in the trajectory"},
	{ID: "aggregate.context.comparison-missing", Contract: "09 §3.8", Fails: "the suite that the context manifest names has no context comparison", Why: "that the loaded context helps was promised and not measured", Do: "run the suite with and without the context, and record the comparison"},
	{ID: "aggregate.context.comparison-digest", Contract: "09 §3.8", Fails: "the context comparison was made with another manifest", Why: whyBytes, Do: "run the comparison again with this manifest"},
	{ID: "aggregate.eval.required-skipped", Contract: "09 §3.8", Fails: "the route requires an evaluation that did not pass", Why: "a required evaluation that is skipped has shown nothing", Do: "run the evaluation"},
	{ID: "aggregate.eval.unrouted-suites", Contract: "09 §3.8", Fails: "there is a suite beside that of the context although the route calls evaluation not applicable", Why: "a route that leaves out what was done may leave out more", Do: "route the run again, or remove the suite"},
	{ID: "aggregate.production.downgraded-layer", Contract: "09 §3.8", Fails: "a production layer that the route requires is not assessed as required", Why: "a layer that is called not applicable shows nothing", Do: "assess the layer, or classify and route the run again"},
}

var hardeningRules = []verify.Rule{
	{ID: "aggregate.hardening.goal-clock", Contract: "09 §6", Fails: "the goal was last updated outside the window of the run's tier, or ahead of the clock", Why: whyClock, Do: "look at the goal again and close the run within the window"},
	{ID: "aggregate.hardening.timestamp", Contract: "09 §6", Fails: "a document says no usable time", Why: "without a time its age is unknown", Do: "write generatedAt as RFC 3339 with a zone"},
	{ID: "aggregate.hardening.waiver-expired", Contract: "09 §6", Fails: "a waiver has expired by now", Why: "the acceptance of the risk has ended since the ledger was written", Do: "fix the issue, or have the waiver approved again"},
	{ID: "aggregate.hardening.approval-expired", Contract: "09 §6", Fails: "a human approval among the evidence has expired by now", Why: "an approval is given for a time, and that time is over", Do: "have it approved again"},
	{ID: "aggregate.hardening.head-required", Contract: "09 §6", Severity: verify.Warning, Fails: "an enterprise or regulated run is verified where no commit is known to be checked out; an error when the caller asks for it",
		Why: "that the evidence is about the code at hand was not looked at", Do: "verify the run inside its repository"},
}

const whyJournal = "what a document says of an approval counts only if the run's own journal says so too"

var bindingRules = []verify.Rule{
	{ID: "finish.binding.unreadable", Contract: "09 §5", Fails: "route, goal, waivers or domain assurance cannot be read as a JSON object, or a list in it is none", Why: "approvals are bound to what these documents say", Do: "restore the document"},
	{ID: "finish.route.run-id", Contract: "09 §5", Fails: "the route is of another run than the one that is completed", Why: whyMixed, Do: "give the run its own route"},
	{ID: "finish.goal.run-id", Contract: "09 §5", Fails: "the goal is of another run than the one that is completed", Why: whyMixed, Do: "give the run its own goal"},
	{ID: "finish.route.approval-missing", Contract: "09 §5", Fails: "no granted approval of the run has the scope route and the bytes of run/route.json", Why: whyJournal, Do: "have the route approved again after its last change"},
	{ID: "finish.domain.approval-uncorrelated", Contract: "09 §5", Fails: "an approval in the domain assurance is backed by no granted approval of the run for these bytes", Why: whyJournal, Do: "have it approved after the last change of domain/assurance.json, with the event id that the document names"},
}
