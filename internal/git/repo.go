package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Repo is the repository of one target directory. Its methods may be called from several goroutines.
type Repo struct {
	run    *runner
	dir    string // the target, symbolic links resolved
	place  Place
	format string            // "sha1" or "sha256"
	paths  map[string]string // answers to --git-path, absolute
	config *config
	guard  []string // "-c" arguments that neutralise every configured filter driver
	guards []string // environment that does the same where -c cannot (see neutralise)
	batch  batch
	cache  objectCache

	mu      sync.Mutex
	indexes int // private index copies made so far, for their names
}

// Place is where a directory lies in its work tree.
type Place struct {
	Top       string // absolute path of the work tree's top level, symbolic links resolved
	RawPrefix string // what "rev-parse --show-prefix" prints: "" at the top, else "sub/dir/"
}

// Prefix is the normalised prefix of contract 03 C.1 step 4 and 06 section 1: "\" becomes "/", leading "./" and trailing
// "/" go; "" at the top. Whether the result is acceptable is the caller's rule.
func (p Place) Prefix() string {
	s := strings.ReplaceAll(p.RawPrefix, `\`, "/")
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	return strings.TrimRight(s, "/")
}

// Files of the Git directory whose place Git is asked for.
const (
	pathIndex   = "index"
	pathGrafts  = "info/grafts"
	pathExclude = "info/exclude"
)

// Open finds the repository whose work tree holds the directory dir, resolving symbolic links of dir first, and reads
// its facts and its effective configuration (contract 03, C.1 step 1 and E.2). The error is an [*Error]: kind
// [NotWorktree] when Git says that dir is in no work tree, kind [Unavailable] for everything else, "no repository at
// all" included. Close the Repo when done.
func Open(ctx context.Context, prog Program, dir string) (*Repo, error) {
	const op = "open repository"
	if prog.path == "" {
		return nil, &Error{Kind: Unavailable, Reason: NoProgram, Op: op}
	}
	dir, err := realDir(dir)
	if err != nil {
		return nil, &Error{Kind: Unavailable, Reason: NoDirectory, Op: op, Detail: printable(err.Error()), Err: err}
	}
	run, err := newRunner(prog)
	if err != nil {
		return nil, &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: printable(err.Error()), Err: err}
	}
	r := &Repo{run: run, dir: dir}
	r.batch.start = r.startBatch
	if err := r.readFacts(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// realDir is the absolute path of an existing directory with its symbolic links resolved.
func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	return dir, err
}

// newRunner prepares the private directory: an empty home, and the operator's trust if there is any.
func newRunner(prog Program) (*runner, error) {
	private, err := os.MkdirTemp("", "finishline-git-")
	if err != nil {
		return nil, err
	}
	home, global := filepath.Join(private, "home"), os.DevNull
	if err = os.Mkdir(home, 0o700); err == nil && len(prog.trusted) > 0 {
		global = filepath.Join(private, "trusted.config")
		err = os.WriteFile(global, trustConfig(prog.trusted), 0o600)
	}
	if err != nil {
		os.RemoveAll(private)
		return nil, err
	}
	return &runner{
		program: prog.path, limits: prog.limits, private: private,
		env: environment(prog.path, home, global),
	}, nil
}

// trustConfig is a configuration file with one safe.directory per path, as given and with symbolic links resolved. It
// is a file because older Git reads the setting from nowhere else.
func trustConfig(dirs []string) []byte {
	var b strings.Builder
	b.WriteString("[safe]\n")
	for _, dir := range dirs {
		names := []string{dir}
		if abs, err := filepath.Abs(dir); err == nil {
			names = append(names, abs)
			if real, err := filepath.EvalSymlinks(abs); err == nil {
				names = append(names, real)
			}
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if name == "*" || strings.HasSuffix(name, "/*") {
				continue // Git would read a wildcard where the operator named a path
			}
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(filepath.ToSlash(name))
			b.WriteString("\tdirectory = \"" + quoted + "\"\n")
		}
	}
	return []byte(b.String())
}

// readFacts asks for everything that stays the same while the Repo is open.
func (r *Repo) readFacts(ctx context.Context) error {
	var configured []byte
	group, gctx := errgroup.WithContext(ctx)
	var facts []string
	group.Go(func() (err error) {
		facts, err = r.revParse(gctx, r.dir, []string{"--is-inside-work-tree"}, []string{"--show-object-format"},
			[]string{"--show-cdup"}, []string{"--show-prefix"},
			[]string{"--git-path", pathIndex}, []string{"--git-path", pathGrafts}, []string{"--git-path", pathExclude})
		return err
	})
	// In no repository both fail; rev-parse has the better words, so its error is preferred below.
	var configErr error
	group.Go(func() error {
		// Without the pins: they would show up as configured. Reading a configuration runs nothing.
		configured, configErr = r.run.output(ctx, invocation{dir: r.dir, bare: true,
			args: []string{"config", "--null", "--list", "--includes"}})
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if configErr != nil {
		return configErr
	}
	r.format = facts[1]
	if r.format != "sha1" && r.format != "sha256" {
		return malformed("git rev-parse", "object format %s", facts[1])
	}
	var err error
	if r.place, err = placeOf(r.dir, facts[2], facts[3]); err != nil {
		return err
	}
	r.paths = map[string]string{
		pathIndex: r.absolute(facts[4]), pathGrafts: r.absolute(facts[5]), pathExclude: r.absolute(facts[6]),
	}
	if r.config, err = parseConfig(configured); err != nil {
		return err
	}
	if err := r.checkApart(); err != nil {
		return err
	}
	r.guard, r.guards, err = r.neutralise(ctx, r.dir, nil, r.config.filters())
	return err
}

// checkApart refuses a set-up in which the repository could supply our program, or in which our private files would
// be part of the work tree.
func (r *Repo) checkApart() error {
	program, err := filepath.EvalSymlinks(r.run.program)
	if err != nil {
		program = r.run.program
	}
	private, err := filepath.EvalSymlinks(r.run.private)
	if err != nil {
		private = r.run.private
	}
	detail := ""
	switch {
	case within(r.place.Top, r.run.program), within(r.place.Top, program):
		detail = "the git program lies inside the repository under verification"
	case within(r.place.Top, private):
		detail = "the directory for temporary files lies inside the repository under verification"
	default:
		return nil
	}
	return &Error{Kind: Unavailable, Reason: Unsafe, Op: "open repository", Detail: detail}
}

// within tells whether path is dir or below it; both are absolute.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// absolute turns an answer of rev-parse, relative to the target, into an absolute path.
func (r *Repo) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}

// revParse asks several questions in one process. Answers are one line each; when the number of lines says that one of
// them holds a line end, each question gets its own process, where only the final line end is not part of the answer.
func (r *Repo) revParse(ctx context.Context, dir string, questions ...[]string) ([]string, error) {
	out, err := r.run.output(ctx, invocation{dir: dir, args: slices.Concat([]string{"rev-parse"}, slices.Concat(questions...))})
	var failed *Error
	if errors.As(err, &failed) && failed.Reason != Failed {
		return nil, err
	}
	// Git answers the first question even where it then fails, as in a bare repository.
	if first, _, ok := strings.Cut(string(out), "\n"); ok && strings.TrimSuffix(first, "\r") != "true" {
		return nil, &Error{Kind: NotWorktree, Op: "git rev-parse"}
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) != len(questions)+1 || lines[len(questions)] != "" {
		lines = lines[:0]
		for _, q := range questions {
			out, err := r.run.output(ctx, invocation{dir: dir, args: append([]string{"rev-parse"}, q...)})
			if err != nil {
				return nil, err
			}
			lines = append(lines, string(out))
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
	}
	return lines[:len(questions)], nil
}

// placeOf derives the top level from the way up ("../../"), which unlike the top level's name holds no line end.
func placeOf(dir, up, prefix string) (Place, error) {
	if strings.Trim(up, "./") != "" || strings.Count(up, "../")*3 != len(up) {
		return Place{}, malformed("git rev-parse", "way to the top level %q", up)
	}
	return Place{Top: filepath.Join(dir, filepath.FromSlash(up)), RawPrefix: prefix}, nil
}

// Locate finds the place of another directory, possibly of another work tree, at the moment of the call. dir may be
// relative to the target. Errors as [Open].
func (r *Repo) Locate(ctx context.Context, dir string) (Place, error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.dir, dir)
	}
	dir, err := realDir(dir)
	if err != nil {
		return Place{}, &Error{Kind: Unavailable, Reason: NoDirectory, Op: "locate directory", Detail: printable(err.Error()), Err: err}
	}
	facts, err := r.revParse(ctx, dir, []string{"--is-inside-work-tree"}, []string{"--show-cdup"}, []string{"--show-prefix"})
	if err != nil {
		return Place{}, err
	}
	return placeOf(dir, facts[1], facts[2])
}

// Close ends the batch process and removes the private files.
func (r *Repo) Close() error {
	r.batch.close()
	return os.RemoveAll(r.run.private)
}

// Dir is the target directory with its symbolic links resolved.
func (r *Repo) Dir() string { return r.dir }

// Place is where the target lies.
func (r *Repo) Place() Place { return r.place }

// Top is the absolute path of the work tree's top level.
func (r *Repo) Top() string { return r.place.Top }

// Prefix is the target's normalised prefix; see [Place.Prefix].
func (r *Repo) Prefix() string { return r.place.Prefix() }

// ObjectFormat is "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

// IDLen is the number of hexadecimal digits of an object id: 40 or 64.
func (r *Repo) IDLen() int {
	if r.format == "sha256" {
		return 64
	}
	return 40
}

// Config returns the effective value (the last one) of a configuration key as the repository sets it: local, worktree
// and included files; user and system configuration are never read. Section and variable of key are lower-case, as in
// "core.worktree". A key without "=" has the value "true".
func (r *Repo) Config(key string) (string, bool) { return r.config.last(key) }
