package hux

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"finishline/canon"
)

// MaxOptionFile bounds a file that an option names: a schema, an allowlist, a
// list of secret patterns.
const MaxOptionFile = 4 << 20

// A memberType is what an allowlist says of a member of detail (§3).
type memberType uint8

const (
	unlisted memberType = iota
	typeID
	typeString
	typeText
	typeInteger
	typeNumber
	typeBoolean
	typeIDs
	typeStrings
)

var memberTypes = map[string]memberType{
	"id": typeID, "string": typeString, "text": typeText, "integer": typeInteger,
	"number": typeNumber, "boolean": typeBoolean, "ids": typeIDs, "strings": typeStrings,
}

var memberTypeNames = [...]string{
	typeID: "an id", typeString: "a string of at most 280 characters", typeText: "a string of at most 2000 characters",
	typeInteger: "an integer of at least 0", typeNumber: "a number of at least 0", typeBoolean: "a boolean",
	typeIDs: "an id, or an array of ids", typeStrings: "an array of strings of at most 280 characters each",
}

func (t memberType) String() string { return memberTypeNames[t] }

// Bounds of the types string and text, in code points.
const (
	maxString = 280
	maxText   = 2000
)

// An Allowlist says which members detail may have, for each kind, and which
// sensitivity levels there are. It never changes once it is read.
type Allowlist struct {
	kinds     [kindCount]map[string]memberType
	levels    []string
	companion bool
}

//go:embed catalogs/hux-detail-allowlist.json
var companionAllowlist []byte

// BuiltInAllowlist is the companion list, a guess of ours: what it does not
// list is a warning only (§3).
func BuiltInAllowlist() *Allowlist { return builtInAllowlist() }

var builtInAllowlist = sync.OnceValue(func() *Allowlist {
	list, err := ReadAllowlist(companionAllowlist)
	if err != nil {
		panic("hux: the embedded allowlist is damaged: " + err.Error()) // a test reads it
	}
	list.companion = true
	return list
})

// ReadAllowlist reads the list of --allowlist, in the shape of the companion's
// file. A list of unknown shape is an error, never an empty list.
func ReadAllowlist(data []byte) (*Allowlist, error) {
	root, err := readOption(data)
	if err != nil {
		return nil, fmt.Errorf("allowlist: %w", err)
	}
	list := &Allowlist{}
	for _, level := range root.Get("sensitivity_levels").Elems() {
		name, ok := level.Str()
		if !ok {
			return nil, fmt.Errorf("allowlist: sensitivity_levels must be an array of strings")
		}
		list.levels = append(list.levels, name)
	}
	kinds := root.Get("kinds")
	if !kinds.IsObject() || list.levels == nil {
		return nil, fmt.Errorf("allowlist: kinds must be an object, and sensitivity_levels an array of strings that is not empty")
	}
	for _, m := range kinds.Members() {
		k, known := kindsByName[m.Name]
		if !known || !m.Value.IsObject() {
			return nil, fmt.Errorf("allowlist: kinds has %.80q, which is no kind of event or no object", m.Name)
		}
		members := make(map[string]memberType, m.Value.Len())
		for _, member := range m.Value.Members() {
			t := memberTypes[member.Value.Text()]
			if t == unlisted {
				return nil, fmt.Errorf("allowlist: the type of %s, %.80q, must be one of id, string, text, integer, number, boolean, ids and strings", m.Name, member.Name)
			}
			members[member.Name] = t
		}
		list.kinds[k] = members
	}
	return list, nil
}

func (l *Allowlist) knows(level []byte) bool {
	return slices.ContainsFunc(l.levels, func(known string) bool { return known == string(level) })
}

// readOption reads a JSON file that an option names. Unlike evidence it is the
// user's own; but what two readers could read differently is refused here too.
func readOption(data []byte) (canon.Value, error) {
	doc, err := canon.Read(data, MaxOptionFile)
	if err != nil {
		return canon.Value{}, err
	}
	if doc.DefectCount > 0 {
		d := doc.Defects[0]
		return canon.Value{}, fmt.Errorf("line %d: %s (%s)", d.Line, d.Detail, d.Rule)
	}
	if !doc.Root.IsObject() {
		return canon.Value{}, fmt.Errorf("the file is not a JSON object")
	}
	return doc.Root, nil
}
