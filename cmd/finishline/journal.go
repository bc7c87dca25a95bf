package main

// journalCmds are the commands about journals: the bridge's authenticated
// store, the Harness v2 journal, the HUX event stream and the mailbox. Signed
// checkpoints are in journal_checkpoint.go.
type journalCmds struct {
	journalCheckpointCmds
}
