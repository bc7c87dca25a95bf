package mailbox

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"finishline/verify"
)

// tableName is the one table of the store. SQLite compares names without case.
const tableName = "bridge_events"

const (
	primaryKey = "PRIMARY KEY"
	notNull    = "NOT NULL"
)

// columns are the columns of the table.
var columns = []struct{ name, declared, constraint string }{
	{"event_id", "TEXT", primaryKey},
	{"source", "TEXT", notNull},
	{"event_type", "TEXT", notNull},
	{"lane", "TEXT", notNull},
	{"payload_json", "TEXT", notNull},
	{"ts", "INTEGER", notNull},
}

// schema looks at the table. Its errors stop the row rules.
func (s *store) schema(ctx context.Context) (goOn bool, err error) {
	before := s.out.Errors()
	there, err := s.table(ctx)
	if err != nil || !there {
		return false, err
	}
	for _, look := range []func(context.Context) error{s.columns, s.statements} {
		if err := look(ctx); err != nil {
			return false, err
		}
	}
	return s.out.Errors() == before, nil
}

// table finds the table itself. A view or a virtual table of that name runs
// what the file says, and is no table.
func (s *store) table(ctx context.Context) (there bool, err error) {
	kind, withoutRowID := "", false
	err = s.query(ctx, "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = '"+tableName+"' COLLATE NOCASE",
		func(r *sql.Rows) error { return r.Scan(&kind, &withoutRowID) })
	found := "a " + kind + " of that name"
	switch kind {
	case "table":
		s.rows = rows{out: s.out, ordered: !withoutRowID}
		return err == nil, err
	case "":
		found = "no table of that name"
	}
	if err == nil {
		s.out.Add("mailbox.schema.table-missing", s.at, verify.What{Found: found, Expected: "a table bridge_events"})
	}
	return false, err
}

// A column is one as SQLite describes it.
type column struct {
	declared string
	notNull  bool
	key      int // place in the primary key, from 1
	hidden   int // not 0 for a generated column
}

func (s *store) columns(ctx context.Context) error {
	there, keys := map[string]column{}, 0
	err := s.query(ctx, `SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo('`+tableName+"', 'main')", func(r *sql.Rows) error {
		var name string
		var c column
		if err := r.Scan(&name, &c.declared, &c.notNull, &c.key, &c.hidden); err != nil {
			return err
		}
		there[strings.ToLower(name)] = c
		if c.key > 0 {
			keys++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, want := range columns {
		found := "missing"
		if c, ok := there[want.name]; ok {
			found = c.differs(want.declared, want.constraint, keys)
		}
		if found != "" {
			s.out.Add("mailbox.schema.column", s.at, verify.What{
				Found:    fmt.Sprintf("column %s: %s", want.name, found),
				Expected: want.declared + " " + want.constraint,
			})
		}
	}
	return nil
}

// differs says how a column is not what it must be; keys is the number of
// columns in the primary key.
func (c column) differs(declared, constraint string, keys int) string {
	switch {
	case c.hidden != 0:
		return "generated"
	case !strings.EqualFold(c.declared, declared):
		return "declared " + verify.Quote(c.declared)
	case constraint == primaryKey && (c.key != 1 || keys != 1):
		return "not the primary key by itself"
	case constraint == notNull && !c.notNull:
		return "may be null"
	}
	return ""
}

// statements looks at the SQL text of the schema: the constraints of the table,
// and its triggers. Which table a trigger is about, its own text says too; the
// column for it may have been forged.
func (s *store) statements(ctx context.Context) error {
	definition := ""
	err := s.query(ctx, "SELECT coalesce(type, ''), coalesce(name, ''), coalesce(tbl_name, ''), coalesce(sql, '') FROM main.sqlite_schema", func(r *sql.Rows) error {
		var kind, name, table, text string
		if err := r.Scan(&kind, &name, &table, &text); err != nil {
			return err
		}
		switch {
		case kind == "trigger" && strings.EqualFold(table, tableName), strings.EqualFold(triggerTable(text), tableName):
			s.out.Add("mailbox.schema.trigger", s.at, verify.What{Found: "the trigger " + verify.Quote(name), Expected: "no trigger on bridge_events"})
		case kind == "table" && strings.EqualFold(name, tableName):
			definition = text
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range []string{"source", "lane"} {
		if !checked(definition, c) {
			s.out.Add("mailbox.schema.check-missing", s.at, verify.What{Found: "no CHECK mentions " + c, Expected: "one on source and one on lane"})
			break
		}
	}
	return nil
}
