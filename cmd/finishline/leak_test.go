package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"finishline/internal/example"
	"finishline/internal/git"
)

// A planted secret has a part that must never be printed. It is put together,
// so that no scanner finds it here.
type plantedSecret struct{ kind, text, part string }

func plantedSecrets() []plantedSecret {
	const s = "Zq7" + "xK2mWv9" + "TbR4nLs8"
	return []plantedSecret{
		{"private key", "-----BEGIN EC PRIVATE " + "KEY-----", "EC PRIVATE"},
		{"aws key id", "AK" + "IARSKWHO5P22JCJT1O", "RSKWHO5P22"},
		{"github token", "gh" + "p_RwV0EUoKDxoLLP0qy3" + "JmcW5RqpGvMUDepEru", "RwV0EUoKDxoLLP0qy3"},
		{"fine-grained token", "github" + "_pat_" + s + s, s},
		{"provider key", "sk" + "-" + s + s, s},
		{"bearer token", "Bearer " + s + s, s},
		{"assignment", "db_password=9" + s, s},
		{"connection", "mysql://root:" + s + "@db.internal/x", s},
		{"web token", "ey" + "JhbGciOiJIUzI1NiJ9." + s + "." + s, s},
	}
}

// A leakRun runs commands in this process and searches what they print.
type leakRun struct {
	t       *testing.T
	secrets []plantedSecret
	runs    int
	given   map[string]int // options that were given a secret
	// answersDocument: the command's answer is the document it was given.
	answersDocument bool
}

func (l *leakRun) command(args ...string) {
	l.t.Helper()
	l.runs++
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	env := map[string]string{"PATH": os.Getenv("PATH"), "HOME": "/nonexistent", envPin: l.secrets[0].text}
	var environ []string
	stdin := "{\"x\":1}\n"
	for i, s := range l.secrets {
		env["PLANTED_"+string(rune('A'+i))] = s.text
		stdin += s.text + "\n"
	}
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	s := &session{
		ctx: ctx, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs,
		getenv: func(name string) string { return env[name] }, environ: func() []string { return environ },
		now: func() time.Time { return time.Date(2026, 5, 11, 12, 5, 0, 0, time.UTC) },
	}
	s.main(args)
	for _, stream := range []struct {
		name string
		text string
	}{{"stdout", out.String()}, {"stderr", errs.String()}} {
		for _, planted := range l.secrets {
			if at := strings.Index(stream.text, planted.part); at >= 0 && !(stream.name == "stdout" && l.answersDocument) {
				l.t.Errorf("finishline %q prints the %s on %s: …%s…", args, planted.kind, stream.name,
					strings.ReplaceAll(stream.text[max(0, at-80):at+len(planted.part)], planted.part, "SECRET"))
				break
			}
		}
	}
}

// leaves are the commands, each with its words. What their help is put together
// from does not matter.
func leaves(t *testing.T) (all []*kong.Node) {
	t.Helper()
	vars := kong.Vars{"formats": formatNames()}
	undefined := regexp.MustCompile(`undefined variable \$\{(\w+)\}`)
	for {
		var cli grammar
		parser, err := kong.New(&cli, vars)
		if err == nil {
			return parser.Model.Leaves(true)
		}
		missing := undefined.FindStringSubmatch(err.Error())
		if missing == nil || vars[missing[1]] != "" {
			t.Fatal(err)
		}
		vars[missing[1]] = "x"
	}
}

func wordsOf(n *kong.Node) []string {
	var words []string
	for ; n.Parent != nil; n = n.Parent {
		words = append(words, n.Name)
	}
	slices.Reverse(words)
	return words
}

// answersDocument are the commands whose answer is the document that they were
// given, or a part of it, to the byte: with anything replaced it would be
// another document. What they say on standard error is searched.
var answersDocument = []string{"canon"}

// Nothing that any command prints holds a planted secret, wherever it lies: in
// documents, in texts and binary files, in names, in the command line, in the
// environment and on standard input. What a command does with it does not
// matter here.
func TestNoCommandPrintsASecret(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := example.Materialise(t.Context(), prog, filepath.Join(dir, "run")); err != nil {
		t.Fatal(err)
	}
	secrets := plantedSecrets()
	files := plant(t, dir, secrets)
	l := &leakRun{t: t, secrets: secrets, given: map[string]int{}}
	all := leaves(t)
	if len(all) < 20 {
		t.Fatalf("%d commands", len(all))
	}
	for i, leaf := range all {
		if testing.Short() && i%8 != 0 || leaf.Name == "demo" { // which reads nothing
			continue
		}
		t.Chdir(filepath.Join(dir, "run"))
		words := wordsOf(leaf)
		l.answersDocument = slices.Contains(answersDocument, strings.Join(words, " "))
		places := []string{".", "-"}
		for k := range 2 { // each file meets a quarter of the commands
			places = append(places, files[(i+3*k)%len(files)])
		}
		for _, place := range places {
			args := slices.Clone(words)
			for range leaf.Positional {
				args = append(args, place)
			}
			if l.command(append(args, "--format", "json")...); place == "." {
				l.command(args...)
			}
			if len(leaf.Positional) == 0 {
				break
			}
		}
		l.flags(leaf, words)
	}
	t.Logf("%d runs of %d commands", l.runs, len(all))
}

// flags gives each option of a command a secret.
func (l *leakRun) flags(leaf *kong.Node, words []string) {
	for i, group := range leaf.AllFlags(true) {
		for j, flag := range group {
			if l.given[flag.Name]++; flag.IsBool() || l.given[flag.Name] > 2 {
				continue
			}
			s := l.secrets[(i+j)%len(l.secrets)]
			if strings.Contains(s.text, "/") { // a path that is cleaned has another shape
				s = l.secrets[2]
			}
			args := append(slices.Clone(words), "--"+flag.Name+"="+s.text)
			for range leaf.Positional {
				args = append(args, ".")
			}
			l.command(args...)
		}
	}
	if l.given["no-such-option"]++; l.given["no-such-option"] > 2 {
		return // the parser's own words, the same for all
	}
	l.command(append(slices.Clone(words), "--no-such-option="+l.secrets[1].text)...)
	l.command(append(slices.Clone(words), l.secrets[2].text, l.secrets[5].text, l.secrets[6].text)...)
}

// plant puts secrets into the documents of a run, and writes files and a folder
// that hold them and are named like them.
func plant(t *testing.T, dir string, secrets []plantedSecret) (files []string) {
	t.Helper()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var every, members []string
	for _, s := range secrets {
		every = append(every, s.text)
		members = append(members, `"`+s.text+`": "`+s.text+`", "password": "`+s.part+`"`)
	}
	run := filepath.Join(dir, "run")
	n := 0
	err := filepath.WalkDir(run, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") || strings.Contains(path, "/.git/") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := strings.TrimRight(string(data), " \n")
		if !strings.HasSuffix(text, "}") {
			return errors.New(path + " is no object")
		}
		n++
		write(path, strings.TrimSuffix(text, "}")+", "+strings.Join(members, ", ")+"}\n")
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d documents: %v", n, err)
	}
	outside := filepath.Join(dir, "files")
	write(filepath.Join(outside, "text.txt"), strings.Join(every, "\n")+"\n")
	write(filepath.Join(outside, "document.json"), "{"+strings.Join(members, ", ")+"}\n")
	write(filepath.Join(outside, "broken.json"), "{"+strings.Join(members, ", ")+", "+secrets[2].text+"\n")
	write(filepath.Join(outside, "lines.ndjson"), "{"+strings.Join(members, ", ")+"}\n"+secrets[4].text+"\n")
	write(filepath.Join(outside, "binary.dat"), "\x00"+strings.Join(every, "\x00"))
	named := filepath.Join(outside, "named "+secrets[2].text)
	write(filepath.Join(named, secrets[4].text+".json"), "{}\n")
	write(filepath.Join(run, "named", secrets[2].text, secrets[6].text+".txt"), secrets[0].text)
	return []string{
		filepath.Join(outside, "text.txt"), filepath.Join(outside, "document.json"), filepath.Join(outside, "broken.json"),
		filepath.Join(outside, "lines.ndjson"), filepath.Join(outside, "binary.dat"), named, filepath.Join(named, "missing"), outside,
	}
}
