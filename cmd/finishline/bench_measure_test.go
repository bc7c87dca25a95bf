//go:build bench

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// measured is what a command took.
type measured struct {
	Wall, Work time.Duration // by the clock, and of the processors
	Memory     int64         // peak, in bytes
	Code       int           // exit status
}

// measure runs a command to its end in a directory ("" for this one) and tells
// what it took. A small process starts it, because the peak that the system
// tells of a process is never below what its parent had in memory, and the
// parents here have made large runs. okCodes are the statuses that are no
// trouble; 0 alone unless given.
func measure(t *testing.T, dir string, env, args []string, okCodes ...int) measured {
	t.Helper()
	result := filepath.Join(t.TempDir(), "measured.json")
	starter, err := exec.LookPath("measure") // see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(starter, append([]string{result}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	data, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var m measured
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	if m.Code != 0 && !slices.Contains(okCodes, m.Code) {
		t.Fatalf("%v ended with status %d:\n%s", args, m.Code, out)
	}
	return m
}

func init() {
	programs["measure"] = func() {
		if err := measureCommand(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func measureCommand(result string, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	m := measured{Wall: time.Since(start)}
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err
	}
	m.Code, m.Work = cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	m.Memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(result, data, 0o644)
}
