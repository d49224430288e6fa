package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// maxHanded bounds how many functions hand a text on to each other.
const maxHanded = 3

// handing is a text that is handed to a function: as an argument, or as an entry of one.
type handing struct {
	first  int    // the first token of the argument
	open   int    // the parenthesis of the call
	key    string // the name that the argument is given by, "" for its place
	option string // the name of the entry of an object, "" for the argument itself
	listed bool   // the argument is a list that has the text
}

// handingAt returns how the tokens from first to last are handed to a function.
func handingAt(s *source.File, first, last int) (handing, bool) {
	open := s.Parent[first]
	if name, ok := optionOf(s, first, last); ok {
		return handing{first: open, open: s.Parent[open], option: name}, true
	}
	h := handing{first: first}
	if begin, end, ok := values.ListAround(s, first, last); ok {
		h = handing{first: begin, listed: true}
		last = end
	}
	return h.inCall(s, last)
}

// inCall returns the handing with the call whose argument ends at token last.
func (h handing) inCall(s *source.File, last int) (handing, bool) {
	if h.open = s.Parent[h.first]; s.Callee(h.open) < 0 {
		return handing{}, false
	}
	key, ok := values.ArgumentKey(s, h.first, last)
	h.key = key
	return h, ok
}

// handedHits returns the hits of a text that is handed to a function of the project, or to
// a constructor, tokens first to last of s: one for each locator call that is made of it.
// It returns none when anything else may be done with it, when it is not certain which
// function that is, or when one call looks for another thing than the old value. isOwn says
// that a function of the project is called for certain.
func handedHits(s *source.File, t *checkout.Tree, first, last int, text string, c change, depth int) (found []hit, isOwn bool) {
	h, ok := handingAt(s, first, last)
	if !ok {
		return nil, false
	}
	return h.hits(s, t, text, c, depth)
}

// hits is handedHits for what is handed as h is.
func (h handing) hits(s *source.File, t *checkout.Tree, text string, c change, depth int) (out []hit, isOwn bool) {
	if t == nil || depth >= maxHanded || s.Callee(h.open) < 0 {
		return nil, false
	}
	callee := s.Callee(h.open)
	functions, constructs := values.ConstructorsAt(s, t, h.open)
	if !constructs {
		functions = values.HelpersOf(s, t, callee)
	}
	for _, f := range functions {
		f = f.As(s, callee)
		isCalled, may := c.isCalledAt(f, s, callee)
		p, ok := f.ParameterOf(s.ArgumentIndex(h.open, h.first), h.key)
		if !ok || !may || !f.Takes(s.ArgumentCount(h.open)) || h.option == "" && p.IsLocator() || h.listed && p.TakesText() && p.IsTyped() {
			continue // another function of the same name
		}
		step := following{f, p.Name()}
		if slices.Contains(c.following, step) {
			continue // it hands the text to itself, or to what it stands for: a driver around a driver
		}
		made := c
		made.following = append(slices.Clone(c.following), step)
		made.roles = f.Given(s, h.open, func(first, last int) string { return c.roleOf(s, first, last) })
		made.texts = f.Given(s, h.open, func(first, last int) string { return c.textOf(s, first, last) })
		found := hitsOfHanded(f, h, p, t, text, made, depth)
		isOwn = isOwn || constructs || isCalled
		if len(found) == 0 || !constructs && !isCalled {
			return nil, isOwn
		}
		for i := range found {
			found[i].via = append(found[i].via, callAt{s, h.open})
		}
		out = append(out, found...)
	}
	return out, isOwn
}

// following is a function, and its parameter, whose uses of a text are looked at.
type following struct {
	function  values.Helper
	parameter string
}

// isCalledAt reports whether the call whose name is token callee is one of a function for
// certain, and whether it may be: by what it is called on there, and by its class.
func (c change) isCalledAt(f values.Helper, s *source.File, callee int) (certain, may bool) {
	certain = f.IsCalledAt(s, callee)
	if c.runner == nil || f.Class() == "" || !s.IsMember(callee) {
		return certain, true
	}
	runner := c.runner()
	if runner == nil {
		return certain, true
	}
	isOn, may := runner.IsOn(s, callee, f.Class())
	return certain || isOn, may
}

// roleOf returns the ARIA role that the tokens from first to last name: by itself, or by a
// parameter that a call gives one.
func (c change) roleOf(s *source.File, first, last int) string {
	if role := calls.RoleOf(s, first, last); role != "" || first != last {
		return role
	}
	return c.roles[s.Text(first)]
}

// hitsOfHanded returns the hits for the locator calls that the function makes of what a
// parameter gets, none when it may do anything else with it.
func hitsOfHanded(f values.Helper, h handing, p values.Parameter, t *checkout.Tree, text string, c change, depth int) []hit {
	var uses []values.Use
	var ok bool
	switch {
	case h.option != "":
		uses, ok = f.UsesOfEntry(p, h.option, t)
	case h.listed && p.TakesList(), !h.listed && p.TakesRest():
		uses, ok = f.UsesOfList(p, t)
	case !h.listed && p.TakesText():
		uses, ok = f.UsesOf(p, t)
	}
	if !ok {
		return nil
	}
	return hitsOfUses(uses, t, text, c, depth)
}

// hitsOfUses returns the hits for the locator calls that are made of a text where it is
// used, none when one of the uses may be anything else, or asks something of it to which a
// new text is another answer.
func hitsOfUses(uses []values.Use, t *checkout.Tree, text string, c change, depth int) []hit {
	var out []hit
	var asked []question
	for _, u := range uses {
		if questions, ok := c.questionsOf(u, t, depth); ok && !c.filled && !c.format {
			asked = append(asked, questions...)
			continue
		}
		if calls.IsLogged(u.In, u.In.Parent[u.First]) || c.isWithin(u) {
			continue
		}
		if c.filled {
			if made, ok := source.Around(u.In, u.First, u.Last); ok && calls.IsLogged(u.In, u.In.Parent[made.First]) {
				continue
			}
		}
		found := hitsOfUse(u, t, text, c, depth+1)
		if len(found) == 0 {
			return nil
		}
		out = append(out, found...)
	}
	for _, ask := range asked {
		if slices.ContainsFunc(out, func(h hit) bool { return ask(h.value) != ask(text) }) {
			return nil
		}
	}
	return out
}

// hitsOfUse is hitsOfUses for one use: the locator call that it is an argument of, or those of
// the functions that it is handed to.
func hitsOfUse(u values.Use, t *checkout.Tree, text string, c change, depth int) []hit {
	if c.format {
		return hitsOfFormat(u, t, text, c, depth)
	}
	if c.filled {
		if found, is := hitsOfFilled(u, t, text, c, depth); is {
			return found
		}
	}
	if u.List {
		h, ok := handing{first: u.First, listed: true}.inCall(u.In, u.Last)
		if !ok {
			return nil
		}
		found, _ := h.hits(u.In, t, text, c, depth)
		return found
	}
	argument, why := calls.ArgumentAt(u.In, u.First, u.Last, text)
	if local, ok := values.LocalOf(u.In, u.First, u.Last); ok && why == calls.OutsideCall && depth < 2*maxHanded {
		if uses, ok := values.FindUses(u.In, nil, local); ok {
			return hitsOfUses(uses, t, text, c, depth)
		}
		return nil
	}
	if why == calls.OutsideCall || why == calls.NoObstacle && isNamedLikeAction(u.In, argument.Call) {
		if handed, isOwn := handedHits(u.In, t, u.First, u.Last, text, c, depth); why == calls.OutsideCall || isOwn {
			return handed
		}
	}
	if argument.Kind == locator.KindRole && argument.Role == "" {
		argument.Role = c.roles[calls.RoleName(u.In, argument.Call)]
	}
	h, unmatched := matchArgument(u.In, argument, c)
	if why != calls.NoObstacle || unmatched != calls.NoObstacle {
		return nil
	}
	return []hit{h}
}

// isNamedLikeAction reports whether the call at open has the name of an action of
// Playwright's page, and is made on what may be something else: driver.click(selector).
func isNamedLikeAction(s *source.File, open int) bool {
	callee := s.Callee(open)
	name := locator.Fold(s.Text(callee))
	return s.IsMember(callee) && (calls.PageMethods[name] || calls.ValueMethods[name]) && !isPlaywright(s, callee)
}

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
