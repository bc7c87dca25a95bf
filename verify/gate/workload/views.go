package workload

// Lowered is the view of a text on which trigger words are matched (contract
// 09b, section 2.1): trimmed, A to Z in lower case, and the two other
// characters whose lower case holds an ASCII letter mapped too.
func Lowered(text string) string { return lower(text) }
