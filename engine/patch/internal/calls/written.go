package calls

import (
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// WrittenChain returns the names of the first and the last locator call of the chain that
// the call named at token c is part of, where the chain is written in one expression and
// begins at a page. It returns false for any other.
func WrittenChain(s *source.File, c int) (first, last int, ok bool) {
	isLocator := func(c int) bool {
		if c < 0 || !s.IsMember(c) || s.Text(c+1) != "(" || locator.CallKind(locator.Fold(s.Text(c))) == locator.KindFrame {
			return false
		}
		_, ok := linksOfCall(s, locator.Fold(s.Text(c)), c+1)
		return ok
	}
	if !isLocator(c) {
		return 0, 0, false
	}
	first, last = c, c
	for hops := 0; hops < maxHops && s.Text(s.ReceiverEnd(first)) == ")" && isLocator(s.Callee(s.End(s.ReceiverEnd(first)))); hops++ {
		first = s.Callee(s.End(s.ReceiverEnd(first)))
	}
	for hops := 0; hops < maxHops && isLocator(s.End(last+1)+2); hops++ {
		last = s.End(last+1) + 2
	}
	root := Receiver(s, first, 0)
	return first, last, root.Rooted && len(root.Links) == 0 && first < last
}
