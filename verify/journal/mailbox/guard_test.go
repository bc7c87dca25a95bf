package mailbox

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// A fault in SQLite is damage of the file, not the end of the process and not a
// pass.
func TestFaultIsDamage(t *testing.T) {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	read := byte(0)
	for name, f := range map[string]func(){
		"panic":          func() { panic("index out of range") },
		"fault":          func() { read = *unsafe.SliceData(page) },
		"nil pointer":    func() { var s *store; read = byte(s.rows.count) },
		"nothing at all": func() {},
	} {
		err := guard(f)
		found, bad := damage(err)
		if want := name != "nothing at all"; bad != want || bad && !strings.HasPrefix(found, "SQLite failed on it: ") {
			t.Errorf("%s: %v, %q %t", name, err, found, bad)
		}
	}
	_ = read
	for _, err := range []error{nil, errors.New("disk"), &LimitError{}} {
		if found, bad := damage(err); bad {
			t.Errorf("%v is taken for damage: %s", err, found)
		}
	}
}

// The tokens are SQLite's: what is quoted or in a comment is no keyword.
func TestTriggerTable(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TRIGGER a AFTER INSERT ON bridge_events BEGIN SELECT 1; END":                        "bridge_events",
		"create temp trigger if not exists main.a before update of lane, ts on Bridge_Events begin": "Bridge_Events",
		"CREATE TRIGGER \"on\" AFTER DELETE ON main . [bridge_events] BEGIN":                        "bridge_events",
		"CREATE TRIGGER [on x] /* ON y */ AFTER INSERT -- ON z\n ON `bridge``events` BEGIN":         "bridge`events",
		"CREATE TRIGGER 'a' INSTEAD OF DELETE ON 'bridge_events' BEGIN":                             "bridge_events",
		"CREATE TABLE trigger_on (a) ":                                                              "",
		"CREATE TABLE a (b CHECK (b <> 'CREATE TRIGGER x ON bridge_events'))":                       "",
		"CREATE":                 "",
		"CREATE TRIGGER":         "",
		"CREATE TRIGGER a ON":    "",
		"CREATE TRIGGER a ON b":  "b",
		"CREATE TRIGGER a ON b.": "",
		"/* CREATE":              "",
		"'":                      "",
		"[":                      "",
		"":                       "",
	} {
		if got := triggerTable(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
