package proof

import (
	"regexp"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// PortableSchema names the portable proof.
const PortableSchema = "valdris.portable-proof.v1"

const (
	expectDigest     = "64 hexadecimal characters"
	expectIdentifier = "an identifier: 1 to 256 of A-Z a-z 0-9 . _ : / -, the first a letter or digit"
)

// The ways in which a producer may have resolved a command (03 B.1).
var resolutions = []string{"direct", "windows-npm-cli", "windows-pnpm-cli", "windows-yarn-cli"}

// structure is stage 1 of 03 B.7.
func (c check) structure(root canon.Node) {
	if !root.Get("schema").Is(PortableSchema) {
		c.member("proof.schema", root, "schema", verify.Quote(PortableSchema))
	}
	run := root.At("run")
	if !canon.IsIdentifier(run.Get("id")) {
		c.member("proof.run.id", run, "id", expectIdentifier)
	}
	if !commitForm.MatchString(run.Get("commit").Text()) {
		c.member("proof.run.commit", run, "commit", "a full commit id: 40 or 64 hexadecimal digits")
	}
	if !canon.IsIdentifier(run.Get("environment")) {
		c.member("proof.run.environment", run, "environment", expectIdentifier)
	}
	if !root.Has("host") {
		c.member("proof.host", root, "host", "any value that describes the host")
	}
	c.command(root.At("command"))
	c.causalInputs(root.At("causalInputs"))
	c.execution(root.At("execution"))
	c.source(root.At("source"), run.Get("commit"))
}

// commitForm is the object id of a commit, in either of Git's formats and in
// either case.
var commitForm = regexp.MustCompile(`^(?:[A-Fa-f0-9]{40}|[A-Fa-f0-9]{64})$`)

func (c check) command(command canon.Node) {
	argv := argument{valid: true}
	if at, ok := argvDefect(command.At("argv")); ok {
		c.fail("proof.command.argv", at, "a non-empty array of non-empty strings")
		argv.valid = false
	} else {
		argv.list, _ = stringsOf(command.Get("argv"))
	}
	if command.Has("requestedArgv") {
		if at, ok := argvDefect(command.At("requestedArgv")); ok {
			c.fail("proof.command.requested-argv", at, "a non-empty array of non-empty strings, or no such member")
		}
	}
	if !oneOf(command.Get("resolution"), resolutions) {
		c.member("proof.command.resolution", command, "resolution", "one of "+strings.Join(resolutions, ", "))
	}
	c.executionInputs(command.At("executionInputs"), argv)
}

// argvDefect returns what keeps a value from being an argv, if anything.
func argvDefect(argv canon.Node) (defect canon.Node, found bool) {
	if !argv.IsArray() || argv.Len() == 0 {
		return argv, true
	}
	for i, e := range argv.Elems() {
		if e.Text() == "" {
			return element(argv, i), true
		}
	}
	return canon.Node{}, false
}

func oneOf(v canon.Value, list []string) bool {
	for _, s := range list {
		if v.Is(s) {
			return true
		}
	}
	return false
}
