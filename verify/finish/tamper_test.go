package finish_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

var mutantCount = flag.Int("mutants", 400, "how many mutants of the example run are verified (0: all)")

// A mutant is a changed run: files to write instead of those that are there.
type mutant struct {
	kind  string
	what  string
	files map[string][]byte
}

// The tampering property: whatever is changed in a run that passes, it is
// refused, or the change has no meaning. What has no meaning is shown to have
// none by a comparison that the verifier does not make, and each kind of it is
// named below; a kind that is new, or gone, fails the test.
func TestEveryTamperingIsRefused(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	workers := []*bench{newBench(t, prog), newBench(t, prog)}
	mutants := allMutants(t, workers[0])
	if len(mutants) < 5000 {
		t.Fatalf("only %d mutants; 5,000 are promised", len(mutants))
	}
	total := len(mutants)
	most := *mutantCount
	if testing.Short() {
		most = 40
	}
	if most > 0 {
		mutants = mutants[:min(most, len(mutants))]
	}
	outcomes := make([]outcome, len(mutants))
	var group errgroup.Group
	for i, w := range workers {
		group.Go(func() error {
			for n := i; n < len(mutants); n += len(workers) {
				if err := w.judge(mutants[n], &outcomes[n]); err != nil {
					return fmt.Errorf("%s: %s: %w", mutants[n].kind, mutants[n].what, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	refused, meaningless := 0, map[string]int{}
	for i, o := range outcomes {
		switch {
		case o.verdict != verify.Pass:
			refused++
		case o.meaningless != "":
			meaningless[o.meaningless]++
		default:
			t.Errorf("passed: %s: %s", mutants[i].kind, mutants[i].what)
		}
	}
	t.Logf("%d of %d mutants verified: %d refused", len(mutants), total, refused)
	for _, kind := range slices.Sorted(maps.Keys(meaningless)) {
		t.Logf("%d without meaning: %s", meaningless[kind], kind)
		if !slices.Contains(meaninglessKinds, kind) {
			t.Errorf("unexpected kind of change without meaning: %s", kind)
		}
	}
	if len(mutants) == total && len(meaningless) != len(meaninglessKinds) {
		t.Errorf("kinds without meaning: %v, want %v", slices.Sorted(maps.Keys(meaningless)), meaninglessKinds)
	}
}

// meaninglessKinds are the changes that a run may carry.
var meaninglessKinds = []string{sameCanonical, outsideDigests, otherCaseOfOrder}

const (
	sameCanonical    = "another spelling of the same packet: white space, member order, escapes, numbers"
	outsideDigests   = "a member of the packet that the format ignores: it enters no digest and no rule reads it"
	otherCaseOfOrder = "the order of requiredGates or gateArtifacts, which are hashed sorted"
)

type outcome struct {
	verdict     verify.Verdict
	meaningless string
}

// A bench is a run in a directory of its own, which mutants are put into and
// taken out of.
type bench struct {
	run      *example.Run
	prog     git.Program
	repo     *git.Repo // opened once: mutants leave .git alone
	original map[string][]byte
}

func newBench(t *testing.T, prog git.Program) *bench {
	t.Helper()
	run, err := example.Materialise(context.Background(), prog, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(context.Background(), prog, run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	b := &bench{run: run, prog: prog, repo: repo, original: map[string][]byte{}}
	err = filepath.WalkDir(run.Dir, func(path string, d os.DirEntry, err error) error {
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(run.Dir, path)
			b.original[rel], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := b.verdict(); err != nil || v != verify.Pass {
		t.Fatalf("the run does not pass to begin with: %v %v", v, err)
	}
	return b
}

// verdict is what finish.Packet does, with the repository opened beforehand.
func (b *bench) verdict() (verify.Verdict, error) {
	root, err := evidence.Open(b.run.Dir)
	if err != nil {
		return verify.Fail, err
	}
	defer root.Close()
	selected, err := pack.Select(root, "")
	if err != nil {
		return verify.Fail, err
	}
	gates, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}})
	if err != nil {
		return verify.Fail, err
	}
	defer gates.Close()
	outcome, err := packet.Verify(context.Background(), packet.Input{
		Target: root, Pack: selected, Git: b.prog, Repo: b.repo, Pin: review.ParsePin(b.run.Pin), Delegates: packet.Native(gates),
	})
	if err != nil {
		return verify.Fail, err
	}
	return outcome.Report.Verdict(), nil
}

func (b *bench) judge(m mutant, o *outcome) (err error) {
	for name, data := range m.files {
		if err := os.WriteFile(filepath.Join(b.run.Dir, name), data, 0o644); err != nil {
			return err
		}
	}
	if o.verdict, err = b.verdict(); err != nil {
		return err
	}
	if o.verdict == verify.Pass && len(m.files) == 1 {
		if data, ok := m.files[packet.DefaultPath]; ok {
			o.meaningless = meaningOf(b.original[packet.DefaultPath], data)
		}
	}
	for name := range m.files {
		original, there := b.original[name]
		if !there {
			err = os.Remove(filepath.Join(b.run.Dir, name))
		} else {
			err = os.WriteFile(filepath.Join(b.run.Dir, name), original, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meaningOf names why two packets mean the same, or is "".
func meaningOf(original, changed []byte) string {
	a, errA := canon.Read(original, canon.MaxDocument)
	b, errB := canon.Read(changed, canon.MaxDocument)
	if errA != nil || errB != nil || len(b.Defects) > 0 {
		return ""
	}
	switch {
	case canon.Equal(a.Root, b.Root):
		return sameCanonical
	case canon.Equal(a.Root, pruned(a.Root, b.Root)):
		return outsideDigests
	case canon.Equal(sortedLists(a.Root), sortedLists(pruned(a.Root, b.Root))):
		return otherCaseOfOrder
	}
	return ""
}

// pruned is b without the members that a does not have, at the places where
// contract 05 says that further members are ignored.
func pruned(a, b canon.Value) canon.Value {
	b = keepOnly(b, names(a))
	for _, path := range []string{"inputs", "validationRuntime", "bindings"} {
		b = canon.With(b, path, keepOnly(b.Get(path), names(a.Get(path))))
	}
	inputs := b.Get("inputs")
	for _, m := range inputs.Members() {
		inputs = canon.With(inputs, m.Name, keepOnly(m.Value, []string{"path", "sha256"}))
	}
	b = canon.With(b, "inputs", inputs)
	return canon.With(b, "gateArtifacts", each(b.Get("gateArtifacts"), "gate", "path", "sha256", "required", "runId", "commit", "environment"))
}

func each(list canon.Value, keep ...string) canon.Value {
	var kept []canon.Value
	for _, e := range list.Elems() {
		kept = append(kept, keepOnly(e, keep))
	}
	return canon.NewArray(kept...)
}

func names(v canon.Value) (list []string) {
	for _, m := range v.Members() {
		list = append(list, m.Name)
	}
	return list
}

func keepOnly(v canon.Value, keep []string) canon.Value {
	var members []canon.Member
	for _, m := range v.Members() {
		if slices.Contains(keep, m.Name) {
			members = append(members, m)
		}
	}
	return canon.Build(members...)
}

func sortedLists(v canon.Value) canon.Value {
	for _, name := range []string{"requiredGates", "gateArtifacts"} {
		list := slices.Clone(v.Get(name).Elems())
		slices.SortFunc(list, func(a, b canon.Value) int { return bytes.Compare(canon.Canonical(a), canon.Canonical(b)) })
		v = canon.With(v, name, canon.NewArray(list...))
	}
	return v
}

// allMutants makes every mutant, in a fixed random order.
func allMutants(t *testing.T, b *bench) []mutant {
	t.Helper()
	rng := rand.New(rand.NewPCG(2026, 11))
	var list []mutant
	for _, name := range slices.Sorted(maps.Keys(b.original)) {
		data := b.original[name]
		list = append(list, byteMutants(rng, name, data)...)
		list = append(list, cutMutants(name, data)...)
		if strings.HasSuffix(name, ".json") {
			list = append(list, memberMutants(t, b, name, data)...)
		}
	}
	list = append(list, swapMutants(b)...)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// classes of bytes; each file is changed in some of each.
var classes = map[string]func(c byte) bool{
	"letter":      func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' },
	"digit":       func(c byte) bool { return c >= '0' && c <= '9' },
	"white space": func(c byte) bool { return c == ' ' || c == '\n' },
	"punctuation": func(c byte) bool {
		return c > ' ' && c < 0x7F && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(c >= '0' && c <= '9')
	},
	"other": func(c byte) bool { return c >= 0x7F },
}

const perClass = 8

func byteMutants(rng *rand.Rand, name string, data []byte) (list []mutant) {
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		var places []int
		for i, c := range data {
			if classes[class](c) {
				places = append(places, i)
			}
		}
		rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for _, i := range places[:min(perClass, len(places))] {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << rng.IntN(8)
			list = append(list, mutant{"a " + class + " byte changed", fmt.Sprintf("%s byte %d", name, i), one(name, changed)})
		}
	}
	return list
}

func one(name string, data []byte) map[string][]byte { return map[string][]byte{name: data} }

func cutMutants(name string, data []byte) (list []mutant) {
	for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
		list = append(list, mutant{"truncated", fmt.Sprintf("%s to %d bytes", name, n), one(name, data[:n])})
	}
	for _, tail := range []string{"\n", " ", "\x00", "{}"} {
		list = append(list, mutant{"extended", fmt.Sprintf("%s by %q", name, tail), one(name, append(bytes.Clone(data), tail...))})
	}
	return list
}

// memberMutants changes each member of a document and, for the evidence, also
// repairs every digest of the packet that an intruder could.
func memberMutants(t *testing.T, b *bench, name string, data []byte) (list []mutant) {
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	committed := strings.HasPrefix(name, "controls/") || strings.HasPrefix(name, "skills/")
	for _, pointer := range pointers(doc.Root, nil) {
		value := at(doc.Root, pointer)
		for _, change := range changesOf(value) {
			if committed && change.name != "removed" {
				continue // the pack is compared byte for byte; one change a member is plenty
			}
			m := mutant{"member " + change.name, name + " /" + strings.Join(pointer, "/"), one(name, canon.Pretty(put(doc.Root, pointer, change.value)))}
			list = append(list, m)
			if !committed && name != packet.DefaultPath && change.name == "changed" {
				list = append(list, repaired(t, b, m))
			}
		}
		if value.IsObject() && !committed {
			added := put(doc.Root, append(slices.Clone(pointer), "surprise"), canon.NewString("added"))
			list = append(list, mutant{"member added", name + " /" + strings.Join(pointer, "/"), one(name, canon.Pretty(added))})
		}
		if len(pointer) > 0 && !committed {
			if twice, ok := duplicated(data, pointer[len(pointer)-1]); ok {
				list = append(list, mutant{"member twice", name + " /" + strings.Join(pointer, "/"), one(name, twice)})
			}
		}
	}
	return list
}

// duplicated writes the first member of that name twice, first with another
// value.
func duplicated(data []byte, member string) ([]byte, bool) {
	key := []byte(strconv.Quote(member) + ": ")
	i := bytes.Index(data, key)
	if i < 0 {
		return nil, false
	}
	return slices.Concat(data[:i], key, []byte(`"first", `), data[i:]), true
}

// repaired adds to a mutant the packet whose digests fit it.
func repaired(t *testing.T, b *bench, m mutant) mutant {
	t.Helper()
	dir := t.TempDir()
	for name, data := range b.original {
		if changed, ok := m.files[name]; ok {
			data = changed
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := maps.Clone(m.files)
	if err := (&example.Run{Dir: dir}).Rebind(); err == nil { // a packet that cannot be repaired stays as it was
		if files[packet.DefaultPath], err = os.ReadFile(filepath.Join(dir, packet.DefaultPath)); err != nil {
			t.Fatal(err)
		}
	}
	return mutant{m.kind + ", digests repaired", m.what, files}
}

type change struct {
	name  string
	value canon.Value // absent: the member is removed
}

func changesOf(v canon.Value) []change {
	changes := []change{{"removed", canon.Value{}}}
	switch v.Kind() {
	case canon.String:
		s := v.Text()
		changes = append(changes, change{"changed", canon.NewString(s + "x")}, change{"emptied", canon.NewString("")}, change{"null", canon.NewNull()})
		if canon.IsHex64(s) {
			changes = append(changes, change{"upper case", canon.NewString(strings.ToUpper(s))},
				change{"other digest", canon.NewString(canon.TextDigest(s))}, change{"wrapped", canon.NewArray(v)})
		}
	case canon.Number:
		n, _ := v.Num()
		changes = append(changes, change{"changed", canon.NewNumber(n + 1)}, change{"text", canon.NewString(fmt.Sprint(n))})
	case canon.Bool:
		on, _ := v.Bool()
		changes = append(changes, change{"changed", canon.NewBool(!on)})
	case canon.Array:
		changes = append(changes, change{"emptied", canon.NewArray()}, change{"repeated", canon.NewArray(append(slices.Clone(v.Elems()), v.Elems()...)...)})
		if n := v.Len(); n > 1 {
			reversed := slices.Clone(v.Elems())
			slices.Reverse(reversed)
			changes = append(changes, change{"reversed", canon.NewArray(reversed...)})
		}
	case canon.Object:
		changes = append(changes, change{"emptied", canon.Build()}, change{"null", canon.NewNull()})
	}
	return slices.DeleteFunc(changes, func(c change) bool { return c.value.Present() && canon.Same(c.value, v) })
}

// pointers lists the way to every value of a document, the document itself
// included; of long arrays only the first elements.
func pointers(v canon.Value, way []string) [][]string {
	list := [][]string{way}
	for _, m := range v.Members() {
		list = append(list, pointers(m.Value, append(slices.Clone(way), m.Name))...)
	}
	for i, e := range v.Elems() {
		if i < 2 {
			list = append(list, pointers(e, append(slices.Clone(way), strconv.Itoa(i)))...)
		}
	}
	return list
}

func at(v canon.Value, way []string) canon.Value {
	for _, step := range way {
		if v.IsArray() {
			i, _ := strconv.Atoi(step)
			v = v.Elems()[i]
		} else {
			v = v.Get(step)
		}
	}
	return v
}

// put returns v with another value at a place, or without it.
func put(v canon.Value, way []string, value canon.Value) canon.Value {
	if len(way) == 0 {
		if !value.Present() {
			return canon.Build()
		}
		return value
	}
	if v.IsArray() {
		elems := slices.Clone(v.Elems())
		i, _ := strconv.Atoi(way[0])
		if len(way) == 1 && !value.Present() {
			return canon.NewArray(slices.Delete(elems, i, i+1)...)
		}
		elems[i] = put(elems[i], way[1:], value)
		return canon.NewArray(elems...)
	}
	if len(way) == 1 && !value.Present() {
		return keepOnly(v, slices.DeleteFunc(names(v), func(n string) bool { return n == way[0] }))
	}
	return canon.With(v, way[0], put(v.Get(way[0]), way[1:], value))
}

// swapMutants exchange the content of two bound files, and two digests of the
// packet.
func swapMutants(b *bench) (list []mutant) {
	var evidence []string
	for name := range b.original {
		if !strings.HasPrefix(name, "controls/") && !strings.HasPrefix(name, "scripts/") {
			evidence = append(evidence, name)
		}
	}
	slices.Sort(evidence)
	for i, a := range evidence {
		for _, c := range evidence[i+1:] {
			list = append(list, mutant{"two files exchanged", a + " and " + c, map[string][]byte{a: b.original[c], c: b.original[a]}})
		}
	}
	text := string(b.original[packet.DefaultPath])
	digests := digestsIn(text)
	for i, a := range digests {
		for _, c := range digests[i+1:] {
			swapped := strings.NewReplacer(a, c, c, a).Replace(text)
			list = append(list, mutant{"two digests exchanged", a[:8] + " and " + c[:8], one(packet.DefaultPath, []byte(swapped))})
		}
	}
	return list
}

// digestsIn lists some of the distinct digests of a text.
func digestsIn(text string) (list []string) {
	for _, word := range strings.Split(text, `"`) {
		if canon.IsHex64(word) && !slices.Contains(list, word) && len(list) < 40 {
			list = append(list, word)
		}
	}
	return list
}
