package readiness_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/readiness"
)

// The checks of section 3 come in its order, and one that stops is reported
// alone: each case breaks what comes later as well.
func TestOrderOfChecks(t *testing.T) {
	const repeated = `{"schema":"x","schema":"` // strict level has something against it
	for _, c := range []struct {
		name  string
		legal readiness.LegacyPolicy
		spoil func(t *testing.T, s *scene)
		want  string
	}{
		{"missing", 0, func(t *testing.T, s *scene) { remove(t, s, assessmentFile) }, "readiness.document.missing"},
		{"directory", 0, func(t *testing.T, s *scene) {
			remove(t, s, assessmentFile)
			s.write(t, assessmentFile+"/x", "")
		}, "readiness.document.missing"},
		{"json", 0, func(t *testing.T, s *scene) { s.write(t, assessmentFile, "{") }, "readiness.document.json"},
		{"too large", 0, func(t *testing.T, s *scene) {
			s.write(t, assessmentFile, `{"schema":"`+strings.Repeat(" ", canon.MaxDocument)+`"}`)
		}, "readiness.document.json"},
		{"object", 0, func(t *testing.T, s *scene) { s.write(t, assessmentFile, `["uash.production-readiness.v2"]`) }, "readiness.document.object"},
		{"legacy", 0, func(t *testing.T, s *scene) { s.write(t, assessmentFile, repeated+readiness.LegacySchema+`"}`) }, "readiness.schema.legacy-not-allowed"},
		{"unknown", readiness.LegacyAllowed, func(t *testing.T, s *scene) { s.write(t, assessmentFile, repeated+`7"}`) }, "readiness.schema.unknown"},
		{"no schema", readiness.LegacyAllowed, func(t *testing.T, s *scene) { s.write(t, assessmentFile, `{}`) }, "readiness.schema.unknown"},
		{"catalog unavailable", 0, func(t *testing.T, s *scene) { remove(t, s, catalogFile); remove(t, s, clsFile) }, "catalog.unavailable"},
		{"catalog json", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "["); remove(t, s, clsFile) }, "catalog.json"},
		{"catalog array", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "[]"); remove(t, s, clsFile) }, "catalog.json"},
		{"classification", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "{}"); remove(t, s, clsFile) }, "readiness.classification.missing"},
		{"digest", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "{}"); s.write(t, clsFile, "no json") }, "readiness.classification.digest-mismatch"},
		{"classification json", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "{}"); s.bind(t, "no json") }, "readiness.classification.json"},
		{"classification array", 0, func(t *testing.T, s *scene) { s.bind(t, "[]") }, "readiness.classification.json"},
		{"classification too large", 0, func(t *testing.T, s *scene) { s.bind(t, strings.Repeat(" ", canon.MaxDocument+1)) }, "readiness.classification.json"},
		{"tier", 0, func(t *testing.T, s *scene) { s.write(t, catalogFile, "{}"); s.bind(t, `{"effectiveTier":"t1"}`) }, "readiness.classification.tier-unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := current(t, "t1-catalog")
			c.spoil(t, s)
			for _, level := range levels {
				o := s.judge(t, readiness.Input{Level: level, Legacy: c.legal, Catalog: catalogFile})
				wantRules(t, o, level.String(), c.want)
				if o.Result.LayerCount != 0 || o.Result.Layers != nil {
					t.Errorf("a stopped result tells of layers: %+v", o.Result)
				}
			}
		})
	}
}

func remove(t *testing.T, s *scene, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// bind writes any text as the classification, and binds the assessment to it.
func (s *scene) bind(t *testing.T, text string) {
	t.Helper()
	s.write(t, clsFile, text)
	s.doc = canon.With(s.doc, "workloadClassificationSha256", canon.NewString(canon.SHA256([]byte(text))))
	s.write(t, assessmentFile, string(canon.Compact(s.doc)))
}

// A historical assessment needs neither catalog nor classification: neither is
// looked at.
func TestHistoryNeedsNothingElse(t *testing.T) {
	s := historical(t)
	for _, level := range levels {
		o := s.judge(t, readiness.Input{Level: level, Legacy: readiness.LegacyAllowed, Catalog: "nowhere.json"})
		wantRules(t, o, level.String())
		if len(o.Notes()) != 2 || len(s.judge(t, readiness.Input{Level: level}).Notes()) != 1 {
			t.Errorf("%s: history is not told apart from a current result", level)
		}
		if !o.Result.Legacy || o.Catalog.Path != "" {
			t.Errorf("%s: legacy %t, catalog %q", level, o.Result.Legacy, o.Catalog.Path)
		}
	}
}

// What strict level has against the text of a document counts for all three.
func TestRepeatedMembers(t *testing.T) {
	spoil := map[string]func(t *testing.T, s *scene){
		assessmentFile: func(t *testing.T, s *scene) {
			s.write(t, assessmentFile, strings.Replace(string(canon.Compact(s.doc)), `{"schema"`, `{"a":1,"a":2,"schema"`, 1))
		},
		clsFile: func(t *testing.T, s *scene) {
			s.bind(t, strings.Replace(string(canon.Compact(s.cls)), `"effectiveTier"`, `"effectiveTier":"T3","effectiveTier"`, 1))
		},
		catalogFile: func(t *testing.T, s *scene) {
			s.write(t, catalogFile, strings.Replace(string(canon.Compact(s.read(t, catalogFile))), `{"schema"`, `{"schema":1,"schema"`, 1))
		},
	}
	for file, change := range spoil {
		s := current(t, "t1-catalog")
		change(t, s)
		wantRules(t, s.judge(t, readiness.Input{Catalog: catalogFile, Level: verify.Base}), file+" at base level")
		o := s.judge(t, readiness.Input{Catalog: catalogFile})
		wantRules(t, o, file+" at strict level", "strict.json.duplicate-key")
		if f := o.Findings.List()[0]; f.Artifact != file {
			t.Errorf("the finding is about %s, not %s", f.Artifact, file)
		}
	}
}

// Links: what each level follows to reach the three files.
func TestLinks(t *testing.T) {
	link := func(t *testing.T, s *scene, name, target string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	move := func(t *testing.T, s *scene, from, to string) {
		t.Helper()
		if err := os.Rename(filepath.Join(s.dir, from), filepath.Join(s.dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name         string
		make         func(t *testing.T, s *scene)
		base, strict []string
	}{
		{"assessment", func(t *testing.T, s *scene) {
			move(t, s, assessmentFile, "production/real.json")
			link(t, s, assessmentFile, "real.json")
		}, nil, ids("readiness.document.missing")},
		{"its directory", func(t *testing.T, s *scene) { move(t, s, "production", "real"); link(t, s, "production", "real") },
			nil, ids("readiness.document.missing")},
		{"assessment outside", func(t *testing.T, s *scene) {
			outside := filepath.Join(t.TempDir(), "a.json")
			if err := os.Rename(filepath.Join(s.dir, assessmentFile), outside); err != nil {
				t.Fatal(err)
			}
			link(t, s, assessmentFile, outside)
		}, ids("readiness.document.missing"), ids("readiness.document.missing")},
		{"classification", func(t *testing.T, s *scene) { move(t, s, clsFile, "run/real.json"); link(t, s, clsFile, "real.json") },
			ids("readiness.classification.missing"), ids("readiness.classification.missing")},
		{"its directory too", func(t *testing.T, s *scene) { move(t, s, "run", "real"); link(t, s, "run", "real") },
			nil, ids("readiness.classification.missing")},
		{"catalog", func(t *testing.T, s *scene) {
			move(t, s, catalogFile, "controls/real.json")
			link(t, s, catalogFile, "real.json")
		}, ids("catalog.unavailable"), ids("catalog.unavailable")},
		{"catalog directory inside", func(t *testing.T, s *scene) { move(t, s, "controls", "real"); link(t, s, "controls", "real") }, nil, nil},
		{"catalog directory inside, named in full", func(t *testing.T, s *scene) {
			move(t, s, "controls", "real")
			link(t, s, "controls", filepath.Join(s.root.Dir(), "real"))
		}, nil, nil},
		{"catalog directory outside", func(t *testing.T, s *scene) {
			outside := filepath.Join(t.TempDir(), "c")
			if err := os.Rename(filepath.Join(s.dir, "controls"), outside); err != nil {
				t.Fatal(err)
			}
			link(t, s, "controls", outside)
		}, ids("catalog.unavailable"), ids("catalog.unavailable")},
		{"catalog is a directory", func(t *testing.T, s *scene) {
			remove(t, s, catalogFile)
			s.write(t, catalogFile+"/x", "")
		}, ids("catalog.unavailable"), ids("catalog.unavailable")},
		{"catalog too large", func(t *testing.T, s *scene) { s.write(t, catalogFile, strings.Repeat(" ", canon.MaxDocument+1)) },
			ids("catalog.json"), ids("catalog.json")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := current(t, "t1-catalog")
			c.make(t, s)
			wantRules(t, s.judge(t, readiness.Input{Catalog: catalogFile, Level: verify.Base}), "base", c.base...)
			wantRules(t, s.judge(t, readiness.Input{Catalog: catalogFile}), "strict", c.strict...)
		})
	}
}

// A catalog may be named from anywhere, and is told of by its name and digest.
func TestCatalogByFullPath(t *testing.T) {
	s := current(t, "t1-catalog")
	data, err := os.ReadFile(filepath.Join(s.dir, catalogFile))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	o := s.judge(t, readiness.Input{Catalog: file})
	wantRules(t, o, file)
	if o.Catalog.Path != file || o.Catalog.SHA256 != canon.SHA256(data) {
		t.Errorf("catalog %+v", o.Catalog)
	}
}

// What cannot be there is missing, and bad; it was looked at.
func TestCatalogBelowFile(t *testing.T) {
	s := current(t, "t1-catalog")
	o := s.judge(t, readiness.Input{Catalog: assessmentFile + "/own.json"})
	wantRules(t, o, "a path through a file", "catalog.unavailable")
	if o.Verdict() != verify.Fail {
		t.Errorf("verdict %s, want fail", o.Verdict())
	}
}

// The bridge: an unreadable document has no schema, so a policy that names one
// is not met.
func TestBridgeOfNothing(t *testing.T) {
	s := current(t, "t1-production")
	remove(t, s, assessmentFile)
	for schema, want := range map[string][]string{
		"":                     ids("readiness.document.missing"),
		readiness.Schema:       ids("readiness.document.missing", "readiness.schema.adapter-mismatch"),
		readiness.LegacySchema: ids("readiness.document.missing", "readiness.schema.adapter-mismatch"),
	} {
		o, err := readiness.AtBridge(context.Background(), readiness.Input{Root: s.root.Fresh()}, schema)
		if err != nil {
			t.Fatal(err)
		}
		wantRules(t, o, "policy "+schema, want...)
	}
}

// The bridge takes the catalog of the run root, whatever the input says.
func TestBridgeCatalog(t *testing.T) {
	s := current(t, "t1-production")
	for text, want := range map[string][]string{
		"{":  ids("catalog.json"),
		"{}": ids("catalog.layer-count", "catalog.schema"),
	} {
		s.write(t, "controls/production-layers.v2.json", text)
		o, err := readiness.AtBridge(context.Background(), readiness.Input{Root: s.root.Fresh(), Catalog: "elsewhere.json"}, "")
		if err != nil {
			t.Fatal(err)
		}
		wantRules(t, o, text, want...)
	}
}

func TestNoAnswer(t *testing.T) {
	s := current(t, "t1-production")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o, err := readiness.Verify(ctx, readiness.Input{Root: s.root}); !errors.Is(err, context.Canceled) || o != nil {
		t.Errorf("an ended context gives %v, %v", o, err)
	}
	if o, err := readiness.Verify(context.Background(), readiness.Input{}); err == nil || o != nil {
		t.Errorf("no root gives %v, %v", o, err)
	}
	if o, err := readiness.AtBridge(context.Background(), readiness.Input{}, ""); err == nil || o != nil {
		t.Errorf("the bridge without a root gives %v, %v", o, err)
	}
}

// The result of section 8.
func TestResult(t *testing.T) {
	s := current(t, "t1-production")
	o := s.document(t, edited(t, s.doc, "replace", "/layers/9/status", `"blocked"`), verify.Strict)
	r := o.Result
	if r.Schema != readiness.Schema || r.Profile != "production" || r.Legacy || r.LayerCount != 13 || r.PassedLayers != 6 || r.SkippedLayers != 6 ||
		len(r.Blocking) != 1 || r.Blocking[0] != "caching-cdn" || len(r.Layers) != readiness.LayerCount {
		t.Errorf("%+v", r)
	}
	if first, last := r.Layers[0], r.Layers[12]; first != (readiness.LayerStatus{Layer: "frontend", Status: "passed"}) ||
		last != (readiness.LayerStatus{Layer: "availability-recovery-dr", Status: "skipped"}) {
		t.Errorf("%+v, %+v", first, last)
	}
	o = s.document(t, edited(t, s.doc, "remove", "/layers/0", ""), verify.Strict)
	if got := o.Result.Layers[0]; got.Status != readiness.StatusMissing || o.Result.LayerCount != 12 {
		t.Errorf("%+v", o.Result)
	}
	if o.SHA256 != canon.SHA256(canon.Compact(o.Document)) {
		t.Errorf("digest %s is not that of the document", o.SHA256)
	}
}
