package canon

import (
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"finishline/internal/vectors"
)

type canonCase struct {
	Case      string          `json:"case"`
	Input     string          `json:"input"`
	InputHex  string          `json:"input_hex"`
	Literal   string          `json:"literal"`
	IEEE754   string          `json:"ieee754"`
	Members   []string        `json:"members"`
	Document  map[string]any  `json:"document"`
	Canonical *string         `json:"canonical"`
	SHA256    string          `json:"sha256"`
	Expect    *vectors.Expect `json:"expect"`
	Strict    *vectors.Expect `json:"expect_strict"`
}

type canonFile struct {
	Kind  string      `json:"kind"`
	Cases []canonCase `json:"cases"`
}

func TestVectorsCanon(t *testing.T) {
	dir := vectors.Dir(t, "canon")
	tally := vectors.NewTally(t, "canon")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		var group canonFile
		vectors.Read(t, file, &group)
		for _, c := range group.Cases {
			tally.Case(c.Case, func(t *testing.T) {
				switch {
				case c.Literal != "":
					checkNumber(t, c)
				case c.Members != nil:
					checkBuilt(t, c)
				default:
					checkText(t, c)
				}
			})
		}
	}
}

func checkNumber(t *testing.T, c canonCase) {
	doc, err := Read([]byte(c.Literal), MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	bits, err := strconv.ParseUint(c.IEEE754, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := doc.Root.Num(); math.Float64bits(f) != bits {
		t.Errorf("%s reads as %x, want %x", c.Literal, math.Float64bits(f), bits)
	}
	if got := string(Canonical(doc.Root)); got != *c.Canonical {
		t.Errorf("canonical %s, want %s", got, *c.Canonical)
	}
}

func checkBuilt(t *testing.T, c canonCase) {
	source := Build()
	for _, name := range c.Members {
		v, ok := c.Document[name]
		if !ok {
			continue
		}
		doc, err := Read([]byte(jsonOf(v)), MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		source = Build(append(source.Members(), Member{name, doc.Root})...)
	}
	built := Pick(source, c.Members...)
	if got := string(Canonical(built)); got != *c.Canonical || Digest(built) != c.SHA256 {
		t.Errorf("canonical %s (%s), want %s (%s)", got, Digest(built), *c.Canonical, c.SHA256)
	}
	strictValid := c.Strict == nil || c.Strict.Valid
	if HasAbsent(built) == strictValid {
		t.Errorf("HasAbsent = %v, strict valid = %v", HasAbsent(built), strictValid)
	}
}

func jsonOf(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v)
}

func checkText(t *testing.T, c canonCase) {
	data := []byte(c.Input)
	if c.InputHex != "" {
		var err error
		if data, err = hex.DecodeString(c.InputHex); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := Read(data, MaxDocument)
	var rules, strict []string
	if err != nil {
		rules = []string{err.(*ReadError).Rule}
	} else {
		for _, d := range doc.Defects {
			strict = append(strict, d.Rule)
		}
	}
	if (err == nil) != c.Expect.Valid || !vectors.SameRules(rules, c.Expect.Rules) {
		t.Fatalf("base: %v %v, want %+v", err, rules, c.Expect)
	}
	wantStrict := c.Expect.Rules
	if c.Strict != nil {
		wantStrict = c.Strict.Rules
	}
	if got := append(rules, strict...); !vectors.SameRules(got, wantStrict) {
		t.Errorf("strict: %v, want %v", got, wantStrict)
	}
	if err != nil || c.Canonical == nil {
		return
	}
	if got := string(Canonical(doc.Root)); got != *c.Canonical {
		t.Errorf("canonical %q, want %q", got, *c.Canonical)
	}
	if got := Digest(doc.Root); got != c.SHA256 {
		t.Errorf("digest %s, want %s", got, c.SHA256)
	}
	if got := string(canonicalTolerant(doc.Root)); got != *c.Canonical {
		t.Errorf("tolerant writer %q, want %q", got, *c.Canonical)
	}
}
