package secret

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestArgv(t *testing.T) {
	for _, c := range []struct {
		args      []string
		flags     []Flag
		malformed bool
	}{
		{nil, nil, true},
		{[]string{""}, nil, true},
		{[]string{"run", "-v"}, nil, false},
		{[]string{"--token", "x"}, nil, false}, // the program is never a flag
		{[]string{"run", "--token=x=y"}, []Flag{{"--token", 1, Equals, -1, "x=y"}}, false},
		{[]string{"run", "--token", "--token"}, nil, true},
		{[]string{"run", "--token", "x", "--db.url", "y"}, []Flag{{"--token", 1, Split, 2, "x"}, {"--db.url", 3, Split, 4, "y"}}, false},
		{[]string{"run", "--token", "--x"}, nil, true},
		{[]string{"run", "--token"}, nil, true},
		{[]string{"run", "--token="}, nil, true},
		{[]string{"run", "--", "--secret", "x"}, []Flag{{"--secret", 2, Split, 3, "x"}}, false},
		{[]string{"run", "--service-account-key=x", "--access.keyId=y"}, []Flag{{"--service-account-key", 1, Equals, -1, "x"}, {"--access.keyId", 2, Equals, -1, "y"}}, false},
		{[]string{"run", "--token\n=x", "--tokén=x", "--9token=x", "-token=x", "--account-key=x"}, nil, false},
	} {
		flags, malformed := Argv(c.args)
		if malformed != c.malformed || !reflect.DeepEqual(flags, c.flags) {
			t.Errorf("Argv(%q) = %+v, %v; want %+v, %v", c.args, flags, malformed, c.flags, c.malformed)
		}
	}
}

// What RedactArgv persists passes the scan: the same flags, none of them raw.
func TestRedactArgvLeavesNoRawValue(t *testing.T) {
	pieces := []string{"run", "--token", "--token=abc", "--password", "--Secret=", "x", "-x", "", "--verbose", "=", "[REDACTED]", "--", "abc def", "password=z"}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 7).Draw(t, "args")
		flags, malformed := Argv(args)
		persisted, ok := RedactArgv(args)
		if ok == malformed {
			t.Fatalf("Argv says malformed=%v, RedactArgv says ok=%v", malformed, ok)
		}
		if !ok {
			return
		}
		after, malformed := Argv(persisted)
		if malformed || len(after) != len(flags) {
			t.Fatalf("%q persists as %q: %d flags became %d", args, persisted, len(flags), len(after))
		}
		for i, f := range after {
			if f.Raw() || f.Name != flags[i].Name || f.Index != flags[i].Index || f.Form != flags[i].Form {
				t.Errorf("%q persists as %q: flag %+v", args, persisted, f)
			}
		}
		if strings.Contains(strings.Join(persisted, " "), "abc def") && len(flags) > 0 && flags[0].Value == "abc def" {
			t.Errorf("%q persists as %q", args, persisted)
		}
	})
}
