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
	New     reviewNewCmd     `cmd:"" help:"Start the review of a run, bound to the run as it is now."`
	Sign    reviewSignCmd    `cmd:"" help:"Sign a review."`
	Payload reviewPayloadCmd `cmd:"" help:"Show the bytes that a review's signature covers, or write them for a signer elsewhere."`
	Attach  reviewAttachCmd  `cmd:"" help:"Put a signature that was made elsewhere into a review."`
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
	Review             string   `arg:"" optional:"" default:"review/review.json" help:"A review; - reads standard input."`
	Out                string   `help:"Settle key and time of signing in the review, and write the bytes to sign into this new file, outside of the run's directory." placeholder:"FILE"`
	KeyID              string   `name:"key-id" help:"With --out: the key that will sign, by its name in the trust store. Found by itself when only one may." placeholder:"ID"`
	Dir                string   `help:"With --out: the run's directory, which REVIEW is relative to." default:"." type:"path" placeholder:"DIR"`
	StandAlone         bool     `name:"stand-alone" help:"With --out: do not check that the review is bound to the run as it is now."`
	AcceptNotEvaluated []string `name:"accept-not-evaluated" help:"With --out: accept that this gate of the run was not evaluated." placeholder:"GATE"`
	gitFlags
	outputFlags
	levelFlags
}

func (reviewPayloadCmd) Help() string {
	return `Prints the canonical payload, its digest, and the members that no signature covers. With --format json the payload is the text of one member.

With --out, for a key on a machine without network: verifies everything but the signature, writes name of the key and time of signing into the review, and the bytes to sign into a file. Run again, it writes the same bytes. finishline review attach brings the signature back.

Examples:
  finishline review payload
  finishline review payload --format json review/review.json
  finishline review payload --out /media/stick/payload`
}

// reviewFileFlags are those of the commands that sign.
func (c reviewPayloadCmd) reviewFileFlags() reviewFileFlags {
	return reviewFileFlags{reviewRunFlags: reviewRunFlags{Dir: c.Dir, AcceptNotEvaluated: c.AcceptNotEvaluated, gitFlags: c.gitFlags}, Review: c.Review, StandAlone: c.StandAlone}
}

func (c reviewPayloadCmd) Run(s *session) error {
	if c.Out != "" {
		if c.Base {
			return usagef("--base does not go with --out: nothing is signed that strict level refuses")
		}
		return c.writePayload(s)
	}
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
