package engine

import "strings"

// opposites are pairs of words that tell controls apart which stand in each
// other's place.
var opposites = wordPairs(`on off, in out, login logout, signin signout, open close, opened closed, show hide, start stop, start pause,
	start end, play pause, play stop, next previous, next prev, next back, forward back, forward backward, up down, left right, top bottom,
	add remove, add delete, create delete, insert delete, save discard, save delete, keep discard, keep delete, accept reject,
	accept decline, accept deny, approve reject, approve decline, approve deny, agree disagree, confirm cancel, ok cancel, allow deny,
	allow block, allow forbid, yes no, expand collapse, more less, more fewer, first last, min max, minimum maximum, increase decrease,
	raise lower, higher lower, import export, upload download, buy sell, deposit withdraw, debit credit, send receive, lend borrow,
	attach detach, grant revoke, join leave, enter exit, enter leave, login register, encrypt decrypt, encode decode, enable disable,
	enabled disabled, connect disconnect, include exclude, public private, ascending descending, asc desc, before after, from to,
	undo redo, merge split, push pull, dark light, billing shipping, arrival departure, sender recipient, buyer seller`)

// negations are beginnings that turn a word into its opposite.
var negations = []string{"un", "dis", "de", "in", "non"}

// wordPairs returns each word's opposites.
func wordPairs(list string) map[string][]string {
	pairs := map[string][]string{}
	for pair := range strings.SplitSeq(list, ",") {
		words := strings.Fields(pair)
		pairs[words[0]] = append(pairs[words[0]], words[1])
		pairs[words[1]] = append(pairs[words[1]], words[0])
	}
	return pairs
}

// opposite reports whether what was said became its opposite: one word went and
// its opposite came. English only.
func opposite(before, after string) bool {
	old, now := wordsOf(before), wordsOf(after)
	for gone := range old {
		if now[gone] {
			continue
		}
		for came := range now {
			if !old[came] && opposed(gone, came) {
				return true
			}
		}
	}
	return false
}

func opposed(a, b string) bool {
	for _, other := range opposites[a] {
		if other == b {
			return true
		}
	}
	for _, n := range negations {
		if len(a) > 2 && b == n+a || len(b) > 2 && a == n+b {
			return true
		}
	}
	return false
}
