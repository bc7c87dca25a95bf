package packet

import (
	"finishline/packet/pack"
	"finishline/verify"
)

// CreateTable holds the reasons for which no packet is built (contract 05,
// §12). The findings that a packet would be refused for are causes of
// self-check-failed.
var CreateTable = verify.NewTable("packet-create", createRules, Table, pack.Table)

var createRules = []verify.Rule{
	{ID: ruleSubject, Contract: "05 §12", Fails: "run id, commit or environment is not an identifier",
		Why: "every document of the run must name the same three", Do: "give --run-id and --environment, or write an intake that has them"},
	{ID: ruleLevel, Contract: "05 §12", Fails: "the assurance level is none of structural, semantic and authoritative",
		Why: "the level decides which gates the run needs", Do: "use one of the three levels"},
	{ID: ruleInputPath, Contract: "05 §12", Eval: verify.Wraps, Fails: "an input is not a JSON document at its own path",
		Why: "every verifier must read the same files", Do: "write the input with `finishline intake new`, `classification new`, `route new` or `goal new`"},
	{ID: ruleProof, Contract: "05 §12", Fails: "there is no proof at proof/portable.json",
		Why: "a run without a proof has shown nothing", Do: "make one with `finishline proof run -- COMMAND`"},
	{ID: ruleReview, Contract: "05 §12", Fails: "there is no review at review/review.json",
		Why: "only a signed review gives a packet its authority", Do: "print the bundle with `finishline packet bundle` and have it reviewed and signed"},
	{ID: ruleGateMissing, Contract: "05 §12", Fails: "a gate that the inputs require has no artifact, or was not named",
		Why: "a packet without it would be refused", Do: "write the gate's document at its path, and name every required gate or none"},
	{ID: ruleNotRequired, Contract: "05 §12", Fails: "a gate was named that the inputs do not require",
		Why: "the verifier refuses gates that do not follow from the inputs", Do: "leave it out, or route the request again"},
	{ID: ruleGateTwice, Contract: "05 §12", Fails: "a gate was named twice",
		Why: "of two entries for one gate only one would count", Do: "name each gate once"},
	{ID: ruleExists, Contract: "05 §12", Fails: "there is a packet already",
		Why: "packets are immutable: what was reviewed and closed stays as it was", Do: "verify the packet that is there; another run has another directory or commit"},
	{ID: ruleLimit, Contract: "05 §12", Fails: "the evidence exceeds the bounds of an inventory",
		Why: "a verifier refuses an inventory beyond them", Do: "keep large files outside of the evidence directories and refer to their digests"},
	{ID: ruleSymlink, Contract: "05 §12", Fails: "a symbolic link lies in an evidence directory",
		Why: "what a link leads to can change without the evidence changing", Do: "put the file itself in its place"},
	{ID: ruleSelfCheck, Contract: "05 §12", Eval: verify.Wraps, Fails: "the packet, as it would be written, does not verify",
		Why: "a packet that its verifier refuses is worth nothing, and it could not be replaced", Do: "correct what the causes say; nothing was written"},
}
