package checkpoint

import (
	"finishline/verify"
	"finishline/verify/evidence"
)

// Table holds the rules of checkpoints and of the proofs on them (contract 11,
// section 11).
var Table = verify.NewTable("checkpoint", []verify.Rule{
	{ID: "ext.checkpoint.malformed", Contract: "11 §11.1", Fails: "the checkpoint is no signed note, or its text is not exactly the seven lines", Why: "what it says cannot be told for sure", Do: "get the checkpoint again from whoever signed it, byte for byte"},
	{ID: "ext.checkpoint.signature", Contract: "11 §11.1", Fails: "no signature on the checkpoint verifies under a key that was named as trusted", Why: "anybody can write the text of a checkpoint", Do: "name the verifier key of its signer with --trusted-key, from where you trust it and not from beside the journal"},
	{ID: "ext.checkpoint.run-mismatch", Contract: "11 §11.1", Fails: "the checkpoint is of another run, or of another run directory", Why: "it says nothing about this journal", Do: "give the checkpoint of this run"},
	{ID: "ext.checkpoint.rollback", Contract: "11 §11.1", Fails: "the journal has fewer records than the checkpoint commits to", Why: "records that were signed for are gone", Do: "treat the journal as rolled back or cut, and look for the directory it was before"},
	{ID: "ext.checkpoint.fork", Contract: "11 §11.1", Fails: "the records that the checkpoint commits to are other ones now", Why: "the journal was written anew after it was signed for", Do: "treat the journal as replaced, and look for the one that was signed for"},
	{ID: "ext.checkpoint.config-changed", Contract: "11 §11.1", Fails: "the run has another configuration than the checkpoint commits to", Why: "a configuration never changes once there are records", Do: "treat the run directory as changed"},
	{ID: "ext.checkpoint.chain", Contract: "11 §11.1", Fails: "the checkpoint does not name the one before it, or commits to fewer records", Why: "a checkpoint between them is missing, or they are of two histories", Do: "give all checkpoints of the run, oldest first"},
	{ID: "ext.inclusion.mismatch", Contract: "11 §11.2", Fails: "the proof does not show that the line is the record of that index in the tree of its checkpoint", Why: "the event may never have been in the journal", Do: "ask for the proof again, made by `finishline journal prove` from the journal itself"},
	{ID: "ext.consistency.mismatch", Contract: "11 §11.2", Fails: "the proof does not show that the later checkpoint only added records to the earlier one", Why: "records may have been rewritten between them", Do: "ask for the proof again, made by `finishline journal consistency`; if it cannot be made, the journal was rewritten"},
}, evidence.Table)
