// Package mailbox verifies the mailbox of bridge events (contract 22, section
// 4): the SQLite store itself, or an export of it with one row in each line.
//
// Start with [Verify]. A store is never opened where it lies. It is copied with
// its write-ahead log to a private directory, and the copy is opened read-only:
// rows that are only in the log are seen, and nothing is written beside the
// evidence. With an earlier export, Verify also says whether rows that were
// there have been removed or changed since.
//
// What is promised: the evidence keeps its bytes; whatever the database file
// holds, no trigger, view or extension of it runs, SQLite gets a bounded amount
// of memory, and all of it a bounded time. What is not: a mailbox is not signed.
// Whoever can write the file can write another history, unless an earlier
// export or its digest is kept elsewhere; and an uncommitted transaction in a
// rollback journal beside the store is not undone.
package mailbox
