package proof_test

import (
	"fmt"

	"finishline/verify"
	"finishline/verify/proof"
)

func ExampleRead() {
	data := []byte(`{
		"schema": "uash.proof.v1", "generatedAt": "2026-03-04T10:11:12Z", "status": "passed",
		"summary": "the unit suite passes",
		"commands": [{"command": "make unit", "exitCode": 0, "completedAt": "2026-03-04T10:10:41Z"}]
	}`)
	result := proof.Read(data, "proof/proof.json", verify.Strict, proof.Options{})
	fmt.Println(result.Findings.Verdict())
	for _, f := range result.Findings.List() {
		fmt.Printf("%s%s: %s (%s)\n", f.Artifact, f.Pointer, f.Found, f.Rule)
	}
	// Output:
	// fail
	// proof/proof.json/commands/0: neither stdoutTail nor stderrTail nor outputDigest says anything (uash-proof.command.output)
}
