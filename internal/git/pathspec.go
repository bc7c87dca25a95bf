package git

import (
	"runtime"
	"slices"
	"strings"
)

// Pathspec says which paths an operation of an [Index] is about. The zero value means none.
type Pathspec struct {
	below bool     // everything below the target, but for the paths in items
	items []string // relative to the target when below, else to the top level
}

// Below is everything below the target directory: "-- ." run there.
func Below() Pathspec { return Pathspec{below: true} }

// BelowExcept is everything below the target directory except the given paths (relative to it) and what is below them:
// "-- . :(exclude,literal)path ..." run there.
func BelowExcept(paths ...string) Pathspec {
	return Pathspec{below: true, items: slices.Clone(paths)}
}

// Literal is exactly the given paths, relative to the top level of the work tree, and what is below them. No paths means
// nothing at all, not everything.
func Literal(paths ...string) Pathspec {
	return Pathspec{items: slices.Clone(paths)}
}

// matcher gives the test whether a path, relative to the top level, is meant; prefix is the target's raw prefix.
func (s Pathspec) matcher(prefix string) func(path string) bool {
	items := make(map[string]bool, len(s.items))
	for _, item := range s.items {
		if s.below {
			item = prefix + item
		}
		items[strings.TrimSuffix(item, "/")] = true
	}
	listed := func(path string) bool { // the path or a directory above it
		for at := len(path); at > 0; at = strings.LastIndexByte(path[:at], '/') {
			if items[path[:at]] {
				return true
			}
		}
		return false
	}
	if s.below {
		return func(path string) bool { return strings.HasPrefix(path, prefix) && !listed(path) }
	}
	return listed
}

// maxPathspecBytes bounds the pathspec of one command, far below what the platforms allow for a command line.
func maxPathspecBytes() int {
	if runtime.GOOS == "windows" {
		return 16 << 10
	}
	return 96 << 10
}

// commands splits the pathspec into arguments for one or more commands: global options before the subcommand, and
// everything from "--" on.
func (s Pathspec) commands() (global []string, pathspecs [][]string) {
	if s.below {
		args := []string{"--", "."}
		for _, p := range s.items {
			args = append(args, ":(exclude,literal)"+p)
		}
		return nil, [][]string{args}
	}
	size := 0
	for _, p := range s.items {
		if len(pathspecs) == 0 || size+len(p) > maxPathspecBytes() {
			pathspecs, size = append(pathspecs, []string{"--"}), 0
		}
		last := len(pathspecs) - 1
		pathspecs[last] = append(pathspecs[last], p)
		size += len(p) + 1
	}
	return []string{"--literal-pathspecs"}, pathspecs
}
