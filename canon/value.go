package canon

import "math"

// A Kind says what a [Value] is. The zero Kind is Absent: a member that is not
// there is neither null nor empty (contract 01, section 1, item 3).
type Kind uint8

// The kinds of a value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}

// String names the kind as a message would: "a string", "absent".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Value is one JSON value, or the absence of one. The zero Value is Absent,
// so lookups chain without checks: v.Get("run").Get("id") is Absent when any
// step is missing or of the wrong type, as the contracts read documents ("a
// container of the wrong type makes its members absent").
//
// Strings are UTF-8, except that an unpaired surrogate escape is kept as the
// three bytes its code point would have (WTF-8); only base level ever sees one.
// A Value is immutable and may be shared between goroutines.
type Value struct{ v any }

type null struct{}

// A Member is a name and its value in an object. Value may be Absent in
// objects made by [Build].
type Member struct {
	Name  string
	Value Value
}

type object struct {
	members []Member
	index   map[string]int // nil while linear search is cheaper
}

const linearMembers = 16

func (o *object) find(name string) int {
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].Name == name {
			return i
		}
	}
	return -1
}

// set adds a member, or replaces the value of an earlier one of that name in
// its place, and says whether there was one.
func (o *object) set(name string, v Value) (repeated bool) {
	if i := o.find(name); i >= 0 {
		o.members[i].Value = v
		return true
	}
	o.members = append(o.members, Member{name, v})
	switch {
	case o.index != nil:
		o.index[name] = len(o.members) - 1
	case len(o.members) > linearMembers:
		o.index = make(map[string]int, 2*len(o.members))
		for i := range o.members {
			o.index[o.members[i].Name] = i
		}
	}
	return false
}

// Build makes the object that has exactly these members. A later member of the
// same name replaces an earlier one. Members whose value is Absent stay in the
// object and are written as undefined by [Canonical].
func Build(members ...Member) Value {
	o := &object{members: make([]Member, 0, len(members))}
	for _, m := range members {
		o.set(m.Name, m.Value)
	}
	return Value{o}
}

// Pick builds the object that has exactly the named members of v, absent ones
// included (contract 01, section 2.6).
func Pick(v Value, names ...string) Value {
	o := &object{members: make([]Member, 0, len(names))}
	for _, n := range names {
		o.set(n, v.Get(n))
	}
	return Value{o}
}

// With returns the object v with a member of that name and value, in the place
// of an earlier one of that name or else at the end. Anything but an object
// counts as an empty one.
func With(v Value, name string, value Value) Value {
	members := v.Members()
	return Build(append(append(make([]Member, 0, len(members)+1), members...), Member{name, value})...)
}

// NewString, NewNumber, NewBool, NewNull and NewArray make scalars and arrays
// for built objects.
func NewString(s string) Value { return Value{s} }

// NewNumber makes a number.
func NewNumber(f float64) Value { return Value{f} }

// NewBool makes a boolean.
func NewBool(b bool) Value { return Value{b} }

// NewNull makes null.
func NewNull() Value { return Value{null{}} }

// NewArray makes an array of the given elements, in order.
func NewArray(elems ...Value) Value {
	if elems == nil {
		elems = []Value{}
	}
	return Value{elems}
}

// Kind reports what v is.
func (v Value) Kind() Kind {
	switch v.v.(type) {
	case nil:
		return Absent
	case null:
		return Null
	case bool:
		return Bool
	case float64:
		return Number
	case string:
		return String
	case []Value:
		return Array
	case *object:
		return Object
	}
	return Absent
}

// Present reports whether the member exists at all; null is present.
func (v Value) Present() bool { return v.v != nil }

// IsObject reports whether v is an object.
func (v Value) IsObject() bool { _, ok := v.v.(*object); return ok }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { _, ok := v.v.([]Value); return ok }

// IsNull reports whether v is present and null.
func (v Value) IsNull() bool { _, ok := v.v.(null); return ok }

// Get returns the member of that exact name, or Absent.
func (v Value) Get(name string) Value {
	if o, ok := v.v.(*object); ok {
		if i := o.find(name); i >= 0 {
			return o.members[i].Value
		}
	}
	return Value{}
}

// Has reports whether v is an object with a member of that exact name,
// whatever its value.
func (v Value) Has(name string) bool {
	o, ok := v.v.(*object)
	return ok && o.find(name) >= 0
}

// Members returns the members of an object in the order in which their names
// first occurred, and nil for anything else. The slice must not be changed.
func (v Value) Members() []Member {
	if o, ok := v.v.(*object); ok {
		return o.members
	}
	return nil
}

// Elems returns the elements of an array, and nil for anything else. The slice
// must not be changed.
func (v Value) Elems() []Value {
	a, _ := v.v.([]Value)
	return a
}

// Len is the number of elements or members; 0 for scalars.
func (v Value) Len() int {
	switch x := v.v.(type) {
	case []Value:
		return len(x)
	case *object:
		return len(x.members)
	}
	return 0
}

// Str returns the text of a string.
func (v Value) Str() (s string, ok bool) {
	s, ok = v.v.(string)
	return s, ok
}

// Text returns the text of a string, and "" for anything else. Use it only
// where an empty string and a missing one are treated alike.
func (v Value) Text() string {
	s, _ := v.v.(string)
	return s
}

// Is reports whether v is exactly the string s.
func (v Value) Is(s string) bool {
	t, ok := v.v.(string)
	return ok && t == s
}

// Num returns the value of a number. It may be infinite, for a literal beyond
// the range of a double.
func (v Value) Num() (f float64, ok bool) {
	f, ok = v.v.(float64)
	return f, ok
}

// Finite returns the value of a number that is not infinite.
func (v Value) Finite() (f float64, ok bool) {
	f, ok = v.v.(float64)
	return f, ok && !math.IsInf(f, 0)
}

// Integer returns the value of a number that is finite and integral: 1.0, 1e3
// and -0 are integers.
func (v Value) Integer() (f float64, ok bool) {
	f, ok = v.Finite()
	return f, ok && f == math.Trunc(f)
}

// Bool returns the value of a boolean.
func (v Value) Bool() (b, ok bool) {
	b, ok = v.v.(bool)
	return b, ok
}

// IsBool reports whether v is exactly the boolean b.
func (v Value) IsBool(b bool) bool {
	x, ok := v.v.(bool)
	return ok && x == b
}

// Truthy reports whether v is present and none of null, false, 0, -0 and ""
// (contract 01, section 1, item 3).
func (v Value) Truthy() bool {
	switch x := v.v.(type) {
	case nil, null:
		return false
	case bool:
		return x
	case float64:
		return x != 0
	case string:
		return x != ""
	}
	return true
}

// FirstTruthy returns the first truthy value, or the last one given.
func FirstTruthy(vs ...Value) Value {
	var last Value
	for _, v := range vs {
		if last = v; v.Truthy() {
			break
		}
	}
	return last
}
