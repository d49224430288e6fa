package calls

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// isOfOther reports whether a value is that of another thing than the name at token r stands
// for: of a field where that is a variable, page beside self.page, the other way around, or
// of another function's variable. Only Python and JavaScript always tell fields apart.
func isOfOther(s *source.File, r, value int) bool {
	isPython := s.Dialect.Scan == scan.Python
	name, isField := s.Assignee(value - 1)
	isArgument := s.Parent[value] >= 0 && s.Text(s.Parent[value]) == "("
	if !isPython && !s.Dialect.IsScript() || name != s.Text(r) || isArgument {
		return false
	}
	if s.IsMember(r) {
		isOwn := (s.Text(r-2) == "self" || s.Text(r-2) == "this") && !s.IsMember(r-2)
		return isOwn && !isField && isLocal(s, value)
	}
	if isField {
		takenOut := func(i int) bool { return !s.IsMember(i) && s.IsDestructured(i) }
		return !slices.ContainsFunc(s.Idents[name], takenOut)
	}
	return isLocal(s, value) && !isVisible(s, value, r)
}

// isLocal reports whether the variable that gets a value is one of a function or block.
func isLocal(s *source.File, value int) bool {
	if s.Dialect.IsScript() {
		first := s.Text(s.FirstToken(s.LineOf(value)))
		return first == "const" || first == "let"
	}
	shared := len(s.Idents["global"])+len(s.Idents["nonlocal"]) > 0
	return !shared && functionAround(s, value) >= 0
}

// isVisible reports whether the local variable that gets a value can be meant at token r.
func isVisible(s *source.File, value, r int) bool {
	if !s.Dialect.IsScript() {
		at := functionAround(s, value)
		return s.Block(s.LineOf(at)).Contains(s.Tokens[r].Start)
	}
	open := s.Parent[value]
	for open >= 0 && s.Text(open) != "{" {
		open = s.Parent[open]
	}
	return open < 0 || open < r && r < s.End(open)
}

// functionAround returns the header of the function around a token of Python, -1 where a
// class or nothing is around it first.
func functionAround(s *source.File, i int) int {
	for block := range s.OuterBlocks(i) {
		switch word := s.Text(block); {
		case word == "def", word == "async" && s.Text(block+1) == "def":
			return block
		case word == "class":
			return -1
		}
	}
	return -1
}
