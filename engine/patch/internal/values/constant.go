package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Constant is a name whose value is one literal: a constant, a field, an entry of an
// object of selectors, a constant of an enum, or a variable that has it in a loop.
type Constant struct {
	Name    string
	at      int         // token of the name where it gets its value
	member  bool        // used as x.name
	entry   bool        // also used as x["name"], never as name alone
	keyed   bool        // what the map owner has for the key name
	called  bool        // a method, whose call gives the value
	takes   bool        // its call has arguments
	private bool        // not visible outside its file
	static  bool        // a member of the class, not of its objects
	owner   string      // class or object that it is a member of, "" when unknown
	parents []string    // the objects around owner, and what the module gives it as
	module  bool        // the object is what its module exports
	object  source.Span // the object's own code, where this is the object
	scope   source.Span // where a local name is visible
	getters []string    // of a Java enum: the methods and fields that give the value
	byValue bool        // of a Python enum: the value is what name.value gives
	Cell    *Cell       // a value in a table, nil for none
	Traced  bool        // the tests that use the value are those that run its uses, whatever is around the literal
}

// Why the value of a constant cannot be edited.
const (
	UsedElsewhere  calls.Obstacle = "as a constant that is also used outside locator calls"
	UnusedConstant calls.Obstacle = "as a value that no locator call in reach takes by name"
)

// ConstantOf returns the constant whose whole value is the literal at i. Without a tree it
// knows the types of the file alone.
func ConstantOf(s *source.File, t *checkout.Tree, i int) (Constant, bool) {
	if !EndsValue(s, i) {
		return Constant{}, false
	}
	if k, ok := keyedConstant(s, i); ok {
		return k, true
	}
	if k, paired := pairedConstant(s, i); paired {
		return k, k.Name != ""
	}
	if k, ok := tableConstant(s, i); ok {
		return k, true
	}
	if k, ok := defaultConstant(s, i); ok {
		return k, true
	}
	if k, ok := recordConstant(s, t, i); ok {
		return k, true
	}
	switch sign := s.Text(i - 1); {
	case sign == "=" || sign == "=>" && s.Dialect.Scan == scan.CSharp:
		if k, ok := assignedConstant(s, i); ok || sign == "=" {
			return k, ok
		}
		return oneOfReturned(s, i)
	case sign == ":" && s.Key(i) != "":
		return entryConstant(s, i)
	case sign == "(" && s.Dialect.Scan == scan.Java && s.TypeWord(s.Parent[i-2]) == "enum":
		return enumConstant(s, i)
	case sign == "return", sign == "=>", sign == ">" && s.Text(i-2) == "-":
		if k, ok := returnedConstant(s, i); ok {
			return k, true
		}
		return oneOfReturned(s, i)
	}
	return Constant{}, false
}

// EndsValue reports whether token i is the last one of a value.
func EndsValue(s *source.File, i int) bool {
	if s.BeginsStatement(i + 1) {
		return true
	}
	switch next := s.Text(i + 1); next {
	case "", ";", ",", "}", ")", "]":
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
func assignedConstant(s *source.File, i int) (Constant, bool) {
	n := i - 2
	switch {
	case s.Text(n) == ":": // Go's :=
		n--
	case s.Dialect.Scan == scan.CSharp && s.Text(n) == ")": // string Name() => "x"
		return returnedConstant(s, i)
	case s.Dialect.Scan == scan.CSharp && s.Text(n) == "}" && isAccessors(s, s.End(n)): // string Name { get; } = "x"
		n = s.End(n) - 1
	case s.Kind(n) == scan.Ident && s.Text(n-1) == ":" && s.Kind(n-2) == scan.Ident && s.LineOf(n-2) == s.LineOf(n): // name: string =
		n -= 2
	case s.Dialect.Scan == scan.Go && s.Kind(n-1) == scan.Ident && s.Text(n-1) != "const" && s.Text(n-1) != "var" && s.LineOf(n-1) == s.LineOf(n):
		n-- // name string =
	}
	if s.Kind(n) != scan.Ident || n < 0 || s.Text(n-1) == "=" { // another name has the value, too
		return Constant{}, false
	}
	return declaredConstant(s, n, s.Parent[n])
}

// assignedName returns the constant whose value the tokens from first to last are.
func assignedName(s *source.File, first, last int) (Constant, bool) {
	sign := first - 1
	if s.Text(sign) != "=" || !EndsValue(s, last) && s.Text(last+1) != "satisfies" {
		return Constant{}, false
	}
	n := sign - 1
	switch {
	case s.Text(n) == ":": // Go's :=
		n--
	case s.Dialect.IsScript():
		start, _ := s.HeaderStart(sign)
		for j := start; j < sign; j = s.Next(j) {
			if word := s.Text(j); word == "const" || word == "let" || word == "var" {
				n = j + 1
				break
			}
		}
	case s.Dialect.Scan == scan.Python:
		if head := s.FirstToken(s.LineOf(sign)); s.Text(head+1) == ":" {
			n = head
		}
	}
	if s.Kind(n) != scan.Ident || s.Text(n-1) == "=" {
		return Constant{}, false
	}
	return declaredConstant(s, n, s.Parent[n])
}

// LocalOf returns the local variable that is declared with the tokens from first to last as its
// value.
func LocalOf(s *source.File, first, last int) (Constant, bool) {
	k, ok := assignedName(s, first, last)
	return k, ok && !k.member && k.IsHidden(s) && declaresVariable(s, k.at)
}

// declaresVariable reports whether a variable is declared where the name at n gets a value: one
// that only gets another may be a field.
func declaresVariable(s *source.File, n int) bool {
	before := s.Text(n - 1)
	switch lang := s.Dialect.Scan; {
	case lang == scan.Python:
		return true
	case lang == scan.Go:
		return before == "var" || before == "const" || s.Text(n+1) == ":"
	case s.Dialect.IsScript():
		return before == "const" || before == "let" || before == "var"
	default:
		return s.Kind(n-1) == scan.Ident || before == ">" || before == "]" || before == "?"
	}
}

// declaredConstant returns the constant whose name at n gets a value in the bracket at open.
func declaredConstant(s *source.File, n, open int) (Constant, bool) {
	k := Constant{Name: s.Text(n), at: n, scope: s.Whole()}
	if s.IsMember(n) {
		k.member = true
		k.owner = s.ClassAround(n)
		return k, selfNames[s.Text(n-2)] && !s.IsMember(n-2)
	}
	switch {
	case s.Text(open) == "(":
		if before := s.Text(open - 1); before != "const" && before != "var" {
			return k, false
		}
	case open >= 0 && s.Text(open) != "{":
		return k, false
	case s.Dialect.Scan == scan.Python:
		k.owner, k.scope = PythonOwner(s, n)
		k.member = k.owner != ""
		k.private = strings.HasPrefix(k.Name, "_") && k.member
		k.byValue = k.member && isPythonEnum(s, k.owner)
	case open >= 0 && s.TypeName(open) != "":
		k.member = true
		k.owner = s.TypeName(open)
		k.private = isPrivate(s, n)
		k.static = s.TypeWord(open) != "class" || isStatic(s, n)
	case isNamespace(s, open):
		k.member, k.entry = true, true
		k.object = s.SpanOf(open, s.End(open))
		for around := open; isNamespace(s, around); around = s.Parent[around] {
			k.nameObject(s.Text(around - 1))
		}
		return k, !isNamedWithin(s, n, open)
	case open >= 0:
		k.scope = s.SpanOf(open, s.End(open))
	}
	return k, true
}

// isNamespace reports whether the brace at open is that of a namespace of TypeScript, which
// is used as an object is.
func isNamespace(s *source.File, open int) bool {
	word := s.Text(open - 2)
	return open >= 0 && s.Dialect.IsScript() && s.Text(open) == "{" && s.Kind(open-1) == scan.Ident && (word == "namespace" || word == "module")
}

// isNamedWithin reports whether the name that is declared at n is used within the bracket at
// open by itself.
func isNamedWithin(s *source.File, n, open int) bool {
	return slices.ContainsFunc(s.Idents[s.Text(n)], func(j int) bool { return j != n && j > open && j < s.End(open) && !s.IsMember(j) })
}

// isAccessors reports whether the brace at open holds what an automatic property has.
func isAccessors(s *source.File, open int) bool {
	for i := open + 1; i < s.End(open); i++ {
		switch s.Text(i) {
		case "get", "set", "init", "private", "protected", "internal", ";":
		default:
			return false
		}
	}
	return s.Text(open) == "{"
}

// entryConstant reads name: "x" in an object that is not an argument of a call.
func entryConstant(s *source.File, i int) (Constant, bool) {
	k := Constant{Name: s.Text(i - 2), at: i - 2, member: true, entry: true, scope: s.Whole()}
	if value, ok := s.Literal(i - 2); ok {
		k.Name = value
	}
	open := s.Parent[i]
	if open < 0 {
		return k, false
	}
	k.object = s.SpanOf(open, s.End(open))
	for s.Text(open) == "{" && s.Text(open-1) == ":" {
		k.nameObject(strings.Trim(s.Text(open-2), "'\""))
		if open = s.Parent[open]; open < 0 {
			return k, false
		}
	}
	if s.Text(open) != "{" {
		return k, false
	}
	sign, isObject := open-1, true
	switch s.Text(sign) {
	case "(":
		c := s.Callee(sign)
		isObject = c >= 0 && (s.Text(c) == "freeze" || s.Text(c) == "MappingProxyType")
		if s.IsMember(c) {
			c -= 2
		}
		sign = c - 1
	case "=", "default":
	default:
		sign, isObject = goComposite(s, open)
	}
	if name, _ := s.Assignee(sign); s.Text(sign) == "=" && name != "exports" {
		k.nameObject(name)
	} else {
		k.module = s.Text(sign) == "default" || name == "exports"
	}
	return k, isObject
}

// nameObject takes the name of the object that the entry is in, or of one around it.
func (k *Constant) nameObject(name string) {
	if k.owner == "" {
		k.owner = name
	} else {
		k.parents = append(k.parents, name)
	}
}

// goComposite returns the sign before the type of the composite literal whose brace is
// at open: of map[string]string{…}, T{…}, struct{…}{…}. It returns false for no literal.
func goComposite(s *source.File, open int) (sign int, ok bool) {
	if s.Dialect.Scan != scan.Go {
		return -1, false
	}
	j := open - 1
	if s.Text(j) == "}" && s.Text(s.End(j)-1) == "struct" {
		return s.End(j) - 2, true
	}
	if s.Kind(j) != scan.Ident {
		return -1, false
	}
	for j >= 0 && (s.Kind(j) == scan.Ident || s.Text(j) == "." || s.Text(j) == "*" || s.Text(j) == "]") {
		j = min(j, s.End(j)) - 1
	}
	return j, true
}

// isStatic reports whether the modifiers before a field's name make it one of the class.
func isStatic(s *source.File, n int) bool {
	for i := beforeType(s, n); i >= 0 && s.Kind(i) == scan.Ident; i-- {
		if s.Text(i) == "static" || s.Text(i) == "const" {
			return true
		}
	}
	return false
}

// beforeType returns the token before the name at n, or before the type of it that has types
// of its own: Map<String, String> name.
func beforeType(s *source.File, n int) int {
	if s.Text(n-1) == ">" {
		return s.AngleStart(n-1) - 1
	}
	return n - 1
}

// isPrivate reads the modifiers before a field's name. Members in C# are private by
// default.
func isPrivate(s *source.File, n int) bool {
	shared := false
	for i := beforeType(s, n); i >= 0 && s.Kind(i) == scan.Ident; i-- {
		switch s.Text(i) {
		case "private":
			return true
		case "public", "internal", "protected":
			shared = true
		}
	}
	return s.Dialect.Scan == scan.CSharp && !shared || strings.HasPrefix(s.Text(n), "#")
}

// PythonOwner returns the class that a name belongs to, "" for none, and where the
// name is visible: in the lines of its function, or everywhere.
func PythonOwner(s *source.File, n int) (class string, scope source.Span) {
	for i := range s.OuterBlocks(n) {
		switch {
		case s.Text(i) == "class":
			return s.Text(i + 1), s.Whole()
		case s.Text(i) == "def", s.Text(i) == "async" && s.Text(i+1) == "def":
			return "", s.Block(s.LineOf(i))
		}
	}
	return "", s.Whole()
}

// IsHidden reports whether other files cannot use a constant of the file.
func (k Constant) IsHidden(s *source.File) bool { return k.private || k.scope != s.Whole() }
