package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/internal/schematest"
	"finishline/packet"
	"finishline/schemas"
)

func TestMain(m *testing.M) {
	testscript.Main(m, programs)
}

// programs are what the test binary is under these names, on the PATH of every
// test.
var programs = map[string]func(){
	"finishline": func() { os.Exit(run()) },
}

// The scripts read like the README: a command, what it prints, its exit
// status. Beside the usual commands of testscript they have
//
//	example DIR      write the example run into DIR and set PIN
//	complete DIR [FILE POINTER JSON]...  build a run with every document into DIR, closed with
//	                 members changed (JSON absent: removed), a file left out (POINTER -) or added (+); set PIN and COMMIT
//	rebind DIR       repair the digests of its packet that anyone can compute
//	set FILE POINTER JSON  change a member of a JSON document
//	replace FILE OLD NEW   change the one place where a text says OLD
//	exits N COMMAND...     run a command that must end with status N
//	crlf FILE              give a text CRLF line ends
//	unreadable FILE        make a file that the user may not read; commands run as nobody from then on
//	cp-evidence FROM TO    copy the uncommitted files of a run to another checkout
//	digest-of NAME FILE    set NAME to the SHA-256 of a file
//	now NAME               set NAME to the time
//	assess FILE CATALOG ARTIFACT OUTPUT  fill in every control of an assessment with evidence that lies in the run
//	measure-context FILE, measure-eval   fill in the context manifest and the results of its evaluation
//	head-of DIR            set COMMIT to the id of a repository's HEAD
//	reviewer-key FILE      write the private key of the example's reviewer
//	await FILE             wait until a file is there
//	fingerprint NAME FILE  set NAME to the fingerprint of a public key
//	signature-of REVIEW PAYLOAD SIGNATURE, pem-of STORE KEYID FILE  write what OpenSSL needs
//	vector AREA/FOLDER DIR copy a folder of the conformance vectors
//	cut FILE BYTES|line    take the end of a file away
//	bom FILE, long-line FILE BYTES  put a byte order mark before a text, or add a long line
//	upper-pin, pin-of FILE set the operator's pin in upper case, or to that of a store
func TestScripts(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	params := testscript.Params{Dir: "testdata/script"}
	if testing.Short() { // with the race detector, beside a full run
		params = testscript.Params{Files: []string{"testdata/script/pass.txtar", "testdata/script/trust.txtar", "testdata/script/no-pin.txtar"}}
	}
	complete := &completeRun{dir: t.TempDir()}
	dir := t.TempDir()
	made := sync.OnceValues(func() (*example.Run, error) { return example.Materialise(context.Background(), prog, dir) })
	testscript.Run(t, testscript.Params{
		Dir:                 params.Dir,
		Files:               params.Files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			program, err := exec.LookPath("finishline")
			if err != nil {
				return err
			}
			env.Setenv("FINISHLINE", program)
			env.Setenv("GATE_FIXTURES", fixturesDir())
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("GIT_AUTHOR_NAME", "A Person")
			env.Setenv("GIT_AUTHOR_EMAIL", "person@lantern.example")
			env.Setenv("GIT_COMMITTER_NAME", "A Person")
			env.Setenv("GIT_COMMITTER_EMAIL", "person@lantern.example")
			env.Setenv("GIT_AUTHOR_DATE", "2026-04-08T08:00:00Z")
			env.Setenv("GIT_COMMITTER_DATE", "2026-04-08T08:00:00Z")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"example": func(ts *testscript.TestScript, neg bool, args []string) {
				run, err := made()
				ts.Check(err)
				ts.Check(os.CopyFS(ts.MkAbs(only(ts, args)), os.DirFS(run.Dir)))
				ts.Setenv("PIN", run.Pin)
				ts.Setenv("COMMIT", run.Commit)
			},
			"complete": func(ts *testscript.TestScript, neg bool, args []string) { complete.script(ts, prog, args) },
			"rebind": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Check((&example.Run{Dir: ts.MkAbs(only(ts, args))}).Rebind())
			},
			"set":             scriptSet,
			"digest-of":       scriptDigestOf,
			"assess":          scriptAssess,
			"measure-context": scriptMeasureContext,
			"measure-eval":    scriptMeasureEval,
			"now":             scriptNow,
			"replace":         scriptReplace,
			"exits":           reportReader{schematest.Compile(t, schemas.Report())}.exits,
			"crlf": func(ts *testscript.TestScript, neg bool, args []string) {
				path := ts.MkAbs(only(ts, args))
				data, err := os.ReadFile(path)
				ts.Check(err)
				ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o644))
			},
			"unreadable": scriptUnreadable,
			"head-of": func(ts *testscript.TestScript, neg bool, args []string) {
				id, err := exec.Command(prog.Path(), "-C", ts.MkAbs(only(ts, args)), "rev-parse", "HEAD").Output()
				ts.Check(err)
				ts.Setenv("COMMIT", strings.TrimSpace(string(id)))
			},
			"upper-pin": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Setenv(envPin, strings.ToUpper(ts.Getenv("PIN")))
			},
			"pin-of": func(ts *testscript.TestScript, neg bool, args []string) {
				doc, err := canon.Read([]byte(ts.ReadFile(only(ts, args))), canon.MaxTrustStore)
				ts.Check(err)
				ts.Setenv(envPin, canon.Digest(doc.Root))
			},
			"cp-evidence":  scriptCopyEvidence,
			"reviewer-key": scriptReviewerKey,
			"await":        scriptAwait,
			"fingerprint":  scriptFingerprint,
			"signature-of": scriptSignatureOf,
			"pem-of":       scriptPemOf,
			"vector":       scriptVector,
			"cut":          scriptCut,
			"bom":          scriptBOM,
			"long-line":    scriptLongLine,
			"capture":      scriptCapture,
		},
	})
}

func only(ts *testscript.TestScript, args []string) string {
	if len(args) != 1 {
		ts.Fatalf("takes one argument")
	}
	return args[0]
}

func scriptReplace(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if n := strings.Count(string(data), args[1]); n != 1 {
		ts.Fatalf("%s says %q %d times", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(data), args[1], args[2], 1)), 0o644))
}

func scriptSet(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: set FILE POINTER JSON")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	doc, err := canon.Read(data, canon.MaxDocument)
	ts.Check(err)
	value, err := canon.Read([]byte(args[2]), canon.MaxDocument)
	ts.Check(err)
	changed, err := setAt(doc.Root, strings.Split(strings.TrimPrefix(args[1], "/"), "/"), value.Root)
	ts.Check(err)
	ts.Check(os.WriteFile(path, canon.Pretty(changed), 0o644))
}

// setAt returns v with another value at a path of member names and indexes, or
// without what is there when the value is absent.
func setAt(v canon.Value, path []string, value canon.Value) (canon.Value, error) {
	if len(path) == 0 {
		return value, nil
	}
	if len(path) == 1 && !value.Present() {
		return removeAt(v, path[0])
	}
	if v.IsArray() {
		elems := append([]canon.Value{}, v.Elems()...)
		var i int
		if _, err := fmt.Sscan(path[0], &i); err != nil || i < 0 || i >= len(elems) {
			return v, fmt.Errorf("no element %q", path[0])
		}
		changed, err := setAt(elems[i], path[1:], value)
		elems[i] = changed
		return canon.NewArray(elems...), err
	}
	changed, err := setAt(v.Get(path[0]), path[1:], value)
	return canon.With(v, path[0], changed), err
}

func removeAt(v canon.Value, name string) (canon.Value, error) {
	if !v.IsArray() {
		members := slices.DeleteFunc(slices.Clone(v.Members()), func(m canon.Member) bool { return m.Name == name })
		return canon.Build(members...), nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= v.Len() {
		return v, fmt.Errorf("no element %q", name)
	}
	return canon.NewArray(slices.Delete(slices.Clone(v.Elems()), i, i+1)...), nil
}

func scriptCopyEvidence(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: cp-evidence FROM TO")
	}
	from, to := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	entries, err := os.ReadDir(from)
	ts.Check(err)
	for _, e := range entries {
		if packet.InNamespace(e.Name()) {
			ts.Check(os.CopyFS(filepath.Join(to, e.Name()), os.DirFS(filepath.Join(from, e.Name()))))
		}
	}
}

// asNobody is set in the environment of a script whose commands must not run
// as root, who may read everything.
const asNobody = "AS_NOBODY"

func scriptUnreadable(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(only(ts, args))
	ts.Check(os.Chmod(path, 0))
	if os.Geteuid() != 0 {
		return
	}
	program, err := exec.LookPath("finishline")
	ts.Check(err)
	for _, leaf := range []string{ts.Getenv("WORK"), program} {
		for dir := leaf; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			ts.Check(os.Chmod(dir, 0o755))
		}
	}
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 65534, 65534)
	}))
	ts.Setenv(asNobody, "yes")
}
