package patch

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// getterOf returns the new locator of a hit as a call of getByTestId, where the hit is
// the only argument of a locator call and the new locator is CSS on the attribute that
// getByTestId reads in this project.
func (p *Proposer) getterOf(x hit, s *scope, h engine.HealEvent) (locator.Selector, bool) {
	last := len(s.next.Parts) - 1
	if x.constant != "" || x.Kind != locator.KindCSS || len(s.change.before) != last || x.value == s.change.wholeNew ||
		locatorCallAt(x.in, x.in.Callee(x.Call)) != x.literal {
		return locator.Selector{}, false
	}
	name, value, ok := locator.AttributeOf(s.next.Parts[last])
	if !ok || name != p.testIDAttribute(h) {
		return locator.Selector{}, false
	}
	return s.next.WithPart(last, locator.ByTestID(name, value).Last()), true
}

// locatorCallAt returns the literal of the call locator('x') whose name is token c,
// -1 when it is no such call of a page or locator with nothing but the literal.
func locatorCallAt(s *source.File, c int) int {
	if c < 0 || locator.Fold(s.Text(c)) != "locator" || !s.IsMember(c) || s.Text(c+1) != "(" || s.Kind(c+2) != scan.String || s.Text(c+3) != ")" {
		return -1
	}
	return c + 2
}

// testIDAttribute returns the attribute that getByTestId reads in this project: the one
// that the healer used, else data-testid where no source of the checkout says
// otherwise, for this project or another one. It is "" where it is not known.
func (p *Proposer) testIDAttribute(h engine.HealEvent) string {
	for _, m := range h.Matches {
		if s, err := locator.Parse(m.Locator); err == nil && s.Last().Kind == locator.KindTestID && s.Last().Attr != "" {
			return s.Last().Attr
		}
	}
	if p.testID == nil {
		attribute := "data-testid"
		if slices.ContainsFunc(p.tree.Files(), func(file string) bool { return setsTestID.Match(p.tree.Bytes(file)) }) {
			attribute = ""
		}
		p.testID = &attribute
	}
	return *p.testID
}

// setsTestID matches what sets the attribute of test ids in any of the languages.
var setsTestID = lazyregexp.New(`(?i)test_?id_?attribute`)

// replaceCall returns the edit that makes the locator call around a literal one of
// getByTestId with the same quotes. It is verified: the edited file is read again, and
// only the call's name and its string may have changed.
func replaceCall(s *source.File, literal int, value string) (Edit, error) {
	name := literal - 2
	text, ok := scan.Encode(s.Bytes, s.Tokens[literal], value)
	if !ok || strings.ContainsAny(s.Text(literal), "\r\n") {
		return Edit{}, unwritableError(s, literal)
	}
	between := s.Bytes[s.Tokens[name].End:s.Tokens[literal].Start]
	behind := s.Bytes[s.Tokens[literal].End:s.Tokens[literal+1].End]
	if strings.ContainsAny(string(between)+string(behind), "\r\n") {
		return Edit{}, spansLinesError(s, literal)
	}
	getter := locator.GetterName(locator.KindTestID, s.Dialect.Print)
	e, err := lineEdit(s, s.Tokens[name].Start, s.Tokens[literal+1].End, getter+string(between)+text+string(behind))
	if err != nil {
		return Edit{}, err
	}
	if got, err := verifyCall(s, e, name); err != nil || got != value {
		return e, errUnverified
	}
	return e, nil
}

// verifyCall makes an edit of the call whose name is token c and compares the tokens
// before and after: the name must be getByTestId's, and all others but the call's
// literal the same. It returns the literal's new value.
func verifyCall(s *source.File, e Edit, c int) (value string, err error) {
	literal := locatorCallAt(s, c)
	if literal < 0 {
		return "", errUnverified
	}
	after, err := readEdited(s, e)
	if err != nil {
		return "", err
	}
	for j := range s.Tokens {
		if j == c && after.Text(j) != locator.GetterName(locator.KindTestID, s.Dialect.Print) ||
			after.Tokens[j].Kind != s.Tokens[j].Kind || j != c && j != literal && s.Text(j) != after.Text(j) {
			return "", errUnverified
		}
	}
	value, ok := after.Literal(literal)
	if _, why := calls.ArgumentOf(after, literal); !ok || value == "" || why != calls.NoObstacle || gapsOf(s, c) != gapsOf(after, c) {
		return "", errUnverified
	}
	return value, nil
}

// gapsOf returns what stands between the tokens of the locator call whose name is token
// c: spaces, or comments.
func gapsOf(s *source.File, c int) string {
	gaps := ""
	for i := c; i < c+3; i++ {
		gaps += string(s.Bytes[s.Tokens[i].End:s.Tokens[i+1].Start]) + "|"
	}
	return gaps
}
