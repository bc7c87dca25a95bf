package rules

import (
	"bytes"
	"fmt"
)

// Bounds of how a configuration is written, which the TOML reader does not
// have. It calls itself for each level.
const (
	maxNesting  = 64 // brackets and braces, outside of strings
	maxKeyParts = 64 // names of a dotted key
)

// checkNesting refuses what the TOML reader would exhaust its stack on. It
// knows strings and comments and nothing else of the format: what is not TOML
// is for the reader to refuse.
func checkNesting(data []byte) error {
	depth, parts, line := 0, 0, 1
	for i := 0; i < len(data); {
		switch c := data[i]; c {
		case '#':
			n := bytes.IndexByte(data[i:], '\n')
			if n < 0 {
				return nil
			}
			i += n
			continue
		case '"', '\'':
			end := stringEnd(data, i)
			line += bytes.Count(data[i:end], newline)
			i = end
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
			parts = 0
		case '.':
			parts++
		case '=', ',':
			parts = 0
		case '\n':
			line++
			parts = 0
		}
		if depth > maxNesting {
			return fmt.Errorf("line %d: nested deeper than %d levels", line, maxNesting)
		}
		if parts >= maxKeyParts {
			return fmt.Errorf("line %d: a key of more than %d parts", line, maxKeyParts)
		}
		i++
	}
	return nil
}

// stringEnd gives the offset after the string that begins at an offset.
func stringEnd(data []byte, from int) int {
	quote := data[from]
	three := bytes.Repeat([]byte{quote}, 3)
	if bytes.HasPrefix(data[from:], three) {
		for i := from + 3; i < len(data); i++ {
			if data[i] == '\\' && quote == '"' {
				i++
			} else if bytes.HasPrefix(data[i:], three) {
				// Up to two quotes more belong to the string.
				end := i + 3
				for end < min(len(data), i+5) && data[end] == quote {
					end++
				}
				return end
			}
		}
		return len(data)
	}
	for i := from + 1; i < len(data); i++ {
		switch {
		case data[i] == '\n':
			return i
		case data[i] == '\\' && quote == '"':
			i++
		case data[i] == quote:
			return i + 1
		}
	}
	return len(data)
}
