package proof

import (
	"errors"
	"slices"
	"testing"

	"finishline/canon"
)

// end is how an attempt ended, in the terms of 03 B.6.
type end struct {
	exit     canon.Value
	signal   canon.Value
	timedOut bool
	spawn    canon.Value
	output   string
}

func (e end) attempt(index int) canon.Value {
	null := func(v canon.Value) canon.Value {
		if v.Present() {
			return v
		}
		return canon.NewNull()
	}
	return canon.Build(
		member("index", num(index)), member("exitCode", null(e.exit)), member("signal", null(e.signal)),
		member("timedOut", canon.NewBool(e.timedOut)), member("spawnError", null(e.spawn)),
		member("stdout", newStream(e.output)), member("stderr", newStream("")),
	)
}

func TestOutcome(t *testing.T) {
	pass, fail := end{exit: num(0)}, end{exit: num(3)}
	killed := end{signal: str("SIGSEGV")}
	hung := end{signal: str("SIGTERM"), timedOut: true, spawn: str("ETIMEDOUT: x")}
	hungCleanly := end{exit: num(0), timedOut: true}
	unstarted := end{spawn: str("ENOENT: x")}
	negativeZero := end{exit: read(t, []byte("-0.0"))}
	emptySpawn := end{exit: num(0), spawn: str("")}
	for _, c := range []struct {
		name    string
		mode    string
		mutated bool
		ends    []end
		want    Status
	}{
		{"green passes", ModeGreen, false, []end{pass, pass}, Passed},
		{"minus zero is zero", ModeGreen, false, []end{pass, negativeZero}, Passed},
		{"an empty spawn error is none", ModeGreen, false, []end{emptySpawn}, Passed},
		{"but differs from null", ModeGreen, false, []end{pass, emptySpawn}, Flaky},
		{"green fails", ModeGreen, false, []end{fail, fail}, Failed},
		{"green killed", ModeGreen, false, []end{killed}, Failed},
		{"red confirmed", ModeRedBaseline, false, []end{fail, fail}, RedConfirmed},
		{"red passes", ModeRedBaseline, false, []end{pass}, UnexpectedGreen},
		{"red killed confirms nothing", ModeRedBaseline, false, []end{killed}, UnexpectedGreen},
		{"exit codes differ", ModeRedBaseline, false, []end{fail, {exit: num(4)}}, Flaky},
		{"output differs", ModeGreen, false, []end{{exit: num(0), output: "a"}, {exit: num(0), output: "b"}}, Flaky},
		{"the third differs", ModeGreen, false, []end{pass, pass, fail}, Flaky},
		{"flaky before timed out", ModeGreen, true, []end{pass, hung}, Flaky},
		{"timed out before spawn failed", ModeGreen, true, []end{hung, hung}, TimedOut},
		{"timed out with exit code 0", ModeGreen, false, []end{hungCleanly}, TimedOut},
		{"timed out, red", ModeRedBaseline, false, []end{hung}, TimedOut},
		{"spawn failed before mutated", ModeGreen, true, []end{unstarted}, SpawnFailed},
		{"spawn failed, red", ModeRedBaseline, false, []end{unstarted}, SpawnFailed},
		{"mutated before passed", ModeGreen, true, []end{pass}, SourceMutated},
		{"mutated before red", ModeRedBaseline, true, []end{fail}, SourceMutated},
		{"nothing ran", ModeGreen, false, nil, Failed},
		{"nothing ran, red", ModeRedBaseline, false, nil, UnexpectedGreen},
	} {
		attempts := make([]canon.Value, len(c.ends))
		for i, e := range c.ends {
			attempts[i] = e.attempt(i + 1)
		}
		got := DeriveOutcome(
			canon.Build(member("mode", str(c.mode)), member("attempts", canon.NewArray(attempts...))),
			canon.Build(member("stable", canon.NewBool(!c.mutated))))
		want := Outcome{c.want, c.want == Flaky, c.want == Passed || c.want == RedConfirmed}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func TestPassedNames(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{nil, []string{}},
		{[]string{"zone", "Beta", "ZONE"}, []string{"BETA", "ZONE"}},
		{[]string{"straße"}, []string{"STRASSE"}},
		{[]string{"\u0149", "\ufb01", "\u0390"}, []string{"FI", "\u02bcN", "\u0399\u0308\u0301"}},
		{[]string{"ıi"}, []string{"II"}}, // no Turkish rules
		{[]string{"\uFFFC", "\U0001F30A"}, []string{"\U0001F30A", "\uFFFC"}},
		{[]string{"a\xed\xa0\x80ß"}, []string{"A\xed\xa0\x80SS"}}, // an unpaired surrogate, as canon keeps it
		{[]string{"a b\u007f"}, []string{"A B\u007f"}},
	} {
		got, err := PassedNames(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "A=B", "=", "A\x00", "A\n", "\x1f"} {
		_, err := PassedNames([]string{"FINE", bad})
		var named *NameError
		if !errors.As(err, &named) || named.Name != bad {
			t.Errorf("%q: %v, want a NameError that has it", bad, err)
		}
	}
}

// A producer that derives the inputs from argv and names writes what the
// vector holds.
func TestDeriveExecutionInputs(t *testing.T) {
	for _, name := range []string{"valid-green", "valid-rich", "valid-argv0-flag", "valid-windows-cli"} {
		command := vector(t, "proof-portable", name).Get("command")
		stated := command.Get("executionInputs")
		argv, _ := stringsOf(command.Get("argv"))
		names, _ := stringsOf(stated.Get("passedEnvironmentNames"))
		slices.Reverse(names)
		in, err := DeriveExecutionInputs(argv, names, stated.Get("allowlistedEnvironmentSha256").Text())
		if err != nil || !canon.Equal(in.Value(), stated) {
			t.Errorf("%s: %s, %v; want %s", name, canon.Compact(in.Value()), err, canon.Compact(stated))
		}
	}
}

func TestDeriveExecutionInputsRefuses(t *testing.T) {
	for _, argv := range [][]string{nil, {}, {""}, {"tool", "--token"}, {"tool", "--token="}, {"tool", "--token", "-x"}, {"tool", ""}} {
		if _, err := DeriveExecutionInputs(argv, nil, ""); !errors.Is(err, ErrArgvMalformed) {
			t.Errorf("%q: %v, want ErrArgvMalformed", argv, err)
		}
	}
	var named *NameError
	if _, err := DeriveExecutionInputs([]string{"tool"}, []string{"A=B"}, ""); !errors.As(err, &named) {
		t.Errorf("a bad name: %v, want a NameError", err)
	}
}

// The identity of a command without requestedArgv holds the bare word
// undefined (01 §2.6): neither dropped nor null.
func TestCommandIdentityWithoutRequest(t *testing.T) {
	command := vector(t, "proof-portable", "valid-no-requested-argv").Get("command")
	inputs := canon.Digest(command.Get("executionInputs"))
	want := canon.SHA256([]byte(`{"argv":["./check.sh","--suite","tides"],"executionInputsSha256":"` + inputs + `","requestedArgv":undefined,"resolution":"direct"}`))
	if got := CommandSHA256(command); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAccessors(t *testing.T) {
	p, _ := portable(vector(t, "proof-portable", "valid-rich"), 0)
	if got := p.Run(); got != (Run{"kelp-0417", "5f0c1d2e3b4a59687786950413223140ffeeddcc", "ci:linux.2"}) {
		t.Errorf("run %+v", got)
	}
	if got := p.Outcome(); got != (Outcome{Passed, false, true}) {
		t.Errorf("outcome %+v", got)
	}
	s := p.Source()
	if s.TargetPath != "apps/Tide Tables" || s.GitHead != p.Run().Commit || !s.DirtyBefore || !s.Stable || !s.ApplicationStable ||
		s.Before != s.After || s.ApplicationAfter[:4] != "15a7" || s.Tree[:4] != "5397" || s.Validator[:4] != "cddb" {
		t.Errorf("source %+v", s)
	}
	if p.Clean() || p.CausalIdentity() || p.Mode() != ModeGreen || len(p.Argv()) != 7 {
		t.Errorf("clean %v, causal identity %v, mode %s, argv %q", p.Clean(), p.CausalIdentity(), p.Mode(), p.Argv())
	}
	if got, want := p.Bindings(), DeriveBindings(p.Value()); got != want {
		t.Errorf("bindings %+v, want %+v", got, want)
	}
	if in := p.CausalInputs(); len(in) != 3 || in[0].Path != "Makefile" || in[2].Before != in[2].After {
		t.Errorf("causal inputs %+v", in)
	}
	var printed []string
	for stdout, stderr := range p.Output() {
		if printed = append(printed, stdout+"|"+stderr); len(printed) == 2 {
			break
		}
	}
	if !slices.Equal(printed, []string{"résultat 🌊\n|", "résultat 🌊\n|"}) {
		t.Errorf("output %q", printed)
	}
}

// Accessors of a refused proof say nothing rather than panic.
func TestAccessorsOfNothing(t *testing.T) {
	p, _ := portable(canon.Build(), 0)
	if p.Valid() || p.Clean() || p.CausalIdentity() || p.Run() != (Run{}) || p.Outcome() != (Outcome{}) || p.Source() != (Source{}) ||
		p.Bindings() != (Bindings{}) || p.Argv() != nil || p.Mode() != "" || p.CausalInputs() != nil {
		t.Errorf("an empty proof says %+v", p)
	}
	for range p.Output() {
		t.Error("an attempt of nothing")
	}
}
