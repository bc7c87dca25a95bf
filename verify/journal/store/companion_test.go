package store_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// everything is all that a result says, as a text to compare.
func everything(res *store.Result) string {
	var b strings.Builder
	list := func(what string, f *verify.Findings) {
		if f == nil {
			fmt.Fprintf(&b, "%s: none\n", what)
			return
		}
		fmt.Fprintf(&b, "%s: %d errors, omitted %v\n", what, f.Errors(), f.Omitted())
		for _, x := range f.List() {
			fmt.Fprintf(&b, "  %+v\n", x)
		}
	}
	fmt.Fprintf(&b, "%t %t %t %q %+v\n", res.Single, res.Keyed, res.KeyGiven, res.Unread, res.Leases)
	list("general", res.General)
	for _, r := range res.Runs {
		fmt.Fprintf(&b, "%s %q %q %d %q %+v %q %d %q %t %q %+v\n", r.Dir, r.ID, r.Unread, r.Records, r.Head, r.Torn, r.ConfigDigest, r.Behind, r.Root, r.Anchored, r.Anchor, r.Artifacts)
		list("structure", r.Structure)
		list("authenticated", r.Authenticated)
		fmt.Fprintf(&b, "beyond %+v\nsnapshot %s\n", r.Beyond, canon.Compact(r.Snapshot))
		for _, l := range r.Links {
			fmt.Fprintf(&b, "%d %s %s %s\n", l.Line, l.Digest, canon.Compact(l.Event), l.Canonical)
		}
		if s := r.State; s != nil {
			fmt.Fprintf(&b, "%s %s %s %s %t %d %s %s\n", s.Status, s.Mode, s.Source, s.Node, s.SelfHealOpen, s.Events,
				canon.Compact(canon.NewArray(s.Approvals...)), canon.Compact(canon.NewArray(s.Artifacts...)))
		}
	}
	for _, demand := range []store.Demand{store.NoDemand, store.DemandAnchor} {
		rep := res.Report(demand)
		fmt.Fprintf(&b, "%v %q %q %v\n", rep.Verdict(), rep.Withheld, rep.Notes, rep.Omitted)
	}
	return b.String()
}

// samePlainly fails when the faster ways of reading tell anything that reading
// plainly does not, or the other way round.
func samePlainly(t interface {
	Helper()
	Fatalf(string, ...any)
}, tb testing.TB, dir string, opt store.Options) {
	t.Helper()
	fast, plain := everything(verified(tb, dir, opt)), everything(verified(tb, dir, store.PlainlyForTest(opt)))
	if fast != plain {
		t.Fatalf("the faster way:\n%.4000s\nplainly:\n%.4000s", fast, plain)
	}
}

// allOptions are the ways in which a run is verified.
func allOptions() (list []store.Options) {
	for _, level := range levels {
		for _, key := range []string{testKey, "", "a-key-of-somebody-else-0123456789abcdef"} {
			list = append(list, store.Options{Key: store.NewKey(key), Level: level})
		}
		list = append(list, store.Options{Key: store.NewKey(testKey), Level: level, Keep: store.KeepLines})
	}
	return list
}

func TestSnapshotIsReadBesideTheJournal(t *testing.T) {
	for behind := range len(story().events) {
		s := story()
		s.snapshot -= behind
		dir := t.TempDir()
		run := write(t, dir, s.id, s.files())
		if !store.BesideForTest(t, run, withKey(verify.Strict)) || !store.BesideForTest(t, run, store.Options{}) {
			t.Errorf("%d events behind: not read beside the journal", behind)
		}
		for _, opt := range allOptions() {
			samePlainly(t, t, dir, opt)
		}
	}
}

var digestMember = regexp.MustCompile(`"digest": "[0-9a-f]{64}"`)

// resealed is a text of a snapshot under the keyed hash that it should have, if
// it can be read at all.
func resealed(text string) string {
	doc, err := canon.Read([]byte(text), canon.MaxSubject)
	if err != nil {
		return text
	}
	integrity := doc.Root.Get("snapshotIntegrity")
	head := integrity.Get("journalHeadDigest")
	binding := string(canon.Compact(obj("eventCount", integrity.Get("eventCount"), "journalHeadDigest", orNull(head))))
	var payload []canon.Member
	for _, m := range doc.Root.Members() {
		if m.Name != "snapshotIntegrity" {
			payload = append(payload, m)
		}
	}
	digest := seal(testKey, store.SnapshotSchema, binding, string(canon.Compact(canon.Build(payload...))))
	return digestMember.ReplaceAllString(text, `"digest": "`+digest+`"`)
}

// surgeries change the text of a snapshot, by somebody who has the key.
var surgeries = []struct{ name, old, new string }{
	{"nothing", "", ""},
	{"an event's message", `"message": "step 2"`, `"message": "step two"`},
	{"an event's member less", `      "message": "step 2",` + "\n", ""},
	{"an event's member more", `      "message": "step 2",`, `      "message": "step 2",` + "\n" + `      "aside": 1,`},
	{"an event's members swapped", `      "id": "e2",` + "\n" + `      "type": "node.skipped",`, `      "type": "node.skipped",` + "\n" + `      "id": "e2",`},
	{"an escape", `"message": "step 2"`, `"message": "st\u0065p 2"`},
	{"a surrogate", `"message": "step 2"`, `"message": "\ud800"`},
	{"a raw line feed", `"message": "step 2"`, `"message": "step` + "\n  \\\"events\\\": [\n" + `2"`},
	{"a space in an event", `"message": "step 2"`, `"message":  "step 2"`},
	{"a tab for spaces", `      "message": "step 2"`, "\t" + `"message": "step 2"`},
	{"a line end less", `"message": "step 2",` + "\n", `"message": "step 2",`},
	{"an event's member twice", `"message": "step 2",`, `"message": "decoy",` + "\n" + `      "message": "step 2",`},
	{"a bracket in an event", `"message": "step 2"`, `"message": ["step 2"]`},
	{"the list twice, decoy first", `  "events": [`, `  "events": [],` + "\n" + `  "events": [`},
	{"the list twice, decoy last", `  "contractVersion"`, `  "events": [],` + "\n" + `  "contractVersion"`},
	{"the list deeper before", `  "approvals"`, `  "aside": {` + "\n" + `    "events": [` + "\n" + `      1` + "\n" + `    ]` + "\n" + `  },` + "\n" + `  "approvals"`},
	{"a member before", `  "title"`, `  "aside": 1,` + "\n" + `  "title"`},
	{"a member after", `  "contractVersion"`, `  "aside": 1,` + "\n" + `  "contractVersion"`},
	{"a member that is an index", `  "title"`, `  "7": 1,` + "\n" + `  "title"`},
	{"a list after", `  "contractVersion"`, `  "aside": [` + "\n" + `    1` + "\n" + `  ],` + "\n" + `  "contractVersion"`},
	{"the list as an object", `  "events": [`, `  "events": {`},
	{"a byte order mark", "{\n  \"id\"", "\ufeff{\n  \"id\""},
	{"a comma after the last event", "    }\n  ],\n  \"contractVersion\"", "    },\n  ],\n  \"contractVersion\""},
	{"an event more", "    }\n  ],\n  \"contractVersion\"", "    },\n    {}\n  ],\n  \"contractVersion\""},
	{"a number among events", "    }\n  ],\n  \"contractVersion\"", "    },\n    1\n  ],\n  \"contractVersion\""},
	{"an empty line after the list", "  ],\n  \"contractVersion\"", "  ],\n\n  \"contractVersion\""},
	{"a text after the document", "\n}\n", "\n}\n{}"},
	{"no line end", "\n}\n", "\n}"},
	{"another line end", "\n}\n", "\n}\r\n"},
	{"the count in another spelling", `"eventCount": 10`, `"eventCount": 1e1`},
	{"the count twice", `    "eventCount"`, `    "eventCount": 0,` + "\n" + `    "eventCount"`},
	{"the count as a text", `"eventCount": 10`, `"eventCount": "10"`},
	{"another count", `"eventCount": 10`, `"eventCount": 9`},
	{"a member of the seal", `    "scheme"`, `    "aside": 1,` + "\n" + `    "scheme"`},
	{"the schema of the seal", store.SnapshotSchema, "another"},
	{"another id", `"id": "loom-1"`, `"id": "loom-2"`},
	{"no id", `"id": "loom-1"`, `"id": ""`},
	{"another status", `"status": "running"`, `"status": "complete"`},
}

func TestSurgeryOfASnapshot(t *testing.T) {
	for _, c := range surgeries {
		t.Run(c.name, func(t *testing.T) {
			s := story()
			files := s.files()
			before := string(files[store.SnapshotFile])
			if !strings.Contains(before, c.old) {
				t.Fatalf("the snapshot has no %q:\n%s", c.old, before)
			}
			text := strings.Replace(before, c.old, c.new, 1)
			for _, sealed := range []string{text, resealed(text)} {
				dir := t.TempDir()
				files[store.SnapshotFile] = []byte(sealed)
				write(t, dir, s.id, files)
				for _, opt := range allOptions() {
					samePlainly(t, t, dir, opt)
				}
				if res := verified(t, dir, withKey(verify.Strict)); res.Runs[0].Valid() != (sealed == before) {
					t.Errorf("valid %t: %v", res.Runs[0].Valid(), res.Runs[0].Findings().List())
				}
			}
		})
	}
}

// A list of events deeper in the document can be laid out like the outermost;
// then the outermost counts, which says that there are none.
func TestDecoyList(t *testing.T) {
	s := story()
	files := s.files()
	text := string(files[store.SnapshotFile])
	for _, pair := range [][2]string{
		{`  "events": [`, "  \"aside\": {\n  \"events\": ["},
		{"\n  ],\n  \"contractVersion\"", "\n  ]\n  },\n  \"events\": [],\n  \"contractVersion\""},
	} {
		if !strings.Contains(text, pair[0]) {
			t.Fatalf("the snapshot has no %q", pair[0])
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	dir := t.TempDir()
	files[store.SnapshotFile] = []byte(resealed(text))
	run := write(t, dir, s.id, files)
	for _, opt := range allOptions() {
		samePlainly(t, t, dir, opt)
		if store.BesideForTest(t, run, opt) {
			t.Error("the list deeper was taken for the outermost")
		}
	}
}

// Records as deep as they are read, and deeper.
func TestDeepRecords(t *testing.T) {
	dir := t.TempDir()
	for _, depth := range []int{60, 61, 62, 63, 64, 124, 125, 126, 127} {
		s := newScene("loom-1", testEvent(0, "node.entered", "implement", "ok", "aside", nested(depth)))
		write(t, dir, s.id, s.files())
		for _, opt := range allOptions() {
			samePlainly(t, t, dir, opt)
		}
	}
}

// spellings change the text of a journal and, but for the last ones, nothing
// that a keyed hash covers.
var spellings = []struct{ name, old, new string }{
	{"a space before a record", `{"schema"`, ` {"schema"`},
	{"a space after a record", "}}\n", "}} \n"},
	{"a tab in a record", `,"event"`, "\t" + `,"event"`},
	{"a space in an event", `"message":"step 2"`, `"message": "step 2"`},
	{"a space in an envelope", `"integrity":{"scheme"`, `"integrity":{ "scheme"`},
	{"a carriage return", "}}\n", "}}\r\n"},
	{"an empty line", "}}\n", "}}\n\n"},
	{"a line of spaces", "}}\n", "}}\n  \n"},
	{"a byte order mark", `{"schema"`, "\ufeff" + `{"schema"`},
	{"an escape in an event", `step 2`, `st\u0065p 2`},
	{"a slash escaped", `run/intake.json`, `run\/intake.json`},
	{"an escape in an envelope", `hmac-sha256-chain`, `hmac-sha256\u002dchain`},
	{"an escape in a name", `"integrity":`, `"integrit\u0079":`},
	{"a number in another spelling", `"mtimeMs":1.5`, `"mtimeMs":1.50`},
	{"a number with an exponent", `"size":3`, `"size":3e0`},
	{"a member of the event twice", `"message":"step 2"`, `"message":"decoy","message":"step 2"`},
	{"a member of the record twice", `{"schema"`, `{"schema":"decoy","schema"`},
	{"a member of the record more", `{"schema"`, `{"aside":1,"schema"`},
	{"a member of the record after the others", "}}\n", `},"aside":1}` + "\n"},
	{"a member of the seal more", `"scheme":`, `"aside":1,"scheme":`},
	{"a member of the seal that is an index", `"scheme":`, `"0":1,"scheme":`},
	{"the seal in another order", `"scheme":"hmac-sha256-chain","previousDigest":null`, `"previousDigest":null,"scheme":"hmac-sha256-chain"`},
	{"the schema after the event", `{"schema":"uash.bridge-event-journal.v1",`, `{`},
	{"an empty text for null", `"previousDigest":null`, `"previousDigest":""`},
	{"no line end", "gate.fired", "gate.fired"},
	{"a member of the event more", `"message":"step 2"`, `"aside":1,"message":"step 2"`},
	{"an ill-formed character", `step 2`, "step \xff"},
	{"a surrogate", `step 2`, `step \ud800`},
	{"an event that is a list", `"event":{`, `"event":[{`},
	{"a record that is a list", `{"schema"`, `[{"schema"`},
	{"no integrity", `"integrity":{`, `"integrity":1,"was":{`},
	{"a digest in upper case", `"digest":"`, `"digest":"A`},
}

func TestSpellingsOfAJournal(t *testing.T) {
	for _, c := range spellings {
		t.Run(c.name, func(t *testing.T) {
			for _, behind := range []int{0, 8} {
				s := story()
				s.snapshot -= behind
				files := s.files()
				before := string(files[store.JournalFile])
				text := strings.Replace(before, c.old, c.new, 1)
				if c.name == "no line end" {
					text = strings.TrimSuffix(text, "\n")
				}
				if text == before {
					t.Fatalf("the journal has no %q:\n%s", c.old, before)
				}
				files[store.JournalFile] = []byte(text)
				dir := t.TempDir()
				write(t, dir, s.id, files)
				for _, opt := range allOptions() {
					samePlainly(t, t, dir, opt)
				}
				cut := c.name == "no line end" && behind > 0 // the snapshot does not know the record
				if res := verified(t, dir, withKey(verify.Strict)); res.Runs[0].Valid() != cut {
					t.Errorf("valid %t: %v", !cut, res.Runs[0].Findings().List())
				}
			}
		})
	}
}

// Whatever is done to the files, both ways of reading tell the same.
func TestFasterIsTheSame(t *testing.T) {
	dir := t.TempDir()
	options := allOptions()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawnScene(rt)
		files := s.files()
		if rapid.Bool().Draw(rt, "tampered") {
			files = tampered(rt, files)
		}
		write(t, dir, s.id, files)
		opt := rapid.SampledFrom(options).Draw(rt, "options")
		opt.MaxEvents = rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(rt, "most")
		opt.Workers = rapid.IntRange(1, 3).Draw(rt, "workers")
		samePlainly(rt, t, dir, opt)
	})
}

// nested is a list in a list, so many deep.
func nested(depth int) canon.Value {
	v := canon.NewArray()
	for range depth - 1 {
		v = canon.NewArray(v)
	}
	return v
}

// drawnScene is a run of drawn events, some of them odd, with a drawn snapshot.
func drawnScene(t *rapid.T) *scene {
	events := slices.Clone(story().events)
	odd := []canon.Value{
		str("\x00\x1f\x7f\u2028\"\\/\n"), str("é😀\ufeff"), str(""), canon.NewNumber(1770000000000.25), canon.NewNumber(1e21), canon.NewNumber(-0.5), canon.NewNull(), canon.NewBool(true), canon.NewArray(),
		obj(), obj("a", obj("b", canon.NewArray(obj(), canon.NewArray(canon.NewNumber(1), str("]"))))), obj("2", str("x"), "1", str("y")), str(strings.Repeat("\\\"", 50)),
		nested(60), nested(62), nested(63), nested(125), nested(126), nested(127),
	}
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		i := rapid.IntRange(0, len(events)-1).Draw(t, "event")
		name := rapid.SampledFrom([]string{"message", "aside", "artifactVerification", "skipReason", "nodeState", "approvalOwner", "id", "3"}).Draw(t, "member")
		events[i] = canon.With(events[i], name, rapid.SampledFrom(odd).Draw(t, "value"))
	}
	s := newScene("loom-1", events[:rapid.IntRange(0, len(events)).Draw(t, "records")]...)
	s.snapshot = rapid.IntRange(0, len(s.events)).Draw(t, "snapshot")
	if rapid.IntRange(0, 3).Draw(t, "resnap") == 0 {
		name := rapid.SampledFrom([]string{"events", "aside", "title", "artifactRoot", "approvals", "id", "0", "status"}).Draw(t, "payload member")
		value := rapid.SampledFrom(append(odd, canon.NewArray(events[0]))).Draw(t, "payload value")
		s.resnap = func(payload canon.Value) canon.Value { return canon.With(payload, name, value) }
	}
	return s
}

// Lists that start, and events that end, anywhere in a piece of the file.
func TestPiecesOfASnapshot(t *testing.T) {
	events := make([]canon.Value, 40)
	for i := range events {
		events[i] = testEvent(i, "node.entered", "implement", "ok")
		events[i] = canon.With(events[i], "message", str(strings.Repeat("m\n", 4000+i)))
	}
	dir := t.TempDir()
	for k := range 40 {
		s := newScene("loom-1", events...)
		s.resnap = func(payload canon.Value) canon.Value {
			room := 128<<10 - bytes.Index(canon.Pretty(payload), []byte("  \"events\"")) - 24 + k
			return canon.With(payload, "title", str(strings.Repeat("t", room)))
		}
		run := write(t, dir, s.id, s.files())
		if !store.BesideForTest(t, run, withKey(verify.Strict)) {
			t.Fatalf("%d: not read beside the journal", k)
		}
		samePlainly(t, t, dir, withKey(verify.Strict))
	}
}

func checkLaidOut(t *testing.T, data []byte, depth, pieceBytes int) {
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil || !doc.Root.IsObject() || len(doc.Defects) > 0 {
		return
	}
	wrapped := doc.Root
	for range depth {
		wrapped = canon.NewArray(wrapped)
	}
	var b bytes.Buffer
	canon.PrettyTo(&b, wrapped)
	open := depth * (depth + 3) // "[", and the line that is begun
	end := depth * (depth + 1)  // the lines of "]"
	text := b.Bytes()[open : b.Len()-end]
	compact := canon.Compact(doc.Root)
	if !store.LaidOutForTest(compact, text, depth, pieceBytes) {
		t.Fatalf("%s at depth %d is not\n%s", compact, depth, text)
	}
	for at := range min(len(text), 300) {
		less := slices.Delete(bytes.Clone(text), at, at+1)
		more := slices.Insert(bytes.Clone(text), at, ' ')
		other := bytes.Clone(text)
		other[at] ^= 1
		for _, wrong := range [][]byte{less, more, other, text[:at]} {
			if store.LaidOutForTest(compact, wrong, depth, pieceBytes) {
				t.Fatalf("%s at depth %d is\n%s", compact, depth, wrong)
			}
		}
	}
}

// FuzzLaidOut: of a value, exactly its pretty text is taken for it.
func FuzzLaidOut(f *testing.F) {
	for i, ev := range story().events {
		f.Add(canon.Compact(ev), i%4, 1+7*i)
	}
	f.Add([]byte(`{"":"\\","a":[[],{},[{}],{"b":"\\\"]"}],"n":[1,-0.5,null,true],"e":""}`), 2, 5)
	f.Fuzz(func(t *testing.T, data []byte, depth, pieceBytes int) {
		if depth >= 0 && depth <= 8 && pieceBytes > 0 && pieceBytes < 1<<16 && len(data) < 5000 {
			checkLaidOut(t, data, depth, pieceBytes)
		}
	})
}

func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"scheme", "previousDigest", "digest", "aside", "more"}), 0, 5, rapid.ID).Draw(t, "names")
		var members []canon.Member
		for _, n := range names {
			members = append(members, canon.Member{Name: n, Value: canon.NewNull()})
		}
		if now, unchanged := store.InOrderForTest(canon.Build(members...)); now != unchanged {
			t.Fatalf("%q: in order %t, want %t", names, now, unchanged)
		}
	})
}
