package git

import (
	"path/filepath"
	"runtime"
)

// pins are the settings that every command gets with -c: the table of contract 03 C.4 and the list of E.2. They win
// over every configuration file, so nothing the repository, the user or the system configures for these keys counts.
//
// Four are ours. Switching them off changes no byte for an honest repository. The first three read something in .git that
// an adversary can forge and that Git does not verify:
//   - core.commitGraph: the file may name another tree for HEAD's commit.
//   - index.threads: more than one thread takes the place of extensions from the index file itself.
//   - core.splitIndex: a split index is joined (see Index.unsplit), never written.
//   - index.sparse: to collapse directories of the index in memory, status writes their trees into the object database.
func pins() []string {
	fileMode, symlinks, ignoreCase, precompose := "true", "true", "false", "false"
	switch runtime.GOOS {
	case "windows":
		fileMode, symlinks, ignoreCase = "false", "false", "true"
	case "darwin":
		ignoreCase, precompose = "true", "true"
	}
	settings := []string{
		// bytes of status and diff (C.4)
		"core.quotePath=true",
		"diff.renames=true", "status.renames=true",
		"diff.renameLimit=1000", "status.renameLimit=1000",
		"diff.suppressBlankEmpty=false",
		"core.looseCompression=1", "core.bigFileThreshold=512m",
		"core.fileMode=" + fileMode, "core.symlinks=" + symlinks,
		"core.ignoreCase=" + ignoreCase, "core.precomposeUnicode=" + precompose,
		"core.autocrlf=false", "core.eol=lf", "core.safecrlf=false",
		"core.excludesFile=/dev/null", "core.attributesFile=/dev/null",
		"core.fsmonitor=false", "core.untrackedCache=false",
		"core.checkStat=default", "core.trustctime=true", "core.ignoreStat=false",
		// programs and network (E.2)
		"core.hooksPath=/dev/null", "core.pager=cat", "core.askPass=", "core.sshCommand=false",
		"credential.helper=", "protocol.allow=never", "gc.auto=0", "maintenance.auto=false",
		// forgeable caches, and a write
		"core.commitGraph=false", "index.threads=1", "core.splitIndex=false", "index.sparse=false",
	}
	args := make([]string, 0, 2*len(settings))
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

// diffFlags are the pins of contract 03 C.4 that exist only as options of diff.
var diffFlags = []string{
	"--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
	"--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0",
	"--diff-algorithm=default", "--indent-heuristic", "-O/dev/null",
	// Both say what Git does by default; given as options they also win over submodule.<name>.ignore.
	"--submodule=short", "--ignore-submodules=untracked",
}

// statusFlags are the options of contract 03 C.1 S, and the default that wins over submodule.<name>.ignore.
var statusFlags = []string{"--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none"}

// environment is the whole environment of a command (contract 03 E.2). home is an empty directory, globalConfig the
// null device or the file that holds the operator's safe.directory.
func environment(program, home, globalConfig string) []string {
	path := "/usr/bin:/bin"
	if runtime.GOOS == "windows" {
		path = filepath.Dir(program)
	}
	return []string{
		"PATH=" + path, "LC_ALL=C", "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + globalConfig, "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat",
	}
}
