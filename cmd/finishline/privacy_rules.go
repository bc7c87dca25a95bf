package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/canon"
	"finishline/privacy"
)

type privacyRulesCmd struct {
	searchFlags
	outputFlags
}

func (privacyRulesCmd) Help() string {
	return `Lists the detectors of the format, and with --extended or --rules the kinds beside them. Kinds of the tier gate fail a scan, so do those of pii unless --report-personal-data is given; those of info are told.

Examples:
  finishline privacy rules
  finishline privacy rules --extended
  finishline privacy rules --rules .gitleaks.toml --format json`
}

func (c privacyRulesCmd) Run(s *session) error {
	set, notes, err := c.set()
	if err != nil {
		return err
	}
	var rows [][4]string
	for _, d := range privacy.Detectors() {
		rows = append(rows, [4]string{d.Rule, d.Category, "gate", d.What})
	}
	base := len(rows)
	if set != nil {
		for _, r := range set.Rules {
			rows = append(rows, [4]string{r.Kind, r.Group, r.Tier.String(), r.Description})
		}
	}
	values := make([]canon.Value, len(rows))
	for i, r := range rows {
		set := "base"
		if i >= base {
			set = "extended"
		}
		values[i] = canon.Build(member("kind", canon.NewString(r[0])), member("group", canon.NewString(r[1])), member("tier", canon.NewString(r[2])),
			member("what", canon.NewString(r[3])), member("set", canon.NewString(set)))
	}
	value := canon.Build(member("schema", canon.NewString("finishline.privacy-rules.v1")), member("rules", canon.NewArray(values...)), member("notes", stringList(notes)))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range rows {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", r[0], r[2], r[1], r[3])
		}
		tab.Flush()
		fmt.Fprintf(w, "%d detectors of the format, %d other kinds\n", base, len(rows)-base)
		for _, n := range notes {
			fmt.Fprintf(w, "note: %s\n", n)
		}
	})
}
