package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/store"
)

type journalDoctorCmd struct {
	Path string `arg:"" help:"A bridge's data directory, or the directory of one run." placeholder:"DIR"`
	storeFlags
	levelFlags
	outputFlags
}

func (journalDoctorCmd) Help() string {
	return `Looks at the lease, the recovery mutex and each run, and says of what it finds whether a bridge goes on by itself, whether somebody should know, or whether nothing goes on until somebody acts. It takes no lease, cuts no torn tail and removes nothing.

Whether a lease is stale is only known on the host that wrote it. Without the integrity key only the structure of the runs is judged.

Exit status: 0 nothing needs a person, 1 something does, 2 trouble.

Examples:
  finishline journal doctor ~/.uash/runs
  finishline journal doctor --format json ~/.uash/runs`
}

func (c journalDoctorCmd) Run(s *session) error {
	kind, path, err := journal.Detect(c.Path)
	if err != nil {
		return err
	}
	if kind != journal.Bridge {
		return usagef("%s is of the kind %s, not a bridge's store", c.Path, kind)
	}
	opt, err := s.storeOptions(c.storeFlags, c.levelFlags)
	if err != nil {
		return err
	}
	res, err := store.Verify(s.ctx, path, opt)
	if err != nil {
		return err
	}
	advice := res.Advise()
	for _, a := range advice {
		if a.Need == store.Person {
			s.exit = verify.Fail.ExitCode()
		}
	}
	return s.print(c.outputFlags, adviceValue(res, advice), func(w io.Writer) {
		if !res.Keyed {
			fmt.Fprintf(w, "%s: without the integrity key forged files look sound\n", store.KeylessWording)
		}
		for _, a := range advice {
			fmt.Fprintf(w, "%-5s %s: %s\n", a.Need, shown(a.Where), verify.Print(a.Found, verify.MaxHint))
			if a.Need != store.Fine || a.Do != "nothing" {
				fmt.Fprintf(w, "        do: %s\n", verify.Print(a.Do, verify.MaxHint))
			}
		}
	})
}

func adviceValue(res *store.Result, advice []store.Advice) canon.Value {
	list := make([]canon.Value, len(advice))
	for i, a := range advice {
		list[i] = canon.Build(
			member("need", canon.NewString(a.Need.String())), member("where", canon.NewString(shown(a.Where))),
			member("found", canon.NewString(verify.Print(a.Found, verify.MaxHint))), member("do", canon.NewString(verify.Print(a.Do, verify.MaxHint))),
		)
	}
	store := res.Value()
	return canon.Build(
		member("keyed", store.Get("keyed")), member("lease", store.Get("lease")), member("recoveryMutex", store.Get("recoveryMutex")),
		member("advice", canon.NewArray(list...)),
	)
}
