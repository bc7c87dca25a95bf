package canon

// Instant reads the canonical timestamp of contract 05, section 3: the text
// that an instant prints back as, YYYY-MM-DDTHH:MM:SS.mmmZ with exactly three
// decimals and no offset. ms counts from 1970.
func Instant(v Value) (ms int64, ok bool) {
	s, isString := v.Str()
	if !isString || len(s) != len("2006-01-02T15:04:05.000Z") || s[19] != '.' || s[23] != 'Z' {
		return 0, false
	}
	return Timestamp(s)
}
