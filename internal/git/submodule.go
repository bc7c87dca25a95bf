package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSubmodules is how many populated submodules, nested ones included, are looked into.
const maxSubmodules = 64

// guardSubmodules neutralises the filter drivers that populated submodules configure. Status and diff start a Git in each
// of them, which inherits our pins but would run the programs of the submodule's own configuration.
func (ix *Index) guardSubmodules(ctx context.Context) error {
	links := ix.file.gitlinks()
	if len(links) == 0 {
		return nil
	}
	s := submodules{repo: ix.repo, left: maxSubmodules, drivers: ix.repo.config.filters()}
	if err := s.collect(ctx, ix.repo.place.Top, links); err != nil {
		return err
	}
	slices.Sort(s.drivers)
	s.drivers = slices.Compact(s.drivers)
	var err error
	ix.guard, ix.guards, err = ix.repo.neutralise(ctx, ix.repo.dir, nil, s.drivers)
	return err
}

// submodules gathers the filter drivers of populated submodules.
type submodules struct {
	repo    *Repo
	left    int
	drivers []string
}

func (s *submodules) collect(ctx context.Context, top string, links []string) error {
	for _, link := range links {
		dir := filepath.Join(top, filepath.FromSlash(link))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue // not populated: Git does not look into it
		}
		if s.left--; s.left < 0 {
			return &Error{Kind: Unavailable, Reason: TooLarge, Op: "look into submodules",
				Detail: fmt.Sprintf("more than %d populated submodules", maxSubmodules)}
		}
		if err := s.look(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// look reads the configuration of one submodule and goes on to the submodules in it.
func (s *submodules) look(ctx context.Context, dir string) error {
	env := []string{"GIT_DIR=.git"} // as status and diff call it
	out, err := s.repo.run.output(ctx, invocation{dir: dir, bare: true, env: env,
		args: []string{"config", "--null", "--list", "--includes"}})
	if err != nil {
		return err
	}
	c, err := parseConfig(out)
	if err != nil {
		return err
	}
	s.drivers = append(s.drivers, c.filters()...)
	out, err = s.repo.run.output(ctx, invocation{dir: dir, env: env, args: []string{"ls-files", "-z", "--stage"}})
	if err != nil {
		return err
	}
	links, err := parseGitlinks(string(out))
	if err != nil {
		return err
	}
	return s.collect(ctx, dir, links)
}

// parseGitlinks finds the submodules in the output of "ls-files -z --stage": "<mode> <id> <stage> TAB <path> NUL".
func parseGitlinks(out string) ([]string, error) {
	var links []string
	for record := range strings.SplitSeq(out, "\x00") {
		if record == "" {
			continue
		}
		facts, path, ok := strings.Cut(record, "\t")
		if !ok || len(strings.Fields(facts)) != 3 {
			return nil, malformed("git ls-files", "record %q", record)
		}
		if strings.HasPrefix(facts, ModeGitlink+" ") && plainPath(path, false) {
			links = append(links, path)
		}
	}
	return slices.Compact(links), nil
}
