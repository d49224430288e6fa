package patch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// findOnSite looks at the line that the event names. The placement is 0 when it
// has no literal and nothing that forbids an edit elsewhere.
func (s *scope) findOnSite() (hit, float64, error) {
	if s.site == nil || s.siteFile == nil {
		return hit{}, 0, nil
	}
	hits, misses := findHits(s.siteFile, s.tree, s.change)
	hits = filterPlaces(hits, func(x hit) bool { return !s.isOtherCase(x) })
	possible := filterPlaces(hits, func(x hit) bool { return x.receiver != calls.No })
	switch at := hitsOnSite(s.siteFile, possible, *s.site); {
	case len(at) == 1:
		return at[0], placementSite, s.refuseOtherTest(at[0])
	case len(at) > 1:
		return hit{}, 0, s.tooManyError(at)
	}
	if at := hitsOnSite(s.siteFile, hits, *s.site); len(at) > 0 {
		return hit{}, 0, s.receiverError(at[:1])
	}
	if i := slices.IndexFunc(misses, func(m miss) bool { return m.line() == s.site.Line && isOtherLocator(m) }); i >= 0 {
		return hit{}, 0, fmt.Errorf("%s stands at line %d of %s in another kind of locator call", quoteOld(s.change), s.site.Line, s.siteFile.Name())
	}
	return hit{}, 0, refuseCompetingOnSite(s.siteFile, *s.site, findCompetitors(s.siteFile, s.change, misses, s.saysInReach(s.siteFile)), s.change)
}

// errComputed says of a locator that its call composes it.
var errComputed = errors.New("is computed at")

// followSite looks among what was found for what the site looks for: by a constant, or by
// what is handed to a function that is there. The placement is 0 where nothing is known to
// be that; only what may be it is left.
func (s *scope) followSite(all *searchResult) (hit, float64, error) {
	if s.site == nil || s.siteFile == nil {
		return hit{}, 0, nil
	}
	switch at := hitsOnSite(s.siteFile, slices.Concat(all.own, all.shared, all.others), *s.site); {
	case len(at) == 1:
		return at[0], placementSite, nil
	case len(at) > 1:
		return hit{}, 0, s.tooManyError(at)
	}
	found := len(all.own)+len(all.shared) > 0
	if !all.keepHandedTo(s.siteFile, s.site.Line) && found && s.change.around == nil && computesOn(s.siteFile, s.site.Line, s.change.old.Kind) {
		return hit{}, 0, fmt.Errorf("%s %w line %d of %s", quoteOld(s.change), errComputed, s.site.Line, s.siteFile.Name())
	}
	return hit{}, 0, nil
}

// hitsOnSite returns the hits on the line of the site, or else in the expression
// that spans it. The value of a constant is where the constant is used. The column
// decides between several on one line.
func hitsOnSite(s *source.File, hits []hit, site engine.Site) []hit {
	exact := filterPlaces(hits, func(x hit) bool {
		return x.constant == "" && x.in == s && x.line() == site.Line || x.isUsedIn(s, func(at source.Span) bool { return s.Line(at.Start) == site.Line })
	})
	if len(exact) == 0 {
		return filterPlaces(hits, func(x hit) bool { return x.isUsedIn(s, func(at source.Span) bool { return s.HasLine(at, site.Line) }) })
	}
	if len(exact) > 1 && site.Column > 0 && site.Line <= len(s.Lines) {
		offset := s.Lines[site.Line-1] + site.Column - 1
		if under := filterPlaces(exact, func(x hit) bool {
			return x.isUsedIn(s, func(at source.Span) bool { return at.Contains(offset) })
		}); len(under) == 1 {
			return under
		}
	}
	return exact
}

// isUsedIn reports whether one of the statements of a file that look for the value of
// the hit fulfils a condition.
func (x hit) isUsedIn(s *source.File, is func(at source.Span) bool) bool {
	if x.constant == "" {
		return x.in == s && (is(s.Statement(x.Call)) || slices.ContainsFunc(usesOfVariable(s, x), is))
	}
	return slices.ContainsFunc(x.uses, func(u callAt) bool { return u.in == s && is(s.Statement(u.open)) })
}

// usesOfVariable returns the expressions that use the local variable which holds the locator of
// a hit, and nothing else: email.fill('a'), expect(email). It returns none where another
// variable or parameter has the name, too.
func usesOfVariable(s *source.File, x hit) []source.Span {
	value := s.Statement(x.Call)
	first, last := s.TokenFrom(value.Start), s.TokenFrom(value.End)-1
	name, isField := s.Assignee(first - 1)
	if s.Text(first-1) != "=" || name == "" || isField || isUsed(s, x) || !values.EndsValue(s, last) {
		return nil
	}
	at := s.Whole()
	if s.Dialect.Scan == scan.Python {
		_, at = values.PythonOwner(s, first)
	} else if open := blockOf(s, first); open >= 0 {
		at = s.SpanOf(open, s.End(open))
	}
	var out []source.Span
	for _, i := range s.Idents[name] {
		offset := s.Tokens[i].Start
		if !at.Contains(offset) || s.IsMember(i) || i < first && i >= first-4 {
			continue
		}
		isDone := s.Text(i+1) == "." && (values.IsAction(s.Text(i+2)) || locatorMethods[locator.Fold(s.Text(i+2))]) && offset > value.End
		switch {
		case isDone || calls.IsExpectation(s, s.Parent[i]):
			out = append(out, s.SpanOf(i, s.ExpressionEnd(i)))
		case mayDeclare(s, i):
			return nil
		}
	}
	return out
}

// locatorMethods are the folded names of what is done with a locator and not with a page.
var locatorMethods = scan.WordSet(`clear presssequentially scrollintoviewifneeded count all evaluate evaluateall evaluatehandle boundingbox
	screenshot alltextcontents allinnertexts selecttext dragto blur elementhandle elementhandles`)

// mayDeclare reports whether the name at token i may get another value or meaning there: it
// is assigned, taken out of something, a parameter, or what a loop runs through.
func mayDeclare(s *source.File, i int) bool {
	next, open := s.Text(i+1), s.Parent[i]
	isArrow := func(j int) bool {
		return s.Text(j) == "=>" || s.Text(j) == "-" && s.Text(j+1) == ">" || s.Text(j) == "->"
	}
	switch {
	case next == "=" || next == ":" || isArrow(i+1), next == "," && (open < 0 || s.Text(open) == "{"):
		return true
	case s.Kind(i+1) == scan.Ident && s.LineOf(i+1) == s.LineOf(i), s.Kind(i-1) == scan.Ident && !notTypes[s.Text(i-1)]:
		return true
	}
	for ; open >= 0; open = s.Parent[open] {
		behind := s.End(open) + 1
		switch sign := s.Text(behind); {
		case s.Text(open) == "(":
			return isArrow(behind) || sign == "{" || sign == ":"
		case sign == "=":
			return true
		}
	}
	return false
}

// isOtherLocator reports whether a miss is what a locator call looks for in another way: the
// call that was healed, as it is not understood here, or a line that is not the healed one's.
func isOtherLocator(m miss) bool {
	_, why := calls.ArgumentOf(m.in, m.token)
	return m.why == calls.OutsideCall && why == calls.NoObstacle
}

// refuseCompetingOnSite returns an error when the place on the site that raised
// the heal is one that cannot be edited.
func refuseCompetingOnSite(s *source.File, site engine.Site, competing []miss, c change) error {
	for _, m := range competing {
		switch {
		case m.why == computedArgument && isUsedOnLine(s, m.token, site.Line):
			return fmt.Errorf("%s %w line %d of %s", quoteOld(c), errComputed, m.line(), s.Name())
		case m.why != computedArgument && m.line() == site.Line:
			return fmt.Errorf("%s stands at line %d of %s %s", quoteOld(c), m.line(), s.Name(), m.why)
		}
	}
	return nil
}

// isUsedOnLine reports whether the locator that the call at open looks for is used on a
// line: where it stands, or where the local variable does that holds it.
func isUsedOnLine(s *source.File, open, line int) bool {
	isThere := func(at source.Span) bool { return s.HasLine(at, line) }
	x := hit{Argument: calls.Argument{Call: open}, in: s}
	return isThere(s.Statement(open)) || slices.ContainsFunc(usesOfVariable(s, x), isThere)
}

// refuseOtherTest refuses a hit on a site in another test than the event names.
func (s *scope) refuseOtherTest(x hit) error {
	if !slices.Contains(s.tests, s.siteFile) {
		return nil
	}
	if tests := s.testBodies(s.siteFile, true); len(tests.Own) > 0 && tests.InOther(x.offset()) {
		return fmt.Errorf("line %d of %s is in another test", x.line(), x.in.Name())
	}
	return nil
}

// keepHandedTo takes out what is not handed to a line of a file, where anything is: there
// a function looks for what it is given. It reports whether anything is.
func (all *searchResult) keepHandedTo(s *source.File, line int) bool {
	isThere := func(x hit) bool {
		return slices.ContainsFunc(x.handed, func(u callAt) bool { return u.in == s && isUsedOnLine(s, u.open, line) })
	}
	handed := slices.ContainsFunc(slices.Concat(all.own, all.shared, all.others), isThere)
	if handed {
		all.own, all.shared = filterPlaces(all.own, isThere), filterPlaces(all.shared, isThere)
	}
	return handed
}

// patterns are the names that regular expressions begin with.
var patterns = scan.WordSet("new Pattern re regexp Regex RegExp")

// isOption reports whether the name at token i is that of an option, as in
// element.click(force=forced), and says nothing of what is looked for.
func isOption(s *source.File, i int) bool {
	sign := s.Text(i + 1)
	return s.Text(i) != "selector" && (s.Dialect.Scan == scan.Python && sign == "=" && s.Text(i+2) != "=" || s.Dialect.Scan == scan.CSharp && sign == ":")
}

// computesOn reports whether a line has a locator call that may look for something of a
// kind, and what it looks for is a name there.
func computesOn(s *source.File, line int, kind locator.Kind) bool {
	isName := func(i int) bool { return s.Kind(i) == scan.Ident && !patterns[s.Text(i)] }
	for open, tok := range s.Tokens {
		if !tok.Opens || s.Text(open) != "(" || s.Callee(open) < 0 || !s.HasLine(s.Statement(open), line) {
			continue
		}
		if locator.CallKind(locator.Fold(s.Text(s.Callee(open)))) == locator.KindRole && kind == locator.KindRole {
			for i := open + 1; i < s.End(open); i++ {
				switch option := locator.Fold(s.Text(i)); {
				case (option == "name" || option == "namestring") && (s.Text(i+1) == ":" || s.Text(i+1) == "=") && isName(i+2),
					option == "setname" && isName(i+2):
					return true
				}
			}
			continue
		}
		if found := calls.ArgumentKind(s, open, 0); found != "" && (found == kind || found == locator.KindCSS) && isName(open+1) && !isOption(s, open+1) {
			return true
		}
	}
	return false
}
