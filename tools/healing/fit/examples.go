// Package fit trains the engine's model on the healing corpus.
package fit

import (
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/tools/healing/boost"
	"github.com/breadcrumb/action/tools/healing/corpus"
)

// Example is one query of the corpus with the likeliest candidates and their
// features.
type Example struct {
	Pair, Project string
	N             int
	Gone          bool
	Extra         bool   // for training only
	Silent        bool   // the lost element has neither text nor name
	Kind          string // "located", or how the element went
	Candidates    []int  // indexes in the pair's new page
	Right         []bool
	Exact         []bool // Right and not merely as good
	Rows          []float32
	Twins         func(i, j int) bool
}

// withoutBoxes is how many scenes there are to each that is also trained on
// without boxes, as pages are that no browser laid out.
const withoutBoxes = 4

// Extract computes the examples of all pairs; with more, also those that are
// for training only: corpus.Deletions, and pages without boxes.
func Extract(pairs []corpus.Pair, withPage, more bool) ([]Example, error) {
	var examples, extra []Example
	n := 0
	add := func(s *corpus.Scene) error {
		examples = append(examples, newExample(s, withPage))
		if n++; more && n%withoutBoxes == 0 {
			extra = append(extra, newExample(s.WithoutBoxes(), withPage))
		}
		return nil
	}
	if err := corpus.Scenes(pairs, corpus.Remove, add); err != nil || !more {
		return examples, err
	}
	train := func(s *corpus.Scene) error {
		extra = append(extra, newExample(s, withPage))
		return nil
	}
	err := corpus.Deletions(pairs, train)
	for i := range extra {
		extra[i].Extra = true
	}
	return append(examples, extra...), err
}

func newExample(s *corpus.Scene, withPage bool) Example {
	candidates, rows := heal.FeatureRows(s.Old, s.Query.Old, s.New, withPage)
	page := s.New
	e := Example{Pair: s.Pair.ID, Project: s.Pair.Project, N: s.N, Gone: s.Query.Answer == nil, Kind: s.Query.Gone, Rows: rows}
	e.Twins = func(i, j int) bool { return page.Twins(candidates[i], candidates[j]) }
	for _, c := range candidates {
		i := s.Original(c)
		e.Candidates = append(e.Candidates, i)
		e.Right = append(e.Right, s.Query.Right(i))
		e.Exact = append(e.Exact, s.Query.Answer != nil && *s.Query.Answer == i)
	}
	return e
}

// likeliest is how many candidates of an example are always trained on. Of the
// rest, easy ones, every third is, and counts for three.
const likeliest = 6

// data makes a training set of the examples that pick accepts.
func data(examples []Example, width int, pick func(*Example) bool) *boost.Data {
	d := &boost.Data{Width: width}
	for i := range examples {
		e := &examples[i]
		if !pick(e) {
			continue
		}
		for k := range e.Candidates {
			w := float32(1)
			switch {
			case e.Exact[k]:
			case e.Right[k]:
				continue
			case k >= likeliest:
				if (i+k)%3 != 0 {
					continue
				}
				w = 3
			}
			d.Rows = append(d.Rows, e.Rows[k*width:(k+1)*width]...)
			d.Labels = append(d.Labels, e.Exact[k])
			d.Weight = append(d.Weight, w)
		}
	}
	return d
}
