package packet

import (
	"path/filepath"
	"slices"
	"testing"

	"finishline/canon"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

// A scene is a repository of the vectors, free to be changed.
type scene struct {
	*runrepo.Run
	t  testing.TB
	in Input
}

// sceneOf builds the repository of a case of the vectors that is valid.
func sceneOf(t testing.TB, bases *runrepo.Bases, name string) *scene {
	t.Helper()
	c := runrepo.Read(t, filepath.Join(vectors.Dir(t, "packet"), name+".json"))
	s := &scene{Run: bases.Build(t, c), t: t}
	s.in = inputOf(t, s.Run, verify.Base)
	s.in.Delegates = answers(c)
	return s
}

func (s *scene) repo() *gittest.Repo { return s.Run.Repo }

// write writes a file of the target.
func (s *scene) write(path, text string) {
	s.t.Helper()
	s.repo().Write(filepath.ToSlash(filepath.Join(s.Target, path)), []byte(text), 0o644)
}

func (s *scene) packet() canon.Value {
	s.t.Helper()
	return parse(s.t, s.repo().Read(filepath.ToSlash(filepath.Join(s.Target, DefaultPath))))
}

// set replaces one value of the packet.
func (s *scene) set(pointer string, v canon.Value) {
	s.t.Helper()
	doc, err := casefile.Edit(s.packet(), "replace", pointer, v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(DefaultPath, string(runrepo.Indented(doc)))
}

// verify looks anew, whatever was looked at before.
func (s *scene) verify() *Outcome {
	s.t.Helper()
	in := s.in
	in.Target = s.in.Target.Fresh()
	o, err := Verify(s.t.Context(), in)
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}

// valid demands a pass: the positive control of a test.
func (s *scene) valid() *Outcome {
	s.t.Helper()
	o := s.verify()
	if !o.Result.Valid {
		s.t.Fatalf("the untouched run does not verify\n%s", shown(o))
	}
	return o
}

func errorsOf(o *Outcome) []string { return verify.RuleIDs(o.Findings, verify.Error) }

func has(o *Outcome, rule string) bool {
	return slices.ContainsFunc(o.Findings, func(f verify.Finding) bool { return f.Rule == rule })
}
