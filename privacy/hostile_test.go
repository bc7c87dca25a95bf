package privacy

import (
	"context"
	"strings"
	"testing"
	"time"

	"finishline/verify"
)

// Hostile lines of 1 MiB must cost about what harmless ones do: each of these
// would be quadratic for a search that starts over at every candidate.
func TestHostileLinesAreLinear(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 17 // still seconds if it were quadratic, with the race detector
	}
	for name, unit := range map[string]string{
		"dashes": "-", "begin": "-----BEGIN ", "key id": "AK" + "IA", "token": "gh" + "p_", "fine": "x" + "github" + "_pat_", "provider": "sk" + "-", "provider dashes": "sk" + "------",
		"bearer": "bearer ", "bearer and space": "bearer\u3000", "bearer run": "bearer =", "operators": ":", "names": "token", "chain": "a_", "chain and name": "a-token_", "name and operator": "token=",
		"open": "token=<,", "open square": "token=[,", "open brace": "token=${,", "open braces": "token=${{,", "half": "token=${{a},", "lone CR": "token=<\r,", "quotes": "token='", "escapes": `token=\`, "spaces": "token   ", "space op": " =",
		"backslashes": `\`, "long value": "token=abcdefgh1 ", "reference": "token=a.b(c)[d] ", "scheme": "mysql://", "scheme user": "mysql://a:", "scheme at": "mysql://a:b@", "slashes": "://",
		"users": `c:\users`, "users slash": "/users/", "home": "/home/", "home user": " /home/a", "root": "/root", "at": "@", "local": "a.", "local at": "a@", "domain": "a@b.", "domain digits": "a@b.c1", "percent": "%@a.bc_",
		"uuid": "12345678-1234-1234-8234-", "dash digit": "-1", "ids": "userid:", "ids digit": "userid:1.", "ids void": "userid:abc123)", "id run": "runid=abc.", "id quote": "runid='",
		"nested value": "token=mysql://a:b@c", "kelvin": "token=${\u212A}", "long call": "token=a(",
	} {
		start := time.Now()
		s := newScanner(Options{Level: verify.Base}, nil)
		r := s.reader("a.txt")
		r.maxSize = int64(2 * size)
		if _, err := r.read(context.Background(), strings.NewReader(strings.Repeat(unit, size/len(unit))), make([]byte, 1<<16)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %d bytes took %v", name, size, took)
		}
	}
}
