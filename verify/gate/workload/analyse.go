package workload

import (
	"slices"
	"strings"
)

// Names of the signals that the code asks for itself; all others are named by
// rules of rules.json.
const (
	sigAI              = "ai"
	sigYouth           = "youth"
	sigIOSPush         = "ios.push"
	sigIOSDistribution = "ios.distribution"
	sigLibrary         = "library"
	sigLibraryVeto     = "library-veto"
	sigFullStack       = "full-stack"
	sigClient          = "client"
	sigServer          = "server"
	sigLive            = "live"
	sigLiveProvider    = "live-provider"
	sigEval            = "eval"
)

var signalNames = []string{
	sigAI, sigYouth, sigIOSPush, sigIOSDistribution, sigLibrary, sigLibraryVeto, sigFullStack,
	sigClient, sigServer, sigLive, sigLiveProvider, sigEval,
}

// An Analysis holds what fires on one text.
type Analysis struct {
	rules    *Rules
	signals  map[string]bool // signals and patterns
	triggers map[string]bool // trigger sets, by kind and id
}

// Analyse matches every signal, pattern and trigger set on a request text,
// untrimmed as the intake has it.
func (t *Rules) Analyse(text string) *Analysis {
	folded := fold(text)
	a := &Analysis{rules: t, signals: t.signals.match(folded)}
	views := map[string]string{viewFolded: folded, viewSqueezed: squeeze(text)}
	for name, re := range t.patterns {
		if re.MatchString(views[t.file.Patterns[name].On]) {
			a.signals[name] = true
		}
	}
	lowered := lower(text)
	a.triggers = t.words.match(lowered)
	for name, subs := range t.subs {
		if slices.ContainsFunc(subs, func(s string) bool { return strings.Contains(lowered, s) }) {
			a.triggers[name] = true
		}
	}
	return a
}

// holds reports whether every name of When fires and none of Unless does.
func (a *Analysis) holds(c condition) bool {
	for _, name := range c.When {
		if !a.signals[name] {
			return false
		}
	}
	for _, name := range c.Unless {
		if a.signals[name] {
			return false
		}
	}
	return true
}

// AI reports whether the text speaks of an AI workload.
func (a *Analysis) AI() bool { return a.signals[sigAI] }

// Pack reports whether the trigger set of a domain pack fires.
func (a *Analysis) Pack(id string) bool { return a.triggers[packSet+id] }

// FullStack is full-stack(t) of contract 09b, section 2.6.
func (a *Analysis) FullStack() bool {
	switch {
	case a.signals[sigLibrary] && !a.signals[sigLibraryVeto]:
		return false
	case a.signals[sigFullStack]:
		return true
	}
	return a.signals[sigClient] && a.signals[sigServer]
}

// LiveSmoke is live-smoke(t) of contract 09b, section 2.6.
func (a *Analysis) LiveSmoke() bool { return a.signals[sigLive] || a.signals[sigLiveProvider] }
