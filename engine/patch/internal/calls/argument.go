package calls

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Argument is the place of a string literal in a locator call.
type Argument struct {
	Token int          // the literal, or the first token of the name that stands for it
	Kind  locator.Kind // KindCSS: a selector; else what the value is looked for in
	Role  string       // KindRole: the role argument beside it, "" if unknown
	Call  int          // the parenthesis of the locator call
	Text  string       // decoded literal
}

// Obstacle says why a literal is not in a locator call that can be edited.
type Obstacle string

const (
	NoObstacle      Obstacle = ""
	OutsideCall     Obstacle = "outside a locator call"
	joinedText      Obstacle = "joined with other text"
	ConditionBranch Obstacle = "as one branch of a condition"
	MethodResult    Obstacle = "changed by a method call"
	Preprocessed    Obstacle = "between #if and #endif"
)

// ArgumentOf returns the locator call that the literal at i is an argument or an
// option of.
func ArgumentOf(s *source.File, i int) (Argument, Obstacle) {
	value, _ := s.Literal(i)
	if source.AnyContains(s.Conditional, s.Tokens[i].Start) {
		return Argument{Token: i, Text: value}, Preprocessed
	}
	return ArgumentAt(s, i, i, value)
}

// ArgumentAt returns the locator call that tokens first to last, which say text,
// are an argument or an option of.
func ArgumentAt(s *source.File, first, last int, text string) (Argument, Obstacle) {
	found := Argument{Token: first, Text: text}
	if why := computedObstacle(s, first, last); why != NoObstacle {
		return found, why
	}
	key, bracket := s.Key(first), s.Parent[first]
	switch {
	case bracket < 0:
		return found, OutsideCall
	case s.Text(bracket) == "(":
		return positionalArgument(s, found, key, bracket)
	case s.Text(bracket) == "{" && key != "":
		return optionArgument(s, found, key, OptionsCall(s, bracket))
	}
	return found, OutsideCall
}

// OptionsCall returns the call that the options object at brace is an argument
// of, or -1.
func OptionsCall(s *source.File, brace int) int {
	call := s.Parent[brace]
	if call < 0 || s.Text(call) != "(" {
		return -1
	}
	return call
}

// positionalArgument places a literal directly inside the parentheses of a call.
func positionalArgument(s *source.File, found Argument, key string, open int) (Argument, Obstacle) {
	c := s.Callee(open)
	if c < 0 {
		return found, OutsideCall
	}
	if option, ok := strings.CutPrefix(locator.Fold(s.Text(c)), "set"); ok && key == "" && s.Dialect.Print == locator.Java {
		if outer := s.Parent[open]; outer >= 0 && s.Text(outer) == "(" {
			return optionArgument(s, found, option, outer)
		}
	}
	position := s.ArgumentIndex(open, found.Token)
	if key != "" && key != "selector" && key != "testid" && key != "text" {
		return optionArgument(s, found, key, open)
	}
	found.Kind, found.Call = ArgumentKind(s, open, position), open
	if found.Kind == "" {
		return found, OutsideCall
	}
	return found, NoObstacle
}

// optionArgument places a literal that is the value of a named option of call.
func optionArgument(s *source.File, found Argument, key string, call int) (Argument, Obstacle) {
	c := s.Callee(call)
	if c < 0 {
		return found, OutsideCall
	}
	found.Call = call
	switch method := locator.Fold(s.Text(c)); {
	case key == "name" && method == "getbyrole":
		found.Kind, found.Role = locator.KindRole, roleArgument(s, call)
	case key == "hastext" && (method == "filter" || method == "locator"):
		found.Kind = locator.KindHasText
	case key == "hasnottext" && (method == "filter" || method == "locator"):
		found.Kind = locator.KindHasNotText
	default:
		return found, OutsideCall
	}
	return found, NoObstacle
}

// computedObstacle says whether tokens first to last are only a piece of the value
// that the call gets.
func computedObstacle(s *source.File, first, last int) Obstacle {
	i := first
	before, after := s.Text(first-1), s.Text(last+1)
	switch {
	case s.Kind(first-1) == scan.String, s.Kind(last+1) == scan.String,
		before == "+", after == "+", after == "%":
		return joinedText
	case after == "." || after == "?.":
		return MethodResult
	case after == "?" || after == "if" || before == "?" || before == "else" || after == "else",
		before == ":" && s.Key(i) == "", before == "|" || after == "|", before == "&" || before == "or" || after == "or":
		return ConditionBranch
	case before != "(" && before != "," && s.Key(i) == "":
		return OutsideCall
	case after != ")" && after != "," && after != "}":
		return OutsideCall
	}
	return NoObstacle
}

var roleConditions = scan.WordSet(`checked disabled expanded includehidden level pressed selected
	setchecked setdisabled setexpanded setincludehidden setlevel setpressed setselected`)

// Options reads the options of a getBy… call: whether it is exact, and whether
// it has conditions beside the name.
func Options(s *source.File, open int) (exact Certainty, conditions bool) {
	exact = No
	for i := open + 1; i < s.End(open); i++ {
		next := s.Text(i + 1)
		option := locator.Fold(s.Text(i))
		if next != ":" && next != "=" && next != "(" || s.Kind(i) != scan.Ident {
			continue
		}
		switch {
		case option == "exact" || option == "setexact":
			exact = booleanValue(s, i+2, s.End(open))
		case roleConditions[option]:
			conditions = true
		}
	}
	return exact, conditions
}

// booleanValue returns what the value at token i says: yes for true, no for false,
// unsure for anything else. Go wraps it: playwright.Bool(true).
func booleanValue(s *source.File, i, end int) Certainty {
	for ; i < end && s.Text(i) != ","; i++ {
		switch s.Text(i) {
		case "true", "True":
			return Yes
		case "false", "False":
			return No
		}
	}
	return Unsure
}
