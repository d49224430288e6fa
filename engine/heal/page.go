package heal

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// Page is a page's elements prepared for many comparisons. It is safe for use
// by several goroutines. Make one with NewPage or NewCandidates.
type Page struct {
	// Notes says what was left out, a sentence each; nil when nothing was.
	Notes []string

	elements      []Element
	nodes         []node
	phrases       []phrase
	tokenID       map[uint64]uint32
	token         []uint64  // hash, by token id
	tokenWeight   []float32 // weight, by token id: the rarer the higher
	contextWeight []float32
	candidates    int // how many elements can be the lost one
	height        float64
	fingerprints  []engine.Fingerprint // of elements without a tree, else nil
	landmarks

	shapesOnce      sync.Once
	shapes          []preset.Shape // what the presets look at, by presetShapes
	addressableOnce sync.Once
	addressable     []bool           // by selfmend, by selfmendAddressable
	byName          map[uint64]int32 // candidates by nameKey
	byText          map[uint64]int32 // and by textKey
	ofKind          map[kind][]int32 // candidates by kind
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
	p.weighTokens()
	p.readLandmarks()
	return p
}

// noteCuts adds a note when elements have more text or attributes than is looked
// at. Long texts of containers, and long values such as images in an address, are
// usual and not noted.
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

// TitleTag is the tag of the element that holds a page's title in its text. It is
// invisible and has no parent; of several documents in one page the first has it.
const TitleTag = "title"

var tagBody, tagHTML, tagMain = token.Hash(token.Seed, "body"), token.Hash(token.Seed, "html"), token.Hash(token.Seed, "main")

// weighTokens weighs tokens by how few candidates have them, and counts
// candidates of the same name or text.
func (p *Page) weighTokens() {
	df, ctx := make([]int32, len(p.token)), make([]int32, len(p.token))
	p.byName = make(map[uint64]int32, len(p.nodes))
	p.byText = make(map[uint64]int32, len(p.nodes))
	p.ofKind = make(map[kind][]int32, 64)
	p.height = 900
	for i := range p.nodes {
		n := &p.nodes[i]
		if !p.candidate(i) {
			continue
		}
		p.candidates++
		for _, t := range n.tokens {
			df[t]++
		}
		for _, t := range n.context {
			ctx[t]++
		}
		p.byName[n.nameKey]++
		p.byText[n.textKey]++
		p.ofKind[n.kind] = append(p.ofKind[n.kind], int32(i))
		p.height = max(p.height, n.box.Y+n.box.Height)
	}
	p.tokenWeight, p.contextWeight = p.weights(df), p.weights(ctx)
	for i := range p.nodes {
		n := &p.nodes[i]
		n.tokenSum, n.contextSum = sumOf(p.tokenWeight, n.tokens), sumOf(p.contextWeight, n.context)
		n.sameName, n.sameText = p.byName[n.nameKey], p.byText[n.textKey]
	}
}

// candidate reports whether an element can be the lost one.
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
	return float32(math.Log(float64(p.candidates+1) / float64(df+1)))
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

// contains reports whether element i holds element j; -1 is no element.
func (p *Page) contains(i, j int32) bool { return i >= 0 && i < j && j < p.nodes[i].end }

// standsBefore orders elements by their place on the page; their order in the
// list decides only when the places are the same.
func (p *Page) standsBefore(i, j int32) bool {
	x, y := &p.nodes[i], &p.nodes[j]
	return cmp.Or(cmp.Compare(x.box.Y, y.box.Y), cmp.Compare(x.box.X, y.box.X), cmp.Compare(x.pathHash, y.pathHash), cmp.Compare(i, j)) < 0
}

// twins reports whether one element wraps the other in the same place, so that
// it makes no difference which of them is clicked.
func (p *Page) twins(i, j int32) bool {
	if !p.contains(i, j) && !p.contains(j, i) {
		return false
	}
	a, b := &p.nodes[i], &p.nodes[j]
	if !a.hasBox || !b.hasBox {
		return a.text == b.text && a.text != 0
	}
	return near(a.box.X, b.box.X) && near(a.box.Y, b.box.Y) && near(a.box.X+a.box.Width, b.box.X+b.box.Width) &&
		near(a.box.Y+a.box.Height, b.box.Y+b.box.Height)
}

func near(a, b float64) bool { return a-b < 6 && b-a < 6 }

// Twins reports whether one of two elements wraps the other in the same place, so
// that it makes no difference which of them is clicked.
func (p *Page) Twins(i, j int) bool { return p.twins(int32(i), int32(j)) }
