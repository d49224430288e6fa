package workflowlint

import (
	"errors"
	"regexp"
	"strings"
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

// contexts returns the contexts whose text can be part of an expression's value,
// such as "github.event.issue.title", in small letters and with "*" for an index.
// Contexts that are only compared or tested are left out. Of an expression that
// cannot be parsed it returns every name in it.
func contexts(source string) []string {
	p := parser{rest: source}
	found, err := p.parseOr()
	if p.skipSpace(); err == nil && p.rest == "" {
		return found
	}
	found = contextName.FindAllString(source, -1)
	for i, name := range found {
		found[i] = strings.ToLower(name)
	}
	return found
}

var contextName = regexp.MustCompile(`(?i)\b(github|inputs|env|matrix|steps|needs|vars)\.[\w.*-]+`)

// parser parses one expression. Its methods return the contexts that are part of
// the value of what they parse.
type parser struct {
	rest  string
	depth int
}

var errExpression = errors.New("not an expression")

func (p *parser) skipSpace() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) takeToken(token string) bool {
	p.skipSpace()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) parseOr() ([]string, error) {
	found, err := p.parseAnd()
	for err == nil && p.takeToken("||") {
		var more []string
		more, err = p.parseAnd()
		found = append(found, more...)
	}
	return found, err
}

// parseAnd ignores the left side: it is the value only when it is false, 0 or empty.
func (p *parser) parseAnd() ([]string, error) {
	found, err := p.parseComparison()
	for err == nil && p.takeToken("&&") {
		found, err = p.parseComparison()
	}
	return found, err
}

func (p *parser) parseComparison() ([]string, error) {
	found, err := p.parseUnary()
	for err == nil && (p.takeToken("==") || p.takeToken("!=") || p.takeToken("<=") || p.takeToken(">=") || p.takeToken("<") || p.takeToken(">")) {
		_, err = p.parseUnary()
		found = nil
	}
	return found, err
}

func (p *parser) parseUnary() ([]string, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errExpression
	}
	defer func() { p.depth-- }()
	switch {
	case strings.HasPrefix(strings.TrimLeft(p.rest, " \t\r\n"), "!="):
		return nil, errExpression
	case p.takeToken("!"):
		_, err := p.parseUnary()
		return nil, err
	case p.takeToken("("):
		return p.parseGroup()
	}
	return p.parsePrimary()
}

// parseGroup parses what follows an opening parenthesis, and the path behind the
// closing one, as in (a || b).number.
func (p *parser) parseGroup() ([]string, error) {
	found, err := p.parseOr()
	if err == nil && !p.takeToken(")") {
		err = errExpression
	}
	if err != nil {
		return nil, err
	}
	below, err := p.parsePath("")
	for i := range found {
		found[i] += below
	}
	return found, err
}

var (
	literal    = regexp.MustCompile(`^(?i:'(?:[^']|'')*'|[-+]?(?:0x[0-9a-f]+|[0-9.]+(?:e[-+]?[0-9]+)?|infinity)|nan\b)`)
	identifier = regexp.MustCompile(`^[A-Za-z_][\w-]*`)
)

func (p *parser) parsePrimary() ([]string, error) {
	p.skipSpace()
	if m := literal.FindString(p.rest); m != "" {
		p.rest = p.rest[len(m):]
		return nil, nil
	}
	name := strings.ToLower(identifier.FindString(p.rest))
	if name == "" {
		return nil, errExpression
	}
	p.rest = p.rest[len(name):]
	if p.takeToken("(") {
		return p.parseCall(name)
	}
	if name == "true" || name == "false" || name == "null" {
		return nil, nil
	}
	path, err := p.parsePath(name)
	return []string{path}, err
}

// textFunctions have the texts of their arguments in their value. Other functions
// return a boolean or a hash.
var textFunctions = map[string]bool{"format": true, "join": true, "tojson": true, "fromjson": true, "case": true}

func (p *parser) parseCall(name string) (found []string, err error) {
	for n := 0; err == nil && !p.takeToken(")"); n++ {
		if n > 0 && !p.takeToken(",") {
			return nil, errExpression
		}
		var more []string
		more, err = p.parseOr()
		if textFunctions[name] {
			found = append(found, more...)
		}
	}
	if err != nil {
		return nil, err
	}
	_, err = p.parsePath(name) // fromJSON(x).y
	return found, err
}

// parsePath parses what follows the name of a context.
func (p *parser) parsePath(name string) (string, error) {
	for {
		switch {
		case p.takeToken("."):
			p.skipSpace()
			part := identifier.FindString(p.rest)
			if part == "" && !strings.HasPrefix(p.rest, "*") {
				return name, errExpression
			}
			if part == "" {
				part = "*"
			}
			p.rest = p.rest[len(part):]
			name += "." + strings.ToLower(part)
		case p.takeToken("["):
			part := "*"
			p.skipSpace()
			if m := literal.FindString(p.rest); strings.HasPrefix(m, "'") {
				part = strings.ToLower(strings.Trim(m, "'"))
			}
			if !p.takeToken("*") {
				if _, err := p.parseOr(); err != nil {
					return name, err
				}
			}
			if !p.takeToken("]") {
				return name, errExpression
			}
			name += "." + part
		default:
			return name, nil
		}
	}
}
