// Package verify is the vocabulary in which every verifier of finishline
// answers: [Rule], [Finding], [Report] and [Verdict].
//
// A verifier owns a [Table] of rules, named by the ids of its contract in
// docs/contracts. It collects what it sees in [Findings], which it gets from
// its table:
//
//	out := rules.Collect(level)
//	out.Add("review.status", At(path, "/status"), verify.What{
//		Found: verify.Show(doc.Get("status")), Expected: `"passed"`,
//		Hint: "only an accepted review closes a run",
//	})
//
// and the findings of its own parts are merged or, where a contract wraps an
// inner document in one rule of the outer one, wrapped as causes.
//
// Two promises hold in this one place, so that no verifier can break them: a
// strict rule never fires at base level ([Level]), and no finding carries a
// secret, a control character or more than 200 bytes of text from the
// evidence. The fold from findings to a verdict is [Fold]: fail outranks
// incomplete, and nothing incomplete is ever a pass.
package verify
