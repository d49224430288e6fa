package workflowlint

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// expression is the text between ${{ and }}.
type expression struct {
	source string // without the braces
	index  int    // how many ${{ come before it
}

// expressions returns the expressions in a text. One that is not closed ends
// with the text.
func expressions(text string) []expression {
	var found []expression
	for {
		_, rest, ok := strings.Cut(text, "${{")
		if !ok {
			return found
		}
		end := expressionEnd(rest)
		found = append(found, expression{source: rest[:end], index: len(found)})
		text = rest[end:]
	}
}

// expressionEnd returns where the }} is that ends an expression, whose strings
// may contain braces.
func expressionEnd(text string) int {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], "}}"):
			return i
		}
	}
	return len(text)
}

var contextName = lazyregexp.New(`(?i)\b(github|inputs|env|matrix|steps|needs|vars)\.[\w.*-]+`)

// contexts returns the contexts that are part of the value of what is parsed.
func (t tree) contexts() (found []string) {
	switch t.op {
	case opContext:
		return []string{t.text}
	case opAnd: // what stands before is the value only when it is false, 0 or empty
		return t.args[len(t.args)-1].contexts()
	case opCall:
		if !textFunctions[t.text] {
			return nil
		}
	case opOr, opGroup:
	default: // a literal, a comparison or a negation
		return nil
	}
	for _, arg := range t.args {
		found = append(found, arg.contexts()...)
	}
	if t.op == opGroup {
		for i := range found {
			found[i] += t.text
		}
	}
	return found
}

// textFunctions have the texts of their arguments in their value. Other functions
// return a boolean or a hash.
var textFunctions = map[string]bool{"format": true, "join": true, "tojson": true, "fromjson": true, "case": true}
