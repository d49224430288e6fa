package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

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
		return x.in == s && is(s.Statement(x.Call))
	}
	return slices.ContainsFunc(x.uses, func(u callAt) bool { return u.in == s && is(s.Statement(u.open)) })
}
