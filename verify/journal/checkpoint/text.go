package checkpoint

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"finishline/canon"
	"finishline/verify/journal/event"
)

// A Checkpoint is the text of one.
type Checkpoint struct {
	Origin string
	Size   int64 // n, the number of records
	Root   tlog.Hash
	RunID  string
	Head   string // digest text of record n-1, "" for n = 0
	Config string // integrity.digest of the configuration
	// Previous is the digest of the checkpoint before, "" for the first one.
	Previous string
}

// Text is the text that is signed.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\nrun %s\nhead %s\nconfig %s\nprevious %s\n",
		c.Origin, c.Size, c.Root, c.RunID, dash(c.Head), c.Config, dash(c.Previous))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// maxName bounds origins and key names, in bytes.
const maxName = 256

// defaultOrigin starts the origin of a checkpoint that its operator has not
// named, before the storage key.
const defaultOrigin = "finishline/"

var (
	sizeForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)
)

// emptyRoot is the root of the tree without records.
var emptyRoot = tlog.Hash(sha256.Sum256(nil))

// Parse reads the text of a checkpoint. Exactly one text gives each checkpoint.
func Parse(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 8 || lines[7] != "" {
		return Checkpoint{}, fmt.Errorf("%d lines; seven were expected", strings.Count(text, "\n"))
	}
	c := Checkpoint{Origin: lines[0]}
	if !validOrigin(c.Origin) {
		return Checkpoint{}, errors.New("the origin is no schema-less URL without spaces and +")
	}
	if !sizeForm.MatchString(lines[1]) {
		return Checkpoint{}, errors.New("the number of records is not a decimal number without leading zeros")
	}
	var err error
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return Checkpoint{}, errors.New("the number of records does not fit 64 bits")
	}
	if c.Root, err = parseHash(lines[2]); err != nil {
		return Checkpoint{}, fmt.Errorf("the root is %w", err)
	}
	values := make([]string, 4)
	for i, word := range []string{"run", "head", "config", "previous"} {
		value, ok := strings.CutPrefix(lines[3+i], word+" ")
		if !ok {
			return Checkpoint{}, fmt.Errorf("line %d does not start with %q", 4+i, word+" ")
		}
		values[i] = value
	}
	c.RunID, c.Head, c.Config, c.Previous = values[0], undash(values[1]), values[2], undash(values[3])
	return c, c.check(values[1], values[3])
}

// check looks at the values of the named lines; head and previous are given as
// they were written.
func (c Checkpoint) check(head, previous string) error {
	switch {
	case !event.IsRunID(c.RunID):
		return errors.New("the run line has no run id")
	case head != "-" && !canon.IsHex64(head):
		return errors.New("the head is neither a digest nor -")
	case !canon.IsHex64(c.Config):
		return errors.New("the config line has no digest")
	case previous != "-" && (!canon.IsHex64(previous) || canon.HasUpperHex(previous)):
		return errors.New("the previous line has neither a lower-case digest nor -")
	case (c.Size == 0) != (c.Head == ""):
		return errors.New("the head is - for no records, and a digest otherwise")
	case c.Size == 0 && c.Root != emptyRoot:
		return errors.New("the root of no records is the SHA-256 of nothing")
	}
	return nil
}

// parseHash reads the one base64 text of a hash.
func parseHash(s string) (tlog.Hash, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != tlog.HashSize || base64.StdEncoding.EncodeToString(b) != s {
		return tlog.Hash{}, errors.New("not the padded base64 of 32 bytes")
	}
	return tlog.Hash(b), nil
}

// validName reports whether a text can name a key of a note.
func validName(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.Contains(s, "+") &&
		strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) < 0
}

// validOrigin reports whether a text can be an origin.
func validOrigin(s string) bool { return validName(s) && !strings.Contains(s, "://") }

// storageOf is the storage key of a default origin, "" for any other.
func (c Checkpoint) storageOf() string {
	key, ok := strings.CutPrefix(c.Origin, defaultOrigin)
	if !ok || !event.IsStorageKey(key) {
		return ""
	}
	return key
}

// Digest is how the next checkpoint names this whole note.
func Digest(note []byte) string {
	sum := sha256.Sum256(note)
	return hex.EncodeToString(sum[:])
}
