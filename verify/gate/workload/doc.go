// Package workload derives the classification of a work request: what kind of
// task it is, how much assurance it needs, which layers, packs and gates apply
// (docs/contracts/09b, section 2). The gates workload-classification and route
// re-derive it and refuse a document that says otherwise.
//
// Start with [Load] and [Rules.Analyse], which matches all signals and triggers
// of a text once, and call [Analysis.Classify] with the requested profile:
//
//	rules, err := workload.Load()
//	analysis := rules.Analyse(intake.Get("requestText").Text())
//	derived, err := analysis.Classify("production")
//	value, err := derived.Member("productionLayers", rules.TextsIn(document))
//
// The result depends on the text and the profile alone: no clock, no
// environment, no file. Time and memory are linear in the text. The rules are
// data (rules.json, compiled once) and belong to one exact taxonomy, pack index
// and production catalog ([Rules.BoundTo]).
//
// Some members carry fixed sentences of the format, which this package knows by
// digest and length only. [Texts] holds the sentences a caller has at hand,
// each checked against its digest; a member that needs one that is not at hand
// is an [UnknownTextError], never a guess.
//
// [Rules.DeliveryPrimary], [Rules.Supporting] and [Rules.Budget] are functions of a
// classification document rather than of a text (section 2.8).
package workload
