package secret

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"finishline/internal/vectors"
)

// Area secrets holds whole documents, which verify/evidence scans; here its
// texts and names meet the detectors directly.
func TestVectorsSecretTextsAndNames(t *testing.T) {
	dir := vectors.Dir(t, "secrets")
	tally := vectors.NewTally(t, "secrets (texts and names alone)")
	var file struct {
		Cases []struct {
			Case     string         `json:"case"`
			Document map[string]any `json:"document"`
			Expect   vectors.Expect `json:"expect"`
		} `json:"cases"`
	}
	vectors.Read(t, filepath.Join(dir, "texts.json"), &file)
	for _, c := range file.Cases {
		tally.Case(c.Case, func(t *testing.T) {
			text := c.Document["note"].(string)
			if InText(text) == c.Expect.Valid {
				t.Errorf("InText(%q) = %v (%s)", text, !c.Expect.Valid, Kind(text))
			}
		})
	}
	file.Cases = nil
	vectors.Read(t, filepath.Join(dir, "names.json"), &file)
	for _, c := range file.Cases {
		tally.Case(c.Case, func(t *testing.T) {
			for name, value := range c.Document {
				n := NameOf(name)
				_, isNumber := value.(float64)
				if raw := n.SecretLike && (!n.BenignMetric || !isNumber); raw != slices.Contains(c.Expect.Rules, "secrets.raw-value") {
					t.Errorf("%q is %+v", name, n)
				}
				if n.BenignMetric && !isNumber != slices.Contains(c.Expect.Rules, "secrets.metric-not-numeric") && !isNumber {
					t.Errorf("%q is %+v", name, n)
				}
			}
		})
	}
}

// lines calls check with each line of a JSON lines file of area privacy.
func lines(t *testing.T, name string, check func(tally *vectors.Tally, line []byte)) {
	data, err := os.ReadFile(filepath.Join(vectors.Dir(t, "privacy"), name))
	if err != nil {
		t.Fatal(err)
	}
	tally := vectors.NewTally(t, "privacy/"+name)
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, len(data)+1)
	for in.Scan() {
		if len(bytes.TrimSpace(in.Bytes())) > 0 {
			check(tally, in.Bytes())
		}
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
}

// joined is a text that a vector may give in parts.
type joined string

func (j *joined) UnmarshalJSON(data []byte) error {
	var parts struct {
		Parts []string `json:"$parts"`
	}
	if json.Unmarshal(data, &parts) == nil && parts.Parts != nil {
		*j = joined(strings.Join(parts.Parts, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(j))
}

func decode(t *testing.T, line []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(line, v); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
}

func TestVectorsRedactText(t *testing.T) {
	lines(t, "redact-text.jsonl", func(tally *vectors.Tally, line []byte) {
		var c struct {
			ID      string   `json:"id"`
			Text    joined   `json:"text"`
			Secrets []joined `json:"secrets"`
			Expect  struct {
				Changed bool   `json:"changed"`
				Value   joined `json:"value"`
			} `json:"expect"`
		}
		decode(t, line, &c)
		tally.Case(c.ID, func(t *testing.T) {
			want := string(c.Text)
			if c.Expect.Changed {
				want = string(c.Expect.Value)
			}
			if got := Redact(string(c.Text), plain(c.Secrets)...); got != want {
				t.Errorf("Redact(%q) = %q, want %q", c.Text, got, want)
			}
			if len(c.Secrets) == 0 && InText(string(c.Text)) != c.Expect.Changed {
				t.Errorf("InText(%q) = %v", c.Text, !c.Expect.Changed)
			}
		})
	})
}

func plain(in []joined) (out []string) {
	for _, j := range in {
		out = append(out, string(j))
	}
	return out
}

func TestVectorsRedactNames(t *testing.T) {
	lines(t, "redact-names.jsonl", func(tally *vectors.Tally, line []byte) {
		var c struct {
			ID     string `json:"id"`
			Name   joined `json:"name"`
			Expect struct {
				Value struct {
					SecretLike bool `json:"secretLike"`
					Assignment bool `json:"assignment"`
				} `json:"value"`
			} `json:"expect"`
		}
		decode(t, line, &c)
		tally.Case(c.ID, func(t *testing.T) {
			name := string(c.Name)
			if IsSecretName(name) != c.Expect.Value.SecretLike || isAssignmentName(name) != c.Expect.Value.Assignment {
				t.Errorf("%q: secret-like %v, assignment %v", name, IsSecretName(name), isAssignmentName(name))
			}
		})
	})
}

func TestVectorsRedactArgv(t *testing.T) {
	lines(t, "redact-argv.jsonl", func(tally *vectors.Tally, line []byte) {
		var c struct {
			ID      string   `json:"id"`
			Argv    []joined `json:"argv"`
			Secrets []joined `json:"secrets"`
			Expect  struct {
				Error bool `json:"error"`
				Value struct {
					Argv         []joined `json:"argv"`
					SecretValues []joined `json:"secretValues"`
				} `json:"value"`
			} `json:"expect"`
		}
		decode(t, line, &c)
		tally.Case(c.ID, func(t *testing.T) {
			args, known := plain(c.Argv), plain(c.Secrets)
			got, ok := RedactArgv(args, known...)
			if ok == c.Expect.Error || !reflect.DeepEqual(got, plain(c.Expect.Value.Argv)) {
				t.Errorf("RedactArgv(%q) = %q, %v", args, got, ok)
			}
			if flags, malformed := Argv(args); !malformed && !reflect.DeepEqual(argvSecrets(flags, known), plain(c.Expect.Value.SecretValues)) {
				t.Errorf("secret values of %q: %q", args, argvSecrets(flags, known))
			}
		})
	})
}
