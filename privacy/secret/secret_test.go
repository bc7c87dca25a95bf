package secret

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// fragments are pieces that, put together at random, often make a secret or a
// near miss.
var fragments = []string{
	"-----BEGIN ", "-----END ", "RSA ", "EC ", "OPENSSH ", "PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----", "-----END EC PRIVATE KEY-----",
	"bearer", "Bearer", "BEARER ", "abcdefgh", "abcdefg", "A1B2C3D4E5", "github_" + "pat_", "gh" + "p_", "gh" + "x_", "gh", "sk" + "-", "ey" + "J",
	"a", "z", "K", "9", "_", "-", ".", "~", "é", "\u00a0", "\u2028", "\u0085", "\ufeff", "\u017f", "\u212a", "\xff", "\xed\xa0\x80",
	" ", "\t", "\n", "\r", "\r\n", ":", "=", ",", ";", "}", "]", "@", "/", "://", "<", ">", "`", "'", `"`, `\`, `\\`, `\"`, `\\'`,
	"postgres", "postgresql", "mysql", "mongodb", "+srv", "redis", "rediss", "mssql", "POSTGRES://", "mysql://u:p@h",
	"password", "Password", "token", "tokens", "api", "key", "apiKey", "API_KEY", "auth", "author", "secret", "db_url", "dsn", "private", "connection_string",
	"[REDACTED]", "[redacted]", "[REDACTED TOKEN]", "[redacted  a ]", "[REDACTED9]", "<redacted>", "<PLACEHOLDER>", "[placeholder]", "[",
	"AKIA", "ASIA", "QQQQQQQQQQQQQQQQ", "xox" + "b-", "xox", "glpat" + "-", "AIza", "aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
	"ENCRYPTED PRIVATE KEY-----", strings.Repeat("x", 128), strings.Repeat("y", 255),
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 14).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func TestInTextAgreesWithTheContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agreesOnText(t, texts().Draw(t, "s")) })
}

type failer interface {
	Errorf(format string, args ...any)
}

// agreesOnText checks every promise about one text against the expressions of
// the contract.
func agreesOnText(t failer, s string) {
	fires, redacted := InText(s), Redact(s)
	if want := oracleFires(s); fires != want {
		t.Errorf("InText(%q) = %v, the contract's expressions say %v", s, fires, want)
	}
	if want := oracleRedact(s); redacted != want {
		t.Errorf("Redact(%q) = %q, the contract's expressions give %q", s, redacted, want)
	}
	if fires != (redacted != s) {
		t.Errorf("InText(%q) = %v, but redaction gives %q", s, fires, redacted)
	}
	if stable := RedactStable(s); InText(stable) {
		t.Errorf("RedactStable(%q) = %q, which still discloses %s", s, stable, Kind(stable))
	}
	if got, want := HasPrivateKeyMarker(s), reMarker.MatchString(s); got != want {
		t.Errorf("HasPrivateKeyMarker(%q) = %v, want %v", s, got, want)
	}
	if got, want := HasCloudToken(s), reCloud.MatchString(s); got != want {
		t.Errorf("HasCloudToken(%q) = %v, want %v", s, got, want)
	}
	masked := Mask(s)
	if InText(masked) || HasCloudToken(masked) || HasPrivateKeyMarker(masked) {
		t.Errorf("Mask(%q) = %q, which still discloses", s, masked)
	}
	if again := Mask(masked); again != masked {
		t.Errorf("Mask is not idempotent: %q, then %q", masked, again)
	}
}

func TestNamesAgreeWithTheContract(t *testing.T) {
	pieces := []string{
		"access", "refresh", "auth", "authorization", "bearer", "session", "api", "oauth", "csrf", "token", "tokens", "Token", "TOKEN",
		"count", "counts", "budget", "budgets", "Count", "prompt", "completion", "input", "output", "total", "key", "Key", "KEY", "id", "ID",
		"credential", "credentials", "database", "url", "URL", "Url", "db", "DB", "dsn", "connection", "string", "password", "passphrase", "private",
		"secret", "postgres", "postgresql", "mongo", "mongodb", "redis", "cache", "mssql", "mysql", "mariadb", "encryption", "signing", "service", "account",
		"_", "__", "-", ".", " ", "a", "A", "9", "é", "\u212a", "", "s", "client", "webhook",
	}
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 7).Draw(t, "name"), "")
		agreesOnName(t, name)
	})
}

func agreesOnName(t failer, name string) {
	if got, want := NameOf(name), oracleName(name); got != want {
		t.Errorf("NameOf(%q) = %+v, the contract's expressions give %+v", name, got, want)
	}
	m := oracleNormalize(name)
	if got, want := isAssignmentName(name), reAssignName.MatchString(m); got != want {
		t.Errorf("isAssignmentName(%q) = %v, want %v", name, got, want)
	}
	if got, want := isFlagName(name), reFlagName.MatchString(m); got != want {
		t.Errorf("isFlagName(%q) = %v, want %v", name, got, want)
	}
	flag := "--" + name
	if got, want := isSecretFlag(flag), reFlag.MatchString(flag) && reFlagName.MatchString(m); got != want {
		t.Errorf("isSecretFlag(%q) = %v, want %v", flag, got, want)
	}
}

func TestNormalizeName(t *testing.T) {
	for name, want := range map[string]string{
		"APIKey": "api_key", "authToken": "auth_token", "X-Api-Key": "x_api_key", "OAuthToken": "o_auth_token",
		"requestedArgv": "requested_argv", "пароль": "", "": "", "__a__": "a", "HTTPSProxy2URL": "https_proxy2_url",
		"aB": "a_b", "ABc": "a_bc", "A": "a", "AB": "ab", "9A": "9_a", "toKen": "to_ken",
	} {
		if got := NormalizeName(name); got != want {
			t.Errorf("NormalizeName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNameClasses(t *testing.T) {
	for name, want := range map[string]Name{
		"password":         {"password", true, false},
		"tokens":           {"tokens", true, true},
		"max_tokens":       {"max_tokens", true, false},
		"token_id":         {"token_id", true, false},
		"secrets":          {"secrets", false, false},
		"passphrase":       {"passphrase", false, false},
		"tokenizer":        {"tokenizer", false, false},
		"author":           {"author", false, false},
		"token_count":      {"token_count", false, true},
		"auth_token_count": {"auth_token_count", true, false},
	} {
		if got := NameOf(name); got != want {
			t.Errorf("NameOf(%q) = %+v, want %+v", name, got, want)
		}
		if IsSecretName(name) != want.SecretLike || IsBenignMetric(name) != want.BenignMetric {
			t.Errorf("IsSecretName and IsBenignMetric of %q disagree with NameOf", name)
		}
	}
}

func TestPlaceholderAgreesWithTheContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"[redacted", "[REDACTED]", "]", " ", "a", "Z", "9", "<redacted>", "<PlaceHolder>", "[placeholder]", "\u00a0", "\u0085", "\n",
		}), 0, 5).Draw(t, "parts"), "")
		want := rePlaceholder.MatchString(strings.ToLower(strings.Trim(s, " \n\u00a0")))
		if got := IsPlaceholder(s); got != want {
			t.Errorf("IsPlaceholder(%q) = %v, want %v", s, got, want)
		}
	})
}

func TestKindNamesTheDetector(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "", "a: b": "", "password: x": "a value assigned to a secret-like name",
		"Bearer abcdefgh":           "a bearer token",
		"mysql://u:p@h":             "a connection URL with a password",
		"sk" + "-" + fill("a", 20):  "a provider key",
		"gh" + "o_" + fill("a", 30): "an access token",
		"-----BEGIN PRIVATE " + "KEY-----\nx\n-----END PRIVATE KEY-----": "a private key",
		"ey" + "Jaaaaaaaa.bbbbbbbb.cccccccc":                             "a JSON web token",
	} {
		if got := Kind(text); got != want {
			t.Errorf("Kind(%q) = %q, want %q", text, got, want)
		}
	}
}

// Every detector has near misses: one byte more, less or different.
func TestNearMisses(t *testing.T) {
	pat, hub, key, jwt := "github_"+"pat_", "gh"+"s_", "sk"+"-", "ey"+"J"
	begin, end := "-----BEGIN ", "-----END "
	for text, want := range map[string]bool{
		begin + "EC PRIVATE KEY-----" + end + "PRIVATE KEY-----":      true,
		begin + "DSA PRIVATE KEY-----" + end + "DSA PRIVATE KEY-----": false,
		end + "PRIVATE KEY-----" + begin + "PRIVATE KEY-----":         false,
		begin + "PUBLIC KEY-----" + end + "PUBLIC KEY-----":           false,
		begin + "RSA EC PRIVATE KEY-----" + end + "PRIVATE KEY-----":  false,
		"bearer abcdefgh": true, "bearer abcdefg": false, "bearerabcdefgh": false, "xbearer abcdefgh": false, "-BeArEr\u3000a.b~c/d=": true,
		pat + fill("a", 20): true, pat + fill("a", 19): false, pat + fill("a", 255): true, pat + fill("a", 256): false, "_" + pat + fill("a", 20): false, pat + fill("a", 20) + "é": true,
		hub + fill("a", 30): true, hub + fill("a", 29): false, hub + fill("a", 255): true, hub + fill("a", 256): false, hub + fill("a", 30) + "_": false, hub + fill("a", 30) + "-": true, "x" + hub + fill("a", 30): false,
		key + fill("a", 20): true, key + fill("a", 19): false, key + fill("-", 20): false, key + fill("-", 20) + "a": true, key + fill("a", 256): false, key + fill("a", 100) + "-" + fill("a", 300): true,
		"mysql://u:p@": true, "mysql://u:@": false, "mysql://:p@": true, "mysql://u:p/@": false, "mysql://u:p/q:r@": true, "mysql://u p:q@": false, "mysql:/u:p@": false, "MongoDB+SRV://u:p@": true, "mongo+srv://u:p@": false, "_mysql://u:p@": false,
		jwt + fill("a", 8) + "." + fill("b", 8) + "." + fill("c", 8): true, jwt + fill("a", 7) + "." + fill("b", 8) + "." + fill("c", 8): false,
		jwt + fill("a", 8) + "." + fill("b", 7) + "." + fill("c", 8): false, jwt + fill("a", 8) + "." + fill("b", 8) + "." + fill("c", 7): false,
		jwt + fill("a", 8) + "." + fill("b", 8) + "." + fill("-", 8): false, jwt + fill("a", 8) + "." + fill("b", 8) + "." + fill("c", 7) + "-d": true,
		"token=1": true, "9_token=1": false, "9.token=1": false, "é.token=1": false, "é token=1": true, "-token=1": false, "token ==": true, "token=": false, "token": false, "token:\n\nx": true, "token=,": false, "token=}x": false,
		"token=[redacted]": false, "token=[redacted] ]": false, "token=[redacted]]": false, "token=[redacted]x": true, "token='[redacted]'": false, "token='[redacted\"": true, "token=\\\\'[redacted]\\\\';": false,
		"token='": true, "token=[REDACTED]\r": false, "token=[redacted]\r": true, "token=[REDACTED x9]": true, "token=[REDACTED ]": true,
	} {
		if got := InText(text); got != want {
			t.Errorf("InText(%q) = %v (%s)", text, got, Kind(text))
		}
		agreesOnText(t, text)
	}
}

func TestStrictNearMisses(t *testing.T) {
	akia, xox, pat, api := "AK"+"IA", "xox"+"b-", "glpat"+"-", "AI"+"za"
	for text, want := range map[string]bool{
		akia + fill("Q", 16): true, "AS" + "IA" + fill("9", 16): true, akia + fill("Q", 15): false, akia + fill("Q", 17): false, akia + fill("q", 16): false, "x" + akia + fill("Q", 16): false, "AB" + "IA" + fill("Q", 16): false, "-" + akia + fill("Q", 16) + "-": true, "IA": false,
		xox + fill("a", 10): true, xox + fill("a", 9): false, xox + fill("-", 10): true, "xoxd-" + fill("a", 10): false, "xoxb_" + fill("a", 10): false, "_" + xox + fill("a", 10): false, "xox": false, "xoxb": false,
		pat + fill("a", 20): true, pat + fill("a", 19): false, "x" + pat + fill("a", 20): false,
		api + fill("a", 35): true, api + fill("a", 34): false, api + fill("a", 36): false, api + fill("a", 34) + "-": false, api + fill("a", 34) + "-a": true,
	} {
		if got := HasCloudToken(text); got != want {
			t.Errorf("HasCloudToken(%q) = %v", text, got)
		}
		agreesOnText(t, text)
	}
	for text, want := range map[string]bool{
		"-----BEGIN PRIVATE " + "KEY-----": true, "-----BEGIN DSA PRIVATE " + "KEY-----": true, "-----BEGIN\u2028PRIVATE " + "KEY-----": true, "x-----BEGIN PGP, PRIVATE " + "KEY-----": true,
		"-----BEGIN\nPRIVATE KEY-----": false, "-----BEGIN\rPRIVATE KEY-----": false, "-----BEGIN PRIVATE KEY----": false, "-----BEGIN PUBLIC KEY-----": false, "----BEGIN PRIVATE KEY-----": false,
	} {
		if got := HasPrivateKeyMarker(text); got != want {
			t.Errorf("HasPrivateKeyMarker(%q) = %v", text, got)
		}
		agreesOnText(t, text)
	}
}

func fill(s string, n int) string { return strings.Repeat(s, n) }

// A message about a secret must not look like one, or it would be masked.
func TestKindsAreNoSecrets(t *testing.T) {
	for _, d := range detectors {
		if text := "a text with " + d.kind + ", and in 2 more places"; Mask(text) != text {
			t.Errorf("%q is masked to %q", text, Mask(text))
		}
	}
}

func TestRedactKnownValues(t *testing.T) {
	for _, c := range []struct {
		text  string
		known []string
		want  string
	}{
		{"alpha-key beta-key alpha", []string{"alpha", "alpha-key"}, "[REDACTED] beta-key [REDACTED]"},
		{"abab", []string{"ab", "", "ab"}, "[REDACTED][REDACTED]"},
		{"no secret here", []string{"", "absent"}, "no secret here"},
		{"x=😀é", []string{"é", "😀"}, "x=[REDACTED][REDACTED]"},
	} {
		if got := Redact(c.text, c.known...); got != c.want {
			t.Errorf("Redact(%q, %q) = %q, want %q", c.text, c.known, got, c.want)
		}
	}
}

// A known value never survives, whatever else is redacted around it.
func TestKnownValuesNeverSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known := rapid.SliceOfN(rapid.StringMatching(`[a-z]{4,9}[0-9]{2}`), 1, 3).Draw(t, "known")
		parts := rapid.SliceOfN(rapid.SampledFrom(append(known, fragments...)), 0, 12).Draw(t, "parts")
		out := Redact(strings.Join(parts, ""), known...)
		for _, v := range known {
			if strings.Contains(out, v) {
				t.Errorf("%q is still in %q", v, out)
			}
		}
	})
}

func TestRedactStableSettles(t *testing.T) {
	once := Redact(`password="x" y`)
	if once != "password=[REDACTED] y" || !InText(once) {
		t.Fatalf("one pass gives %q; the case no longer shows that one pass is not enough", once)
	}
	if got := RedactStable(`password="x" y`); got != "password=[REDACTED]" {
		t.Errorf("RedactStable = %q", got)
	}
}

// Hostile texts of 1 MiB must cost about what harmless ones do: each of these
// would be quadratic for a scan that starts over at every candidate.
func TestHostileTextsAreLinear(t *testing.T) {
	const size = 1 << 20
	for name, unit := range map[string]string{
		"begin without end":  "-----BEGIN PRIVATE " + "KEY-----",
		"begin unfinished":   "-----BEGIN ",
		"bearer":             "bearer ",
		"bearer and space":   "bearer\u00a0",
		"fine grained":       "x" + "github_" + "pat_",
		"access":             "gh" + "p_",
		"provider":           "x" + "sk" + "-",
		"provider dashes":    "sk" + "---",
		"scheme":             "mysql://",
		"scheme and user":    "mysql://a:",
		"scheme and slash":   "mysql://a:b/",
		"jwt heads":          "-ey" + "J",
		"jwt dots":           "-ey" + "Jaaaaaaaa.",
		"names":              "a ",
		"backslashes":        `a\`,
		"operators":          "a:",
		"redacted":           "token=[redacted a",
		"redacted and space": "token=[REDACTED], ",
		"chat":               "xox",
		"forge":              "aglpat" + "-",
		"begin marker":       "-----BEGIN",
		"key id":             "AKIA",
	} {
		isQuick(t, name, strings.Repeat(unit, size/len(unit)))
	}
	// Quotes of ever fewer backslashes are the worst for the end of a quoted
	// value: each is looked for up to the end of the line.
	var quotes strings.Builder
	for n := 1400; n > 0; n-- {
		quotes.WriteString("token=" + strings.Repeat(`\`, n) + `"`)
	}
	isQuick(t, "quotes", quotes.String())
}

func isQuick(t *testing.T, name, text string) {
	start := time.Now()
	InText(text)
	HasCloudToken(text)
	HasPrivateKeyMarker(text)
	Redact(text)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%s: 1 MiB took %v", name, took)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range fragments {
		f.Add(s)
	}
	f.Add(`{"password": "x", "token": '[REDACTED]' }`)
	f.Add("a=mysql://u:p@h; token=\r\n[REDACTED] x, \\\"secret\\\": \\\"a b\\\" end")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 512 { // the oracle is quadratic
			agreesOnText(t, s)
		}
		agreesOnName(t, s)
	})
}
