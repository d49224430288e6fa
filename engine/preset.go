package engine

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Preset is a way to score and decide.
type Preset string

// The presets. PresetDefault is Breadcrumb's own scorer; the others give the
// numbers of the tools they are named after.
const (
	PresetDefault  Preset = "default"
	PresetDocs     Preset = "breadcrumb-docs" // as the seed's architecture page describes it
	PresetPy       Preset = "breadcrumb-py"   // as the seed's code does it
	PresetSelfmend Preset = "selfmend"
)

// Presets lists the presets by name.
func Presets() []Preset {
	return []Preset{PresetDefault, PresetDocs, PresetPy, PresetSelfmend}
}

// ParsePreset returns the preset of a name; "" is PresetDefault.
func ParsePreset(name string) (Preset, error) {
	if name == "" {
		return PresetDefault, nil
	}
	var known []string
	for _, p := range Presets() {
		if string(p) == name {
			return p, nil
		}
		known = append(known, string(p))
	}
	return "", fmt.Errorf("unknown preset %.40q: want one of %s", name, strings.Join(known, ", "))
}

// Gates returns the threshold and margin a preset decides by: the best
// candidate's score must reach the threshold and lead the runner-up's by the
// margin, both inclusive. Those of PresetDefault are for a Comparison; a
// fingerprint alone needs more, and still more where there are no boxes.
func (p Preset) Gates() (threshold, margin float64) {
	switch p {
	case PresetDocs, PresetPy:
		return 0.5, 0
	case PresetSelfmend:
		return 0.9, 0.05
	}
	return modelPage.Threshold, modelPage.Margin
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
	value  func(q *seedQuery, c *seedShape) (value float64, present bool)
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

func (p Preset) signals() []weighted {
	switch p {
	case PresetDocs:
		return docsSignals
	case PresetPy:
		return pySignals
	case PresetSelfmend:
		return selfmendSignals
	}
	return nil
}

// Score returns how alike two elements are in [0,1] by a preset other than
// PresetDefault, which only scores within a page, and the signals it is made of.
func (p Preset) Score(stored, candidate Fingerprint) (float64, []Signal) {
	q := newSeedQuery(p, shapeOf(&stored))
	c := shapeOf(&candidate)
	return q.score(&c), q.breakdown(&c)
}

// score returns the weighted mean of the signals that are present.
func (q *seedQuery) score(c *seedShape) float64 {
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
	if q.preset != PresetSelfmend {
		return sum // the weights are 1 together
	}
	return min(1, max(0, sum/weights))
}

func (q *seedQuery) breakdown(c *seedShape) []Signal {
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

// seedShape is an element as the presets look at it, names as hashes.
type seedShape struct {
	tag, id, testID, role, parentTag, neighbours uint64
	text                                         []rune
	units                                        []rune // the text in UTF-16 units
	words, attributes, other, classes            []uint64
	stable                                       []attributeHash
	path, siblings                               []uint64
	box                                          *BoundingBox
	ordinal                                      int
	unseen                                       int // attributes selfmend stores but does not look for on a page
}

type attributeHash struct{ name, value uint64 }

func hashOrNone(s string) uint64 {
	if s == "" {
		return 0
	}
	return hashString(fnvOffset, s)
}

func hashAll(list []string) []uint64 {
	h := make([]uint64, len(list))
	for i, s := range list {
		h[i] = hashString(fnvOffset, s)
	}
	return h
}

// shapeOf prepares a fingerprint for the presets.
func shapeOf(f *Fingerprint) seedShape {
	s := seedShape{tag: hashOrNone(f.Tag), box: f.BBox, path: hashAll(f.DOMPath), siblings: hashAll(f.Siblings), ordinal: -1}
	s.text = []rune(cutString(f.Text, MaxTextBytes))
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
	eachField(f.Text, func(w string) { s.words = appendNew(s.words, hashString(fnvOffset, w)) })
	if n := len(f.DOMPath); n > 1 {
		s.parentTag = hashString(fnvOffset, f.DOMPath[n-2])
	}
	if f.Place != nil {
		s.ordinal = f.Place.Ordinal
		s.neighbours = hashString(fnvOffset, f.Place.Before+"|"+f.Place.After)
	}
	for i, a := range f.Attributes {
		if i == MaxAttributes {
			break
		}
		s.attribute(a)
	}
	return s
}

// attribute sorts one attribute into the lists it counts in.
func (s *seedShape) attribute(a Attribute) {
	value := hashString(fnvOffset, a.Value)
	pair := hashMix(hashString(fnvOffset, a.Name), value)
	s.attributes = appendNew(s.attributes, pair)
	switch a.Name {
	case "id":
		s.id = hashOrNone(a.Value)
		return
	case "class":
		eachField(a.Value, func(c string) { s.classes = appendNew(s.classes, hashString(fnvOffset, c)) })
		return
	case "data-testid":
		s.testID = hashOrNone(a.Value)
	case "role":
		s.role = hashOrNone(a.Value)
	case "name", "type", "placeholder", "title", "alt", "aria-label":
		s.stable = append(s.stable, attributeHash{hashString(fnvOffset, a.Name), value})
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
