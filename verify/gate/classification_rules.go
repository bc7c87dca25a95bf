package gate

import "finishline/verify"

var classificationTable = define(classificationName,
	readRules(classificationName, "09a §3", classificationPath),
	classificationRules)

const (
	whyFromIntake = "the classification counts for the request it was made from, and for no other"
	doReclassify  = "classify the request again from run/intake.json and keep the result as it is"
	whyDerived    = "the classification follows from the request text and the requested profile alone; one that says less asks for less assurance"
	whyCatalog    = "the same ids mean other controls under another catalog"
	whyList       = "entries in another shape are not looked at by later gates"
	doList        = "write an array, empty when there is nothing to list"
)

var classificationRules = []verify.Rule{
	{ID: "workload-classification.intake.missing", Contract: "09a §3", Fails: "run/intake.json does not exist, is not JSON or is not an object", Why: "the classification is derived from it", Do: "restore run/intake.json"},
	{ID: "workload-classification.catalog-integrity", Contract: "09b §3", Fails: "a control catalog of the pack is missing, not JSON, or of no known edition", Why: whyCatalog, Do: "restore the catalog from the pack's release"},
	{ID: "workload-classification.schema", Contract: "09a §3", Fails: "the schema is not uash.workload-classification.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "workload-classification.run-id", Contract: "09a §3", Fails: "no runId is recorded", Why: whyIdentity, Do: "record the run's id"},
	{ID: "workload-classification.generated-at", Contract: "09a §3", Fails: "generatedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "workload-classification.task-type", Contract: "09a §3", Fails: "taskType is none of the eleven of the format", Why: "the task type decides which skill and which gates apply", Do: doReclassify},
	{ID: "workload-classification.intake.run-id", Contract: "09a §3", Fails: "runId is not that of the intake", Why: whyFromIntake, Do: doReclassify},
	{ID: "workload-classification.intake.request-digest", Contract: "09a §3", Fails: "requestSha256 is not that of the intake", Why: whyFromIntake, Do: doReclassify},
	{ID: "workload-classification.intake.commit", Contract: "09a §3", Fails: "commit is not that of the intake", Why: whyFromIntake, Do: doReclassify},
	{ID: "workload-classification.intake.environment", Contract: "09a §3", Fails: "environment is not that of the intake", Why: whyFromIntake, Do: doReclassify},
	{ID: "workload-classification.intake.profile", Contract: "09a §3", Fails: "requestedProfile or profile is not that of the intake", Why: whyFromIntake, Do: doReclassify},
	{ID: "workload-classification.intake.request-text", Contract: "09a §3", Fails: "the intake's requestText is not a text", Why: "there is nothing to classify", Do: "repair the intake first"},
	{ID: "workload-classification.profile", Contract: "09a §3", Fails: "profile is not requestedProfile, or that is none of the four", Why: "the profile sets the lowest tier a run may have", Do: doProfile},
	{ID: "workload-classification.floor", Contract: "09a §3", Fails: "profileTierFloor is not the floor of the requested profile", Why: "a lower floor would let a run be judged more gently than it was asked for", Do: doReclassify},
	{ID: "workload-classification.tier", Contract: "09a §3", Fails: "effectiveTier is none of T0 to T3", Why: "the tier decides how fresh and how trusted evidence must be", Do: doReclassify},
	{ID: "workload-classification.tier-downgrade", Contract: "09a §3", Fails: "effectiveTier is below the floor of the requested profile", Why: "a tier may only be raised", Do: doReclassify},
	{ID: "workload-classification.ai-tier", Contract: "09a §3", Fails: "effectiveAiTier is none of AI0 to AI3", Why: "it decides what an AI workload owes", Do: doReclassify},
	{ID: "workload-classification.array.workloadProfiles", Contract: "09a §3", Fails: "workloadProfiles is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.array.crossCuttingConcerns", Contract: "09a §3", Fails: "crossCuttingConcerns is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.array.domainPacks", Contract: "09a §3", Fails: "domainPacks is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.array.productionLayers", Contract: "09a §3", Fails: "productionLayers is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.array.matchedSignals", Contract: "09a §3", Fails: "matchedSignals is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.array.unknowns", Contract: "09a §3", Fails: "unknowns is not an array", Why: whyList, Do: doList},
	{ID: "workload-classification.duplicate.workloadProfiles", Contract: "09a §3", Fails: "workloadProfiles repeats an entry", Why: "a derived list names each id once", Do: doReclassify},
	{ID: "workload-classification.duplicate.crossCuttingConcerns", Contract: "09a §3", Fails: "crossCuttingConcerns repeats an entry", Why: "a derived list names each id once", Do: doReclassify},
	{ID: "workload-classification.duplicate.domainPacks", Contract: "09a §3", Fails: "domainPacks repeats an entry", Why: "a derived list names each id once", Do: doReclassify},
	{ID: "workload-classification.ai", Contract: "09a §3", Fails: "ai lacks a feature, workloadDetected or aiProfile in its type", Why: "the AI gates compare each of them", Do: "record all seven features and workloadDetected as true or false, and the AI profile"},
	{ID: "workload-classification.catalog-digest", Contract: "09a §3", Fails: "a catalog digest is not that of a known edition", Why: whyCatalog, Do: "classify with a known edition of the catalogs; digests are written in lower case"},
	{ID: "workload-classification.tier-derivation", Contract: "09a §3", Fails: "effectiveTier is not the derived one", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.ai-derivation", Contract: "09a §3", Fails: "effectiveAiTier or ai is not as derived, the order of its members included", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.task-derivation", Contract: "09a §3", Fails: "taskType is not the derived one", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.docs-derivation", Contract: "09a §3", Fails: "controlledDocumentation is not as derived", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.archetype-derivation", Contract: "09a §3", Fails: "primaryArchetype is not the derived one", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.profile-derivation", Contract: "09a §3", Fails: "workloadProfiles is not the derived list, in its order", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.concern-derivation", Contract: "09a §3", Fails: "crossCuttingConcerns is not the derived list, in its order", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.pack-derivation", Contract: "09a §3", Fails: "domainPacks or domainFeatures is not as derived", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.foundation-derivation", Contract: "09a §3", Fails: "foundation is not as derived, its fixed text included", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.layer-derivation", Contract: "09a §3", Fails: "productionLayers is not as derived, fixed texts included", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.gate-derivation", Contract: "09a §3", Fails: "requiredGates is not as derived", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.signal-derivation", Contract: "09a §3", Fails: "matchedSignals is not the derived list", Why: whyDerived, Do: doReclassify},
	{ID: "workload-classification.unknowns-derivation", Contract: "09a §3", Fails: "confidence, unknowns or materialUnknowns is not as derived, fixed texts included", Why: whyDerived, Do: doReclassify},
}
