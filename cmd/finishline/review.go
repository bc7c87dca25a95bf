package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/review"
	"finishline/verify/finish"
)

type reviewCmds struct {
	Verify  reviewVerifyCmd  `cmd:"" help:"Verify a signed review by itself."`
	Payload reviewPayloadCmd `cmd:"" help:"Show the bytes that a review's signature covers."`
}

type reviewVerifyCmd struct {
	runFlags
	Review     string `help:"The review, relative to the run's directory." default:"review/review.json" placeholder:"PATH"`
	TrustStore string `name:"trust-store" help:"Where the trust store lies, relative to the run's directory; any other place than the canonical one is refused." placeholder:"PATH"`
}

func (reviewVerifyCmd) Help() string {
	return `A pass says that an authorised, pinned key signed these statements about files that are there. That the evidence bundle and the runtime are the run's own is checked with the packet.

Examples:
  finishline review verify
  finishline review verify --review review/second.json services/api`
}

func (c reviewVerifyCmd) Run(s *session) error {
	report, err := finish.Review(s.ctx, s.run(c.runFlags), finish.ReviewOptions{Path: c.Review, TrustStore: c.TrustStore})
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}

type reviewPayloadCmd struct {
	Review string `arg:"" optional:"" default:"review/review.json" help:"A review; - reads standard input."`
	outputFlags
	levelFlags
}

func (reviewPayloadCmd) Help() string {
	return `Prints the canonical payload, its digest, and the members that no signature covers. With --format json the payload is the text of one member.

Examples:
  finishline review payload
  finishline review payload --format json review/review.json`
}

func (c reviewPayloadCmd) Run(s *session) error {
	doc, err := s.readDocument(c.Review, canon.MaxReview)
	if err != nil {
		return err
	}
	if !doc.Root.IsObject() {
		return fmt.Errorf("%s: %s, not a review", c.Review, doc.Root.Kind())
	}
	absent := review.AbsentMembers(doc.Root)
	if len(absent) > 0 && !c.Base {
		return fmt.Errorf("%s: the payload lacks %s, so its bytes are no JSON (strict.canon.absent-member); --base prints them all the same", c.Review, absent[0])
	}
	payload, unsigned := review.PayloadBytes(doc.Root), review.Unsigned(doc.Root)
	value := canon.Build(
		canon.Member{Name: "payload", Value: canon.NewString(string(payload))},
		canon.Member{Name: "payloadSha256", Value: canon.NewString(canon.SHA256(payload))},
		canon.Member{Name: "unsigned", Value: stringList(unsigned)},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\n", payload)
		fmt.Fprintf(w, "payload digest  %s\n", canon.SHA256(payload))
		for _, pointer := range unsigned {
			fmt.Fprintf(w, "not signed      %s\n", pointer)
		}
	})
}

func stringList(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, text := range list {
		values[i] = canon.NewString(text)
	}
	return canon.NewArray(values...)
}
