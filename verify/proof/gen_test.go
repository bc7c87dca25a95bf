package proof

import (
	"slices"

	"pgregory.net/rapid"

	"finishline/canon"
)

// member and obj keep generated documents readable.
func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func num(n int) canon.Value { return canon.NewNumber(float64(n)) }

func str(s string) canon.Value { return canon.NewString(s) }

var (
	genWord   = rapid.StringMatching(`[a-z][a-z0-9]{0,8}`)
	genOutput = rapid.StringMatching(`[a-z éß€🌊\n"\\]{0,40}`)
	genDigest = rapid.Map(rapid.StringN(1, 12, -1), func(s string) canon.Value { return str(canon.SHA256([]byte(s))) })
)

// genProof makes proofs as a well-behaved producer does: every one passes both
// levels.
func genProof(t *rapid.T) canon.Value {
	commit := str(rapid.StringMatching(`[0-9a-f]{40}|[0-9a-f]{64}`).Draw(t, "commit"))
	source := genSource(t, commit)
	execution := genExecution(t)
	v := canon.Build(
		member("schema", str(PortableSchema)),
		member("generatedAt", str("2026-04-02T08:30:00.000Z")),
		member("run", canon.Build(
			member("id", str(genWord.Draw(t, "run"))), member("commit", commit), member("environment", str(genWord.Draw(t, "environment"))))),
		member("host", canon.Build(
			member("platform", str(genWord.Draw(t, "platform"))), member("load", canon.NewNumber(rapid.Float64Range(0, 99).Draw(t, "load"))))),
		member("source", source),
		member("causalInputs", genCausal(t)),
		member("command", genCommand(t)),
		member("execution", execution),
		member("outcome", DeriveOutcome(execution, source).Value()),
		member("bindings", canon.NewNull()),
	)
	return canon.Build(append(slices.Clone(v.Members()), member("bindings", DeriveBindings(v).Value()))...)
}

func genSource(t *rapid.T, commit canon.Value) canon.Value {
	dirty := canon.NewBool(rapid.Bool().Draw(t, "dirty"))
	before := genDigest.Draw(t, "before")
	after, application := before, genDigest.Draw(t, "application")
	applicationAfter := application
	if rapid.IntRange(0, 4).Draw(t, "mutated") == 0 {
		after, applicationAfter = genDigest.Draw(t, "after"), genDigest.Draw(t, "applicationAfter")
	}
	stable := canon.Equal(before, after)
	if stable { // an unchanged worktree has an unchanged projection
		applicationAfter = application
	}
	return canon.Build(
		member("gitHead", commit),
		member("targetPath", str(rapid.SampledFrom([]string{".", "apps/web", "Tide Tables"}).Draw(t, "target"))),
		member("gitTreeSha256", genDigest.Draw(t, "tree")),
		member("beforeSha256", before), member("afterSha256", after),
		member("dirtyBefore", dirty), member("dirtyAfter", dirty),
		member("stable", canon.NewBool(stable)),
		member("applicationBeforeSha256", application), member("applicationAfterSha256", applicationAfter),
		member("applicationStable", canon.NewBool(canon.Equal(application, applicationAfter))),
		member("validatorSha256", genDigest.Draw(t, "validator")),
	)
}

func genCausal(t *rapid.T) canon.Value {
	paths := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Makefile", "a/b.go", "a/é.go", "go.mod", "src/\U0001F30A.go", "src/\uFFFC.go"}),
		0, 4, rapid.ID[string]).Draw(t, "paths")
	slices.SortFunc(paths, canon.CompareUTF16)
	entries := make([]canon.Value, len(paths))
	for i, path := range paths {
		digest := genDigest.Draw(t, "causal")
		entries[i] = canon.Build(member("path", str(path)), member("beforeSha256", digest), member("afterSha256", digest))
	}
	return canon.NewArray(entries...)
}

func genCommand(t *rapid.T) canon.Value {
	argv := []string{genWord.Draw(t, "program")}
	for _, part := range rapid.SliceOfN(rapid.SampledFrom([][]string{
		{"run"}, {"-t"}, {"--depth=3"}, {"--api-key", "[REDACTED]"}, {"--db-dsn=[REDACTED]"}, {"--", "x"}, {"--token", "<placeholder>"},
	}), 0, 4).Draw(t, "arguments") {
		argv = append(argv, part...)
	}
	names := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z_]{1,4}`), 0, 3).Draw(t, "names")
	in, err := DeriveExecutionInputs(argv, names, genDigest.Draw(t, "environment").Text())
	if err != nil {
		t.Fatal(err)
	}
	return canon.Build(
		member("argv", stringArray(argv)), member("requestedArgv", stringArray(argv)),
		member("resolution", str("direct")), member("executionInputs", in.Value()),
	)
}

func genExecution(t *rapid.T) canon.Value {
	repeat := rapid.IntRange(1, 3).Draw(t, "repeat")
	same := rapid.Bool().Draw(t, "same")
	first := genAttempt(t)
	attempts := make([]canon.Value, repeat)
	for i := range attempts {
		a := first
		if !same {
			a = genAttempt(t)
		}
		attempts[i] = canon.Build(append([]canon.Member{member("index", num(i+1))}, a.Members()...)...)
	}
	return canon.Build(
		member("shell", canon.NewBool(false)),
		member("mode", str(rapid.SampledFrom([]string{ModeGreen, ModeRedBaseline}).Draw(t, "mode"))),
		member("timeoutMs", num(rapid.IntRange(1, MaxTimeoutMs).Draw(t, "timeout"))),
		member("repeat", num(repeat)),
		member("maxOutputBytes", num(rapid.IntRange(MinOutputBytes, MaxOutputBytes).Draw(t, "bound"))),
		member("attempts", canon.NewArray(attempts...)),
	)
}

// genAttempt is an attempt without its index.
func genAttempt(t *rapid.T) canon.Value {
	exit, signal, spawn, timedOut := num(0), canon.NewNull(), canon.NewNull(), false
	switch rapid.IntRange(0, 4).Draw(t, "end") {
	case 0:
		exit = num(rapid.IntRange(1, 255).Draw(t, "exit"))
	case 1:
		exit, signal = canon.NewNull(), str("SIGSEGV")
	case 2:
		exit, signal, spawn, timedOut = canon.NewNull(), str("SIGTERM"), str("ETIMEDOUT: limit reached"), true
	case 3:
		exit, spawn = canon.NewNull(), str("ENOENT: no such program")
	}
	return canon.Build(
		member("exitCode", exit), member("signal", signal), member("timedOut", canon.NewBool(timedOut)), member("spawnError", spawn),
		member("durationMs", num(rapid.IntRange(0, 60_000).Draw(t, "duration"))),
		member("stdout", newStream(genOutput.Draw(t, "stdout"))), member("stderr", newStream(genOutput.Draw(t, "stderr"))),
	)
}

func newStream(output string) canon.Value {
	return canon.Build(
		member("text", str(output)), member("sha256", str(canon.TextDigest(output))),
		member("observedBytes", num(len(output))), member("persistedBytes", num(len(output))), member("truncated", canon.NewBool(false)),
	)
}
