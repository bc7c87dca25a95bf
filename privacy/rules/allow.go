package rules

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// An allowlist is an Allowlist, compiled.
type allowlist struct {
	*Allowlist
	paths, regexes []*regexp.Regexp
}

func compileAllow(lists []Allowlist) ([]allowlist, error) {
	made := make([]allowlist, len(lists))
	for i := range lists {
		a := allowlist{Allowlist: &lists[i]}
		for _, expr := range a.Paths {
			re, err := compilePath(expr)
			if err != nil {
				return nil, fmt.Errorf("path: %w", err)
			}
			a.paths = append(a.paths, re)
		}
		for _, expr := range a.Regexes {
			if _, err := parse(expr); err != nil {
				return nil, fmt.Errorf("regex: %w", err)
			}
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, fmt.Errorf("regex: %w", err)
			}
			a.regexes = append(a.regexes, re)
		}
		made[i] = a
	}
	return made, nil
}

func compilePath(expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	if _, err := parse(expr); err != nil {
		return nil, err
	}
	return regexp.Compile(expr)
}

// drops reports whether a match is to be dropped. line is what it stands on.
func (a *allowlist) drops(path string, line, whole, secret []byte) bool {
	holds := make([]bool, 0, 4)
	if a.Commits {
		holds = append(holds, false)
	}
	if len(a.paths) > 0 {
		holds = append(holds, matchesPath(a.paths, path))
	}
	if len(a.regexes) > 0 {
		target := secret
		switch a.Target {
		case "match":
			target = whole
		case "line":
			target = line
		}
		holds = append(holds, matches(a.regexes, target))
	}
	if len(a.StopWords) > 0 {
		holds = append(holds, hasWord(a.StopWords, secret))
	}
	for _, h := range holds {
		if h != a.All {
			return h
		}
	}
	return a.All && len(holds) > 0
}

func matches(list []*regexp.Regexp, text []byte) bool {
	for _, re := range list {
		if re.Match(text) {
			return true
		}
	}
	return false
}

func matchesPath(list []*regexp.Regexp, path string) bool {
	for _, re := range list {
		if re.MatchString(path) {
			return true
		}
	}
	return false
}

func hasWord(words []string, secret []byte) bool {
	low := bytes.ToLower(secret)
	for _, w := range words {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}

// isFor reports whether a list of the whole set is for a kind.
func (a *allowlist) isFor(kind string) bool {
	return len(a.Rules) == 0 || slices.Contains(a.Rules, kind)
}
