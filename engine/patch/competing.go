package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// computedArgument is the obstacle of a call whose argument is not a literal.
const computedArgument calls.Obstacle = "computed"

// findCompetitors returns the places of s that may have raised the heal and cannot
// be edited: misses of its search, and locator calls that may compute the value of texts
// which says reports to be in the code.
func findCompetitors(s *source.File, c change, misses []miss, says func(text string) bool) []miss {
	out := filterPlaces(misses, func(m miss) bool { return mayLookFor(s, m, c) })
	for open := range s.Tokens {
		if s.Text(open) == "(" && s.End(open) != open && mayCompute(s, open, c, says) {
			out = append(out, miss{s, open, computedArgument})
		}
	}
	return out
}

// finders match the folded names of a project's own functions that take a locator.
var finders = lazyregexp.New(`click|tap|press|hover|fill|type|check|find|get|locat|element|select|wait|by[a-z]|visible|button|link`)

// assertions match the names of calls that compare with a value.
var assertions = lazyregexp.New(`^(?:to|be|have|contain|expect|assert|equal|is|should|that|include|match|describe|test|it|step)|^(?:true|false|nil|notnil|noerror|fail)$`)

// mayLookFor reports whether a literal that cannot be edited may be looked for: in
// a branch of a locator call, or as the argument of a function of the project.
func mayLookFor(s *source.File, m miss, c change) bool {
	switch m.why {
	case calls.ConditionBranch, calls.MethodResult, values.UsedElsewhere, calls.Preprocessed:
		return true
	case calls.OutsideCall, doesMore:
	default:
		return false
	}
	open := s.Parent[m.token]
	if open < 0 || s.Text(open) != "(" || s.Callee(open) < 0 {
		return false
	}
	name := locator.Fold(s.Text(s.Callee(open)))
	switch {
	case locator.CallKind(name) != "", assertions.MatchString(name), calls.IsLogged(s, open):
		return false
	case calls.PageMethods[name] && s.ArgumentIndex(open, m.token) > 0:
		return false
	case calls.ValueMethods[name] && (s.ArgumentIndex(open, m.token) > 0 || s.ArgumentCount(open) < 2):
		return false
	}
	isSelector := c.old.Kind == locator.KindCSS || c.old.Kind == locator.KindXPath
	return isSelector && strings.ContainsAny(c.old.Value, "#.[/>:=") || finders.MatchString(name)
}

// mayCompute reports whether the call at open is a locator call whose argument is
// composed and could give the old value.
func mayCompute(s *source.File, open int, c change, says func(text string) bool) bool {
	kind := calls.ArgumentKind(s, open, 0)
	if kind == "" || kind != c.old.Kind && kind != locator.KindCSS {
		return false
	}
	composed := source.ComposedOf(s, open+1)
	if len(composed) < 2 || composed.TextLen() < 2 {
		return false
	}
	for _, value := range []string{c.old.Value, c.old.Raw, c.whole} {
		if mayMake(composed, value, says) {
			return true
		}
	}
	return false
}

// mayFill reports whether code could put these texts into holes: any number, and what it
// says.
func mayFill(holes []string, says func(text string) bool) bool {
	return !slices.ContainsFunc(holes, func(hole string) bool {
		return strings.Trim(hole, "0123456789") != "" && !says(hole)
	})
}

// saysInReach returns whether a text is a string of a file, or of one that the test
// reaches: a helper composes what a test hands to it.
func (s *scope) saysInReach(src *source.File) func(text string) bool {
	return func(text string) bool {
		return src.HasString(text) || slices.ContainsFunc(s.tests, func(test *source.File) bool {
			return slices.ContainsFunc(s.tree.FilesWith(s.tree.ReachableFrom(test.Path), text), func(file string) bool {
				other, err := s.tree.Load(file)
				return err != nil || other.HasString(text)
			})
		})
	}
}

// refuseCompeting refuses a hit when another place may have raised the heal.
func (s *scope) refuseCompeting(x hit, competing []miss) error {
	i := slices.IndexFunc(competing, func(m miss) bool { return m.in != x.in || m.token != x.Call })
	if i < 0 {
		return nil
	}
	m := competing[i]
	if m.why == computedArgument {
		return fmt.Errorf("%s stands at line %d of %s, and what is computed at line %d of %s may say it too",
			quoteOld(s.change), x.line(), x.in.Name(), m.line(), m.in.Name())
	}
	return fmt.Errorf("%s stands at line %d of %s, and at line %d of %s %s",
		quoteOld(s.change), x.line(), x.in.Name(), m.line(), m.in.Name(), m.why)
}
