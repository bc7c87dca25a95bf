package schemas

// HarnessJournal is the schema of the records of a Harness v2 journal, with the
// rule of contract 20 that a violation fires as x-rule.
func HarnessJournal() []byte {
	data, _ := files.ReadFile("harness-v2-journal-events.schema.json")
	return data
}

// HarnessJournalOriginal is the same schema as its owner wrote it, which is
// normative (contract 20).
func HarnessJournalOriginal() []byte {
	data, _ := files.ReadFile("journal-events.schema.json")
	return data
}
