package gate

import "finishline/verify"

var registryTable = define(registryName,
	registryReadRules(),
	registryRules)

const (
	whyRegistry = "routes pick their skills from the registry, and every registry of the format has this shape"
	doRegistry  = "restore skills/registry.json from the pack's release, or repair the named member"
	whySkillDoc = "a runtime offers the skill by this text"
	doSkillDoc  = "repair the named file of the skill"
	doInstall   = "install the pack again, so that its copies are made anew"
)

// registryReadRules are those of a gate's document; .json also stands for what
// else of the pack stops the gate (09b §4 and §5).
func registryReadRules() []verify.Rule {
	rules := readRules(registryName, "09b §4.1", "the pack's skills/registry.json")
	for i := range rules {
		if rules[i].ID == registryName+".json" {
			rules[i].Fails = "skills/registry.json or project-adapter.json is not one JSON value within the bounds, a list of skills holds null, " +
				"selection is not there, or a file or directory of the pack is beyond its bound or cannot be looked at"
			rules[i].Do = "look at the named place: write the document again with a JSON library, or restore the file or directory from the pack's release"
		}
	}
	return rules
}

var registryRules = []verify.Rule{
	{ID: "skill-registry.schema", Contract: "09b §4.1", Fails: "the schema is not uash.skill-registry.v2", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "skill-registry.skills", Contract: "09b §4.1", Fails: "skills is not an array of 5 to 8", Why: whyRegistry, Do: doRegistry},
	{ID: "skill-registry.lifecycle", Contract: "09b §4.1", Fails: "lifecycleSkills is not an array of seven", Why: whyRegistry, Do: doRegistry},
	{ID: "skill-registry.selection", Contract: "09b §4.1", Fails: "selection does not allow one primary and four supporting skills, or gives another number of skills", Why: whyRegistry, Do: doRegistry},
	{ID: "skill-registry.lifecycle-selection", Contract: "09b §4.1", Fails: "lifecycleSelection is not that of the format", Why: whyRegistry, Do: doRegistry},
	{ID: "skill-registry.phases", Contract: "09b §4.1", Fails: "selection.phaseTransitions is not intake-route, delivery, proof-handoff", Why: "a run goes through these phases in this order", Do: doRegistry},
	{ID: "skill-registry.review-policy", Contract: "09b §4.1", Fails: "gatePolicy.review does not ask for an attested independent review of every completion", Why: "a registry must not promise completion without review", Do: doRegistry},
	{ID: "skill-registry.primary-missing", Contract: "09b §4.1", Fails: "a primary skill is not registered", Why: "some task type has no skill to deliver it", Do: doRegistry},
	{ID: "skill-registry.lifecycle-order", Contract: "09b §4.1", Fails: "the lifecycle skills are not the seven in their order, each with a system of its own and the next one named", Why: whyRegistry, Do: doRegistry},
	{ID: "skill-registry.handoff-gates", Contract: "09b §4.1", Fails: "valdris-proof-handoff does not require run-packet, review and proof", Why: "a hand-off without them hands over claims", Do: doRegistry},
	{ID: "skill-registry.unregistered", Contract: "09b §4.1", Fails: "a valdris- directory below skills/ is no registered skill", Why: "a runtime that finds it would run a skill nobody vetted", Do: "register the skill or remove its directory"},

	{ID: "skill-registry.skill.name", Contract: "09b §4.2", Fails: "a skill's name is not lower-case letters, digits and hyphens", Why: "the name is a directory and a prompt token", Do: doRegistry},
	{ID: "skill-registry.skill.duplicate", Contract: "09b §4.2", Fails: "a skill's name is that of an earlier one", Why: "a prompt that names it would mean two skills", Do: doRegistry},
	{ID: "skill-registry.skill.path", Contract: "09b §4.2", Fails: "a skill's path leads to no file of the pack", Why: "a registered skill must be there to be read", Do: "restore the skill file, or correct the path"},
	{ID: "skill-registry.skill.front-matter-name", Contract: "09b §4.2", Fails: "the name in a skill file's front matter is not the registered one", Why: "the file belongs to another skill", Do: doSkillDoc},
	{ID: "skill-registry.skill.description", Contract: "09b §4.2", Fails: "a skill file's front matter has no description", Why: whySkillDoc, Do: doSkillDoc},
	{ID: "skill-registry.skill.agent-file", Contract: "09b §4.2", Fails: "agents/openai.yaml beside a skill file is no file of the pack", Why: whySkillDoc, Do: "restore the agent file"},
	{ID: "skill-registry.skill.display-name", Contract: "09b §4.2", Fails: "an agent file has no display_name", Why: whySkillDoc, Do: doSkillDoc},
	{ID: "skill-registry.skill.short-description", Contract: "09b §4.2", Fails: "an agent file's short_description is shorter than 25 or longer than 64 characters", Why: whySkillDoc, Do: doSkillDoc},
	{ID: "skill-registry.skill.default-prompt", Contract: "09b §4.2", Fails: "an agent file's default_prompt does not name the skill", Why: "the prompt would invoke another skill", Do: "write $ and the skill's name into the prompt"},
	{ID: "skill-registry.skill.implicit", Contract: "09b §4.2", Fails: "an agent file does not allow implicit invocation", Why: "the registry routes requests to skills that nobody named", Do: "add policy: allow_implicit_invocation: true"},
	{ID: "skill-registry.skill.lists", Contract: "09b §4.2", Fails: "a skill lacks primaryFor, triggers or requiredGates", Why: "without them the skill is never picked, or picked without gates", Do: doRegistry},
	{ID: "skill-registry.skill.lifecycle-lists", Contract: "09b §4.2", Fails: "a lifecycle skill lacks requiredInputs, requiredOutputs or conditionalGates", Why: "the lifecycle is chained by inputs and outputs", Do: doRegistry},
	{ID: "skill-registry.skill.lifecycle-gate", Contract: "09b §4.2", Fails: "a lifecycle skill requires a gate that gatePolicy does not have", Why: "a gate without a policy is never judged", Do: "use the gates of gatePolicy"},
	{ID: "skill-registry.skill.red-zone", Contract: "09b §4.2", Fails: "a skill's redZoneTriggers is not an array", Why: "boundaries in another shape are not looked at", Do: "write an array, empty when there is none"},

	{ID: "skill-registry.routing-missing", Contract: "09b §4.3", Fails: "skills/codex-routing.yaml is no file of the pack", Why: "runtimes route by this projection of the registry", Do: "project the registry again"},
	{ID: "skill-registry.routing", Contract: "09b §4.3", Fails: "skills/codex-routing.yaml is not the projection of the registry", Why: "a runtime would route differently from what the registry says", Do: "project the registry again, and do not edit the projection"},

	{ID: "skill-registry.adapter-missing", Contract: "09b §4.4", Fails: "the pack is installed and has no project-adapter.json", Why: "an installation without its adapter does not know its project", Do: "commission the pack"},
	{ID: "skill-registry.adapter-schema", Contract: "09b §4.4", Fails: "the project adapter's schema is not uash.project-adapter.v2", Why: "another format's members mean other things", Do: "commission the pack again"},
	{ID: "skill-registry.adapter-router", Contract: "09b §4.4", Fails: "the adapter's skillRouter does not point to this registry", Why: "the project would be routed by something else", Do: "commission the pack again"},
	{ID: "skill-registry.mirror", Contract: "09b §4.4", Fails: "a mirror of the skills is missing, holds an unregistered skill, or differs from the registered files", Why: "runtimes read the mirror, verifiers the registry", Do: doInstall},
	{ID: "skill-registry.meta", Contract: "09b §4.4", Fails: "the skill of the harness itself lacks its name, description or agent file", Why: whySkillDoc, Do: doInstall},

	{ID: "strict.pack.links", Contract: "09b §5", Fails: "a file of the pack is reached through a symbolic link", Why: "a link can point elsewhere a moment later", Do: "put the file itself there"},
	{ID: "strict.pack.committed", Severity: verify.Warning, Contract: "09b §5", Fails: "a file of the pack is not committed at HEAD, or differs from its committed bytes",
		Why: "what is not committed was reviewed by nobody", Do: "commit the pack, or restore the file"},
}
