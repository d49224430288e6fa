package calls

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Argument is a string literal, or a name for one, in a locator call.
type Argument struct {
	Token int          // the literal, or the first token of the name
	Kind  locator.Kind // how Playwright uses it: KindCSS for a selector
	Role  string       // KindRole: the role in the same call, "" if unknown
	Call  int          // the parenthesis of the locator call
	Text  string       // the value of the literal; of a regular expression /source/flags
	// Regexp says that the literal is a regular expression, or the text of one.
	Regexp bool
}

// Obstacle says why a literal cannot be edited, NoObstacle that it can.
type Obstacle string

// The obstacles, as the end of a sentence.
const (
	NoObstacle      Obstacle = ""
	OutsideCall     Obstacle = "outside a locator call"
	joinedText      Obstacle = "joined with other text"
	ConditionBranch Obstacle = "as one branch of a condition"
	MethodResult    Obstacle = "changed by a method call"
	Preprocessed    Obstacle = "between #if and #endif"
)

// ArgumentOf returns the literal at i as an argument or option of a locator call.
func ArgumentOf(s *source.File, i int) (Argument, Obstacle) {
	value, _ := s.Literal(i)
	if source.AnyContains(s.Conditional, s.Tokens[i].Start) {
		return Argument{Token: i, Text: value}, Preprocessed
	}
	pattern, isPattern := PatternAt(s, i)
	if !isPattern {
		return ArgumentAt(s, i, i, value)
	}
	found, why := ArgumentAt(s, pattern.First, pattern.Last, pattern.Body)
	found.Regexp = true
	return found, why
}

// ArgumentAt returns the tokens from first to last, whose value is text, as an
// argument or option of a locator call.
func ArgumentAt(s *source.File, first, last int, text string) (Argument, Obstacle) {
	found := Argument{Token: first, Text: text}
	for s.Text(first-1) == "(" && s.Callee(first-1) < 0 && s.End(first-1) == last+1 { // getByText(("Save"))
		first, last = first-1, last+1
	}
	if why := computedObstacle(s, first, last); why != NoObstacle {
		return found, why
	}
	key, bracket := s.Key(first), s.Parent[first]
	if first == last && isShorthand(s, first) {
		key = locator.Fold(s.Text(first))
	}
	switch {
	case bracket < 0:
		return found, OutsideCall
	case s.Text(bracket) == "(":
		return positionalArgument(s, found, key, bracket)
	case s.Text(bracket) == "{" && key != "":
		return optionArgument(s, found, key, s.Parent[bracket])
	}
	return found, OutsideCall
}

// positionalArgument returns a literal that is directly in the parentheses of a call.
func positionalArgument(s *source.File, found Argument, key string, open int) (Argument, Obstacle) {
	c := s.Callee(open)
	if c < 0 {
		return found, OutsideCall
	}
	if option, ok := strings.CutPrefix(locator.Fold(s.Text(c)), "set"); ok && key == "" && s.Dialect.Print == locator.Java {
		if outer := s.Parent[open]; s.Text(outer) == "(" {
			return optionArgument(s, found, option, outer)
		}
	}
	if key != "" && key != "selector" && key != "testid" && key != "text" {
		return optionArgument(s, found, key, open)
	}
	found.Kind, found.Call = ArgumentKind(s, open, s.ArgumentIndex(open, found.Token)), open
	if found.Kind == "" {
		return found, OutsideCall
	}
	return found, NoObstacle
}

// optionArgument returns a literal that is the value of a named option of a call.
func optionArgument(s *source.File, found Argument, key string, call int) (Argument, Obstacle) {
	c := s.Callee(call)
	if c < 0 {
		return found, OutsideCall
	}
	found.Call = call
	key = strings.TrimSuffix(strings.TrimSuffix(key, "string"), "regex") // C#'s options say the type
	switch locator.Fold(s.Text(c)) + " " + key {
	case "getbyrole name":
		found.Kind, found.Role = locator.KindRole, roleArgument(s, call)
	case "filter hastext", "locator hastext":
		found.Kind = locator.KindHasText
	case "filter hasnottext", "locator hasnottext":
		found.Kind = locator.KindHasNotText
	default:
		return found, OutsideCall
	}
	return found, NoObstacle
}

// computedObstacle says why the tokens from first to last are not the whole value of
// an argument.
func computedObstacle(s *source.File, first, last int) Obstacle {
	before, after := s.Text(first-1), s.Text(last+1)
	if s.BeginsStatement(last + 1) {
		after = ""
	}
	switch {
	case s.Kind(first-1) == scan.String, s.Kind(last+1) == scan.String,
		before == "+", after == "+", after == "%":
		return joinedText
	case after == "." || after == "?.":
		return MethodResult
	case after == "?" || after == "if" || before == "?" || before == "else" || after == "else",
		before == ":" && s.Key(first) == "", before == "|" || after == "|", before == "&" || before == "or" || after == "or":
		return ConditionBranch
	case before != "(" && before != "," && s.Key(first) == "" && !isShorthand(s, first), after != ")" && after != "," && after != "}":
		return OutsideCall
	}
	return NoObstacle
}

// isShorthand reports whether the name at i is the key and the value of an option: { name }.
func isShorthand(s *source.File, i int) bool {
	before, after := s.Text(i-1), s.Text(i+1)
	return s.Dialect.IsScript() && s.Kind(i) == scan.Ident && s.Text(s.Parent[i]) == "{" &&
		(before == "{" || before == ",") && (after == "}" || after == ",") && s.Text(s.Parent[s.Parent[i]]) == "("
}

var roleConditions = scan.WordSet(`checked disabled expanded includehidden level pressed selected
	setchecked setdisabled setexpanded setincludehidden setlevel setpressed setselected`)

// Options returns whether a getBy… call is exact, and whether it has conditions
// besides the name.
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

// booleanValue returns Yes when the value at token i is true, No for false, and
// Unsure for anything else. Go wraps it: playwright.Bool(true).
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
