package corpus

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine/heal"
)

// Scene is one query with its two pages: the old one, and the new one without
// the elements that the query takes off.
type Scene struct {
	Pair  *Pair
	Query Query
	N     int // the query's number within its pair
	Old   *heal.Page
	New   *heal.Page
	index []int // by index in New: index in the pair's list of new elements
}

// Original returns the pair's index of New's element i; -1 stays -1.
func (s *Scene) Original(i int) int {
	if i < 0 || s.index == nil {
		return i
	}
	return s.index[i]
}

// Taking says how elements are taken off a page.
type Taking int

// Remove makes the page as if it never had the elements. Hide leaves them in the
// tree as invisible ones, which are no candidates: the figures of other tools in
// the corpus's README were made that way.
const (
	Remove Taking = iota
	Hide
)

// Scenes calls f for each query of every pair, in order.
func Scenes(pairs []Pair, taking Taking, f func(*Scene) error) error {
	byID := make(map[string]*Pair, len(pairs))
	for i := range pairs {
		byID[pairs[i].ID] = &pairs[i]
	}
	for i := range pairs {
		p := &pairs[i]
		oldPage, newPage := heal.NewPage(p.Old), heal.NewPage(p.New)
		for n, q := range p.Queries {
			s := &Scene{Pair: p, Query: q, N: n, Old: oldPage, New: newPage}
			switch {
			case q.Other != "":
				other := byID[q.Other]
				if other == nil {
					return fmt.Errorf("query %d of %s shows the page of %s, which is not in the corpus", n, p.ID, q.Other)
				}
				s.New = heal.NewPage(other.New)
			case len(q.Taken) > 0:
				s.take(taking)
			}
			if err := f(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// take makes the new page without the query's elements.
func (s *Scene) take(taking Taking) {
	if taking == Hide {
		elements := append([]heal.Element(nil), s.Pair.New...)
		for _, i := range s.Query.Taken {
			elements[i].Visible = false
		}
		s.New = heal.NewPage(elements)
		return
	}
	elements, index := without(s.Pair.New, s.Query.Taken)
	s.New, s.index = heal.NewPage(elements), index
}

// without returns elements without the taken ones and the original index of
// each. Children of a taken element go to its parent.
func without(elements []heal.Element, taken []int) (kept []heal.Element, index []int) {
	to := make([]int, len(elements))
	for i, e := range elements {
		parent := -1
		if e.Parent >= 0 {
			parent = to[e.Parent]
		}
		if slices.Contains(taken, i) {
			to[i] = parent
			continue
		}
		to[i] = len(kept)
		e.Parent = parent
		kept = append(kept, e)
		index = append(index, i)
	}
	return kept, index
}

// WithoutBoxes returns the scene as if no browser had laid out its pages.
func (s *Scene) WithoutBoxes() *Scene {
	flat := *s
	flat.Old, flat.New = withoutBoxes(s.Old), withoutBoxes(s.New)
	return &flat
}

func withoutBoxes(p *heal.Page) *heal.Page {
	elements := make([]heal.Element, p.Len())
	for i := range elements {
		elements[i] = p.Element(i)
		elements[i].BBox = nil
	}
	return heal.NewPage(elements)
}

// Deletions makes more scenes to train on and calls f with each: every query
// that has an answer, with the answer taken off the page, what is as good, what
// is inside them, and their labels. Queries that the corpus asks that way itself
// are left out.
func Deletions(pairs []Pair, f func(*Scene) error) error {
	for i := range pairs {
		p := &pairs[i]
		oldPage := heal.NewPage(p.Old)
		for n, q := range p.Queries {
			asked := func(other Query) bool { return other.Old == q.Old && other.Answer == nil }
			if slices.ContainsFunc(p.Queries, asked) {
				continue
			}
			elements, index := without(p.New, subtree(p.New, append([]int{*q.Answer}, q.Also...)))
			q.Answer, q.Also, q.Gone = nil, nil, "trained"
			s := &Scene{Pair: p, Query: q, N: n, Old: oldPage, New: heal.NewPage(elements), index: index}
			if err := f(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// subtree returns the roots, everything inside them, and the labels for them.
func subtree(elements []heal.Element, roots []int) []int {
	in, ids := map[int]bool{}, map[string]bool{}
	for _, r := range roots {
		in[r] = true
	}
	var all []int
	for i, e := range elements {
		if in[i] || e.Parent >= 0 && in[e.Parent] {
			in[i] = true
			all = append(all, i)
			if id, ok := e.Attributes.Get("id"); ok && id != "" {
				ids[id] = true
			}
		}
	}
	for i, e := range elements {
		if id, ok := e.Attributes.Get("for"); ok && ids[id] && !in[i] {
			all = append(all, i)
		}
	}
	return all
}
