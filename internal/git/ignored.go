package git

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// Ignored tells whether Git ignores a path, which is relative to the target and need not exist: whether [Index.Untracked]
// would leave a file there out. A tracked path is not ignored. A path that starts with ":" is refused, because the command
// reads it as magic. The error is an [*Error].
func (ix *Index) Ignored(ctx context.Context, path string) (bool, error) {
	if strings.HasPrefix(path, ":") {
		return false, malformed("git check-ignore", "path %q", path)
	}
	err := ix.git(ctx, ix.repo.dir, nil, nil, "check-ignore", "--quiet", "--", path)
	var exit *exec.ExitError
	var ge *Error
	if errors.As(err, &ge) && ge.Reason == Failed && errors.As(ge.Err, &exit) && exit.ExitCode() == 1 {
		return false, nil // Git's way to say no
	}
	return err == nil, err
}
