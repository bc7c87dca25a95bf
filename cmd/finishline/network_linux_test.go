package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"finishline/internal/example"
	"finishline/internal/git"
)

// The program opens no network socket, ever. Two tests show it: it does not
// link what could, and a kernel filter that kills whoever asks for an internet
// socket does not kill it, nor the Git that it runs.

func TestNoHTTPIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Fatalf("only %d packages are listed", len(deps))
	}
	for _, dep := range deps {
		if dep == "net/http" || dep == "crypto/tls" || strings.HasPrefix(dep, "net/http/") {
			t.Errorf("finishline links %s", dep)
		}
	}
}

// sealed is set in the environment of a child of the test that installs the
// filter and then becomes the command in its arguments, or dials.
const sealed = "FINISHLINE_TEST_SEALED"

func init() {
	switch os.Getenv(sealed) {
	case "exec":
		sealInternet()
		err := syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
		panic(err)
	case "dial":
		sealInternet()
		_, err := net.Dial("udp", "127.0.0.1:9")
		panic(err) // out of reach: the filter killed us
	}
}

// sealInternet makes the kernel kill this thread's process, and whatever it
// becomes or starts, when it asks for an AF_INET or AF_INET6 socket.
func sealInternet() {
	runtime.LockOSThread()
	const (
		offsetNumber = 0  // of the system call, in struct seccomp_data
		offsetDomain = 16 // low half of its first argument, little endian
	)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offsetNumber},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: 4},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offsetDomain},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AF_INET, Jt: 1},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AF_INET6, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		panic(err)
	}
}

func sealedCommand(t *testing.T, how string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), sealed+"="+how)
	return cmd
}

// sealedBinary builds the program, where the kernel filter works.
func sealedBinary(t *testing.T) string {
	t.Helper()
	control := sealedCommand(t, "dial")
	err := control.Run()
	if status, ok := control.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || status.Signal() != syscall.SIGSYS {
		t.Skipf("the kernel filter does not work here: %v", err)
	}
	binary := t.TempDir() + "/finishline"
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

func TestVerifyingAsksForNoInternetSocket(t *testing.T) {
	binary := sealedBinary(t)
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := example.Materialise(context.Background(), prog, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"packet", "verify", run.Dir}, {"packet", "inspect", run.Dir}, {"review", "verify", run.Dir},
		{"runtime", "bind", run.Dir}, {"demo"}, {"rules"},
	} {
		var open, shut bytes.Buffer
		plain := exec.Command(binary, args...)
		plain.Env = append(os.Environ(), envPin+"="+run.Pin)
		plain.Stdout = &open
		if err := plain.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, open.Bytes())
		}
		cmd := sealedCommand(t, "exec", append([]string{binary}, args...)...)
		cmd.Env = append(cmd.Env, envPin+"="+run.Pin)
		cmd.Stdout = &shut
		if err := cmd.Run(); err != nil {
			t.Errorf("%v under the filter: %v", args, err)
		}
		if open.Len() == 0 || !bytes.Equal(open.Bytes(), shut.Bytes()) {
			t.Errorf("%v prints something else under the filter:\n%s\n---\n%s", args, open.Bytes(), shut.Bytes())
		}
	}
}
