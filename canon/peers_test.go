package canon

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/internal/vectors"
)

func TestPeersRFC8785(t *testing.T) {
	dir := vectors.Peers(t, "jcs-rfc8785")
	inputs, err := filepath.Glob(filepath.Join(dir, "input", "*.json"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), ".json")
		t.Run(name, func(t *testing.T) {
			doc, err := Read(readFile(t, input), MaxDocument)
			if err != nil {
				t.Fatal(err)
			}
			want := readFile(t, filepath.Join(dir, "output", name+".json"))
			if got := Canonical(doc.Root); !bytes.Equal(got, want) {
				t.Errorf("canonical %q, want %q", got, want)
			}
			if got := canonicalTolerant(doc.Root); !bytes.Equal(got, want) {
				t.Errorf("tolerant writer %q, want %q", got, want)
			}
			digits := strings.Join(strings.Fields(string(readFile(t, filepath.Join(dir, "outhex", name+".txt")))), "")
			if got := hex.EncodeToString(Canonical(doc.Root)); got != digits {
				t.Errorf("bytes %s, want %s", got, digits)
			}
		})
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Texts of the parsing corpus that must parse and that strict level refuses by
// name. Everything else that must parse has no defect.
var corpusRefusedStrictly = map[string]string{
	"y_number.json":                          "strict.json.number-inexact", // 123e65
	"y_number_real_capital_e.json":           "strict.json.number-inexact", // 1E22
	"y_number_real_exponent.json":            "strict.json.number-inexact", // 123e45
	"y_number_real_fraction_exponent.json":   "strict.json.number-inexact", // 123.456e78
	"y_object_extreme_numbers.json":          "strict.json.number-inexact", // 1.0e+28
	"y_object_duplicated_key.json":           "strict.json.duplicate-key",
	"y_object_duplicated_key_and_value.json": "strict.json.duplicate-key",
}

// What contract 01, section 1, makes of the texts that RFC 8259 leaves to the
// implementation: the json.* rule that refuses them at both levels, or the
// strict rule that refuses what base level reads.
var corpusDecided = map[string]string{
	"i_number_double_huge_neg_exp.json":                   "strict.json.number-inexact", // reads as 0
	"i_number_huge_exp.json":                              "strict.json.number-overflow",
	"i_number_neg_int_huge_exp.json":                      "strict.json.number-overflow",
	"i_number_pos_double_huge_exp.json":                   "strict.json.number-overflow",
	"i_number_real_neg_overflow.json":                     "strict.json.number-overflow",
	"i_number_real_pos_overflow.json":                     "strict.json.number-overflow",
	"i_number_real_underflow.json":                        "strict.json.number-inexact",
	"i_number_too_big_neg_int.json":                       "strict.json.number-inexact",
	"i_number_too_big_pos_int.json":                       "strict.json.number-inexact",
	"i_number_very_big_negative_int.json":                 "strict.json.number-inexact",
	"i_object_key_lone_2nd_surrogate.json":                "strict.json.lone-surrogate",
	"i_string_1st_surrogate_but_2nd_missing.json":         "strict.json.lone-surrogate",
	"i_string_1st_valid_surrogate_2nd_invalid.json":       "strict.json.lone-surrogate",
	"i_string_UTF-16LE_with_BOM.json":                     "json.syntax",
	"i_string_UTF-8_invalid_sequence.json":                "strict.json.invalid-utf8",
	"i_string_UTF8_surrogate_U+D800.json":                 "strict.json.invalid-utf8",
	"i_string_incomplete_surrogate_and_escape_valid.json": "strict.json.lone-surrogate",
	"i_string_incomplete_surrogate_pair.json":             "strict.json.lone-surrogate",
	"i_string_incomplete_surrogates_escape_valid.json":    "strict.json.lone-surrogate",
	"i_string_invalid_lonely_surrogate.json":              "strict.json.lone-surrogate",
	"i_string_invalid_surrogate.json":                     "strict.json.lone-surrogate",
	"i_string_invalid_utf-8.json":                         "strict.json.invalid-utf8",
	"i_string_inverted_surrogates_U+1D11E.json":           "strict.json.lone-surrogate",
	"i_string_iso_latin_1.json":                           "strict.json.invalid-utf8",
	"i_string_lone_second_surrogate.json":                 "strict.json.lone-surrogate",
	"i_string_lone_utf8_continuation_byte.json":           "strict.json.invalid-utf8",
	"i_string_not_in_unicode_range.json":                  "strict.json.invalid-utf8",
	"i_string_overlong_sequence_2_bytes.json":             "strict.json.invalid-utf8",
	"i_string_overlong_sequence_6_bytes.json":             "strict.json.invalid-utf8",
	"i_string_overlong_sequence_6_bytes_null.json":        "strict.json.invalid-utf8",
	"i_string_truncated-utf-8.json":                       "strict.json.invalid-utf8",
	"i_string_utf16BE_no_BOM.json":                        "json.syntax",
	"i_string_utf16LE_no_BOM.json":                        "json.syntax",
	"i_structure_500_nested_arrays.json":                  "json.depth",
	"i_structure_UTF-8_BOM_empty_object.json":             "json.syntax",
}

func TestPeersParsingCorpus(t *testing.T) {
	dir := filepath.Join(vectors.Peers(t, "json-test-suite"), "test_parsing")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 300 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	undecided := maps.Clone(corpusDecided)
	for _, file := range files {
		name := filepath.Base(file)
		delete(undecided, name)
		t.Run(name, func(t *testing.T) {
			doc, err := Read(readFile(t, file), MaxDocument)
			rule := outcome(doc, err)
			switch name[0] {
			case 'n':
				if err == nil {
					t.Error("accepted")
				} else if rule != "json.syntax" && rule != "json.depth" {
					t.Errorf("refused by %q", rule)
				}
			case 'y':
				if want := corpusRefusedStrictly[name]; err != nil || rule != want {
					t.Errorf("%q, want %q (%v)", rule, want, err)
				}
			case 'i':
				if want, ok := corpusDecided[name]; !ok || rule != want {
					t.Errorf("%q, the table says %q", rule, want)
				}
			}
		})
	}
	if len(undecided) > 0 {
		t.Errorf("in the table but not in the corpus: %q", slices.Sorted(maps.Keys(undecided)))
	}
}

// outcome is the one rule that a text breaks, "" for none.
func outcome(doc *Document, err error) string {
	var refused *ReadError
	if errors.As(err, &refused) {
		return refused.Rule
	}
	rules := map[string]bool{}
	for _, d := range doc.Defects {
		rules[d.Rule] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(rules)), " ")
}
