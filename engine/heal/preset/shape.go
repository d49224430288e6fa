package preset

import (
	"slices"
	"unicode/utf16"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

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
	if slices.ContainsFunc(s.text, func(r rune) bool { return r > 0xffff }) {
		s.units = nil
		for _, u := range utf16.Encode(s.text) {
			s.units = append(s.units, rune(u))
		}
	}
	for w := range token.Fields(f.Text) {
		s.words = appendNew(s.words, token.Hash(token.Seed, w))
	}
	if n := len(f.DOMPath); n > 1 {
		s.parentTag = token.Hash(token.Seed, f.DOMPath[n-2])
	}
	if f.Place != nil {
		s.ordinal = f.Place.Ordinal
		s.neighbours = token.Hash(token.Seed, f.Place.Before+"|"+f.Place.After)
	}
	for _, a := range f.Attributes[:min(len(f.Attributes), engine.MaxAttributes)] {
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
		for c := range token.Fields(a.Value) {
			s.classes = appendNew(s.classes, token.Hash(token.Seed, c))
		}
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
	if slices.Contains(list, h) {
		return list
	}
	return append(list, h)
}
