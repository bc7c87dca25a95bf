package verify

// Full reports whether further findings of that rule are only counted. A
// verifier that walks a list of hostile length asks before it describes the
// next element.
func (f *Findings) Full(rule string) bool { return f.count[rule] >= MaxPerRule }
