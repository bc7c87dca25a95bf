package scaffold_test

import (
	"os"
	"path/filepath"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify/gate/scaffold"
)

// Whatever intake, classification and route say, nothing panics, and what is
// not refused is a complete document or one that its gate refuses for what is
// open.
func FuzzDraftsOfHostileInputs(f *testing.F) {
	fixtures := filepath.Join(vectors.Dir(f, "gates"), "_fixtures")
	for _, run := range []string{"docs", "orrery", "proto"} {
		var seed [3][]byte
		for i, name := range []string{"run/intake.json", "run/workload-classification.json", "run/route.json"} {
			data, err := os.ReadFile(filepath.Join(fixtures, run, name))
			must(f, err)
			seed[i] = data
		}
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Add([]byte(`{"requestText":1,"stoppingConditions":[null,{"a":1}]}`), []byte(`{"domainPacks":["mobile-ios","../x",7,null],"materialUnknowns":[null]}`), []byte(`{"productionLayers":{}}`))
	f.Fuzz(func(t *testing.T, intake, classification, route []byte) {
		s := site{t, t.TempDir()}
		s.write("run/intake.json", intake)
		s.write("run/workload-classification.json", classification)
		s.write("run/route.json", route)
		s.write("trajectory/trace.txt", []byte("trace\n"))
		p := s.place()
		p.Pack.Present = false
		var drafts []scaffold.Draft
		keep := func(d scaffold.Draft, err error) {
			if err == nil {
				drafts = append(drafts, d)
			}
		}
		keep(p.Goal("owner", now))
		keep(p.Route(nil, now))
		for _, name := range scaffold.Gates() {
			keep(p.Gate(name, now))
		}
		for _, d := range drafts {
			j, err := p.Judge(t.Context(), d)
			if err != nil || len(j.Refused) > 0 {
				continue
			}
			if !d.Complete() && len(j.Open) == 0 {
				t.Errorf("%s: a skeleton that nothing refuses", d.Gate)
			}
		}
	})
}
