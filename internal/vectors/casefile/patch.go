package casefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"finishline/canon"
)

// maxChain bounds how many bases a case may have behind it, so that a cycle
// ends.
const maxChain = 32

func subjectOf(fields map[string]canon.Value, name string, depth int) (canon.Value, error) {
	f, ok := fields[name]
	if !ok || depth > maxChain {
		return canon.Value{}, fmt.Errorf("no base case %q, or a chain of more than %d", name, maxChain)
	}
	if f.Has("document") {
		return f.Get("document"), nil
	}
	base, ok := f.Get("base").Str()
	if !ok {
		return canon.Value{}, fmt.Errorf("case %q has neither document nor base", name)
	}
	v, err := subjectOf(fields, base, depth+1)
	if err != nil {
		return v, err
	}
	return Patch(v, f.Get("patch"))
}

// Patch applies the operations add, remove and replace of RFC 6902, in order.
func Patch(v, operations canon.Value) (canon.Value, error) {
	for i, op := range operations.Elems() {
		verb, pointer := op.Get("op").Text(), op.Get("path").Text()
		var err error
		if v, err = Edit(v, verb, pointer, op.Get("value")); err != nil {
			return v, fmt.Errorf("operation %d (%s %s): %w", i, verb, pointer, err)
		}
	}
	return v, nil
}

// Edit applies one operation: "add", "remove" or "replace" at a JSON pointer.
// The value that was given stays as it is.
func Edit(v canon.Value, verb, pointer string, value canon.Value) (canon.Value, error) {
	if pointer == "" {
		if verb == "remove" {
			return canon.Value{}, nil
		}
		return value, nil
	}
	tokens := strings.Split(pointer, "/")
	if tokens[0] != "" {
		return v, fmt.Errorf("not a JSON pointer")
	}
	for i, t := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return edit(v, verb, tokens[1:], value)
}

func edit(v canon.Value, verb string, tokens []string, value canon.Value) (canon.Value, error) {
	switch {
	case v.IsObject():
		return editObject(v, verb, tokens, value)
	case v.IsArray():
		return editArray(v, verb, tokens, value)
	}
	return v, fmt.Errorf("%s has no member %q", v.Kind(), tokens[0])
}

func editObject(v canon.Value, verb string, tokens []string, value canon.Value) (canon.Value, error) {
	name := tokens[0]
	members := slices.Clone(v.Members())
	at := slices.IndexFunc(members, func(m canon.Member) bool { return m.Name == name })
	switch {
	case at < 0 && len(tokens) == 1 && verb == "add":
		members = append(members, canon.Member{Name: name, Value: value})
	case at < 0:
		return v, fmt.Errorf("no member %q", name)
	case len(tokens) > 1:
		inner, err := edit(members[at].Value, verb, tokens[1:], value)
		if err != nil {
			return v, err
		}
		members[at].Value = inner
	case verb == "remove":
		members = slices.Delete(members, at, at+1)
	case verb == "add" || verb == "replace":
		members[at].Value = value
	default:
		return v, fmt.Errorf("unknown operation")
	}
	return canon.Build(members...), nil
}

func editArray(v canon.Value, verb string, tokens []string, value canon.Value) (canon.Value, error) {
	elems := slices.Clone(v.Elems())
	at := len(elems)
	if tokens[0] != "-" {
		n, err := strconv.Atoi(tokens[0])
		if err != nil || n < 0 || n > len(elems) {
			return v, fmt.Errorf("no element %q", tokens[0])
		}
		at = n
	}
	switch {
	case len(tokens) == 1 && verb == "add":
		elems = slices.Insert(elems, at, value)
	case at == len(elems):
		return v, fmt.Errorf("no element %q", tokens[0])
	case len(tokens) > 1:
		inner, err := edit(elems[at], verb, tokens[1:], value)
		if err != nil {
			return v, err
		}
		elems[at] = inner
	case verb == "remove":
		elems = slices.Delete(elems, at, at+1)
	case verb == "replace":
		elems[at] = value
	default:
		return v, fmt.Errorf("unknown operation")
	}
	return canon.NewArray(elems...), nil
}
