package evidence

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"finishline/canon"
)

// A PathError says why an artifact path is refused, or why its file cannot be
// used. Rule is the id of contract 01, section 5.
type PathError struct {
	Rule   string
	Path   string
	Reason string
	// Unevaluated marks an error of the operating system other than "does
	// not exist": the artifact was not looked at.
	Unevaluated bool
}

func (e *PathError) Error() string { return fmt.Sprintf("%q: %s (%s)", e.Path, e.Reason, e.Rule) }

// Portable checks the portable form of an artifact path (01 §5.1) without
// touching the file system. A value that is not a string is given as "".
func Portable(path string) *PathError {
	refuse := func(rule, reason string) *PathError {
		return &PathError{Rule: "path." + rule, Path: path, Reason: reason}
	}
	switch {
	case path == "":
		return refuse("empty", "no path")
	case strings.ContainsFunc(path, func(c rune) bool { return c < 0x20 }):
		return refuse("control-character", "a control character in the path")
	case hasAnyPrefix(path, `\\?\`, `\\.\`, `\??\`, `//?/`, `//./`):
		return refuse("device-namespace", "a device namespace of another platform")
	case isUNC(path):
		return refuse("unc", "a network path")
	case strings.Count(path, ":") > driveColons(path):
		return refuse("colon", "a colon in the path")
	case driveColons(path) == 1:
		return refuse("drive", "a drive letter")
	}
	for _, part := range strings.FieldsFunc(path, isSeparator) {
		switch {
		case part == "..":
			return refuse("parent-traversal", "a parent component")
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return refuse("trailing-dot-or-space", "a component that ends with a dot or a space")
		case isDeviceName(part):
			return refuse("reserved-device-name", "a component that some platforms reserve for a device")
		}
	}
	return nil
}

// Canonical checks the canonical repository-relative form (01 §5.2).
func Canonical(path string) *PathError {
	refuse := func(rule, reason string) *PathError {
		return &PathError{Rule: "path." + rule, Path: path, Reason: reason}
	}
	switch {
	case path == "":
		return refuse("empty", "no path")
	case isSeparator(rune(path[0])), driveAbsolute(path):
		return refuse("not-relative", "an absolute path")
	case strings.Contains(path, `\`):
		return refuse("not-canonical", "a backslash in the path")
	}
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." {
			return refuse("not-canonical", "an empty, . or .. component")
		}
	}
	return Portable(path)
}

func isSeparator(c rune) bool { return c == '/' || c == '\\' }

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func isUNC(path string) bool {
	return len(path) > 2 && hasAnyPrefix(path, `\\`, `//`) && !isSeparator(rune(path[2]))
}

func driveAbsolute(path string) bool {
	return len(path) >= 3 && canon.IsAlnum(path[0]) && path[0] > '9' && path[1] == ':' && isSeparator(rune(path[2]))
}

// driveColons is how many colons a drive prefix accounts for.
func driveColons(path string) int {
	if driveAbsolute(path) {
		return 1
	}
	return 0
}

// isDeviceName recognises the reserved names, alone or followed by a dot and
// anything without a line terminator (7c). CR and LF were refused before.
func isDeviceName(part string) bool {
	name, ext, dotted := strings.Cut(part, ".")
	return reservedName(name) && !(dotted && strings.ContainsAny(ext, "\u2028\u2029"))
}

func reservedName(name string) bool {
	name = canon.LowerASCII(name)
	switch name {
	case "con", "prn", "aux", "nul", "clock$", "conin$", "conout$":
		return true
	}
	port, ok := strings.CutPrefix(name, "com")
	if !ok {
		port, ok = strings.CutPrefix(name, "lpt")
	}
	return ok && len(port) == 1 && port[0] >= '1' && port[0] <= '9'
}

// Bounds of strict.path.too-long, in bytes of UTF-8.
const (
	MaxPath      = 4096
	MaxComponent = 255
)

// StrictPath checks what strict level adds for the text of a path (01 §5.3), in
// the order of the contract. As with [Portable], the first failure is reported,
// alone.
func StrictPath(path string) *PathError {
	refuse := func(rule, reason string) *PathError {
		return &PathError{Rule: "strict.path." + rule, Path: path, Reason: reason}
	}
	parts := strings.FieldsFunc(path, isSeparator)
	switch {
	case strings.HasPrefix(path, "/"):
		return refuse("absolute", "an absolute path")
	case strings.Contains(path, `\`):
		return refuse("backslash", "a backslash in the path")
	case canon.HasLoneSurrogate(path) || strings.ContainsFunc(path, isSpecial):
		return refuse("special-character", "a character that file systems or terminals treat specially")
	case slices.ContainsFunc(parts, isDisguisedDevice):
		return refuse("superscript-device", "a component that some platforms read as a device")
	case !norm.NFC.IsNormalString(path):
		return refuse("not-nfc", "text that is not in Unicode NFC")
	case slices.ContainsFunc(parts, isGitDirectory):
		return refuse("git-directory", "a component inside Git's own directory")
	case len(path) > MaxPath || slices.ContainsFunc(parts, func(p string) bool { return len(p) > MaxComponent }):
		return refuse("too-long", fmt.Sprintf("more than %d bytes, or a component of more than %d", MaxPath, MaxComponent))
	}
	return nil
}

func isGitDirectory(part string) bool {
	part = canon.LowerASCII(part)
	return part == ".git" || part == "git~1"
}

func isSpecial(c rune) bool {
	switch {
	case c >= 0x7F && c <= 0x9F, c >= 0x200B && c <= 0x200F, c >= 0x2028 && c <= 0x202E,
		c >= 0x2060 && c <= 0x2069, c == 0xFEFF:
		return true
	}
	return strings.ContainsRune(`<>"|?*`, c)
}

// isDisguisedDevice recognises COM and LPT with a superscript digit or 0, and
// reserved names followed by spaces and then a dot or the end.
func isDisguisedDevice(part string) bool {
	name, _, _ := strings.Cut(part, ".")
	trimmed := strings.TrimRight(name, " ")
	if trimmed != name && reservedName(trimmed) {
		return true
	}
	lower := canon.LowerASCII(name)
	if !hasAnyPrefix(lower, "com", "lpt") {
		return false
	}
	switch lower[3:] {
	case "¹", "²", "³", "0":
		return true
	}
	return false
}
