package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// keepNamed takes out all but the one of several places that the line of the site names: the
// field, property or method of a page object that has the locator. Of rows and items with
// the same test id, `await list.items.click()` looks for that of items; `this.items` is that
// of the class around it, where the class has one.
func (s *scope) keepNamed(all *searchResult) {
	if s.site == nil || s.siteFile == nil {
		return
	}
	var named, own []hit
	for _, x := range all.shared {
		switch isNamed, isOwn := s.isNamedOnSite(x); {
		case isOwn:
			own = append(own, x)
		case isNamed:
			named = append(named, x)
		}
	}
	if len(own) > 0 {
		named = own
	}
	if len(named) == 1 {
		all.shared = named
	}
}

// dropUnnamed takes out what stands in members that the line of the site does not name, where
// it names the one of a hit: the others have lines of their own.
func (s *scope) dropUnnamed(x hit, competing []miss) []miss {
	if s.site == nil || s.siteFile == nil || x.constant != "" {
		return competing
	}
	if isNamed, _ := s.isNamedOnSite(x); !isNamed {
		return competing
	}
	return filterPlaces(competing, func(m miss) bool {
		name := memberAround(m.in, m.token)
		return name == "" || m.in == s.siteFile && m.in.HasLine(m.in.Statement(m.token), s.site.Line) ||
			slices.ContainsFunc(s.siteFile.Idents[name], func(i int) bool { return s.siteFile.LineOf(i) == s.site.Line })
	})
}

// memberAround returns the name of the method of Java or C# that a token is in, "" for none.
func memberAround(s *source.File, i int) string {
	for ; i >= 0; i = s.Parent[i] {
		if s.Text(i) == "{" && s.IsTypeBody(s.Parent[i]) && s.Text(i-1) == ")" && s.Kind(s.End(i-1)-1) == scan.Ident {
			return s.Text(s.End(i-1) - 1)
		}
	}
	return ""
}

// isNamedOnSite reports whether the line of the site names a member of a page object that has
// the locator of a hit, and whether it is one of the class around that line.
func (s *scope) isNamedOnSite(x hit) (isNamed, isOwn bool) {
	if x.constant != "" {
		isOwn = slices.ContainsFunc(x.uses, s.isBareOnSite)
		return isOwn, isOwn
	}
	if s.isBareOnSite(callAt{x.in, x.Call}) {
		return true, true
	}
	name := holderOf(x.in, x.Call)
	on := membersOn(s.siteFile, s.site.Line, name)
	if len(on) == 0 {
		return false, false
	}
	class, onThis := s.siteFile.ClassAround(on[0]), isOnThis(s.siteFile, on[0])
	isOwn = onThis && x.in == s.siteFile && x.in.ClassAround(x.Call) == class
	return isOwn || !onThis || !declaresField(s.siteFile, class, name), isOwn // a field of its own has another locator
}

// isBareOnSite reports whether the line of the site names by its name alone the member that
// holds a locator call of the class around that line.
func (s *scope) isBareOnSite(call callAt) bool {
	i := bareMemberOn(s.siteFile, s.site.Line, holderOf(call.in, call.open))
	return i >= 0 && call.in == s.siteFile && call.in.ClassAround(call.open) == s.siteFile.ClassAround(i)
}

// bareMemberOn returns the use of a member by its name alone on a line, as Java and C# name
// one of the class around it: -1 for none, and where a local variable or a parameter of the
// file has the name, too.
func bareMemberOn(s *source.File, line int, name string) int {
	if s.Dialect.Scan != scan.Java && s.Dialect.Scan != scan.CSharp {
		return -1
	}
	use, declared := -1, 0
	for _, i := range s.Idents[name] {
		switch {
		case s.IsMember(i):
		case s.Kind(i-1) == scan.Ident && !beforeUse[s.Text(i-1)] || s.Text(i-1) == ">" || s.Text(i-1) == "?":
			declared++
		case s.LineOf(i) == line:
			use = i
		}
	}
	if declared != 1 {
		return -1
	}
	return use
}

// beforeUse are the words before the name of a member that is used, not declared.
var beforeUse = scan.WordSet("await return throw yield else do in case")

// membersOn returns the uses of a member of a name on a line.
func membersOn(s *source.File, line int, name string) (on []int) {
	for _, i := range s.Idents[name] {
		if s.IsMember(i) && s.LineOf(i) == line {
			on = append(on, i)
		}
	}
	return on
}

// isOnThis reports whether the member at token i is one of the object whose code it is.
func isOnThis(s *source.File, i int) bool {
	return s.Text(i-2) == "this" || s.Text(i-2) == "self"
}

// declaresField reports whether a class of the file gives a field of a name its value.
func declaresField(s *source.File, class, name string) bool {
	return slices.ContainsFunc(s.Idents[name], func(i int) bool {
		return (s.Text(i+1) == "=" || s.Text(i+1) == ":") && s.ClassAround(i) == class
	})
}

// maxHeader bounds the tokens of a return type.
const maxHeader = 8

// holderOf returns the name of the field that gets the locator of the call at open, or of the
// function that returns it: "" for none, and for a call of which only a part is the locator.
func holderOf(s *source.File, open int) string {
	value := s.Statement(open)
	first := s.TokenFrom(value.Start)
	switch before := s.Text(first - 1); {
	case before == "=":
		name, _ := s.Assignee(first - 1)
		return name
	case before == "=>" && s.Kind(first-2) == scan.Ident:
		return s.Text(first - 2) // C#'s ILocator Save => …
	case before == "=>" && s.Text(first-2) == ")":
		if params := s.End(first - 2); s.Text(params-1) == "=" {
			name, _ := s.Assignee(params - 1)
			return name
		} else if s.Kind(params-1) == scan.Ident {
			return s.Text(params - 1)
		}
	case before == "return" && s.Dialect.Scan == scan.Python:
		return pythonFunction(s, first)
	case before == "return" && s.Text(s.Parent[first]) == "{":
		for i := s.Parent[first] - 1; i > 0 && s.Parent[first]-i <= maxHeader; i-- {
			if s.Text(i) == ")" && s.Kind(s.End(i)-1) == scan.Ident {
				return s.Text(s.End(i) - 1)
			}
		}
	}
	return ""
}

// pythonFunction returns the name of the function that a token is in, "" for none.
func pythonFunction(s *source.File, i int) string {
	for block := range s.OuterBlocks(i) {
		if s.Text(block) == "async" {
			block++
		}
		if s.Text(block) == "def" {
			return s.Text(block + 1)
		}
	}
	return ""
}

// hostOfField is calls.HostOf for a locator that a field of the page object holds, which its
// code hands to another one: this.card.locator(this.menu). It takes the first.
func hostOfField(s *source.File, open int) (host int, kind locator.Kind) {
	for _, i := range s.Idents[holderOf(s, open)] {
		if !s.IsMember(i) || !isOnThis(s, i) {
			continue
		}
		if host, kind = calls.HostOf(s, i-2); kind != "" {
			break
		}
	}
	return host, kind
}
