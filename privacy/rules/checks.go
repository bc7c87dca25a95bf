package rules

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"
)

// A view is one text that rules are held against: a line, or a piece of one
// that was decoded.
type view struct {
	text []byte
	// What checks that look at the whole view found, so that each looks once.
	asked, holds uint8
}

// A match is where an expression matched in a view.
type match struct {
	start, end int // the match
	from, to   int // its secret
}

// A check says whether a match may be a finding (contract 10 §15.3).
type check func(v *view, m match) bool

var checks = map[string]check{
	"placeholder":              func(v *view, m match) bool { return !placeholder(v.text[m.from:m.to]) },
	"mixed":                    checkMixed,
	"digits2":                  func(v *view, m match) bool { return countDigits(v.text[m.from:m.to]) >= 2 },
	"digits3":                  func(v *view, m match) bool { return countDigits(v.text[m.from:m.to]) >= 3 },
	"pem-follow":               checkPEM,
	"bech32":                   func(v *view, m match) bool { return bech32(v.text[m.from:m.to], "age-secret-key-") },
	"decodes-to-private-key":   checkPrivateKey,
	"decodes-to-user-password": func(v *view, m match) bool { return userPassword(v.text[m.from:m.to]) },
	"url-password":             func(v *view, m match) bool { return urlPassword(v.text[m.from:m.to]) },
	"jwt":                      func(v *view, m match) bool { return jwt(v.text[m.from:m.to]) },
	"discord-id":               checkDiscord,
	"line-has-kty":             func(v *view, m match) bool { return v.has(hasKty) },
	"line-has-amz-credential":  func(v *view, m match) bool { return v.has(hasAmzCredential) },
	"line-has-sas-expiry":      func(v *view, m match) bool { return v.has(hasSASExpiry) },
	"generic":                  checkGeneric,
	"not-digest-name":          checkDigestName,
	"not-path":                 func(v *view, m match) bool { return !pathLike(v.text[m.from:m.to]) },
	"not-wordy":                func(v *view, m match) bool { return !wordy(v.text[m.from:m.to]) },
	"not-text":                 checkNotText,
	"not-jwk":                  func(v *view, m match) bool { return !v.has(hasKty) },
	"email":                    func(v *view, m match) bool { return email(v.text[m.from:m.to]) },
	"phone":                    func(v *view, m match) bool { return phone(v.text[m.from:m.to]) },
	"card":                     checkCard,
	"iban":                     func(v *view, m match) bool { return iban(v.text[m.from:m.to]) },
	"ssn":                      func(v *view, m match) bool { return ssn(v.text[m.from:m.to]) },
	"ipv4":                     checkIPv4,
	"ipv6":                     func(v *view, m match) bool { return ipv6(v.text[m.from:m.to]) },
	"mac":                      func(v *view, m match) bool { return mac(v.text[m.from:m.to]) },
	"home-user":                checkHomeUser,
}

// Facts about a whole view.
const (
	hasKty = 1 << iota
	hasAmzCredential
	hasSASExpiry
	hasCardWord
)

func (v *view) has(fact uint8) bool {
	if v.asked&fact == 0 {
		v.asked |= fact
		if viewHas(v.text, fact) {
			v.holds |= fact
		}
	}
	return v.holds&fact != 0
}

func viewHas(text []byte, fact uint8) bool {
	switch fact {
	case hasKty:
		return bytes.Contains(text, []byte(`"kty"`))
	case hasAmzCredential:
		return bytes.Contains(text, []byte("X-Amz-Credential="))
	case hasSASExpiry:
		return sasExpiry.Match(text) && sasPermission.Match(text)
	case hasCardWord:
		return cardWord.Match(text)
	}
	return false
}

var (
	sasExpiry     = regexp.MustCompile(`[?&]se=`)
	sasPermission = regexp.MustCompile(`[?&]sp=`)
	cardWord      = regexp.MustCompile(`(?i)\b(?:card|pan|visa|amex|mastercard|credit)`)
)

// entropySteps is in how many parts entropy divides a bit. Sums of logarithms
// are off by some 1e-15, and what is exactly at a bound is not below it.
const entropySteps = 1 << 40

// entropy is the Shannon entropy of a text in bits per character.
func entropy(text []byte) float64 {
	var counts [utf8.RuneSelf]int
	var rare []rune
	total := 0
	for i := 0; i < len(text); total++ {
		if c := text[i]; c < utf8.RuneSelf {
			counts[c]++
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		rare = append(rare, r)
		i += n
	}
	if total == 0 {
		return 0
	}
	sum := 0.0
	add := func(n int) {
		if n > 1 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	for _, n := range counts {
		add(n)
	}
	slices.Sort(rare)
	for len(rare) > 0 {
		n := 1
		for n < len(rare) && rare[n] == rare[0] {
			n++
		}
		add(n)
		rare = rare[n:]
	}
	return math.Round((math.Log2(float64(total))-sum/float64(total))*entropySteps) / entropySteps
}
