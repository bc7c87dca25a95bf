package produce

import (
	"context"
	"fmt"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// A snapshot is the state of the target at one moment (03 D.2, steps 2 and 6).
type snapshot struct {
	tracked, application *source.State
	causal               []string // digests, in the order of the options
}

// look takes a snapshot with a repository and a root of its own, so that nothing
// is remembered from an earlier one.
func (s System) look(ctx context.Context, opts Options) (snapshot, error) {
	repo, err := git.Open(ctx, s.Git, s.Dir)
	if err != nil {
		return snapshot{}, source.AsError(err)
	}
	defer repo.Close()
	root, err := evidence.Open(s.Dir)
	if err != nil {
		return snapshot{}, err
	}
	defer root.Close()
	var shot snapshot
	for _, path := range opts.CausalInputs {
		digest, err := causalDigest(root, path)
		if err != nil {
			return snapshot{}, err
		}
		shot.causal = append(shot.causal, digest)
	}
	shot.tracked, shot.application, err = source.Both(ctx, source.Target{Repo: repo, Files: root}, opts.Commit, s.Validator)
	if err != nil {
		return snapshot{}, err
	}
	return shot, nil
}

func causalDigest(root *evidence.Root, path string) (string, error) {
	res, refErr := root.PlainFile(path)
	if refErr != nil {
		return "", fmt.Errorf("--causal-input %s: %s", path, refErr.Reason)
	}
	digest, err := root.DigestResolved(res)
	if err != nil {
		return "", fmt.Errorf("--causal-input %s: %w", path, err)
	}
	return digest.SHA256, nil
}

// sourceBlock is the source member of a proof (03 B.4).
func sourceBlock(before, after snapshot) canon.Value {
	t0, t1, a0, a1 := before.tracked, after.tracked, before.application, after.application
	return canon.Build(
		text("gitHead", t0.Commit),
		text("targetPath", t0.TargetPath),
		text("gitTreeSha256", t0.TreeSHA256()),
		text("beforeSha256", t0.SHA256()),
		text("afterSha256", t1.SHA256()),
		flag("dirtyBefore", t0.Dirty),
		flag("dirtyAfter", t1.Dirty),
		flag("stable", t0.SHA256() == t1.SHA256()),
		text("applicationBeforeSha256", a0.SHA256()),
		text("applicationAfterSha256", a1.SHA256()),
		flag("applicationStable", a0.SHA256() == a1.SHA256()),
		text("validatorSha256", t0.ValidatorSHA256),
	)
}

// sameTarget demands one target path in all four states.
func sameTarget(before, after snapshot) error {
	want := before.tracked.TargetPath
	for _, s := range []*source.State{before.application, after.tracked, after.application} {
		if s.TargetPath != want {
			return &Refusal{Reason: "the place of the target in its repository changed while the command ran"}
		}
	}
	return nil
}
