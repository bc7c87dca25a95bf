package main

import (
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/privacy"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
	"finishline/verify/gate"
	"finishline/verify/journal/bridgeevent"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/event"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/hux"
	"finishline/verify/journal/mailbox"
	"finishline/verify/journal/store"
	"finishline/verify/proof"
	"finishline/verify/rca"
	"finishline/verify/source"
)

// tables are the rule tables of every verifier of the program.
func tables() []*verify.Table {
	list := []*verify.Table{
		evidence.Table, evidence.Typed, evidence.Waivers, review.TrustTable, review.Table, proof.UASHTable, proof.Table,
		event.Table, store.Table, checkpoint.Table, harness.Table, hux.Table, mailbox.Table, bridgeevent.Table,
		source.Table, rca.Table, pack.Table, packet.Table, packet.CreateTable, finish.AggregateTable, finish.BindingTable, finish.PrivacyTable, privacy.Table,
	}
	return append(list, gate.Tables()...)
}

func registry() (*verify.Registry, error) { return verify.NewRegistry(tables()...) }
