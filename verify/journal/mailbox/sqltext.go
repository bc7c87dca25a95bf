package mailbox

import "strings"

// A token is a piece of the SQL text of a schema, as SQLite's own tokenizer
// cuts it. Comments and white space are none.
type token struct {
	kind tokenKind
	text string // of a name, without its quotes
}

type tokenKind int

const (
	symbol  tokenKind = iota
	word              // an unquoted name or keyword
	quoted            // a name in double quotes, back quotes or brackets
	literal           // a text in single quotes
)

func (t token) is(keyword string) bool { return t.kind == word && strings.EqualFold(t.text, keyword) }

// names reports whether the token can name a table or column.
func (t token) names(name string) bool {
	return t.kind != symbol && strings.EqualFold(t.text, name)
}

// tokens cuts SQL text. It is linear, and never fails: what is not closed ends
// with the text.
func tokens(sql string) []token {
	var list []token
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			i++
		case strings.HasPrefix(sql[i:], "--"):
			i += through(sql[i:], "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i += 2 + through(sql[i+2:], "*/")
		case c == '"' || c == '`' || c == '\'':
			text, n := quotedText(sql[i:], c)
			list = append(list, token{kindOfQuote(c), text})
			i += n
		case c == '[':
			n := through(sql[i:], "]")
			list = append(list, token{quoted, strings.TrimSuffix(sql[i+1:i+n], "]")})
			i += n
		case nameByte(c):
			n := 1
			for i+n < len(sql) && nameByte(sql[i+n]) {
				n++
			}
			list = append(list, token{word, sql[i : i+n]})
			i += n
		default:
			list = append(list, token{symbol, sql[i : i+1]})
			i++
		}
	}
	return list
}

// through is the length of the text up to and including an end mark, all of it
// when there is none.
func through(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

func kindOfQuote(c byte) tokenKind {
	if c == '\'' {
		return literal
	}
	return quoted
}

// quotedText reads a quoted text, in which the quote is doubled.
func quotedText(s string, quote byte) (text string, size int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] == quote {
			if i+1 == len(s) || s[i+1] != quote {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), len(s)
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// triggerTable is the table that a CREATE TRIGGER statement is about, or "" for
// any other statement. The name of the trigger cannot be the bare word ON,
// which is reserved.
func triggerTable(sql string) string {
	list := tokens(sql)
	at := func(i int) token {
		if i < len(list) {
			return list[i]
		}
		return token{}
	}
	i := 1
	if at(i).is("temp") || at(i).is("temporary") {
		i++
	}
	if !at(0).is("create") || !at(i).is("trigger") {
		return ""
	}
	for ; i < len(list); i++ {
		if !list[i].is("on") {
			continue
		}
		if at(i+2) == (token{symbol, "."}) {
			return at(i + 3).text
		}
		return at(i + 1).text
	}
	return ""
}

// checked reports whether a CHECK constraint of a CREATE TABLE statement
// mentions a column.
func checked(sql, column string) bool {
	list := tokens(sql)
	for i := 0; i+1 < len(list); i++ {
		if !list[i].is("check") || list[i+1] != (token{symbol, "("}) {
			continue
		}
		depth := 0
		for i++; i < len(list); i++ {
			switch t := list[i]; {
			case t == (token{symbol, "("}):
				depth++
			case t == (token{symbol, ")"}):
				depth--
			case t.kind != literal && t.names(column):
				return true
			}
			if depth == 0 {
				break
			}
		}
	}
	return false
}
