package privacy

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"finishline/canon"
)

// The oracle runs the contract's expressions as they are written, anchored at
// every place of a line. It shares no code with the detectors.
type oracle struct {
	expr *regexp.Regexp
	ci   bool
	left func(before string) bool
	// accept are the side conditions that an expression cannot say; group is
	// the captured value.
	accept func(group, rest string) bool
}

func expr(e string) *regexp.Regexp {
	// Inside a class W is the set itself; [W] is a class of it.
	return regexp.MustCompile(`^(?:` + strings.ReplaceAll(e, "W", canon.SpaceClass) + `)`)
}

var wordBefore = regexp.MustCompile(`[A-Za-z0-9_]$`)

func notAfter(class string) func(string) bool {
	re := regexp.MustCompile(class + `$`)
	return func(before string) bool { return !re.MatchString(before) }
}

var oracleExprs = []string{
	privateKey:        `-----begin (?:rsa |ec |openssh )?private key-----`,
	awsAccessKey:      `AKIA[0-9A-Z]{16}\b`,
	githubToken:       `gh[pousr]_[A-Za-z0-9]{30,255}\b`,
	githubFineGrained: `github_pat_[A-Za-z0-9_]{20,255}\b`,
	providerKey:       `sk-[A-Za-z0-9_-]{20,255}\b`,
	bearerToken:       `bearer[W]+[a-z0-9._~+/=-]{16,}\b`,
	secretAssignment: `(?:[a-z0-9]+[_-])*(?:access[_-]?token|refresh[_-]?token|api[_-]?key|auth|authorization|client[_-]?secret|` +
		`private[_-]?key|password|credentials?|secret|token|dsn|connection[_-]?(?:string|url)|` +
		`(?:database|db|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|cache|mssql)[_-]?(?:url|dsn))\b` +
		`[W]*["']?[W]*[:=][W]*(?:\\*["'])?` +
		`(<[^>\r\n]+>|\[[^\]\r\n]+\]|\$\{\{[^}\r\n]+\}\}|\$\{[^}\r\n]+\}|[^W\\"',;}]+)`,
	connection:  "(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?|rediss?|mssql)://(?:[^:W\"'`@/]*):([^@W\"'`/]+)@[^W\"'`<>]+",
	windowsPath: "[a-z]:(?:\\\\{1,4}|/)users(?:\\\\{1,4}|/)[^W\"'`,;]+",
	unixPath:    "/(?:users|home)/[^/W\"'`,;]+(?:/[^W\"'`,;]*)?|/root(?:/[^W\"'`,;<>()\\[\\]{}]*)?",
	email:       `[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}\b`,
	uuid:        `[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`,
	namedID: `(?:user|customer|account|tenant|employee|run|thread|session)[_-]?id\b[W]*["']?[W]*[:=][W]*["']?` +
		`([a-z0-9][a-z0-9_.:-]{5,})`,
}

var (
	bareValue  = regexp.MustCompile(`^(?:<[^>\r\n]+>|\[[^\]\r\n]+\]|\$\{\{[^}\r\n]+\}\}|\$\{[^}\r\n]+\})$`)
	afterRoot  = expr("\\z|[W\"'`,;<>()\\[\\]{}/]")
	afterNamed = expr(`\z|["'W,;}\]]`)
	digit      = regexp.MustCompile(`[0-9]`)
)

func newOracle(d detectorID) oracle {
	o := oracle{expr: expr(oracleExprs[d]), ci: !slices.Contains([]detectorID{awsAccessKey, githubToken, githubFineGrained, providerKey}, d)}
	switch d {
	case privateKey:
		o.left = func(string) bool { return true }
	case secretAssignment:
		o.left = notAfter(`[a-z0-9]`)
		o.accept = func(group, _ string) bool { return bareValue.MatchString(group) || canon.UTF16Len(group) >= 8 }
	case unixPath:
		o.left = notAfter(`[a-z0-9._~/-]`)
	case namedID:
		o.accept = func(group, rest string) bool { return digit.MatchString(group) && afterNamed.MatchString(rest) }
	}
	return o
}

// find gives all matches as [start, end) pairs.
func (o oracle) find(d detectorID, s string) (found [][2]int) {
	low := s
	if o.ci {
		low = canon.LowerASCII(s)
	}
	for from := 0; from <= len(low); {
		start, end, ok := o.next(d, low, from)
		if !ok {
			break
		}
		found = append(found, [2]int{start, end})
		from = end
	}
	return found
}

func (o oracle) next(d detectorID, low string, from int) (start, end int, ok bool) {
	for i := from; i < len(low); i++ {
		if !utf8.RuneStart(low[i]) {
			continue
		}
		if o.left != nil {
			if !o.left(low[:i]) {
				continue
			}
		} else if wordBefore.MatchString(low[:i]) == (is(low[i], word)) {
			continue
		}
		m := o.expr.FindStringSubmatchIndex(low[i:])
		if m == nil {
			continue
		}
		end := i + m[1]
		if o.accept != nil && !o.accept(low[i+m[2]:i+m[3]], low[end:]) {
			continue
		}
		if d == unixPath && strings.HasPrefix(low[i:], "/root") && low[i:end] == "/root" && !afterRoot.MatchString(low[end:]) {
			continue
		}
		return i, end, true
	}
	return 0, 0, false
}

func detectAll(d detectorID, s string) (found [][2]int) {
	l := &line{text: s}
	for from := 0; from < len(s); {
		m, ok := detectors[d].find(l, from)
		if !ok {
			break
		}
		found = append(found, [2]int{m.start, m.end})
		from = m.end
	}
	return found
}

var oracles = func() []oracle {
	all := make([]oracle, len(detectors))
	for d := range all {
		all[d] = newOracle(detectorID(d))
	}
	return all
}()

// agrees compares every detector with its expression on one line, and the table
// of words with both.
func agrees(t interface{ Errorf(string, ...any) }, s string) {
	seen := words().look([]byte(s))
	for d := range detectorID(len(detectors)) {
		want, got := oracles[d].find(d, s), detectAll(d, s)
		if !slices.Equal(got, want) {
			t.Errorf("%s on %q: found %v, the expression finds %v", detectors[d].name, s, got, want)
		}
		if len(want) > 0 && seen&d.mask() == 0 {
			t.Errorf("%s matches %q, but no word of it is known", detectors[d].name, s)
		}
	}
}

// pieces are what lines are made of: parts of matches, and what breaks them.
var pieces = []string{
	"-----", "-", "BEGIN ", "begin ", "RSA ", "EC ", "PRIVATE KEY", "-----BEGIN PRIVATE " + "KEY-----",
	"AK" + "IA", "ABCDEFGHIJKLMNOP", "0123456789ABCDEF", "gh" + "p_", "gh" + "s_", "github" + "_pat_", strings.Repeat("a1", 15), strings.Repeat("Zz9_", 6), strings.Repeat("b", 256),
	"sk" + "-", "bearer", "Bearer", " ", "\u00a0", "\u3000", "\t", "\r", "=", ":", "==", "\"", "'", "`", "\\", `\"`, `\\'`, ",", ";", "}", "]", "[", "<", ">", "(", ")", "#", "{", "$", "${", "${{", "}}",
	"token", "TOKEN", "access", "refresh", "api", "key", "auth", "authorization", "client", "secret", "private", "password", "credential", "credentials",
	"dsn", "connection", "string", "url", "database", "db", "postgres", "postgresql", "mysql", "mongo", "mongodb", "redis", "cache", "_", "my", "x9",
	"postgres://", "mongodb+srv://", "rediss://", "://", "user:pass", "@", "host", "host.test", "a.bc", ".co", "c:", `C:\`, "Users", "users", "/", "home", "/home/", "/root", "/Users/", "~", ".", "%", "+", "é", "\u212A", "\u017F",
	"kim", "12345678-1234-1234-8234-123456789abc", "9ce0cabc", "2ea0", "4d22", "9afd", "b8f34bd0b177", "user", "account", "run", "session", "id", "Id", "run-000001", "abc123", "a:1", "EXAMPLE",
}

func TestDetectorsAgreeWithTheContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agrees(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "pieces"), ""))
	})
}

// Whole matches are rare among random pieces, so matches are also made, joined
// and broken.
func TestMatchesAgreeWithTheContract(t *testing.T) {
	whole := []string{
		"-----BEGIN OPENSSH PRIVATE " + "KEY-----", "AK" + "IARSKWHO5P22JCJT1O", "gh" + "o_" + strings.Repeat("a1B", 12), "github" + "_pat_" + strings.Repeat("x_", 12),
		"sk" + "-abc-" + strings.Repeat("d9", 12) + "--", "Bearer  abcdefghijklmnop.==", "my-api_key: 'x y", "db-url=<a b>", "DB_PASSWORD = ${{ secrets.X }}", "token:[a]", "secret=\\\\\"abcdefgh",
		"mysql://u:p@h/x", "d:\\\\users\\kim\\x", "E:/Users/kim", "/home/kim/a/b", "(/root/x", "a.b@c.d.test", "x+y@h.co-m.org_", "9ce0cabc-2ea0-4d22-9afd-b8f34bd0b177", "run_id = 'abc.1'", "userId:run:12;",
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(append(whole, pieces...)), 1, 6).Draw(t, "parts")
		agrees(t, strings.Join(parts, rapid.SampledFrom([]string{"", "", " ", "_", ",", "x", "="}).Draw(t, "between")))
	})
}

func FuzzDetectors(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	f.Add(`{"api_key":"x y","runId":"run-1","u":"mysql://a:b@c"} kim@harbor.test /home/kim`)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 300 || strings.Contains(s, "\n") || !utf8.ValidString(s) { // the oracle is cubic, and lines are valid
			return
		}
		agrees(t, s)
	})
}
