package values

import (
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// caseName is how a report tells the tests apart that run one row of a table each.
type caseName struct {
	own    string                // what the name of the row's own test has
	same   []string              // what those of the rows have that have the same value
	others []string              // what those of all other rows have
	shape  *lazyregexp.Regexp    // matches a name that says which row it is of, the first group where
	split  func(string) []string // the parts of such a name, one of which is own; nil where own may be a part of one
}

// RunsOther reports whether a test certainly runs another row of the table than the one of
// which a use takes the value.
func (c *Cell) RunsOther(u Use, test engine.TestResult) bool {
	name, ok := c.caseName(u)
	return ok && name.isNoneOf(test, name.own)
}

// LooksForOther reports whether a test that runs the code of a use certainly looks for
// another value: that of a row which has another one. What passes with a test's subtests
// says nothing of its own.
func (c *Cell) LooksForOther(u Use, test, healed engine.TestResult) bool {
	name, ok := c.caseName(u)
	if ok && name.split != nil && strings.HasPrefix(titleOfResult(healed), titleOfResult(test)+"/") {
		return true
	}
	return ok && name.isNoneOf(test, append(name.same, name.own)...)
}

func titleOfResult(test engine.TestResult) string {
	return testcode.Identify(engine.HealEvent{TestID: test.ID}, &test).Title()
}

const nameSeparator = " › "

// isNoneOf reports whether neither the title path of a test nor its name alone has one of
// the texts, in a way that no other name explains.
func (n caseName) isNoneOf(test engine.TestResult, texts ...string) bool {
	id := testcode.Identify(engine.HealEvent{TestID: test.ID}, &test)
	for _, name := range []string{strings.Join(id.Names, nameSeparator), test.Name} {
		if n.shape != nil {
			m := n.shape.FindStringSubmatch(name)
			if m == nil {
				return false
			}
			name = m[1]
		}
		parts := strings.Split(name, nameSeparator)
		if n.split != nil {
			parts = n.split(name)
		}
		isOther := slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(n.others, part) && !slices.Contains(texts, part) })
		for _, text := range texts {
			if slices.Contains(parts, text) || !isOther && n.split == nil && strings.Contains(name, text) {
				return false
			}
		}
	}
	return true
}

// caseName returns what tells the tests apart that use the value of the cell at a place, and
// false where they have no such names, or ones that are not certain.
func (c *Cell) caseName(u Use) (caseName, bool) {
	rows, ok := c.allRows()
	if !ok || u.by == nil {
		return caseName{}, false
	}
	name, of := c.namesOf(u, rows)
	if of == nil {
		return caseName{}, false
	}
	if name.own, ok = of(c.row); !ok {
		return caseName{}, false
	}
	value, _ := c.in.Literal(c.token)
	for _, row := range rows {
		other, told := of(row)
		if text, _ := c.valueIn(row, c.column); text != value && told {
			name.others = append(name.others, other)
		} else if text == value && row != c.row {
			if name.same = append(name.same, other); !told {
				return caseName{}, false
			}
		}
	}
	return name, true
}

// namesOf returns how the names of the tests of a use are read, and what gives the one of a
// row, nil for none. Only what every report writes as the source has it is a name.
func (c *Cell) namesOf(u Use, rows []int) (name caseName, of func(row int) (string, bool)) {
	var read func(row int) (string, bool)
	plain := plainName
	write := func(text string, _ int) string { return text }
	switch s, k := u.In, u.by; {
	case s.Dialect.IsScript():
		read, plain = c.titleOf(u), plainTitle
	case s.Dialect.Scan == scan.Go:
		read, name.shape = c.subtestOf(u), inSubtest
		name.split = func(path string) []string { return strings.Split(path, "/")[1:] }
		write = func(text string, _ int) string { return strings.ReplaceAll(text, " ", "_") }
	case k.open == 0:
	case s.Dialect.Scan == scan.Python:
		read, name.shape = c.parameterID(k, rows), inBrackets
	case s.Dialect.Scan == scan.Java:
		read, name.shape = func(row int) (string, bool) { return strconv.Itoa(slices.Index(rows, row) + 1), true }, invocation
		write = func(text string, _ int) string { return "[" + text + "]" }
	default:
		read, name.shape = c.argumentOf, inParentheses
		write = func(text string, row int) string {
			if c.in.Text(c.in.Callee(row)) == "DataRow" {
				return text
			}
			return `"` + text + `"`
		}
	}
	if read == nil {
		return name, nil
	}
	return name, func(row int) (string, bool) {
		text, ok := read(row)
		isPlain := plain.MatchString(text) && text == strings.Join(strings.Fields(text), " ")
		return write(text, row), ok && isPlain
	}
}

var (
	plainName     = lazyregexp.New(`^[\w #.:,=()>~+*!?'-]{1,40}$`)
	plainTitle    = lazyregexp.New(`^[\w #.:,=()>~+*!?'/@&"\[\]-]{1,100}$`)
	inSubtest     = lazyregexp.New(`((?:^|[.\s])Test\w*/.+)$`)
	inBrackets    = lazyregexp.New(`\[(?:(?:chromium|firefox|webkit)-)?(.+?)(?:-(?:chromium|firefox|webkit))?\]$`)
	invocation    = lazyregexp.New(`(\[\d+\])`)
	inParentheses = lazyregexp.New(`\((.*)\)`)
)

// argumentOf returns the value that a test of C# names the case of a row by, false where the
// row has a name of its own.
func (c *Cell) argumentOf(row int) (string, bool) {
	for _, e := range itemsOf(c.in, row) {
		if c.in.Text(e.first+1) == "=" {
			return "", false
		}
	}
	return c.valueIn(row, c.column)
}

// titleOf returns what gives the title that a row's test, or the group around it, has in a
// script: that of the innermost around a use which says something of the row.
func (c *Cell) titleOf(u Use) func(row int) (string, bool) {
	s := u.In
	for open := s.Parent[u.First]; open >= 0 && (u.by.scope.Contains(s.Tokens[open].Start) || open == u.by.open); open = s.Parent[open] {
		if s.Text(open) != "(" || !testcode.DeclaresTest(s, open) {
			continue
		}
		title := itemsOf(s, open)[0]
		if _, dependent, ok := c.evaluate(u.by, title, c.row, open == u.by.open); ok && dependent {
			each := open == u.by.open
			return func(row int) (string, bool) {
				text, _, ok := c.evaluate(u.by, title, row, each)
				return text, ok
			}
		}
	}
	return nil
}

// evaluate returns the text that an expression is for a row, and whether it depends on it.
func (c *Cell) evaluate(k *taker, e item, row int, each bool) (text string, dependent, ok bool) {
	s := k.in
	if text, ok = s.Literal(e.first); ok && e.first == e.last {
		if each {
			return c.fillIn(text, row)
		}
		return text, false, true
	}
	if s.Kind(e.first) != scan.Chunk || s.End(e.first) != e.last {
		at, isColumn := k.columnOf(e.first, e.last)
		text, ok = c.valueIn(row, at)
		return text, true, ok && isColumn
	}
	for i := e.first; i <= e.last; i++ {
		if s.Kind(i) == scan.Chunk {
			piece := strings.TrimSuffix(strings.TrimPrefix(strings.Trim(s.Text(i), "`"), "}"), "${")
			if text += piece; strings.Contains(piece, `\`) {
				return "", false, false
			}
			continue
		}
		hole := i
		for i < e.last && s.Kind(i+1) != scan.Chunk {
			i++
		}
		at, isColumn := k.columnOf(hole, i)
		value, known := c.valueIn(row, at)
		if !isColumn || !known {
			return "", false, false
		}
		text, dependent = text+value, true
	}
	return text, dependent, true
}

// fillIn returns the title of test.each for a row: its %s are the row's values in their
// order, $name is the value of a name.
func (c *Cell) fillIn(title string, row int) (text string, dependent, ok bool) {
	n, ok := 0, true
	text = eachHole.ReplaceAllStringFunc(title, func(hole string) string {
		at := column(strings.TrimPrefix(hole, "$"))
		if hole == "%s" {
			if at = placed(n); c.row == c.token {
				at = ""
			}
			n++
		}
		value, known := c.valueIn(row, at)
		ok, dependent = ok && known, true
		return value
	})
	return text, dependent, ok && !strings.ContainsAny(text, "%$")
}

var eachHole = lazyregexp.New(`%s|\$\w+`)

// columnOf returns the column of a row that the expression from first to last is.
func (k *taker) columnOf(first, last int) (column, bool) {
	s := k.in
	for at, token := range k.parts {
		if first == last && s.Text(token) == s.Text(first) {
			return at, true
		}
	}
	if k.row < 0 || s.Text(k.row) != s.Text(first) {
		return "", false
	}
	if first == last {
		return "", true
	}
	end, at, ok := subscriptAt(s, first)
	return at, ok && end == last
}

// subtestOf returns what gives the name that Go has for the subtest of a row, which runs the
// code at a use.
func (c *Cell) subtestOf(u Use) func(row int) (string, bool) {
	s := u.In
	for open := s.Parent[u.First]; open >= 0 && u.by.scope.Contains(s.Tokens[open].Start); open = s.Parent[open] {
		if s.Text(open) != "(" || s.Text(s.Callee(open)) != "Run" || s.ArgumentCount(open) != 2 {
			continue
		}
		title := itemsOf(s, open)[0]
		return func(row int) (string, bool) {
			text, dependent, ok := c.evaluate(u.by, title, row, false)
			return text, ok && dependent
		}
	}
	return nil
}

// parameterID returns what gives the id that pytest has for a row: the one that is written,
// or else its values.
func (c *Cell) parameterID(k *taker, rows []int) func(row int) (string, bool) {
	s := k.in
	arguments := itemsOf(s, k.open)
	return func(row int) (string, bool) {
		if len(arguments) > 2 {
			list := arguments[2].first + 2
			ids := itemsOf(s, list)
			if n := slices.Index(rows, row); s.Text(list) == "[" && s.End(list) == arguments[2].last && len(ids) == len(rows) && n >= 0 && ids[n].first == ids[n].last {
				return s.Literal(ids[n].first)
			}
			return "", false
		}
		if id, ok := c.writtenID(row); ok {
			return id, true
		}
		if k.row >= 0 && row != c.token && c.row != c.token {
			return s.Text(k.row) + strconv.Itoa(slices.Index(rows, row)), true
		}
		if k.row >= 0 {
			return c.valueIn(row, "")
		}
		var values []string
		for n := range len(k.parts) {
			value, ok := c.valueIn(row, placed(n))
			if !ok {
				value, ok = c.valueIn(row, c.column)
				return value, ok
			}
			values = append(values, value)
		}
		return strings.Join(values, "-"), true
	}
}

// writtenID returns the id that pytest.param(…, id="x") gives a row.
func (c *Cell) writtenID(row int) (string, bool) {
	s, open := c.in, row
	if s.Kind(row) == scan.String {
		open = s.Parent[row]
	}
	if s.Text(s.Callee(open)) != "param" {
		return "", false
	}
	for _, e := range itemsOf(s, open) {
		if s.Text(e.first) == "id" && s.Text(e.first+1) == "=" && e.last == e.first+2 {
			return s.Literal(e.last)
		}
	}
	return "", false
}
