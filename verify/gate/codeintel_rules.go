package gate

import "finishline/verify"

var codeIntelTable = define(codeIntelName, codeIntelRules)

var codeIntelRules = []verify.Rule{
	{ID: "code-intelligence.graph", Contract: "09a §5", Fails: "graph/graph.json is not a readable file of the run, or lacks schema, compatibility, nodes or edges", Why: "a change is planned on a graph of the code", Do: "build the graph again with the commissioned indexer"},
	{ID: "code-intelligence.freshness", Contract: "09a §5", Fails: "graph/freshness.json is not a readable file of the run, or is not about graph/graph.json", Why: "a graph whose age is unknown may describe other code", Do: "write the freshness record together with the graph"},
	{ID: "code-intelligence.provider", Contract: "09a §5", Fails: "the graph says that GitNexus made it and the evidence of that is missing or does not say so", Why: "an indexer that was not run must not be named", Do: "keep the indexer's evidence file in the run and name it"},
	{ID: "code-intelligence.stale", Contract: "09a §5", Fails: "the graph was built for another commit than the one that is checked out", Why: "a graph of other code misleads", Do: "build the graph again at this commit"},
	{ID: "code-intelligence.anchors", Contract: "09a §5", Fails: "design/anchors.json is unreadable, empty, or an anchor is no file of the run", Why: "a design is tied to the code by its anchors", Do: "name existing files by their plain relative paths"},
}
