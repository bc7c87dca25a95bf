package mailbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"finishline/verify"
)

// store verifies a store through a private copy. complete says that all rows
// were looked at.
func (o *Outcome) store(ctx context.Context, in Input, past *history) (complete bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	p, err := copyStore(ctx, in)
	if err != nil {
		return false, err
	}
	defer p.remove()
	o.Bytes, o.Artifacts = p.size, p.artifacts
	if p.journal {
		o.Notes = append(o.Notes, "a rollback journal lies beside the store; what it would undo was looked at as if it were there to stay")
	}
	at := verify.At(in.Path, "")
	if !strings.HasPrefix(string(p.header), magic) {
		o.Findings.Add("mailbox.file.not-sqlite", at, verify.What{Found: verify.Quote(string(p.header[:min(len(p.header), len(magic))])), Expected: "a SQLite database"})
		return false, nil
	}
	if v := versions(p.header); v != [2]byte{2, 2} {
		o.Findings.Add("mailbox.file.not-wal", at, verify.What{Found: fmt.Sprintf("header bytes 18 and 19 are %d and %d", v[0], v[1]), Expected: "2 and 2"})
	}
	s := store{out: o.Findings, at: at, past: past}
	complete, err = s.inspect(ctx, p.path)
	o.Rows = s.rows.count
	if found, bad := damage(err); bad {
		o.Findings.Add("mailbox.file.corrupt", at, verify.What{Found: found, Expected: "a database that SQLite reads to its end"})
		return false, nil
	}
	return complete, s.bounded(in.Path, err)
}

// versions are the file format versions of a header, which say WAL or not.
func versions(header []byte) (v [2]byte) {
	if len(header) > 19 {
		copy(v[:], header[18:20])
	}
	return v
}

// maxValue bounds one value that SQLite makes from the file, maxSchema the text
// of one statement of its schema.
const (
	maxValue  = 4 * MaxPayload
	maxSchema = 1 << 20
)

// dsn opens the copy read-only.
func dsn(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&_defensive=1"}).String()
}

// settings turn off what a hostile schema could use. They come before anything that reads the schema, and run
// under the context, which what the driver does while it opens would not.
var settings = []string{
	fmt.Sprintf("hard_heap_limit = %d", MaxHeap),
	"trusted_schema = 0", "cell_size_check = 1", "query_only = 1",
	"foreign_keys = 0", "recursive_triggers = 0", "mmap_size = 0", "temp_store = memory",
}

// limits of one connection.
var limits = []struct{ id, value int }{
	{lib.SQLITE_LIMIT_LENGTH, maxValue},
	{lib.SQLITE_LIMIT_SQL_LENGTH, maxSchema},
	{lib.SQLITE_LIMIT_ATTACHED, 0},
	{lib.SQLITE_LIMIT_EXPR_DEPTH, 100},
	{lib.SQLITE_LIMIT_WORKER_THREADS, 0},
}

// store is a database under verification.
type store struct {
	out  *verify.Findings
	at   verify.Place
	past *history
	rows rows
	conn *sql.Conn
}

// A faultError says that SQLite itself failed on a file.
type faultError struct{ what any }

func (e *faultError) Error() string { return fmt.Sprintf("SQLite failed on it: %v", e.what) }

// guard runs something that calls SQLite, which is C, translated: a fault on a
// hostile file is an error here and not the end of the process. Nothing that f
// has opened is closed then, because its locks may be held; so f defers nothing.
func guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = &faultError{fault}
		}
	}()
	f()
	return nil
}

// inspect opens the copy and looks at its settings, its integrity, its schema
// and its rows, in this order; each needs the one before.
func (s *store) inspect(ctx context.Context, path string) (complete bool, err error) {
	Prepare()
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return false, err
	}
	db.SetMaxOpenConns(1)
	fault := guard(func() {
		if complete, err = s.look(ctx, db); s.conn != nil {
			s.conn.Close() // only gives it back
		}
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	})
	if fault != nil {
		return false, fault
	}
	return complete && err == nil, contextFirst(ctx, err)
}

func (s *store) look(ctx context.Context, db *sql.DB) (complete bool, err error) {
	if s.conn, err = db.Conn(ctx); err != nil {
		return false, err
	}
	for _, l := range limits {
		if _, err := sqlite.Limit(s.conn, l.id, l.value); err != nil {
			return false, err
		}
	}
	for _, set := range settings {
		if err := s.exec(ctx, "PRAGMA "+set); err != nil {
			return false, err
		}
	}
	for _, step := range []func(context.Context) (bool, error){s.size, s.integrity, s.schema, s.content} {
		if goOn, err := step(ctx); err != nil || !goOn {
			return false, err
		}
	}
	return true, nil
}

func (s *store) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// query calls each for every row of an answer.
func (s *store) query(ctx context.Context, statement string, each func(*sql.Rows) error) error {
	list, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	for err == nil && list.Next() {
		err = each(list)
	}
	if err == nil {
		err = list.Err()
	}
	list.Close() // its error, if any, is list.Err's
	return err
}

// contextFirst is the context's error when it has ended: SQLite only says that
// it was interrupted.
func contextFirst(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// MaxObjects bounds the tables, indexes and the like of a store, which needs
// four, and MaxSchemaTime how long SQLite may take to read what they are: both
// this and its integrity check take time that grows with their square.
const (
	MaxObjects    = 1000
	MaxSchemaTime = 10 * time.Second
)

// size refuses a schema that would take too long.
func (s *store) size(ctx context.Context) (bool, error) {
	brief, cancel := context.WithTimeout(ctx, MaxSchemaTime)
	defer cancel()
	var n int64
	err := s.query(brief, "SELECT count(*) FROM main.sqlite_schema", func(r *sql.Rows) error { return r.Scan(&n) })
	if brief.Err() != nil && ctx.Err() == nil {
		return false, &LimitError{Path: s.at.Artifact, What: "seconds to read the schema", Most: int64(MaxSchemaTime / time.Second)}
	}
	if err != nil {
		return false, err
	}
	if n > MaxObjects {
		return false, &LimitError{Path: s.at.Artifact, What: "tables, indexes and the like", Most: MaxObjects}
	}
	return true, s.exec(ctx, "PRAGMA main.cache_size = -4096") // needs the schema
}

// integrity is SQLite's own check.
func (s *store) integrity(ctx context.Context) (bool, error) {
	answer := "no answer"
	err := s.query(ctx, "PRAGMA main.integrity_check(1)", func(r *sql.Rows) error { return r.Scan(&answer) })
	if err != nil {
		return false, err
	}
	if answer != "ok" {
		s.out.Add("mailbox.file.corrupt", s.at, verify.What{Found: answer, Expected: "ok"})
		return false, nil
	}
	return true, nil
}

// content holds every row against the row rules, in the order of the table.
func (s *store) content(ctx context.Context) (bool, error) {
	// Without an index, the order is that of the rowids. A payload that is too
	// long is measured and not loaded.
	query := fmt.Sprintf(`SELECT event_id, source, event_type, lane,
		CASE WHEN octet_length(payload_json) > %d THEN NULL ELSE payload_json END, octet_length(payload_json), ts
		FROM main.bridge_events NOT INDEXED`, MaxPayload)
	err := s.query(ctx, query, func(r *sql.Rows) error {
		var v [7]any
		if err := r.Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]); err != nil {
			return err
		}
		size, _ := v[5].(int64)
		w := row{id: cellOf(v[0]), source: cellOf(v[1]), eventType: cellOf(v[2]), lane: cellOf(v[3]), payload: cellOf(v[4]), payloadSize: size, ts: cellOf(v[6])}
		s.rows.check(s.at, w)
		s.past.compare(s.out, s.at, w, s.rows.count)
		return nil
	})
	return err == nil, err
}

// cellOf is a value as SQLite stores it.
func cellOf(v any) cell {
	switch v := v.(type) {
	case string:
		return cell{kind: textCell, text: v}
	case int64:
		return cell{kind: integerCell, integer: v}
	case float64:
		return cell{other: fmt.Sprintf("the real number %g", v)}
	case []byte:
		return cell{other: fmt.Sprintf("a blob of %d bytes", len(v))}
	}
	return cell{other: "null"}
}

// damage says whether an error means that the file is bad, and how.
func damage(err error) (found string, bad bool) {
	var fault *faultError
	if errors.As(err, &fault) {
		return fault.Error(), true
	}
	code, message, ok := sqliteError(err)
	if !ok {
		return "", false
	}
	switch code {
	case lib.SQLITE_NOMEM, lib.SQLITE_TOOBIG, lib.SQLITE_IOERR, lib.SQLITE_FULL, lib.SQLITE_CANTOPEN,
		lib.SQLITE_INTERRUPT, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PERM:
		return "", false
	}
	return message, true
}

func sqliteError(err error) (code int, message string, ok bool) {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0, "", false
	}
	return e.Code() & 0xff, e.Error(), true
}

// bounded turns SQLite's answer that a bound was reached into a *LimitError,
// and says of other errors which file they are about.
func (s *store) bounded(path string, err error) error {
	if err == nil || isLimit(err) {
		return err
	}
	switch code, _, _ := sqliteError(err); code {
	case lib.SQLITE_NOMEM:
		return &LimitError{Path: path, What: "bytes of memory for SQLite", Most: MaxHeap}
	case lib.SQLITE_TOOBIG:
		return &LimitError{Path: path, What: "bytes in one value", Most: maxValue}
	}
	return fmt.Errorf("%s: %w", path, err)
}
