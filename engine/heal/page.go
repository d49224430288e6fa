package heal

import (
	"fmt"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"github.com/breadcrumb/action/engine/heal/preset"
	"math"
	"sync"
)

// Page is a page's elements prepared for many comparisons. It is safe for use
// by several goroutines. Make one with NewPage or NewCandidates.
type Page struct {
	// Notes says in one sentence each what was left out, nil when nothing was.
	Notes []string

	elements []Element
	nodes    []node
	phrases  []phrase
	tokenID  map[uint64]uint32
	token    []uint64  // hash by token id
	rare     []float32 // weight by token id: how much it tells on this page
	ctxRare  []float32
	visible  int // candidates
	height   float64
	lone     []engine.Fingerprint // of elements without a tree, else nil

	shapesOnce  sync.Once
	shapes      []preset.Shape
	addressOnce sync.Once
	addressable []bool           // by selfmend
	byKey       map[uint64]int32 // visible elements by key
	byText      map[uint64]int32
	ofKind      map[kind][]int32 // visible elements by kind
}

// builder is what preparing a page needs and a prepared page does not.
type builder struct {
	page     *Page
	phraseID map[string]int32
	stamp    []int32 // by token id: the list it was last added to
	list     int32
	ids      []uint32 // the list being made
	arena    []uint32 // finished lists
	parts    []uint64
	sources  [][]uint64 // by element: tokens it gives to the elements inside
	words    []uint64
}

// NewPage prepares elements, which are in document order with parents before
// their children. Bad parents are read as none; elements beyond MaxElements
// are left out and noted.
func NewPage(elements []Element) *Page {
	p := &Page{elements: elements}
	if len(elements) > MaxElements {
		p.elements = elements[:MaxElements]
		p.Notes = append(p.Notes, fmt.Sprintf("page has %d elements: only the first %d were looked at", len(elements), MaxElements))
	}
	p.noteCuts()
	b := newBuilder(p)
	for i := range p.elements {
		b.fill(&p.nodes[i], &p.elements[i])
	}
	b.linkTree()
	b.readSurroundings()
	b.gatherContext()
	p.count()
	return p
}

// noteCuts says how many elements say or have more than is looked at. Texts
// that are mostly those of the elements inside, and long values such as images
// in an address, are no news.
func (p *Page) noteCuts() {
	cut := 0
	for i := range p.elements {
		e := &p.elements[i]
		if max(len(e.OwnText), len(e.Name), len(e.Label)) > engine.MaxTextBytes || len(e.Attributes) > engine.MaxAttributes {
			cut++
		}
	}
	if cut > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("elements with a text of more than %d bytes or more than %d attributes: %d; only so much of each was looked at", engine.MaxTextBytes, engine.MaxAttributes, cut))
	}
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
		arena: make([]uint32, 0, 24*n+64), words: make([]uint64, 0, 8*n),
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
		b.words = token.AppendWords(b.words, token.Word, token.Cut(p.text, phraseWordBytes))
		p.words = b.words[start:len(b.words):len(b.words)]
		id = int32(len(b.page.phrases))
		b.page.phrases = append(b.page.phrases, p)
	}
	b.phraseID[raw] = id
	return id
}

func (b *builder) begin() { b.list++; b.ids = b.ids[:0] }

// add puts a token into the list being made, once.
func (b *builder) add(hash uint64) {
	id, ok := b.page.tokenID[hash]
	if !ok {
		id = uint32(len(b.page.token))
		b.page.tokenID[hash] = id
		b.page.token = append(b.page.token, hash)
		b.stamp = append(b.stamp, 0)
	}
	if b.stamp[id] != b.list {
		b.stamp[id] = b.list
		b.ids = append(b.ids, id)
	}
}

// keep returns the finished list.
func (b *builder) keep() []uint32 {
	start := len(b.arena)
	b.arena = append(b.arena, b.ids...)
	return b.arena[start:len(b.arena):len(b.arena)]
}

// linkTree sets what follows from the parents: depth, subtree, order among
// siblings, and the indexed path.
func (b *builder) linkTree() {
	nodes := b.page.nodes
	children := make([]int32, len(nodes)+1) // by parent + 1: children so far
	last := fillMinus(len(nodes) + 1)       // and the last of them
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
			above = nodes[n.parent].place
		}
		n.place = token.Mix(token.Mix(above, n.tag), uint64(n.nth))
		if n.parent < 0 && n.tag == tagHTML { // a page may start at html or at body
			n.place, n.depth = token.Seed, -1
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		n.kids, n.siblings = children[i+1], children[n.parent+1]
		if n.parent >= 0 {
			up := &nodes[n.parent]
			up.end = max(up.end, n.end)
			up.size += n.size
		}
	}
}

// readSurroundings sets the nearest texts before and after each element, the
// heading above it and the text around it.
func (b *builder) readSurroundings() {
	nodes := b.page.nodes
	last, head := int32(0), int32(0)
	for i := range nodes {
		n := &nodes[i]
		n.prev, n.head = last, head
		if !n.visible {
			continue
		}
		if n.own != 0 {
			last = n.own
		}
		if isHeading(b.page.elements[i].Tag) && n.text != 0 {
			head = n.text
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

// around returns the text of the nearest of three ancestors that says more
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

func isHeading(tag string) bool {
	switch tag {
	case "h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary":
		return true
	}
	return false
}

// gatherContext sets the tokens of each element's nearest ancestors.
func (b *builder) gatherContext() {
	p := b.page
	b.sources = make([][]uint64, len(p.nodes))
	tokens := make([]uint64, 0, 4*len(p.nodes))
	for i := range p.nodes {
		start := len(tokens)
		tokens = appendContext(tokens, &p.elements[i])
		b.sources[i] = tokens[start:len(tokens):len(tokens)]
	}
	for i := range p.nodes {
		b.begin()
		up := p.nodes[i].parent
		for d := 0; up >= 0 && d < contextDepth && p.nodes[up].tag != tagBody; d++ {
			for _, t := range b.sources[up] {
				b.add(t)
			}
			up = p.nodes[up].parent
		}
		p.nodes[i].context = b.keep()
	}
}

var tagBody, tagHTML = token.Hash(token.Seed, "body"), token.Hash(token.Seed, "html")

// count weighs tokens by how few visible elements have them, and counts equals.
func (p *Page) count() {
	df, ctx := make([]int32, len(p.token)), make([]int32, len(p.token))
	p.byKey = make(map[uint64]int32, len(p.nodes))
	p.byText = make(map[uint64]int32, len(p.nodes))
	p.ofKind = make(map[kind][]int32, 64)
	p.height = 900
	for i := range p.nodes {
		n := &p.nodes[i]
		if !p.candidate(i) {
			continue
		}
		p.visible++
		for _, t := range n.tokens {
			df[t]++
		}
		for _, t := range n.context {
			ctx[t]++
		}
		p.byKey[n.key]++
		p.byText[n.textKey]++
		p.ofKind[n.kind] = append(p.ofKind[n.kind], int32(i))
		p.height = max(p.height, n.box.Y+n.box.Height)
	}
	p.rare, p.ctxRare = p.weights(df), p.weights(ctx)
	for i := range p.nodes {
		n := &p.nodes[i]
		n.tokenSum, n.contextSum = sumOf(p.rare, n.tokens), sumOf(p.ctxRare, n.context)
		n.sameKey, n.sameText = p.byKey[n.key], p.byText[n.textKey]
	}
}

// candidate reports whether an element can be what was lost.
func (p *Page) candidate(i int) bool {
	n := &p.nodes[i]
	return n.visible && n.tag != tagBody && n.tag != tagHTML
}

// weights returns ln((N+1)/(df+1)) by token: the inverse document frequency of
// K. Spärck Jones (1972) with the page's elements as documents.
func (p *Page) weights(df []int32) []float32 {
	w := make([]float32, len(df))
	byCount := make([]float32, 0, 64)
	for c := 0; c < 64; c++ {
		byCount = append(byCount, p.weight(int32(c)))
	}
	for i, c := range df {
		if int(c) < len(byCount) {
			w[i] = byCount[c]
		} else {
			w[i] = p.weight(c)
		}
	}
	return w
}

func (p *Page) weight(df int32) float32 {
	return float32(math.Log(float64(p.visible+1) / float64(df+1)))
}

func sumOf(weight []float32, ids []uint32) float32 {
	var sum float32
	for _, id := range ids {
		sum += weight[id]
	}
	return sum
}

// Len returns the number of elements.
func (p *Page) Len() int { return len(p.nodes) }

// Element returns the element at index i of the list the page was made from.
func (p *Page) Element(i int) Element { return p.elements[i] }
