package heal

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

// kinds are words that name one of several things that a control can be about,
// of which another is no new name for the first: one kind a line, members
// between commas, names of the same member together.
var kinds = wordKinds(`
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

// member is one thing of a kind.
type member struct{ kind, number int }

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

// wordKinds returns what each word names.
func wordKinds(list string) map[string]member {
	words := map[string]member{}
	kind := 0
	for line := range strings.Lines(strings.TrimSpace(list)) {
		kind++
		for number, names := range strings.Split(line, ",") {
			for _, name := range strings.Fields(names) {
				words[name] = member{kind, number}
			}
		}
	}
	return words
}

// opposite reports whether what was said became its opposite, or means another
// thing of its kind: one word went and such a word came. Mostly English.
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
	if one, other := kinds[a], kinds[b]; one.kind != 0 && one.kind == other.kind && one.number != other.number {
		return true
	}
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
