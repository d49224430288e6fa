package patch

import (
	"bytes"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// constant is a name that one literal is given to: a constant, a field, or an
// entry of an object of selectors.
type constant struct {
	name    string
	at      int         // token of the name where it gets its value
	member  bool        // reached as x.name
	entry   bool        // also reached as x["name"], never as name alone
	private bool        // not seen outside its file
	owner   string      // class or object that it is a member of, "" when unknown
	scope   source.Span // of a local name
}

const (
	usedElsewhere  calls.Obstacle = "as a constant that is also used outside locator calls"
	unusedConstant calls.Obstacle = "as a value that no locator call in reach takes by name"
)

// constantHit returns the hit of a literal that is the value of a constant,
// when every use of the constant is an argument of a locator call.
func constantHit(s *source.File, t *checkout.Tree, i int, c change) (hit, calls.Obstacle) {
	k, ok := constantOf(s, i)
	if !ok {
		return hit{}, calls.OutsideCall
	}
	best := hit{receiver: calls.No}
	uses := 0
	for _, in := range filesUsing(t, s, k) {
		found, ok := usesOf(in, k, in == s)
		if !ok {
			return hit{}, usedElsewhere
		}
		for _, use := range found {
			value, _ := s.Literal(i)
			place, why := calls.ArgumentAt(in, use.first, use.last, value)
			if why != calls.NoObstacle {
				return hit{}, usedElsewhere
			}
			h, ok := matchArgument(in, place, c)
			if !ok {
				return hit{}, usedElsewhere
			}
			uses++
			if uses == 1 || h.receiver > best.receiver {
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

// constantOf returns the name that the literal at i is the whole value of.
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

// endsValue reports whether the value that ends in token i ends there.
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

// assignedConstant reads name = "x" with the types and modifiers of the languages.
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
		return k, isSelf(s.Text(n-2)) && !s.IsMember(n-2)
	}
	switch open := s.Parent[n]; {
	case open >= 0 && s.Text(open) == "(":
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

// entryConstant reads name: "x" in an object that is no argument of a call.
func entryConstant(s *source.File, i int) (constant, bool) {
	k := constant{name: s.Text(i - 2), at: i - 2, member: true, entry: true, scope: s.Whole()}
	if value, ok := s.Literal(i - 2); ok {
		k.name = value
	}
	open := s.Parent[i]
	for open >= 0 && s.Text(open) == "{" && s.Text(open-1) == ":" {
		if k.owner == "" {
			k.owner = strings.Trim(s.Text(open-2), "'\"")
		}
		open = s.Parent[open]
	}
	if open < 0 || s.Text(open) != "{" {
		return k, false
	}
	switch before := s.Text(open - 1); before {
	case "=":
		if name, _ := s.Assignee(open - 1); k.owner == "" {
			k.owner = name
		}
		return k, true
	case "default":
		return k, true
	case "(":
		c := s.Callee(open - 1)
		return k, c >= 0 && (s.Text(c) == "freeze" || s.Text(c) == "MappingProxyType")
	}
	return k, s.Dialect.Scan == scan.Go && s.Kind(open-1) == scan.Ident
}

func isSelf(name string) bool {
	return name == "this" || name == "self" || name == "cls" || name == "super" || name == "base"
}

// mayOwn reports whether x in x.name can be the object or class that k is a
// member of, going by its name. In doubt it can.
func (k constant) mayOwn(x string) bool {
	owner := locator.Fold(k.owner)
	x = strings.TrimLeft(locator.Fold(x), "#$")
	return owner == "" || isSelf(x) || len(x) <= 3 || strings.Contains(owner, x) || strings.Contains(x, owner)
}

// isPrivate reads the modifiers before a field's name. C# members are private
// when nothing is said.
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

// pythonOwner tells a name of a class from one of a function, whose lines are
// its scope, and one of the module.
func pythonOwner(s *source.File, n int) (class string, scope source.Span) {
	whole := s.Whole()
	line := s.LineOf(n)
	indent := s.Indent(line)
	if indent == 0 {
		return "", whole
	}
	for l := line - 1; l > 0; l-- {
		text := bytes.TrimSpace([]byte(s.CodeLine(l)))
		if len(text) == 0 || s.Indent(l) >= indent {
			continue
		}
		indent = s.Indent(l)
		switch {
		case bytes.HasPrefix(text, []byte("class ")):
			return s.Text(s.FirstToken(l) + 1), whole
		case bytes.HasPrefix(text, []byte("def ")), bytes.HasPrefix(text, []byte("async def ")):
			return "", s.Block(l)
		}
	}
	return "", whole
}

// run is tokens first to last.
type run struct{ first, last int }

// usesOf returns the places of s that take the value of k. It reports false when
// one of them does more with it than name it. own is the file that declares k.
func usesOf(s *source.File, k constant, own bool) ([]run, bool) {
	var out []run
	for _, j := range s.Idents[k.name] {
		if own && (j == k.at || !k.scope.Contains(s.Tokens[j].Start)) {
			continue
		}
		if s.Text(j+1) == "as" && s.InImport(j) {
			return nil, false // under its other name it may do anything
		}
		if onlyNames(s, k, j) {
			continue
		}
		first := leftmostName(s, j)
		if s.IsMember(first) || isAssigned(s, j) {
			return nil, false
		}
		out = append(out, run{first, j})
	}
	if !k.entry {
		return out, true
	}
	for _, j := range s.Idents[k.owner] { // the whole object handed on under another name
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

// wholeObject are the methods that give all entries of an object, or one by a
// name that nothing here follows.
var wholeObject = scan.WordSet("get items values keys pop entries forEach map getOrDefault")

// leftmostName returns the first name of the dotted path that token j ends.
func leftmostName(s *source.File, j int) int {
	for s.IsMember(j) && s.Kind(j-2) == scan.Ident {
		j -= 2
	}
	return j
}

// onlyNames reports whether the name at j is no use of k: its declaration, an
// import or export, or another thing of the same spelling.
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
	case next == ":" && open >= 0 && s.Text(open) == "{" && (before == "{" || before == ","): // a key
		return true
	case next == "=" && open >= 0 && s.Text(open) == "(" && s.Dialect.Scan == scan.Python: // a keyword
		return true
	}
	return next == ";" && s.Kind(j-1) == scan.Ident && before != "return" && s.Dialect.Print != locator.Go // declared only
}

// isAssigned reports whether the name at j is assigned to.
func isAssigned(s *source.File, j int) bool {
	next := s.Text(j + 1)
	return next == "=" || (next == "+" || next == ":") && s.Text(j+2) == "="
}

// filesUsing returns the files that may use k, the declaring one first.
func filesUsing(t *checkout.Tree, s *source.File, k constant) []*source.File {
	if local := k.scope != (s.Whole()); k.private || local {
		return []*source.File{s}
	}
	return t.FilesReaching(s, k.name)
}
