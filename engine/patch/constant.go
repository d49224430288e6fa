package patch

import (
	"cmp"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// constant is a name whose value is one literal: a constant, a field, or an entry
// of an object of selectors.
type constant struct {
	name    string
	at      int         // token of the name where it gets its value
	member  bool        // used as x.name
	entry   bool        // also used as x["name"], never as name alone
	private bool        // not visible outside its file
	owner   string      // class or object that it is a member of, "" when unknown
	scope   source.Span // where a local name is visible
}

const (
	usedElsewhere  calls.Obstacle = "as a constant that is also used outside locator calls"
	unusedConstant calls.Obstacle = "as a value that no locator call in reach takes by name"
)

// constantHit returns the hit of a literal that is the value of a constant, when
// every use of the constant is an argument of a locator call.
func constantHit(s *source.File, t *checkout.Tree, i int, c change) (hit, calls.Obstacle) {
	k, ok := constantOf(s, i)
	if !ok {
		return hit{}, calls.OutsideCall
	}
	value, _ := s.Literal(i)
	best, uses := hit{}, 0
	files := []*source.File{s}
	if local := k.scope != s.Whole(); !k.private && !local {
		files = t.FilesReaching(s, k.name)
	}
	for _, in := range files {
		found, ok := usesOf(in, k, in == s)
		if !ok {
			return hit{}, usedElsewhere
		}
		for _, use := range found {
			argument, why := calls.ArgumentAt(in, use.first, use.last, value)
			h, unmatched := matchArgument(in, argument, c)
			if why != calls.NoObstacle || unmatched != calls.NoObstacle {
				return hit{}, usedElsewhere
			}
			if uses++; uses == 1 || h.receiver > best.receiver {
				best = h
			}
		}
	}
	if uses == 0 {
		return hit{}, unusedConstant
	}
	best.in, best.literal, best.constant = s, i, k.name
	return best, calls.NoObstacle
}

// constantOf returns the constant whose whole value is the literal at i.
func constantOf(s *source.File, i int) (constant, bool) {
	if !endsValue(s, i) {
		return constant{}, false
	}
	switch sign := s.Text(i - 1); {
	case sign == "=" || sign == "=>" && s.Dialect.Scan == scan.CSharp:
		return assignedConstant(s, i)
	case sign == ":" && s.Key(i) != "":
		return entryConstant(s, i)
	}
	return constant{}, false
}

// endsValue reports whether token i is the last one of a value.
func endsValue(s *source.File, i int) bool {
	switch next := s.Text(i + 1); next {
	case "", ";", ",", "}", ")":
		return true
	case "as":
		return s.Text(i+2) == "const"
	case ".", "?.", "+", "%", "?", "[", "(", "or", "and", "if", "&", "|", "*", "==", "<", ">", "in", "is", "??":
		return false
	default:
		return s.LineOf(i+1) > s.Line(s.Tokens[i].End-1)
	}
}

// assignedConstant reads name = "x", with the types and modifiers of each language.
func assignedConstant(s *source.File, i int) (constant, bool) {
	n := i - 2
	switch {
	case s.Text(n) == ":": // Go's :=
		n--
	case s.Kind(n) == scan.Ident && s.Text(n-1) == ":" && s.Kind(n-2) == scan.Ident && s.LineOf(n-2) == s.LineOf(n): // name: string =
		n -= 2
	case s.Dialect.Scan == scan.Go && s.Kind(n-1) == scan.Ident && s.Text(n-1) != "const" && s.Text(n-1) != "var" && s.LineOf(n-1) == s.LineOf(n):
		n-- // name string =
	}
	if s.Kind(n) != scan.Ident || n < 0 {
		return constant{}, false
	}
	k := constant{name: s.Text(n), at: n, scope: s.Whole()}
	if s.IsMember(n) {
		k.member = true
		k.owner = s.ClassAround(n)
		return k, selfNames[s.Text(n-2)] && !s.IsMember(n-2)
	}
	switch open := s.Parent[n]; {
	case s.Text(open) == "(":
		if before := s.Text(open - 1); before != "const" && before != "var" {
			return k, false
		}
	case open >= 0 && s.Text(open) != "{":
		return k, false
	case s.Dialect.Scan == scan.Python:
		k.owner, k.scope = pythonOwner(s, n)
		k.member = k.owner != ""
		k.private = strings.HasPrefix(k.name, "_") && k.member
	case open >= 0 && s.TypeName(open) != "":
		k.member = true
		k.owner = s.TypeName(open)
		k.private = isPrivate(s, n)
	case open >= 0:
		k.scope = s.SpanOf(open, s.End(open))
	}
	return k, true
}

// entryConstant reads name: "x" in an object that is not an argument of a call.
func entryConstant(s *source.File, i int) (constant, bool) {
	k := constant{name: s.Text(i - 2), at: i - 2, member: true, entry: true, scope: s.Whole()}
	if value, ok := s.Literal(i - 2); ok {
		k.name = value
	}
	open := s.Parent[i]
	for s.Text(open) == "{" && s.Text(open-1) == ":" {
		k.owner = cmp.Or(k.owner, strings.Trim(s.Text(open-2), "'\""))
		open = s.Parent[open]
	}
	if open < 0 || s.Text(open) != "{" {
		return k, false
	}
	switch s.Text(open - 1) {
	case "=":
		name, _ := s.Assignee(open - 1)
		k.owner = cmp.Or(k.owner, name)
		return k, true
	case "default":
		return k, true
	case "(":
		c := s.Callee(open - 1)
		return k, c >= 0 && (s.Text(c) == "freeze" || s.Text(c) == "MappingProxyType")
	}
	return k, s.Dialect.Scan == scan.Go && s.Kind(open-1) == scan.Ident
}

var selfNames = scan.WordSet("this self cls super base")

// mayOwn reports whether x in x.name can be the object or class of k, going by its
// name. In doubt it can.
func (k constant) mayOwn(x string) bool {
	owner := locator.Fold(k.owner)
	x = strings.TrimLeft(locator.Fold(x), "#$")
	return owner == "" || selfNames[x] || len(x) <= 3 || strings.Contains(owner, x) || strings.Contains(x, owner)
}

// isPrivate reads the modifiers before a field's name. Members in C# are private by
// default.
func isPrivate(s *source.File, n int) bool {
	shared := false
	for i := n - 1; i >= 0 && s.Kind(i) == scan.Ident; i-- {
		switch s.Text(i) {
		case "private":
			return true
		case "public", "internal", "protected":
			shared = true
		}
	}
	return s.Dialect.Scan == scan.CSharp && !shared || strings.HasPrefix(s.Text(n), "#")
}

// pythonOwner returns the class that a name belongs to, "" for none, and where the
// name is visible: in the lines of its function, or everywhere.
func pythonOwner(s *source.File, n int) (class string, scope source.Span) {
	line := s.LineOf(n)
	for l, text := range s.OuterLines(line) {
		switch {
		case l == line:
		case strings.HasPrefix(text, "class "):
			return s.Text(s.FirstToken(l) + 1), s.Whole()
		case strings.HasPrefix(text, "def "), strings.HasPrefix(text, "async def "):
			return "", s.Block(l)
		}
	}
	return "", s.Whole()
}

// run is tokens first to last.
type run struct{ first, last int }

// usesOf returns the places of s that use the value of k, and false when one of
// them does more than name it. own says that s declares k.
func usesOf(s *source.File, k constant, own bool) ([]run, bool) {
	var out []run
	for _, j := range s.Idents[k.name] {
		if own && (j == k.at || !k.scope.Contains(s.Tokens[j].Start)) {
			continue
		}
		if s.Text(j+1) == "as" && s.InImport(j) {
			return nil, false // uses of the other name are not followed
		}
		if onlyNames(s, k, j) {
			continue
		}
		first := leftmostName(s, j)
		next := s.Text(j + 1)
		isAssigned := next == "=" || (next == "+" || next == ":") && s.Text(j+2) == "="
		if s.IsMember(first) || isAssigned {
			return nil, false
		}
		out = append(out, run{first, j})
	}
	if !k.entry {
		return out, true
	}
	for _, j := range s.Idents[k.owner] { // the whole object, used as a value
		next := s.Text(j + 1)
		if next != "." && next != "?." && next != "[" && next != ":" && next != "=" && !s.InImport(j) && s.Text(j-1) != "default" && !s.IsMember(j) {
			return nil, false
		}
		if next == "." && wholeObject[s.Text(j+2)] && s.Text(j+3) == "(" {
			return nil, false
		}
		if _, literal := s.Literal(j + 2); next == "[" && (!literal || s.Text(j+3) != "]") { // x[name]
			out = append(out, run{leftmostName(s, j), s.End(j + 1)})
		}
	}
	for i, tok := range s.Tokens { // x["name"]
		if tok.Kind == scan.String && tok.Lit.Value == k.name && s.Text(i-1) == "[" && s.Text(i+1) == "]" && s.Kind(i-2) == scan.Ident {
			out = append(out, run{leftmostName(s, i-2), i + 1})
		}
	}
	return out, true
}

// wholeObject are the methods that return all entries of an object, or one by a
// computed name.
var wholeObject = scan.WordSet("get items values keys pop entries forEach map getOrDefault")

// leftmostName returns the first name of the dotted path that ends in token j.
func leftmostName(s *source.File, j int) int {
	for s.IsMember(j) && s.Kind(j-2) == scan.Ident {
		j -= 2
	}
	return j
}

// onlyNames reports whether the name at j does not use k: it is a declaration, an
// import or export, or another thing with the same name.
func onlyNames(s *source.File, k constant, j int) bool {
	next, before := s.Text(j+1), s.Text(j-1)
	open := s.Parent[j]
	switch {
	case s.InImport(j):
		return true
	case s.IsMember(j):
		return k.member && s.Kind(j-2) == scan.Ident && !k.mayOwn(s.Text(j-2))
	case k.member && (s.Dialect.IsScript() || s.Dialect.Scan == scan.Python):
		return !s.IsDestructured(j)
	case next == ":" && s.Text(open) == "{" && (before == "{" || before == ","): // a key
		return true
	case next == "=" && s.Text(open) == "(" && s.Dialect.Scan == scan.Python: // a keyword
		return true
	}
	return next == ";" && s.Kind(j-1) == scan.Ident && before != "return" && s.Dialect.Print != locator.Go // declared only
}
