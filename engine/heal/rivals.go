package heal

import "sync"

const (
	maxRivals     = 24      // kept of a candidate's likeliest; some are the lost element's wrappers
	maxRivalLists = 1 << 14 // kept of a pair of pages, 3 MiB
	rivalBlock    = 32      // lists made at once
)

// rivals remembers which old elements of a kind are most like an element of the
// new page. That is the same for every lost element, and takes a look at all
// old elements of that kind.
type rivals struct {
	mu    sync.Mutex
	lists map[rivalKey][]rival
	block []rival
}

type rivalKey struct {
	kind      kind
	candidate int32
}

// rival is an old element and how much it is like the candidate.
type rival struct {
	index int32
	score float32
}

// of returns the old elements most like the candidate that back looks for,
// likeliest first, equals in list's order: all of list or maxRivals of it.
func (r *rivals) of(back *query, k kind, list []int32) []rival {
	key := rivalKey{k, back.oi}
	r.mu.Lock()
	top, known := r.lists[key]
	r.mu.Unlock()
	if known {
		return top
	}
	var found [maxRivals]rival
	n := 0
	for _, i := range list {
		n = insertRival(&found, n, rival{i, back.quick(&back.page.nodes[i])})
	}
	return r.keep(key, found[:n])
}

// insertRival puts r among the n likeliest so far and returns how many there
// are then.
func insertRival(found *[maxRivals]rival, n int, r rival) int {
	if n == maxRivals {
		if r.score <= found[n-1].score {
			return n
		}
		n--
	}
	at := n
	for at > 0 && found[at-1].score < r.score {
		found[at] = found[at-1]
		at--
	}
	found[at] = r
	return n + 1
}

// keep returns a copy of a list, remembered while there is room.
func (r *rivals) keep(key rivalKey, list []rival) []rival {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.block) < len(list) {
		r.block = make([]rival, rivalBlock*maxRivals)
	}
	kept := r.block[:len(list):len(list)]
	r.block = r.block[len(list):]
	copy(kept, list)
	if r.lists == nil {
		r.lists = map[rivalKey][]rival{}
	}
	if len(r.lists) < maxRivalLists {
		r.lists[key] = kept
	}
	return kept
}
