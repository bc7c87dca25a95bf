package git

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// Bounds of contract 03 C.3 on each command. For objects they hold per request.
const (
	// CommandTimeout is the longest a command may take.
	CommandTimeout = 30 * time.Second
	// MaxOutputBytes is the most a command may print; exactly this many bytes are still fine.
	MaxOutputBytes = 64 << 20
)

// limits carries the bounds, so that tests of the bounds need neither 30 s nor 64 MiB.
type limits struct {
	timeout time.Duration
	output  int64
}

// Program is a Git executable with what the operator allows it. Get one from [Find]; the zero value is unusable.
type Program struct {
	path    string
	trusted []string
	limits  limits
}

// Find returns the first executable git in the directories of pathEnv, the operator's PATH. Relative directories are
// skipped: what they name depends on where the evidence lies. The error is an [*Error] with reason [NoProgram].
func Find(pathEnv string) (Program, error) {
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	for _, dir := range filepath.SplitList(pathEnv) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
			continue
		}
		return Program{path: path, limits: limits{CommandTimeout, MaxOutputBytes}}, nil
	}
	return Program{}, &Error{Kind: Unavailable, Reason: NoProgram, Op: "find git",
		Detail: "no executable git in an absolute directory of PATH"}
}

// Path is the absolute path of the executable.
func (p Program) Path() string { return p.path }

// Trusting returns a Program that also accepts a repository whose top level (or Git directory) is one of dirs although
// it belongs to another user: Git's safe.directory, set by the operator for exactly these paths. It changes nothing
// else. Use it only on the operator's explicit word; Git's refusal names the path it wants ([Error.Path]).
func (p Program) Trusting(dirs ...string) Program {
	p.trusted = append(slices.Clone(p.trusted), dirs...)
	return p
}
