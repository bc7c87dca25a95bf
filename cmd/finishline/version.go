package main

import (
	"fmt"
	"io"
	"runtime"

	"finishline/canon"
)

// version is the version of the module, as NEWS.md tells it.
const version = "0.1.0"

type versionCmd struct {
	outputFlags
}

func (versionCmd) Help() string {
	return `Examples:
  finishline version
  finishline version --format json`
}

func (c versionCmd) Run(s *session) error {
	value := canon.Build(
		canon.Member{Name: "name", Value: canon.NewString("finishline")},
		canon.Member{Name: "version", Value: canon.NewString(version)},
		canon.Member{Name: "go", Value: canon.NewString(runtime.Version())},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "finishline %s (%s)\n", version, runtime.Version())
	})
}
