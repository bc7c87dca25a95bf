package catalog

import (
	"sync"

	"finishline/canon"
)

// SmokeControl is the one control that is in no catalog: that of the live smoke
// test (contract 09a, section 13).
const SmokeControl = "LIVE-SMOKE-001"

// controls are the ids of all controls of the house edition, which are those of
// every edition.
var controls = sync.OnceValue(func() map[string]bool {
	ids := map[string]bool{SmokeControl: true}
	for _, path := range Paths() {
		data, err := house.ReadFile(path)
		if err != nil { // the embedded files are checked by a test
			continue
		}
		if doc, err := canon.Read(data, canon.MaxDocument); err == nil {
			collect(doc.Root, ids)
		}
	}
	return ids
})

// collect adds the ids of every list named controls.
func collect(v canon.Value, ids map[string]bool) {
	for _, m := range v.Members() {
		if m.Name == "controls" {
			for _, control := range m.Value.Elems() {
				if id, ok := control.Get("id").Str(); ok {
					ids[id] = true
				}
			}
		}
		collect(m.Value, ids)
	}
	for _, e := range v.Elems() {
		collect(e, ids)
	}
}

// IsControl reports whether id is a control of some catalog, or the smoke
// test's.
func IsControl(id string) bool { return controls()[id] }
