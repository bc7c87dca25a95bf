package privacy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
)

// scanOf scans one text as a file of its own.
func scanOf(t testing.TB, data []byte, opt Options) *Result {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), data, 0o644))
	return scanDir(t, dir, opt)
}

func scanDir(t testing.TB, dir string, opt Options) *Result {
	t.Helper()
	opt.GitErr = errors.New("no git")
	r, err := Scan(context.Background(), dir, opt)
	must(t, err)
	return r
}

// findsInText runs the detectors over a text without a file.
func findsInText(data []byte) (rules []string) {
	s := newScanner(Options{Level: verify.Strict}, nil)
	r := s.reader("a.txt")
	r.maxSize = MaxFile
	c, err := r.read(context.Background(), bytes.NewReader(data), make([]byte, 4096))
	if err != nil || c.binary {
		return []string{"binary"}
	}
	for _, f := range c.found {
		rules = append(rules, f.detector.rule())
	}
	return rules
}

func TestRedactText(t *testing.T) {
	hub := "gh" + "p_" + strings.Repeat("Ab1", 12)
	for text, want := range map[string]string{
		"all is well\r\n":                          "all is well\r\n",
		"\x1b[31mred\x1b[0m and \x1b]0;t\ax":       "red and x",
		"a\x00b\xff":                               "ab\uFFFD",
		"token " + hub:                             "token [REDACTED]",
		"token: " + hub:                            "token: [REDACTED]",
		"api_key = abcdefgh12 # see":               "api_key = [REDACTED]",
		"password=<redacted> and more":             "password=[REDACTED]",
		"mail kim@harbor" + ".test now":            "mail [REDACTED] now",
		"cd /home/kim/src && ls":                   "cd /home/<user>/src && ls",
		`C:\Users\kim\x`:                           `C:\Users\<user>\x`,
		"ls /root/.ssh":                            "ls [REDACTED]",
		"runId=run-000001":                         "runId=[REDACTED]",
		"id 9ce0cabc-2ea0-4d22-9afd-b8f34bd0b177.": "id [REDACTED].",
		"x\n-----BEGIN PRIVATE " + "KEY-----\nabc\n-----END PRIVATE " + "KEY-----\ny": "x\n[REDACTED]\ny",
	} {
		got := RedactText([]byte(text))
		if string(got.Data) != want {
			t.Errorf("RedactText(%q) = %q, want %q", text, got.Data, want)
		}
		if found := findsInText(got.Data); len(found) > 0 {
			t.Errorf("RedactText(%q): the scan still finds %v", text, found)
		}
	}
	if got := RedactText([]byte("the word hush is known"), "hush"); string(got.Data) != "the word [REDACTED] is known" {
		t.Errorf("known value: %q", got.Data)
	}
}

// Whatever a text holds, its redacted copy passes the scan, discloses nothing
// by the rules of documents, and is its own redacted copy.
func TestRedactedTextsPass(t *testing.T) {
	parts := append([]string{"\n", "\r\n", "\x1b[1m", "\x00", "\xff", "[REDACTED]", "[REDACTED TOKEN]", "<user>"}, pieces...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "parts"), "")
		once := RedactText([]byte(text)).Data
		if found := findsInText(once); len(found) > 0 {
			t.Fatalf("%q becomes %q, in which the scan finds %v", text, once, found)
		}
		if secret.InText(string(once)) {
			t.Fatalf("%q becomes %q, which discloses %s", text, once, secret.Kind(string(once)))
		}
		if again := RedactText(once).Data; !bytes.Equal(again, once) {
			t.Fatalf("%q becomes %q and then %q", text, once, again)
		}
	})
}

func TestRedactDocument(t *testing.T) {
	hub := "gh" + "p_" + strings.Repeat("Ab1", 12)
	for text, want := range map[string]string{
		`{"a":[1,"b",null,true]}`:                             `{"a":[1,"b",null,true]}`,
		`{"password":{"x":1},"tokens":12,"token_count":3}`:    `{"password":"[REDACTED]","token_count":3,"tokens":12}`,
		`{"argv":["run","--token","abc"]}`:                    `{"argv":["run","--token","[REDACTED]"]}`,
		`{"log":"my token: ` + hub + `\nend"}`:                `{"log":"[REDACTED]"}`,
		`{"note":"see ` + hub + ` there"}`:                    `{"note":"see [REDACTED] there"}`,
		`{"runId":"run-000001","user_id":1234567,"id":12345}`: `{"id":12345,"runId":"[REDACTED]","user_id":"[REDACTED]"}`,
		`{"dir":"/home/kim/x"}`:                               `{"dir":"/home/<user>/x"}`,
	} {
		got, err := RedactDocument([]byte(text))
		must(t, err)
		doc, err := canon.Read(got.Data, canon.MaxDocument)
		must(t, err)
		if have := string(canon.Canonical(doc.Root)); have != want {
			t.Errorf("RedactDocument(%s) = %s, want %s", text, have, want)
		}
	}
	for text, want := range map[string]string{
		`{"kim@harbor` + `.test":1}`: `the name of a member of "#" discloses something`,
		`{"a":1,"a":2}`:              "strict.json.duplicate-key",
		`{`:                          "json.syntax",
	} {
		if _, err := RedactDocument([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("RedactDocument(%s): %v, want %s", text, err, want)
		}
	}
}

// Whatever a document holds, its redacted copy passes the scan.
func TestRedactedDocumentsPass(t *testing.T) {
	names := []string{"a", "password", "token", "tokens", "runId", "user_id", "argv", "db_url", "note", "e-mail"}
	rapid.Check(t, func(t *rapid.T) {
		value := func() canon.Value {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				return canon.NewNumber(float64(rapid.IntRange(0, 99999999).Draw(t, "number")))
			case 1:
				return canon.NewArray(canon.NewString("--" + rapid.SampledFrom(pieces).Draw(t, "flag")))
			}
			return canon.NewString(strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"\n"}, pieces...)), 0, 8).Draw(t, "text"), ""))
		}
		var members []canon.Member
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			members = append(members, canon.Member{Name: rapid.SampledFrom(names).Draw(t, "name"), Value: value()})
		}
		text := canon.Canonical(canon.Build(members...))
		got, err := RedactDocument(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if found := findsInText(got.Data); len(found) > 0 {
			t.Fatalf("%s becomes %s, in which the scan finds %v", text, got.Data, found)
		}
	})
}

func FuzzRedactText(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if once := RedactText(data).Data; len(findsInText(once)) > 0 {
			t.Fatalf("%q becomes %q, in which the scan finds %v", data, once, findsInText(once))
		}
	})
}
