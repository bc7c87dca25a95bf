package produce

import (
	"errors"
	"strings"
	"testing"

	"finishline/verify/proof"
)

func validOptions() Options {
	return Options{
		RunID: "docs-7", Environment: "local", Commit: strings.Repeat("a", 40), Output: "proof/portable.json",
		TimeoutMs: 1, Repeat: 1, MaxOutputBytes: 256, Mode: proof.ModeGreen, Argv: []string{"true"},
	}
}

// Every mistake names its option and shows no value.
func TestMistakesInOptions(t *testing.T) {
	const value = "hunter2" // never in a message
	if err := validOptions().check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		option, words string
		change        func(*Options)
	}{
		{"--run-id", "is required", func(o *Options) { o.RunID = "" }},
		{"--run-id", "letters, digits", func(o *Options) { o.RunID = value + " " }},
		{"--run-id", "reads like a secret", func(o *Options) { o.RunID = "tok" + "en:" + value }},
		{"--environment", "is required", func(o *Options) { o.Environment = "" }},
		{"--environment", "letters, digits", func(o *Options) { o.Environment = "-" + value }},
		{"--commit", "is required", func(o *Options) { o.Commit = "" }},
		{"--commit", "40 or 64", func(o *Options) { o.Commit = value }},
		{"--commit", "40 or 64", func(o *Options) { o.Commit = strings.Repeat("a", 41) }},
		{"--output", "is required", func(o *Options) { o.Output = "" }},
		{"--output", "path.parent-traversal", func(o *Options) { o.Output = "../" + value }},
		{"--timeout-ms", "1 to 600000", func(o *Options) { o.TimeoutMs = 0 }},
		{"--timeout-ms", "1 to 600000", func(o *Options) { o.TimeoutMs = 600_001 }},
		{"--repeat", "1 to 20", func(o *Options) { o.Repeat = 21 }},
		{"--max-output-bytes", "256 to 1048576", func(o *Options) { o.MaxOutputBytes = 255 }},
		{"--max-output-bytes", "256 to 1048576", func(o *Options) { o.MaxOutputBytes = 1<<20 + 1 }},
		{"the mode", "green or red-baseline", func(o *Options) { o.Mode = value }},
		{"--causal-input", "path.not-relative", func(o *Options) { o.CausalInputs = []string{"/" + value} }},
		{"--causal-input", "twice", func(o *Options) { o.CausalInputs = []string{value, value} }},
		{"--causal-input", "reads like a secret", func(o *Options) { o.CausalInputs = []string{"tok" + "en=" + value} }},
		{"--pass-env", "name of a variable", func(o *Options) { o.PassEnv = []string{"A=" + value} }},
		{"--pass-env", "name of a variable", func(o *Options) { o.PassEnv = []string{""} }},
		{"--pass-env", "name of a variable", func(o *Options) { o.PassEnv = []string{"STRAßE"} }},
		{"--redact-env", "name of a variable", func(o *Options) { o.RedactEnv = []string{value + "\n"} }},
		{"after --", "is missing", func(o *Options) { o.Argv = nil }},
		{"after --", "empty argument, number 1", func(o *Options) { o.Argv = []string{value, ""} }},
		{"after --", "no UTF-8, number 2", func(o *Options) { o.Argv = []string{"a", "b", value + "\xff"} }},
		{"after --", "NUL byte", func(o *Options) { o.Argv = []string{value + "\x00"} }},
		{"after --", "without a value", func(o *Options) { o.Argv = []string{"tool", value, "--password"} }},
		{"after --", "without a value", func(o *Options) { o.Argv = []string{"tool", "--token", "-v", value} }},
		{"after --", "without a value", func(o *Options) { o.Argv = []string{"tool", "--api-key=", value} }},
	} {
		o := validOptions()
		c.change(&o)
		err := o.check()
		var oe *OptionError
		if !errors.As(err, &oe) || !strings.Contains(oe.Option, c.option) || !strings.Contains(oe.Reason, c.words) {
			t.Errorf("%+v: %v, want %s ... %s", o, err, c.option, c.words)
		} else if strings.Contains(err.Error(), value) {
			t.Errorf("%q shows the value", err)
		}
	}
}

func TestMistakesInWriteOptions(t *testing.T) {
	for _, c := range []struct {
		words string
		opts  WriteOptions
	}{
		{"--run-id must be", WriteOptions{RunID: "a b", Output: "p.json", Commands: []string{"true"}}},
		{"--summary must be", WriteOptions{Summary: " ", Output: "p.json", Commands: []string{"true"}}},
		{"--summary must be", WriteOptions{Summary: "pass" + "word=x", Output: "p.json", Commands: []string{"true"}}},
		{"--output is required", WriteOptions{Commands: []string{"true"}}},
		{"the command is missing", WriteOptions{Output: "p.json"}},
		{"has an empty argument", WriteOptions{Output: "p.json", Commands: []string{"true", ""}}},
		{"is blank", WriteOptions{Output: "p.json", Commands: []string{" \n"}}},
	} {
		if err := c.opts.check(); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%+v: %v, want %s", c.opts, err, c.words)
		}
	}
}
