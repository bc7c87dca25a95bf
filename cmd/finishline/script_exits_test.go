package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A reportReader knows the published form of reports.
type reportReader struct{ schema *jsonschema.Schema }

// exits runs a command that must end with a status. Every report in JSON has its
// published form, whatever the script looks for in it.
func (r reportReader) exits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	command := args[1:]
	if ts.Getenv(asNobody) != "" {
		command = append([]string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}, command...)
	}
	err := ts.Exec(command[0], command[1:]...)
	got := 0
	if err != nil {
		got = -1
		var exit interface{ ExitCode() int }
		if errors.As(err, &exit) {
			got = exit.ExitCode()
		}
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("%s ended with status %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
	if strings.Contains(strings.Join(command, " ")+" ", "--format json ") {
		r.check(ts, ts.ReadFile("stdout"))
	}
}

// check holds what a command printed, a document a line, against the form.
// Commands that give no verdict print documents of their own.
func (r reportReader) check(ts *testscript.TestScript, printed string) {
	for line := range strings.Lines(printed) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			ts.Fatalf("--format json printed %q: %v", line, err)
		}
		if report, ok := value.(map[string]any); !ok || report["schema"] != "finishline.report.v1" {
			continue
		}
		ts.Check(r.schema.Validate(value))
	}
}
