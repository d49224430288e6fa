package callers

import (
	"bytes"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// reflection matches the folded names of functions that get a member by its name, or what
// a map has for it.
var reflection = lazyregexp.New(`^get$|attr|fixture|method|field|member|property|source|data|reflect|invoke|byname|^partial`)

// textName returns the text at token i when it may be the name of a member that is
// used by it, "" when it is an argument like any other.
func textName(s *source.File, i int) string {
	text, ok := s.Literal(i)
	if !ok || text == "" || !source.ContainsWord([]byte(text), text) {
		return ""
	}
	if s.Text(i-1) == "[" && s.Text(i+1) == "]" && s.Kind(i-2) == scan.Ident { // x["text"]
		return text
	}
	for open := s.Parent[i]; open >= 0; open = s.Parent[open] {
		name := locator.Fold(s.Text(s.Callee(open)))
		switch {
		case s.Text(open) != "(":
		case locator.CallKind(name) != "", open == s.Parent[i] && (!reflection.MatchString(name) || isSetting(s, s.Callee(open))):
			return ""
		default:
			return text
		}
	}
	return text
}

// isSetting reports whether the call whose name is token c asks the system for a setting of
// Java: System.getProperty("name").
func isSetting(s *source.File, c int) bool {
	return s.Dialect.Scan == scan.Java && s.Text(c) == "getProperty" && s.IsMember(c) && s.Text(s.ReceiverEnd(c)) == "System"
}

// textsNaming returns the tokens of the texts that may be the name of a member that is
// used by it.
func textsNaming(s *source.File, name string) []int {
	var out []int
	for _, i := range s.Saying(name) {
		if textName(s, i) == name {
			out = append(out, i)
		}
	}
	return out
}

// getters are the functions that get a member by a name, in any language.
var getters = []string{
	"getattr", "methodcaller", "attrgetter", "getMethod", "getDeclaredMethod", "getField", "getDeclaredField",
	"GetMethod", "GetField", "GetProperty", "InvokeMember", "MethodByName", "FieldByName",
}

// mayComputeName reports whether computesName can be true in a text.
func mayComputeName(text []byte) bool {
	if bytes.Contains(text, []byte("]")) && (bytes.Contains(text, []byte("](")) || bytes.Contains(text, []byte("]?.(")) || bytes.Contains(text, []byte("]."))) {
		return true
	}
	for _, name := range getters {
		if bytes.Contains(text, []byte(name)) {
			return true
		}
	}
	return false
}

// computesName reports whether the code at token i uses a member by a name that is not
// in the text: x[name](), getattr(x, name).
func computesName(s *source.File, i int) bool {
	if s.Text(i) == "]" && s.Dialect.IsScript() {
		return computesSubscript(s, i)
	}
	if s.Kind(i) != scan.Ident || s.Text(i+1) != "(" || s.Text(i+2) == ")" { // result.getMethod() takes no name
		return false
	}
	for _, name := range getters {
		if s.Text(i) != name {
			continue
		}
		if takesBrowserType(s, i) {
			return false
		}
		for j := i + 2; j < s.End(i+1); j++ {
			before, after := s.Text(j-1), s.Text(j+1)
			if _, ok := s.Literal(j); ok && (before == "(" || before == ",") && (after == ")" || after == ",") {
				return false
			}
		}
		return true
	}
	return false
}

// takesBrowserType reports whether the getattr at token i takes a browser type out of
// Playwright itself: getattr(playwright, browser_name). It is Playwright's where the file
// gets it as a parameter, or from its start.
func takesBrowserType(s *source.File, i int) bool {
	name := s.Text(i + 2)
	if s.Text(i) != "getattr" || name != "playwright" || s.Text(i+3) != "," {
		return false
	}
	for _, j := range s.Idents[name] {
		if !s.IsMember(j) && s.Text(j+1) == "=" && s.Parent[j] < 0 {
			return false
		}
	}
	return true
}

// computesSubscript reports whether the subscript that ends at token i takes a member
// by a name that is not known, and calls it or acts on it.
func computesSubscript(s *source.File, i int) bool {
	open := s.End(i)
	before := s.Kind(open-1) == scan.Ident && !noMember[s.Text(open-1)] || s.Text(open-1) == ")" || s.Text(open-1) == "]" || s.Text(open-1) == "?."
	_, literal := s.Literal(open + 1)
	number := s.Text(open+1) != "" && s.Text(open + 1)[0] >= '0' && s.Text(open + 1)[0] <= '9'
	if !before || open+2 == i && (literal || number) {
		return false
	}
	next := s.Text(i + 1)
	action := locator.Fold(s.Text(i + 2))
	return next == "(" || next == "?." && s.Text(i+2) == "(" ||
		(next == "." || next == "?.") && s.Text(i+3) == "(" && (calls.PageMethods[action] || calls.ValueMethods[action])
}

// place is a token of a file.
type place struct {
	file  *source.File
	token int
}

// computed returns the code that uses a member by a name which is not known, but for that of
// other tests.
func (r *Runner) computed() (out []place) {
	for _, src := range r.files {
		if !r.suite.mayCompute(src.Path) {
			continue
		}
		for i := range src.Tokens {
			at := src.Tokens[i].Start
			own := src == r.test && r.bodies.InOwn(at)
			if computesName(src, i) && (own || !source.AnyContains(r.suite.testsIn(src), at)) {
				out = append(out, place{src, i})
			}
		}
	}
	return out
}

// computing is usersOf for what uses a member by a name that is not known.
func (r *Runner) computing(computed []place, m member) (found []member, runs bool) {
	for _, p := range computed {
		if !r.mayCompute(p, m) {
			continue
		}
		if p.file == r.test && r.bodies.InOwn(p.file.Tokens[p.token].Start) {
			return nil, true
		}
		names, hook := callersOf(p.file, p.token)
		if hook {
			return nil, true
		}
		found = append(found, r.membersAt(p.file, p.token, names)...)
	}
	return found, false
}

// mayCompute reports whether what takes a member by a name that is not known may take m:
// getattr(self.cart, name) takes one of the cart's class.
func (r *Runner) mayCompute(p place, m member) bool {
	src := p.file
	if m.class == "" || src.Text(p.token) != "getattr" {
		return true
	}
	end := src.ExpressionEnd(p.token + 2)
	return src.Text(end+1) != "," || r.mayBeOn(src, end, m)
}
