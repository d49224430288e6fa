package patch

import (
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// optionOf returns the name under which the tokens from first to last are an entry of an
// object of a script that is an argument of a call: tapOn(page, { selector: "x" }).
func optionOf(s *source.File, first, last int) (name string, ok bool) {
	open, after := s.Parent[first], s.Text(last+1)
	if !s.Dialect.IsScript() || s.Text(open) != "{" || s.Text(s.Parent[open]) != "(" || s.Text(first-1) != ":" || s.Kind(first-2) != scan.Ident ||
		after != "," && after != "}" || s.Text(open-1) != "(" && s.Text(open-1) != "," {
		return "", false
	}
	for i := open + 1; i < s.End(open); i = s.Next(i) {
		if s.IsSpread(i) {
			return "", false
		}
	}
	for i := s.Parent[open] + 1; i < open; i = s.Next(i) { // the place of the argument is known
		if s.IsSpread(i) {
			return "", false
		}
	}
	return s.Text(first - 2), true
}

// hitsOfOption returns the hits for the locator calls that the function makes of an entry of
// the object that a parameter takes, { name } or options with options.name. It returns none
// when it may do anything else with the entry.
func (f helper) hitsOfOption(p parameter, name string, t *checkout.Tree, text string, c change, depth int) []hit {
	s := f.in
	if s.Text(p.first) != "{" {
		return hitsOfUses(f.entryUses(p, name), t, text, c, depth)
	}
	for i := p.first + 1; i < s.End(p.first); i = s.Next(i) {
		before, next := s.Text(i-1), s.Text(i+1)
		if s.IsSpread(i) {
			return nil
		}
		if s.Text(i) != name || before != "{" && before != "," {
			continue
		}
		local := parameter{name: name, at: i}
		if next == ":" { // { name: variable }
			local = parameter{name: s.Text(i + 2), at: i + 2}
		} else if next != "," && next != "}" && next != "=" {
			return nil
		}
		return f.hitsOf(local, t, text, c, depth)
	}
	return nil
}

// entryUses returns the places that use an entry of what a parameter takes: options.name.
// It returns none when the function does more with the parameter.
func (f helper) entryUses(p parameter, name string) []use {
	s := f.in
	if p.odd || p.field {
		return nil
	}
	var out []use
	for _, i := range s.Idents[p.name] {
		if i == p.at || !f.code.Contains(s.Tokens[i].Start) || s.IsMember(i) || isKey(s, i) {
			continue
		}
		if !s.IsMember(i+2) || s.Kind(i+2) != scan.Ident {
			return nil
		}
		if s.Text(i+2) == name {
			out = append(out, use{in: s, first: i, last: i + 2})
		}
	}
	return out
}
