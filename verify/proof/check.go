package proof

import (
	"iter"
	"strconv"

	"finishline/canon"
	"finishline/verify"
)

// A check is one verification under way: where its findings go, and the
// artifact they are about.
type check struct {
	out  *verify.Findings
	path string
}

// MaxFailures is how many failures in one list are collected before the rest of
// the list is left alone: a resource bound far beyond any list that a producer
// got wrong.
const MaxFailures = 10_000

// fail records that a rule fired at a node, which is shown as what was found.
func (c check) fail(rule string, at canon.Node, expected string) {
	c.tell(rule, at, func() verify.What {
		return verify.What{Found: verify.Show(at.Value), Expected: expected}
	})
}

// member records that a rule fired at a member of an object, which may be
// absent.
func (c check) member(rule string, of canon.Node, name, expected string) {
	if c.out.Full(rule) {
		c.out.Add(rule, verify.Place{}, verify.What{}) // counted only
		return
	}
	c.fail(rule, of.At(name), expected)
}

// tell records that a rule fired. The description is made only while findings
// of that rule are kept, so that a list of millions of bad elements costs
// little.
func (c check) tell(rule string, at canon.Node, describe func() verify.What) {
	var what verify.What
	if !c.out.Full(rule) {
		what = describe()
	}
	c.out.Add(rule, verify.At(c.path, at.Pointer), what)
}

// elements goes through an array in order. Unlike Node.Items it holds one node
// at a time.
func elements(list canon.Node) iter.Seq2[int, canon.Node] {
	return func(yield func(int, canon.Node) bool) {
		for i := range list.Elems() {
			if !yield(i, element(list, i)) {
				return
			}
		}
	}
}

// element is the element of an array at an index that it has.
func element(list canon.Node, i int) canon.Node {
	return canon.Node{Value: list.Elems()[i], Pointer: list.Pointer + "/" + strconv.Itoa(i)}
}

// integerIn reports whether v is an integer from low to high.
func integerIn(v canon.Value, low, high float64) bool {
	f, ok := v.Integer()
	return ok && f >= low && f <= high
}

// isNumber reports whether v is a number equal to n.
func isNumber(v canon.Value, n int) bool {
	f, ok := v.Num()
	return ok && f == float64(n)
}

// sameString reports whether both values are strings and equal, which is how
// digests are compared: whatever is no string equals nothing (01 §3).
func sameString(a, b canon.Value) bool {
	s, ok := a.Str()
	return ok && b.Is(s)
}
