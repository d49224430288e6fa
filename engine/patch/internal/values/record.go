package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// recordConstant reads the literal at i as a field of the only object of a record that a name
// stands for: SELECTORS = new Selectors("x", "y"), of a record of Java or C#, or a data class
// or named tuple of Python. It is used as the entry of an object is.
func recordConstant(s *source.File, t *checkout.Tree, i int) (Constant, bool) {
	open := s.Parent[i]
	c := s.Callee(open)
	if lang := s.Dialect.Scan; c < 0 || lang != scan.Java && lang != scan.CSharp && lang != scan.Python {
		return Constant{}, false
	}
	first := s.Leftmost(c)
	if s.Text(first-1) == "new" {
		first--
	}
	owner, ok := assignedName(s, first, s.End(open))
	if !ok || len(s.AssignedValues(owner.Name)) != 1 {
		return Constant{}, false
	}
	kind := s.Text(c)
	if kind == "new" { // Selectors S = new("x")
		kind = s.Text(owner.at - 1)
	}
	key, whole := ArgumentKey(s, i, i)
	fields := fieldsOfRecord(s, t, kind)
	if n := s.ArgumentIndex(open, i); key == "" && n < len(fields) {
		key = fields[n]
	}
	k := Constant{Name: key, at: i, member: true, entry: true, called: s.Dialect.Scan == scan.Java, owner: owner.Name, object: s.SpanOf(open, s.End(open)), scope: s.Whole(), Traced: true}
	return k, whole && key != "" && slices.Contains(fields, key)
}

// fieldsOfRecord returns the fields of a record in the order in which they are given, none
// where it is not certain that an object has there what it was given.
func fieldsOfRecord(s *source.File, t *checkout.Tree, kind string) []string {
	files := []*source.File{s}
	if t != nil {
		files = filesDeclaring(s, t, kind)
	}
	var found [][]string
	for _, in := range files {
		for _, i := range in.Idents[kind] {
			if fields, ok := fieldsDeclaredAt(in, i); ok {
				found = append(found, fields)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// fieldsDeclaredAt returns the fields of the record that is declared at the name at i, and
// false where none is.
func fieldsDeclaredAt(in *source.File, i int) ([]string, bool) {
	if in.Dialect.Scan == scan.Python {
		if in.Text(i-1) != "class" {
			return nil, false
		}
		return pythonFields(in, i), true
	}
	if name, ok := in.DeclaredType(i - 1); !ok || name != in.Text(i) || in.Text(i+1) != "(" {
		return nil, false
	}
	isRecord := in.Text(i-1) == "record" || in.Text(i-2) == "record"
	body := in.HeaderEnd(i)
	var out []string
	for _, p := range (Helper{in: in, open: i + 1}).parameters() {
		isRedefined := slices.ContainsFunc(in.Idents[p.name], func(j int) bool { return j > body && body > 0 && j < in.End(body) })
		if p.odd || isRedefined || !isRecord {
			return nil, true
		}
		out = append(out, p.name)
	}
	return out, true
}

// pythonFields returns the fields of the data class or named tuple that is declared at the
// name at i.
func pythonFields(in *source.File, i int) []string {
	at := in.Block(in.LineOf(i))
	isRecord := strings.HasPrefix(strings.TrimSpace(in.LineText(max(in.LineOf(i)-1, 1))), "@dataclass")
	for j := i + 1; j < in.End(i+1); j++ {
		isRecord = isRecord || in.Text(j) == "NamedTuple"
	}
	var out []string
	for j := i; j < len(in.Tokens) && at.Contains(in.Tokens[j].Start); j++ {
		switch name := in.Text(j); {
		case name == "__init__" || name == "__new__" || name == "__post_init__" || name == "kw_only":
			return nil
		case in.Kind(j) == scan.Ident && in.Text(j+1) == ":" && in.Parent[j] < 0 && in.FirstToken(in.LineOf(j)) == j && in.ClassAround(j) == in.Text(i) && in.Kind(j+2) == scan.Ident:
			out = append(out, name)
		}
	}
	if !isRecord {
		return nil
	}
	return out
}
