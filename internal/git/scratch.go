package git

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// Commit is what Scratch records besides the files.
type Commit struct {
	Message string
	Name    string // of author and committer
	Email   string
	Time    time.Time
}

// Scratch makes a repository of the directory dir, which must be in no repository yet, commits every file that lies in
// it, and returns the id of the commit. The same files and the same Commit give the same id on every machine. It is for
// throw-away repositories that the caller made himself, such as the example of the demonstration: it is the one function
// of this package that writes, and evidence must never be handed to it.
func Scratch(ctx context.Context, prog Program, dir string, c Commit) (id string, err error) {
	run, err := newRunner(prog)
	if err != nil {
		return "", fmt.Errorf("make a scratch repository: %w", err)
	}
	defer os.RemoveAll(run.private)
	when := fmt.Sprintf("%d +0000", c.Time.Unix())
	who := []string{
		"GIT_AUTHOR_NAME=" + c.Name, "GIT_AUTHOR_EMAIL=" + c.Email, "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=" + c.Name, "GIT_COMMITTER_EMAIL=" + c.Email, "GIT_COMMITTER_DATE=" + when,
	}
	for _, args := range [][]string{
		{"init", "-q", "--template=", "--object-format=sha1", "--initial-branch=main"},
		{"add", "--all", "--force", "."},
		{"commit", "-q", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--message=" + c.Message},
	} {
		if err := run.run(ctx, invocation{dir: dir, env: who, args: args}); err != nil {
			return "", fmt.Errorf("make a scratch repository: %w", err)
		}
	}
	out, err := run.output(ctx, invocation{dir: dir, args: []string{"rev-parse", "--verify", "HEAD"}})
	if err != nil {
		return "", fmt.Errorf("make a scratch repository: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
