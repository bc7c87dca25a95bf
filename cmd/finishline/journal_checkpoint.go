package main

// journalCheckpointCmds are the commands about signed checkpoints of a bridge's
// journal (contract 11, section 11).
type journalCheckpointCmds struct{}
