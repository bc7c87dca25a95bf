package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/proof"
	"finishline/verify/proof/produce"
)

type proofRunCmd struct {
	RunID          string   `name:"run-id" required:"" help:"The run that the proof is of." placeholder:"ID"`
	Environment    string   `required:"" help:"The environment it runs in, such as local or ci." placeholder:"NAME"`
	Commit         string   `required:"" help:"The commit that is proved, in full; HEAD must be it." placeholder:"ID"`
	Output         string   `required:"" help:"Where the proof is written, below the target. It must not exist." placeholder:"PATH"`
	Repo           string   `help:"The target, a directory in a Git work tree, where the command runs." default:"." placeholder:"DIR" type:"path"`
	TimeoutMs      string   `name:"timeout-ms" help:"How long an attempt may take, 1 to 600000." default:"30000" placeholder:"N"`
	Repeat         string   `help:"How many attempts, 1 to 20. All must do the same." default:"1" placeholder:"N"`
	MaxOutputBytes string   `name:"max-output-bytes" help:"How much of each output is kept, 256 to 1048576." default:"16384" placeholder:"N"`
	RedBaseline    bool     `name:"red-baseline" help:"The command must fail: it shows what a fix is for."`
	CausalInput    []string `name:"causal-input" help:"A file whose content the proof binds, relative to the target. May be repeated." placeholder:"PATH" sep:"none"`
	PassEnv        []string `name:"pass-env" help:"A variable that the command gets beside the usual ones; its value is redacted. May be repeated." placeholder:"NAME" sep:"none"`
	RedactEnv      []string `name:"redact-env" help:"A variable whose value is redacted. May be repeated." placeholder:"NAME" sep:"none"`
	Quiet          bool     `short:"q" help:"Print nothing; the exit status is the answer."`
	gitFlags
	Command []string `arg:"" help:"After --: the program and its arguments. No shell is involved."`
}

func (proofRunCmd) Help() string {
	return `Runs a command and writes a portable proof (valdris.portable-proof.v1) of what it did, redacted and bounded. A run that failed is written too. Standard output is {ok, status, artifact, bindings} as JSON.

The command gets an empty standard input and only the usual variables (PATH, HOME, LANG, TMPDIR and the like); name others with --pass-env. It runs in a process group of its own, which is ended at the time limit.

A proof anywhere but at proof/portable.json becomes part of the application that later proofs and packets describe: commit it, or let Git ignore it.

Exit status: 0 the command did what it should, 1 it did not, 2 nothing was written.

Examples:
  finishline proof run --run-id docs-2026-11 --environment ci --commit "$(git rev-parse HEAD)" --output proof/portable.json -- go test ./...
  finishline proof run --run-id fix-41 --environment local --commit "$(git rev-parse HEAD)" --output proof/red.json --red-baseline --repeat 3 --causal-input tide/tide_test.go -- go test ./tide`
}

func (c proofRunCmd) Run(s *session) error {
	opts, err := c.options()
	if err != nil {
		return usageError{err}
	}
	prog, err := s.findGit(c.gitFlags)
	if err != nil {
		return err
	}
	validator, err := fileSHA256(s.executable)
	if err != nil {
		return fmt.Errorf("digest of this program: %w", err)
	}
	system := s.producer(c.Repo)
	system.Git, system.Validator = prog, validator
	system.Host = produce.HostOf(runtime.GOOS, runtime.GOARCH, "finishline "+version, s.getenv)
	meter := s.meter("attempt", c.Quiet)
	system.Watch = meter.watch
	result, err := produce.Run(s.ctx, system, opts)
	meter.stop()
	if err != nil {
		return asUsage(err)
	}
	if !result.Outcome.Successful {
		s.exit = verify.Fail.ExitCode()
	}
	if c.Quiet {
		return nil
	}
	if _, err := s.stdout.Write(canon.Pretty(result.Value())); err != nil {
		return err
	}
	if !result.Outcome.Successful {
		fmt.Fprintf(s.stderr, "finishline: %s\n  hint: what the command printed is in %s%s\n", outcomeText(result), result.Artifact, raise(result.Ending))
	}
	return nil
}

// outcomeText says why a run was no success.
func outcomeText(r *produce.Result) string {
	switch r.Outcome.Status {
	case proof.Flaky:
		return fmt.Sprintf("the command is flaky: its %d attempts did not all do the same", r.Attempts)
	case proof.SourceMutated:
		return "the command changed files that Git sees"
	case proof.UnexpectedGreen:
		return "the command did not fail by its exit code in every attempt, as a red baseline must"
	}
	return fmt.Sprintf("the command did not succeed (%s): %s", r.Outcome.Status, r.Ending)
}

// raise names the option of the bound that ended a command.
func raise(ending string) string {
	switch code, _, _ := strings.Cut(ending, ":"); code {
	case "ETIMEDOUT":
		return "; --timeout-ms gives it more time"
	case "ENOBUFS":
		return "; four times --max-output-bytes is captured, at least 1 MiB"
	}
	return ""
}

func (c proofRunCmd) options() (produce.Options, error) {
	opts := produce.Options{
		RunID: c.RunID, Environment: c.Environment, Commit: c.Commit, Output: c.Output, Mode: proof.ModeGreen,
		CausalInputs: c.CausalInput, PassEnv: c.PassEnv, RedactEnv: c.RedactEnv, Argv: c.Command,
	}
	if c.RedBaseline {
		opts.Mode = proof.ModeRedBaseline
	}
	for _, n := range []struct {
		option, text string
		value        *int
	}{
		{"--timeout-ms", c.TimeoutMs, &opts.TimeoutMs}, {"--repeat", c.Repeat, &opts.Repeat},
		{"--max-output-bytes", c.MaxOutputBytes, &opts.MaxOutputBytes},
	} {
		if !decimal.MatchString(n.text) {
			return opts, &produce.OptionError{Option: n.option, Reason: "must be a whole number, written in decimal digits"}
		}
		*n.value, _ = strconv.Atoi(n.text)
	}
	return opts, nil
}

// decimal numbers are short enough for any int.
var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)

// producer is what every producer of a proof may know.
func (s *session) producer(dir string) produce.System {
	return produce.System{Dir: dir, Environ: s.environ(), Now: s.now, Exec: produce.Exec}
}

// asUsage tells the mistakes in an invocation from what went wrong.
func asUsage(err error) error {
	if errors.As(err, new(*produce.OptionError)) {
		return usageError{err}
	}
	return err
}

func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
