package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// joinedLiterals is the obstacle of a value that is written as several literals, of which more
// than one would change.
const joinedLiterals calls.Obstacle = "as several literals that are joined"

// joinedHit returns the hit of the one literal that changes of a value which is written as
// several: page.locator("#form " + ".save").
func joinedHit(s *source.File, t *checkout.Tree, j source.Joined, c change) (hit, calls.Obstacle) {
	h, ok := hitOfJoined(s, t, j, c)
	if !ok || source.AnyContains(s.Conditional, s.Tokens[j.Literals[0]].Start) {
		return hit{}, joinedLiterals
	}
	changed := -1
	var part string
	before, after := "", j.Text
	for _, i := range j.Literals {
		text, _ := s.Literal(i)
		after = strings.TrimPrefix(after, text)
		if rest, ok := strings.CutPrefix(h.value, before); ok && strings.HasSuffix(rest, after) && len(rest) > len(after) {
			if changed >= 0 {
				return hit{}, joinedLiterals
			}
			changed, part = i, strings.TrimSuffix(rest, after)
		}
		before += text
	}
	if changed < 0 {
		return hit{}, joinedLiterals
	}
	h.in, h.literal, h.made, h.value = s, changed, h.value, part
	return h, calls.NoObstacle
}

// hitOfJoined returns the hit of the value as a whole: where it stands in a locator call or is
// handed to a function, or by the name that has it.
func hitOfJoined(s *source.File, t *checkout.Tree, j source.Joined, c change) (hit, bool) {
	use := values.Use{In: s, First: j.First, Last: j.Last}
	found, why := calls.ArgumentAt(s, j.First, j.Last, j.Text)
	if why == calls.NoObstacle {
		h, why := matchArgument(s, found, c)
		return h, why == calls.NoObstacle
	}
	uses, name := []values.Use{use}, s.Text(s.Callee(s.Parent[j.First]))
	if k, ok := values.AssignedTo(s, j.First, j.Last); ok {
		if uses, ok = values.FindUses(s, t, k); !ok {
			return hit{}, false
		}
		name = k.Name
	}
	h, ok := asOne(hitsOfUses(uses, t, j.Text, c, 0))
	for _, u := range uses {
		h.uses = append(h.uses, callAt{u.In, callAround(u)})
	}
	h.constant = name
	return h, ok
}

// joinedAt returns the value at token i that is one of the old ones, written as several literals.
func (c change) joinedAt(s *source.File, i int) (source.Joined, bool) {
	j, ok := source.JoinedAt(s, i)
	return j, ok && c.isIn(j.Text)
}
