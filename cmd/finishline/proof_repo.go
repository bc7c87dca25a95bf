package main

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// againstRepo compares a portable proof with the repository of --repo (03 B.8),
// a refused one as well. One that names no commit or no source state says
// nothing that could be compared.
func (c proofVerifyCmd) againstRepo(s *session, p *proof.Portable, report *verify.Report) (*verify.Findings, error) {
	out := source.Table.Collect(c.level())
	if p.Run().Commit == "" || !p.Value().Get("source").IsObject() {
		report.Notes = append(report.Notes, "not compared with the repository: the proof has no commit or no source block")
		return out, nil
	}
	repo, err := s.openRepo(s.ctx, c.gitFlags, c.Repo)
	if err != nil {
		source.AddUnavailable(out, c.Proof, err)
	} else {
		defer repo.Close()
		source.CheckProof(s.ctx, out, source.Target{Repo: repo}, c.Proof, canon.Node{Value: p.Value()})
	}
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	report.Checked = append(report.Checked, verify.Checked{
		Verifier: source.Table.Name, Rules: source.Table.Count(c.level()), Artifacts: report.Checked[0].Artifacts,
	})
	return out, nil
}
