package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/vectors"
)

var updateReadme = flag.Bool("update", false, "write what the commands of the README print into it")

// Everything the README shows in a console block is run, in order, and must
// print exactly what is shown. A command ends with status 0 unless a comment
// says "# exit N". With -update the README is written anew.
func TestReadme(t *testing.T) {
	path := filepath.Join(vectors.ProjectRoot(), "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shell := newReadmeShell(t)
	var out strings.Builder
	inside, commands := false, 0
	for _, line := range strings.SplitAfter(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.HasPrefix(line, "```console")
			out.WriteString(line)
		case !inside:
			out.WriteString(line)
		case strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			out.WriteString(shell.run(strings.TrimSpace(line[2:])))
			commands++
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands are shown", commands)
	}
	if *updateReadme {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), out.String()); diff != "" {
		t.Errorf("the README shows something else than the commands print (go test ./cmd/finishline -run TestReadme -update):\n%s", diff)
	}
}

// A readmeShell runs commands one by one and remembers directory and exports.
type readmeShell struct {
	t   *testing.T
	dir string
	env []string
}

func newReadmeShell(t *testing.T) *readmeShell {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "finishline")); err != nil { // see TestMain
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(vectors.ProjectRoot(), "testdata"), filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	return &readmeShell{t: t, dir: dir, env: env}
}

func (s *readmeShell) run(line string) string {
	command, comment, _ := strings.Cut(line, "  # exit ")
	if dir, ok := strings.CutPrefix(command, "cd "); ok {
		s.dir = filepath.Join(s.dir, dir)
		return ""
	}
	if setting, ok := strings.CutPrefix(command, "export "); ok {
		s.env = append(s.env, setting)
		return ""
	}
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		s.t.Fatalf("%s: %v", command, err)
	}
	want := "0"
	if comment != "" {
		want = comment
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != want {
		s.t.Errorf("%s ended with status %s, not %s:\n%s", command, got, want, out)
	}
	return string(out)
}
