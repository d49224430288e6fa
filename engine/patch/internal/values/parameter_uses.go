package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// UsesOf returns the places that use what a parameter gets, but those that only write it to a
// log. It returns false when a field that keeps it is not followed for certain or never used.
func (f Helper) UsesOf(p Parameter, t *checkout.Tree) ([]Use, bool) {
	s := f.in
	var out []Use
	if p.field {
		found, ok := FindUses(s, t, Constant{Name: p.name, at: p.at, member: true, owner: f.class, scope: s.Whole()})
		if out = withoutLogs(found); !ok || len(out) == 0 {
			return nil, false
		}
	}
	for _, i := range s.Idents[p.name] {
		if i == p.at || !f.code.Contains(s.Tokens[i].Start) || s.IsMember(i) || isKey(s, i) || isKeyword(s, i) {
			continue
		}
		uses, ok := []Use{{In: s, First: i, Last: i}}, true
		if field, kept := f.fieldOf(i); kept {
			uses, ok = FindUses(s, t, field)
		} else if calls.IsLogged(s, s.Parent[i]) {
			continue
		}
		if uses = withoutLogs(uses); !ok || len(uses) == 0 {
			return nil, false
		}
		out = append(out, uses...)
	}
	return out, true
}

// withoutLogs returns the uses that do not only write to a log.
func withoutLogs(uses []Use) []Use {
	return slices.DeleteFunc(uses, func(u Use) bool { return calls.IsLogged(u.In, u.In.Parent[u.First]) })
}

// UsesOfEntry returns the places that use an entry of the object that a parameter takes,
// { name } or options with options.name. It returns false when the function may do anything
// else with the entry.
func (f Helper) UsesOfEntry(p Parameter, name string, t *checkout.Tree) ([]Use, bool) {
	s := f.in
	if s.Text(p.first) != "{" {
		uses := f.entryUses(p, name)
		return uses, len(uses) > 0
	}
	for i := p.first + 1; i < s.End(p.first); i = s.Next(i) {
		before, next := s.Text(i-1), s.Text(i+1)
		if s.IsSpread(i) {
			return nil, false
		}
		if s.Text(i) != name || before != "{" && before != "," {
			continue
		}
		local := Parameter{name: name, at: i}
		if next == ":" { // { name: variable }
			local = Parameter{name: s.Text(i + 2), at: i + 2}
		} else if next != "," && next != "}" && next != "=" {
			return nil, false
		}
		return f.UsesOf(local, t)
	}
	return nil, false
}

// entryUses returns the places that use an entry of what a parameter takes: options.name.
// It returns none when the function does more with the parameter.
func (f Helper) entryUses(p Parameter, name string) []Use {
	s := f.in
	if p.odd || p.field {
		return nil
	}
	var out []Use
	for _, i := range s.Idents[p.name] {
		if i == p.at || !f.code.Contains(s.Tokens[i].Start) || s.IsMember(i) || isKey(s, i) {
			continue
		}
		if !s.IsMember(i+2) || s.Kind(i+2) != scan.Ident {
			return nil
		}
		if s.Text(i+2) == name {
			out = append(out, Use{In: s, First: i, Last: i + 2})
		}
	}
	return out
}
