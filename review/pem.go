package review

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// A KeyError says why a publicKeyPem holds no usable Ed25519 key.
type KeyError struct{ Reason string }

func (e *KeyError) Error() string { return e.Reason }

func keyErrorf(format string, args ...any) error {
	return &KeyError{fmt.Sprintf(format, args...)}
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemTail  = "-----"
	pemLabel = "PUBLIC KEY"
)

// ParsePublicKey reads publicKeyPem as base level does when a key is used
// (contract 01 §7.3): the first block labelled PUBLIC KEY counts, text around
// it and blocks with other labels are ignored, and its DER may have long-form
// lengths and trailing bytes. It refuses everything but Ed25519, so that the
// document can never choose the signature algorithm. The error is a *KeyError.
//
// The 32 bytes are not checked to be a point of the curve; see
// [PublicKey.Weakness].
func ParsePublicKey(text string) (PublicKey, error) {
	body, err := publicKeyBlock(text)
	if err != nil {
		return PublicKey{}, err
	}
	der, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return PublicKey{}, keyErrorf("the PUBLIC KEY block is not padded base64")
	}
	return parseSPKI(der)
}

// ParseStrictPublicKey reads publicKeyPem as strict level demands for every
// key of a store (strict.trust.key-encoding): exactly one block, exactly the
// 44 bytes of an Ed25519 SubjectPublicKeyInfo, nothing around. Instead of
// listing what a lenient reader lets through it writes the key again and
// compares. The error is a *KeyError.
func ParseStrictPublicKey(text string) (PublicKey, error) {
	key, err := ParsePublicKey(text)
	if err != nil {
		return PublicKey{}, err
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	if len(lines) < 3 {
		return PublicKey{}, keyErrorf("not a block of at least three lines")
	}
	for i, line := range lines[:len(lines)-1] {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	last := len(lines) - 1
	if lines[0] != pemBegin+pemLabel+pemTail || lines[last] != pemEnd+pemLabel+pemTail {
		return PublicKey{}, keyErrorf("text, spaces or another block around the PUBLIC KEY block")
	}
	if strings.Join(lines[1:last], "") != base64.StdEncoding.EncodeToString(key.spki()) {
		return PublicKey{}, keyErrorf("not the one encoding of the key: 44 bytes of DER in strict base64")
	}
	if !onlyLineEnds(text[len(strings.TrimRight(text, "\r\n")):]) {
		return PublicKey{}, keyErrorf("a carriage return that ends no line")
	}
	return key, nil
}

// onlyLineEnds reports whether s is a sequence of LF and CRLF.
func onlyLineEnds(s string) bool {
	return !strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r")
}

// publicKeyBlock returns the base64 text of the first block labelled PUBLIC
// KEY, its lines joined.
func publicKeyBlock(text string) (string, error) {
	var body strings.Builder
	label := "" // of the block we are in, "" outside
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case label == "":
			label = beginLabel(line)
		case strings.HasPrefix(line, pemEnd):
			if line != pemEnd+label+pemTail {
				return "", keyErrorf("a PEM block ends with another label than it begins with")
			}
			if label == pemLabel {
				return body.String(), nil
			}
			label = ""
		case label == pemLabel:
			if !isBase64Line(line) {
				return "", keyErrorf("a line of the PUBLIC KEY block is not base64")
			}
			body.WriteString(line)
		}
	}
	if label != "" {
		return "", keyErrorf("a PEM block has no END line")
	}
	return "", errNoBlock
}

var errNoBlock error = &KeyError{"no PUBLIC KEY block"}

// beginLabel is the label of a BEGIN line, "" for any other line.
func beginLabel(line string) string {
	rest, begins := strings.CutPrefix(line, pemBegin)
	label, ends := strings.CutSuffix(rest, pemTail)
	if !begins || !ends {
		return ""
	}
	return label
}

func isBase64Line(line string) bool {
	if line == "" {
		return false // ends the headers that some readers accept; none are allowed
	}
	for i := range len(line) {
		if _, ok := base64Digit(line[i]); !ok && line[i] != '=' {
			return false
		}
	}
	return true
}

// parseSPKI reads a SubjectPublicKeyInfo of an Ed25519 key (RFC 8410): a
// sequence of the algorithm, which is the OID 1.3.101.112 without parameters,
// and a bit string of 32 bytes. Lengths may be in the long form, bytes after
// the structure are ignored.
func parseSPKI(der []byte) (PublicKey, error) {
	const tagSequence, tagOID, tagBitString = 0x30, 0x06, 0x03
	outer, _, err := element(der, tagSequence)
	if err != nil {
		return PublicKey{}, err
	}
	algorithm, rest, err := element(outer, tagSequence)
	if err != nil {
		return PublicKey{}, err
	}
	oid, parameters, err := element(algorithm, tagOID)
	if err != nil {
		return PublicKey{}, err
	}
	if string(oid) != oidEd25519 || len(parameters) != 0 {
		return PublicKey{}, keyErrorf("a key of another algorithm than Ed25519 (%s)", algorithmName(oid))
	}
	bits, rest, err := element(rest, tagBitString)
	if err != nil {
		return PublicKey{}, err
	}
	if len(rest) != 0 || len(bits) != 1+len(PublicKey{}) || bits[0] != 0 {
		return PublicKey{}, keyErrorf("an Ed25519 key must have exactly 32 bytes")
	}
	return PublicKey(bits[1:]), nil
}

const oidEd25519 = "\x2b\x65\x70"

// algorithmName names the algorithms that people mistake for Ed25519.
func algorithmName(oid []byte) string {
	switch string(oid) {
	case oidEd25519:
		return "Ed25519 with parameters"
	case "\x2b\x65\x6e":
		return "X25519"
	case "\x2b\x65\x71":
		return "Ed448"
	case "\x2a\x86\x48\xce\x3d\x02\x01":
		return "EC"
	case "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01":
		return "RSA"
	}
	return "unknown"
}

var errDER error = &KeyError{"the PUBLIC KEY block is not a DER SubjectPublicKeyInfo"}

// element takes one element of the given tag off the front of der. Its length
// may be in the long form with leading zeros, but not indefinite.
func element(der []byte, tag byte) (content, rest []byte, err error) {
	if len(der) < 2 || der[0] != tag {
		return nil, nil, errDER
	}
	size, der := int(der[1]), der[2:]
	if size&0x80 != 0 {
		count := size & 0x7f
		if count == 0 || count > len(der) {
			return nil, nil, errDER
		}
		size = 0
		for _, b := range der[:count] {
			if size > len(der) {
				return nil, nil, errDER
			}
			size = size<<8 | int(b)
		}
		der = der[count:]
	}
	if size > len(der) {
		return nil, nil, errDER
	}
	return der[:size], der[size:], nil
}

// IsKeyError reports whether err says that a text holds no usable key.
func IsKeyError(err error) bool {
	var ke *KeyError
	return errors.As(err, &ke)
}
