package privacy

import "finishline/canon"

func canonical(r *Result) []byte { return canon.Canonical(r.Value()) }
