package rca

import "testing"

func TestKindOf(t *testing.T) {
	for path, want := range map[string]pathKind{
		"ai/assurance.json": evidencePath, "./run/packet.json": evidencePath, `run\packet.json`: evidencePath, "././run/packet.json": sourcePath,
		"proof/a/b.json": evidencePath, "proof/.json": sourcePath, "proof/a.jsonl": sourcePath, "review/x.json": evidencePath,
		"approvals//.json": evidencePath, "sub/proof/a.json": sourcePath, "Proof/a.json": sourcePath, "waivers/waivers.json": evidencePath,
		"README.md": documentationPath, "Claude.MD": documentationPath, "agents.md": documentationPath, "notes/readme.md": sourcePath,
		"docs/a.md": documentationPath, "a/Docs/b/C.Md": documentationPath, "docs/a.txt": sourcePath, "CHANGELOG.md": sourcePath,
		"docs.md": sourcePath, "docs": sourcePath, "": sourcePath, `playbooks\x.md`: documentationPath, "my-docs/a.md": sourcePath,
		"src/gauge.sh": sourcePath, "docs/../src/a.md": documentationPath,
	} {
		if got := kindOf(path); got != want {
			t.Errorf("%q is of kind %d, want %d", path, got, want)
		}
	}
}
