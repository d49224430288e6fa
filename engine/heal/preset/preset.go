// Package preset scores pairs of elements the way the tools do that Breadcrumb
// grew from, exactly to their own numbers.
package preset

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Name names a preset: a way to score and decide.
type Name string

// The presets. Default is Breadcrumb's own scorer; the others give the
// numbers of the tools they are named after.
const (
	Default  Name = "default"
	Docs     Name = "breadcrumb-docs" // as the seed's architecture page describes it
	Py       Name = "breadcrumb-py"   // as the seed's code does it
	Selfmend Name = "selfmend"
)

// Names returns the names of all presets.
func Names() []Name {
	return []Name{Default, Docs, Py, Selfmend}
}

// Parse returns the preset of a name; "" is Default and "breadcrumb" another name of Docs.
func Parse(name string) (Name, error) {
	switch name {
	case "":
		return Default, nil
	case "breadcrumb":
		return Docs, nil
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

// Scorer is a lost element prepared for one preset. It is for one goroutine.
type Scorer struct {
	preset   Name
	signals  []signal
	o        Shape
	text     *text.Pattern
	units    *text.Pattern
	path     sequence
	siblings sequence
}

// NewScorer prepares a lost element.
func NewScorer(p Name, o Shape) *Scorer {
	q := &Scorer{preset: p, signals: signals[p], o: o, path: newSequence(o.path), siblings: newSequence(o.siblings)}
	if p == Selfmend {
		q.units = text.NewPattern(o.units)
	} else {
		q.text = text.NewPattern(o.text)
	}
	return q
}

// Alike reports whether selfmend would compare an element with what was lost:
// it has the same tag or the lost element's explicit role.
func (q *Scorer) Alike(c *Shape) bool {
	return c.tag == q.o.tag || q.o.role != 0 && c.role == q.o.role
}

// Score returns how alike two elements are in [0,1] by a preset other than
// Default, which only scores within a page, and the signals it is made of.
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
