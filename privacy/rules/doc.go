// Package rules finds secrets and personal data by rules that are data: the
// extended rule set of docs/contracts/10, sections 15 and 16, and
// configurations in the dialect of gitleaks.
//
// Start with [Extended], or with [Load] for a configuration, then [Set.Compile]
// once, then [Engine.Scan] for each text or [Engine.Scanner] for one that comes
// in pieces. A hit tells kind, tier, line and column, and hands over its secret
// only to be fingerprinted.
//
// A configuration is honoured in its rules, keywords, entropy, secret groups,
// paths and allowlists; what else it says is returned by name. Its rules are
// held against the text as a whole. A rule with a table
//
//	[rules.finishline]
//	group = "vcs"              # what the kind belongs to
//	tier = "gate"              # gate, pii or info
//	left = "word"              # what must not stand before the match
//	right = "word"             # nor after it
//	checks = ["placeholder"]   # what the secret must pass
//	base64 = true              # decoded base64 is searched too
//
// is held against every view of each line instead, as the rules of the
// extended set are; extended.toml, which is embedded, is written so throughout.
//
// What is promised: the hits are those of the contract, in the order of lines,
// columns and rules, whatever the pieces in which the text came; time is linear
// in the text and memory does not depend on it, whatever the text; nothing here
// panics on any text or configuration. What is not promised: that a text
// without a hit holds no secret.
package rules
