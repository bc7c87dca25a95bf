package produce

import (
	"context"
	"os"
	"slices"
	"strconv"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/proof"
)

// A Result is what was produced.
type Result struct {
	Artifact string // path relative to the directory, with /
	Outcome  proof.Outcome
	Bindings proof.Bindings
	Attempts int
	// Ending says how the first attempt that did not succeed ended, for people;
	// "" when all did.
	Ending string
}

// Value is the report of contract 03, D.5.
func (r *Result) Value() canon.Value {
	return canon.Build(
		flag("ok", r.Outcome.Successful),
		text("status", string(r.Outcome.Status)),
		text("artifact", r.Artifact),
		member("bindings", r.Bindings.Value()),
	)
}

// Run runs a command as contract 03, part D, says and writes its portable proof.
// A run that did not succeed is written as well; Result.Outcome tells. The error
// is an [*OptionError] for wrong options, else a [*Refusal]; then nothing was
// written.
func Run(ctx context.Context, sys System, opts Options) (*Result, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	environ := variables(sys.Environ)
	r := redactorOf(environ, opts.PassEnv, opts.RedactEnv, opts.Argv)
	if err := r.openly(opts); err != nil {
		return nil, err
	}
	result, err := sys.run(ctx, opts, environ, r)
	return result, r.refusal(ctx, err)
}

func (s System) run(ctx context.Context, opts Options, environ []variable, r redactor) (*Result, error) {
	target, err := openOutput(s.Dir, opts.Output)
	if err != nil {
		return nil, err
	}
	s.Dir = target.dir
	before, err := s.look(ctx, opts)
	if err != nil {
		return nil, err
	}
	command, argv, err := s.command(opts, environ, r)
	if err != nil {
		return nil, err
	}
	attempts, ending, err := s.attempts(ctx, opts, Command{
		Argv: argv, Dir: s.Dir, Env: childEnvironment(environ, opts.PassEnv), Timeout: opts.timeout(),
	}, r)
	if err != nil {
		return nil, err
	}
	after, err := s.look(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := sameTarget(before, after); err != nil {
		return nil, err
	}
	doc := s.document(opts, command, attempts, before, after)
	data, err := checked(doc, target.path)
	if err != nil {
		return nil, err
	}
	if err := target.create(data); err != nil {
		return nil, err
	}
	return &Result{
		Artifact: target.path, Attempts: len(attempts), Ending: ending,
		Outcome:  proof.DeriveOutcome(doc.Get("execution"), doc.Get("source")),
		Bindings: proof.DeriveBindings(doc),
	}, nil
}

// openly refuses options that show the value of a secret variable: they stand in
// the proof as they are.
func (r redactor) openly(opts Options) error {
	for _, shown := range []struct {
		option string
		values []string
	}{
		{"--run-id", []string{opts.RunID}}, {"--environment", []string{opts.Environment}},
		{"--output", []string{opts.Output}}, {"--causal-input", opts.CausalInputs},
	} {
		if slices.ContainsFunc(shown.values, r.discloses) {
			return wrong(shown.option, "holds the value of a secret, and would stand in the proof")
		}
	}
	return nil
}

// command is the command member of the proof (03 B.1), and the argv that is run.
func (s System) command(opts Options, environ []variable, r redactor) (canon.Value, []string, error) {
	argv, resolution, err := resolve(opts.Argv, s.Host.Platform, pathOf(environ), isFile)
	if err != nil {
		return canon.Value{}, nil, err
	}
	shown, ok := r.argv(argv)
	requested, okRequested := r.argv(opts.Argv)
	if !ok || !okRequested {
		return canon.Value{}, nil, &Refusal{Reason: "the command cannot be redacted: " + proof.ErrArgvMalformed.Error()}
	}
	inputs, err := proof.DeriveExecutionInputs(shown, opts.PassEnv, allowedSHA256(environ))
	if err != nil {
		return canon.Value{}, nil, err
	}
	return canon.Build(
		member("argv", list(shown)),
		member("requestedArgv", list(requested)),
		text("resolution", resolution),
		member("executionInputs", inputs.Value()),
	), argv, nil
}

// pathOf is the PATH, by whichever case Windows spells it in.
func pathOf(environ []variable) string {
	path := ""
	for _, v := range environ {
		if v.in([]string{"path"}) {
			path = v.value
		}
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// attempts runs the command as often as asked (03 D.2, step 5). It stops when the
// proof can only become larger than a proof may be.
func (s System) attempts(ctx context.Context, opts Options, c Command, r redactor) (list []canon.Value, ending string, err error) {
	size := 0
	for i := range opts.Repeat {
		s.started(i+1, opts.Repeat)
		stdout, stderr := &capture{limit: captureLimit(opts.MaxOutputBytes)}, &capture{limit: captureLimit(opts.MaxOutputBytes)}
		c.Stdout, c.Stderr = stdout, stderr
		start := s.Now()
		e, err := s.Exec(ctx, c)
		if err != nil {
			return nil, "", err
		}
		took := s.Now().Sub(start)
		e.Failure = r.text(e.Failure)
		out, errOut := r.bound(stdout, e.Cut, opts.MaxOutputBytes), r.bound(stderr, e.Cut, opts.MaxOutputBytes)
		if size += out.jsonSize() + errOut.jsonSize(); size > canon.MaxSubject {
			return nil, "", tooLarge()
		}
		list = append(list, attempt(i+1, e, took, out, errOut))
		if ending == "" {
			ending = e.ending()
		}
	}
	return list, ending, nil
}

// ending describes an end other than exit code 0.
func (e Execution) ending() string {
	switch {
	case e.Failure != "":
		return e.Failure
	case e.Signal != "":
		return "ended by " + e.Signal
	case e.Code != 0:
		return "exit code " + strconv.Itoa(e.Code)
	}
	return ""
}

// attempt is one attempt of a proof (03 B.1).
func attempt(index int, e Execution, took time.Duration, stdout, stderr stream) canon.Value {
	exit := canon.NewNull()
	if e.Exited {
		exit = canon.NewNumber(float64(e.Code))
	}
	return canon.Build(
		count("index", index),
		member("exitCode", exit),
		optional("signal", e.Signal),
		flag("timedOut", e.TimedOut),
		optional("spawnError", e.Failure),
		count("durationMs", int(max(0, took.Milliseconds()))),
		member("stdout", stdout.value()),
		member("stderr", stderr.value()),
	)
}

// document puts a proof together and derives what follows from the rest.
func (s System) document(opts Options, command canon.Value, attempts []canon.Value, before, after snapshot) canon.Value {
	doc := canon.Build(
		text("schema", proof.PortableSchema),
		text("generatedAt", stamp(s.Now())),
		member("run", canon.Build(text("id", opts.RunID), text("commit", opts.Commit), text("environment", opts.Environment))),
		member("host", s.Host.value()),
		member("source", sourceBlock(before, after)),
		member("causalInputs", causalInputs(opts.CausalInputs, before, after)),
		member("command", command),
		member("execution", canon.Build(
			flag("shell", false),
			text("mode", opts.Mode),
			count("timeoutMs", opts.TimeoutMs),
			count("repeat", opts.Repeat),
			count("maxOutputBytes", opts.MaxOutputBytes),
			member("attempts", canon.NewArray(attempts...)),
		)),
	)
	doc = canon.With(doc, "outcome", proof.DeriveOutcome(doc.Get("execution"), doc.Get("source")).Value())
	return canon.With(doc, "bindings", proof.DeriveBindings(doc).Value())
}

// causalInputs lists the inputs by path (03 B.3).
func causalInputs(paths []string, before, after snapshot) canon.Value {
	type input struct{ path, before, after string }
	inputs := make([]input, len(paths))
	for i, path := range paths {
		inputs[i] = input{path, before.causal[i], after.causal[i]}
	}
	slices.SortFunc(inputs, func(a, b input) int { return canon.CompareUTF16(a.path, b.path) })
	values := make([]canon.Value, len(inputs))
	for i, in := range inputs {
		values[i] = canon.Build(text("path", in.path), text("beforeSha256", in.before), text("afterSha256", in.after))
	}
	return canon.NewArray(values...)
}

// checked is the text of a proof, which its verifier has accepted at strict
// level.
func checked(doc canon.Value, path string) ([]byte, error) {
	data := canon.Pretty(doc)
	if len(data) > canon.MaxSubject {
		return nil, tooLarge()
	}
	if _, findings := proof.ReadPortable(data, path, verify.Strict); findings.Errors() > 0 {
		return nil, invalid("the proof", findings.List())
	}
	return data, nil
}

func tooLarge() error {
	return &Refusal{
		Reason: "the proof would be larger than 64 MiB (json.size)",
		Advice: "take a smaller --max-output-bytes or fewer repetitions",
	}
}
