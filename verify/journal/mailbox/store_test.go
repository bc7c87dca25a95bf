package mailbox_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/lines"
	"finishline/verify/journal/mailbox"
)

// The stores of the tests are made by SQLite in this process.
func TestMain(m *testing.M) {
	mailbox.Prepare()
	os.Exit(m.Run())
}

// createTable is the table as the bridge's writers make it.
const createTable = `CREATE TABLE bridge_events (
	event_id TEXT PRIMARY KEY,
	source TEXT NOT NULL CHECK (source IN ('cc','cursor','codex')),
	event_type TEXT NOT NULL,
	lane TEXT NOT NULL CHECK (lane IN ('fast','gate','release')),
	payload_json TEXT NOT NULL,
	ts INTEGER NOT NULL)`

const goodRow = `INSERT INTO bridge_events VALUES ('evt-1718000000000000001-000001', 'cc', 'Stop', 'fast', '{}', 1718000000000000001)`

// newStore makes a store of statements, and returns its path. They run on one
// connection, after which the log is folded into the database.
func newStore(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mailbox.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run(t, db, append([]string{"PRAGMA journal_mode = WAL"}, statements...)...)
	return path
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func verifyPath(t testing.TB, path string) *mailbox.Outcome {
	t.Helper()
	o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// allIDs are the rules that fired, whatever their severity.
func allIDs(o *mailbox.Outcome) []string {
	var ids []string
	for _, s := range []verify.Severity{verify.Error, verify.Warning, verify.Note} {
		ids = append(ids, verify.RuleIDs(o.Findings.List(), s)...)
	}
	return ids
}

// unchecked is the table without constraints that would refuse a bad row.
var unchecked = strings.NewReplacer("CHECK (source IN ('cc','cursor','codex'))", "", "CHECK (lane IN ('fast','gate','release'))", "").Replace(createTable)

func TestStores(t *testing.T) {
	insert := func(values string) string { return "INSERT INTO bridge_events VALUES (" + values + ")" }
	const missing = "mailbox.schema.check-missing"
	forged := []string{createTable, "CREATE TABLE other (a)",
		"CREATE TRIGGER rewrite AFTER INSERT ON bridge_events BEGIN UPDATE bridge_events SET lane = 'fast'; END",
		"PRAGMA writable_schema = ON"}
	for name, c := range map[string]struct {
		statements []string
		want       []string
	}{
		"good":                      {[]string{createTable, goodRow}, nil},
		"no rows":                   {[]string{createTable}, nil},
		"names in another case":     {[]string{strings.ReplaceAll(strings.ToUpper(createTable), "IN ('CC','CURSOR','CODEX')", "<> ''")}, nil},
		"a further column":          {[]string{strings.Replace(createTable, "ts INTEGER", "note TEXT, ts INTEGER", 1)}, nil},
		"another table's trigger":   {[]string{createTable, "CREATE TABLE other (a)", "CREATE TRIGGER x AFTER INSERT ON other BEGIN DELETE FROM bridge_events; END"}, nil},
		"checks beside columns":     {[]string{unchecked[:len(unchecked)-1] + `, CONSTRAINT s CHECK ("source" <> ''), CHECK (length([lane]) > 0))`}, nil},
		"check in a comment":        {[]string{strings.Replace(unchecked, "(", "( -- CHECK (source lane)\n", 1)}, []string{missing}},
		"check of a text":           {[]string{unchecked[:len(unchecked)-1] + `, CHECK ('source' <> 'lane'))`}, []string{missing}},
		"one check":                 {[]string{unchecked[:len(unchecked)-1] + `, CHECK (source <> ''))`}, []string{missing}},
		"another database":          {[]string{"CREATE TABLE other (a)"}, []string{"mailbox.schema.table-missing"}},
		"a view":                    {[]string{"CREATE TABLE other (a)", "CREATE VIEW bridge_events AS SELECT a AS event_id FROM other"}, []string{"mailbox.schema.table-missing"}},
		"a virtual table":           {[]string{"CREATE VIRTUAL TABLE bridge_events USING fts5(event_id, source)"}, []string{"mailbox.schema.table-missing"}},
		"a column missing":          {[]string{strings.Replace(createTable, "event_type TEXT NOT NULL,", "", 1)}, []string{"mailbox.schema.column"}},
		"a column that may be null": {[]string{strings.Replace(createTable, "ts INTEGER NOT NULL", "ts INTEGER", 1)}, []string{"mailbox.schema.column"}},
		"a generated column":        {[]string{strings.Replace(createTable, "ts INTEGER NOT NULL", "ts INTEGER NOT NULL AS (5)", 1)}, []string{"mailbox.schema.column"}},
		"no primary key":            {[]string{strings.Replace(createTable, "PRIMARY KEY", "UNIQUE", 1)}, []string{"mailbox.schema.column"}},
		"a wider primary key":       {[]string{strings.Replace(createTable[:len(createTable)-1], "PRIMARY KEY", "NOT NULL", 1) + ", PRIMARY KEY (event_id, ts))"}, []string{"mailbox.schema.column"}},
		"a trigger":                 {forged[:3], []string{"mailbox.schema.trigger"}},
		"a trigger in disguise":     {append(forged, "UPDATE sqlite_schema SET tbl_name = 'other' WHERE type = 'trigger'"), []string{"mailbox.file.corrupt"}},
		"a trigger as an index":     {append(forged, "UPDATE sqlite_schema SET type = 'index', tbl_name = 'other' WHERE type = 'trigger'"), []string{"mailbox.file.corrupt"}},
		"a null id":                 {[]string{createTable, insert("NULL, 'cc', 'Stop', 'fast', '{}', 1718000000000000001")}, []string{"mailbox.row.event-id"}},
		"an old time":               {[]string{createTable, insert("'evt-1-000001', 'cc', 'Stop', 'fast', '{}', 1718000000123")}, []string{"mailbox.row.ts-scale"}},
		"a backdated row":           {[]string{createTable, goodRow, insert("'evt-1-000001', 'cc', 'Stop', 'fast', '{}', 1718000000000000000")}, []string{"mailbox.order.ts"}},
		"a blob as payload":         {[]string{createTable, insert("'evt-1-000001', 'cc', 'Stop', 'fast', x'7b7d', 1718000000000000001")}, []string{"mailbox.row.payload"}},
		"a blob as type":            {[]string{createTable, insert("'evt-1-000001', 'cc', x'53', 'fast', '{}', 1718000000000000001")}, []string{"mailbox.row.event-type"}},
		"a real time":               {[]string{createTable, insert("'evt-1-000001', 'cc', 'Stop', 'fast', '{}', 1718000000000000001.5e10")}, []string{"mailbox.row.ts"}},
		"a text time":               {[]string{createTable, insert("'evt-1-000001', 'cc', 'Stop', 'fast', '{}', 'now'")}, []string{"mailbox.row.ts"}},
		"a number as payload":       {[]string{createTable, insert("'evt-1-000001', 'cc', 'Stop', 'fast', '5', 1718000000000000001")}, []string{"mailbox.row.payload"}},
		"a member twice":            {[]string{createTable, insert(`'evt-1-000001', 'cc', 'Stop', 'fast', '{"a":1,"a":2}', 1718000000000000001`)}, []string{"mailbox.row.payload"}},
		"a long payload":            {[]string{createTable, insert(fmt.Sprintf("'evt-1-000001', 'cc', 'Stop', 'fast', '{\"a\":\"' || hex(zeroblob(%d)) || '\"}', 1718000000000000001", mailbox.MaxPayload/2))}, []string{"json.size"}},
		"everything wrong at once":  {[]string{unchecked, insert("'e', 'CC', '', 'slow', '', 0")}, []string{"mailbox.row.source", "mailbox.row.event-type", "mailbox.row.lane", "mailbox.row.payload", "mailbox.row.ts", missing, "mailbox.row.event-id"}},
		"without row ids, unsorted": {[]string{createTable + " WITHOUT ROWID", insert("'evt-2-000001', 'cc', 'Stop', 'fast', '{}', 1718000000000000001"), insert("'evt-1-000001', 'cc', 'Stop', 'fast', '{}', 1718000000000000002")}, nil},
	} {
		o := verifyPath(t, newStore(t, c.statements...))
		if got := allIDs(o); !vectors.SameRules(got, c.want) {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, o.Findings.List())
		}
	}
}

// The rows of a store that is in use are in its log; they are seen, and neither
// file changes.
func TestStoreInUse(t *testing.T) {
	path := newStore(t, createTable)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, "PRAGMA wal_autocheckpoint = 0", goodRow)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	before := contents(t, filepath.Dir(path))
	if len(before) != 3 {
		t.Fatalf("no log: %v", before)
	}
	for _, p := range []string{path, link} {
		o := verifyPath(t, p)
		if o.Rows != 1 || len(o.Artifacts) != 2 || o.Findings.Verdict() != verify.Pass {
			t.Errorf("%s: %+v %+v", p, o, o.Findings.List())
		}
	}
	if after := contents(t, filepath.Dir(path)); !reflect.DeepEqual(before, after) {
		t.Error("the files of the store changed")
	}
	run(t, db, "DELETE FROM bridge_events") // and the writer was not disturbed
}

// A copy is only good when nobody wrote meanwhile.
func TestStoreThatKeepsChanging(t *testing.T) {
	path := newStore(t, createTable, goodRow)
	in := mailbox.Input{Path: path, TempDir: t.TempDir(), Progress: func(int64) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte{0})
		f.Close()
	}}
	var busy *mailbox.BusyError
	if _, err := mailbox.Verify(t.Context(), in); !errors.As(err, &busy) || busy.Hint() == "" {
		t.Errorf("%v", err)
	}
	if left := contents(t, in.TempDir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestInputsThatAreNoFiles(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "mailbox.db")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	var irregular *lines.NotRegularError
	for _, form := range []mailbox.Form{mailbox.Detect, mailbox.Store, mailbox.Export} {
		if _, err := mailbox.Verify(t.Context(), mailbox.Input{Path: fifo, Form: form, TempDir: t.TempDir()}); !errors.As(err, &irregular) {
			t.Errorf("%v: %v", form, err)
		}
		if _, err := mailbox.Verify(t.Context(), mailbox.Input{Path: fifo + "x", Form: form, TempDir: t.TempDir()}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: %v", form, err)
		}
	}
}

func TestStoreThatIsTooLarge(t *testing.T) {
	path := newStore(t, createTable)
	if err := os.Truncate(path, mailbox.MaxStore+1); err != nil {
		t.Fatal(err)
	}
	var limit *mailbox.LimitError
	if _, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: t.TempDir()}); !errors.As(err, &limit) || limit.Most != mailbox.MaxStore {
		t.Errorf("%v", err)
	}
}

// manyTables is a store whose schema names so many tables.
func manyTables(t testing.TB, n int) string {
	t.Helper()
	path := newStore(t, createTable)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run(t, db, "PRAGMA writable_schema = ON", fmt.Sprintf(`INSERT INTO sqlite_schema
		SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || '(a)'
		FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n)`, n))
	return path
}

// A schema that would take too long is not a pass, and not taken for damage.
func TestSchemaThatIsTooLarge(t *testing.T) {
	o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: manyTables(t, mailbox.MaxObjects+1), TempDir: t.TempDir()})
	var limit *mailbox.LimitError
	if !errors.As(err, &limit) || limit.Most != mailbox.MaxObjects || limit.Hint() == "" {
		t.Errorf("%v %v", o, err)
	}
}

// Without Prepare, SQLite does not count and its bound is none.
func TestHeapIsBounded(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, fmt.Sprintf("PRAGMA hard_heap_limit = %d", mailbox.MaxHeap))
	var n int
	if err := db.QueryRow("SELECT length(zeroblob(?) || 'x')", mailbox.MaxHeap/4).Scan(&n); err != nil {
		t.Errorf("within the bound: %v", err)
	}
	if err := db.QueryRow("SELECT length(zeroblob(?) || 'x')", 2*mailbox.MaxHeap).Scan(&n); err == nil {
		t.Error("beyond the bound, and nothing happened")
	}
}

// Time is up for SQLite too, whatever it is doing.
func TestContextEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large store")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := mailbox.Verify(ctx, mailbox.Input{Path: manyTables(t, 100_000), TempDir: t.TempDir()})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > mailbox.MaxSchemaTime {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func TestForms(t *testing.T) {
	row := []byte(`{"event_id":"evt-1-000001","source":"cc","event_type":"Stop","lane":"fast","payload_json":"{}","ts":1718000000000000001}` + "\n")
	for _, c := range []struct {
		file string
		data []byte
		want mailbox.Form
		ids  []string
	}{
		{"export.ndjson", row, mailbox.Export, nil},
		{"export.ndjson", nil, mailbox.Export, nil},
		{"mailbox.db", row, mailbox.Store, []string{"mailbox.file.not-sqlite"}},
		{"mailbox.SQLITE3", nil, mailbox.Store, []string{"mailbox.file.not-sqlite"}},
		{"mailbox", append([]byte("SQLite format 3\x00"), make([]byte, 200)...), mailbox.Store, []string{"mailbox.file.corrupt", "mailbox.file.not-wal"}},
		{"cut", []byte("SQLite format 3\x00"), mailbox.Store, []string{"mailbox.file.corrupt", "mailbox.file.not-wal"}},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := verifyPath(t, path)
		if got := allIDs(o); o.Form != c.want || !vectors.SameRules(got, c.ids) {
			t.Errorf("%s: form %v, %q, want %v, %q", c.file, o.Form, got, c.want, c.ids)
		}
		if c.want == mailbox.Export && (len(o.Withheld) == 0) != (c.data != nil) {
			t.Errorf("%s: withheld %q", c.file, o.Withheld)
		}
	}
}

// An export is read line by line, whatever is between the rows.
func TestExportLines(t *testing.T) {
	row := `{"event_id":"evt-1-00000%d","source":"cc","event_type":"Stop","lane":"fast","payload_json":"{}","ts":1718000000000000001}`
	one, two := fmt.Sprintf(row, 1), fmt.Sprintf(row, 2)
	const shape = "mailbox.row.shape"
	for name, c := range map[string]struct {
		text string
		rows int
		want []string
	}{
		"carriage returns":   {one + "\r\n" + two + "\r\n", 2, nil},
		"no final line feed": {one + "\n" + two, 2, nil},
		"torn":               {one + "\n" + two[:40], 1, []string{shape}},
		"byte order mark":    {"\uFEFF" + one + "\n" + two + "\n", 1, []string{shape}},
		"blank line":         {one + "\n\n" + two + "\n", 2, []string{shape}},
		"two on a line":      {one + two + "\n", 0, []string{shape}},
		"fraction":           {strings.Replace(one, "0001}", "0001.5}", 1), 1, []string{"mailbox.row.ts"}},
		"beyond 64 bits":     {strings.Replace(one, "1718000000000000001}", "9223372036854775808}", 1), 1, []string{"mailbox.row.ts"}},
		"exponent":           {strings.Replace(one, "1718000000000000001}", "1.718e18}", 1), 1, nil},
		"long line":          {one + "\n" + strings.Replace(two, "{}", strings.Repeat("x", mailbox.MaxLine), 1) + "\n", 1, []string{"json.size"}},
		"long payload":       {one + "\n" + strings.Replace(two, "{}", strings.Repeat("x", mailbox.MaxPayload+1), 1) + "\n", 2, []string{"json.size"}},
	} {
		path := filepath.Join(t.TempDir(), "export.ndjson")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := verifyPath(t, path)
		if got := allIDs(o); o.Rows != c.rows || !vectors.SameRules(got, c.want) {
			t.Errorf("%s: %d rows, %q, want %d, %q", name, o.Rows, got, c.rows, c.want)
		}
	}
}

// What is wrong with the earlier export is said of it.
func TestEarlierExportThatCannotBeRead(t *testing.T) {
	path := newStore(t, createTable, goodRow)
	o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: t.TempDir(), Previous: bytes.NewReader([]byte("{}\n")), PreviousPath: "monday.ndjson"})
	if err != nil {
		t.Fatal(err)
	}
	list := o.Findings.List()
	if len(list) != 1 || list[0].Rule != "mailbox.row.shape" || list[0].Artifact != "monday.ndjson" || list[0].Line != 1 {
		t.Errorf("%+v", list)
	}
	o, err = mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: t.TempDir(), Previous: bytes.NewReader(nil), PreviousPath: "empty.ndjson"})
	if err != nil || len(o.Findings.List()) > 0 || len(o.Withheld) != 1 {
		t.Errorf("an empty one: %v %+v", err, o)
	}
}
