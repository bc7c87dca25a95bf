package mailbox

import (
	"sync"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// MaxHeap bounds what SQLite itself allocates, in the whole process.
const MaxHeap = 64 << 20

// countHeap makes SQLite count what it allocates, without which MaxHeap has no
// effect. SQLite takes this setting only before anybody in the process has
// opened a database; a program that opens others calls [Prepare] first.
var countHeap = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 16)
	if args == 0 {
		return
	}
	defer libc.Xfree(tls, args)
	lib.Xsqlite3_config(tls, lib.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1)))
})

// Prepare puts the bound on SQLite's memory into force. [Verify] calls it; a
// program that also uses SQLite for databases of its own calls it before the
// first of them is opened.
func Prepare() { countHeap() }
