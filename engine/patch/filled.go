package patch

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// tableRow is the obstacle of a text that a loop hands to a function.
const tableRow calls.Obstacle = "as a row of a table"

// findFilled returns the literals of a file that functions fill the old locator with, and
// those that may be one: button("Save") looks for //button[text()='Save'], and its text is
// what changes.
func findFilled(s *source.File, t *checkout.Tree, c change) (hits []hit, misses []miss) {
	for i := range s.Tokens {
		if len(hits)+len(misses) > maxHits {
			break
		}
		text, ok := s.Literal(i)
		if !ok || !c.mayBeFilledWith(text) {
			continue
		}
		if h, why := filledHit(s, t, i, c); why == calls.NoObstacle {
			hits = append(hits, h)
		} else {
			misses = append(misses, miss{s, i, why})
		}
	}
	return hits, misses
}

// mayBeFilledWith reports whether a text is a part of the old locator.
func (c change) mayBeFilledWith(text string) bool {
	return strings.TrimSpace(text) != "" && slices.ContainsFunc(c.olds(), func(old string) bool { return strings.Contains(old, text) })
}

// olds returns the texts by which a call may look for the old locator.
func (c change) olds() []string {
	return slices.DeleteFunc([]string{c.whole, c.old.Raw, c.old.Value}, func(old string) bool { return old == "" })
}

// filledHit returns the hit of the literal at token i, by what it is handed to or by the
// constant that has it.
func filledHit(s *source.File, t *checkout.Tree, i int, c change) (hit, calls.Obstacle) {
	switch _, why := calls.ArgumentOf(s, i); {
	case why == calls.NoObstacle && isPlaywright(s, s.Callee(s.Parent[i])):
		return hit{}, calls.OutsideCall
	case why != calls.NoObstacle && why != calls.OutsideCall:
		return hit{}, why
	}
	h, why := constantHit(s, t, i, c)
	if why == calls.OutsideCall {
		h, why = handedHit(s, t, i, c)
	}
	if why == calls.NoObstacle && h.cell != nil {
		why = tableRow
	}
	return h, why
}

// isPlaywright reports whether the call whose name is token callee may be one of Playwright's:
// in C# those of a page end in Async.
func isPlaywright(s *source.File, callee int) bool {
	if s.Dialect.Scan == scan.CSharp && s.IsMember(callee) && !strings.HasSuffix(s.Text(callee), "Async") && (calls.PageMethods[locator.Fold(s.Text(callee))] || calls.ValueMethods[locator.Fold(s.Text(callee))]) {
		return false
	}
	name := locator.Fold(s.Text(s.ReceiverEnd(callee)))
	return name == "page" || name == "frame" || isOnPage(s, callee)
}

// hitsOfFilled returns the hits for the locator calls that are made of what a text fills, or
// of the local variable that holds it. is says that the text is used so.
func hitsOfFilled(u values.Use, t *checkout.Tree, text string, c change, depth int) (found []hit, is bool) {
	if depth > 2*maxHanded {
		return nil, true
	}
	if made, ok := source.Around(u.In, u.First, u.Last); ok {
		for _, f := range fillingsOf(u, made, text, c) {
			use := values.Use{In: u.In, First: made.First, Last: made.Last}
			if found := f.invert(hitsOfUse(use, t, f.value, c, depth)); len(found) > 0 {
				return found, true
			}
		}
		return nil, true
	}
	if _, why := calls.ArgumentAt(u.In, u.First, u.Last, text); why == calls.NoObstacle {
		return nil, false
	}
	if local, ok := values.LocalOf(u.In, u.First, u.Last); ok {
		if uses, ok := values.FindUses(u.In, t, local); ok {
			return hitsOfUses(uses, t, text, c, depth), true
		}
		return nil, true
	}
	return nil, false
}

// filling is a composition with all that it is filled with.
type filling struct {
	value string          // what it gives
	open  source.Template // without the text, in whose place are holes
}

// fillingsOf returns what a composition gives with a text in the place of a use: with the texts
// that are known, and else with what gives the old locator in one way alone.
func fillingsOf(u values.Use, made source.Composition, text string, c change) []filling {
	own, known := map[int]string{}, map[int]string{}
	var unknown []int
	for k, field := range made.Fields(u.In) {
		name := u.In.Text(field.First)
		given, isGiven := c.texts[name]
		switch {
		case field == source.Field{}:
			unknown = append(unknown, k)
		case sameCode(u.In, field, source.Field{First: u.First, Last: u.Last}):
			own[k] = text
		case field.First == field.Last && isGiven:
			known[k] = given
		default:
			unknown = append(unknown, k)
		}
	}
	template := made.Template()
	filled := maps.Clone(known)
	maps.Copy(filled, own)
	with := template.Fill(filled)
	if len(unknown) == 0 {
		return []filling{{with[0], template.Fill(known)}}
	}
	var out []filling
	for _, old := range c.olds() {
		texts, ok := with.Fillings(old)
		if !ok || !template.HasWord() {
			continue
		}
		all := maps.Clone(known)
		for n, k := range unknown {
			all[k] = texts[n]
		}
		out = append(out, filling{old, template.Fill(all)})
	}
	return out
}

// sameCode reports whether two fields read the same.
func sameCode(s *source.File, a, b source.Field) bool {
	x, y := s.SpanOf(a.First, a.Last), s.SpanOf(b.First, b.Last)
	return string(s.Bytes[x.Start:x.End]) == string(s.Bytes[y.Start:y.End])
}

// invert returns hits for the value of a composition as hits for the text that fills it, none
// where one of them needs anything else changed than the text.
func (f filling) invert(found []hit) []hit {
	out := slices.Clone(found)
	for i, h := range out {
		texts, ok := f.open.Fillings(h.value)
		if !ok || len(slices.Compact(texts)) != 1 {
			return nil
		}
		out[i].made, out[i].value = cmp.Or(h.made, h.value), texts[0]
	}
	return out
}

// agree reports whether hits of one literal give it the same new value.
func agree(found []hit) bool {
	return !slices.ContainsFunc(found, func(h hit) bool { return h.value != found[0].value || h.Regexp != found[0].Regexp })
}

// textOf returns the text that the tokens from first to last are: a literal, or a parameter
// that a call gives one.
func (c change) textOf(s *source.File, first, last int) string {
	if first != last {
		return ""
	}
	if text, ok := s.Literal(first); ok {
		return text
	}
	return c.texts[s.Text(first)]
}

// callAround returns the parenthesis of the call that a use is in an argument of, past what
// composes the argument.
func callAround(u values.Use) int {
	open := u.In.Parent[u.First]
	for made, ok := source.Around(u.In, u.First, u.Last); ok && open >= made.First; {
		open = u.In.Parent[open]
	}
	return open
}
