package main

import (
	"errors"
	"fmt"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/verify/gate/scaffold"
	"finishline/verify/gate/workload"
)

type classificationCmds struct {
	New classificationNewCmd `cmd:"" help:"Classify the request of the intake."`
}

type classificationNewCmd struct {
	runFlags
	Texts []string `help:"A JSON document that holds the sentences of the format which the classification needs, such as that of an earlier run. May be repeated." placeholder:"FILE" sep:"none"`
}

func (classificationNewCmd) Help() string {
	return `Writes run/workload-classification.json: what kind of task the intake's request is, how much assurance it needs, and which layers, domain packs and gates apply. All of it follows from the request and the profile. Never overwrites a classification.

A classification of some kinds carries sentences of the format, word for word. finishline knows them by their digests and takes them from the pack, from its example, or from --texts; a file that holds another sentence does not help.

Examples:
  finishline classification new
  finishline classification new --texts ../earlier/run/workload-classification.json services/api`
}

func (c classificationNewCmd) Run(s *session) error {
	sentences, err := example.Documents()
	if err != nil {
		return err
	}
	for _, path := range c.Texts {
		doc, err := s.readDocument(path, canon.MaxDocument)
		if err != nil {
			return err
		}
		sentences = append(sentences, doc.Root)
	}
	return s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) {
		draft, err := p.Classification(sentences, s.now())
		if text, missing := scaffold.IsUnknownText(err); missing {
			return draft, &advisedError{fmt.Sprintf("the request calls for the format's sentence %q (%d bytes, SHA-256 %s), which is not at hand", text.Key, text.Bytes, text.SHA256),
				"give a document that holds it with --texts, such as the classification of an earlier run of this kind"}
		}
		return draft, unknownProfile(err)
	})
}

// unknownProfile makes a usage error of a profile that is none.
func unknownProfile(err error) error {
	if errors.As(err, new(*workload.UnknownProfileError)) {
		return usageError{err}
	}
	return err
}
