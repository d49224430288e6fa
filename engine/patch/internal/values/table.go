package values

import (
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Cell is a literal in a table: a list of which code takes one row after the other, or one
// row by its number.
type Cell struct {
	in      *source.File
	token   int // of the literal
	first   int // of the table's code
	list    int // the bracket around the rows
	row     int // the bracket of the literal's row, or the literal where a row is one value
	column  column
	fields  []string // of Go: the names of a row's columns, in order
	taker   *taker   // of an annotation's values: the method behind it
	entries bool     // the rows are the entries of an object: a key in the column 0, a value in 1
	method  string   // of values that a method gives: its name
	rows    []int    // of all rows what row is of one; nil where the list has them
}

// column is where a row has a value: under a name, or at a place, from "0". A row that is
// one value has it in the column "", and what a map of Go has a row for is in keyColumn.
type column string

const keyColumn column = ":="

func placed(n int) column { return column(strconv.Itoa(n)) }

// tableConstant reads the literal at i as the value of one column in one row of a table.
func tableConstant(s *source.File, i int) (Constant, bool) {
	for _, read := range []func(*source.File, int) (Cell, bool){annotatedCell, sourcedCell, cellAt, entryCell} {
		if c, ok := read(s, i); ok {
			return Constant{Name: "row", at: i, scope: s.Whole(), Cell: &c, Traced: true}, true
		}
	}
	return Constant{}, false
}

// cellAt returns the cell of a list's rows that the literal at i is.
func cellAt(s *source.File, i int) (Cell, bool) {
	c := Cell{in: s, token: i, row: i, list: s.Parent[i]}
	if c.list >= 0 && isItem(s, c.list, i, i) && c.findTable() {
		return c, true
	}
	c.row = s.Parent[i]
	first := rowStart(s, c.row)
	if c.row < 0 || s.Parent[first] < 0 {
		return c, false
	}
	c.list = s.Parent[first]
	if !c.findTable() || !isItem(s, c.list, first, s.End(c.row)) {
		return c, false
	}
	if loneParameter(s, first) == i {
		c.row = i
		return c, true
	}
	for _, e := range itemsOf(s, c.row) {
		if name, value, ok := c.readItem(e); ok && value == i {
			c.column = name
			return c, true
		}
	}
	return c, false
}

// loneParameter returns the token of the only value of the pytest.param(…) that begins at
// token first, -1 for none: it is the same row as that value by itself.
func loneParameter(s *source.File, first int) int {
	c := first
	if s.IsMember(first + 2) {
		c += 2
	}
	if s.Dialect.Scan != scan.Python || s.Text(c) != "param" || s.Text(c+1) != "(" || s.Kind(c+2) != scan.String {
		return -1
	}
	if next := c + 3; s.Text(next) != ")" && (s.Text(next) != "," || s.Text(next+1) != ")" && s.Text(next+2) != "=") {
		return -1
	}
	return c + 2
}

// item is tokens first to last between the commas of a bracket, and which one it is.
type item struct{ first, last, place int }

// itemsOf returns what stands between the commas of the bracket at open.
func itemsOf(s *source.File, open int) []item {
	var out []item
	end := s.End(open)
	for first := open + 1; first < end; {
		last := first
		for last < end && s.Text(last) != "," {
			last = s.Next(last)
		}
		if last > first {
			out = append(out, item{first, last - 1, len(out)})
		}
		first = last + 1
	}
	return out
}

// isItem reports whether the tokens from first to last are all that stands between two
// commas of the bracket at open, but for what a map of Go has it for.
func isItem(s *source.File, open, first, last int) bool {
	if s.Dialect.Scan == scan.Go && s.Text(first-1) == ":" {
		first -= 2
	}
	before, after := s.Text(first-1), s.Text(last+1)
	return (first-1 == open || before == ",") && (after == "," || last+1 == s.End(open))
}

// rowStart returns the first token of the row whose bracket is at open: pytest.param(…) has
// a name in front, and so may a structure of Go.
func rowStart(s *source.File, open int) int {
	switch c := s.Callee(open); {
	case s.Dialect.Scan == scan.Python && c >= 0:
		return s.Leftmost(c)
	case s.Dialect.Scan == scan.Go && s.Kind(open-1) == scan.Ident:
		if c = s.Leftmost(open - 1); s.Text(c-1) == "&" {
			c--
		}
		return c
	}
	return open
}

// readItem returns the column and the token of the value that an element of a row is, and
// false for one that is not a single token.
func (c Cell) readItem(e item) (column, int, bool) {
	s := c.in
	isNamed := e.last == e.first+2 && (s.Text(e.first+1) == ":" || s.Text(e.first+1) == "=" && s.Dialect.Scan == scan.Python)
	switch {
	case isNamed:
		name := s.Text(e.first)
		if text, ok := s.Literal(e.first); ok {
			name = text
		}
		return column(name), e.last, name != "" && s.Text(c.row) != "["
	case e.first != e.last || s.Text(c.row) == "{" && s.Dialect.Scan != scan.Go:
		return "", 0, false
	case s.Dialect.Scan != scan.Go:
		return placed(e.place), e.first, true
	case e.place < len(c.fields):
		return column(c.fields[e.place]), e.first, true
	}
	return "", 0, false
}

// findTable sets where the table around the rows begins, and the names of its columns, and
// reports whether the bracket can be one.
func (c *Cell) findTable() bool {
	s := c.in
	isRow := c.row != c.token
	before, sign := s.Text(c.list-1), s.Text(c.list)
	isRead := before == "=" || before == "of" || before == "in" || before == "range"
	c.first = c.list
	switch lang := s.Dialect.Scan; {
	case s.Dialect.IsScript():
		next := s.End(c.list) + 2
		isRead = isRead || before == "(" && s.Text(s.Callee(c.list-1)) == "each" || s.IsMember(next) && callsWithEach[s.Text(next)]
		return isRead && sign == "[" && (!isRow || s.Text(c.row) == "{" || s.Text(c.row) == "[")
	case lang == scan.Python:
		name := s.Text(s.Callee(c.row))
		isRead = isRead || s.Text(s.Callee(s.Parent[c.list])) == "parametrize"
		return isRead && (sign == "[" || sign == "(") && (!isRow || name == "" || name == "param")
	case lang == scan.Go:
		return c.findGoTable()
	case sign != "{" || before != "=":
		c.first = listStart(s, c.list)
	}
	return !isRow && c.first > 0
}

// callsWithEach are the methods of a script's list that call a function with each of it.
var callsWithEach = scan.WordSet("forEach map")

// listStart returns the first token of the list of Java or C# whose bracket is at open:
// List.of(…), new[] {…}, new String[] {…}, new List<string> {…}, […].
func listStart(s *source.File, open int) int {
	switch s.Text(open) {
	case "(":
		c := s.Callee(open)
		if name := s.Text(c); s.Dialect.Scan == scan.Java && (name == "of" || name == "asList") && s.IsMember(c) {
			return s.Leftmost(c)
		}
	case "{":
		n := open - 1
		switch {
		case s.Text(n) == "]" && s.End(n) == n-1:
			n -= 2
		case s.Text(n) == ")" && s.End(n) == n-1 && s.Text(n-2) == ">":
			n = s.AngleStart(n-2) - 1
		case s.Text(n) == ">":
			n = s.AngleStart(n) - 1
		default:
			return -1
		}
		for ; s.Kind(n) == scan.Ident; n-- {
			if s.Text(n) == "new" {
				return n
			}
		}
	case "[":
		return open
	}
	return -1
}

// allRows returns the rows of the table as row is one, and false where one is of another
// form.
func (c Cell) allRows() ([]int, bool) {
	if c.rows != nil {
		return c.rows, true
	}
	if c.entries {
		return c.allEntries()
	}
	s := c.in
	var out []int
	for _, e := range itemsOf(s, c.list) {
		first := e.first
		if s.Dialect.Scan == scan.Go && s.Text(first+1) == ":" {
			first += 2
		}
		row := first
		if c.row != c.token {
			if row = s.End(e.last); row == e.last || rowStart(s, row) != first || s.Text(row) != s.Text(c.row) {
				return nil, false
			}
		} else if lone := loneParameter(s, first); lone >= 0 {
			row = lone
		} else if first != e.last {
			return nil, false
		}
		if _, isText := s.Literal(row); c.row == c.token && !isText {
			return nil, false
		}
		out = append(out, row)
	}
	return out, true
}

// valueIn returns the literal that a row has in a column.
func (c Cell) valueIn(row int, at column) (string, bool) {
	s := c.in
	if c.entries {
		return c.entryValue(row, at)
	}
	if at == keyColumn {
		return s.Literal(rowStart(s, row) - 2)
	}
	if at == "" {
		return s.Literal(row)
	}
	for _, e := range itemsOf(s, row) {
		if name, value, ok := c.readItem(e); ok && name == at {
			return s.Literal(value)
		}
	}
	return "", false
}

// isTold reports whether every row says by a literal, or by nothing, what it has in the
// column of the cell: no other row may have the same value in a way that is not seen.
func (c Cell) isTold() bool {
	rows, ok := c.allRows()
	return ok && !slices.ContainsFunc(rows, func(row int) bool {
		if c.row == c.token {
			return false
		}
		return slices.ContainsFunc(itemsOf(c.in, row), func(e item) bool {
			name, value, isOne := c.readItem(e)
			if !isOne {
				return c.mayHold(e)
			}
			_, isText := c.in.Literal(value)
			return name == c.column && !isText && !isNothing[c.in.Text(value)]
		})
	})
}

// mayHold reports whether an item of a row that is more than a value, or less, may be what
// the row has in the column of the cell.
func (c Cell) mayHold(e item) bool {
	s := c.in
	if first := s.Text(e.first); s.IsSpread(e.first) || first == "*" || first == "[" {
		return true
	}
	for i := e.first; i <= min(e.last, e.first+2); i++ {
		if text, _ := s.Literal(i); column(text) == c.column || column(s.Text(i)) == c.column {
			return true
		}
	}
	if e.place < len(c.fields) && s.Text(e.first+1) != ":" {
		return column(c.fields[e.place]) == c.column
	}
	return placed(e.place) == c.column
}

var isNothing = scan.WordSet("null undefined None nil")

// cellUses returns the places that use the value of the cell, and false when the table or
// one of its rows may be used in another way, too.
func (c Cell) cellUses(t *checkout.Tree) ([]Use, bool) {
	found, ok := c.allUses(t)
	return found, ok && c.isTold()
}

// allUses is cellUses without a look at what the other rows have.
func (c Cell) allUses(t *checkout.Tree) ([]Use, bool) {
	if c.taker != nil {
		found, ok := c.usesBy(c.taker)
		return found, ok && !c.isSourceElsewhere(t)
	}
	s, last := c.in, c.end()
	if k, ok := takerAt(s, c, c.first, last); ok {
		return c.usesBy(k)
	}
	table, ok := assignedName(s, c.first, last)
	if !ok && c.row == c.token {
		table, ok = givenName(s, c.first, last)
	}
	if !ok {
		return nil, false
	}
	tables, ok := FindUses(s, t, table)
	if !ok {
		return nil, false
	}
	var out []Use
	for _, u := range tables {
		found, isRead := c.usesOfTable(u)
		out, ok = append(out, found...), ok && isRead
	}
	return out, ok
}

// end returns the last token of the table's code.
func (c Cell) end() int {
	last := c.in.End(c.list)
	if c.in.Text(last+1) == "as" && c.in.Text(last+2) == "const" {
		last += 2
	}
	return last
}
