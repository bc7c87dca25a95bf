package produce

import (
	"time"

	"finishline/canon"
	"finishline/internal/git"
)

// A System is what a producer may know of the world.
type System struct {
	// Dir is where commands run and artifact paths start: for [Run] the
	// target, a directory in a Git work tree.
	Dir     string
	Environ []string // NAME=value, of this process
	Now     func() time.Time
	Exec    Executor

	// Git, Validator and Host are for [Run] only.
	Git       git.Program
	Validator string // SHA-256 of the producing program's file
	Host      Host

	// Watch is told how far a producer is; nil when nobody looks.
	Watch func(Progress)
}

// Progress says that a producer has started an attempt or a command.
type Progress struct {
	Number, Of int // from 1
}

func (s System) started(number, of int) {
	if s.Watch != nil {
		s.Watch(Progress{Number: number, Of: of})
	}
}

// A Host describes the machine of a proof (03 B.1).
type Host struct {
	Platform string // linux, darwin, win32, ...
	Arch     string // x64, arm64, ...
	CI       bool
	Producer string // name and version of the program
}

func (h Host) value() canon.Value {
	return canon.Build(text("platform", h.Platform), text("arch", h.Arch), flag("ci", h.CI), text("producer", h.Producer))
}

// stamp is a time as documents have it: UTC, with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// HostOf describes a platform by the names that the format uses, which are
// Node's.
func HostOf(goos, goarch, producer string, getenv func(string) string) Host {
	return Host{
		Platform: named(goos, map[string]string{"windows": "win32"}),
		Arch:     named(goarch, map[string]string{"amd64": "x64", "386": "ia32"}),
		CI:       onCI(getenv),
		Producer: producer,
	}
}

func named(name string, other map[string]string) string {
	if n, ok := other[name]; ok {
		return n
	}
	return name
}

// onCI goes by the two variables that continuous integration sets.
func onCI(getenv func(string) string) bool {
	for _, name := range []string{"CI", "GITHUB_ACTIONS"} {
		if v := canon.LowerASCII(getenv(name)); v != "" && v != "false" && v != "0" {
			return true
		}
	}
	return false
}
