package gate

import (
	"context"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Files of the code-intelligence gate.
const (
	codeIntelName = "code-intelligence"
	graphPath     = "graph/graph.json"
	freshnessPath = "graph/freshness.json"
	anchorsPath   = "design/anchors.json"
)

// codeIntelGate has rules for three files instead of one document's.
var codeIntelGate = Gate{Name: codeIntelName, Artifact: graphPath, Table: codeIntelTable, Validate: func(ctx context.Context, run *Run) Result {
	c := &checker{run: run, out: codeIntelTable.Collect(run.Level()), gate: codeIntelName}
	if ctx.Err() == nil {
		checkCodeIntel(c)
	}
	return c.result(ctx)
}}

// beforeAnchors are the rules that must have passed before anchors are looked
// at. How the files are spelled (strict.json) is not among them.
var beforeAnchors = []string{"graph", "freshness", "provider", "stale"}

// checkCodeIntel is contract 09a, section 5.
func checkCodeIntel(c *checker) {
	graph, ok := c.graphFile("graph", graphPath)
	if !ok {
		return
	}
	freshness, ok := c.graphFile("freshness", freshnessPath)
	if !ok {
		return
	}
	c.graph(graph.node)
	c.freshness(freshness.node)
	c.provider(graph, freshness)
	c.graphCommit(graph, freshness)
	if !slices.ContainsFunc(beforeAnchors, func(suffix string) bool { return c.out.Has(c.gate + "." + suffix) }) {
		c.anchors()
	}
}

// graphFile reads one of the gate's files; without it the gate stops.
func (c *checker) graphFile(suffix, path string) (*document, bool) {
	d := c.run.load(c.run.opt.Target, path, c.run.Level(), ownFile, canon.MaxDocument)
	c.path = path
	switch {
	case d.problem != readable:
		c.out.Add(c.gate+"."+suffix, d.place(), d.what)
	case d.node.IsNull():
		c.fail(suffix, d.node, "an object")
	default:
		evidence.ReadFindings(c.out, path, d.doc, nil)
		return d, true
	}
	return nil, false
}

func (c *checker) graph(n canon.Node) {
	c.path = graphPath
	c.oneOf("graph", n.At("schema"), "uash.code-intelligence.graph.v0.1")
	if m := n.At("codeIntelligenceCompatible"); !m.Truthy() {
		c.fail("graph", m, "true")
	}
	c.filled("graph", n.At("nodes"))
	c.array("graph", n.At("edges"))
}

func (c *checker) freshness(n canon.Node) {
	c.path = freshnessPath
	c.oneOf("freshness", n.At("schema"), "uash.graph-freshness.v0.1")
	c.oneOf("freshness", n.At("graphPath"), graphPath)
}

// provider demands evidence of a graph that an indexer made.
func (c *checker) provider(graph, freshness *document) {
	stated := func(member string) canon.Value {
		return canon.FirstTruthy(graph.node.Get("codeIntelligence").Get(member), freshness.node.Get("codeIntelligence").Get(member))
	}
	if !stated("provider").Is("gitnexus") {
		return
	}
	c.path = graphPath
	path := stated("evidenceArtifact")
	if !evidence.Present(path) {
		c.fail("provider", graph.node.At("codeIntelligence").At("evidenceArtifact"), "the path of the indexer's evidence")
		return
	}
	d, ok := c.graphEvidence(path.Text())
	if !ok {
		return
	}
	c.path = d.path
	c.oneOf("provider", d.node.At("schema"), "uash.gitnexus.evidence.v0.1")
	c.oneOf("provider", d.node.At("provider"), "GitNexus")
	if n := d.node.At("ok"); !n.Truthy() {
		c.fail("provider", n, "true")
	}
}

func (c *checker) graphEvidence(path string) (*document, bool) {
	d := c.run.load(c.run.opt.Target, path, c.run.Level(), ownFile, canon.MaxDocument)
	if d.problem != readable {
		c.out.Add(c.gate+".provider", d.place(), d.what)
		return nil, false
	}
	evidence.ReadFindings(c.out, path, d.doc, nil)
	return d, true
}

// graphCommit holds the graph's commit against the one that is checked out.
func (c *checker) graphCommit(graph, freshness *document) {
	head := c.run.opt.Head
	if head == "" {
		return
	}
	c.path = graphPath
	n := graph.node.At("git").At("commit")
	if !n.Truthy() {
		c.path = freshnessPath
		n = firstTruthy(freshness.node.At("git").At("commit"), freshness.node.At("validForCommit"))
	}
	if !n.Is(head) {
		c.fail("stale", n, head+", the commit that is checked out")
	}
}

// anchors demands that every anchor of the design is a file of the run.
func (c *checker) anchors() {
	d := c.run.load(c.run.opt.Target, anchorsPath, c.run.Level(), ownFile, canon.MaxDocument)
	c.path = anchorsPath
	if d.problem != readable {
		c.out.Add(c.gate+".anchors", d.place(), d.what)
		return
	}
	evidence.ReadFindings(c.out, anchorsPath, d.doc, nil)
	list := anchorList(d.node)
	if len(list) == 0 {
		c.fail("anchors", d.node, "at least one anchor")
	}
	for _, anchor := range list {
		n := anchorPath(anchor)
		if !evidence.Present(n.Value) {
			c.fail("anchors", n, "the path of a file")
			continue
		}
		if _, err := c.run.opt.Target.SafeFile(n.Text(), c.run.Level()); err != nil {
			c.add("anchors", n, verify.What{Found: err.Reason + ": " + verify.Show(n.Value), Expected: "a file of the run", Unevaluated: err.Unevaluated})
		}
	}
}

// anchorList is the document itself, its anchors, or all of its lists joined.
func anchorList(n canon.Node) []canon.Node {
	switch {
	case n.IsArray():
		return n.Items()
	case n.At("anchors").IsArray():
		return n.At("anchors").Items()
	}
	var all []canon.Node
	for _, m := range n.Members() {
		all = append(all, n.At(m.Name).Items()...)
	}
	return all
}

func anchorPath(n canon.Node) canon.Node {
	if n.Kind() == canon.String {
		return n
	}
	return firstTruthy(n.At("path"), n.At("file"), n.At("filepath"), n.At("target"))
}
