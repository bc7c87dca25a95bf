package proof

import (
	"fmt"
	"strings"

	"finishline/canon"
)

// sourceDigests are the members of rule proof.source.digest.
var sourceDigests = []string{"beforeSha256", "afterSha256", "applicationBeforeSha256", "applicationAfterSha256", "validatorSha256"}

// source checks B.4.
func (c check) source(source canon.Node, commit canon.Value) {
	if !source.IsObject() {
		c.fail("proof.source.missing", source, "an object that describes the Git source state")
		return
	}
	if head := source.At("gitHead"); !head.Present() || !canon.Same(head.Value, commit) {
		c.fail("proof.source.git-head", head, "the same text as run.commit")
	}
	if !isTargetPath(source.Get("targetPath")) {
		c.member("proof.source.target-path", source, "targetPath", ". or a relative path with /, without . and .. components and control characters")
	}
	if !canon.IsDigest(source.Get("gitTreeSha256")) {
		c.member("proof.source.tree-digest", source, "gitTreeSha256", expectDigest)
	}
	for _, name := range sourceDigests {
		if !canon.IsDigest(source.Get(name)) {
			c.member("proof.source.digest", source, name, expectDigest)
		}
	}
	for _, name := range []string{"dirtyBefore", "dirtyAfter"} {
		if _, ok := source.Get(name).Bool(); !ok {
			c.member("proof.source.dirty-flags", source, name, "true or false")
		}
	}
	c.stable("proof.source.stable", source.At("stable"), source.Get("beforeSha256"), source.Get("afterSha256"))
	c.stable("proof.source.application-stable", source.At("applicationStable"), source.Get("applicationBeforeSha256"), source.Get("applicationAfterSha256"))
}

// stable demands that a flag says whether two digests are equal.
func (c check) stable(rule string, flag canon.Node, before, after canon.Value) {
	if same := sameString(before, after); !flag.IsBool(same) {
		c.fail(rule, flag, fmt.Sprintf("%v, as the digests before and after say", same))
	}
}

func isTargetPath(v canon.Value) bool {
	path, ok := v.Str()
	if path == "." {
		return true
	}
	if !ok || strings.ContainsFunc(path, func(c rune) bool { return c == '\\' || c < 0x20 }) {
		return false
	}
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
