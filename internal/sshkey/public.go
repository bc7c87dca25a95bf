package sshkey

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"strings"

	"golang.org/x/crypto/ssh"
)

// MaxFile bounds a key file, in bytes.
const MaxFile = 64 << 10

// ParsePublic reads an OpenSSH public key: the line of a .pub file, whose type
// is ssh-ed25519, with or without a comment. Blank lines and lines that start
// with # may surround it; a second key, the options of an authorized_keys file
// and certificates are refused, because what they say would be lost. The error
// is an *Error.
func ParsePublic(data []byte) (ed25519.PublicKey, error) {
	if bytes.Contains(data, []byte("PRIVATE KEY-----")) {
		return nil, &Error{"this is a private key; only the public half is ever enrolled",
			"ask the key's owner for the public half: the .pub file, or what ssh-keygen -y -f KEY prints"}
	}
	if len(data) > MaxFile {
		return nil, &Error{"larger than a key file can be", adviceWholeLine}
	}
	line, err := onlyLine(string(data))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) < 2 || fields[0] != ssh.KeyAlgoED25519 {
		return nil, notEd25519(fields)
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(fields[1])
	if err != nil || base64.StdEncoding.EncodeToString(blob) != fields[1] {
		return nil, &Error{"the key of the ssh-ed25519 line is not base64", adviceWholeLine}
	}
	key, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, &Error{"the key of the ssh-ed25519 line cannot be read", adviceWholeLine}
	}
	public, ok := ed25519Of(key)
	if !ok || !bytes.Equal(key.Marshal(), blob) {
		return nil, &Error{"the line says ssh-ed25519, and its key is another", adviceWholeLine}
	}
	return public, nil
}

const adviceWholeLine = "take the whole line of the .pub file, as its owner published it"

// onlyLine is the one line of a text that is neither blank nor a comment.
func onlyLine(text string) (string, error) {
	found := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Trim(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
		case found == "":
			found = line
		case strings.HasPrefix(line, "ssh-") && strings.HasPrefix(found, "ssh-"):
			return "", &Error{"more than one key", "enrol keys one at a time, each under a name of its own"}
		default:
			return "", notEd25519(nil)
		}
	}
	return found, nil
}

func notEd25519(fields []string) error {
	const advice = "trust stores hold Ed25519 keys: a line that starts with ssh-ed25519, or a PEM block of openssl pkey -pubout"
	switch {
	case len(fields) > 0 && strings.HasPrefix(fields[0], "sk-"):
		return &Error{"a key that lives in a security token signs other bytes than the review's", advice}
	case len(fields) > 0 && strings.Contains(fields[0], "-cert-"):
		return &Error{"a certificate, not a key", advice}
	case len(fields) > 1 && (strings.HasPrefix(fields[0], "ssh-") || strings.HasPrefix(fields[0], "ecdsa-")):
		return &Error{"a key of another algorithm than Ed25519", advice}
	case len(fields) > 2 && strings.Contains(strings.Join(fields, " "), ssh.KeyAlgoED25519+" "):
		return &Error{"a line of authorized_keys with options, not a public key", adviceWholeLine}
	}
	return &Error{"no public key", advice}
}
