package workflowlint

import (
	"errors"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// operation is what a part of an expression does.
type operation int

const (
	opLiteral operation = iota // text is the literal
	opContext                  // text is the path, in small letters
	opCall                     // text is the function's name, in small letters
	opGroup                    // the argument, with the path text below it
	opNot
	opAnd
	opOr
	opCompare // text is the operator
)

// tree is an expression that was parsed.
type tree struct {
	op   operation
	text string
	args []tree
}

// parseExpression parses the text between ${{ and }}
// (https://docs.github.com/actions/reference/workflows-and-actions/expressions).
func parseExpression(source string) (tree, error) {
	p := parser{rest: source}
	t, err := p.parseOr()
	if p.skipSpace(); err == nil && p.rest != "" {
		err = errExpression
	}
	return t, err
}

// parser parses one expression.
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

func (p *parser) parseOr() (tree, error) { return p.parseChain("||", opOr, p.parseAnd) }

func (p *parser) parseAnd() (tree, error) { return p.parseChain("&&", opAnd, p.parseComparison) }

// parseChain parses what one operator joins, however often.
func (p *parser) parseChain(token string, op operation, parse func() (tree, error)) (tree, error) {
	first, err := parse()
	args := []tree{first}
	for err == nil && p.takeToken(token) {
		var next tree
		next, err = parse()
		args = append(args, next)
	}
	if len(args) == 1 {
		return first, err
	}
	return tree{op: op, args: args}, err
}

var comparisons = []string{"==", "!=", "<=", ">=", "<", ">"}

func (p *parser) parseComparison() (tree, error) {
	left, err := p.parseUnary()
	for err == nil {
		i := slices.IndexFunc(comparisons, p.takeToken)
		if i < 0 {
			break
		}
		var right tree
		right, err = p.parseUnary()
		left = tree{op: opCompare, text: comparisons[i], args: []tree{left, right}}
	}
	return left, err
}

func (p *parser) parseUnary() (tree, error) {
	if p.depth++; p.depth > maxDepth {
		return tree{}, errExpression
	}
	defer func() { p.depth-- }()
	switch {
	case strings.HasPrefix(strings.TrimLeft(p.rest, " \t\r\n"), "!="):
		return tree{}, errExpression
	case p.takeToken("!"):
		arg, err := p.parseUnary()
		return tree{op: opNot, args: []tree{arg}}, err
	case p.takeToken("("):
		return p.parseGroup()
	}
	return p.parsePrimary()
}

// parseGroup parses what follows an opening parenthesis, and the path behind the
// closing one, as in (a || b).number.
func (p *parser) parseGroup() (tree, error) {
	inner, err := p.parseOr()
	if err == nil && !p.takeToken(")") {
		err = errExpression
	}
	if err != nil {
		return tree{}, err
	}
	below, err := p.parsePath("")
	return tree{op: opGroup, text: below, args: []tree{inner}}, err
}

var (
	literal    = lazyregexp.New(`^(?i:'(?:[^']|'')*'|[-+]?(?:0x[0-9a-f]+|[0-9.]+(?:e[-+]?[0-9]+)?|infinity)|nan\b)`)
	identifier = lazyregexp.New(`^[A-Za-z_][\w-]*`)
)

func (p *parser) parsePrimary() (tree, error) {
	p.skipSpace()
	if m := literal.FindString(p.rest); m != "" {
		p.rest = p.rest[len(m):]
		return tree{op: opLiteral, text: m}, nil
	}
	name := strings.ToLower(identifier.FindString(p.rest))
	if name == "" {
		return tree{}, errExpression
	}
	p.rest = p.rest[len(name):]
	if p.takeToken("(") {
		return p.parseCall(name)
	}
	if name == "true" || name == "false" || name == "null" {
		return tree{op: opLiteral, text: name}, nil
	}
	path, err := p.parsePath(name)
	return tree{op: opContext, text: path}, err
}

func (p *parser) parseCall(name string) (tree, error) {
	call := tree{op: opCall, text: name}
	for !p.takeToken(")") {
		if len(call.args) > 0 && !p.takeToken(",") {
			return tree{}, errExpression
		}
		arg, err := p.parseOr()
		if err != nil {
			return tree{}, err
		}
		call.args = append(call.args, arg)
	}
	_, err := p.parsePath(name) // fromJSON(x).y
	return call, err
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
