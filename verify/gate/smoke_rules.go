package gate

import "finishline/verify"

var smokeTable = define("smoke",
	readRules("smoke", "09a §13", smokePath),
	memberRules("smoke", "09a §13", header),
	smokeRules)

var smokeRules = []verify.Rule{
	{ID: "smoke.schema", Contract: "09a §13", Fails: "the schema is not uash.live-smoke.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "smoke.status", Contract: "09a §13", Fails: "the status is not passed", Why: "a smoke test at the finish line has passed", Do: "fix what the smoke test found and run it again"},
	{ID: "smoke.target", Contract: "09a §13", Fails: "the target lacks kind or identifier, or no evidence is about that identifier", Why: "what was tried must be what is released", Do: "record the target, and its identifier in the evidence"},
	{ID: "smoke.control-id", Contract: "09a §13", Fails: "the control is not LIVE-SMOKE-001", Why: "the gate answers exactly this control", Do: "write the id exactly"},
	{ID: "smoke.runtime-evidence", Contract: "09a §13", Fails: "the evidence holds neither a provider report nor a CI-attested command", Why: "a smoke test on the author's machine shows nothing about the target", Do: "run the smoke test in CI, or add the provider's report"},
	{ID: "smoke.apple-report", Contract: "09a §13", Fails: "a TestFlight or App Store target has no report of Apple", Why: "only Apple can say what was delivered to testers or users", Do: "add the report of App Store Connect or TestFlight"},
	{ID: "smoke.apple-identity", Contract: "09a §13", Fails: "a TestFlight or App Store target lacks scheme, bundle and team or commissioning digest, or no evidence has the same", Why: "what was tried must be the build that was delivered", Do: "record the build's identity in the target and in the evidence"},
}
