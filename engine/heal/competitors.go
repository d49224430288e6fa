package heal

import "sync"

const (
	maxAhead       = 20      // competitors that count
	maxCompetitors = 24      // kept of a candidate's likeliest; some are the lost element's wrappers
	maxLists       = 1 << 14 // lists kept of a pair of pages, 3 MiB
	listBlock      = 32      // lists made at once
)

// competition says how the elements of the old page compare with the lost one
// in how much they are like a candidate.
type competition struct {
	own        float32 // likeness of the lost element
	top        float32 // of the likeliest other
	competitor int32   // which that is, -1 for none
	ahead      int     // others that are more like the candidate than the lost element
}

// competeInKind adds the old page's elements of one kind. The likeliest are
// known once some lost element asked for them; all are looked at only when these
// do not decide, because many of them are the lost element's own wrappers.
func (q *query) competeInKind(k *competition, of kind) {
	list := q.old.ofKind[of]
	likeliest := q.align.competitors.of(q.back, of, list)
	quick, counted := *k, 0
	for _, c := range likeliest {
		if q.addCompetitor(&quick, c.index, c.score) {
			counted++
		}
	}
	if len(likeliest) == len(list) || counted > 0 && (quick.ahead >= maxAhead || likeliest[len(likeliest)-1].score <= quick.own) {
		*k = quick
		return
	}
	for _, i := range list {
		q.addCompetitor(k, i, q.back.likeness(&q.old.nodes[i]))
	}
}

// addCompetitor counts an old element of a likeness. It reports false for the
// lost element itself and for what is as good.
func (q *query) addCompetitor(k *competition, i int32, score float32) bool {
	if i == q.oi || q.old.twins(i, q.oi) {
		return false
	}
	if score > k.own {
		k.ahead++
	}
	if score > k.top {
		k.top, k.competitor = score, i
	}
	return true
}

// lookFor makes a query look for another element of the same page.
func (q *query) lookFor(o *node, oi int32) {
	q.o, q.oi = o, oi
	q.tokenSum = q.markTokens(q.tokenWeight, q.page.tokenWeight, o.tokens)
	q.contextSum = q.markTokens(q.context, q.page.contextWeight, o.context)
}

// forget takes back what lookFor marked.
func (q *query) forget() {
	q.unmarkTokens(q.tokenWeight, q.o.tokens)
	q.unmarkTokens(q.context, q.o.context)
}

func (q *query) unmarkTokens(mark []float32, tokens []uint32) {
	for _, t := range tokens {
		if id := q.token[t]; id >= 0 {
			mark[id] = 0
		}
	}
}

// competitors remembers which old elements of a kind are most like an element
// of the new page. That is the same for every lost element, and takes a look at
// all old elements of that kind.
type competitors struct {
	mu    sync.Mutex
	lists map[competitorKey][]competitor
	block []competitor
}

type competitorKey struct {
	kind      kind
	candidate int32
}

// competitor is an old element and how much it is like the candidate.
type competitor struct {
	index int32
	score float32
}

// of returns the old elements most like the candidate that back looks for,
// likeliest first, equals in list's order: all of list or maxCompetitors of it.
func (r *competitors) of(back *query, k kind, list []int32) []competitor {
	key := competitorKey{k, back.oi}
	r.mu.Lock()
	known, ok := r.lists[key]
	r.mu.Unlock()
	if ok {
		return known
	}
	var found [maxCompetitors]competitor
	n := 0
	for _, i := range list {
		floor := unlikely
		if n == maxCompetitors {
			floor = found[n-1].score
		}
		n = insertCompetitor(&found, n, competitor{i, back.likenessAbove(&back.page.nodes[i], floor)})
	}
	return r.remember(key, found[:n])
}

// insertCompetitor puts c among the n likeliest so far and returns how many
// there are then.
func insertCompetitor(found *[maxCompetitors]competitor, n int, c competitor) int {
	if n == maxCompetitors {
		if c.score <= found[n-1].score {
			return n
		}
		n--
	}
	at := n
	for at > 0 && found[at-1].score < c.score {
		found[at] = found[at-1]
		at--
	}
	found[at] = c
	return n + 1
}

// remember returns a copy of a list, kept while there is room.
func (r *competitors) remember(key competitorKey, list []competitor) []competitor {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.block) < len(list) {
		r.block = make([]competitor, listBlock*maxCompetitors)
	}
	kept := r.block[:len(list):len(list)]
	r.block = r.block[len(list):]
	copy(kept, list)
	if r.lists == nil {
		r.lists = map[competitorKey][]competitor{}
	}
	if len(r.lists) < maxLists {
		r.lists[key] = kept
	}
	return kept
}
