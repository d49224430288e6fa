package heal

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// selfmendTakes reports whether selfmend would compare element i with what was
// lost: it has the same tag or the lost element's explicit role, and it can be
// addressed alone by test id or by its place under its parent. selfmend also
// tries name, type, placeholder, aria-label, title and alt; the corpus's figures
// for it come out without these only (docs/healing.md), and not to try them
// refuses more. Elements without a tree are taken to have an address.
func (p *Page) selfmendTakes(lost *preset.Scorer, i int) bool {
	return lost.Alike(&p.seedShapes()[i]) && (p.lone != nil || p.selfmendAddressable()[i])
}

// selfmendAddressable returns by element whether one of its selectors matches
// nothing else on the page, invisible elements included. Made once.
func (p *Page) selfmendAddressable() []bool {
	p.addressOnce.Do(func() { p.addressable = p.findAddressable() })
	return p.addressable
}

func (p *Page) findAddressable() []bool {
	ids := p.idHashes()
	matches := make(map[uint64]int32, 2*len(p.nodes))
	var selectors []uint64
	for i := range p.nodes {
		selectors, _ = p.selfmendSelectors(selectors[:0], i, ids)
		for _, s := range selectors {
			matches[s]++
		}
	}
	alone := make([]bool, len(p.nodes))
	for i := range p.nodes {
		var tried int
		selectors, tried = p.selfmendSelectors(selectors[:0], i, ids)
		for _, s := range selectors[:tried] {
			alone[i] = alone[i] || matches[s] == 1
		}
	}
	return alone
}

// idHashes returns the ids by element, 0 for none: an element is asked for its
// id by each of its children.
func (p *Page) idHashes() []uint64 {
	ids := make([]uint64, len(p.nodes))
	for i := range ids {
		ids[i] = p.valueHash(i, "id")
	}
	return ids
}

// valueHash returns the hash of an attribute's value, 0 for none or an empty one.
func (p *Page) valueHash(i int, name string) uint64 {
	as := p.elements[i].Attributes
	v, _ := as[:min(len(as), engine.MaxAttributes)].Get(name)
	if v == "" {
		return 0
	}
	return token.Hash(token.Seed, token.Cut(v, maxValueBytes))
}

// Seeds that keep the kinds of selector apart.
var (
	seedByTestID = token.Hash(token.Seed, "[data-testid=]")
	seedUnderID  = token.Hash(token.Seed, "#id > tag:nth-of-type()")
	seedUnderTag = token.Hash(token.Seed, "tag > tag:nth-of-type()")
)

// selfmendSelectors appends hashes of the selectors of selfmend's forms that
// match element i. The first tried of them are those selfmend tries for it: by
// the parent's tag only where the parent has no id.
func (p *Page) selfmendSelectors(list []uint64, i int, ids []uint64) (_ []uint64, tried int) {
	n := &p.nodes[i]
	if v := p.valueHash(i, "data-testid"); v != 0 {
		list = append(list, token.Mix(seedByTestID, v))
	}
	place, above := token.Mix(n.tag, uint64(n.nth)), tagHTML
	if n.parent >= 0 {
		above = p.nodes[n.parent].tag
		if id := ids[n.parent]; id != 0 {
			list = append(list, token.Mix(token.Mix(seedUnderID, id), place))
			tried = len(list)
		}
	}
	list = append(list, token.Mix(token.Mix(seedUnderTag, above), place))
	if tried == 0 {
		tried = len(list)
	}
	return list, tried
}
