package readiness

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// Table holds the rules of production readiness (contract 08), its control
// catalog included. Findings also carry evidence.* and control.* (contract 07)
// and what strict level has against the text of a document.
var Table = verify.NewTable("readiness", slices.Concat(documentRules, classificationRules, memberRules(), bindingRules(), layerRules,
	controlRules, completenessRules, legacyRules, hardeningRules, catalogRules), evidence.Typed, evidence.Table)

const (
	whyIdentity = "a document that does not say what it is about could be carried over from another run"
	whyPolicy   = "the classification's tier decides how fresh and how trusted evidence must be"
	whyBound    = "what is judged by a classification must be the run that was classified"
	whyLayer    = "a layer nobody looked at is where a release fails"
	whyTwo      = "of two answers to one question a reader may take the better"
	whyEdge     = "a layer is not ready while what it stands on is not"
	whyControl  = "the catalog lists what a layer must show; an answer to anything else hides what is missing"
	whyHistory  = "even a historical record must say what it claims"
	whyCatalog  = "the catalog decides what a layer must show, so one of another structure would ask for less"
	doLayers    = "list each of the thirteen layers once, spelled exactly"
	doCatalog   = "supply a catalog of the format's own structure, or none: the verifier has its own"
)

var documentRules = []verify.Rule{
	{ID: "readiness.document.missing", Contract: "08 §3", Fails: "the assessment does not exist as a file; strict: or is reached through a link", Why: "nothing was shown to be ready", Do: "write production/layer-assessment.json, or name the file"},
	{ID: "readiness.document.json", Contract: "08 §3", Fails: "the assessment is not one JSON value within the bounds", Why: "a document that readers take differently proves nothing", Do: "write the file again with a JSON library and look at the named place"},
	{ID: "readiness.document.object", Contract: "08 §3", Fails: "the assessment is not a JSON object", Why: "its content is expected in members", Do: "write the document as an object"},
	{ID: "readiness.schema.legacy-not-allowed", Contract: "08 §3", Fails: "the assessment is a historical one (v1), and those are not accepted here", Why: "a v1 record binds no run, no commit and no evidence", Do: "write a v2 assessment; to read an old record as history, allow legacy explicitly"},
	{ID: "readiness.schema.unknown", Contract: "08 §3", Fails: "the schema is neither v2 nor v1 of the production readiness format", Why: "another format's members mean other things", Do: "write uash.production-readiness.v2"},
	{ID: "readiness.schema.adapter-mismatch", Contract: "08 §7", Fails: "the schema is not the one that the adapter policy names", Why: "the project decided which assessments it accepts", Do: "write the assessment in the schema that the adapter names"},
}

var classificationRules = []verify.Rule{
	{ID: "readiness.classification.missing", Contract: "08 §3", Fails: "the workload classification is not a safe file of the run", Why: whyPolicy, Do: "keep run/workload-classification.json itself in the run"},
	{ID: "readiness.classification.digest-mismatch", Contract: "08 §3", Fails: "workloadClassificationSha256 is not exactly the SHA-256 of the classification's bytes", Why: whyBound, Do: "write the digest of the classification as it lies in the run, in lower case; never re-format the classification afterwards"},
	{ID: "readiness.classification.json", Contract: "08 §3", Fails: "the workload classification is not a JSON object within the bounds", Why: whyPolicy, Do: "classify the run again"},
	{ID: "readiness.classification.tier-unknown", Contract: "08 §3", Fails: "the classification's effectiveTier is none of T0 to T3", Why: whyPolicy, Do: "classify the run again"},
}

// memberRules are the rules of [documentMembers].
func memberRules() []verify.Rule {
	rules := make([]verify.Rule, len(documentMembers))
	for i, m := range documentMembers {
		rules[i] = verify.Rule{ID: m.rule, Contract: "08 §4.2", Fails: "the member " + m.name + " is not " + m.expected, Why: m.why, Do: m.do}
	}
	return rules
}

// bindingRules are the rules of [bindings].
func bindingRules() []verify.Rule {
	rules := make([]verify.Rule, len(bindings))
	for i, b := range bindings {
		rules[i] = verify.Rule{ID: b.rule, Contract: "08 §4.2", Fails: b.member + " is not the classification's " + b.of,
			Why: whyBound, Do: "assess the run that was classified, and copy " + b.of + " from its classification"}
	}
	return rules
}

var layerRules = []verify.Rule{
	{ID: "readiness.v2.layer.object", Contract: "08 §4.3", Fails: "an entry of layers is not an object", Why: whyLayer, Do: "remove the element, or write the layer's entry"},
	{ID: "readiness.v2.layer.name", Contract: "08 §4.3", Fails: "an entry does not name its layer in the member layer", Why: whyLayer, Do: doLayers},
	{ID: "readiness.v2.layer.duplicate", Contract: "08 §4.3", Fails: "a layer has two entries", Why: whyTwo, Do: doLayers},
	{ID: "readiness.v2.layer.unknown", Contract: "08 §4.3", Fails: "an entry is about none of the thirteen layers", Why: "a layer that no catalog knows has no controls to pass", Do: doLayers},
	{ID: "readiness.v2.layer.owner", Contract: "08 §4.3", Fails: "a layer has no owner, whether it applies or not", Why: "a decision that nobody owns is nobody's decision", Do: "name who answers for the layer"},
	{ID: "readiness.v2.layer.applicability", Contract: "08 §4.3", Fails: "applicability is neither required nor not-applicable", Why: "a layer that is neither is undecided, and judged as required", Do: "decide: required with its controls, or not-applicable with a reason"},
	{ID: "readiness.v2.layer.na-status", Contract: "08 §4.3", Fails: "a layer that does not apply has another status than skipped", Why: "nothing was shown there, so nothing can have passed", Do: "write skipped, or make the layer required"},
	{ID: "readiness.v2.layer.na-reason", Contract: "08 §4.3", Fails: "a layer that does not apply gives no reason", Why: "a skip nobody explained is a gap", Do: "write why in reason; a blank reason hides skipReason"},
	{ID: "readiness.v2.layer.required-status", Contract: "08 §4.3", Fails: "a layer that applies has another status than passed", Why: whyLayer, Do: "show all controls of the layer, then write passed"},
}

var controlRules = []verify.Rule{
	{ID: "readiness.v2.control.duplicate", Contract: "08 §4.4", Fails: "a control is listed twice in its layer", Why: whyTwo, Do: "keep one entry for each control"},
	{ID: "readiness.v2.control.unknown", Contract: "08 §4.4", Fails: "a control is not one of its layer's", Why: whyControl, Do: "use the ids of the catalog, each in its own layer"},
	{ID: "readiness.v2.control.evidence-type", Contract: "08 §4.4", Fails: "a passed control has no item of the type that proves it", Why: "a control that needs a measurement is not shown by a document, nor the other way round", Do: "add an item of the type that the catalog asks for; others may stay beside it"},
	{ID: "readiness.v2.control.missing", Contract: "08 §4.4", Fails: "a required layer lacks one of its controls", Why: "what is not listed was not shown", Do: "add the control with its status and evidence"},
	{ID: "readiness.v2.dependency.undeclared", Contract: "08 §4.5", Fails: "dependencies names a layer that is no hard dependency of this one", Why: "the edges are the format's, not the author's", Do: "remove it; the member may be left out altogether"},
	{ID: "readiness.v2.dependency.conditional-undeclared", Contract: "08 §4.5", Fails: "conditionalDependencies names a layer that is no conditional dependency of this one", Why: "the edges are the format's, not the author's", Do: "remove it; the member may be left out altogether"},
}

var completenessRules = []verify.Rule{
	{ID: "readiness.v2.layer.missing", Contract: "08 §4.6", Fails: "one of the thirteen layers has no entry", Why: whyLayer, Do: "add the layer, required or not-applicable with a reason"},
	{ID: "readiness.v2.no-required-layer", Contract: "08 §4.6", Fails: "no layer is required", Why: "an assessment in which nothing applies has shown nothing", Do: "require the layers that the run changes"},
	{ID: "readiness.v2.cross-cutting", Contract: "08 §4.6", Fails: "the profile is not prototype, and security, CI or observability is not required", Why: "no production change leaves these three untouched", Do: "require the layer and show its controls"},
	{ID: "readiness.v2.dependency.unsatisfied", Contract: "08 §4.6", Fails: "a required layer depends on one that is not required and passed", Why: whyEdge, Do: "require the layer that it depends on as well, and show its controls"},
}

var legacyRules = []verify.Rule{
	{ID: "readiness.v1.generated-at", Contract: "08 §5", Fails: "generatedAt is not a timestamp", Why: whyHistory, Do: "restore the record as it was written"},
	{ID: "readiness.v1.status", Contract: "08 §5", Fails: "status is not passed", Why: whyHistory, Do: "a record that did not pass proves no readiness"},
	{ID: "readiness.v1.summary", Contract: "08 §5", Fails: "summary is blank or no text", Why: whyHistory, Do: "restore the record as it was written"},
	{ID: "readiness.v1.layer.object", Contract: "08 §5", Fails: "an element of layers is not an object", Why: whyLayer, Do: "restore the record as it was written"},
	{ID: "readiness.v1.layer.name", Contract: "08 §5", Fails: "an entry has no name in layer, id or slug", Why: whyLayer, Do: doLayers},
	{ID: "readiness.v1.layer.duplicate", Contract: "08 §5", Fails: "a layer has two entries", Why: whyTwo, Do: doLayers},
	{ID: "readiness.v1.layer.unknown", Contract: "08 §5", Fails: "an entry is about none of the thirteen layers", Why: whyLayer, Do: doLayers},
	{ID: "readiness.v1.layer.status-unsupported", Contract: "08 §5", Fails: "a layer's status is none of the seven", Why: "an unknown status must not read as a pass", Do: "write the status that applies, spelled exactly"},
	{ID: "readiness.v1.layer.skip-reason", Contract: "08 §5", Fails: "a skipped layer gives no reason", Why: "a skip nobody explained is a gap", Do: "write why in reason; a blank reason hides skipReason"},
	{ID: "readiness.v1.layer.evidence", Contract: "08 §5", Fails: "a passed layer names no evidence of the old kind", Why: "a pass without evidence is only a claim", Do: "name what was seen; a list in evidence does not count in v1"},
	{ID: "readiness.v1.layer.failed-reason", Contract: "08 §5", Fails: "a failed layer gives no failureReason", Why: "a failure nobody explained cannot be acted on", Do: "write what failed"},
	{ID: "readiness.v1.layer.failed-recovery", Contract: "08 §5", Fails: "a failed layer gives no recoveryPath", Why: "a failure without a way out blocks for ever", Do: "write how it will be fixed"},
	{ID: "readiness.v1.layer.blocking", Contract: "08 §5", Fails: "a layer's status blocks: required, pending, failed, blocked or needs_approval", Why: "the layer was not ready", Do: "a record with an open layer proves no readiness"},
	{ID: "readiness.v1.layer.missing", Contract: "08 §5", Fails: "one of the thirteen layers has no entry", Why: whyLayer, Do: doLayers},
}

var hardeningRules = []verify.Rule{
	{ID: "readiness.hardening.layers-array", Contract: "08 §6", Fails: "layers of a v2 assessment is not an array", Why: "the aggregate reads only an array, so it would see no evidence and no layer in anything else", Do: "write layers as an array of entries with the member layer"},
	{ID: "readiness.hardening.map-key-conflict", Contract: "08 §6", Fails: "an entry of a v1 map names another layer than its key", Why: "one reader files it under the key, another under the member", Do: "give entry and key the same name"},
	{ID: "readiness.hardening.na-controls", Contract: "08 §6", Fails: "a layer that does not apply lists controls", Why: "nothing validates them, yet they count as evidence elsewhere", Do: "remove the controls, or make the layer required"},
}

var catalogRules = []verify.Rule{
	{ID: "catalog.unavailable", Contract: "08 §2", Fails: "the supplied catalog is missing, no regular file, a link, or in a directory that leads elsewhere", Why: whyCatalog, Do: "name the catalog file itself, or supply none"},
	{ID: "catalog.json", Contract: "08 §2", Fails: "the supplied catalog is not a JSON object within the bounds", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.schema", Contract: "08 §2", Fails: "the catalog's schema is not uash.production-control-catalog.v2", Why: "another format's members mean other things", Do: doCatalog},
	{ID: "catalog.layer-count", Contract: "08 §2", Fails: "layers is not an array of 13", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.layer.unknown", Contract: "08 §2", Fails: "an entry is about none of the thirteen layers", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.layer.duplicate", Contract: "08 §2", Fails: "a layer has two entries", Why: whyTwo, Do: doCatalog},
	{ID: "catalog.layer.title", Contract: "08 §2", Fails: "a layer has no title", Why: "people read titles, not ids", Do: "give the layer a title"},
	{ID: "catalog.dependency.unknown", Contract: "08 §2", Fails: "a dependency is none of the thirteen layers", Why: whyEdge, Do: doCatalog},
	{ID: "catalog.capability.invalid", Contract: "08 §2", Fails: "a capability lacks its id, title or description", Why: "a control is asked for on behalf of a capability that people must understand", Do: "write id, title and description"},
	{ID: "catalog.capability.duplicate", Contract: "08 §2", Fails: "a capability id occurs twice in the catalog", Why: "a control would belong to either", Do: doCatalog},
	{ID: "catalog.capability.none", Contract: "08 §2", Fails: "a layer has no capability", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.control.invalid", Contract: "08 §2", Fails: "a control lacks its id or requirement", Why: "nobody can fulfil a requirement that is not stated", Do: "write id and requirement"},
	{ID: "catalog.control.duplicate", Contract: "08 §2", Fails: "a control id occurs twice in the catalog", Why: whyTwo, Do: doCatalog},
	{ID: "catalog.control.none", Contract: "08 §2", Fails: "a layer has no control", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.control.capability", Contract: "08 §2", Fails: "a control's capability is not declared by its layer", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.control.proof-types", Contract: "08 §2", Fails: "proofPolicy.types is no list of evidence types, or empty", Why: "a control that any evidence proves is proven by none", Do: doCatalog},
	{ID: "catalog.control.missing-canonical", Contract: "08 §2", Fails: "a layer lacks one of the format's controls", Why: whyCatalog, Do: doCatalog},
	{ID: "catalog.control.non-canonical", Contract: "08 §2", Fails: "a layer lists a control that the format does not have there", Why: "a verifier with another catalog would refuse the assessments made with this one", Do: doCatalog},
	{ID: "catalog.dependency.cycle", Contract: "08 §2", Fails: "hard edges, or conditional edges, lead round in a circle", Why: "no layer of a circle could ever be the first that is ready", Do: doCatalog},
	{ID: "catalog.structure-mismatch", Contract: "08 §2", Fails: "the order, an edge, a proof type, or a capability is not that of the format", Why: whyCatalog, Do: doCatalog},
}
