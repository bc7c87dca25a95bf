package pack_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"finishline/internal/git"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
)

func BenchmarkBind(b *testing.B) {
	for name, as := range shapes {
		s := newScratch(b, as, 60)
		b.Run(name, func(b *testing.B) {
			l := openDirs(b, s.Dir, "")
			for b.Loop() {
				if bound, out := l.bind(verify.Strict, s.commit, s.pin); bound == nil {
					b.Fatal(texts(out))
				}
			}
		})
		// What a caller pays who looks with a repository opened anew.
		b.Run(name+"-opened-anew", func(b *testing.B) {
			l := openDirs(b, s.Dir, "")
			program, err := git.Find(os.Getenv("PATH"))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				repo, err := git.Open(b.Context(), program, s.Dir)
				if err != nil {
					b.Fatal(err)
				}
				bound, out := pack.Bind(context.Background(), pack.Input{
					Target: l.root, Pack: l.pack, Repo: repo, Commit: s.commit, Pin: review.ParsePin(s.pin), Level: verify.Strict})
				if bound == nil {
					b.Fatal(texts(out))
				}
				repo.Close()
			}
		})
		b.Run(name+"-git-status", func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command("git", "status", "--porcelain")
				cmd.Dir, cmd.Env = s.Dir, s.Env()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
