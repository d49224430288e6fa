package workflowlint

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// situation is one way in which a workflow starts, as far as its text tells.
type situation struct {
	event   string // "" when the text does not tell
	ref     string // how github.ref begins, "" when unknown
	refType string // "tag", "branch", or "" when unknown
	release bool   // a release starts the workflow: a published one, a pushed tag or release branch
}

// value is what an expression comes to.
type value struct {
	known  bool
	prefix bool // only the beginning is known
	truth  bool // it counts as true
	text   string
}

var unknown value

func boolean(b bool) value {
	text := "false"
	if b {
		text = "true"
	}
	return value{known: true, truth: b, text: text}
}

// mayHold reports whether a condition as `if` has it can be true in a situation.
func (s situation) mayHold(condition string) bool {
	condition = strings.TrimSpace(condition)
	if m := onlyExpression.FindStringSubmatch(condition); m != nil && strings.Count(condition, "${{") == 1 {
		condition = m[1]
	}
	if condition == "" || strings.Contains(condition, "${{") {
		return true
	}
	v := s.evaluate(condition)
	return !v.known || v.truth
}

// input returns what an input's text comes to in a situation, unknown when only a run
// tells.
func (s situation) input(text string) value {
	text = strings.TrimSpace(text)
	m := onlyExpression.FindStringSubmatch(text)
	switch {
	case m != nil && strings.Count(text, "${{") == 1:
		return s.evaluate(m[1])
	case strings.Contains(text, "${{"):
		return unknown
	}
	return value{known: true, truth: text != "", text: text}
}

// onlyExpression matches a text that is one expression and nothing else.
var onlyExpression = lazyregexp.New(`(?s)^\$\{\{(.*)\}\}$`)

func (s situation) evaluate(source string) value {
	t, err := parseExpression(source)
	if err != nil {
		return unknown
	}
	return s.value(t)
}

func (s situation) value(t tree) value {
	switch t.op {
	case opLiteral:
		return literalValue(t.text)
	case opContext:
		return s.contextValue(t.text)
	case opGroup:
		if t.text == "" {
			return s.value(t.args[0])
		}
	case opNot:
		if v := s.value(t.args[0]); v.known {
			return boolean(!v.truth)
		}
	case opAnd, opOr:
		return s.chainValue(t)
	case opCompare:
		return s.comparisonValue(t)
	case opCall:
		return s.callValue(t)
	}
	return unknown
}

func literalValue(text string) value {
	switch {
	case strings.HasPrefix(text, "'"):
		text = strings.ReplaceAll(text[1:len(text)-1], "''", "'")
		return value{known: true, truth: text != "", text: text}
	case text == "true", text == "false":
		return boolean(text == "true")
	case text == "null":
		return value{known: true}
	}
	return value{known: true, truth: strings.Trim(text, "+-0.") != "", text: text}
}

func (s situation) contextValue(path string) value {
	switch {
	case path == "github.event_name" && s.event != "":
		return value{known: true, truth: true, text: s.event}
	case path == "github.ref_type" && s.refType != "":
		return value{known: true, truth: true, text: s.refType}
	case (path == "github.ref" || path == "github.event.ref" && s.event == "push") && s.ref != "":
		return value{known: true, prefix: true, truth: true, text: s.ref}
	}
	return unknown
}

// chainValue returns the first operand that decides. One that is unknown may decide or
// not; what follows may still say that the whole is true, or that it is false.
func (s situation) chainValue(t tree) value {
	unsure := false
	for i, arg := range t.args {
		v := s.value(arg)
		decides := v.known && v.truth == (t.op == opOr)
		switch {
		case decides && unsure:
			return value{known: true, prefix: true, truth: v.truth} // of all that it may be, the truth is known
		case decides, i == len(t.args)-1 && !unsure:
			return v
		case !v.known:
			unsure = true
		}
	}
	return unknown
}

// comparisonValue compares without regard to case, as GitHub does. It knows == and != of
// texts alone.
func (s situation) comparisonValue(t tree) value {
	left, right := s.value(t.args[0]), s.value(t.args[1])
	if left.prefix {
		left, right = right, left
	}
	if !left.known || !right.known || left.prefix || t.text != "==" && t.text != "!=" {
		return unknown
	}
	equal := strings.EqualFold(left.text, right.text)
	if right.prefix {
		if equal = hasPrefix(left.text, right.text); equal {
			return unknown
		}
	}
	return boolean(equal == (t.text == "=="))
}

// callValue knows startsWith, whose second argument is a text, and the status functions
// that are always true.
func (s situation) callValue(t tree) value {
	switch {
	case t.text == "always":
		return boolean(true)
	case t.text != "startswith" || len(t.args) != 2:
		return unknown
	}
	whole, start := s.value(t.args[0]), s.value(t.args[1])
	switch {
	case !whole.known || !start.known || start.prefix:
		return unknown
	case hasPrefix(whole.text, start.text):
		return boolean(true)
	case whole.prefix && hasPrefix(start.text, whole.text):
		return unknown
	}
	return boolean(false)
}

func hasPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
