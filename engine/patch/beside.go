package patch

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// usesBeside returns the hits that look for the element of hits[i] for certain: they
// are made on the same page or locator and used in the same block of statements, and
// everything called between them only types, points, reads or asserts. What may bring
// another page or change the element, a click or a function of the project, ends the
// search.
func usesBeside(s *source.File, hits []hit, i int) []hit {
	at := hits[i]
	if at.constant != "" || !isUsed(s, at) {
		return nil
	}
	around := filterPlaces(hits, func(x hit) bool { return x.constant == "" && x.literal != at.literal })
	slices.SortFunc(around, func(a, b hit) int { return cmp.Compare(a.Call, b.Call) })
	var out []hit
	for _, x := range around { // behind it, while nothing stands between
		if x.Call > at.Call {
			if !leavesPage(s, at, x) && isUsed(s, x) && sameBlock(s, at, x) {
				out = append(out, x)
			}
		} else if !leavesPage(s, x, at) && isUsed(s, x) && sameBlock(s, x, at) {
			out = append(out, x)
		}
	}
	return out
}

// isUsed reports whether the locator of a hit is used where it stands: something is
// done with it or asserted of it. One that is only kept in a variable may be used on
// any page.
func isUsed(s *source.File, x hit) bool {
	if name := locator.Fold(s.Text(s.Callee(x.Call))); calls.PageMethods[name] || calls.ValueMethods[name] {
		return true
	}
	span := s.Statement(x.Call)
	first, last := s.TokenFrom(span.Start), s.TokenFrom(span.End)-1
	if s.Text(last) == ")" {
		if name := locator.Fold(s.Text(s.Callee(s.End(last)))); name != "" && locator.CallKind(name) == "" && name != "first" && name != "last" && name != "nth" && name != "filter" {
			return true
		}
	}
	return calls.IsExpectation(s, s.Parent[first])
}

// sameBlock reports whether two hits, in this order, are made on the same receiver in
// statements of the same block.
func sameBlock(s *source.File, a, b hit) bool {
	if blockOf(s, a.Call) != blockOf(s, b.Call) || receiverText(s, a) != receiverText(s, b) {
		return false
	}
	if s.Dialect.Scan != scan.Python {
		return true
	}
	from, to := s.LineOf(s.TokenFrom(s.Statement(a.Call).Start)), s.LineOf(s.TokenFrom(s.Statement(b.Call).Start))
	for line := from; line <= to; line++ {
		blank := s.FirstToken(line) >= len(s.Tokens) || s.LineOf(s.FirstToken(line)) != line
		if !blank && s.Indent(line) < s.Indent(from) {
			return false
		}
	}
	return s.Indent(from) == s.Indent(to)
}

// blockOf returns the brace around a token, past the parentheses and lists that it
// stands in, -1 at top level.
func blockOf(s *source.File, i int) int {
	open := s.Parent[i]
	for open >= 0 && s.Text(open) != "{" {
		open = s.Parent[open]
	}
	return open
}

// receiverText returns what the call of a hit is made on, as it is written without
// spaces.
func receiverText(s *source.File, x hit) string {
	text := ""
	for i := s.TokenFrom(s.Statement(x.Call).Start); i < s.Callee(x.Call); i++ {
		if s.Text(i) != "await" {
			text += s.Text(i)
		}
	}
	return text
}

// leavesPage reports whether what is called from hit a up to hit b may bring another
// page, or what is assigned there another receiver.
func leavesPage(s *source.File, a, b hit) bool {
	root := s.Text(s.TokenFrom(s.Statement(b.Call).Start))
	for i := s.Callee(a.Call); i < b.Call; i++ {
		switch {
		case s.Text(i) == "(" && i != s.Parent[b.Call]:
			if c := s.Callee(i); c >= 0 && !keepsPage(locator.Fold(s.Text(c))) {
				return true
			}
		case s.Text(i) == root && (s.Text(i+1) == "=" || s.Text(i+1) == ":" && s.Text(i+2) == "="):
			return true
		}
	}
	return false
}

// keeping are the folded names of Playwright's calls that neither leave a page nor take
// an element away, and of the options and assertions around them. Pressing a key,
// clicking, choosing and setting the content can do both, and so can every function of
// the project.
var keeping = scan.WordSet(`fill type presssequentially clear focus blur hover scrollintoviewifneeded first last nth filter
	innertext innerhtml textcontent alltextcontents allinnertexts inputvalue ischecked isdisabled iseditable isenabled ishidden isvisible
	count getattribute boundingbox waitfor and or string regexp compile locator framelocator contentframe waitfortimeout waitforselector
	expect assertthat asserttrue assertfalse assertequals not isempty isfocused isattached isinviewport hastext hasvalue hasvalues hascount
	hasattribute hasclass hasid hascss hasrole hasaccessiblename containstext containsclass getbyroleoptions getbylabeloptions
	getbytextoptions filteroptions setexact setname sethastext settimeout`)

// asserting matches the folded names of the matchers of expect.
var asserting = lazyregexp.New(`^(?:not)?to(?:be|have|contain|match|equal)[a-z]*$`)

func keepsPage(folded string) bool {
	return keeping[folded] || locator.CallKind(folded) != "" || asserting.MatchString(folded)
}
