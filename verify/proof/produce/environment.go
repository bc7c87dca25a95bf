package produce

import (
	"slices"
	"strings"

	"finishline/canon"
	"finishline/privacy/secret"
)

// allowed are the variables that a command always gets (03 D.3), in lower case:
// they are matched case-insensitively.
var allowed = lowered("APPDATA CI COMSPEC GITHUB_ACTIONS HOME HOMEDRIVE HOMEPATH LANG LC_ALL LOCALAPPDATA PATH PATHEXT PROGRAMDATA " +
	"PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 SHELL SYSTEMDRIVE SYSTEMROOT TEMP TERM TMP TMPDIR USERPROFILE WINDIR")

func lowered(names string) []string { return strings.Fields(canon.LowerASCII(names)) }

// A variable is one entry of an environment. Its name is spelled as found.
type variable struct{ name, value string }

// variables splits NAME=value entries, of which Windows has some whose name
// begins with "=". What has no name is dropped.
func variables(environ []string) []variable {
	var list []variable
	for _, entry := range environ {
		if i := strings.Index(entry, "="); i > 0 {
			list = append(list, variable{entry[:i], entry[i+1:]})
		}
	}
	return list
}

func (v variable) in(lower []string) bool { return slices.Contains(lower, canon.LowerASCII(v.name)) }

// childEnvironment is what of the parent's environment a command gets: the
// allow-list and the names that are passed.
func childEnvironment(parent []variable, pass []string) []string {
	pass = lowered(strings.Join(pass, " "))
	child := []string{}
	for _, v := range parent {
		if v.in(allowed) || v.in(pass) {
			child = append(child, v.name+"="+v.value)
		}
	}
	return child
}

// allowedSHA256 is allowlistedEnvironmentSha256: the digest of the allow-listed
// variables that the child has, by their names in upper case.
func allowedSHA256(parent []variable) string {
	var members []canon.Member
	for _, v := range parent {
		if v.in(allowed) {
			members = append(members, canon.Member{Name: strings.ToUpper(v.name), Value: canon.NewString(canon.DecodeUTF8([]byte(v.value)))})
		}
	}
	return canon.Digest(canon.Build(members...))
}

// A redactor replaces what must not be shown (03 D.4).
type redactor struct {
	known []string
	// guarded are the known values that are certainly secrets, rather than
	// parts of paths or settings that may well be named openly.
	guarded []string
}

// redactorOf collects the values that are redacted whatever they look like.
func redactorOf(parent []variable, pass, redact, argv []string) redactor {
	pass, redact = lowered(strings.Join(pass, " ")), lowered(strings.Join(redact, " "))
	home := lowered("HOME USERPROFILE")
	var r redactor
	for _, v := range parent {
		v.value = canon.DecodeUTF8([]byte(v.value))
		certain := secret.IsSecretName(v.name) || v.in(redact)
		if certain {
			r.guarded = append(r.guarded, v.value)
		}
		if certain || v.in(pass) {
			r.known = append(r.known, v.value)
		}
		if v.in(home) && len(v.value) > 1 {
			r.known = append(r.known, v.value, strings.ReplaceAll(v.value, `\`, "/"), strings.ReplaceAll(v.value, "/", `\`))
		}
	}
	flags, _ := secret.Argv(argv)
	for _, f := range flags {
		r.known, r.guarded = append(r.known, f.Value), append(r.guarded, f.Value)
	}
	r.known = slices.DeleteFunc(r.known, func(v string) bool { return v == "" })
	return r
}

// text redacts a text for a document.
func (r redactor) text(s string) string { return secret.Settle(s, r.known...) }

// argv is the form of a command line that may be persisted.
func (r redactor) argv(args []string) ([]string, bool) {
	persisted, ok := secret.RedactArgv(args, r.known...)
	for i, arg := range persisted {
		persisted[i] = secret.Settle(arg)
	}
	return persisted, ok
}

// leastGuarded is the length from which a value is looked for in what an
// operator names himself. A shorter one would be found by chance.
const leastGuarded = 8

// discloses reports whether a text that is persisted as it is holds a secret
// value.
func (r redactor) discloses(s string) bool {
	return slices.ContainsFunc(r.guarded, func(v string) bool { return len(v) >= leastGuarded && strings.Contains(s, v) })
}
