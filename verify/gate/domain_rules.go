package gate

import "finishline/verify"

var domainTable = define("domain-assurance",
	readRules("domain-assurance", "09a §8", domainPath),
	memberRules("domain-assurance", "09a §8", header),
	tierRules("domain-assurance", "09a §8", tierBindings),
	tierUnknownRule("domain-assurance", "09a §8"),
	controlRules("domain-assurance", "09a §8"),
	domainRules)

const (
	whyPack = "what a pack demands is owed by every run that it was classified with"
	whyIOS  = "what is released must be the very build that was tested, archived and approved"
)

var domainRules = []verify.Rule{
	{ID: "domain-assurance.schema", Contract: "09a §8", Fails: "the schema is not uash.domain-assurance.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "domain-assurance.packs", Contract: "09a §8", Fails: "packs is not a list", Why: whyPack, Do: "list the packs, none when the classification names none"},
	{ID: "domain-assurance.pack-mismatch", Contract: "09a §8", Fails: "the packs are not those of the classification", Why: whyPack, Do: "assure exactly the packs that the classification names"},
	{ID: "domain-assurance.status", Contract: "09a §8", Fails: "the status is not passed; without packs: not skipped", Why: "an assurance at the finish line has passed, or had nothing to assure", Do: "resolve what is open; a document without packs is skipped"},
	{ID: "domain-assurance.skip-reason", Contract: "09a §8", Fails: "a skipped document gives no skipReason", Why: "a skip nobody explained is a gap", Do: "write why there is nothing to assure"},
	{ID: "domain-assurance.pack.duplicate", Contract: "09a §8", Fails: "a pack has two entries", Why: "of two answers to one question a reader may take the better", Do: "keep one entry for each pack"},
	{ID: "domain-assurance.pack.unknown", Contract: "09a §8", Fails: "an entry is about none of the five packs", Why: whyPack, Do: "use the ids of the pack index"},
	{ID: "domain-assurance.pack.feature-type", Contract: "09a §8", Fails: "distribution or push of the mobile pack is neither true nor false", Why: "the features decide which controls apply", Do: "state both features"},
	{ID: "domain-assurance.pack.features", Contract: "09a §8", Fails: "a pack's features are not those of the classification", Why: "a feature that is dropped drops its controls", Do: "copy the features from the classification's domainFeatures, in their order"},
	{ID: "domain-assurance.identity", Contract: "09a §8", Fails: "the mobile pack's identity lacks a member, or commissioningSha256 is not a digest", Why: whyIOS, Do: "record buildId, scheme, bundleAndTeam and commissioningSha256 of the build"},
	{ID: "domain-assurance.control.inactive", Contract: "09a §8", Fails: "a control of a feature is listed although the app does not have the feature", Why: "an answer to a question nobody asked hides what is missing", Do: "remove the control, or state the feature"},
	{ID: "domain-assurance.ios.identity", Contract: "09a §8", Fails: "evidence of the app's quality, build or distribution is of another build", Why: whyIOS, Do: "collect the evidence for this build, with its identity in each item"},
	{ID: "domain-assurance.ios.quality", Contract: "09a §8", Fails: "no CI-attested xcodebuild test run on macos is among the evidence", Why: "an app is tested where it runs, by someone other than its author's machine", Do: "run xcodebuild test in CI and record the command with runnerOs and deviceClass"},
	{ID: "domain-assurance.ios.archive", Contract: "09a §8", Fails: "no xcodebuild archive command is among the evidence", Why: "what is released is the archive", Do: "record the archive command"},
	{ID: "domain-assurance.ios.archive-os", Contract: "09a §8", Fails: "the archive was not made on macos", Why: "an archive for Apple platforms can only be made there", Do: "record the archive command of the macos runner first"},
	{ID: "domain-assurance.ios.archive-trust", Contract: "09a §8", Fails: "the archive command is not attested by CI", Why: "an archive from someone's own machine has no provenance", Do: "make the archive in CI and record its command first"},
	{ID: "domain-assurance.ios.receipt", Contract: "09a §8", Fails: "no provider report of GitHub Actions or Xcode Cloud is among the evidence", Why: "the build service itself must say that it made the archive", Do: "add the service's report"},
	{ID: "domain-assurance.ios.report", Contract: "09a §8", Fails: "no report of Apple is among the evidence of the distribution", Why: "only Apple can say what was delivered to it", Do: "add the report of App Store Connect or TestFlight"},
	{ID: "domain-assurance.ios.approval", Contract: "09a §8", Fails: "no granted approval of the release by a person is among the evidence", Why: "a release is a decision of a person, recorded in the run's journal", Do: "have a person approve the release, and record the bridge event"},
}
