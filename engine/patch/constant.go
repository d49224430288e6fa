package patch

import (
	"bytes"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// constant is a name that one literal is given to: a constant, a field, or an
// entry of an object of selectors.
type constant struct {
	name    string
	at      int    // token of the name where it gets its value
	member  bool   // reached as x.name
	entry   bool   // also reached as x["name"], never as name alone
	private bool   // not seen outside its file
	owner   string // class or object that it is a member of, "" when unknown
	scope   span   // of a local name
}

const (
	alsoElsewhere misfit = "as a constant that is also used outside locator calls"
	unusedName    misfit = "as a value that no locator call in reach takes by name"
)

// constantHit returns the hit of a literal that is the value of a constant,
// when every use of the constant is an argument of a locator call.
func (s *source) constantHit(t *tree, i int, c change) (hit, misfit) {
	k, ok := s.constantOf(i)
	if !ok {
		return hit{}, elsewhere
	}
	best := hit{hangs: no}
	uses := 0
	for _, in := range t.users(s, k) {
		found, ok := in.uses(k, in == s)
		if !ok {
			return hit{}, alsoElsewhere
		}
		for _, use := range found {
			value, _ := s.literal(i)
			place, why := in.slotAt(use.first, use.last, value)
			if why != fits {
				return hit{}, alsoElsewhere
			}
			h, ok := in.aim(place, c)
			if !ok {
				return hit{}, alsoElsewhere
			}
			uses++
			if uses == 1 || h.hangs > best.hangs {
				best = h
			}
		}
	}
	if uses == 0 {
		return hit{}, unusedName
	}
	best.in, best.literal, best.constant = s, i, k.name
	return best, fits
}

// constantOf returns the name that the literal at i is the whole value of.
func (s *source) constantOf(i int) (constant, bool) {
	if !s.endsValue(i) {
		return constant{}, false
	}
	switch sign := s.at(i - 1); {
	case sign == "=" || sign == "=>" && s.lang.scan == scan.CSharp:
		return s.assignedName(i)
	case sign == ":" && s.key(i) != "":
		return s.entryName(i)
	}
	return constant{}, false
}

// endsValue reports whether the value that ends in token i ends there.
func (s *source) endsValue(i int) bool {
	switch next := s.at(i + 1); next {
	case "", ";", ",", "}", ")":
		return true
	case "as":
		return s.at(i+2) == "const"
	case ".", "?.", "+", "%", "?", "[", "(", "or", "and", "if", "&", "|", "*", "==", "<", ">", "in", "is", "??":
		return false
	default:
		return s.lineOf(i+1) > s.line(s.tokens[i].End-1)
	}
}

// assignedName reads name = "x" with the types and modifiers of the languages.
func (s *source) assignedName(i int) (constant, bool) {
	n := i - 2
	switch {
	case s.at(n) == ":": // Go's :=
		n--
	case s.kind(n) == scan.Ident && s.at(n-1) == ":" && s.kind(n-2) == scan.Ident && s.lineOf(n-2) == s.lineOf(n): // name: string =
		n -= 2
	case s.lang.scan == scan.Go && s.kind(n-1) == scan.Ident && s.at(n-1) != "const" && s.at(n-1) != "var" && s.lineOf(n-1) == s.lineOf(n):
		n-- // name string =
	}
	if s.kind(n) != scan.Ident || n < 0 {
		return constant{}, false
	}
	k := constant{name: s.at(n), at: n, scope: span{0, len(s.text)}}
	if s.member(n) {
		k.member = true
		k.owner = s.classAround(n)
		return k, isSelf(s.at(n-2)) && !s.member(n-2)
	}
	switch open := s.parent[n]; {
	case open >= 0 && s.at(open) == "(":
		if before := s.at(open - 1); before != "const" && before != "var" {
			return k, false
		}
	case open >= 0 && s.at(open) != "{":
		return k, false
	case s.lang.scan == scan.Python:
		k.owner, k.scope = s.pythonOwner(n)
		k.member = k.owner != ""
		k.private = strings.HasPrefix(k.name, "_") && k.member
	case open >= 0 && s.typeName(open) != "":
		k.member = true
		k.owner = s.typeName(open)
		k.private = s.isPrivate(n)
	case open >= 0:
		k.scope = span{s.tokens[open].Start, s.tokens[s.end(open)].End}
	}
	return k, true
}

// entryName reads name: "x" in an object that is no argument of a call.
func (s *source) entryName(i int) (constant, bool) {
	k := constant{name: s.at(i - 2), at: i - 2, member: true, entry: true, scope: span{0, len(s.text)}}
	if value, ok := s.literal(i - 2); ok {
		k.name = value
	}
	open := s.parent[i]
	for open >= 0 && s.at(open) == "{" && s.at(open-1) == ":" {
		if k.owner == "" {
			k.owner = strings.Trim(s.at(open-2), "'\"")
		}
		open = s.parent[open]
	}
	if open < 0 || s.at(open) != "{" {
		return k, false
	}
	switch before := s.at(open - 1); before {
	case "=":
		if name, _ := s.assignee(open - 1); k.owner == "" {
			k.owner = name
		}
		return k, true
	case "default":
		return k, true
	case "(":
		c := s.callee(open - 1)
		return k, c >= 0 && (s.at(c) == "freeze" || s.at(c) == "MappingProxyType")
	}
	return k, s.lang.scan == scan.Go && s.kind(open-1) == scan.Ident
}

var typeWords = names("class enum interface record struct object trait")

// typeName returns the name of the type whose body opens at the brace, ""
// when it is no type's.
func (s *source) typeName(open int) string {
	for i := open - 1; i >= 0 && open-i < 60; i-- {
		if s.tokens[i].Closes {
			if s.at(i) != "]" && s.at(i) != ")" {
				return ""
			}
			i = s.end(i)
			continue
		}
		switch text := s.at(i); {
		case typeWords[text] && !s.member(i) && s.kind(i+1) == scan.Ident:
			return s.at(i + 1)
		case text == ";" || text == "{" || text == "=" || text == "=>":
			return ""
		}
	}
	return ""
}

// classAround returns the name of the innermost class around token n.
func (s *source) classAround(n int) string {
	if s.lang.scan == scan.Python {
		for _, i := range slices.Backward(s.idents["class"]) {
			if i < n && s.indent(s.lineOf(i)) < s.indent(s.lineOf(n)) {
				return s.at(i + 1)
			}
		}
		return ""
	}
	for open := s.parent[n]; open >= 0; open = s.parent[open] {
		if name := s.typeName(open); name != "" {
			return name
		}
	}
	return ""
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
func (s *source) isPrivate(n int) bool {
	shared := false
	for i := n - 1; i >= 0 && s.kind(i) == scan.Ident; i-- {
		switch s.at(i) {
		case "private":
			return true
		case "public", "internal", "protected":
			shared = true
		}
	}
	return s.lang.scan == scan.CSharp && !shared || strings.HasPrefix(s.at(n), "#")
}

// pythonOwner tells a name of a class from one of a function, whose lines are
// its scope, and one of the module.
func (s *source) pythonOwner(n int) (class string, scope span) {
	whole := span{0, len(s.text)}
	line := s.lineOf(n)
	indent := s.indent(line)
	if indent == 0 {
		return "", whole
	}
	for l := line - 1; l > 0; l-- {
		text := bytes.TrimSpace([]byte(s.code(l)))
		if len(text) == 0 || s.indent(l) >= indent {
			continue
		}
		indent = s.indent(l)
		switch {
		case bytes.HasPrefix(text, []byte("class ")):
			return s.at(s.firstOf(l) + 1), whole
		case bytes.HasPrefix(text, []byte("def ")), bytes.HasPrefix(text, []byte("async def ")):
			return "", s.block(l)
		}
	}
	return "", whole
}

// block returns the bytes of the indented block that a line begins.
func (s *source) block(line int) span {
	indent, last := s.indent(line), line
	for l := line + 1; l <= len(s.lines); l++ {
		text := strings.TrimSpace(s.lineText(l))
		if text == "" || text[0] == ')' || text[0] == '#' {
			continue
		}
		if s.indent(l) <= indent {
			break
		}
		last = l
	}
	end := len(s.text)
	if last < len(s.lines) {
		end = s.lines[last]
	}
	return span{s.lines[line-1], end}
}

// code returns a line without its ending and without a byte order mark.
func (s *source) code(line int) string { return strings.TrimPrefix(s.lineText(line), "\ufeff") }

// indent counts the white space a line begins with.
func (s *source) indent(line int) int {
	text := s.code(line)
	return len(text) - len(strings.TrimLeft(text, " \t"))
}
