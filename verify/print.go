package verify

// Print makes text from the evidence fit for a line of a listing: secrets
// masked, what could disturb a terminal escaped, at most so many bytes.
func Print(s string, most int) string { return cleanTo(most, s) }
