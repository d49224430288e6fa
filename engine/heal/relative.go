package heal

import "github.com/breadcrumb/action/engine"

// relatives are the features judged against the other candidates: by how much
// a candidate leads the best other one, and how many are ahead of it.
var relatives = [...]struct {
	feature int // index, -1 for the quick score
	sign    float32
}{{-1, 1}, {featBestDice, 1}, {featTokens, 1}, {featContext, 1}, {featClasses, 1}, {featBefore, 1}, {featDistance, -1}, {featPath, 1}, {featCalled, 1}}

// rows returns the features of every ranked candidate in one block, row after
// row of len(featureNames).
func (q *query) rows() []float32 {
	w := len(featureNames)
	block := make([]float32, w*len(q.ranked))
	for i, c := range q.ranked {
		r := row{f: block[i*w : (i+1)*w]}
		q.pair(&r, c.index)
	}
	for k, rel := range relatives {
		for i := range q.ranked {
			own := q.relative(block, i, rel.feature) * rel.sign
			lead, ahead := float32(1), 0
			first := true
			for j := range q.ranked {
				if j == i || q.twins(q.ranked[i].index, q.ranked[j].index) {
					continue
				}
				other := q.relative(block, j, rel.feature) * rel.sign
				if first || own-other < lead {
					lead, first = own-other, false
				}
				if other > own {
					ahead++
				}
			}
			block[i*w+featPair+2*k] = lead
			block[i*w+featPair+2*k+1] = float32(ahead)
		}
	}
	return block
}

func (q *query) relative(block []float32, i, feature int) float32 {
	if feature < 0 {
		return q.ranked[i].quick
	}
	return block[i*len(featureNames)+feature]
}

// twins reports whether one element wraps the other in the same place, so that
// acting on either is the same.
func (q *query) twins(i, j int32) bool {
	p := q.page
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

// FeatureNames returns the names of the features of a pair, in the order of
// FeatureRows.
func FeatureNames() []string { return append([]string(nil), featureNames...) }

// FeatureRows returns the likeliest counterparts of old's element i on page,
// and their features row after row in one block. It is what the model is
// trained on; withPage says whether the rest of the old page may be used.
func FeatureRows(old *Page, i int, page *Page, withPage bool) (candidates []int, rows []float32) {
	var q *query
	if withPage {
		q = newQuery(old, i, page, align(old, page))
	} else {
		q = newQuery(NewCandidates([]engine.Fingerprint{old.Fingerprint(i)}), 0, page, nil)
	}
	q.rank()
	for _, c := range q.ranked {
		candidates = append(candidates, int(c.index))
	}
	return candidates, q.rows()
}

// Twins reports whether one of two elements wraps the other in the same place,
// so that acting on either is the same.
func (p *Page) Twins(i, j int) bool {
	q := query{page: p}
	return q.twins(int32(i), int32(j))
}
