package heal

import (
	"math"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// pairFeatures are the features of a candidate that do not depend on the others,
// in the model's order. A row of features has them first, then those of the leads.
var pairFeatures = slices.Concat(elementFeatures, pageFeatures, parentFeatures)

// features writes the features of a candidate that do not depend on the others.
func (q *query) features(row []float32, ci int32) {
	p := &q.pair // not a variable of its own, which would be allocated for the table
	*p = pair{query: q, o: q.o, c: &q.page.nodes[ci], ci: ci, op: q.old.phrases, cp: q.page.phrases}
	p.path = commonPath(climb{p.old, p.o, 0}, climb{p.page, p.c, 0})
	if p.boxes = p.o.hasBox && p.c.hasBox; p.boxes {
		a, b := &p.o.box, &p.c.box
		p.dx = math.Abs(a.X + a.Width/2 - b.X - b.Width/2)
		p.dy = math.Abs(a.Y + a.Height/2 - b.Y - b.Height/2)
	}
	if p.align != nil {
		p.readPages()
	}
	row = p.write(row, elementFeatures, true)
	row = p.write(row, pageFeatures, p.align != nil)
	p.write(row, parentFeatures, true)
}

// commonPath returns how many tags two paths have in common at their ends, up
// to the body.
func commonPath(a, b climb) int {
	k := 0
	for k < maxPathTags {
		x, y := a.next(), b.next()
		if x != y || x == 0 {
			break
		}
		k++
	}
	return k
}

// write puts features at the start of a row and returns the rest of it.
func (p *pair) write(row []float32, features []feature, known bool) []float32 {
	for i := range features {
		if known {
			row[i] = features[i].of(p)
		} else {
			row[i] = missing
		}
	}
	return row[len(features):]
}

// lead is a feature that is also judged against the other candidates: by how
// much a candidate leads the best other one, and how many are ahead of it.
type lead struct {
	name    string
	feature int     // index, -1 for the quick score
	sign    float32 // -1 where less is better
}

var leads = []lead{
	{"quick", -1, 1}, {"best", featBestDice, 1}, {"tokens", featTokens, 1}, {"context", featContext, 1}, {"classes", featClasses, 1},
	{"before", featBefore, 1}, {"distance", featDistance, -1}, {"path", featPath, 1}, {"called", featCalled, 1},
}

// Places of the features that the leads and the evidence are made of.
var (
	featCalled   = featureIndex("called dice")
	featBestDice = featureIndex("best dice")
	featTokens   = featureIndex("tokens dice")
	featClasses  = featureIndex("classes covered")
	featPath     = featureIndex("path")
	featContext  = featureIndex("context dice")
	featBefore   = featureIndex("before dice")
	featDistance = featureIndex("distance")
)

func featureIndex(name string) int {
	i := slices.IndexFunc(pairFeatures, func(f feature) bool { return f.name == name })
	if i < 0 {
		panic("no feature is called " + name)
	}
	return i
}

// rowWidth is how many features a candidate has.
var rowWidth = len(pairFeatures) + 2*len(leads)

// FeatureNames returns the names of the features of a candidate, in the order
// of FeatureRows.
func FeatureNames() []string {
	names := make([]string, 0, rowWidth)
	for _, f := range pairFeatures {
		names = append(names, f.name)
	}
	for _, l := range leads {
		names = append(names, l.name+" lead", l.name+" rank")
	}
	return names
}

// featureRows returns the features of every ranked candidate in one block, row after
// row of rowWidth.
func (q *query) featureRows() []float32 {
	w := rowWidth
	block := make([]float32, w*len(q.ranked))
	for i, c := range q.ranked {
		q.features(block[i*w:(i+1)*w], c.index)
	}
	twins := make([][maxRanked + 1]bool, len(q.ranked))
	for i, a := range q.ranked {
		for j, b := range q.ranked {
			twins[i][j] = i != j && q.page.twins(a.index, b.index)
		}
	}
	for k, l := range leads {
		value := func(i int) float32 {
			if l.feature < 0 {
				return q.ranked[i].likeness * l.sign
			}
			return block[i*w+l.feature] * l.sign
		}
		for i := range q.ranked {
			own, by, ahead := value(i), float32(1), 0
			first := true
			for j := range q.ranked {
				if j == i || twins[i][j] {
					continue
				}
				other := value(j)
				if first || own-other < by {
					by, first = own-other, false
				}
				if other > own {
					ahead++
				}
			}
			at := i*w + len(pairFeatures) + 2*k
			block[at], block[at+1] = by, float32(ahead)
		}
	}
	return block
}

// Ranking is the likeliest counterparts of an element on another page: what the
// model is trained on.
type Ranking struct {
	Candidates []int
	Rows       []float32 // their features, row after row in the order of FeatureNames
	reading    *reading
}

// RankCandidates returns the likeliest counterparts of old's element i on page;
// withPage says whether the rest of the old page may be used.
func RankCandidates(old *Page, i int, page *Page, withPage bool) Ranking {
	var q *query
	if withPage {
		q = newQuery(old, i, page, align(old, page))
	} else {
		q = newQuery(NewCandidates([]engine.Fingerprint{old.Fingerprint(i)}), 0, page, nil)
	}
	q.rankCandidates()
	r := Ranking{reading: newReading(q), Rows: q.featureRows()}
	for _, c := range q.ranked {
		r.Candidates = append(r.Candidates, int(c.index))
	}
	return r
}

// Evidence returns what speaks for the kth candidate beside its likeness.
func (r Ranking) Evidence(k int) Evidence {
	m := r.reading.meaningOf(r.reading.ranked[k].index)
	return m.evidence()
}
