package hux

// An instant is a point in time to the nanosecond.
type instant struct {
	seconds int64
	nanos   int32
	// impossible says that the text has the shape of a time, but its month
	// does not have the day.
	impossible bool
}

func (t instant) before(u instant) bool {
	return t.seconds < u.seconds || t.seconds == u.seconds && t.nanos < u.nanos
}

// parseTime reads a time in the one shape that counts (contract 21 §2): RFC
// 3339 with upper-case T and Z and at most nine decimals, seconds 00 to 59. The
// day is looked at only after the shape, and never makes it another shape.
func parseTime(text []byte) (t instant, ok bool) {
	const date = len("2006-01-02T15:04:05")
	if len(text) <= date || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return t, false
	}
	year, a := number2(text[0], text[1])
	century, b := number2(text[2], text[3])
	month, c := number2(text[5], text[6])
	day, d := number2(text[8], text[9])
	hour, e := number2(text[11], text[12])
	minute, f := number2(text[14], text[15])
	second, g := number2(text[17], text[18])
	if !(a && b && c && d && e && f && g) || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	year = year*100 + century
	rest := text[date:]
	if rest[0] == '.' {
		if t.nanos, rest, ok = fraction(rest[1:]); !ok {
			return t, false
		}
	}
	offset, ok := zone(rest)
	if !ok {
		return t, false
	}
	t.seconds = days(year, month, day)*86400 + int64(hour*3600+minute*60+second) - offset
	t.impossible = day > daysIn(year, month)
	return t, true
}

func number2(tens, ones byte) (n int, ok bool) {
	tens, ones = tens-'0', ones-'0'
	return int(tens)*10 + int(ones), tens <= 9 && ones <= 9
}

// fraction reads one to nine decimals.
func fraction(text []byte) (nanos int32, rest []byte, ok bool) {
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		if digits == 9 {
			return 0, nil, false
		}
		nanos = nanos*10 + int32(text[digits]-'0')
		digits++
	}
	for i := digits; i < 9; i++ {
		nanos *= 10
	}
	return nanos, text[digits:], digits > 0 && digits < len(text)
}

// zone reads Z or an offset, in seconds.
func zone(text []byte) (seconds int64, ok bool) {
	if len(text) == 1 {
		return 0, text[0] == 'Z'
	}
	if len(text) != len("+00:00") || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return 0, false
	}
	hours, a := number2(text[1], text[2])
	minutes, b := number2(text[4], text[5])
	seconds = int64(hours*3600 + minutes*60)
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, a && b && hours <= 23 && minutes <= 59
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// days counts the days since 1970 in the Gregorian calendar, which is what it
// counts before 1582 too; days from March on, so that a leap day comes last.
func days(year, month, day int) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year < 0 {
		era = -1
	}
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return int64(era)*146097 + int64(dayOfEra) - 719468
}
