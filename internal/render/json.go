package render

import (
	"io"
	"maps"
	"slices"

	"finishline/canon"
	"finishline/verify"
)

// Schema is the schema member of a JSON report; schemas/report.v1.json
// describes it.
const Schema = "finishline.report.v1"

// JSON writes the report as canonical JSON and a line feed.
func JSON(w io.Writer, r *verify.Report, _ Style) error {
	_, err := w.Write(append(canon.Canonical(ReportValue(r)), '\n'))
	return err
}

// ReportValue is the report as a value, for callers that embed it.
func ReportValue(r *verify.Report) canon.Value {
	members := []canon.Member{
		{Name: "schema", Value: canon.NewString(Schema)},
		{Name: "tool", Value: canon.Build(text("name", r.Tool.Name), text("version", r.Tool.Version))},
		{Name: "subject", Value: build(
			text("kind", r.Subject.Kind), text("path", r.Subject.Path), textIf("sha256", r.Subject.SHA256))},
		{Name: "level", Value: canon.NewString(r.Level.String())},
		{Name: "verdict", Value: canon.NewString(r.Verdict().String())},
		{Name: "findings", Value: findings(r.Findings)},
		{Name: "checked", Value: list(r.Checked, checked)},
	}
	if len(r.Omitted) > 0 {
		members = append(members, canon.Member{Name: "omitted", Value: omitted(r.Omitted)})
	}
	if len(r.Accepted) > 0 {
		members = append(members, canon.Member{Name: "acceptedNotEvaluated", Value: texts(r.Accepted)})
	}
	if len(r.Withheld) > 0 {
		members = append(members, canon.Member{Name: "withheld", Value: texts(r.Withheld)})
	}
	if r.Trust != nil {
		members = append(members, canon.Member{Name: "trust", Value: trust(r.Trust)})
	}
	if len(r.Notes) > 0 {
		members = append(members, canon.Member{Name: "notes", Value: texts(r.Notes)})
	}
	if len(r.Results) > 0 {
		members = append(members, canon.Member{Name: "results", Value: canon.Build(r.Results...)})
	}
	return canon.Build(members...)
}

func findings(fs []verify.Finding) canon.Value { return list(fs, finding) }

func finding(f verify.Finding) canon.Value {
	members := []canon.Member{
		text("rule", f.Rule), text("severity", f.Severity.String()),
		textIf("artifact", f.Artifact), textIf("pointer", f.Pointer),
		textIf("found", f.Found), textIf("expected", f.Expected), textIf("hint", f.Hint),
	}
	if f.Line > 0 {
		members = append(members, canon.Member{Name: "line", Value: canon.NewNumber(float64(f.Line))})
	}
	if f.NotEvaluated {
		members = append(members, canon.Member{Name: "notEvaluated", Value: canon.NewBool(true)})
	}
	if len(f.Causes) > 0 {
		members = append(members, canon.Member{Name: "causes", Value: findings(f.Causes)})
	}
	return build(members...)
}

func checked(c verify.Checked) canon.Value {
	return canon.Build(
		text("verifier", c.Verifier),
		canon.Member{Name: "rules", Value: canon.NewNumber(float64(c.Rules))},
		canon.Member{Name: "artifacts", Value: list(c.Artifacts, func(a verify.Artifact) canon.Value {
			return canon.Build(text("path", a.Path), text("sha256", a.SHA256))
		})},
	)
}

func omitted(counts map[string]int) canon.Value {
	return list(slices.Sorted(maps.Keys(counts)), func(id string) canon.Value {
		return canon.Build(text("rule", id), canon.Member{Name: "count", Value: canon.NewNumber(float64(counts[id]))})
	})
}

func trust(t *verify.Trust) canon.Value {
	return build(textIf("pin", t.Pin), canon.Member{Name: "keys", Value: list(t.Keys, func(k verify.KeyUse) canon.Value {
		return canon.Build(text("keyId", k.KeyID), text("keySha256", k.Fingerprint), text("use", k.Use))
	})})
}

func text(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.NewString(s)} }

// textIf is a member that is left out when empty.
func textIf(name, s string) canon.Member {
	if s == "" {
		return canon.Member{Name: name}
	}
	return text(name, s)
}

// build makes an object without its absent members.
func build(members ...canon.Member) canon.Value {
	return canon.Build(slices.DeleteFunc(members, func(m canon.Member) bool { return !m.Value.Present() })...)
}

func texts(ss []string) canon.Value { return list(ss, canon.NewString) }

func list[T any](items []T, value func(T) canon.Value) canon.Value {
	values := make([]canon.Value, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	return canon.NewArray(values...)
}
