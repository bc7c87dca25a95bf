// Package readiness verifies production readiness (contract 08): that every
// one of thirteen layers of a system is either shown to be ready, control by
// control and with typed evidence, or stated not to be reached.
//
// Start with [Verify]. It reads an assessment below the repository root, the
// workload classification that it is bound to, and a control catalog when the
// caller supplies one; the thirteen layers, their edges and their controls are
// otherwise those of the house edition in package catalog. Evidence and
// controls are judged by package evidence under the policy of the
// classification's tier, never under what the assessment says of itself.
// [AtBridge] is the reading of the bridge (section 7).
//
// What a pass promises: each required layer has all controls of the catalog,
// each control passed with evidence of the right type, bound to this run,
// commit and environment, fresh at the assessment's own time, and each file
// that evidence names has the digest it states; everything that a required
// layer depends on is required too. What it does not: anything about now. The
// clock and the commit that is checked out are not looked at ([Unevaluated]);
// the aggregate binds both. A historical assessment (v1) that passes has shown
// far less, see [Result.Legacy].
//
// [Status] tells of an assessment, finished or not, why each layer is required
// and what goes stale first. [New] and [Migrate] write skeletons that pass
// nothing until someone has shown it.
//
// One file holds one section of the contract: catalog.go section 1,
// supplied.go section 2, readiness.go section 3, v2.go section 4, v1.go section
// 5, entries.go and result.go what both share, bridge.go section 7.
package readiness
