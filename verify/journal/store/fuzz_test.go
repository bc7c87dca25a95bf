package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// FuzzRun: whatever lies in a run directory, verification ends, strict level
// and the key only refuse more, nothing passes without the key, and it does not
// matter whether it is read in the faster ways.
func FuzzRun(f *testing.F) {
	s := story()
	files := s.files()
	f.Add(files[store.ConfigFile], files[store.JournalFile], files[store.SnapshotFile])
	f.Add([]byte("{}"), []byte("{}\n"), []byte("[]"))
	f.Add([]byte(nil), []byte("\n\r\n\xEF\xBB\xBF"), []byte(`{"snapshotIntegrity":{"eventCount":1e400}}`))
	dirs, err := filepath.Glob(filepath.Join(vectors.Dir(f, "journal"), "*", "data", "run-*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, d := range dirs {
		read := func(name string) []byte { data, _ := os.ReadFile(filepath.Join(d, name)); return data } // absent is a seed too
		if j := read(store.JournalFile); len(j) < 20000 {
			f.Add(read(store.ConfigFile), j, read(store.SnapshotFile))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, config, journal, snapshot []byte) {
		write(t, dir, s.id, map[string][]byte{store.ConfigFile: config, store.JournalFile: journal, store.SnapshotFile: snapshot})
		opt := store.Options{Key: store.NewKey(testKey), Level: verify.Strict, Keep: store.KeepLines, Workers: 1,
			Roots: []store.Root{{Recorded: testRoot, Local: dir}}}
		samePlainly(t, t, dir, opt)
		strict := verified(t, dir, opt)
		opt.Level = verify.Base
		samePlainly(t, t, dir, opt)
		base := verified(t, dir, opt)
		opt.Key = store.Key{}
		samePlainly(t, t, dir, opt)
		keyless := verified(t, dir, opt)
		if strict.Runs[0].Valid() && !base.Runs[0].Valid() {
			t.Errorf("strict accepts what base refuses: %v", base.Runs[0].Findings().List())
		}
		if base.Runs[0].Valid() && !keyless.Runs[0].Valid() {
			t.Errorf("the key accepts what the structure refuses: %v", keyless.Runs[0].Findings().List())
		}
		if keyless.Report(store.NoDemand).Verdict() == verify.Pass {
			t.Error("a pass without the key")
		}
		for _, r := range []*store.Run{strict.Runs[0], base.Runs[0], keyless.Runs[0]} {
			if len(r.Links) != r.Records || r.Records > 0 && r.Links[r.Records-1].Digest != r.Head {
				t.Errorf("%d links of %d records, head %s", len(r.Links), r.Records, r.Head)
			}
		}
	})
}

// FuzzLease: a lease file of any bytes is read, and only a whole lease is
// anything but malformed.
func FuzzLease(f *testing.F) {
	f.Add([]byte(`{"schema":"uash.bridge-process-lease.v1","leaseId":"a","pid":1,"hostname":"h","startedAt":"t"}`))
	f.Add([]byte(`{"schema":"uash.bridge-process-lease.v1","leaseId":"a","pid":"1e3"}`))
	f.Add([]byte("[]"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, store.LeaseFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		here := store.Machine{Host: "h", Alive: func(pid int) bool { return pid == 1 }}
		switch l := store.ReadLeases(dir, here).Main; l.State {
		case store.LeaseMalformed:
			if l.Reason == "" {
				t.Error("malformed without a reason")
			}
		case store.LeaseHeld, store.LeaseStale, store.LeaseForeign:
			if l.ID == "" {
				t.Errorf("%s without an id", l.State)
			}
		default:
			t.Errorf("a lease file is %s", l.State)
		}
	})
}
