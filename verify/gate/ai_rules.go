package gate

import "finishline/verify"

var aiTable = define("ai-assurance",
	readRules("ai-assurance", "09a §7", aiPath),
	memberRules("ai-assurance", "09a §7", header),
	tierRules("ai-assurance", "09a §7", tierBindings),
	tierUnknownRule("ai-assurance", "09a §7"),
	controlRules("ai-assurance", "09a §7"),
	aiRules)

var aiRules = []verify.Rule{
	{ID: "ai-assurance.schema", Contract: "09a §7", Fails: "the schema is not uash.ai-assurance.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "ai-assurance.detected", Contract: "09a §7", Fails: "workloadDetected is neither true nor false", Why: "whether there is AI at all decides everything else", Do: "copy workloadDetected from the classification"},
	{ID: "ai-assurance.binding.ai", Contract: "09a §7", Fails: "workloadDetected, aiProfile or a feature is not that of the classification", Why: "an AI workload must not be judged as a smaller one than it was classified", Do: "copy the member from the classification's ai"},
	{ID: "ai-assurance.profile-zero", Contract: "09a §7", Fails: "no AI workload was detected and aiProfile is not AI-0", Why: "a profile without a workload contradicts itself", Do: "write AI-0"},
	{ID: "ai-assurance.status", Contract: "09a §7", Fails: "the status is not passed; without an AI workload: not skipped", Why: "an assurance at the finish line has passed, or had nothing to assure", Do: "resolve what is open; a document without a workload is skipped"},
	{ID: "ai-assurance.skip-reason", Contract: "09a §7", Fails: "a skipped document gives no skipReason", Why: "a skip nobody explained is a gap", Do: "write why there is nothing to assure"},
	{ID: "ai-assurance.ai-profile", Contract: "09a §7", Fails: "aiProfile is none of AI-1 to AI-3", Why: "the profile says how much assurance the workload owes", Do: "copy aiProfile from the classification"},
	{ID: "ai-assurance.feature", Contract: "09a §7", Fails: "a feature is neither true nor false", Why: "a feature that is not stated cannot be assured", Do: "state all seven features"},
	{ID: "ai-assurance.profile-floor", Contract: "09a §7", Fails: "a workload with consequences, sensitive data or autonomy is not AI-3", Why: "such a workload owes the strongest assurance", Do: "classify the run again with AI-3"},
	{ID: "ai-assurance.profile-one", Contract: "09a §7", Fails: "an AI-1 workload has a feature", Why: "AI-1 is for bounded assistance without any of the features", Do: "classify the run again with the profile that its features demand"},
	{ID: "ai-assurance.control.inactive", Contract: "09a §7", Fails: "a control of a feature is listed although the workload does not have the feature", Why: "an answer to a question nobody asked hides what is missing", Do: "remove the control, or state the feature"},
}
