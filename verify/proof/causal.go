package proof

import (
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// causalInputs checks B.3.
func (c check) causalInputs(list canon.Node) {
	if !list.IsArray() {
		c.fail("proof.causal.array", list, "an array, which may be empty")
		return
	}
	seen := map[string]int{}
	previous, ordered := "", true
	failed := c.out.Errors()
	for i, entry := range elements(list) {
		if c.out.Errors()-failed > MaxFailures {
			return
		}
		path, isText := entry.Get("path").Str()
		// A missing path, or one that is no string, sorts as "".
		if canon.CompareUTF16(path, previous) < 0 && ordered {
			ordered = false
			c.member("proof.causal.order", entry, "path", "entries in ascending UTF-16 order of path")
		}
		previous = path
		if !entry.IsObject() {
			c.fail("proof.causal.entry-object", entry, "an object {path, beforeSha256, afterSha256}")
			continue
		}
		c.causalEntry(entry)
		if first, dup := seen[path]; dup && isText {
			c.tell("proof.causal.path-duplicate", entry.At("path"), func() verify.What {
				return verify.What{Found: verify.Quote(path) + " again", Expected: "each path once; it is also entry " + itoa(first)}
			})
		} else if isText {
			seen[path] = i
		}
	}
}

func (c check) causalEntry(entry canon.Node) {
	if !exactly(entry.Value, causalMembers) {
		c.tell("proof.causal.entry-fields", entry, func() verify.What {
			return verify.What{Found: difference(entry.Value, causalMembers), Expected: "exactly " + strings.Join(causalMembers, ", ")}
		})
	}
	// A path that is no string is checked as "", which is no path.
	if err := evidence.Canonical(entry.Get("path").Text()); err != nil {
		c.tell("proof.causal.path", entry.At("path"), func() verify.What {
			return verify.What{Found: err.Reason + ": " + verify.Show(entry.Get("path")), Expected: "a path relative to the target directory, with / and without . and .. (" + err.Rule + ")"}
		})
	}
	for _, name := range []string{"beforeSha256", "afterSha256"} {
		if !canon.IsDigest(entry.Get(name)) {
			c.member("proof.causal.digest", entry, name, expectDigest)
		}
	}
}
