package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/hux"
	"finishline/verify/journal/lines"
)

// A reading is a file of lines that is read and hashed at once: the digest is
// of exactly what was verified.
type reading struct {
	io.Reader
	sum   func() string
	close func() error
}

func openStream(path string) (*reading, error) {
	f, _, err := lines.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	return &reading{
		Reader: io.TeeReader(f, h),
		sum:    func() string { return hex.EncodeToString(h.Sum(nil)) },
		close:  f.Close,
	}, nil
}

// HUXInput are the options of contract 21, section 1, that name files.
type HUXInput struct {
	Options   hux.Options
	SchemaDir string // "" for the built-in schemas
}

func verifyHUX(ctx context.Context, in Input) (*verify.Report, error) {
	o := in.HUX.Options
	o.Name, o.Level, o.Lines.Progress = in.Path, in.Level, in.Progress
	f, err := openStream(in.Path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	res, err := judgeHUX(ctx, f, o, in.HUX.SchemaDir)
	if err != nil {
		return nil, err
	}
	// What follows an array, or was not read at all, belongs to the digest.
	if _, err := io.Copy(io.Discard, f); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	rep := &verify.Report{
		Subject:  verify.Subject{Kind: "HUX event stream", Path: in.Path, SHA256: f.sum()},
		Level:    in.Level,
		Findings: res.Findings,
		Omitted:  res.Omitted,
		Checked:  []verify.Checked{{Verifier: hux.Table.Name, Rules: hux.Table.Count(in.Level), Artifacts: []verify.Artifact{{Path: in.Path, SHA256: f.sum()}}}},
		Notes: []string{
			several(res.Tally.Events, "event") + " of " + several(res.Conversations, "conversation") + " in " + several(res.Lines.Lines, "line"),
			notSigned,
		},
		Results: results(in, number("events", res.Tally.Events), number("conversations", res.Conversations), number("lines", res.Lines.Lines),
			canon.Member{Name: "kinds", Value: kindCounts(res.Kinds)}),
	}
	if res.LookedAtNothing() && verify.Fold(res.Findings) == verify.Pass {
		rep.Withheld = append(rep.Withheld, "no event was judged")
	}
	return rep, nil
}

func judgeHUX(ctx context.Context, r io.Reader, o hux.Options, schemaDir string) (*hux.Result, error) {
	if schemaDir != "" {
		schemas, err := hux.LoadSchemas(schemaDir)
		var unresolved *hux.UnresolvedError
		if errors.As(err, &unresolved) {
			return hux.Unresolved(unresolved, o), nil
		}
		if err != nil {
			return nil, err
		}
		o.Schemas = schemas
	}
	return hux.Verify(ctx, r, o)
}

// several writes a number and its unit, with a plural s where one is due.
func several(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func number(name string, n int) canon.Member {
	return canon.Member{Name: name, Value: canon.NewNumber(float64(n))}
}

// kindCounts are counts by kind, in the order of their names.
func kindCounts(counts map[string]int) canon.Value {
	var members []canon.Member
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		members = append(members, number(k, counts[k]))
	}
	return canon.Build(members...)
}
