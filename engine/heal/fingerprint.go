package heal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

const (
	maxPathTags    = 64  // tags of a DOM path
	siblingReach   = 3   // siblings each side, the seed's
	maxAroundBytes = 160 // of the parent's text
	maxRegion      = 24
)

// Fingerprint returns the fingerprint of element i with everything that is known
// from the page. The caller sets Locator and TestID.
func (p *Page) Fingerprint(i int) engine.Fingerprint {
	e, n := &p.elements[i], &p.nodes[i]
	f := p.seedFingerprint(i)
	f.Role, f.Name, f.Label = e.Role, p.phrases[n.name].text, normalizeCut(e.Label)
	f.OwnText, f.Heading = p.phrases[n.own].text, p.phrases[n.heading].text
	f.Around = token.Cut(p.phrases[n.around].text, maxAroundBytes)
	f.Href = p.phrases[n.href].text
	f.Neighbours = []string{p.phrases[n.prev].text, p.phrases[n.next].text}
	visible := e.Visible
	f.Visible = &visible
	f.Region = p.region(n)
	f.Place = p.placeOf(i)
	return f
}

// Written is Fingerprint with its texts as they are on the page, not normalised:
// locators are made of them.
func (p *Page) Written(i int) engine.Fingerprint {
	f, e := p.Fingerprint(i), &p.elements[i]
	f.Text, f.Name, f.Label = e.Text, e.Name, e.Label
	return f
}

// maxAbove is of how many ancestors Above tells.
const maxAbove = 16

// Above returns what Written returns of an element's ancestors, the nearest first, at most
// 16: those from index start on, where its document begins.
func (p *Page) Above(i, start int) (list []engine.Fingerprint) {
	for up := p.elements[i].Parent; up >= start && len(list) < maxAbove; up = p.elements[up].Parent {
		list = append(list, p.Written(up))
	}
	return list
}

// asWritten returns a normalised text of the page as the page writes it.
func (p *Page) asWritten(text string) string {
	for i := range p.nodes {
		n, e := &p.nodes[i], &p.elements[i]
		for _, t := range [...]struct {
			phrase int32
			raw    string
		}{{n.own, e.OwnText}, {n.name, e.Name}, {n.text, e.Text}} {
			if t.phrase != 0 && p.phrases[t.phrase].text == text {
				return strings.Join(strings.Fields(t.raw), " ")
			}
		}
	}
	return text
}

// seedFingerprint returns the fields the seed knows.
func (p *Page) seedFingerprint(i int) engine.Fingerprint {
	e := &p.elements[i]
	f := engine.Fingerprint{Tag: strings.ToLower(strings.TrimSpace(e.Tag)), Text: normalizeCut(e.Text), BBox: e.BBox}
	f.Attributes = append(engine.Attributes(nil), e.Attributes[:min(len(e.Attributes), engine.MaxAttributes)]...)
	for up := int32(i); up >= 0 && len(f.DOMPath) < maxPathTags; up = p.nodes[up].parent {
		f.DOMPath = append(f.DOMPath, strings.ToLower(p.elements[up].Tag))
	}
	if last := len(f.DOMPath) - 1; f.DOMPath[last] == "body" {
		f.DOMPath = append(f.DOMPath, "html")
	}
	slices.Reverse(f.DOMPath)
	f.Siblings = p.siblingTags(int32(i))
	return f
}

// siblingTags returns the tags of up to three siblings before and after.
func (p *Page) siblingTags(i int32) []string {
	before, after := p.neighbours(i)
	tags := make([]string, 0, len(before)+len(after))
	slices.Reverse(before)
	for _, j := range append(before, after...) {
		tags = append(tags, strings.ToLower(p.elements[j].Tag))
	}
	return tags
}

// neighbours returns up to three siblings each side, the nearest first.
func (p *Page) neighbours(i int32) (before, after []int32) {
	up := p.nodes[i].parent
	if up < 0 {
		return nil, nil
	}
	for j := p.nodes[i].left; j >= 0 && len(before) < siblingReach; j = p.nodes[j].left {
		before = append(before, j)
	}
	for j := p.nodes[i].end; j < p.nodes[up].end && len(after) < siblingReach; j = p.nodes[j].end {
		after = append(after, j)
	}
	return before, after
}

// region returns the names of an element's nearest ancestors.
func (p *Page) region(n *node) []string {
	region := make([]string, 0, len(n.context))
	for up, d := n.parent, 0; up >= 0 && d < contextDepth && p.nodes[up].tag != tagBody; up, d = p.nodes[up].parent, d+1 {
		eachContextName(&p.elements[up], func(prefix, name string) {
			if name = prefix + name; len(region) < maxRegion && !slices.Contains(region, name) {
				region = append(region, name)
			}
		})
	}
	return region
}

func (p *Page) placeOf(i int) *engine.Place {
	n := &p.nodes[i]
	place := p.shortPlace(i)
	place.Nth, place.Siblings, place.Children, place.Size = int(n.nth), int(n.siblings), int(n.children), int(n.size)
	place.Path, place.PageHeight = fmt.Sprintf("%016x", n.pathHash), p.height
	place.SameText, place.SameName = int(n.sameText), int(n.sameName)
	for j := range p.nodes[:i] {
		if p.nodes[j].nameKey == n.nameKey && p.candidate(j) {
			place.Index++
		}
	}
	return place
}

// shortPlace returns the part of a place that selfmend looks at.
func (p *Page) shortPlace(i int) *engine.Place {
	place := &engine.Place{Ordinal: int(p.nodes[i].ordinal)}
	before, after := p.neighbours(int32(i))
	if len(before) > 0 {
		place.Before = strings.ToLower(p.elements[before[0]].Tag)
	}
	if len(after) > 0 {
		place.After = strings.ToLower(p.elements[after[0]].Tag)
	}
	return place
}

// NewCandidates prepares elements known by their fingerprints only, which have
// no tree between them. Invisible ones are never candidates.
func NewCandidates(fingerprints []engine.Fingerprint) *Page {
	elements := make([]Element, len(fingerprints))
	for i := range fingerprints {
		elements[i] = elementOf(&fingerprints[i])
	}
	p := &Page{elements: elements}
	if len(elements) > MaxElements {
		p.elements = elements[:MaxElements]
		p.Notes = append(p.Notes, fmt.Sprintf("%d candidates: only the first %d were looked at", len(elements), MaxElements))
	}
	b := newBuilder(p)
	p.fingerprints = slices.Clone(fingerprints[:len(p.elements)])
	for i := range p.elements {
		b.fill(&p.nodes[i], &p.elements[i])
		b.fillFromFingerprint(int32(i), &p.fingerprints[i])
	}
	p.weighTokens()
	p.readLandmarks()
	for i := range p.fingerprints {
		p.nodes[i].restoreCounts(p, p.fingerprints[i].Place)
	}
	return p
}

// elementOf returns the element that a fingerprint describes.
func elementOf(f *engine.Fingerprint) Element {
	e := Element{Parent: -1, Tag: f.Tag, Attributes: f.Attributes, Text: f.Text, OwnText: f.OwnText, BBox: f.BBox,
		Visible: f.Visible == nil || *f.Visible, Role: f.Role, Name: f.Name, Label: f.Label}
	e.Value, _ = f.Attributes.Get("value")
	return e
}

// fillFromFingerprint sets what would follow from the tree.
func (b *builder) fillFromFingerprint(i int32, f *engine.Fingerprint) {
	n := &b.page.nodes[i]
	n.parent, n.end, n.left, n.size, n.nth, n.ordinal = -1, i+1, -1, 1, -1, -1
	n.depth = int32(max(0, len(f.DOMPath)-2))
	if len(f.Neighbours) == 2 {
		n.prev, n.next = b.phrase(f.Neighbours[0]), b.phrase(f.Neighbours[1])
	}
	n.heading, n.around = b.phrase(f.Heading), b.phrase(f.Around)
	n.path = make([]uint64, 0, len(f.DOMPath))
	for _, tag := range f.DOMPath[max(0, len(f.DOMPath)-maxPathTags):] {
		if tag != "html" {
			n.path = append(n.path, token.Hash(token.Seed, tag))
		}
	}
	b.beginList()
	for _, name := range f.Region[:min(len(f.Region), maxRegion)] {
		b.addToken(token.Hash(token.Seed, token.Cut(name, maxValueBytes)))
	}
	n.context = b.finishList()
}

// restoreCounts sets the counts that a fingerprint has from its page.
func (n *node) restoreCounts(p *Page, place *engine.Place) {
	if place == nil {
		return
	}
	n.ordinal, n.nth, n.children, n.size = int32(place.Ordinal), int32(place.Nth), int32(place.Children), int32(place.Size)
	n.siblings = int32(place.Siblings)
	n.pathHash, _ = strconv.ParseUint(place.Path, 16, 64)
	n.sameText, n.sameName = int32(place.SameText), int32(place.SameName)
	if len(p.nodes) == 1 {
		p.height = max(900, place.PageHeight)
	}
}

// Find returns the index of the element a fingerprint was taken of: the one
// with its tag, attributes, text and path; of several the one at its place.
func (p *Page) Find(f engine.Fingerprint) (int, bool) {
	found := -1
	for i := range p.nodes {
		g := p.seedFingerprint(i)
		if g.Tag != f.Tag || g.Text != f.Text || !slices.Equal(g.DOMPath, f.DOMPath) || !sameAttributes(g.Attributes, f.Attributes) {
			continue
		}
		if f.Place == nil || p.placeOf(i).Path == f.Place.Path {
			return i, true
		}
		if found < 0 {
			found = i
		}
	}
	return found, found >= 0
}

func sameAttributes(a, b engine.Attributes) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x engine.Attribute) bool {
		v, ok := b.Get(x.Name)
		return !ok || v != x.Value
	})
}
