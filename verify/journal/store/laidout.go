package store

import "bytes"

// expect compares what comes next in the snapshot with a text, and reads over it.
func (c *companion) expect(text string) bool {
	for len(text) > 0 {
		if !c.more() {
			return false
		}
		n := min(len(text), len(c.rest))
		if string(c.rest[:n]) != text[:n] {
			return false
		}
		c.rest, text = c.rest[n:], text[n:]
	}
	return true
}

// token is expect of a part of another text.
func (c *companion) token(text []byte) bool {
	for len(text) > 0 {
		if !c.more() {
			return false
		}
		n := min(len(text), len(c.rest))
		if !bytes.Equal(c.rest[:n], text[:n]) {
			return false
		}
		c.rest, text = c.rest[n:], text[n:]
	}
	return true
}

// more has something to look at, unless the file has ended.
func (c *companion) more() bool {
	if len(c.rest) == 0 {
		c.rest = c.src.next()
	}
	return len(c.rest) > 0
}

// peek is the next byte, 0 at the end of the file.
func (c *companion) peek() byte {
	if !c.more() {
		return 0
	}
	return c.rest[0]
}

const spaces = "                                                                                                                                "

// newline expects the start of a line at a depth.
func (c *companion) newline(depth int) bool {
	return 2*depth <= len(spaces) && c.expect("\n") && c.expect(spaces[:2*depth])
}

// laidOut expects the pretty text (11 §1.2) of a value whose compact text is
// given, which must be one. The value starts at a depth, on a line that was
// begun.
func (c *companion) laidOut(text []byte, depth int) bool {
	for i := 0; i < len(text); {
		end, same := i+1, true
		switch b := text[i]; b {
		case '{', '[':
			if text[i+1] == b+2 { // } and ] follow { and [ by two
				end = i + 2
				same = c.token(text[i:end])
				break
			}
			depth++
			same = c.token(text[i:end]) && c.newline(depth)
		case '}', ']':
			depth--
			same = c.newline(depth) && c.token(text[i:end])
		case ',':
			same = c.token(text[i:end]) && c.newline(depth)
		case ':':
			same = c.expect(": ")
		case '"':
			end = afterString(text, i)
			same = c.token(text[i:end])
		default: // of a number, true, false or null
			same = c.token(text[i:end])
		}
		if !same {
			return false
		}
		i = end
	}
	return true
}

// afterString is the index after the closing quote of the string that starts at
// i of a JSON text.
func afterString(text []byte, i int) int {
	for {
		i += 1 + bytes.IndexByte(text[i+1:], '"')
		backslashes := 0
		for text[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i + 1
		}
	}
}
