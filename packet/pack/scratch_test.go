package pack_test

import (
	"fmt"
	"testing"

	"finishline/canon"
	"finishline/internal/gittest"
	"finishline/packet/pack"
	"finishline/verify"
)

// A scratch is a repository with a small pack, for tests that damage it.
type scratch struct {
	*gittest.Repo
	t      testing.TB
	prefix string // of the pack root: "" or ".valdris-harness/"
	commit string
	pin    string
}

type shape int

const (
	plain        shape = iota // the target is the pack
	commissioned              // the pack lies in .valdris-harness
)

var shapes = map[string]shape{"plain": plain, "commissioned": commissioned}

const trustStore = `{"schema": "valdris.review-trust.v1", "keys": [{"keyId": "lab-key-a", "algorithm": "ed25519", "status": "active",
 "publicKeyPem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAU1hENfPl8LmDImSMqW0ciiGkgU/0BP9QYegzSbvkLKk=\n-----END PUBLIC KEY-----\n",
 "allowedActorIds": ["reviewer-noor"], "allowedActorTypes": ["human"]}]}
`

// newScratch commits a pack with at least this many files.
func newScratch(t testing.TB, as shape, files int) *scratch {
	t.Helper()
	s := &scratch{Repo: gittest.New(t, gittest.Options{}), t: t}
	if as == commissioned {
		s.prefix = ".valdris-harness/"
	}
	s.Write("app/main.txt", []byte("product\n"), 0o644)
	for _, name := range []string{"enterprise-ai-gate-all", "rca-gate", "review-gate", "run-packet-gate", "authoritative-assurance-gate"} {
		s.put("scripts/"+name+".mjs", "throw new Error('a pack script was executed');\n")
	}
	s.put("controls/review-trust.v1.json", trustStore)
	s.put("skills/registry.json", "{\"skills\": []}\n")
	n := 7
	if as == commissioned {
		s.put("project-adapter.json", "{\"schema\": \"lab.adapter.v1\"}\n")
		s.put("docs/readme.txt", "read me\n")
		s.Write("AGENTS.md", []byte(pack.LoaderBlock("AGENTS.md")+"\n"), 0o644)
		s.Write("CLAUDE.md", []byte("# before\n\n"+pack.LoaderBlock("CLAUDE.md")+"\nafter\n"), 0o644)
		n += 4
	}
	for i := 0; n < files; i, n = i+1, n+1 {
		if i%2 == 0 {
			s.put(fmt.Sprintf("scripts/lib/%02d.mjs", i), fmt.Sprintf("export const n%d = %d;\n", i, i))
		} else {
			s.put(fmt.Sprintf("controls/more/%02d.json", i), fmt.Sprintf("{\"n\": %d}\n", i))
		}
	}
	s.Git("add", "-A", "-f")
	s.commit = s.Commit("pack")
	s.pin = storePin(t, trustStore)
	return s
}

func storePin(t testing.TB, text string) string {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxTrustStore)
	if err != nil {
		t.Fatal(err)
	}
	return canon.Digest(doc.Root)
}

func (s *scratch) put(rel, text string) { s.Write(s.prefix+rel, []byte(text), 0o644) }

// recommit commits everything as it is now.
func (s *scratch) recommit(flags ...string) {
	s.Git("add", "-A", "-f")
	s.commit = s.Commit("change", flags...)
}

func (s *scratch) bind(level verify.Level) (*pack.Binding, *verify.Findings) {
	s.t.Helper()
	return s.lab().bind(level, s.commit, s.pin)
}

// lab opens the repository anew, because a test may have changed its
// configuration.
func (s *scratch) lab() *lab { return openDirs(s.t, s.Dir, "") }

// refuses wants exactly one base rule.
func (s *scratch) refuses(rule string) verify.Finding {
	s.t.Helper()
	var found verify.Finding
	lab := s.lab()
	for _, level := range levels {
		bound, out := lab.bind(level, s.commit, s.pin)
		list := out.List()
		if bound != nil || len(list) == 0 || list[len(list)-1].Rule != rule {
			s.t.Fatalf("%v: bound %v, want %s\n%s", level, bound != nil, rule, texts(out))
		}
		found = list[len(list)-1]
	}
	return found
}

func (s *scratch) accepts() *pack.Binding {
	s.t.Helper()
	var result *pack.Binding
	lab := s.lab()
	for _, level := range levels {
		bound, out := lab.bind(level, s.commit, s.pin)
		if bound == nil || len(out.List()) != 0 {
			s.t.Fatalf("%v: bound %v\n%s", level, bound != nil, texts(out))
		}
		result = bound
	}
	return result
}
