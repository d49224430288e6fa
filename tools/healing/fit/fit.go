// Package fit trains the engine's model on the healing corpus.
package fit

import (
	"math"
	"slices"
	"sort"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/tools/healing/boost"
	"github.com/breadcrumb/action/tools/healing/corpus"
)

// Example is one query of the corpus with the likeliest candidates and their
// features.
type Example struct {
	Project string
	Extra   bool   // for training only
	Right   []bool // by candidate
	Exact   []bool // Right and not merely as good
	Rows    []float32
	Kinds   []heal.Evidence // by candidate, nil of an extra one
	Twins   func(i, j int) bool
}

// withoutBoxes is every how many scenes one is also trained on without boxes, as
// pages are that no browser laid out.
const withoutBoxes = 4

// Extract computes the examples of all pairs, and more for training only:
// corpus.Deletions, and pages without boxes.
func Extract(pairs []corpus.Pair, withPage bool) ([]Example, error) {
	var examples, extra []Example
	err := corpus.Scenes(pairs, corpus.Remove, func(s *corpus.Scene) error {
		examples = append(examples, newExample(s, withPage, false))
		if len(examples)%withoutBoxes == 0 {
			extra = append(extra, newExample(s.WithoutBoxes(), withPage, true))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = corpus.Deletions(pairs, func(s *corpus.Scene) error {
		extra = append(extra, newExample(s, withPage, true))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = corpus.Rewordings(pairs, func(s *corpus.Scene) error {
		extra = append(extra, newExample(s, withPage, true))
		return nil
	})
	return append(examples, extra...), err
}

func newExample(s *corpus.Scene, withPage, extra bool) Example {
	ranking := heal.RankCandidates(s.Old, s.Query.Old, s.New, withPage)
	page, candidates := s.New, ranking.Candidates
	e := Example{Project: s.Pair.Project, Rows: ranking.Rows, Extra: extra}
	e.Twins = func(i, j int) bool { return page.Twins(candidates[i], candidates[j]) }
	for k, c := range candidates {
		if !extra {
			e.Kinds = append(e.Kinds, ranking.Evidence(k))
		}
		i := s.Original(c)
		e.Right = append(e.Right, s.Query.Right(i))
		e.Exact = append(e.Exact, s.Query.Answer != nil && *s.Query.Answer == i)
	}
	return e
}

// likeliest is how many candidates of an example are always trained on. The
// others are easy: only every third is trained on, with the weight of three.
const likeliest = 6

// trainingSet takes the examples that pick accepts.
func trainingSet(examples []Example, width int, pick func(*Example) bool) *boost.Data {
	d := &boost.Data{Width: width}
	for i := range examples {
		e := &examples[i]
		if !pick(e) {
			continue
		}
		for k := range e.Right {
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

// options are those of the trees: few and small enough to review their table, and
// so many that more gain nothing on projects left out.
var options = boost.Options{Trees: 110, Leaves: 16, Rate: .1, MinRows: 60, L2: 5, Bins: 64}

// wrongAtHome is the share of wrong heals that the default threshold allows on
// projects of the corpus that the trees did not see. On projects outside the
// corpus it is up to 1.7 times as many, so it is far below the half per cent
// promised.
const wrongAtHome = 0.0018

// leastHealed is how likely a heal is at least, whatever the share of wrong ones.
const leastHealed = 0.88

// vainAtHome is the share of answers, by evidence, that may be suggestions of
// another element or for one that is gone. Most are where the words changed, for
// those are what suggestions are for.
var vainAtHome = [heal.Evidences]float64{
	heal.EvidenceSame: 0.003, heal.EvidenceSilent: 0.003, heal.EvidenceUntold: 0.003, heal.EvidenceChanged: 0.0125, heal.EvidenceElsewhere: 0.002,
}

// leastSuggested is how likely a suggestion is at least, by evidence. Few projects
// have much of a kind, and a threshold that one project alone would set is too low
// for it.
var leastSuggested = [heal.Evidences]float64{
	heal.EvidenceSame: 0.3, heal.EvidenceSilent: 0.4, heal.EvidenceUntold: 0.7, heal.EvidenceChanged: 0.3, heal.EvidenceElsewhere: 0.3,
}

// margin is the second gate. It matters only when somebody lowers the first.
const margin = 0.3

// Answer is what a forest says about one example it was not trained on.
type Answer struct {
	Example *Example
	Best    int // index of the candidate, -1 for none
	Raw     float64
	Right   bool
	Kind    heal.Evidence
}

// Forest trains the trees on the examples that pick accepts.
func Forest(examples []Example, pick func(*Example) bool) *boost.Forest {
	return boost.Train(trainingSet(examples, len(heal.FeatureNames()), pick), options)
}

// HeldOut splits the projects into folds, trains one forest a fold without the
// projects in it, and returns them by project with what each says about the
// projects it did not see. 0 folds: each project is one.
func HeldOut(examples []Example, folds int) (map[string]*boost.Forest, []Answer) {
	var projects []string
	for i := range examples {
		projects = append(projects, examples[i].Project)
	}
	slices.Sort(projects)
	projects = slices.Compact(projects)
	if folds == 0 {
		folds = len(projects)
	}
	forests := map[string]*boost.Forest{}
	var answers []Answer
	for k := range folds {
		out := map[string]bool{}
		for i := k; i < len(projects); i += folds {
			out[projects[i]] = true
		}
		f := Forest(examples, func(e *Example) bool { return !out[e.Project] })
		for p := range out {
			forests[p] = f
		}
		for i := range examples {
			if e := &examples[i]; out[e.Project] && !e.Extra {
				answers = append(answers, answer(f, e))
			}
		}
	}
	return forests, answers
}

// answer applies a forest the way the engine does.
func answer(f *boost.Forest, e *Example) Answer {
	a := Answer{Example: e, Best: -1}
	w := len(heal.FeatureNames())
	p := make([]float64, len(e.Right))
	for k := range p {
		p[k] = 1 / (1 + math.Exp(-f.Score(e.Rows[k*w:(k+1)*w])))
		if a.Best < 0 || p[k] > p[a.Best] {
			a.Best = k
		}
	}
	if a.Best < 0 {
		return a
	}
	second := 0.0
	for k := range p {
		if k != a.Best && !e.Twins(k, a.Best) {
			second = max(second, p[k])
		}
	}
	a.Raw = p[a.Best] * (1 - second)
	a.Right = e.Right[a.Best]
	a.Kind = e.Kinds[a.Best]
	return a
}

// Model joins trees with the calibration and threshold that answers on projects
// held out call for.
func Model(f *boost.Forest, answers []Answer) heal.Model {
	m := heal.Model{Forest: flatten(f), Margin: margin}
	for kind := range m.Calibration {
		var some []Answer
		for _, a := range answers {
			if a.Best >= 0 && int(a.Kind) == kind {
				some = append(some, a)
			}
		}
		m.Calibration[kind] = calibrate(some)
	}
	m.Threshold = max(leastHealed, threshold(&m, answers, wrongAtHome, func(a Answer) bool { return a.Kind <= heal.EvidenceSilent }))
	for kind, allowed := range vainAtHome {
		m.Suggest[kind] = max(leastSuggested[kind], threshold(&m, answers, allowed, func(a Answer) bool { return int(a.Kind) == kind }))
	}
	return m
}

// edges cut raw log odds into the bins of a calibration.
var edges = []float64{-4, -2, 0, 1, 2, 3, 4, 5, 6}

// calibrate returns a rising line through the shares of right answers by raw
// confidence. Each bin starts with one right and one wrong answer of its own
// raw confidence, so that few answers claim little.
func calibrate(answers []Answer) heal.Calibration {
	type bin struct{ n, right, raw float64 }
	bins := make([]bin, len(edges)+1)
	for _, a := range answers {
		x := logit(a.Raw)
		b := &bins[sort.SearchFloat64s(edges, x)]
		b.n, b.raw = b.n+1, b.raw+x
		if a.Right {
			b.right++
		}
	}
	var merged []bin
	for _, b := range bins {
		if b.n == 0 {
			continue
		}
		merged = append(merged, b)
		for n := len(merged); n > 1 && share(merged[n-1].right, merged[n-1].n) <= share(merged[n-2].right, merged[n-2].n); n = len(merged) {
			x, y := merged[n-2], merged[n-1]
			merged = append(merged[:n-2], bin{x.n + y.n, x.right + y.right, x.raw + y.raw})
		}
	}
	var c heal.Calibration
	for _, b := range merged {
		c = append(c, heal.Knot{Raw: round(b.raw / b.n), True: round(logit(share(b.right, b.n)))})
	}
	return c
}

func share(right, n float64) float64 { return (right + 0.5) / (n + 1) }

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

// threshold returns the least confidence at which at most a share of all answers
// are wrong ones that pick accepts.
func threshold(m *heal.Model, answers []Answer, allowed float64, pick func(Answer) bool) float64 {
	type taken struct {
		c     float64
		right bool
	}
	var some []taken
	for _, a := range answers {
		if a.Best >= 0 && pick(a) {
			some = append(some, taken{m.Calibration[a.Kind].Probability(a.Raw), a.Right})
		}
	}
	sort.Slice(some, func(i, j int) bool { return some[i].c > some[j].c })
	wrong, limit, at := 0, allowed*float64(len(answers)), 1.0
	for i, h := range some {
		if !h.right {
			wrong++
		}
		if float64(wrong) > limit {
			break
		}
		if i+1 == len(some) || some[i+1].c < h.c {
			at = h.c
		}
	}
	return math.Ceil(at*1e5) / 1e5
}

func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// flatten puts the trees into one list of nodes, values rounded to what the
// table keeps.
func flatten(f *boost.Forest) heal.Forest {
	out := heal.Forest{Base: float32(f.Base)}
	for _, t := range f.Trees {
		out.Roots = append(out.Roots, int32(len(out.Nodes)))
		for i, n := range t {
			if n.Left == 0 {
				out.Nodes = append(out.Nodes, heal.TreeNode{Value: float32(math.Round(n.Value*1e4) / 1e4)})
				continue
			}
			out.Nodes = append(out.Nodes, heal.TreeNode{Feature: uint8(n.Feature), Left: uint8(n.Left - i), Value: n.Threshold})
		}
	}
	return out
}
