package packet

import (
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

func text(s string) canon.Value { return canon.NewString(s) }

// The rules that no vector trips, each with the run that trips it.
func TestRulesBeyondTheVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	bases := runrepo.Load(t, "packet")
	zeros := text(strings.Repeat("0", 64))
	for _, c := range []struct {
		rule, scene string
		level       verify.Level
		change      func(s *scene)
	}{
		{"packet.environment.invalid", "valid-root", verify.Base, func(s *scene) { s.set("/environment", text("a b")) }},
		{"packet.cross.goal-classification", "valid-root", verify.Base, func(s *scene) { s.set("/inputs/classification/sha256", zeros) }},
		{"packet.gate.path-missing", "valid-root", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/path", text("")) }},
		{"packet.gate.digest-invalid", "valid-root", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/sha256", text("abc")) }},
		{"packet.support.kind-invalid", "valid-ci-local", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/supportingArtifacts/0/kind", text("a b")) }},
		{"packet.support.path-missing", "valid-ci-local", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/supportingArtifacts/0/path", canon.NewNull()) }},
		{"packet.support.digest-invalid", "valid-ci-local", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/supportingArtifacts/0/sha256", text("0")) }},
		{"packet.support.underivable", "valid-ci-local", verify.Base, func(s *scene) { s.repo().Remove("design/anchors.json") }},
		{"packet.review.role-provenance-missing", "valid-root", verify.Base, func(s *scene) { s.write("review/review.json", `{"roleProvenance":[]}`) }},
		{"packet.closure.classification-mismatch", "valid-semantic", verify.Base, func(s *scene) { s.set("/inputs/classification/sha256", zeros) }},
		{"packet.inventory.too-many-bytes", "valid-root", verify.Base, func(s *scene) {
			var list []canon.Value
			for i := range 12 {
				list = append(list, canon.Build(canon.Member{Name: "path", Value: text("qa/" + string(rune('a'+i)))},
					canon.Member{Name: "sha256", Value: zeros}, canon.Member{Name: "size", Value: canon.NewNumber(9 << 20)}))
			}
			s.set("/artifactInventory", canon.NewArray(list...))
		}},
		{"packet.historical.gate-binding", "valid-historical", verify.Base, func(s *scene) { s.set("/gateArtifacts/0/sha256", text("x")) }},
		{"packet.historical.gate-unavailable", "valid-historical", verify.Base, func(s *scene) { s.repo().Remove("proof/portable.json") }},
		{"packet.historical.bindings-invalid", "valid-historical", verify.Base, func(s *scene) { s.set("/inputs/goal", canon.NewNull()) }},
		{"packet.historical.not-closure", "valid-historical", verify.Base, func(*scene) {}},
		{"strict.packet.noncanonical-path", "valid-root", verify.Strict, func(s *scene) { s.set("/gateArtifacts/0/path", text("review//review.json")) }},
		{"strict.packet.unknown-member", "valid-v2-level-ignored", verify.Strict, func(*scene) {}},
		{"strict.packet.evidence-unlisted", "valid-root", verify.Strict, func(s *scene) { s.write("qa/late.txt", "late") }},
		{"strict.canon.absent-member", "valid-v2-at-head", verify.Strict, func(s *scene) {
			s.set("/gateArtifacts/0", without1(s.packet().Get("gateArtifacts").Elems()[0], "runId"))
		}},
		{"strict.digest.upper-case", "valid-root", verify.Strict, func(s *scene) {
			s.set("/bindings/envelopeSha256", text(strings.ToUpper(s.packet().Get("bindings").Get("envelopeSha256").Text())))
		}},
		{"strict.commit.length", "valid-historical", verify.Strict, func(s *scene) { s.set("/commit", text("trunk")) }},
		{"strict.path.symlink-component", "valid-historical", verify.Strict, func(s *scene) {
			s.repo().Write("elsewhere/portable.json", s.repo().Read("proof/portable.json"), 0o644)
			s.repo().Remove("proof")
			s.repo().Symlink("proof", "elsewhere")
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := sceneOf(t, bases, c.scene)
			s.in.Level = c.level
			if before := s.verify(); has(before, c.rule) && c.change != nil && !strings.Contains(c.rule, "not-closure") && !strings.Contains(c.rule, "unknown-member") {
				t.Fatalf("it fires before anything was changed\n%s", shown(before))
			}
			c.change(s)
			if after := s.verify(); !has(after, c.rule) {
				t.Errorf("it does not fire\n%s", shown(after))
			}
			s.in.Level = verify.Base
			if strings.HasPrefix(c.rule, "strict.") && has(s.verify(), c.rule) {
				t.Error("a strict rule fires at base level")
			}
		})
	}
}

// A packet that cannot be read says so under one rule, with the cause.
func TestUnreadablePackets(t *testing.T) {
	bases := runrepo.Load(t, "packet")
	for _, c := range []struct {
		name, cause string
		change      func(s *scene)
	}{
		{"missing", "path.missing", func(s *scene) { s.repo().Remove(DefaultPath) }},
		{"link", "path.symlink", func(s *scene) { s.repo().Symlink(DefaultPath, "intake.json") }},
		{"directory", "", func(s *scene) { s.repo().Remove(DefaultPath); s.repo().Mkdir(DefaultPath) }},
		{"no JSON", "json.syntax", func(s *scene) { s.write(DefaultPath, "{") }},
		{"too deep", "json.depth", func(s *scene) { s.write(DefaultPath, strings.Repeat("[", 200)+strings.Repeat("]", 200)) }},
		{"too large", "json.size", func(s *scene) { s.write(DefaultPath, strings.Repeat(" ", canon.MaxDocument+1)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sceneOf(t, bases, "valid-root")
			c.change(s)
			o := s.verify()
			if got := errorsOf(o); len(got) != 1 || got[0] != "packet.document.not-object" {
				t.Errorf("rules %v", got)
			}
			if causes := causesOf(o, "packet.document.not-object"); c.cause != "" && (len(causes) != 1 || causes[0] != c.cause) {
				t.Errorf("causes %v, want %s", causes, c.cause)
			}
			if o.Verdict() != verify.Fail {
				t.Errorf("verdict %v", o.Verdict())
			}
		})
	}
}
