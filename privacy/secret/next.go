package secret

// The detectors whose expression contract 10, section 6, shares with contract
// 01 to the letter, for scans that report places instead of redacting. Each
// returns the first match at or after from; called again from its end, it finds
// all of them in time linear in the text.

// NextAccessToken finds \bgh[pousr]_[A-Za-z0-9]{30,255}\b.
func NextAccessToken(s string, from int) (start, end int, ok bool) { return findAccessToken(s, from) }

// NextFineGrainedToken finds \bgithub_pat_[A-Za-z0-9_]{20,255}\b.
func NextFineGrainedToken(s string, from int) (start, end int, ok bool) {
	return findFineGrainedToken(s, from)
}

// NextProviderKey finds \bsk-[A-Za-z0-9_-]{20,255}\b.
func NextProviderKey(s string, from int) (start, end int, ok bool) { return findProviderKey(s, from) }

// ConnectionScheme returns where the scheme of a database connection starts
// that ends at sep, in any ASCII case and at a word boundary, or -1.
func ConnectionScheme(s string, sep int) int { return schemeBefore(s, sep) }
