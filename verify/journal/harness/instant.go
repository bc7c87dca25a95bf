package harness

import (
	"bytes"
	"cmp"
	"time"
)

// An instant is a point in time, with as many decimals as were written.
type instant struct {
	seconds  int64
	fraction string // decimals, without zeros at the end
}

func (a instant) cmp(b instant) int {
	if c := cmp.Compare(a.seconds, b.seconds); c != 0 {
		return c
	}
	return cmp.Compare(a.fraction, b.fraction)
}

// parseInstant reads an RFC 3339 date-time as contract 20, section 3, has it:
// upper-case T and Z, a day the month has, seconds from 00 to 59, and an offset.
func parseInstant(b []byte) (instant, bool) {
	const form = "0000-00-00T00:00:00"
	if len(b) <= len(form) {
		return instant{}, false
	}
	for i := range form {
		if c := b[i]; form[i] == '0' && (c < '0' || c > '9') || form[i] != '0' && c != form[i] {
			return instant{}, false
		}
	}
	year, month, day := two(b)*100+two(b[2:]), two(b[5:]), two(b[8:])
	hour, minute, second := two(b[11:]), two(b[14:]), two(b[17:])
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if y, m, d := t.Date(); y != year || int(m) != month || d != day || hour > 23 || minute > 59 || second > 59 {
		return instant{}, false
	}
	at := instant{seconds: t.Unix()}
	rest := b[len(form):]
	if rest[0] == '.' {
		end := 1
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if end == 1 {
			return instant{}, false
		}
		at.fraction = string(bytes.TrimRight(rest[1:end], "0"))
		rest = rest[end:]
	}
	offset, ok := parseOffset(rest)
	at.seconds -= offset
	return at, ok
}

// parseOffset reads Z or ±hh:mm, in seconds.
func parseOffset(b []byte) (int64, bool) {
	if string(b) == "Z" {
		return 0, true
	}
	if len(b) != 6 || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return 0, false
	}
	for _, i := range []int{1, 2, 4, 5} {
		if b[i] < '0' || b[i] > '9' {
			return 0, false
		}
	}
	hours, minutes := two(b[1:]), two(b[4:])
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset := int64(hours*3600 + minutes*60)
	if b[0] == '-' {
		offset = -offset
	}
	return offset, true
}

func two(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }
