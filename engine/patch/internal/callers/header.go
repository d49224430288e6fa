package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// header is what stands left of a token in the same bracket: the tokens from start to
// end, of which end may open a bracket.
type header struct {
	s          *source.File
	start, end int
}

// declaration is what a header declares.
type declaration int

const (
	declaresNothing  declaration = iota
	declaresLocal                // a variable
	declaresField                // a field, property or entry of an object
	declaresFunction             // a function or method that is used by its name alone
	declaresInner                // one that the code around it may also run otherwise
)

// next returns the token behind j and what j opens.
func (h header) next(j int) int {
	if h.s.Text(j) == "<" {
		return max(h.s.AngleEnd(j), j) + 1
	}
	return h.s.Next(j)
}

// has reports whether a word or sign is in the header.
func (h header) has(text string) bool {
	for j := h.start; j < h.end; j = h.next(j) {
		if h.s.Text(j) == text && !h.s.IsMember(j) {
			return true
		}
	}
	return false
}

// isInFunction reports whether the header goes into a function without a declaration
// of its own, as an arrow does.
func (h header) isInFunction() bool {
	if first := h.s.Text(h.start); first == "case" || first == "default" || h.s.Text(h.s.Parent[h.end]-1) == "switch" {
		return false // an arrow of a switch
	}
	for j := h.start; j < h.end; j = h.next(j) {
		if text := h.s.Text(j); functionSigns[text] && !h.s.IsMember(j) || text == "-" && h.s.Text(j+1) == ">" {
			return true
		}
	}
	return false
}

// functionSigns begin a function, or its body.
var functionSigns = scan.WordSet("=> function func delegate")

// declaredType returns the name of the type that the header declares, and false for
// none.
func (h header) declaredType() (string, bool) {
	for j := h.start; j < h.end; j = h.next(j) {
		if name, ok := h.s.DeclaredType(j); ok {
			return name, true
		}
	}
	return "", false
}

// isAnnotation reports whether the header ends in the bracket of an annotation, a
// decorator or an attribute: what it means is not known.
func (h header) isAnnotation() bool {
	s, j := h.s, h.end
	if s.Text(j) == "[" {
		return s.Dialect.Scan == scan.CSharp && h.start == j && (s.Parent[j] < 0 || s.IsTypeBody(s.Parent[j]))
	}
	if s.Text(j) != "(" {
		return false
	}
	if s.Text(j-1) == ">" {
		j = s.AngleStart(j - 1)
	}
	for s.Kind(j-1) == scan.Ident && s.IsMember(j-1) {
		j -= 2
	}
	return s.Text(j-1) == "@" || s.Text(j-2) == "@"
}

// declared returns the name that a statement, argument or entry declares, and as what.
func (h header) declared() (string, declaration) {
	s := h.s
	open := s.Parent[h.end]
	if name := h.function(); name != "" && (open < 0 || s.Text(open) == "{" && s.Dialect.IsScript() && !isObject(s, open)) {
		return name, declaresFunction
	}
	if name, ok := h.entry(); ok && isObject(s, open) {
		return name, declaresField
	}
	if isObject(s, open) && s.Dialect.IsScript() && h.isMethod() {
		names := h.memberNames()
		if len(names) == 0 {
			return "", declaresNothing
		}
		return names[0], declaresFunction
	}
	for j := h.end - 1; j >= h.start; j-- {
		switch {
		case s.Tokens[j].Closes:
			j = s.End(j)
		case s.Text(j) == ">":
			j = s.AngleStart(j)
		case s.Text(j) == "=":
			return h.assigned(j)
		}
	}
	if name := h.localFunction(); name != "" {
		return name, declaresInner
	}
	return "", declaresNothing
}

// assigned returns the name left of the equals sign at j.
func (h header) assigned(j int) (string, declaration) {
	s := h.s
	if s.Text(j-1) == "]" { // x["name"] = …
		if name, ok := s.Literal(j - 2); ok && s.End(j-1) == j-3 && s.Dialect.IsScript() {
			return name, declaresField
		}
		return "", declaresNothing
	}
	name, isField := h.assignee(j)
	typed := s.Dialect.Scan == scan.Java || s.Dialect.Scan == scan.CSharp
	if isField || typed && h.start == j-1 { // without a type it was declared elsewhere
		if isField || !isVariableSet(s, j-1) {
			return name, declaresField
		}
	}
	return name, declaresLocal
}

// isVariableSet reports whether the name at token i, which gets a value, is that of a variable
// that a statement of the same member declares.
func isVariableSet(s *source.File, i int) bool {
	variables, certain := variablesNamed(s, i)
	return certain && slices.ContainsFunc(variables, func(j int) bool { return s.Text(s.Parent[j]) == "{" })
}

// assignee is File.Assignee for a name with any type behind it: name: Map<K, V> = …
func (h header) assignee(j int) (string, bool) {
	if h.s.Dialect.Scan == scan.Go && !h.s.IsMember(j-1) && h.s.Text(j-1) != ":" {
		return h.goVariable(), false
	}
	if name, isField := h.s.Assignee(j); name != "" && h.s.Text(j-2) != ":" {
		return name, isField
	}
	for i := h.start; i < j; i = h.next(i) {
		if h.s.Kind(i) == scan.Ident && h.s.Text(i+1) == ":" {
			return h.s.Text(i), h.s.IsMember(i)
		}
	}
	return h.s.Assignee(j)
}

// goVariable returns the first name of a declaration or assignment in Go: var name T =
func (h header) goVariable() string {
	i := h.start
	if h.s.Text(i) == "var" || h.s.Text(i) == "const" {
		i++
	}
	if h.s.Kind(i) != scan.Ident {
		return ""
	}
	return h.s.Text(i)
}

// function returns the name behind the word that declares a function, "" for none.
func (h header) function() string {
	s, j := h.s, h.start
	for s.Kind(j) == scan.Ident && (s.Text(j) == "export" || s.Text(j) == "default" || s.Text(j) == "async" || s.Text(j) == "declare") {
		j++
	}
	if j > h.end || s.Text(j) != "function" && s.Text(j) != "func" {
		return ""
	}
	if j++; s.Text(j) == "*" || s.Text(j) == "(" && s.Dialect.Scan == scan.Go {
		j = s.End(j) + 1
	}
	if s.Kind(j) != scan.Ident || j > h.end {
		return ""
	}
	return s.Text(j)
}

// entry returns the name of the entry of an object that the header begins: name: …
func (h header) entry() (string, bool) {
	s := h.s
	if s.Text(h.start+1) != ":" || h.start+1 >= h.end && h.start != h.end-1 || s.Text(h.start+2) == "=" || s.Text(h.start) == "default" {
		return "", false
	}
	switch s.Kind(h.start) {
	case scan.Ident, scan.String:
		return memberName(s, h.start), true
	}
	return "", false
}

// isMethod reports whether the header is that of a method in an object of JavaScript:
// name(…) {, or a token among its parameters.
func (h header) isMethod() bool {
	s := h.s
	if s.Text(h.end) == "{" {
		return !controls[s.Text(h.start)] && !h.has("=") && !h.has("=>") && h.has("(")
	}
	after := s.Text(s.End(h.end) + 1)
	return s.Text(h.end) == "(" && (after == "{" || after == ":") && !controls[s.Text(h.start)] && !h.has("=")
}

// isObject reports whether the brace at open begins an object with entries. One that
// a statement could begin with as well counts as such.
func isObject(s *source.File, open int) bool {
	if s.Text(open) != "{" {
		return false
	}
	switch s.Text(open - 1) {
	case "=", "(", ",", ":", "[", "?", "|", "&", "return", "default", "satisfies", "yield":
		return true
	}
	return !s.Dialect.IsScript()
}

// controls are the words that begin a statement with a block.
var controls = scan.WordSet("if for while switch catch do try else with return throw await case default finally label new")

// localFunction returns the name of a function or method that is declared without a
// word for it: void go(…) {, in a function or in a class without a name.
func (h header) localFunction() string {
	s := h.s
	if s.Dialect.Scan != scan.Java && s.Dialect.Scan != scan.CSharp {
		return ""
	}
	for j := h.start + 1; j <= h.end; j = h.next(j) {
		open := j + 1
		if s.Text(open) == "<" {
			open = s.AngleEnd(open) + 1
		}
		before := s.Text(j - 1)
		typed := s.Kind(j-1) == scan.Ident && !controls[before] || before == ">" || before == "]" || before == "?" || before == ")"
		if s.Kind(j) == scan.Ident && s.Text(open) == "(" && typed && !noMember[s.Text(j)] {
			return s.Text(j)
		}
	}
	return ""
}
