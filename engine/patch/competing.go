package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// competitor is a place beside a hit that may be what raised the heal: a locator
// call whose argument is computed and could say the old value, or the old value
// handed to a function that may look for it.
type competitor struct {
	in    *source.File
	token int
	why   calls.Obstacle
}

func (r competitor) line() int { return r.in.LineOf(r.token) }

const computedArgument calls.Obstacle = "computed"

// findCompetitors returns the places of s, with the misses of its search, that may have
// raised the heal as well as a hit.
func findCompetitors(s *source.File, c change, misses []miss) []competitor {
	var out []competitor
	for _, m := range misses {
		if mayLookFor(s, m, c) {
			out = append(out, competitor{s, m.token, m.why})
		}
	}
	for open := range s.Tokens {
		if s.Text(open) == "(" && s.End(open) != open && mayCompute(s, open, c) {
			out = append(out, competitor{s, open, computedArgument})
		}
	}
	return out
}

// finders are what the names of people's own functions that take a locator
// hold, folded.
var finders = regexp.MustCompile(`click|tap|press|hover|fill|type|check|find|get|locat|element|select|wait|by[a-z]|visible|button|link`)

// assertions are calls that compare with a value; their argument finds nothing.
var assertions = regexp.MustCompile(`^(?:to|be|have|contain|expect|assert|equal|is|should|that|include|match|describe|test|it|step)`)

// mayLookFor reports whether an equal literal that is in no locator call may
// be looked for: one branch of a locator call, or the argument of a function
// of the project's own that gets a selector.
func mayLookFor(s *source.File, m miss, c change) bool {
	switch m.why {
	case calls.ConditionBranch, calls.MethodResult, usedElsewhere, calls.Preprocessed:
		return true
	case calls.OutsideCall:
	default:
		return false
	}
	open := s.Parent[m.token]
	if open < 0 || s.Text(open) != "(" || s.Callee(open) < 0 {
		return false
	}
	name := locator.Fold(s.Text(s.Callee(open)))
	switch {
	case locator.CallKind(name) != "", assertions.MatchString(name), calls.PageMethods[name]:
		return false
	case calls.ValueMethods[name] && (s.ArgumentIndex(open, m.token) > 0 || s.ArgumentCount(open) < 2):
		return false
	}
	if c.isSelector() && strings.ContainsAny(c.old.Value, "#.[/>:=") {
		return true
	}
	return finders.MatchString(name)
}

func (c change) isSelector() bool {
	return c.old.Kind == locator.KindCSS || c.old.Kind == locator.KindXPath
}

// mayCompute reports whether the call at open is a locator call of the
// change's kind whose argument is put together and could say the old value.
func mayCompute(s *source.File, open int, c change) bool {
	kind := calls.ArgumentKind(s, open, 0)
	if kind == "" || kind != c.old.Kind && kind != locator.KindCSS {
		return false
	}
	said := source.ComposedOf(s, open+1)
	if len(said) < 2 || !said.IsTelling() {
		return false
	}
	for _, value := range []string{c.old.Value, c.old.Raw, c.whole} {
		if holes, ok := said.Holes(value); ok && mayFill(s, holes) {
			return true
		}
	}
	return false
}

// mayFill reports whether s could put these texts into holes: numbers are
// counted up anywhere, other text has to come from a string of the file.
func mayFill(s *source.File, holes []string) bool {
	for _, hole := range holes {
		if strings.Trim(hole, "0123456789") != "" && !s.HasString(hole) {
			return false
		}
	}
	return true
}

// refuseCompeting says why a hit must not be edited beside its rivals.
func (s *scope) refuseCompeting(x hit, rivals []competitor) error {
	i := slices.IndexFunc(rivals, func(r competitor) bool { return r.in == x.in && r.token != x.Call || r.in != x.in })
	if i < 0 {
		return nil
	}
	r := rivals[i]
	if r.why == computedArgument {
		return fmt.Errorf("%s stands at line %d of %s, and what is computed at line %d of %s may say it too",
			quoted(s.change), x.line(), source.Printable(x.in.Path), r.line(), source.Printable(r.in.Path))
	}
	return fmt.Errorf("%s stands at line %d of %s, and at line %d of %s %s",
		quoted(s.change), x.line(), source.Printable(x.in.Path), r.line(), source.Printable(r.in.Path), r.why)
}

// refuseCompetingOnSite says why the heal came from the site itself, where there is
// nothing to edit.
func refuseCompetingOnSite(s *source.File, site engine.Site, rivals []competitor, c change) error {
	for _, r := range rivals {
		first, last := r.line(), r.line()
		if r.why == computedArgument {
			at := s.Statement(r.token)
			first, last = s.Line(at.Start), s.Line(at.End-1)
		}
		switch {
		case site.Line < first || site.Line > last:
		case r.why == computedArgument:
			return fmt.Errorf("%s is computed at line %d of %s", quoted(c), r.line(), source.Printable(s.Path))
		default:
			return fmt.Errorf("%s stands at line %d of %s %s", quoted(c), r.line(), source.Printable(s.Path), r.why)
		}
	}
	return nil
}
