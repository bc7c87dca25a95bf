package review

import (
	"regexp"
	"strconv"
	"time"
)

// basePattern is the ISO 8601 form of contract 02 §5: a date of one to three
// parts, optionally a time, and after a time optionally an offset.
var basePattern = regexp.MustCompile(
	`^(\d{4}|[+-]\d{6})(?:-(\d{2})(?:-(\d{2}))?)?(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):(\d{2}))?)?$`)

// maxTimestamp is the longest text that is tried as a timestamp, in bytes.
const maxTimestamp = 4096

// maxInstant is how far from 1970 an instant may be, in milliseconds.
const maxInstant = 8.64e15

// baseTime reads a timestamp as base level does: a day is not checked against
// its month and rolls over, 24:00:00 is the next day, and a time without an
// offset is taken as UTC, so that the answer is the same on every machine.
func baseTime(s string) (time.Time, bool) {
	if len(s) > maxTimestamp {
		return time.Time{}, false
	}
	m := basePattern.FindStringSubmatch(s)
	if m == nil || m[1] == "-000000" {
		return time.Time{}, false
	}
	number := func(text string, absent int) int {
		n, err := strconv.Atoi(text) // at most six digits
		if err != nil {
			return absent
		}
		return n
	}
	year, month, day := number(m[1], 0), number(m[2], 1), number(m[3], 1)
	hour, minute, second := number(m[4], 0), number(m[5], 0), number(m[6], 0)
	offsetHour, offsetMinute := number(m[9], 0), number(m[10], 0)
	nanos := nanoseconds(m[7])
	midnight := hour == 24 && minute == 0 && second == 0 && !hasNonZero(m[7])
	switch {
	case month < 1 || month > 12, day < 1 || day > 31:
		return time.Time{}, false
	case hour > 23 && !midnight, minute > 59, second > 59, offsetHour > 23, offsetMinute > 59:
		return time.Time{}, false
	}
	offset := time.Duration(offsetHour)*time.Hour + time.Duration(offsetMinute)*time.Minute
	if m[8] == "-" {
		offset = -offset
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC).Add(-offset)
	ms := float64(t.UnixMilli())
	return t, ms >= -maxInstant && ms <= maxInstant
}

// nanoseconds reads the first nine digits of a fraction.
func nanoseconds(fraction string) int {
	n := 0
	for i := range 9 {
		n *= 10
		if i < len(fraction) {
			n += int(fraction[i] - '0')
		}
	}
	return n
}

func hasNonZero(digits string) bool {
	for i := range len(digits) {
		if digits[i] != '0' {
			return true
		}
	}
	return false
}

// strictPattern is the RFC 3339 form of contract 02 §10.
var strictPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$`)

// isStrictTime reports whether s is an RFC 3339 date-time with a real calendar
// date, seconds 00 to 59 and at most nine fraction digits.
func isStrictTime(s string) bool {
	if !strictPattern.MatchString(s) {
		return false
	}
	if _, ok := baseTime(s); !ok || s[11:13] == "24" {
		return false
	}
	_, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)]) // refuses a day that the month lacks
	return err == nil
}
