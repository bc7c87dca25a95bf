package main

import (
	"fmt"
	"io"
	"path/filepath"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/verify/finish"
	"finishline/verify/readiness"
)

type readinessCmds struct {
	Verify  readinessVerifyCmd  `cmd:"" help:"Verify an assessment of production readiness."`
	Status  readinessStatusCmd  `cmd:"" help:"Show what each production layer owes, and what goes stale first."`
	New     readinessNewCmd     `cmd:"" help:"Write a skeleton of an assessment for a routed run."`
	Migrate readinessMigrateCmd `cmd:"" help:"Write a skeleton of a current assessment from a historical one."`
}

// assessmentFlags say where an assessment and its basis lie.
type assessmentFlags struct {
	Assessment     string `help:"The assessment, relative to the run's directory." default:"production/layer-assessment.json" placeholder:"PATH"`
	Classification string `help:"The workload classification, relative to the run's directory." default:"run/workload-classification.json" placeholder:"PATH"`
}

type readinessVerifyCmd struct {
	runFlags
	assessmentFlags
	Catalog    string `help:"A control catalog to judge by instead of the embedded one." placeholder:"FILE"`
	Historical bool   `help:"Accept a historical assessment (v1), which shows far less and closes no run."`
}

func (readinessVerifyCmd) Help() string {
	return `A pass says that every required layer has all its controls with evidence of the right kind, bound to this run and fresh when the assessment was written. The clock and the commit that is checked out are looked at by finishline verify.

Examples:
  finishline readiness verify
  finishline readiness verify --catalog controls/production-controls.v2.json
  finishline readiness verify --historical --assessment production/2024.json`
}

func (c readinessVerifyCmd) Run(s *session) error {
	opt := finish.ReadinessOptions{Path: c.Assessment, Classification: c.Classification, Catalog: c.Catalog}
	if c.Historical {
		opt.Legacy = readiness.LegacyAllowed
	}
	report, err := finish.Readiness(s.ctx, s.run(c.runFlags), opt)
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}

type readinessNewCmd struct {
	Dir            string `arg:"" optional:"" default:"." help:"The run's directory." type:"path"`
	Classification string `help:"The workload classification, relative to the run's directory." default:"run/workload-classification.json" placeholder:"PATH"`
	Route          string `help:"The route, relative to the run's directory." default:"run/route.json" placeholder:"PATH"`
	outFlags
	outputFlags
}

// outFlags say where a document that was made goes.
type outFlags struct {
	Out string `short:"o" help:"Write the document to this new file instead of standard output." type:"path" placeholder:"FILE"`
}

func (readinessNewCmd) Help() string {
	return `The skeleton is bound to the run's classification and lists the thirteen layers with their controls. It claims nothing: every status is pending and no control has evidence, so that it is refused until a person has filled it in.

Examples:
  finishline readiness new
  finishline readiness new --out production/layer-assessment.json
  finishline readiness new services/api`
}

func (c readinessNewCmd) Run(s *session) error {
	basis, err := s.readinessBasis(c.Dir, c.Classification, c.Route)
	if err != nil {
		return err
	}
	skeleton, err := readiness.New(*basis)
	if err != nil {
		return err
	}
	return s.emit(c.outFlags, c.outputFlags, skeleton)
}

type readinessMigrateCmd struct {
	Assessment     string `arg:"" help:"A historical assessment (v1); - reads standard input."`
	Dir            string `help:"Bind the skeleton to the run in this directory; blank without." type:"path" placeholder:"DIR"`
	Classification string `help:"The workload classification, relative to the run's directory." default:"run/workload-classification.json" placeholder:"PATH"`
	Route          string `help:"The route, relative to the run's directory." default:"run/route.json" placeholder:"PATH"`
	outFlags
	outputFlags
}

func (readinessMigrateCmd) Help() string {
	return `A historical assessment names no run, commit, control or typed evidence, so nothing that it called passed is carried over as passed. Its entries are kept beside the layers for whoever fills the skeleton in.

Examples:
  finishline readiness migrate production/2024.json
  finishline readiness migrate --dir . --out production/layer-assessment.json production/2024.json`
}

func (c readinessMigrateCmd) Run(s *session) error {
	doc, err := s.readDocument(c.Assessment, canon.MaxDocument)
	if err != nil {
		return err
	}
	var basis *readiness.Basis
	if c.Dir != "" {
		if basis, err = s.readinessBasis(c.Dir, c.Classification, c.Route); err != nil {
			return err
		}
	}
	skeleton, err := readiness.Migrate(doc.Root, basis)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Assessment, err)
	}
	return s.emit(c.outFlags, c.outputFlags, skeleton)
}

// readinessBasis reads what a skeleton is bound to.
func (s *session) readinessBasis(dir, classification, route string) (*readiness.Basis, error) {
	path := filepath.Join(dir, classification)
	data, err := s.readInput(path)
	if err != nil {
		return nil, err
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	routed, err := s.readDocument(filepath.Join(dir, route), canon.MaxDocument)
	if err != nil {
		return nil, err
	}
	return &readiness.Basis{Route: routed.Root, Classification: doc.Root, ClassificationSHA256: canon.SHA256(data)}, nil
}

// emit prints a document that was made, or writes it to a new file.
func (s *session) emit(out outFlags, flags outputFlags, doc canon.Value) error {
	if out.Out == "" {
		return s.print(flags, doc, func(w io.Writer) { w.Write(canon.Pretty(doc)) })
	}
	if err := atomicfile.Create(out.Out, canon.Pretty(doc)); err != nil {
		return err
	}
	value := canon.Build(canon.Member{Name: "written", Value: canon.NewString(out.Out)})
	return s.print(flags, value, func(w io.Writer) { fmt.Fprintf(w, "wrote %s\n", out.Out) })
}
