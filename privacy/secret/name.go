package secret

import "strings"

// NormalizeName returns norm(name): words in lower case, joined by "_". Word
// breaks are runs of anything but ASCII letters and digits, a step from lower
// case or a digit to upper case, and the last capital of a run before a lower
// case letter, so APIKey and api-key are both api_key. A name without ASCII
// letters and digits becomes "".
func NormalizeName(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 8)
	gap := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !isAlnum(c) {
			gap = true
			continue
		}
		if isUpper(c) {
			gap = gap || i > 0 && breaksBefore(name, i)
			c += 'a' - 'A'
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteByte(c)
	}
	return b.String()
}

// breaksBefore reports whether a word starts at the capital name[i].
func breaksBefore(name string, i int) bool {
	prev := name[i-1]
	if isLower(prev) || isDigit(prev) {
		return true
	}
	return isUpper(prev) && i+1 < len(name) && isLower(name[i+1])
}

// A Name is what a member name says about its value.
type Name struct {
	// Normalized is norm(name).
	Normalized string
	// SecretLike names announce a secret: password, apiKey, session_tokens.
	SecretLike bool
	// BenignMetric names announce a count: token_count, promptTokens. A name
	// can be both (tokens); the value decides.
	BenignMetric bool
}

// IsArgv reports whether the name announces a command line.
func (n Name) IsArgv() bool {
	return n.Normalized == "argv" || n.Normalized == "requested_argv"
}

// NameOf classifies a member name.
func NameOf(name string) Name {
	m := NormalizeName(name)
	named, looseToken, pair := false, false, false
	for rest := m; rest != ""; {
		word, after, _ := strings.Cut(rest, "_")
		next, _, _ := strings.Cut(after, "_")
		named = named || announcesSecret(word, next)
		switch {
		case word == "token" && isMetricWord(next):
			pair = true
		case isTokenWord(word):
			looseToken = true
		}
		rest = after
	}
	return Name{
		Normalized:   m,
		SecretLike:   named || looseToken,
		BenignMetric: !named && (pair || isUsageMetric(m)),
	}
}

// IsSecretName reports whether a name is secret-like.
func IsSecretName(name string) bool { return NameOf(name).SecretLike }

// IsBenignMetric reports whether a name is that of a benign metric.
func IsBenignMetric(name string) bool { return NameOf(name).BenignMetric }

// announcesSecret reports whether a word of a normalized name, alone or with
// the next one, is in the classes SecretName or SensitiveToken.
func announcesSecret(word, next string) bool {
	switch word {
	case "apikey", "auth", "authorization", "credential", "credentials", "databaseurl", "dburl", "dsn",
		"connectionstring", "connectionurl", "password", "privatekey", "secret":
		return true
	case "private":
		return next == "key"
	case "database", "db":
		return next == "url"
	case "connection":
		return next == "string" || next == "url"
	case "api":
		return next == "key" || isTokenWord(next)
	case "access", "refresh", "bearer", "session", "oauth", "csrf":
		return isTokenWord(next)
	}
	if isStore(word) {
		return next == "url" || next == "dsn"
	}
	if store, ok := strings.CutSuffix(word, "url"); ok {
		return isStore(store)
	}
	if store, ok := strings.CutSuffix(word, "dsn"); ok {
		return isStore(store)
	}
	return false
}

func isTokenWord(word string) bool { return word == "token" || word == "tokens" }

func isMetricWord(word string) bool {
	switch word {
	case "count", "counts", "budget", "budgets":
		return true
	}
	return false
}

func isUsageMetric(m string) bool {
	switch m {
	case "tokens", "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens":
		return true
	}
	return false
}

// isStore knows the data stores whose addresses carry passwords.
func isStore(word string) bool {
	switch word {
	case "postgres", "postgresql", "mysql", "mariadb", "mongo", "mongodb", "redis", "cache", "mssql":
		return true
	}
	return false
}

// isAssignmentName reports whether a name that a text assigns to ends in words
// that announce a secret (secret assignment, step 2).
func isAssignmentName(name string) bool {
	m := NormalizeName(name)
	before, last := cutLast(m)
	switch last {
	case "token", "auth", "authorization", "password", "dsn", "credential", "credentials", "secret":
		return true
	case "key", "string", "url":
		_, prev := cutLast(before)
		return keyedBy(prev, last)
	}
	return false
}

// isFlagName reports whether the name of a long option announces a secret
// value (argv check).
func isFlagName(name string) bool {
	m := NormalizeName(name)
	before, last := cutLast(m)
	switch last {
	case "token", "auth", "authorization", "password", "passphrase", "dsn", "credential", "credentials", "secret":
		return true
	case "id":
		return m == "access_key_id" || strings.HasSuffix(m, "_access_key_id")
	case "key", "string", "url":
		before, prev := cutLast(before)
		if last == "key" {
			switch prev {
			case "access", "encryption", "secret", "signing":
				return true
			case "account":
				_, first := cutLast(before)
				return first == "service"
			}
		}
		return keyedBy(prev, last)
	}
	return false
}

// keyedBy completes the two-word endings that assignments and flags share.
func keyedBy(prev, last string) bool {
	switch last {
	case "key":
		return prev == "api" || prev == "private"
	case "string":
		return prev == "connection"
	case "url":
		return prev == "connection" || prev == "database" || prev == "db" || isStore(prev)
	}
	return false
}

// cutLast splits a normalized name before its last word.
func cutLast(m string) (before, last string) {
	i := strings.LastIndexByte(m, '_')
	if i < 0 {
		return "", m
	}
	return m[:i], m[i+1:]
}
