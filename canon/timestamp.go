package canon

import (
	"regexp"
	"strings"
	"time"
)

var timestampForm = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// Timestamp reads the timestamp form of contract 07, section 1.2, and returns
// the instant in whole milliseconds since 1970; further fraction digits are
// dropped. A day that its month does not have is no timestamp. The pattern
// comes first because time.Parse is more lenient than the format.
func Timestamp(s string) (ms int64, ok bool) {
	if !timestampForm.MatchString(s) {
		return 0, false
	}
	frac := ""
	if dot := strings.IndexByte(s, '.'); dot >= 0 {
		end := dot + 1
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		frac = s[dot+1 : end]
		s = s[:dot] + s[end:]
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, false
	}
	ms = t.UnixMilli()
	for i, unit := 0, int64(100); i < 3 && i < len(frac); i, unit = i+1, unit/10 {
		ms += int64(frac[i]-'0') * unit
	}
	return ms, true
}

// TimestampOf applies [Timestamp] to a string value; anything else is none.
func TimestampOf(v Value) (ms int64, ok bool) {
	s, isString := v.Str()
	if !isString {
		return 0, false
	}
	return Timestamp(s)
}
