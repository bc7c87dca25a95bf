package rules

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Each line of a check's table: a text with its secret between braces, and
// whether the check passes. The match is the secret, unless it is between
// angle quotation marks.
var checkCases = []struct {
	check string
	text  string
	pass  bool
}{
	{"placeholder", "{k3j9x2m1}", true},
	{"placeholder", "{k3jEXAMPLE9}", false},
	{"placeholder", "{Your_k3j9}", false},
	{"placeholder", "{aaaaa1}", true},
	{"placeholder", "{aaaaaa1}", false},
	{"placeholder", "{éééééé1}", false},
	{"placeholder", "{abcdefg1}", true},
	{"placeholder", "{xABCdefgh1}", false},
	{"placeholder", "{12345678}", false},
	{"placeholder", "{1234567x}", true},
	{"placeholder", "{789:;<=>}", true},
	{"placeholder", "{ab1ab1ab1ab1ab1}", true},   // 15 characters
	{"placeholder", "{ab1ab1ab1ab1ab1a}", false}, // 16 of 3
	{"placeholder", "{0a1b2c3d0a1b2c3d}", true},  // 16 of 8
	{"placeholder", "{<x9>}", false},
	{"placeholder", "{<x9>y}", true},
	{"placeholder", "{[x9]}", false},
	{"placeholder", "{$x9}", false},
	{"placeholder", "{x$9}", true},
	{"placeholder", "{%x9%}", false},
	{"placeholder", "{**}", false},
	{"placeholder", "{k3...x}", false},
	{"placeholder", "{k3***x}", false},
	{"mixed", "{aB1}", true},
	{"mixed", "{ab1}", false},
	{"mixed", "{AB1}", false},
	{"mixed", "{aBc}", false},
	{"digits2", "{a1b2}", true},
	{"digits2", "{a1b}", false},
	{"digits3", "{1a1b2}", true},
	{"digits3", "{a1b2}", false},
	{"pem-follow", "{HEAD}", true},
	{"pem-follow", `{HEAD}\\n \r`, true},
	{"pem-follow", `{HEAD}\\\nMIIEvQIBADANBgkq`, true},
	{"pem-follow", `{HEAD} MIIEvQIBADANBgk"`, false},
	{"pem-follow", "{HEAD}Proc-Type: 4", true},
	{"pem-follow", "{HEAD}\u00a0DEK-Info: x", true},
	{"pem-follow", `{HEAD}"`, false},
	{"pem-follow", `{HEAD}\t`, false},
	{"line-has-kty", `"kty" {x}`, true},
	{"line-has-kty", `kty {x}`, false},
	{"not-jwk", `"kty" {x}`, false},
	{"not-jwk", `{x}`, true},
	{"line-has-amz-credential", "X-Amz-Credential=a {x}", true},
	{"line-has-amz-credential", "X-Amz-Credentials {x}", false},
	{"line-has-sas-expiry", "?se=1&sp=r&sig={x}", true},
	{"line-has-sas-expiry", "?se=1&sr=r&sig={x}", false},
	{"line-has-sas-expiry", "xse=1&sp=r&sig={x}", false},
	{"url-password", "{a1b}", true},
	{"url-password", "{ab}", false},
	{"url-password", "{12345}", false},
	{"url-password", "{123456}", true},
	{"url-password", "{Hunter2}", false},
	{"url-password", "{p${X}}", false},
	{"url-password", "{p$x}", false},
	{"url-password", "{p$1}", true},
	{"url-password", "{p{{x}", false},
	{"url-password", "{a%DB_PASS%b}", false},
	{"url-password", "{a%40b%21c}", true},
	{"discord-id", "{" + "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".x.y}", true},
	{"discord-id", "{" + "MTIzNDU2Nzg5MDEyMzQ1Njc" + ".x.y}", true}, // 17 digits
	{"discord-id", "{MTIzNDU2Nzg5MDEyMzQ1.x.y}", false},
	{"discord-id", "{MTIzNDU2Nzg5MDEyMzQ1Njdh.x.y}", false},
	{"email", "{kim.lee@harborworks.io}", true},
	{"email", "{Kim@Harborworks.IO}", true},
	{"email", "{kim@harbor.test}", false},
	{"email", "{kim@harbor.PNG}", false},
	{"email", "{kim@sub.example.com}", false},
	{"email", "{kim@example.com.br}", true},
	{"email", "{git@github.com}", false},
	{"email", "{no-reply@corp.dev}", false},
	{"email", "{ci-noreply@corp.dev}", false},
	{"email", "{1+kim@users.noreply.github.com}", false},
	{"email", "{x@noreply.gitlab.com}", false},
	{"email", "{x@-corp.dev}", false},
	{"email", "{x@corp-.dev}", false},
	{"email", "{x@corp..dev}", false},
	{"email", "{icon@2x.corp}", false},
	{"email", "{icon@2xy.corp}", true},
	{"email", "{pkg@v1.2.dev}", false},
	{"email", "{pkg@v1.b2.dev}", true},
	{"email", "{.kim@corp.dev}", false},
	{"email", "{kim.@corp.dev}", false},
	{"email", "{k..m@corp.dev}", false},
	{"phone", "{+44 20 7946 1958}", true},
	{"phone", "{+4420794}", false},          // 7 digits
	{"phone", "{+442079461}", false},        // 9, no separator
	{"phone", "{+4420794619}", true},        // 10
	{"phone", "{+44  20 7946 1958}", false}, // doubled
	{"phone", "{+1 (212) 736-5000}", true},  // parentheses are no doubled separator
	{"phone", "{+1 415 555 0132}", false},   // fictional
	{"phone", "{+1 415 555 0232}", true},
	{"phone", "{(212) 736-5000}", true},
	{"phone", "{(212 736-5000}", false},
	{"phone", "{212) 736-5000}", false},
	{"phone", "{212.555.0199}", false},
	{"phone", "{222.333.2233}", false}, // 2 distinct
	{"phone", "{+49 12345678}", false},
	{"card", "{4481 0213 2489 5289}", true},
	{"card", "{4481 0213 2489 5288}", false},
	{"card", "{4481-0213 2489 5289}", false},
	{"card", "{44810213 2489 5289}", false},
	{"card", "{4481021324895289}", false},
	{"card", "Credit {4481021324895289}", true},
	{"card", "wildcard {4481021324895289}", false},
	{"card", "{4242 4242 4242 4242}", false},
	{"card", "{3759-746356-47111}", true},
	{"card", "{3759-7463-5647-111}", false},
	{"iban", "{DE68 3431 7415 8428 8069 17}", true},
	{"iban", "{DE68 3431 7415 8428 8069 18}", false},
	{"iban", "{DE68 3431 7415 8428 8069 1}", false},
	{"iban", "{GB82 WEST 1234 5698 7654 32}", false},
	{"iban", "{US68 3431 7415 8428 8069 17}", false},
	{"ssn", "{412-68-9037}", true},
	{"ssn", "{000-68-9037}", false},
	{"ssn", "{666-68-9037}", false},
	{"ssn", "{912-68-9037}", false},
	{"ssn", "{412-00-9037}", false},
	{"ssn", "{412-68-0000}", false},
	{"ssn", "{078-05-1120}", false},
	{"ipv4", "{93.184.216.34}", true},
	{"ipv4", "server {93.184.216.34}", true},
	{"ipv4", "dev {93.184.216.34}", true},
	{"ipv4", "driver={93.184.216.34}", true},
	{"ipv4", "{93.184.216.34}.5", false},
	{"ipv4", "{93.184.216.34}.", true},
	{"ipv4", "{93.184.216.34}-rc", false},
	{"ipv4", "{93.184.216.34}-5", true},
	{"ipv4", "{93.184.216.256}", false},
	{"ipv4", "{93.184.016.34}", false},
	{"ipv4", "{172.31.0.1}", false},
	{"ipv4", "{172.32.0.1}", true},
	{"ipv4", "{9.9.9.9}", false},
	{"ipv4", "{9.8.7.6}", false},
	{"ipv4", "{93.184.0.0}", false},
	{"ipv4", `"version": "{93.184.216.34}`, false},
	{"ipv4", "Build #{93.184.216.34}", false},
	{"ipv4", "ver\u00a0= {93.184.216.34}", false},
	{"ipv4", "v {93.184.216.34}", false},
	{"ipv4", "Chrome/{93.184.216.34}", false},
	{"ipv4", "/{93.184.216.34}", true},
	{"ipv6", "{2a00:1450:4009:81f::200e}", true},
	{"ipv6", "{2a03:2880:f12f:83:face:b00c:0:25de}", true},
	{"ipv6", "{2a03:2880:f12f:83:face:b00c:25de}", false},
	{"ipv6", "{2a00::1}", false}, // 5 digits
	{"ipv6", "{2001:db8::8a2e:370:7334}", false},
	{"ipv6", "{3fff:0fff::8a2e:370}", false},
	{"ipv6", "{fd12:3456:789a::1}", false},
	{"ipv6", "{2606:4700:4700::1111}", false},
	{"ipv6", "{2606:4700:4700:0:0:0:0:1111}", false},
	{"mac", "{3c:22:fb:9a:41:7e}", true},
	{"mac", "{3c-22-fb-9a-41-7e}", true},
	{"mac", "{3c:22-fb:9a:41:7e}", false},
	{"mac", "{3d:22:fb:9a:41:7e}", false},
	{"mac", "{3e:22:fb:9a:41:7e}", false},
	{"mac", "{00:00:00:00:00:00}", false},
	{"mac", "{00:00:5e:00:53:01}", false},
	{"mac", "{00:00:5e:00:54:01}", true},
	{"home-user", "«/home/{kimlee}»", true},
	{"home-user", "«/home/{Ubuntu}»", false},
	{"home-user", "«/home/{...}»", false},
	{"home-user", "«/home/{k$m}»", false},
	{"home-user", "x«/home/{kimlee}»", false},
	{"home-user", "file://«/home/{kimlee}»", true},
	{"home-user", "http://«/home/{kimlee}»", false},
	{"home-user", "-I«/home/{kimlee}»", true},
	{"home-user", "cc -I«/home/{kimlee}»", true},
	{"home-user", "a\u3000-Ix«/home/{kimlee}»", true},
	{"home-user", "a\u0085-I«/home/{kimlee}»", false},
	{"home-user", "abcd-I«/home/{kimlee}»", false},
	{"home-user", "«/home/{\ufeff}»", false},
	{"home-user", "a-I«/home/{kimlee}»", false},
	{"home-user", "-Isy«/home/{kimlee}»", false},
	{"not-digest-name", `"integrity": «"{x}"»`, false},
	{"not-digest-name", `content_Hash = «'{x}'»`, false},
	{"not-digest-name", `sha256:=«"{x}"»`, false},
	{"not-digest-name", `seed => «"{x}"»`, true},
	{"not-digest-name", `hash «"{x}"»`, true},
	{"not-digest-name", `hashes: «"{x}"»`, true},
	{"not-path", "{src/components/x2}", false},
	{"not-path", "{src/X2/Y3}", true},
	{"not-path", "{src/x}", true},
	{"not-wordy", "{abcdXYZ0123}", false},
	{"not-wordy", "{abcXYZdef012}", true},
	{"not-text", "{aGVsbG8gd29ybGQ=}", false},
	{"not-text", "{////}", true},
	{"decodes-to-user-password", "{a2ltOnRpZGUtTGFtcC05Mg==}", true},
	{"decodes-to-user-password", "{a2ltOnRpZGUtTGFtcC05Mg}", true},
	{"decodes-to-user-password", "{dGVzdA==}", false},
	{"decodes-to-user-password", "{YTphYmM=}", false}, // a:abc
	{"generic", `password="«{Tr0ub4dorXylo9}»`, true},
}

func TestChecks(t *testing.T) {
	tested := map[string]int{}
	for _, c := range checkCases {
		v, m := marked(t, c.text)
		if got := checks[c.check](v, m); got != c.pass {
			t.Errorf("%s of %q: %v, expected %v", c.check, c.text, got, c.pass)
		}
		tested[c.check]++
	}
	for _, name := range CheckNames() {
		switch name {
		case "bech32", "jwt", "generic", "decodes-to-private-key": // below
		default:
			if tested[name] < 2 {
				t.Errorf("the check %s is not tested both ways", name)
			}
		}
	}
}

// marked reads a text with its marks.
func marked(t *testing.T, text string) (*view, match) {
	t.Helper()
	var m match
	plain := func(before string) int { return len(strings.NewReplacer("«", "", "»", "").Replace(before)) }
	open := strings.IndexByte(text, '{')
	shut := strings.LastIndexByte(text, '}')
	if open < 0 || shut < open {
		t.Fatalf("%q has no secret", text)
	}
	body := text[:open] + text[open+1:shut] + text[shut+1:]
	m.from, m.to = plain(text[:open]), plain(text[:shut])-1
	m.start, m.end = m.from, m.to
	if i := strings.Index(text, "«"); i >= 0 {
		m.start = plain(text[:i])
	}
	if i := strings.Index(text, "»"); i >= 0 {
		m.end = plain(text[:i]) - 2
	}
	return &view{text: []byte(strings.NewReplacer("«", "", "»", "").Replace(body))}, m
}

// What the generic rule takes and leaves, through the engine.
func TestGenericSecret(t *testing.T) {
	e := extendedEngine(t)
	for _, c := range []struct {
		text string
		hit  bool
	}{
		{`password="Tr0ub4dorXylo9"`, true},
		{`password="Tr0ub4dorXylo"`, true},
		{`password="TrxubxdorXylo"`, false},      // no digit
		{`password="Trxub!xdorXylo"`, true},      // quoted, with a special character
		{`password=Trxub!xdorXylo`, false},       // not quoted
		{`password="1234-5678-90-7"`, false},     // no letter
		{`password=k3y9`, false},                 // short
		{`password="k3y9xk3y9x."`, false},        // 10 characters of 5: 2.32 bits
		{`nextPageToken="CAUQAA18fz2kQ"`, false}, // excluded name
		{`csrf_token = "k3y9Qw2ZxV7"`, false},
		{`token=/srv/k3y9Qw2ZxV7`, false},
		{`token=../k3y9Qw2ZxV7`, false},
		{`token=s3://k3y9Qw2ZxV7`, false},
		{`token=arn:k3y9Qw2ZxV7`, false},
		{`token="sha256-k3y9Qw2ZxV7"`, false},
		{`token="2026-03-01xk3y9Q"`, false},
		{`token="v1.2.3xk3y9Q"`, false},
		{`token="k3y9::Qw2ZxV7"`, false},
		{`token="k3y9->Qw2ZxV7"`, false},
		{`secret: SEC-SECRETS-001`, false},
		{`secret: SEC-SECRETS-k3y9Q`, true},
		{`secret: harbor-web-tls-2`, false},
		{`secret = config.oauth2.client3Secret4`, false},
		{`secret = k3y9Qw2ZxV7`, true},
		{`secret = keyQwZxV72`, false}, // an identifier with two digits
		{`secret = a1&&k3y9Qw2ZxV7`, false},
		{`secret = a1?k3y9Qw2ZxV7`, false},
		{`secret=0123456789abcdef0123456789abcdef`, false}, // an ascending run
		{`secret=7d793037a0760186574b0282f2f435e7`, true},
	} {
		got := strings.Contains(strings.Join(kindsIn(e, c.text), " "), "generic-secret")
		if got != c.hit {
			t.Errorf("%s: %v, expected %v", c.text, got, c.hit)
		}
	}
}

func TestTokensAreVerified(t *testing.T) {
	e := extendedEngine(t)
	age := "AGE-SECRET-" + "KEY-19L3V8HEDD2QHRX2FAXE8HF679PWNRL0MD7V0ESLZHMAGDSE962ASJKPM09"
	if got := kindsIn(e, age); len(got) != 1 || got[0] != "age-secret-key" {
		t.Errorf("an age key: %q", got)
	}
	for i := len("AGE-SECRET-KEY-1"); i < len(age); i++ {
		with := byte('Q')
		if age[i] == 'Q' {
			with = 'P'
		}
		if got := kindsIn(e, age[:i]+string(with)+age[i+1:]); len(got) != 0 {
			t.Errorf("an age key with another character %d: %q", i, got)
		}
	}
	token := func(header, payload string) string {
		b := base64.RawURLEncoding
		return b.EncodeToString([]byte(header)) + "." + b.EncodeToString([]byte(payload)) + "." + "6ojukrBhQoqLoAX63MnR4VxZL5FH"
	}
	for _, c := range []struct {
		header, payload string
		want            bool
	}{
		{`{"alg":"HS256"}`, `{"sub":"kim-7781"}`, true},
		{`{"alg":"none","typ":"x"}`, `{"sub":"kim-7781"}`, false},
		{`{"alg":"NoNe","typ":"x"}`, `{"sub":"kim-7781"}`, false},
		{`{"alg":256,"typ":"JWT"}`, `{"sub":"kim-7781"}`, false},
		{`{"typ":"JWT","kid":"1"}`, `{"sub":"kim-7781"}`, false},
		{`{"alg":"HS256"`, `{"sub":"kim-7781"}`, false},
		{`{"alg":"HS256"}`, `{"sub":"kim-7781"`, false},
		{`{"alg":"HS256"}`, `{"sub":"1234567890","name":"John Doe"}`, false},
		{`{"alg":"HS256"}`, `{"sub":"1234567890","name":"Jane Doe"}`, true},
	} {
		if got := jwt([]byte(token(c.header, c.payload))); got != c.want {
			t.Errorf("%s %s: %v, expected %v", c.header, c.payload, got, c.want)
		}
	}
	block := base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat("k3j9x2m1", 8)))
	public := base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\n" + strings.Repeat("k3j9x2m1", 8)))
	if got := kindsIn(e, block); len(got) == 0 || got[0] != "base64-private-key" {
		t.Errorf("a key in base64: %q", got)
	}
	if got := kindsIn(e, public); len(got) != 0 {
		t.Errorf("a certificate in base64: %q", got)
	}
}

func TestEntropy(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "a": 0, "aaaa": 0, "ab": 1, "aabb": 1, "abcd": 2, "éüéü": 1, "ééaa": 1, "0123456789abcdef": 4} {
		if got := entropy([]byte(text)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, expected %v", text, got, want)
		}
	}
	// What has exactly the entropy that a rule demands is not below it, however
	// often its characters occur.
	for bits, alphabet := range []string{"a", "ab", "abcd", "abcdef01", "abcdef0123456789"} {
		for n := 1; n <= 100; n++ {
			if text := strings.Repeat(alphabet, n); entropy([]byte(text)) != float64(bits) {
				t.Errorf("%s, %d times: %v, expected exactly %d", alphabet, n, entropy([]byte(text)), bits)
			}
		}
	}
}

// A checksum raises confidence and decides nothing. The tokens were computed
// by another implementation; one checksum is padded.
func TestVerified(t *testing.T) {
	e := extendedEngine(t)
	padded, other := "ugM1yTMAd7V3DnI8lFPPwtV5ASPZHu0FecsX", "8qRtZHjQMhuOzE95B9EgE0VrbBGI0936rLzq"
	for _, c := range []struct {
		text string
		want bool
	}{
		{"ghp_" + padded, true},
		{"npm_" + other, true},
		{"ghp_" + padded[:35] + "x", false},
		{"ghp_" + other + "a", false},
		{"pay to DE68 3431 7415 8428 8069 17 now", true},
		{"charged 4481 0213 2489 5289 ok", true},
		{"ssn 412-68-9037", false},
		{"glpat-" + "s6cj423eHI7U8_cbH91d", false},
	} {
		hits := 0
		e.Scan("f", []byte(c.text), func(h Hit) {
			hits++
			if h.Verified != c.want {
				t.Errorf("%s: verified %v, expected %v", c.text, h.Verified, c.want)
			}
		})
		if hits != 1 {
			t.Errorf("%s: %d hits, expected one", c.text, hits)
		}
	}
}

// Nothing that prints a hit prints its secret.
func TestSecretIsNotPrinted(t *testing.T) {
	e := extendedEngine(t)
	secret := "s6cj423eHI7U8_cbH91d"
	hits := 0
	e.Scan("f", []byte("glpat-"+secret), func(h Hit) {
		hits++
		data, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		out := fmt.Sprintf("%v %+v %#v %s %q %x %d %T", h, h, h, h.Secret, h.Secret, h.Secret, h.Secret, h.Secret) + string(data)
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%d", []byte(secret)), fmt.Sprintf("%#v", []byte(secret))} {
			if strings.Contains(out, strings.Trim(form, "[]")) {
				t.Errorf("the secret is in %s", out)
			}
		}
		one, two := h.Secret.Fingerprint([]byte("key one"), h.Rule.Kind, "f"), h.Secret.Fingerprint([]byte("key two"), h.Rule.Kind, "f")
		if len(one) != 16 || one == two {
			t.Errorf("fingerprints %s, %s", one, two)
		}
		if again := (Secret{[]byte("glpat-" + secret)}); again.Fingerprint([]byte("key one"), "gitlab-token", "f") != one || again.SHA256() != h.Secret.SHA256() || again.Len() != h.Secret.Len() {
			t.Error("the same secret has another fingerprint or digest")
		}
	})
	if hits != 1 {
		t.Errorf("%d hits", hits)
	}
}
