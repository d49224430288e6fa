package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// entryCell reads the literal at i as the value of an object, or of a dictionary, whose
// entries are the rows of a table: Object.entries({ save: "x" }), {"save": "x"}.items().
func entryCell(s *source.File, i int) (Cell, bool) {
	open, key := s.Parent[i], i-2
	c := Cell{in: s, token: i, row: i, list: open, first: open, column: "1", entries: true}
	if s.Text(open) != "{" || s.Text(i-1) != ":" || !s.Dialect.IsScript() && s.Dialect.Scan != scan.Python || !isItem(s, open, key, i) {
		return c, false
	}
	if _, _, ok := iterated(s, open, s.End(open)); ok {
		return c, true
	}
	k, ok := assignedName(s, open, c.end())
	return c, ok && slices.ContainsFunc(s.Idents[k.Name], func(j int) bool {
		_, _, ok := iterated(s, j, j)
		return ok
	})
}

// iterated returns the tokens of what gives the entries, or the values, of the object that is
// the tokens from first to last.
func iterated(s *source.File, first, last int) (start, end int, ok bool) {
	c := s.Callee(first - 1)
	switch name := s.Text(c); {
	case s.Dialect.IsScript():
		return c - 2, last + 1, (name == "entries" || name == "values") && s.Text(c-1) == "." && s.Text(c-2) == "Object" && s.End(first-1) == last+1
	case s.Text(last+1) == "." && (s.Text(last+2) == "items" || s.Text(last+2) == "values"):
		return first, last + 4, s.Text(last+3) == "(" && s.Text(last+4) == ")"
	}
	return first, last, false
}

// givesValues reports whether the expression from first to last gives no keys.
func givesValues(s *source.File, first, last int) bool {
	return s.Text(first+2) == "values" && s.Dialect.IsScript() || s.Text(last-2) == "values" && s.Dialect.Scan == scan.Python
}

// allEntries returns the values of the entries that are the rows of a table, and false where
// one is not written out.
func (c Cell) allEntries() (out []int, ok bool) {
	for _, e := range itemsOf(c.in, c.list) {
		if _, isText := c.in.Literal(e.last); !isText || e.last != e.first+2 || c.in.Text(e.first+1) != ":" {
			return nil, false
		}
		out = append(out, e.last)
	}
	return out, true
}

// entryValue returns the key of an entry in the column 0, its value in any other.
func (c Cell) entryValue(row int, at column) (string, bool) {
	if at != "0" {
		return c.in.Literal(row)
	}
	if text, ok := c.in.Literal(row - 2); ok {
		return text, true
	}
	return c.in.Text(row - 2), c.in.Dialect.IsScript() && c.in.Text(row-2) != "]"
}

// IsObject reports whether the rows of the table have keys, by which one may be taken.
func (c Cell) IsObject() bool { return c.entries || c.in.Text(c.first) == "map" }
