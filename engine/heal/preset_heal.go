package heal

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// healByPreset is Heal by one of the presets that score pairs alone.
func healByPreset(lost *engine.Fingerprint, page *Page, options Options) Decision {
	q := preset.NewScorer(options.Preset, preset.ShapeOf(lost))
	shapes := page.presetShapes()
	best, second := scored{index: -1}, scored{index: -1}
	for i := range shapes {
		if !page.candidate(i) || options.Preset == preset.Selfmend && !page.selfmendCompares(q, i) {
			continue
		}
		s := scored{i, q.Score(&shapes[i])}
		switch {
		case best.index < 0 || page.ahead(s, best):
			best, second = s, best
		case second.index < 0 || page.ahead(s, second):
			second = s
		}
	}
	if best.index < 0 {
		return refused(engine.ReasonNoCandidates, page)
	}
	d := Decision{Notes: page.Notes, Best: &Candidate{best.index, best.score, q.Signals(&shapes[best.index])}}
	if second.index >= 0 {
		d.RunnerUp = &Candidate{second.index, second.score, q.Signals(&shapes[second.index])}
	}
	d.Because = explainSignals(d.Best.Signals)
	d.gate(options.gates(nil))
	return d
}

// explainSignals says which signals of a preset agree.
func explainSignals(signals []preset.Signal) string {
	var same, changed []string
	for _, s := range signals {
		switch {
		case s.Weight == 0:
		case s.Value == 1:
			same = append(same, s.Name)
		default:
			changed = append(changed, fmt.Sprintf("%s (%.2f)", s.Name, s.Value))
		}
	}
	return sentence(same, changed, "")
}

type scored struct {
	index int
	score float64
}

// ahead orders by score; of equals what stands first on the page is ahead.
func (p *Page) ahead(a, b scored) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return p.standsBefore(int32(a.index), int32(b.index))
}

// presetShapes returns the candidates as the presets look at them.
func (p *Page) presetShapes() []preset.Shape {
	p.shapesOnce.Do(func() {
		p.shapes = make([]preset.Shape, len(p.nodes))
		for i := range p.nodes {
			if !p.candidate(i) {
				continue
			}
			var f engine.Fingerprint
			if p.fingerprints != nil {
				f = p.fingerprints[i]
			} else {
				f = p.seedFingerprint(i)
				f.Place = p.shortPlace(i)
			}
			p.shapes[i] = preset.ShapeOf(&f)
		}
	})
	return p.shapes
}

// selfmendCompares reports whether selfmend would compare element i with the lost
// one: it has the same tag or the lost element's explicit role, and its test id
// or its place under its parent selects it alone. selfmend also tries name, type,
// placeholder, aria-label, title and alt; but the corpus's figures for it come out
// only without these (docs/internals/healing.md), and without them it refuses more. Elements
// without a tree count as addressable.
func (p *Page) selfmendCompares(lost *preset.Scorer, i int) bool {
	return lost.Alike(&p.presetShapes()[i]) && (p.fingerprints != nil || p.selfmendAddressable()[i])
}

// selfmendAddressable returns by element whether one of the selectors that
// selfmend tries for it matches nothing else on the page, invisible elements
// included.
func (p *Page) selfmendAddressable() []bool {
	p.addressableOnce.Do(func() {
		ids := make([]uint64, len(p.nodes)) // each child asks for its parent's
		for i := range ids {
			ids[i] = p.valueHash(i, "id")
		}
		matches := make(map[uint64]int32, 2*len(p.nodes))
		var selectors []uint64
		for i := range p.nodes {
			selectors, _ = p.selfmendSelectors(selectors[:0], i, ids)
			for _, s := range selectors {
				matches[s]++
			}
		}
		p.addressable = make([]bool, len(p.nodes))
		for i := range p.nodes {
			var tried int
			selectors, tried = p.selfmendSelectors(selectors[:0], i, ids)
			p.addressable[i] = slices.ContainsFunc(selectors[:tried], func(s uint64) bool { return matches[s] == 1 })
		}
	})
	return p.addressable
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
