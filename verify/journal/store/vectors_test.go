package store_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// A dirCase is a case of kind bridge-data-directory.
type dirCase struct {
	Case   string
	Kind   string
	Base   string
	Remove []string
	Setup  []struct {
		Op, Path, From, To, Target string
		Size                       int64
	}
	Env  map[string]string
	Args struct {
		DataDir         string
		RunIDs          []string `json:"runIds"`
		ArtifactRoots   map[string]string
		MaxEventsPerRun int
	}
	Expect struct {
		Valid           bool
		Rules, Warnings []string
		Strict          vectors.Expect
		Keyless         struct {
			Valid           bool
			Rules, Warnings []string
		}
		Bridge struct {
			Status map[string]string
			Events map[string]int
		}
		KeepBytes map[string]int64
	}
}

const (
	envKey = "UASH_BRIDGE_INTEGRITY_KEY"
	envPin = "UASH_REVIEW_TRUST_SHA256"
)

func loadCase(t testing.TB, area, name string) dirCase {
	t.Helper()
	var c dirCase
	vectors.Read(t, filepath.Join(area, name, "case.json"), &c)
	return c
}

// materialise builds the folder of a case as its README says.
func (c dirCase) materialise(t testing.TB, area string) string {
	t.Helper()
	dir := t.TempDir()
	c.lay(t, area, dir)
	for _, s := range c.Setup {
		at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
		var err error
		switch s.Op {
		case "extend":
			err = os.Truncate(at(s.Path), s.Size)
		case "rename":
			err = os.Rename(at(s.From), at(s.To))
		case "delete":
			err = os.RemoveAll(at(s.Path))
		case "symlink":
			err = os.Symlink(s.Target, at(s.Path))
		default:
			t.Fatalf("unknown operation %q", s.Op)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (c dirCase) lay(t testing.TB, area, dir string) {
	if c.Base != "" {
		loadCase(t, area, c.Base).lay(t, area, dir)
	}
	for _, p := range c.Remove {
		path := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if parent := filepath.Dir(path); strings.HasPrefix(filepath.Base(parent), "run-") {
			os.Remove(parent) // only if it is empty
		}
	}
	for _, part := range []string{"data", "files"} {
		from := filepath.Join(area, c.Case, part)
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := vectors.CopyPrivate(filepath.Join(dir, part), from); err != nil {
			t.Fatal(err)
		}
	}
}

func (c dirCase) options(dir string, level verify.Level) store.Options {
	opt := store.Options{Pin: c.Env[envPin], MaxEvents: c.Args.MaxEventsPerRun, Level: level}
	for recorded, local := range c.Args.ArtifactRoots {
		opt.Roots = append(opt.Roots, store.Root{Recorded: recorded, Local: filepath.Join(dir, filepath.FromSlash(local))})
	}
	return opt
}

// rules are the ids of a severity, of all runs and of the store, without the
// one rule that depends on how the folder was made.
func rules(res *store.Result, severity verify.Severity) []string {
	var list []verify.Finding
	list = append(list, res.General.List()...)
	for _, r := range res.Runs {
		list = append(list, r.Findings().List()...)
	}
	return slices.DeleteFunc(verify.RuleIDs(list, severity), func(id string) bool { return id == "strict.permissions" })
}

func TestVectorsJournal(t *testing.T) {
	area := vectors.Dir(t, "journal")
	entries, err := os.ReadDir(area)
	if err != nil {
		t.Fatal(err)
	}
	tally, later := vectors.NewTally(t, "journal"), map[string]int{}
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
			c := loadCase(t, area, name)
			if c.Kind != "bridge-data-directory" {
				later[c.Kind]++
				continue
			}
			tally.Case(name, func(t *testing.T) { c.check(t, area) })
		case name == "mac-messages.json":
			tally.Case(name, func(t *testing.T) { checkMessages(t, area) })
		case name == "canonical-text.json":
			tally.Case(name, func(t *testing.T) { checkTexts(t, area) })
		case strings.HasSuffix(name, ".json"):
			var c dirCase
			vectors.Read(t, filepath.Join(area, name), &c)
			later[c.Kind]++
		}
	}
	// Those of a running bridge.
	t.Logf("not run here: %d leases, %d flows, %d start conditions", later["bridge-lease"], later["bridge-flow"], later["bridge-start-conditions"])
	delete(later, "bridge-lease")
	delete(later, "bridge-flow")
	delete(later, "bridge-start-conditions")
	if len(later) > 0 {
		t.Errorf("cases of an unknown kind: %v", later)
	}
}

func (c dirCase) check(t *testing.T, area string) {
	dir := c.materialise(t, area)
	data := filepath.Join(dir, filepath.FromSlash(c.Args.DataDir))
	verified := func(level verify.Level, key string) *store.Result {
		opt := c.options(dir, level)
		opt.Key = store.NewKey(key)
		samePlainly(t, t, data, opt)
		res, err := store.Verify(t.Context(), data, opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	key := c.Env[envKey]
	keyed, keyless := verified(verify.Base, key), verified(verify.Base, "")
	compare(t, "base with the key", rules(keyed, verify.Error), c.Expect.Rules)
	compare(t, "base warnings with the key", rules(keyed, verify.Warning), c.Expect.Warnings)
	compare(t, "base without a key", rules(keyless, verify.Error), c.Expect.Keyless.Rules)
	compare(t, "base warnings without a key", rules(keyless, verify.Warning), c.Expect.Keyless.Warnings)
	if got := len(rules(keyed, verify.Error)) == 0; got != c.Expect.Valid {
		t.Errorf("valid %t, want %t", got, c.Expect.Valid)
	}

	strict, strictKeyless := verified(verify.Strict, key), verified(verify.Strict, "")
	compare(t, "strict warnings with the key", rules(strict, verify.Warning), c.Expect.Warnings)
	compare(t, "strict warnings without a key", rules(strictKeyless, verify.Warning), c.Expect.Keyless.Warnings)
	if c.Expect.Valid {
		compare(t, "strict with the key", rules(strict, verify.Error), c.Expect.Strict.Rules)
	} else {
		compare(t, "strict with the key, refused already", rules(strict, verify.Error), c.Expect.Rules)
	}
	if got := len(rules(strict, verify.Error)) == 0; got != c.Expect.Strict.Valid {
		t.Errorf("strict: valid %t, want %t", got, c.Expect.Strict.Valid)
	}
	for _, r := range keyed.Runs {
		c.checkRun(t, r, keyed)
	}
	checkWording(t, keyless)
	checkWording(t, strictKeyless)
}

// checkRun compares what a valid run comes to with what a bridge shows of it.
func (c dirCase) checkRun(t *testing.T, r *store.Run, res *store.Result) {
	if keep, ok := c.Expect.KeepBytes[r.ID]; ok && (r.Torn == nil || r.Torn.Keep != keep) {
		t.Errorf("torn tail %+v, want %d bytes kept", r.Torn, keep)
	}
	if want, ok := c.Expect.Bridge.Status[r.ID]; ok && (r.State == nil || r.State.Status != want) {
		t.Errorf("state %+v, want status %s", r.State, want)
	}
	if want, ok := c.Expect.Bridge.Events[r.ID]; ok && r.Records != want {
		t.Errorf("%d records, want %d", r.Records, want)
	}
}

// checkWording: without a key nothing passes or reads as verified.
func checkWording(t *testing.T, res *store.Result) {
	t.Helper()
	rep := res.Report(store.NoDemand)
	if rep.Verdict() == verify.Pass {
		t.Error("a pass without a key")
	}
	text := strings.Join(append(slices.Clone(rep.Notes), rep.Withheld...), "\n")
	if !strings.Contains(text, "structure-only, unauthenticated") || strings.Contains(text, "verified") || strings.Contains(text, "authenticated valid") {
		t.Errorf("without a key the report says:\n%s", text)
	}
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !vectors.SameRules(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func checkTexts(t *testing.T, area string) {
	var c struct {
		Expect struct {
			Entries []struct{ In, Compact, Pretty string }
		}
	}
	data, err := os.ReadFile(filepath.Join(area, "canonical-text.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Expect.Entries) == 0 {
		t.Fatal("no entries")
	}
	for _, e := range c.Expect.Entries {
		doc, err := canon.Read([]byte(e.In), canon.MaxDocument)
		if err != nil {
			t.Errorf("%s: %v", e.In, err)
			continue
		}
		var compact, pretty strings.Builder
		if err := errors.Join(canon.CompactTo(&compact, doc.Root), canon.PrettyTo(&pretty, doc.Root)); err != nil {
			t.Fatal(err)
		}
		if compact.String() != e.Compact {
			t.Errorf("%s: compact %s, want %s", e.In, compact.String(), e.Compact)
		}
		if pretty.String() != e.Pretty {
			t.Errorf("%s: pretty %s, want %s", e.In, pretty.String(), e.Pretty)
		}
	}
}

// checkMessages recomputes the messages of keyed hashes.
func checkMessages(t *testing.T, area string) {
	var c struct {
		Env    map[string]string
		Expect struct {
			Entries []struct {
				File, RunID, MessageBase64, Binding, MessageSHA256, Digest string
				Index, MessageLength                                       int
			}
		}
	}
	vectors.Read(t, filepath.Join(area, "mac-messages.json"), &c)
	if len(c.Expect.Entries) == 0 {
		t.Fatal("no entries")
	}
	dirs, err := filepath.Glob(filepath.Join(area, "valid-*", "data", "run-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Expect.Entries {
		i := slices.IndexFunc(dirs, func(d string) bool { return filepath.Base(d) == store.StorageKey(e.RunID) })
		if i < 0 {
			t.Errorf("no directory of the run %s", e.RunID)
			continue
		}
		message, binding := store.MessageForTest(t, dirs[i], e.File, e.RunID, e.Index)
		if want, err := base64.StdEncoding.DecodeString(e.MessageBase64); err != nil || e.MessageBase64 != "" && string(want) != string(message) {
			t.Errorf("%s %s %d: message %q, want %q", e.RunID, e.File, e.Index, message, want)
		}
		if e.MessageSHA256 != "" && (canon.SHA256(message) != e.MessageSHA256 || len(message) != e.MessageLength || binding != e.Binding) {
			t.Errorf("%s %s: %d bytes, binding %s; want %d, %s", e.RunID, e.File, len(message), binding, e.MessageLength, e.Binding)
		}
		if got := store.HashForTest(c.Env[envKey], message); got != e.Digest {
			t.Errorf("%s %s %d: digest %s, want %s", e.RunID, e.File, e.Index, got, e.Digest)
		}
	}
}
