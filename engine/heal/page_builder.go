package heal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// builder prepares a page. It holds what the prepared page does not need.
type builder struct {
	page          *Page
	phraseID      map[string]int32
	stamp         []int32 // by token id: the number of the list it was last added to
	listNumber    int32
	current       []uint32   // the list being made
	finished      []uint32   // finished lists
	contextTokens [][]uint64 // by element with children: tokens it gives to the elements inside
	words         []uint64
}

func newBuilder(p *Page) *builder {
	n := len(p.elements)
	p.nodes = make([]node, n)
	p.phrases = make([]phrase, 1, n+16)
	p.phrases[0].hash = token.Seed
	p.tokenID = make(map[uint64]uint32, 2*n+16)
	p.token = make([]uint64, 0, 2*n+16)
	return &builder{
		page: p, phraseID: make(map[string]int32, n+16), stamp: make([]int32, 0, 2*n+16),
		finished: make([]uint32, 0, 14*n+64), words: make([]uint64, 0, 8*n),
	}
}

// phrase returns the id of a text in the page's phrases.
func (b *builder) phrase(raw string) int32 {
	if raw == "" {
		return 0
	}
	if id, ok := b.phraseID[raw]; ok {
		return id
	}
	id := int32(0)
	if p := newPhrase(raw); p.text != "" {
		start := len(b.words)
		b.words = token.AppendWords(b.words, token.Cut(p.text, phraseWordBytes))
		p.words = b.words[start:len(b.words):len(b.words)]
		id = int32(len(b.page.phrases))
		b.page.phrases = append(b.page.phrases, p)
	}
	b.phraseID[raw] = id
	return id
}

func (b *builder) beginList() { b.listNumber++; b.current = b.current[:0] }

// addToken adds a token to the list being made unless it is in it.
func (b *builder) addToken(hash uint64) {
	id, ok := b.page.tokenID[hash]
	if !ok {
		id = uint32(len(b.page.token))
		b.page.tokenID[hash] = id
		b.page.token = append(b.page.token, hash)
		b.stamp = append(b.stamp, 0)
	}
	if b.stamp[id] != b.listNumber {
		b.stamp[id] = b.listNumber
		b.current = append(b.current, id)
	}
}

// finishList returns the list.
func (b *builder) finishList() []uint32 {
	start := len(b.finished)
	b.finished = append(b.finished, b.current...)
	return b.finished[start:len(b.finished):len(b.finished)]
}

// linkTree sets what follows from the parents: depth, subtree, order among
// siblings, and the path.
func (b *builder) linkTree() {
	nodes := b.page.nodes
	children := make([]int32, len(nodes)+1)          // by parent + 1: children so far
	last := slices.Repeat([]int32{-1}, len(nodes)+1) // and the last of them
	type tagOf struct {
		parent int32
		tag    uint64
	}
	ofTag := make(map[tagOf]int32, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		n.parent, n.end, n.size = -1, int32(i)+1, 1
		if p := b.page.elements[i].Parent; p >= 0 && p < i {
			n.parent = int32(p)
			n.depth = nodes[p].depth + 1
		}
		n.ordinal, n.left = children[n.parent+1], last[n.parent+1]
		children[n.parent+1]++
		last[n.parent+1] = int32(i)
		t := tagOf{n.parent, n.tag}
		n.nth = ofTag[t]
		ofTag[t] = n.nth + 1
		above := token.Seed
		if n.parent >= 0 {
			above = nodes[n.parent].pathHash
		}
		n.pathHash = token.Mix(token.Mix(above, n.tag), uint64(n.nth))
		if n.parent < 0 && n.tag == tagHTML { // a page may start at html or at body
			n.pathHash, n.depth = token.Seed, -1
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		n.children, n.siblings = children[i+1], children[n.parent+1]
		if n.parent >= 0 {
			up := &nodes[n.parent]
			up.end = max(up.end, n.end)
			up.size += n.size
		}
	}
}

// readSurroundings sets the nearest texts before and after each element, the
// nearest heading before it and the text around it.
func (b *builder) readSurroundings() {
	nodes := b.page.nodes
	last, head := int32(0), int32(0)
	for i := range nodes {
		n := &nodes[i]
		n.prev, n.heading = last, head
		if !n.visible {
			continue
		}
		last = cmp.Or(n.own, last)
		switch b.page.elements[i].Tag {
		case "h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary":
			head = cmp.Or(n.text, head)
		}
	}
	after := make([]int32, len(nodes)+1)
	for i := len(nodes) - 1; i >= 0; i-- {
		after[i] = after[i+1]
		if nodes[i].visible && nodes[i].own != 0 {
			after[i] = nodes[i].own
		}
	}
	for i := range nodes {
		n := &nodes[i]
		n.next = after[n.end]
		n.around = b.around(n)
	}
}

// around returns the text of the nearest of three ancestors that has more text
// than the element itself.
func (b *builder) around(n *node) int32 {
	nodes, own := b.page.nodes, len(b.page.phrases[n.text].text)
	for up, d := n.parent, 0; up >= 0 && d < 3; up, d = nodes[up].parent, d+1 {
		if len(b.page.phrases[nodes[up].text].text) > own+2 {
			return nodes[up].text
		}
	}
	return 0
}

// contextDepth is how many ancestors describe the part of the page an element is
// in.
const contextDepth = 5

// gatherContext sets the tokens of each element's nearest ancestors.
func (b *builder) gatherContext() {
	p := b.page
	b.contextTokens = make([][]uint64, len(p.nodes))
	tokens := make([]uint64, 0, 4*len(p.nodes))
	for i := range p.nodes {
		if p.nodes[i].children == 0 {
			continue
		}
		start := len(tokens)
		eachContextName(&p.elements[i], func(prefix, name string) {
			tokens = append(tokens, token.Hash(token.Hash(token.Seed, prefix), name))
		})
		b.contextTokens[i] = tokens[start:len(tokens):len(tokens)]
	}
	for i := range p.nodes {
		if left := p.nodes[i].left; left >= 0 { // siblings have one context
			p.nodes[i].context = p.nodes[left].context
			continue
		}
		b.beginList()
		up := p.nodes[i].parent
		for d := 0; up >= 0 && d < contextDepth && p.nodes[up].tag != tagBody; d++ {
			for _, t := range b.contextTokens[up] {
				b.addToken(t)
			}
			up = p.nodes[up].parent
		}
		p.nodes[i].context = b.finishList()
	}
}

// eachContextName calls f with the names of an element that describe the part of
// the page inside it, in the form that a fingerprint's region has: "i:" and a
// part of its id, "r:" role, "l:" label, "c:" class, "t:" tag.
func eachContextName(e *Element, f func(prefix, name string)) {
	for _, a := range e.Attributes[:min(len(e.Attributes), engine.MaxAttributes)] {
		value := token.Cut(a.Value, maxValueBytes)
		switch a.Name {
		case "id":
			for part := range token.Parts(a.Value) {
				f("i:", strings.ToLower(part))
			}
		case "role":
			f("r:", value)
		case "aria-label":
			f("l:", value)
		case "class":
			for c := range token.Classes(value) {
				f("c:", c)
			}
		}
	}
	switch e.Tag {
	case "nav", "header", "footer", "main", "aside", "form", "table", "ul", "section", "dialog", "thead", "tbody":
		f("t:", e.Tag)
	}
}
