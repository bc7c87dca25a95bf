package store_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// An edit of a file by somebody without the key.
type edit struct {
	name string
	do   func(t *rapid.T, data []byte) []byte
}

var edits = []edit{
	{"flip a byte", func(t *rapid.T, data []byte) []byte {
		out := bytes.Clone(data)
		out[rapid.IntRange(0, len(out)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		return out
	}},
	{"drop a line", func(t *rapid.T, data []byte) []byte {
		l := splitLines(data)
		i := rapid.IntRange(0, len(l)-1).Draw(t, "line")
		return bytes.Join(slices.Delete(l, i, i+1), nil)
	}},
	{"repeat a line", func(t *rapid.T, data []byte) []byte {
		l := splitLines(data)
		i, j := rapid.IntRange(0, len(l)-1).Draw(t, "line"), rapid.IntRange(0, len(l)).Draw(t, "to")
		return bytes.Join(slices.Insert(l, j, l[i]), nil)
	}},
	{"swap lines", func(t *rapid.T, data []byte) []byte {
		l := splitLines(data)
		i, j := rapid.IntRange(0, len(l)-1).Draw(t, "line"), rapid.IntRange(0, len(l)-1).Draw(t, "other")
		l[i], l[j] = l[j], l[i]
		return bytes.Join(l, nil)
	}},
	{"cut the end off", func(t *rapid.T, data []byte) []byte {
		return bytes.Clone(data[:rapid.IntRange(0, len(data)-1).Draw(t, "length")])
	}},
	{"drop bytes", func(t *rapid.T, data []byte) []byte {
		i := rapid.IntRange(0, len(data)-1).Draw(t, "from")
		n := rapid.IntRange(1, min(200, len(data)-i)).Draw(t, "bytes")
		return slices.Concat(data[:i], data[i+n:])
	}},
	{"white space", func(t *rapid.T, data []byte) []byte {
		i := rapid.IntRange(0, len(data)).Draw(t, "at")
		return slices.Concat(data[:i], []byte(rapid.SampledFrom([]string{" ", "\t", "\n", "\r", "\r\n"}).Draw(t, "space")), data[i:])
	}},
}

func splitLines(data []byte) [][]byte {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	if n := len(lines) - 1; n > 0 && len(lines[n]) == 0 {
		lines = lines[:n]
	}
	return slices.Clone(lines)
}

// tampered edits one file or several.
func tampered(t *rapid.T, files map[string][]byte) map[string][]byte {
	out := maps.Clone(files)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		name := rapid.SampledFrom([]string{store.JournalFile, store.ConfigFile, store.SnapshotFile, store.JournalFile}).Draw(t, "file")
		e := rapid.SampledFrom(edits).Draw(t, "edit")
		if len(out[name]) > 0 {
			out[name] = e.do(t, out[name])
		}
	}
	return out
}

// changed reports whether the files differ in more than a torn tail, which the
// contract accepts (11 §4.5).
func changed(before, after map[string][]byte) bool {
	for name := range before {
		b, a := before[name], after[name]
		if name == store.JournalFile {
			a = a[:bytes.LastIndexByte(a, '\n')+1]
		}
		if !bytes.Equal(a, b) {
			return true
		}
	}
	return false
}

// With the key nothing is missed: at strict level whatever is not the file
// itself, at base level whatever means something else.
func TestTamperingIsFound(t *testing.T) {
	for _, behind := range []int{0, 1, 4} {
		s := story()
		s.snapshot -= behind
		files := s.files()
		dir := t.TempDir()
		write(t, dir, s.id, files)
		for _, level := range levels {
			if res := verified(t, dir, withKey(level)); !res.Runs[0].Valid() || len(res.Runs) != 1 {
				t.Fatalf("the run itself: %+v", res.Runs[0].Findings().List())
			}
		}
		rapid.Check(t, func(rt *rapid.T) {
			after := tampered(rt, files)
			if !changed(files, after) {
				return
			}
			write(t, dir, s.id, after)
			strict := verified(t, dir, withKey(verify.Strict))
			if strict.Runs[0].Valid() && !onlyCut(files, after, s.snapshot) {
				rt.Fatalf("missed at strict level: %s", difference(files, after))
			}
			base := verified(t, dir, withKey(verify.Base))
			if base.Runs[0].Valid() && !sameMeaning(files, after, s.snapshot) {
				rt.Fatalf("missed at base level: %s", difference(files, after))
			}
			if strict.Runs[0].Valid() && !base.Runs[0].Valid() {
				rt.Fatalf("strict accepts what base refuses: %v", base.Runs[0].Findings().List())
			}
			keyless(rt, t, dir, base)
		})
	}
}

var levels = []verify.Level{verify.Base, verify.Strict}

// keyless: without the key there is no pass, nothing reads as verified, and
// nothing is refused that the key would accept.
func keyless(rt *rapid.T, t *testing.T, dir string, keyed *store.Result) {
	res := verified(t, dir, store.Options{Level: verify.Base})
	rep := res.Report(store.NoDemand)
	if rep.Verdict() == verify.Pass {
		rt.Fatal("a pass without the key")
	}
	if text := strings.Join(append(rep.Notes, rep.Withheld...), "\n"); strings.Contains(text, "verified") || !strings.Contains(text, store.KeylessWording) {
		rt.Fatalf("without the key: %s", text)
	}
	if keyed.Runs[0].Valid() && !res.Runs[0].Valid() {
		rt.Fatalf("refused without the key only: %v", res.Runs[0].Findings().List())
	}
}

// onlyCut: records that the snapshot does not know yet can be cut off, with
// nothing to show for it (11 §8, §10).
func onlyCut(before, after map[string][]byte, known int) bool {
	b, a := before[store.JournalFile], after[store.JournalFile]
	a = a[:bytes.LastIndexByte(a, '\n')+1]
	return bytes.HasPrefix(b, a) && bytes.Count(a, []byte{'\n'}) >= known &&
		bytes.Equal(before[store.ConfigFile], after[store.ConfigFile]) && bytes.Equal(before[store.SnapshotFile], after[store.SnapshotFile])
}

// sameMeaning reports whether everything that a keyed hash covers is as it was,
// but for records at the end that the snapshot does not know yet.
func sameMeaning(before, after map[string][]byte, known int) bool {
	sealed, events := meaning(before)
	now, left := meaning(after)
	return now == sealed && len(left) >= known && len(left) <= len(events) && slices.Equal(left, events[:len(left)])
}

// meaning is what the sealed texts say: configuration and snapshot, and the
// events of the journal.
func meaning(files map[string][]byte) (sealed string, events []string) {
	var b strings.Builder
	for _, name := range []string{store.ConfigFile, store.SnapshotFile} {
		doc, err := canon.Read(files[name], canon.MaxSubject)
		if err != nil {
			return "unreadable", nil
		}
		integrity := "integrity"
		if name == store.SnapshotFile {
			integrity = "snapshotIntegrity"
		}
		for _, m := range doc.Root.Members() {
			if m.Name != integrity {
				b.WriteString(m.Name)
				b.Write(canon.Compact(m.Value))
			}
		}
	}
	data := files[store.JournalFile]
	for _, line := range bytes.Split(data[:bytes.LastIndexByte(data, '\n')+1], []byte{'\n'}) {
		if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) == 0 {
			continue
		}
		doc, err := canon.Read(line, canon.MaxSubject)
		if err != nil {
			return "unreadable", nil
		}
		events = append(events, string(canon.Compact(doc.Root.Get("event"))))
	}
	return b.String(), events
}

func difference(before, after map[string][]byte) string {
	for name := range before {
		b, a := before[name], after[name]
		if bytes.Equal(a, b) {
			continue
		}
		i := 0
		for i < len(a) && i < len(b) && a[i] == b[i] {
			i++
		}
		return name + " from " + string(b[i:min(len(b), i+80)]) + " to " + string(a[i:min(len(a), i+80)])
	}
	return "nothing"
}

// Whoever has no key can edit all three files together so that the structure
// holds: the key finds it, the structure does not (11 §8).
func TestCoordinatedEdit(t *testing.T) {
	s := story()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		forged := &scene{id: s.id, key: "another-key-of-an-outsider-0123456789", events: slices.Clone(s.events), snapshot: s.snapshot}
		i := rapid.IntRange(0, len(s.events)-1).Draw(rt, "event")
		forged.events[i] = canon.With(s.events[i], "message", str(rapid.StringN(1, 20, -1).Draw(rt, "message")+"!"))
		write(t, dir, s.id, forged.files())
		if res := verified(t, dir, withKey(verify.Base)); res.Runs[0].Valid() {
			rt.Fatal("a forged store passes with the key")
		}
		if res := verified(t, dir, store.Options{Level: verify.Base}); !res.Runs[0].Valid() || res.Report(store.NoDemand).Verdict() != verify.Incomplete {
			rt.Fatalf("without the key only the structure is seen: %v", res.Runs[0].Findings().List())
		}
	})
}

// An older state of the directory verifies; what somebody noted or signed of
// the newer one shows it.
func TestRollback(t *testing.T) {
	s := story()
	_, digests := s.records()
	for n := range s.events {
		old := &scene{id: s.id, key: s.key, events: s.events[:n], snapshot: n}
		dir := t.TempDir()
		write(t, dir, s.id, old.files())
		if res := verified(t, dir, withKey(verify.Strict)); !res.Runs[0].Valid() || res.Runs[0].Anchored {
			t.Errorf("%d records: %v, anchored %t", n, res.Runs[0].Findings().List(), res.Runs[0].Anchored)
		}
		for _, seen := range []store.Seen{{Count: len(s.events)}, {Count: -1, Head: digests[len(digests)-1]}, {Count: len(s.events), Head: digests[len(digests)-1]}} {
			opt := withKey(verify.Strict)
			opt.Seen = &seen
			if res := verified(t, dir, opt); res.Runs[0].Valid() || res.Runs[0].Anchored {
				t.Errorf("%d records pass although %+v were seen", n, seen)
			}
		}
	}
	// The journal grew since: no rollback, and no anchor for what is new.
	dir := t.TempDir()
	write(t, dir, s.id, s.files())
	for _, c := range []struct {
		seen     store.Seen
		anchored bool
	}{
		{store.Seen{Count: 4, Head: digests[3]}, false},
		{store.Seen{Count: -1, Head: digests[3]}, false},
		{store.Seen{Count: len(digests), Head: digests[len(digests)-1]}, true},
		{store.Seen{Count: len(digests)}, true},
		{store.Seen{Count: -1, Head: digests[len(digests)-1]}, true},
	} {
		opt := withKey(verify.Strict)
		opt.Seen = &c.seen
		if r := verified(t, dir, opt).Runs[0]; !r.Valid() || r.Anchored != c.anchored {
			t.Errorf("%+v: anchored %t, want %t; %v", c.seen, r.Anchored, c.anchored, r.Findings().List())
		}
	}
}
