package git

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// Git starts a pager only on a terminal, so the control needs one; this package never gives Git one, and pins the pager
// besides.
func TestNoPager(t *testing.T) {
	prog, canary := canaryProgram(t, t.TempDir())
	r := sample(t)
	for _, key := range []string{"core.pager", "pager.status", "pager.diff", "pager.config", "pager.log", "pager.ls-files", "pager.cat-file"} {
		r.Git("config", key, prog)
	}
	exercise(t, r.Dir)
	if exists(canary) {
		t.Fatal("the repository's pager ran")
	}

	master, slave := terminal(t)
	go io.Copy(io.Discard, master) // what Git prints must not block it
	path, err := exec.LookPath("git")
	must(t, err)
	cmd := exec.Command(path, "log")
	cmd.Dir, cmd.Env = r.Dir, append(r.Env(), "TERM=dumb")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	err = cmd.Run()
	if !exists(canary) {
		t.Fatalf("control: plain git log on a terminal did not start the pager: %v", err)
	}
}

// terminal opens a pseudo-terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { master.Close() })
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}
