// Package preset scores pairs of elements the way the tools do that Breadcrumb
// grew from, exactly to their own numbers.
package preset

import (
	"fmt"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"strings"
	"unicode/utf16"
)

// Preset is a way to score and decide.
type Name string

// The presets. PresetDefault is Breadcrumb's own scorer; the others give the
// numbers of the tools they are named after.
const (
	Default  Name = "default"
	Docs     Name = "breadcrumb-docs" // as the seed's architecture page describes it
	Py       Name = "breadcrumb-py"   // as the seed's code does it
	Selfmend Name = "selfmend"
)

// Presets lists the presets by name.
func Names() []Name {
	return []Name{Default, Docs, Py, Selfmend}
}

// ParsePreset returns the preset of a name; "" is PresetDefault.
func Parse(name string) (Name, error) {
	if name == "" {
		return Default, nil
	}
	var known []string
	for _, p := range Names() {
		if string(p) == name {
			return p, nil
		}
		known = append(known, string(p))
	}
	return "", fmt.Errorf("unknown preset %.40q: want one of %s", name, strings.Join(known, ", "))
}

// Signal is one part of a score.
type Signal struct {
	Name   string
	Value  float64 // in [0,1]
	Weight float64 // 0 when the signal did not take part
}

// weighted is a signal of a preset.
type weighted struct {
	name   string
	weight float64
	value  func(q *Scorer, c *Shape) (value float64, present bool)
}

var docsSignals = []weighted{
	{"tag", .25, sigTag}, {"id", .25, sigID}, {"text", .20, sigText}, {"class", .10, sigClass},
	{"attributes", .05, sigOtherAttributes}, {"dom_path", .10, sigPath}, {"siblings", .03, sigSiblings}, {"position", .02, sigPosition},
}

var pySignals = []weighted{
	{"tag", .15, sigTag}, {"text", .25, sigText}, {"attributes", .25, sigAttributes},
	{"dom_path", .15, sigPath}, {"siblings", .15, sigSiblings}, {"position", .05, sigPosition},
}

var selfmendSignals = []weighted{
	{"test_id", 6, sigTestID}, {"role", 3, sigRole}, {"text", 4, sigFuzzyText}, {"tag", 1, sigTag}, {"attributes", 2, sigStableAttributes},
	{"parent_tag", .5, sigParentTag}, {"neighbours", .5, sigNeighbours}, {"ordinal", .25, sigOrdinal},
}

func (p Name) signals() []weighted {
	switch p {
	case Docs:
		return docsSignals
	case Py:
		return pySignals
	case Selfmend:
		return selfmendSignals
	}
	return nil
}

// Score returns how alike two elements are in [0,1] by a preset other than
// PresetDefault, which only scores within a page, and the signals it is made of.
func (p Name) Score(stored, candidate engine.Fingerprint) (float64, []Signal) {
	q := NewScorer(p, ShapeOf(&stored))
	c := ShapeOf(&candidate)
	return q.Score(&c), q.Signals(&c)
}

// Score returns the weighted mean of the signals that are present.
func (q *Scorer) Score(c *Shape) float64 {
	var sum, weights float64
	for i := range q.signals {
		s := &q.signals[i]
		v, present := s.value(q, c)
		if present {
			sum += v * s.weight
			weights += s.weight
		}
	}
	if weights == 0 {
		return 0
	}
	if q.preset != Selfmend {
		return sum // the weights are 1 together
	}
	return min(1, max(0, sum/weights))
}

// Signals returns the signals a score is made of.
func (q *Scorer) Signals(c *Shape) []Signal {
	out := make([]Signal, len(q.signals))
	for i, s := range q.signals {
		v, present := s.value(q, c)
		out[i] = Signal{Name: s.name, Value: v}
		if present {
			out[i].Weight = s.weight
		}
	}
	return out
}

// Shape is an element as the presets look at it, names as hashes.
type Shape struct {
	tag, id, testID, role, parentTag, neighbours uint64
	text                                         []rune
	units                                        []rune // the text in UTF-16 units
	words, attributes, other, classes            []uint64
	stable                                       []attributeHash
	path, siblings                               []uint64
	box                                          *engine.BoundingBox
	ordinal                                      int
	unseen                                       int // attributes selfmend stores but does not look for on a page
}

type attributeHash struct{ name, value uint64 }

func hashOrNone(s string) uint64 {
	if s == "" {
		return 0
	}
	return token.Hash(token.Seed, s)
}

func hashAll(list []string) []uint64 {
	h := make([]uint64, len(list))
	for i, s := range list {
		h[i] = token.Hash(token.Seed, s)
	}
	return h
}

// ShapeOf prepares a fingerprint for the presets.
func ShapeOf(f *engine.Fingerprint) Shape {
	s := Shape{tag: hashOrNone(f.Tag), box: f.BBox, path: hashAll(f.DOMPath), siblings: hashAll(f.Siblings), ordinal: -1}
	s.text = []rune(token.Cut(f.Text, engine.MaxTextBytes))
	s.units = s.text
	for _, r := range s.text {
		if r > 0xffff {
			s.units = nil
			for _, u := range utf16.Encode(s.text) {
				s.units = append(s.units, rune(u))
			}
			break
		}
	}
	token.EachField(f.Text, func(w string) { s.words = appendNew(s.words, token.Hash(token.Seed, w)) })
	if n := len(f.DOMPath); n > 1 {
		s.parentTag = token.Hash(token.Seed, f.DOMPath[n-2])
	}
	if f.Place != nil {
		s.ordinal = f.Place.Ordinal
		s.neighbours = token.Hash(token.Seed, f.Place.Before+"|"+f.Place.After)
	}
	for i, a := range f.Attributes {
		if i == engine.MaxAttributes {
			break
		}
		s.attribute(a)
	}
	return s
}

// attribute sorts one attribute into the lists it counts in.
func (s *Shape) attribute(a engine.Attribute) {
	value := token.Hash(token.Seed, a.Value)
	pair := token.Mix(token.Hash(token.Seed, a.Name), value)
	s.attributes = appendNew(s.attributes, pair)
	switch a.Name {
	case "id":
		s.id = hashOrNone(a.Value)
		return
	case "class":
		token.EachField(a.Value, func(c string) { s.classes = appendNew(s.classes, token.Hash(token.Seed, c)) })
		return
	case "data-testid":
		s.testID = hashOrNone(a.Value)
	case "role":
		s.role = hashOrNone(a.Value)
	case "name", "type", "placeholder", "title", "alt", "aria-label":
		s.stable = append(s.stable, attributeHash{token.Hash(token.Seed, a.Name), value})
	case "value", "href", "for":
		s.unseen++
	}
	s.other = appendNew(s.other, pair)
}

func appendNew(list []uint64, h uint64) []uint64 {
	if contains(list, h) {
		return list
	}
	return append(list, h)
}
