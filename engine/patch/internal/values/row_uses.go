package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// asksTable are the members of a list that give none of its rows.
var asksTable = scan.WordSet("length size Length Count")

// usesOfTable returns the uses of the cell's value where the table is used, and false where
// that is not understood.
func (c Cell) usesOfTable(u Use) ([]Use, bool) {
	s := u.In
	if k, ok := takerAt(s, c, u.First, u.Last); ok {
		return c.usesBy(k)
	}
	if s.IsMember(u.Last+2) && asksTable[s.Text(u.Last+2)] || s.Text(s.Callee(s.Parent[u.First])) == "len" || calls.IsLogged(s, s.Parent[u.First]) {
		return nil, true
	}
	if found, ok := c.usesByNumber(u); ok || c.column != "" || c.entries {
		return found, ok
	}
	return usesInList(u)
}

// usesByNumber is usesOfTable for rows that are taken by their number: SELECTORS[0].
func (c Cell) usesByNumber(u Use) ([]Use, bool) {
	s := u.In
	open := u.Last + 1
	if s.Text(open) == "." && s.Text(open+1) == "get" && s.Text(open+2) == "(" && s.Dialect.Scan == scan.Java {
		open += 2
	}
	last := s.End(open)
	rows, ok := c.allRows()
	if number := s.Text(open + 1); !ok || last != open+2 || number == "" || strings.Trim(number, "0123456789") != "" || s.Text(last+1) == "=" && s.Text(last+2) != "=" {
		return nil, false
	}
	isOwn := placed(slices.Index(rows, c.row)) == column(s.Text(open+1))
	if c.column != "" {
		name, taken, ok := column(""), 0, false
		if taken, name, ok = subscriptAt(s, last); !ok || s.Text(taken+1) == "=" && s.Text(taken+2) != "=" {
			return nil, false
		}
		last, isOwn = taken, isOwn && name == c.column
	}
	if !isOwn {
		return nil, true
	}
	return []Use{{In: s, First: u.First, Last: last}}, true
}

// usesBy returns the places at which the code that takes the rows uses the cell's value, and
// false where more is done with it, or with a row.
func (c Cell) usesBy(k *taker) ([]Use, bool) {
	at, isPart := k.parts[c.column]
	if !isPart {
		if at = k.row; at < 0 {
			return nil, true
		}
	}
	out, ok := k.columnUses(at, c.column)
	if isPart || c.column == "" || k.values {
		if out, ok = FindUses(k.in, nil, Constant{Name: k.in.Text(at), at: at, scope: k.scope}); !ok {
			out = k.mentions(at)
		}
	}
	for i := range out {
		out[i].by = k
	}
	return out, ok
}

// mentions returns the places that name the variable at a token.
func (k *taker) mentions(at int) (out []Use) {
	for _, j := range k.in.Idents[k.in.Text(at)] {
		if j != at && k.scope.Contains(k.in.Tokens[j].Start) {
			out = append(out, Use{In: k.in, First: j, Last: j})
		}
	}
	return out
}

// columnUses returns the places that use one column of the variable that a row is, and false
// where more is done with a row.
func (k *taker) columnUses(row int, at column) (out []Use, ok bool) {
	s := k.in
	ok = true
	for _, u := range k.mentions(row) {
		if j := u.First; s.IsMember(j) || isKey(s, j) || calls.IsLogged(s, s.Parent[j]) || isSameAgain(s, j) {
			continue
		}
		last, name, isTaken := subscriptAt(s, u.First)
		if next := s.Text(last + 1); !isTaken || next == "=" && s.Text(last+2) != "=" || next == "(" {
			ok = false
		} else if name == at {
			out = append(out, Use{In: s, First: u.First, Last: last})
		}
	}
	return out, ok
}

// isSameAgain reports whether the name at j is one of the two in Go's tt := tt.
func isSameAgain(s *source.File, j int) bool {
	assigns := func(i int) bool {
		return s.Text(i+1) == ":" && s.Text(i+2) == "=" && s.Text(i) == s.Text(i+3) && s.Line(s.Tokens[i+3].End) < s.LineOf(min(i+4, len(s.Tokens)-1))
	}
	return s.Dialect.Scan == scan.Go && (assigns(j) || assigns(j-3))
}

// subscriptAt returns the column that is taken out of the row that the name at j is, and the
// last token of that: row.name, row["name"], row[1].
func subscriptAt(s *source.File, j int) (last int, name column, ok bool) {
	switch {
	case s.IsMember(j+2) && s.Kind(j+2) == scan.Ident:
		return j + 2, column(s.Text(j + 2)), true
	case s.Text(j+1) != "[" || s.End(j+1) != j+3:
		return j, "", false
	}
	if text, isText := s.Literal(j + 2); isText {
		return j + 3, column(text), true
	}
	number := s.Text(j + 2)
	return j + 3, column(number), strings.Trim(number, "0123456789") == ""
}
