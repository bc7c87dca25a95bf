package privacy

// An Engine is a set of rules besides the base detectors, such as the extended
// set of package privacy/rules. It is used by several goroutines at once.
type Engine interface {
	// Rules is how many kinds it looks for.
	Rules() int
	// Open begins a file. The findings in a file that turns out to be binary
	// are dropped, so nothing else may depend on them.
	Open(path string, key []byte) FileScan
	// Name reports whether a rule that can fail a verdict matches the name of a
	// file.
	Name(path string) bool
}

// A FileScan takes the bytes of one file in order, in blocks that end where a
// line does, unless a line is longer than a block.
type FileScan interface {
	Write(block []byte)
	// Close ends the file and returns what was found.
	Close() []Extra
}
