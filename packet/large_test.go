package packet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// The largest inventory: 512 files, of which a run's own documents are some,
// with 50 MB.
const (
	largeFiles = packet.MaxInventoryFiles - 17
	largeBytes = 50 << 20
)

type largeRun struct {
	dir  string
	pin  review.Pin
	prog git.Program
}

// buildLarge builds an honest run with a large inventory.
func buildLarge(tb testing.TB) largeRun {
	tb.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		tb.Fatal(err)
	}
	inventory := map[string][]byte{}
	noise := rand.NewChaCha8([32]byte{1})
	for i := range largeFiles {
		data := make([]byte, largeBytes/largeFiles)
		noise.Read(data)
		inventory[fmt.Sprintf("qa/runs/%03d.bin", i)] = data
	}
	dir := tb.TempDir()
	run, err := runtest.Build(context.Background(), prog, dir, runtest.Plan{Inventory: inventory})
	if err != nil {
		tb.Fatal(err)
	}
	return largeRun{dir: dir, pin: review.ParsePin(run.Pin), prog: prog}
}

func (r largeRun) verify(tb testing.TB) {
	root, err := evidence.Open(r.dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer root.Close()
	selected, err := pack.Select(root, "")
	if err != nil {
		tb.Fatal(err)
	}
	gates, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}})
	if err != nil {
		tb.Fatal(err)
	}
	defer gates.Close()
	o, err := packet.Verify(context.Background(), packet.Input{
		Target: root, Pack: selected, Git: r.prog, Pin: r.pin, Delegates: packet.Native(gates)})
	if err != nil {
		tb.Fatal(err)
	}
	if o.Verdict() != verify.Pass {
		tb.Fatalf("verdict %v: %+v", o.Verdict(), o.Findings)
	}
}

// BenchmarkLargeInventory verifies a whole packet; BenchmarkLargeYardstick is
// what it is measured against: git status and sha256sum over the same files.
func BenchmarkLargeInventory(b *testing.B) {
	run := buildLarge(b)
	b.SetBytes(largeBytes)
	for b.Loop() {
		run.verify(b)
	}
}

func BenchmarkLargeYardstick(b *testing.B) {
	run := buildLarge(b)
	files, err := filepath.Glob(filepath.Join(run.dir, "qa/runs/*"))
	if err != nil || len(files) != largeFiles {
		b.Fatal(len(files), err)
	}
	b.SetBytes(largeBytes)
	for b.Loop() {
		for _, cmd := range []*exec.Cmd{exec.Command("git", "-C", run.dir, "status", "--porcelain"), exec.Command("sha256sum", files...)} {
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatal(err, string(out))
			}
		}
	}
}

// Files are streamed: memory does not grow with the inventory.
func TestLargeInventoryMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a run of 50 MB")
	}
	run := buildLarge(t)
	const most = 128 << 20
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run.verify(t)
	runtime.ReadMemStats(&after)
	// Everything that was ever allocated bounds what was in use at once.
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("%d MiB allocated for an inventory of %d MiB", used>>20, largeBytes>>20)
	} else {
		t.Logf("%d MiB allocated in all", used>>20)
	}
}
