package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

const (
	crashAt   = "FINISHLINE_TEST_CRASH_AT"
	crashPath = "FINISHLINE_TEST_CRASH_PATH"
	crashHow  = "FINISHLINE_TEST_CRASH_HOW"
)

var content = bytes.Repeat([]byte("complete\n"), 1000)

// A child of the test writes a file and is killed at a step.
func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(crashAt)); err == nil {
		name := os.Rename
		if os.Getenv(crashHow) == "create" {
			name = link
		}
		write(os.Getenv(crashPath), content, Perm, name, func(s step) {
			if int(s) == at {
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
				select {}
			}
		})
		os.Exit(3) // out of reach
	}
	os.Exit(m.Run())
}

func TestACrashLeavesTheTargetWhole(t *testing.T) {
	for _, how := range []string{"create", "replace"} {
		for at := stepCreated; at <= stepDone; at++ {
			path := filepath.Join(t.TempDir(), "target")
			if how == "replace" {
				if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), crashAt+"="+strconv.Itoa(int(at)), crashPath+"="+path, crashHow+"="+how)
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() == 3 {
				t.Fatalf("%s: not killed at step %d: %v", how, at, err)
			}
			data, err := os.ReadFile(path)
			switch named := at >= stepNamed; {
			case named && !bytes.Equal(data, content):
				t.Errorf("%s killed at step %d: %d bytes, want the whole file (%v)", how, at, len(data), err)
			case !named && how == "create" && !errors.Is(err, fs.ErrNotExist):
				t.Errorf("create killed at step %d: the target is there", at)
			case !named && how == "replace" && string(data) != "old":
				t.Errorf("replace killed at step %d: the target is %q", at, data)
			}
		}
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target")
	if err := Create(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, []byte("second")); !errors.Is(err, ErrExists) || !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if err := os.Symlink("nowhere", path+".link"); err != nil {
		t.Fatal(err)
	}
	if err := Create(path+".link", nil); !errors.Is(err, ErrExists) {
		t.Errorf("a dangling link was written through or over: %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "first" {
		t.Errorf("the target is %q", data)
	}
	if err := Replace(path, []byte("second")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d entries are left, want the target and the link: %v", len(entries), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != Perm {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestPrivateFilesAreTheirOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := CreatePrivate(path, content); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != PermPrivate {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := CreatePrivate(path, content); !errors.Is(err, ErrExists) {
		t.Errorf("a second time: %v", err)
	}
}
