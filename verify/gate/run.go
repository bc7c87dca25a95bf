package gate

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

// A Mode says what the goal gate asks of a goal's status.
type Mode int

const (
	// FinishLine asks for a completed goal. It is the zero value: a run may
	// cross the finish line only with one.
	FinishLine Mode = iota
	// Active also accepts a goal that is pending or in progress.
	Active
)

// A Pack says where the pack of a run lies and whether there is one (contract
// 09b, section 3). Which directory it is, is the caller's business (06 §1).
type Pack struct {
	Dir     string // the pack root R, absolute, as it was selected
	Present bool
}

// Options are what a run is judged by. Target is required; the zero value of
// everything else is the strictest reading.
type Options struct {
	// Target is the run directory. It stays the caller's to close.
	Target *evidence.Root
	Pack   Pack

	// Catalogs reads the control catalogs of the pack; nil reads the files
	// below the pack root.
	Catalogs CatalogReader
	// Committed tells what is committed of the pack at HEAD, for the warning
	// strict.pack.committed; nil where there is no Git to ask, which leaves
	// that warning out.
	Committed CommittedFiles
	// Registry is a skill registry that the caller hands over for a run
	// without a pack (09b §3.1); nil for none. A pack's own registry wins.
	Registry []byte

	// Head is the commit that the surrounding Git repository has checked out,
	// "" when it is unknown.
	Head string
	// Now is the clock, the zero time when there is none.
	Now time.Time

	Level verify.Level
	Mode  Mode
}

// A CatalogReader looks at one of the sixteen control catalogs of a pack, named
// by its path below the pack root such as controls/workload-taxonomy.v1.json.
// An error says that it is missing or not readable JSON.
type CatalogReader interface {
	Catalog(path string) (CatalogDigests, error)
}

// CatalogDigests are the two digests by which a catalog is known.
type CatalogDigests struct {
	Semantic string // of its compact form (09b §1)
	Raw      string // of its bytes
}

// CommittedFiles tells the SHA-256 of files of the pack as they are committed at
// HEAD, by their paths below the pack root. A file that is not committed is not
// in the answer.
type CommittedFiles interface {
	CommittedSHA256(paths []string) (map[string]string, error)
}

// A Run is what all gates of one run share. It may be used by several
// goroutines.
type Run struct {
	opt   Options
	rules *workload.Rules

	pack     *evidence.Root // nil when there is none, or it cannot be opened
	packErr  error          // why a present pack cannot be opened
	ownsPack bool

	analysis func() *workload.Analysis // of the intake's request text

	mu     sync.Mutex
	judged map[string]*judgement // by gate
}

// NewRun prepares the judgement of a run. A pack that is said to be present
// and cannot be opened is no error here: the rules that read it fail.
func NewRun(opt Options) (*Run, error) {
	if opt.Target == nil {
		return nil, errors.New("gates need a target directory")
	}
	rules, err := workload.Load()
	if err != nil {
		return nil, fmt.Errorf("gates: %w", err)
	}
	run := &Run{opt: opt, rules: rules}
	run.openPack()
	run.analysis = sync.OnceValue(func() *workload.Analysis {
		return rules.Analyse(run.requestText().Text())
	})
	return run, nil
}

func (r *Run) openPack() {
	if !r.opt.Pack.Present {
		return
	}
	pack, err := evidence.Open(r.opt.Pack.Dir)
	if err != nil {
		r.packErr = err
		return
	}
	if pack.Dir() == r.opt.Target.Dir() { // share what was read
		r.packErr = pack.Close()
		r.pack = r.opt.Target
		return
	}
	r.pack, r.ownsPack = pack, true
}

// Close releases what the run opened itself.
func (r *Run) Close() error {
	if r.ownsPack {
		return r.pack.Close()
	}
	return nil
}

// Level is the level that the run is judged at.
func (r *Run) Level() verify.Level { return r.opt.Level }

// Artifacts lists what was read of the pack, where that is not the target
// itself; the target's own root lists the rest.
func (r *Run) Artifacts() []verify.Artifact {
	if !r.ownsPack {
		return nil
	}
	return r.pack.Artifacts()
}

// Paths of the documents that gates read besides their own.
const (
	intakePath         = "run/intake.json"
	classificationPath = "run/workload-classification.json"
	routePath          = "run/route.json"
	goalPath           = "goal/goal.json"
	trajectoryPath     = "trajectory/trajectory.json"
	registryPath       = "skills/registry.json" // below the pack root
	routingPath        = "skills/codex-routing.yaml"
	adapterPath        = "project-adapter.json"
	commissionedDir    = ".valdris-harness"
)

// requestText is the intake's request text, absent when there is no intake.
func (r *Run) requestText() canon.Value {
	return r.existing(intakePath).node.Get("requestText")
}

// directCatalogs reads the catalogs below the pack root.
type directCatalogs struct{ run *Run }

func (d directCatalogs) Catalog(path string) (CatalogDigests, error) {
	doc := d.run.load(d.run.pack, path, verify.Base, ownFile, canon.MaxDocument)
	if doc.problem != readable {
		return CatalogDigests{}, errors.New(doc.what.Found)
	}
	return CatalogDigests{canon.SemanticDigest(doc.node.Value), doc.sha256()}, nil
}

func (r *Run) catalog(path string) (CatalogDigests, error) {
	if r.opt.Catalogs != nil {
		return r.opt.Catalogs.Catalog(path)
	}
	return directCatalogs{r}.Catalog(path)
}
