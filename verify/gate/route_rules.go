package gate

import "finishline/verify"

var routeTable = define("route",
	readRules("route", "09a §4", routePath),
	memberRules("route", "09a §4", header),
	routeRules)

const (
	whyRouteFrom = "the route counts for the intake and classification it was made from, and for no others"
	doReroute    = "make the route again from run/intake.json and run/workload-classification.json, and keep it as it is"
	whyRouteText = "a classification and a route that agree on less than the request asks for would drop its gates"
	whySkill     = "the skills of a phase follow from the task type and the classification"
)

// classificationCopy is the rule of a member that the route copies.
func classificationCopy(member, of string) verify.Rule {
	return verify.Rule{ID: "route.classification." + member, Contract: "09a §4", Fails: member + " is not the classification's " + of,
		Why: whyRouteFrom, Do: doReroute}
}

var routeRules = []verify.Rule{
	{ID: "route.inputs", Contract: "09a §4", Fails: "run/intake.json or run/workload-classification.json does not exist, is not JSON or is not an object", Why: "the route is made from them", Do: "restore both documents"},
	{ID: "route.adapter", Contract: "09a §4", Fails: "the project adapter is there and is not JSON, or is null", Why: "the route's commissioning record is held against it", Do: "repair project-adapter.json, or remove it if the project has none"},
	{ID: "route.legacy", Contract: "09a §4", Fails: "the schema is uash.route.v1", Why: "a historical route lacks what is verified today", Do: "make a uash.route.v2 document"},
	{ID: "route.schema", Contract: "09a §4", Fails: "the schema is not uash.route.v2", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "route.task-type", Contract: "09a §4", Fails: "taskType is none of the eleven of the format", Why: "the task type decides which skill and which gates apply", Do: doReroute},
	{ID: "route.signals", Contract: "09a §4", Fails: "requestSignals is not a non-empty list of texts", Why: "they say why the route is what it is", Do: doReroute},
	{ID: "route.intake-digest", Contract: "09a §4", Fails: "intakeSha256 is not the SHA-256 of run/intake.json", Why: whyRouteFrom, Do: doReroute},
	{ID: "route.classification-digest", Contract: "09a §4", Fails: "workloadClassificationSha256 is not the SHA-256 of run/workload-classification.json", Why: whyRouteFrom, Do: doReroute},
	{ID: "route.binding.run-id", Contract: "09a §4", Fails: "runId is not that of the intake or of the classification", Why: whyRouteFrom, Do: doReroute},
	{ID: "route.registry-digest", Contract: "09b §3.1", Fails: "registrySha256 is not a lower-case digest, or not that of the registry at hand", Why: "the skills of the route are those of one exact registry", Do: "record the semantic digest of the pack's skills/registry.json"},
	{ID: "route.registry-content", Contract: "09a §4", Fails: "the registry cannot be read, has other phases, or lacks a primary skill", Why: "a route over another set of skills cannot be followed", Do: "restore skills/registry.json from the pack's release"},
	{ID: "route.catalog-digest", Contract: "09a §4", Fails: "a catalog digest is not that of a known edition, or a pack has no catalog", Why: whyCatalog, Do: "record the digests of the catalogs that the run was classified by, in lower case"},
	{ID: "route.phases", Contract: "09a §4", Fails: "skillPhases has an unknown or repeated phase, or lacks one", Why: "a run goes through intake, delivery and hand-off, once each", Do: doReroute},
	{ID: "route.primary", Contract: "09a §4", Fails: "a phase's primary skill is not the one that phase and task type call for", Why: whySkill, Do: doReroute},
	{ID: "route.supporting", Contract: "09a §4", Fails: "a phase's supporting skills are not the expected list", Why: whySkill, Do: doReroute},
	{ID: "route.layer", Contract: "09a §4", Fails: "productionLayers has an unknown, repeated or wrongly marked layer, or lacks one", Why: "a layer that is not listed is never assessed", Do: "list all thirteen layers once, with a reason for each that does not apply"},
	classificationCopy("profile", "requestedProfile"),
	classificationCopy("requestedProfile", "requestedProfile"),
	classificationCopy("assuranceTier", "profileTierFloor and effectiveTier"),
	classificationCopy("taskType", "taskType"),
	classificationCopy("workloadProfiles", "list"),
	classificationCopy("crossCuttingConcerns", "list"),
	classificationCopy("domainFeatures", "object, member order included"),
	classificationCopy("materialUnknowns", "list"),
	classificationCopy("foundation", "object, member order included"),
	classificationCopy("productionLayers", "list"),
	classificationCopy("ai", "object, member order included"),
	classificationCopy("domainPacks", "list"),
	classificationCopy("requestSignals", "matchedSignals"),
	classificationCopy("controlledDocumentation", "value"),
	{ID: "route.budget", Contract: "09a §4", Fails: "the executionBudget of the intake or of the route is not that of the classification", Why: "the budget follows from task type and tier", Do: "record the derived budget in both documents, members in the order of the format"},
	{ID: "route.concern", Contract: "09a §4", Fails: "a cross-cutting concern is unknown, or a layer of it is not required", Why: "a concern is only met when all its layers are assessed", Do: doReroute},
	{ID: "route.ai", Contract: "09a §4", Fails: "ai lacks a feature, workloadDetected or aiProfile in its type", Why: "the AI gates compare each of them", Do: "record all seven features and workloadDetected as true or false, and the AI profile"},
	{ID: "route.packs", Contract: "09a §4", Fails: "domainPacks repeats a pack or names an unknown one", Why: "each pack brings its own controls, once", Do: doReroute},
	{ID: "route.mobile", Contract: "09a §4", Fails: "the commissioning record of the iOS app is not that of the project adapter", Why: "builds are attributed to the app by this record", Do: "copy scheme, bundle and runner from the adapter's mobileIos, with its semantic digest; the order of its members counts"},
	{ID: "route.text.ai", Contract: "09a §4", Fails: "the request speaks of AI and the route sees no AI workload", Why: whyRouteText, Do: doReroute},
	{ID: "route.text.pack", Contract: "09a §4", Fails: "the request speaks of a domain pack that the route leaves out", Why: whyRouteText, Do: doReroute},
	{ID: "route.text.full-stack", Contract: "09a §4", Fails: "the request asks for a full stack and a layer is not required", Why: whyRouteText, Do: doReroute},
	{ID: "route.text.smoke", Contract: "09a §4", Fails: "the request speaks of a live system and smoke is not required", Why: whyRouteText, Do: doReroute},
	{ID: "route.gate.status", Contract: "09a §4", Fails: "a gate is neither required nor not-applicable", Why: "a gate in any other state would not be run", Do: doReroute},
	{ID: "route.gate.reason", Contract: "09a §4", Fails: "a gate is not applicable for no reason", Why: "a gate that is left out must be answered for", Do: "write why the gate does not apply"},
	{ID: "route.gate.mismatch", Contract: "09a §4", Fails: "a gate's status is not what the classification requires", Why: whyRouteFrom, Do: doReroute},
	{ID: "route.gate.floor", Contract: "09a §4", Fails: "a gate that the route's own content calls for is not required", Why: "no classification can take away these gates", Do: doReroute},
	{ID: "route.red-zone", Contract: "09a §4", Fails: "redZone is not a list of different texts with the five boundaries of every route", Why: "what is not named as a boundary is crossed", Do: "add the missing boundary, exactly"},
	{ID: "route.alternatives", Contract: "09a §4", Fails: "rejectedAlternatives is not an array", Why: "a route that names no alternative was not weighed", Do: "write an array, empty when nothing else was considered"},
	{ID: "route.authority", Contract: "09a §4", Fails: "the route's allowed or forbidden actions are not those of the intake", Why: "a route may not widen what a person allowed", Do: "copy both lists from the intake"},
}
