package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// formatHit returns the hit of the literal at token i where it is a format that a constant or
// a variable keeps, and all that is made of it is looked for: ROW = "#row-%s" with
// page.locator(String.format(ROW, id)).
func formatHit(s *source.File, t *checkout.Tree, i int, c change) (hit, bool) {
	made, ok := source.FormatAt(s, i)
	if !ok || source.AnyContains(s.Conditional, s.Tokens[i].Start) {
		return hit{}, false
	}
	n := slices.IndexFunc(c.olds(), made.Gives)
	if n < 0 {
		return hit{}, false
	}
	k, ok := values.ConstantOf(s, t, i)
	if !ok || k.Cell != nil {
		return hit{}, false
	}
	uses, ok := values.FindUses(s, t, k)
	if !ok {
		return hit{}, false
	}
	c.format = true
	h, ok := asOne(hitsOfUses(uses, t, c.olds()[n], c, 0))
	h.in, h.literal, h.composed, h.constant = s, i, &made, k.Name
	if k.Traced {
		h.traced = uses
	}
	return h, ok
}

// hitsOfFormat is hitsOfUse for the format of a text, which is filled there or by a function
// that is handed it.
func hitsOfFormat(u values.Use, t *checkout.Tree, text string, c change, depth int) []hit {
	first, last, ok := source.Formatted(u.In, u.First, u.Last)
	if !ok {
		found, _ := handedHits(u.In, t, u.First, u.Last, text, c, depth)
		return found
	}
	c.format = false
	return hitsOfUse(values.Use{In: u.In, First: first, Last: last}, t, text, c, depth)
}
