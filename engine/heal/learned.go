package heal

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// Learned is what is kept of an element that a test acted on: its fingerprint,
// and the page around it as [Page.State] packs it, nil where that is not known.
type Learned struct {
	Fingerprint engine.Fingerprint
	State       []byte
	Corrections Corrections
}

// Corrections is what people said of an element and of its suite.
type Corrections struct {
	Vetoed  []string // signatures of elements that are others; see SignatureOf
	Lessons []Lesson // of accepted suggestions; each counts for its own lost element
	// Synonyms of the whole suite; see the function Synonyms.
	Synonyms []Synonym
}

// MaxOccurrences is how many uses of one locator in a test are told apart.
const MaxOccurrences = 16

// ChooseLearned returns what was learned of a locator at the same place in the test,
// or else of the occurrence with the same number. known are its occurrences by number;
// of some nothing may be known.
func ChooseLearned(known iter.Seq2[int, Learned], site *engine.Site, occurrence int) (chosen Learned, ok bool) {
	for n, l := range known {
		if at := l.Fingerprint.Site; site != nil && at != nil && *site == *at {
			return l, true
		}
		if n == occurrence {
			chosen, ok = l, true
		}
	}
	return chosen, ok
}

// LearnedPage is a page whose elements are learned; its state is packed once for
// all of them.
type LearnedPage struct {
	page     *Page
	unpacked *Page // of state, nil for a page too large to keep
	state    []byte
}

// LearnPage prepares a page whose elements are to be learned.
func LearnPage(page *Page) *LearnedPage {
	p := &LearnedPage{page: page}
	if state, err := page.State(); err == nil {
		if unpacked, err := ReadState(state); err == nil {
			p.state, p.unpacked = state, unpacked
		}
	}
	return p
}

// Learn returns what is to be kept of element i. Its fingerprint is one that the
// page's state finds again.
func (p *LearnedPage) Learn(i int) Learned {
	f, state := p.fingerprint(i)
	f.Headline = token.Cut(normalizeCut(p.page.Headline()), maxHeadline)
	return Learned{Fingerprint: f, State: state}
}

func (p *LearnedPage) fingerprint(i int) (engine.Fingerprint, []byte) {
	f := p.page.Fingerprint(i)
	if p.unpacked == nil {
		return f, nil
	}
	if found, ok := p.unpacked.Find(f); !ok || found != i {
		if i >= p.unpacked.Len() {
			return f, nil
		}
		f = p.unpacked.Fingerprint(i)
	}
	return f, p.state
}

// maxHeadline bounds the title and main heading that are kept of a page, in bytes.
const maxHeadline = 320

// SetPage notes which page the element is on, by an address that engine.PageAddress
// returned; "" is unknown.
func (l *Learned) SetPage(address string) {
	if address != "" {
		l.Fingerprint.Page, l.Fingerprint.PageAddress = engine.PageName(address), address
	}
}

// KeepVarying notes what differs from when the element was learned before: which of its
// attributes, and of its page parts of the address and words of title and main heading.
// Its own words are not among them: those count for what it is.
func (l *Learned) KeepVarying(before engine.Fingerprint) {
	f := &l.Fingerprint
	f.Unsteady = unsteadyAttributes(before, *f)
	f.Page = engine.RenamePage(before.Page, before.PageAddress, f.PageAddress)
	own := f.Text + " " + f.Name + " " + f.Label
	known := slices.DeleteFunc(slices.Clone(before.Varies), func(w string) bool { return len(VaryingWords(w, f.Headline)) > 0 })
	if before.Headline == "" {
		return
	}
	for _, w := range append(known, VaryingWords(f.Headline, before.Headline)...) {
		if len(VaryingWords(w, own)) > 0 && !slices.Contains(f.Varies, w) && len(f.Varies) < maxVarying {
			f.Varies = append(f.Varies, w)
		}
	}
}

// KeepLayout keeps the page of when the element was learned before where that page was laid
// out, l's is not, as none of a trace is, and the element and what stands around it are
// the same.
func (l *Learned) KeepLayout(before Learned) {
	if !reflect.DeepEqual(withoutLayout(before.Fingerprint), withoutLayout(l.Fingerprint)) || l.isLaidOut() || !before.isLaidOut() {
		return
	}
	f := before.Fingerprint
	f.Site, f.Page, f.Varies, f.Unsteady = cmp.Or(l.Fingerprint.Site, f.Site), l.Fingerprint.Page, l.Fingerprint.Varies, l.Fingerprint.Unsteady
	l.Fingerprint = f
	l.State, _ = SplitPictures(before.State)
}

// isLaidOut reports whether it is known where on the page the element was shown.
func (l Learned) isLaidOut() bool {
	o := l.Unpack()
	return o.Page != nil && o.Page.Element(o.index).BBox != nil
}

// withoutLayout returns what a page says of an element that is not laid out: boxes and what
// is visible are not known there, nor how many visible elements say the same. What the code
// looks for and what varies is no part of it.
func withoutLayout(f engine.Fingerprint) engine.Fingerprint {
	f.BBox, f.Visible, f.Site, f.Page, f.Varies, f.Differed, f.Unsteady = nil, nil, nil, "", nil, nil, nil
	if len(f.Attributes) == 0 {
		f.Attributes = nil
	}
	for _, list := range []*[]string{&f.DOMPath, &f.Siblings, &f.Neighbours, &f.Region} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if f.Place != nil {
		place := *f.Place
		place.SameText, place.SameName, place.Index, place.PageHeight = 0, 0, 0, 0
		f.Place = &place
	}
	return f
}

// findingAttributes are those by which tests find elements, with those for tests alone.
var findingAttributes = []string{"id", "name", "title", "alt", "placeholder", "aria-label"}

// unsteadyAttributes returns the attributes of an element that had another value when
// it was learned before, or earlier.
func unsteadyAttributes(before, now engine.Fingerprint) []string {
	var names []string
	for _, a := range now.Attributes {
		was, ok := before.Attributes.Get(a.Name)
		found := slices.Contains(findingAttributes, a.Name) || strings.HasPrefix(a.Name, "data-")
		if found && ok && was != a.Value || slices.Contains(before.Unsteady, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// maxVarying is how many words are kept that differ from run to run.
const maxVarying = 60

// Original is a learned element with its page unpacked.
type Original struct {
	Learned
	Page  *Page // nil where it is not known
	index int   // of the element there
}

// Unpack reads the page of a learned element, which takes a while for a large one.
func (l Learned) Unpack() Original {
	o := Original{Learned: l}
	if l.State == nil {
		return o
	}
	if page, err := ReadState(l.State); err == nil {
		if i, ok := page.Find(l.Fingerprint); ok {
			o.Page, o.index = page, i
		}
	}
	return o
}

// Heal looks for the element on a page: by comparing the pages as wholes, or by
// the fingerprint alone where the page is not known.
func (o Original) Heal(now *Page, options Options) Decision {
	options.Vetoed = slices.Concat(options.Vetoed, o.Corrections.Vetoed)
	options.Lessons = slices.Concat(options.Lessons, o.Corrections.Lessons)
	options.Synonyms = slices.Concat(options.Synonyms, o.Corrections.Synonyms)
	if o.Page != nil {
		options.Varies = o.Fingerprint.Varies
		return Compare(o.Page, now).heal(o.index, &o.Fingerprint, options)
	}
	return Heal(o.Fingerprint, now, options)
}

// Describe sets what an event says of a decision: how sure it is, which element
// of the page was found, and what it means otherwise than the lost one.
func (d Decision) Describe(e *engine.HealEvent, now *Page) {
	e.Changed, e.Synonym = d.Changed, d.Synonym
	if d.Best != nil {
		e.Confidence = min(1, max(0, d.Best.Confidence))
		e.Healed = now.Written(d.Best.Index)
	}
	if d.RunnerUp != nil {
		e.RunnerUp = min(1, max(0, d.RunnerUp.Confidence))
	}
}
