package pack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"finishline/verify/evidence"
)

// A sight is what was seen of the live files. Its parts are gathered side by
// side and judged afterwards, in the order of the rules.
type sight struct {
	commissioned bool // what was looked at
	work         sync.WaitGroup

	pack     *survey // all of a commissioned pack
	scripts  *survey // scripts/ and controls/ of another one
	catalogs *survey
	registry liveFile // of another one
	loaders  map[string]liveFile

	status    bytes.Buffer // of the scope, "git status --porcelain -z"
	statusErr error

	// objects says why the committed content is not complete.
	objects error
}

// lookLive starts to look at the live pack.
func (b *binder) lookLive(ctx context.Context, commissioned bool) *sight {
	s := &sight{commissioned: commissioned}
	s.work.Go(func() { s.files(b.root()) })
	s.work.Go(func() { s.statusErr = b.index.Status(ctx, b.scope(commissioned), &s.status) })
	return s
}

func (s *sight) wait() { s.work.Wait() }

func (s *sight) files(root *os.Root) {
	if !s.commissioned {
		s.scripts = walk(root, scriptsDir, scriptsDir, isJudged, isParsed)
		s.catalogs = walk(root, catalogsDir, catalogsDir, isJudged, isParsed)
		s.registry = readLive(root, registryPath, digestOnly)
		return
	}
	s.pack = walk(root, commissionedDir, "", isJudged, isParsed)
	s.loaders = map[string]liveFile{}
	for _, name := range loaderNames {
		s.loaders[name] = readLive(root, name, keepBytes)
	}
}

// isJudged selects the files whose text is compared, isParsed those of them
// that are parsed.
func isJudged(rel string) bool { return kindOf(rel) != "" }
func isParsed(rel string) bool { return rel == storePath }

// look reads the committed files and waits for the live ones. A failure counts
// when a rule needs what is missing.
func (b *binder) look(ctx context.Context) proceed {
	objects := b.readObjects(ctx)
	b.seen.wait()
	if b.seen.commissioned != b.commissioned {
		// The pack root has another name than it seemed to have.
		b.seen = b.lookLive(ctx, b.commissioned)
		b.seen.wait()
	}
	b.seen.objects = objects
	return next
}

func (b *binder) readObjects(ctx context.Context) error {
	r := reader{repo: b.in.Repo}
	defer func() { r.report(b.out, gitPath(b.target)) }()
	for _, e := range b.committed.bound() {
		if !isFileMode(e.Mode) {
			continue // a rule before the first that needs content refuses it
		}
		if err := r.read(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// live is what was seen of the live file of a pack entry.
func (b *binder) live(e *entry) liveFile {
	var s *survey
	switch {
	case e.kind == KindLoader:
		return b.seen.loaders[e.rel]
	case b.commissioned:
		s = b.seen.pack
	case e.kind == KindScript:
		s = b.seen.scripts
	case e.kind == KindCatalog:
		s = b.seen.catalogs
	default:
		return b.seen.registry
	}
	if f, ok := s.read[e.rel]; ok {
		return f
	}
	return liveFile{err: errNotSeen}
}

var errNotSeen = errors.New("no such file")

// A change is a record of a status: its two letters and its path.
type change struct {
	code string
	path string
}

// changes reads the records of a status, and leaves out paths that are not
// bound.
func changes(status string, bound map[string]bool) []change {
	var list []change
	records := strings.Split(status, "\x00")
	for i := 0; i < len(records); i++ {
		r := records[i]
		if len(r) < len("XY p") {
			continue
		}
		code, path := r[:2], r[3:]
		paths := []string{path}
		if strings.ContainsAny(code, "RC") && i+1 < len(records) {
			i++
			paths = append(paths, records[i])
		}
		for _, p := range paths {
			if bound[strings.TrimSuffix(p, "/")] {
				list = append(list, change{code, p})
			}
		}
	}
	return list
}

// isTrouble reports whether a live file was not looked at, rather than bad.
func isTrouble(err error) bool {
	var fe *evidence.FileError
	return errors.As(err, &fe) && fe.Kind == evidence.Trouble
}
