package main

import (
	"context"

	"finishline/internal/git"
	"finishline/verify/finish"
)

// gitFlags are the flags of every command that reads a repository.
type gitFlags struct {
	TrustOwner []string `name:"trust-owner" help:"Accept the repository of this directory although it belongs to another user, as in a container job." type:"path" placeholder:"DIR"`
}

// runFlags are the flags of every command that reads a run.
type runFlags struct {
	Dir     string `arg:"" optional:"" default:"." help:"The run's directory, in its repository." type:"path"`
	Runtime string `help:"The pack with scripts, controls and skills. Found by itself unless given: .valdris-harness when it exists, else the run's directory." type:"path" placeholder:"DIR"`
	gitFlags
	outputFlags
	levelFlags
}

// findGit finds the operator's Git. That there is none is for the verifier to
// report, so it comes back beside the zero value.
func (s *session) findGit(flags gitFlags) (git.Program, error) {
	prog, err := git.Find(s.getenv("PATH"))
	if err != nil {
		return prog, err
	}
	return prog.Trusting(flags.TrustOwner...), nil
}

func (s *session) run(flags runFlags) finish.Run {
	prog, err := s.findGit(flags.gitFlags)
	return finish.Run{Dir: flags.Dir, Pack: flags.Runtime, Git: prog, GitErr: err, Pin: s.pin(), Level: flags.level()}
}

// openRepo opens the repository of a directory for the commands that need one.
func (s *session) openRepo(ctx context.Context, flags gitFlags, dir string) (*git.Repo, error) {
	prog, err := s.findGit(flags)
	if err != nil {
		return nil, err
	}
	return git.Open(ctx, prog, dir)
}
