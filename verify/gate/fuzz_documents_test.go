package gate_test

import "testing"

func FuzzCodeIntelligence(f *testing.F) { fuzzGate(f, "code-intelligence", "ci-ok-tenant") }
func FuzzFoundation(f *testing.F)       { fuzzGate(f, "foundation", "foundation-ok-proto") }
func FuzzAIAssurance(f *testing.F)      { fuzzGate(f, "ai-assurance", "ai-ok-orrery") }
func FuzzDomainAssurance(f *testing.F)  { fuzzGate(f, "domain-assurance", "domain-ok-orrery") }
func FuzzContext(f *testing.F)          { fuzzGate(f, "context", "context-ok-tenant") }
func FuzzEval(f *testing.F)             { fuzzGate(f, "eval", "eval-ok-tenant") }
func FuzzSmoke(f *testing.F)            { fuzzGate(f, "smoke", "smoke-ok") }
