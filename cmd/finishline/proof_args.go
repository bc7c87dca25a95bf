package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"finishline/privacy/secret"
)

// A mistake in the arguments of proof run must not print what may be a secret:
// an argument of the command that lost its --, or the value of an option. The
// parser of the other commands names what it does not understand, so these
// arguments are looked at before it sees them (03 D.1).

// proofRunArgs returns the arguments for the parser. Those of any command but
// proof run come back as they are.
func proofRunArgs(app *kong.Application, args []string) ([]string, error) {
	if len(args) < 2 || args[0] != "proof" || args[1] != "run" {
		return args, nil
	}
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	options := args[2:end]
	if slices.Contains(options, "--help") || slices.Contains(options, "-h") {
		return []string{"proof", "run", "--help"}, nil
	}
	scan := argScan{flags: flagsOf(app, "proof", "run"), given: map[string]bool{}}
	for len(options) > 0 {
		used, err := scan.option(options[0], options[1:])
		if err != nil {
			return nil, err
		}
		options = options[used:]
	}
	if end >= len(args)-1 {
		return nil, errors.New("the command is missing: write -- and then the program and its arguments")
	}
	return args, nil
}

func flagsOf(app *kong.Application, path ...string) map[string]*kong.Flag {
	node := app.Node
	for _, name := range path {
		for _, child := range node.Children {
			if child.Name == name {
				node = child
				break
			}
		}
	}
	flags := map[string]*kong.Flag{}
	for _, f := range node.Flags {
		flags["--"+f.Name] = f
		if f.Short != 0 {
			flags["-"+string(f.Short)] = f
		}
	}
	return flags
}

type argScan struct {
	flags map[string]*kong.Flag
	given map[string]bool
}

// option checks one option and returns how many arguments it takes.
func (s argScan) option(arg string, rest []string) (used int, err error) {
	name, value, joined := strings.Cut(arg, "=")
	flag, known := s.flags[name]
	switch {
	case !known:
		return 0, unknownOption(arg)
	case s.given[flag.Name] && !flag.IsCumulative():
		return 0, fmt.Errorf("%s is given twice", name)
	case flag.IsBool() && joined:
		return 0, fmt.Errorf("%s takes no value", name)
	}
	s.given[flag.Name] = true
	if flag.IsBool() {
		return 1, nil
	}
	used = 1
	if !joined && len(rest) > 0 {
		used, value = 2, rest[0]
	}
	if value == "" || strings.HasPrefix(value, "-") {
		return 0, fmt.Errorf("%s needs a value, which does not start with -", name)
	}
	return used, nil
}

var optionName = regexp.MustCompile(`^--[A-Za-z][A-Za-z0-9_.-]{0,127}`)

func unknownOption(arg string) error {
	if name := optionName.FindString(arg); name != "" && secret.Mask(name) == name {
		return fmt.Errorf("unknown option %s", name)
	}
	return errors.New("there is an argument that is no option; options come first, then --, then the command")
}
