package main

import (
	"testing"

	"finishline/canon"
)

// An entry that is not as it should be must not silently take its file out of
// the scan.
func TestLedgerEntries(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"path":"a","required":true}`:                                         true,
		`{"path":"a","required":false,"skipped":true,"evidenceArtifact":"b"}`:  true,
		`{"path":"a","required":true,"skipped":false,"evidenceArtifact":null}`: true,
		`{"path":"a"}`:                                      false,
		`{"path":"a","required":"true"}`:                    false,
		`{"path":"a","required":true,"skipped":1}`:          false,
		`{"path":"a","required":true,"skipped":null}`:       false,
		`{"path":"a","required":true,"evidenceArtifact":3}`: false,
		`{"required":true}`:                                 false,
		`"a"`:                                               false,
	} {
		doc, err := canon.Read([]byte(text), canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		if _, wrong := ledgerEntry(doc.Root); (wrong == "") != ok {
			t.Errorf("%s: %q", text, wrong)
		}
	}
}
