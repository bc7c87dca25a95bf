package gate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// free are the members that a document may leave out or fill as it likes.
var free = map[string]*regexp.Regexp{
	"code-intelligence": regexp.MustCompile(`^/(generatedAt|git(/.*)?|nodes/\d+(/.*)?|edges|codeIntelligence(/provider)?)$`),
	"foundation":        nil,
	"ai-assurance":      nil,
	"domain-assurance":  nil,
	"context":           nil,
	"eval":              regexp.MustCompile(`^/suites/0$`), // the other suite measures the context
	"smoke":             nil,
}

// Every member of a valid document matters: without it, and with null in its
// place, the gate fails at both levels. The valid document is the positive
// control.
func TestEveryMemberMatters(t *testing.T) {
	vectors.Long(t)
	for name, base := range map[string]string{
		"code-intelligence": "ci-ok-tenant", "foundation": "foundation-ok-tenant", "ai-assurance": "ai-ok-orrery",
		"domain-assurance": "domain-ok-orrery", "context": "context-ok-tenant", "eval": "eval-ok-tenant", "smoke": "smoke-ok",
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := gate.Find(name)
			dir := buildCase(t, base)
			root, err := evidence.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			file := filepath.Join(dir, filepath.FromSlash(g.Artifact))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := canon.Read(data, canon.MaxDocument)
			if err != nil {
				t.Fatal(err)
			}
			judge := func(v canon.Value, level verify.Level) verify.Verdict {
				if err := os.WriteFile(file, canon.Compact(v), 0o644); err != nil {
					t.Fatal(err)
				}
				return judgeFuzzed(t, g, root, false, level).Verdict()
			}
			if got := judge(doc.Root, verify.Strict); got != verify.Pass {
				t.Fatalf("the valid document: %s", got)
			}
			for _, pointer := range pointersOf(canon.Node{Value: doc.Root}) {
				for _, verb := range []string{"remove", "replace"} {
					bad, err := casefile.Edit(doc.Root, verb, pointer, canon.NewNull())
					if err != nil {
						t.Fatal(err)
					}
					for _, level := range levels {
						if judge(bad, level) == verify.Pass && (free[name] == nil || !free[name].MatchString(pointer)) {
							t.Errorf("%s %s passes at %s level", verb, pointer, level)
						}
					}
				}
			}
		})
	}
}

func buildCase(t *testing.T, name string) string {
	t.Helper()
	for _, c := range gateCases(t) {
		if c.Name == name {
			return c.Build(t)
		}
	}
	t.Fatalf("no case is named %q", name)
	return ""
}

// pointersOf lists the pointers of every value below a node.
func pointersOf(n canon.Node) []string {
	var list []string
	for _, m := range n.Members() {
		list = append(list, n.At(m.Name).Pointer)
		list = append(list, pointersOf(n.At(m.Name))...)
	}
	for e := range n.All() {
		list = append(list, e.Pointer)
		list = append(list, pointersOf(e)...)
	}
	return list
}
