package produce

import (
	"slices"
	"strings"
	"testing"

	"finishline/canon"
)

func TestTheAllowList(t *testing.T) {
	const listed = "APPDATA CI COMSPEC GITHUB_ACTIONS HOME HOMEDRIVE HOMEPATH LANG LC_ALL LOCALAPPDATA PATH PATHEXT PROGRAMDATA PROGRAMFILES " +
		"PROGRAMFILES(X86) PROGRAMW6432 SHELL SYSTEMDRIVE SYSTEMROOT TEMP TERM TMP TMPDIR USERPROFILE WINDIR"
	var parent []string
	for _, name := range strings.Fields(listed) {
		parent = append(parent, name+"=1")
	}
	if got := childEnvironment(variables(parent), nil); !slices.Equal(got, parent) {
		t.Errorf("%q", got)
	}
	others := []string{"PWD=/", "LD_PRELOAD=x", "GIT_DIR=x", "NODE_OPTIONS=x", "LC_ALLX=x", "ſhell=x", "=C:=C:\\", "noequals", "=", "API_TOKEN=x"}
	if got := childEnvironment(variables(others), nil); len(got) != 0 || got == nil {
		t.Errorf("%q", got)
	}
	// The spelling is the parent's; passed names match in any case, too.
	got := childEnvironment(variables([]string{"Path=/bin", "http_proxy=a", "HTTP_PROXY=b", "Empty=", "VALUE=a=b"}), []string{"Http_Proxy", "EMPTY", "value"})
	if want := []string{"Path=/bin", "http_proxy=a", "HTTP_PROXY=b", "Empty=", "VALUE=a=b"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The digest is that of the allow-listed variables by their names in upper case
// and of nothing else.
func TestTheDigestOfTheAllowedEnvironment(t *testing.T) {
	const bytes = `{"HOME":"/home/ines","LANG":"C","PATH":"/bin"}`
	for _, parent := range [][]string{
		{"PATH=/bin", "HOME=/home/ines", "LANG=C"},
		{"Lang=C", "home=/home/ines", "OTHER=x", "PATH=/bin", "API_TOKEN=x"},
		{"PATH=/first", "LANG=C", "HOME=/home/ines", "PATH=/bin"},
	} {
		if got := allowedSHA256(variables(parent)); got != canon.TextDigest(bytes) {
			t.Errorf("%q: %s", parent, got)
		}
	}
	for _, parent := range [][]string{{"PATH=/bin", "HOME=/home/other", "LANG=C"}, {"PATH=/bin", "HOME=/home/ines"}} {
		if allowedSHA256(variables(parent)) == canon.TextDigest(bytes) {
			t.Errorf("%q makes no difference", parent)
		}
	}
}

func TestTheRedactionSet(t *testing.T) {
	parent := variables([]string{
		"API_TOKEN=t", "db_url=u", "EMPTY_SECRET=", "HOME=/home/ines", "USERPROFILE=C:\\Users\\Ines", "TOKEN_COUNT=12", "PLAIN=p",
		"Passed=v1", "named=v2", "LATIN_SECRET=\xff",
	})
	r := redactorOf(parent, []string{"PASSED"}, []string{"NAMED"}, []string{"tool", "--token", "f1", "--db-dsn=f2", "x"})
	slices.Sort(r.known)
	want := []string{"t", "u", "/home/ines", `\home\ines`, `C:\Users\Ines`, "C:/Users/Ines", "v1", "v2", "f1", "f2", "\uFFFD"}
	slices.Sort(want)
	if got := slices.Compact(r.known); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if r := redactorOf(variables([]string{"HOME=/", "USERPROFILE="}), nil, nil, []string{"tool"}); len(r.known) > 0 {
		t.Errorf("%q", r.known)
	}
}
