package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// findGoTable is findTable for []T{…}, []struct{…}{…} and map[string]T{…}.
func (c *Cell) findGoTable() bool {
	s, j := c.in, c.list-1
	if s.Text(c.list) != "{" {
		return false
	}
	if body := s.End(j); s.Text(j) == "}" && s.Text(body-1) == "struct" {
		c.fields = structFields(s, body)
		j = body - 2
	} else {
		for _, i := range s.Idents[s.Text(j)] {
			if s.Text(i-1) == "type" && s.Text(i+1) == "struct" {
				c.fields = structFields(s, i+2)
			}
		}
		if j = s.Leftmost(j) - 1; s.Text(j) == "*" {
			j--
		}
	}
	open := s.End(j)
	if c.first = open; s.Text(open-1) == "map" {
		c.first--
	}
	isMap := c.first < open
	return s.Text(j) == "]" && s.Text(open) == "[" && (open+1 == j || s.Text(open+1) == "." || isMap && c.isRanged())
}

// isRanged reports whether a loop takes the rows of a table of Go: of a map others may take
// one by its key.
func (c Cell) isRanged() bool {
	s := c.in
	name, _ := s.Assignee(c.first - 1)
	return s.Text(c.first-1) == "range" || slices.ContainsFunc(s.Idents[name], func(i int) bool { return s.Text(i-1) == "range" })
}

// structFields returns the names of the fields of the structure of Go whose body opens at
// open, none where one of them has no name of its own.
func structFields(s *source.File, open int) []string {
	var out []string
	for i := open + 1; i < s.End(open); {
		for s.Kind(i) == scan.Ident && s.Text(i+1) == "," {
			out = append(out, s.Text(i))
			i += 2
		}
		if s.Kind(i) != scan.Ident || s.BreaksLine(i) || s.IsMember(i+2) || s.Text(i+1) == ";" {
			return nil
		}
		out = append(out, s.Text(i))
		for i++; i < s.End(open) && !s.BreaksLine(i) && s.Text(i) != ";"; {
			i = s.Next(i)
		}
		i++
	}
	return out
}
