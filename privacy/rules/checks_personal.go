package rules

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"finishline/canon"
)

var (
	// Last labels that are reserved, or that are suffixes of files and
	// versions rather than domains.
	notDomains = setOfStrings(strings.Fields("example test invalid localhost local onion internal lan png jpg jpeg gif svg webp ico js mjs cjs ts tsx jsx json md css map lock html txt yml yaml toml py go rs beta alpha rc next canary dev0 tgz whl"))
	reserved   = setOfStrings(strings.Fields("example.com example.org example.net example.edu"))
	nobodies   = setOfStrings(strings.Fields("git hg svn noreply no-reply donotreply do-not-reply postmaster mailer-daemon"))
	label      = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`)
	density    = regexp.MustCompile(`^[0-9]+x$`)
	version    = regexp.MustCompile(`^v?[0-9]+$`)
)

// email reports whether an address may be a person's.
func email(s []byte) bool {
	user, domain, found := strings.Cut(string(appendLower(nil, s)), "@")
	if !found || nobodies[user] || strings.HasPrefix(user, ".") || strings.HasSuffix(user, ".") || strings.Contains(user, "..") {
		return false
	}
	for _, end := range []string{"-noreply", "+noreply", ".noreply"} {
		if strings.HasSuffix(user, end) {
			return false
		}
	}
	if strings.HasSuffix(domain, "noreply.github.com") || domain == "noreply.gitlab.com" {
		return false
	}
	labels := strings.Split(domain, ".")
	n := len(labels)
	if n < 2 || notDomains[labels[n-1]] || reserved[labels[n-2]+"."+labels[n-1]] || density.MatchString(labels[0]) {
		return false
	}
	for i, l := range labels {
		if !label.MatchString(l) || i > 0 && isDigit(l[0]) && version.MatchString(labels[i-1]) {
			return false
		}
	}
	return true
}

// phone reports whether a number can be somebody's.
func phone(s []byte) bool {
	var number []byte
	separators, open, doubled, unbalanced := 0, 0, false, false
	for i, c := range s {
		switch {
		case isDigit(c):
			number = append(number, c)
		case c == '+':
		default:
			separators++
			switch {
			case c == '(':
				open++
			case c == ')':
				open--
				unbalanced = unbalanced || open < 0
			default:
				doubled = doubled || i > 0 && bytes.IndexByte([]byte(" .-"), s[i-1]) >= 0
			}
		}
	}
	national := number
	if s[0] != '+' {
		if open != 0 || unbalanced {
			return false
		}
	} else {
		if len(number) < 8 || len(number) > 15 || doubled || separators == 0 && len(number) < 10 {
			return false
		}
		national = nil
		if number[0] == '1' && len(number) == 11 {
			national = number[1:]
		}
	}
	if len(national) == 10 && bytes.HasPrefix(national[3:], []byte("55501")) {
		return false
	}
	distinct, _ := countDistinct(number, 4)
	return distinct >= 4 && !ascends(number, 8)
}

// checkCard reports whether a number is that of a payment card.
func checkCard(v *view, m match) bool {
	s := v.text[m.from:m.to]
	number := onlyDigits(s)
	if !cardIssuer(number) || !luhn(number) || listed().publishedCards[string(number)] {
		return false
	}
	if distinct, _ := countDistinct(number, 4); distinct < 4 {
		return false
	}
	if len(number) == len(s) {
		return v.has(hasCardWord)
	}
	groups := []int{4, 4, 4, 4}
	if len(number) == 15 {
		groups = []int{4, 6, 5}
	}
	return grouped(s, groups)
}

func onlyDigits(s []byte) []byte {
	number := make([]byte, 0, len(s))
	for _, c := range s {
		if isDigit(c) {
			number = append(number, c)
		}
	}
	return number
}

func cardIssuer(number []byte) bool {
	n := string(number)
	switch len(n) {
	case 15:
		return n[:2] == "34" || n[:2] == "37"
	case 16:
		return n[0] == '4' || "51" <= n[:2] && n[:2] <= "55" || "2221" <= n[:4] && n[:4] <= "2720" || n[:4] == "6011" || n[:2] == "65"
	}
	return false
}

func luhn(number []byte) bool {
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// grouped reports whether digits stand in groups of these sizes with one kind
// of separator between.
func grouped(s []byte, sizes []int) bool {
	var sep byte
	for i, size := range sizes {
		if i > 0 {
			if len(s) == 0 || isDigit(s[0]) || sep != 0 && s[0] != sep {
				return false
			}
			sep, s = s[0], s[1:]
		}
		if len(s) < size || countDigits(s[:size]) != size {
			return false
		}
		s = s[size:]
	}
	return len(s) == 0
}

// Account numbers that the standard and the banks publish as samples.
var publishedIBANs = setOfStrings([]string{
	"GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606", "NL91ABNA0417164300", "GB29NWBK60161331926819",
	"CH9300762011623852957", "ES9121000418450200051332", "BE68539007547034", "IT60X0542811101000000123456",
})

// iban verifies the length and the check digits of an account number.
func iban(s []byte) bool {
	plain := bytes.ReplaceAll(s, []byte(" "), nil)
	if len(plain) < 4 || listed().ibanLengths[string(plain[:2])] != len(plain) || publishedIBANs[string(plain)] {
		return false
	}
	rest := 0
	for _, c := range append(slices.Clone(plain[4:]), plain[:4]...) {
		if isDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}

var publishedSSNs = setOfStrings(strings.Fields("078-05-1120 219-09-9999 123-45-6789 111-11-1111 222-22-2222 333-33-3333 457-55-5462"))

func ssn(s []byte) bool {
	n := string(s)
	area, group, serial := n[:3], n[4:6], n[7:]
	return area != "000" && area != "666" && area[0] != '9' && group != "00" && serial != "0000" && !publishedSSNs[n]
}

var reservedPrefixes = sync.OnceValue(func() []netip.Prefix {
	var list []netip.Prefix
	for _, p := range listed().reservedIPv4 {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
})

// A word that makes four numbers a version, with its quote and operator.
// "ver" within a word, as in "server", is none.
var versionWord = regexp.MustCompile(`(?:(?i:version)|(?:^|[^A-Za-z])(?i:ver|release|build|firmware|v)|[a-z](?:Ver|Release|Build|Firmware))$`)

func checkIPv4(v *view, m match) bool {
	if rest := v.text[m.end:]; len(rest) >= 2 && (rest[0] == '.' && isDigit(rest[1]) || rest[0] == '-' && isAlpha(rest[1])) {
		return false
	}
	text := string(v.text[m.from:m.to])
	addr, err := netip.ParseAddr(text)
	if err != nil || listed().resolvers[text] || strings.HasSuffix(text, ".0.0") {
		return false
	}
	small := true
	for _, octet := range addr.As4() {
		small = small && octet < 10
	}
	if small || slices.ContainsFunc(reservedPrefixes(), func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return false
	}
	before := v.text[:m.start]
	if n := len(before); n >= 2 && before[n-1] == '/' && isAlpha(before[n-2]) {
		return false
	}
	return !versionBefore(before)
}

// versionBefore reports whether a text ends in a word such as "version", and
// what may stand between it and a number.
func versionBefore(before []byte) bool {
	at := len(before)
	for at > 0 {
		r, n := utf8.DecodeLastRune(before[:at])
		if !canon.IsSpace(r) && !strings.ContainsRune(`:="'#`, r) {
			break
		}
		at -= n
	}
	return versionWord.Match(before[max(0, at-16):at])
}

var (
	ipv6Global   = netip.MustParsePrefix("2000::/3")
	ipv6Excepted = []netip.Prefix{netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20")}
)

func ipv6(s []byte) bool {
	text := string(s)
	if !strings.Contains(text, "::") && strings.Count(text, ":") != 7 {
		return false
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || !ipv6Global.Contains(addr) || listed().resolvers[addr.String()] {
		return false
	}
	if slices.ContainsFunc(ipv6Excepted, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return false
	}
	return len(text)-strings.Count(text, ":") >= 8
}

// mac reports whether an address was given to a device by its maker.
func mac(s []byte) bool {
	var octets [6]byte
	for i := range octets {
		high, _ := hexDigit(s[3*i])
		low, _ := hexDigit(s[3*i+1])
		octets[i] = high<<4 | low
		if i > 0 && s[3*i-1] != s[2] {
			return false
		}
	}
	if octets[0]&3 != 0 || octets == [6]byte{} {
		return false
	}
	return !bytes.Equal(octets[:5], []byte{0x00, 0x00, 0x5e, 0x00, 0x53})
}

// A compiler's option right before a path, such as -I/home/kim, and the bytes
// that tell: the longest space and the longest option.
var shortOption = regexp.MustCompile(`(?:^|[` + canon.SpaceClass + `])-[A-Za-z]{1,2}$`)

const shortOptionLen = 6

func checkHomeUser(v *view, m match) bool {
	user := strings.TrimRight(canon.Trim(string(appendLower(nil, v.text[m.from:m.to]))), ".")
	if user == "" || listed().sharedAccounts[user] || strings.ContainsAny(user, "<>{}$*%[]") {
		return false
	}
	before := v.text[:m.start]
	if len(before) == 0 {
		return true
	}
	if last := before[len(before)-1]; !names.has(last) && last != '~' && last != '/' {
		return true
	}
	return bytes.HasSuffix(before, []byte("file://")) || shortOption.Match(before[max(0, len(before)-shortOptionLen):])
}
