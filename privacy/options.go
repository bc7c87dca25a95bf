package privacy

import (
	"finishline/internal/git"
	"finishline/verify"
)

// A Mode says what is scanned (10 §2).
type Mode int

const (
	// Repository scans everything below the root, and what Git tracks there.
	Repository Mode = iota
	// Include scans named files and folders.
	Include
	// Release scans one folder of build products, with the first ten detectors.
	Release
	// Staged scans what the index holds and HEAD does not: the content that a
	// commit would add. It is an addition of ours, with the detectors, allowances
	// and file rules of repository mode.
	Staged
)

var modeNames = [...]string{"repository", "include", "release-artifact", "staged"}

func (m Mode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return "unknown"
	}
	return modeNames[m]
}

// Names of the gates.
const (
	ImportGate  = "import-privacy"
	ReleaseGate = "release-artifact-privacy"
)

func (m Mode) gate() string {
	if m == Release {
		return ReleaseGate
	}
	return ImportGate
}

// Options say what to scan and how.
type Options struct {
	Mode Mode
	// Include are the paths of include mode, relative to the root.
	Include []string
	// Release are the release roots that were asked for; exactly one is valid.
	Release []string
	Level   verify.Level
	// Git lists tracked files; GitErr says why there is none.
	Git    git.Program
	GitErr error
	// Approved are binary files that the operator approves besides those of the
	// contract.
	Approved []Approval
	// Key is the key of fingerprints at strict level and in the extended
	// section, at least [MinKey] bytes. Without one, findings have no
	// fingerprint there.
	Key []byte
	// Extended is the rule set of the extended section, nil for none. Names is
	// the one that names of files are matched with at strict level, nil for the
	// detectors alone.
	Extended, Names *Engine
	// Workers is how many files are read at once, 0 for as many as there are
	// processors.
	Workers int
}

// MinKey is the least length of a fingerprint key in bytes.
const MinKey = 16

// An Approval is a binary file that may be part of what is scanned: the exact
// path, relative to the root, and the SHA-256 of its bytes in lower-case hex.
type Approval struct{ Path, SHA256 string }

// approvals of the contract (10 §4).
var contractApprovals = []Approval{
	{"docs/assets/flow-monitor-screenshot.png", "df55a27b364f2a0d4151758e71ee9182ea623abbce689fe2ab3b5c6706b75c0c"},
	{"docs/assets/readme/valdris-durable-goal-routing-loop.png", "5b540dcd945b2859152f24bb2f5ebbfd73e130f9eb087d11f3af22d64af9e055"},
}

// Bounds of strict level (10 §13); what exceeds them is a gate error.
const (
	MaxFiles    = 50_000
	MaxFile     = 16 << 20  // bytes in one file
	MaxBytes    = 512 << 20 // bytes in all files
	MaxLine     = 1 << 20   // bytes in one line
	MaxFindings = 10_000
	MaxPath     = 4096 // bytes of a relative path, at both levels: the bound of the systems
)

// Bounds of base level, where the contract sets none. They bound memory; what
// exceeds them could not be read to its end (privacy.read.failed).
const (
	MaxBaseLine     = 64 << 20
	MaxBaseFindings = 1_000_000
)

type bounds struct {
	files, findings   int
	file, bytes, line int64
	rule              string
}

func boundsOf(level verify.Level) bounds {
	const none = int64(1) << 62
	if level == verify.Base {
		return bounds{files: int(none), findings: MaxBaseFindings, file: none, bytes: none, line: MaxBaseLine, rule: "privacy.read.failed"}
	}
	return bounds{files: MaxFiles, findings: MaxFindings, file: MaxFile, bytes: MaxBytes, line: MaxLine, rule: "privacy.strict.bounds"}
}
