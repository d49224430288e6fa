package heal

import (
	"slices"
	"strings"
	"unicode"
)

// otherMeaning reports whether a candidate does something else than the lost
// element, however alike it is. The model cannot know: it learned from
// redesigns, in which nobody replaced Follow by Unfollow, or the row of one
// person by that of another.
func (q *query) otherMeaning(ci int32) bool {
	before, after := &q.old.phrases[q.o.best], &q.page.phrases[q.page.nodes[ci].best]
	return opposite(before.text, after.text) || q.align != nil && (q.otherRow(ci) || q.asksForLogin(ci))
}

// maxSameNamed is how many elements of the same name are told apart.
const maxSameNamed = 50

// otherRow reports whether the lost element was one of several of the same name,
// told apart by their rows alone, and the candidate belongs to another row. That
// is so when the words that only its own row had are gone from the page.
func (q *query) otherRow(ci int32) bool {
	if q.o.sameName < 2 {
		return false
	}
	row, steps := q.old.rowOf(q.oi, len(q.old.nodes))
	own := q.old.rowWords(row, q.oi)
	for n, i := 0, int32(0); i < int32(len(q.old.nodes)) && n < maxSameNamed; i++ {
		if other := &q.old.nodes[i]; i == q.oi || other.nameKey != q.o.nameKey || !other.visible {
			continue
		}
		n++
		for w := range q.old.rowWords(q.old.ancestor(i, steps), i) {
			delete(own, w)
		}
	}
	if len(own) == 0 {
		return false
	}
	now, _ := q.page.rowOf(ci, steps)
	return len(q.page.rowWords(now, ci)) > 0 && !q.page.says(own)
}

// says reports whether any of the words stands anywhere on the page.
func (p *Page) says(words map[string]bool) bool {
	for i := range p.elements {
		e := &p.elements[i]
		for _, text := range [...]string{e.OwnText, e.Name, e.Label} {
			for w := range wordsOf(text) {
				if words[w] {
					return true
				}
			}
		}
	}
	return false
}

// rowOf returns the outermost element around i, at most so many steps above,
// that holds no other element of i's name, and how many steps it is above.
func (p *Page) rowOf(i int32, most int) (row int32, steps int) {
	row = i
	for up := p.nodes[i].parent; up >= 0 && steps < most && !p.holdsSameNamed(up, i); up = p.nodes[up].parent {
		row = up
		steps++
	}
	return row, steps
}

// ancestor returns the element so many steps above i.
func (p *Page) ancestor(i int32, steps int) int32 {
	for ; steps > 0 && p.nodes[i].parent >= 0; steps-- {
		i = p.nodes[i].parent
	}
	return i
}

// holdsSameNamed reports whether a subtree holds another visible element of i's
// name and kind.
func (p *Page) holdsSameNamed(root, i int32) bool {
	for j := root; j < p.nodes[root].end; j++ {
		if j != i && p.nodes[j].nameKey == p.nodes[i].nameKey && p.nodes[j].visible {
			return true
		}
	}
	return false
}

// rowWords returns the words of a row that are not element i's own.
func (p *Page) rowWords(row, i int32) map[string]bool {
	words := wordsOf(p.elements[row].Text)
	for w := range wordsOf(p.elements[i].Text) {
		delete(words, w)
	}
	return words
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
	}
	return words
}

// asksForLogin reports whether a candidate stands in a form, or else close to, a
// password field while the lost element was on a page without any.
func (q *query) asksForLogin(ci int32) bool {
	if q.old.passwordIn(0, int32(len(q.old.nodes))) {
		return false
	}
	form := ci
	for p := q.page; form >= 0 && !strings.EqualFold(p.elements[form].Tag, "form"); {
		form = p.nodes[form].parent
	}
	if form < 0 {
		form = q.page.ancestor(ci, 2)
	}
	return q.page.passwordIn(form, q.page.nodes[form].end)
}

// passwordIn reports whether a password field is visible among elements.
func (p *Page) passwordIn(from, end int32) bool {
	for i := from; i < end; i++ {
		if typ, _ := p.elements[i].Attributes.Get("type"); p.nodes[i].visible && strings.EqualFold(typ, "password") {
			return true
		}
	}
	return false
}

// antonyms are pairs of words of controls that take each other's place.
var antonyms = wordPairs(`on off, in out, login logout, signin signout, open close, opened closed, show hide, start stop, start pause,
	start end, play pause, play stop, next previous, next prev, next back, forward back, forward backward, up down, left right, top bottom,
	add remove, add delete, create delete, insert delete, save discard, save delete, keep discard, keep delete, accept reject,
	accept decline, accept deny, approve reject, approve decline, approve deny, agree disagree, confirm cancel, ok cancel, allow deny,
	allow block, allow forbid, yes no, expand collapse, more less, more fewer, first last, min max, minimum maximum, increase decrease,
	raise lower, higher lower, import export, upload download, buy sell, deposit withdraw, debit credit, send receive, lend borrow,
	attach detach, grant revoke, join leave, enter exit, enter leave, login register, encrypt decrypt, encode decode, enable disable,
	enabled disabled, connect disconnect, include exclude, public private, ascending descending, asc desc, before after, from to,
	undo redo, merge split, push pull, dark light, billing shipping, arrival departure, sender recipient, buyer seller`)

// choices are words that name one of several things that a control can be
// about: one choice a line, options between commas, words for the same option
// together. Another option is no new name for the first.
var choices = readChoices(`
	pdf, csv, excel xls xlsx, word doc docx, powerpoint ppt pptx, json, xml, html, markdown, txt, zip, png, jpg jpeg, svg, gif, mp3, mp4
	cart basket bag trolley, wishlist favorites favourites, compare comparison
	google, facebook, github, gitlab, bitbucket, microsoft, apple, twitter, linkedin, slack, discord, instagram, youtube, tiktok, reddit, okta
	paypal, visa, mastercard, amex, klarna, stripe, ideal, sofort, giropay, bitcoin, invoice
	monday mon, tuesday tue, wednesday wed, thursday thu, friday fri, saturday, sunday
	january jan, february feb, march, april apr, june jun, july jul, august aug, september sep, october oct, november nov, december dec
	hourly, daily, weekly, monthly, quarterly, yearly annually annual
	minute minutes, hour hours, day days, week weeks, month months, year years
	small, medium, large
	red, green, blue, yellow, orange, purple, pink, black, white, grey gray, brown
	english, german deutsch, french français, spanish español, italian italiano, portuguese português, dutch nederlands, polish polski, russian русский, japanese 日本語, chinese 中文
	usd dollar dollars, eur euro euros, gbp pounds, jpy yen, chf
	north, south, east, west
	male, female
	mr, mrs, ms
	windows, macos mac, linux, android, ios iphone
`)

// option is one of the things of a choice.
type option struct{ choice, number int }

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

// readChoices returns which option each word names.
func readChoices(list string) map[string]option {
	words := map[string]option{}
	choice := 0
	for line := range strings.Lines(strings.TrimSpace(list)) {
		choice++
		for number, names := range strings.Split(line, ",") {
			for _, name := range strings.Fields(names) {
				words[name] = option{choice, number}
			}
		}
	}
	return words
}

// opposite reports whether a text became its opposite, or names another option:
// one word went and its antonym, say, came. It knows mostly English.
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
	one, other := choices[a], choices[b]
	return one.choice != 0 && one.choice == other.choice && one.number != other.number ||
		slices.Contains(antonyms[a], b) ||
		slices.ContainsFunc(negations, func(n string) bool { return len(a) > 2 && b == n+a || len(b) > 2 && a == n+b })
}
