package locator

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// volatileForm is a form of text that says what the data of one run is. The first group
// of its expression is that data, all of the match where it has none.
type volatileForm struct {
	what   string
	form   *lazyregexp.Regexp
	unless *lazyregexp.Regexp // of the text from the match on; nil for always
}

const (
	month    = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)`
	weekday  = `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\.?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)`
	currency = `(?:usd|eur|gbp|chf|cad|aud|jpy|inr|sek|nok|dkk|pln)`
	counted  = `(?:items?|products?|results?|messages?|notifications?|comments?|repl(?:y|ies)|likes?|views?|votes?|reviews?|files?|photos?|users?|members?|followers?|orders?|tasks?|records?|entr(?:y|ies)|people|guests?|seats?|tickets?|posts?|match(?:es)?|issues?|errors?|warnings?|alerts?|unread|new|more|others?|selected|left|remaining|available|online|total|in stock)`
	numbered = `(?:order|invoice|ticket|case|booking|ref|reference|receipt|transaction|tracking|customer|account|id|no|nr|number|bestellung|auftrag|rechnung|issue|build|run|commit|session|pull request)`
	tallied  = `(?:cart|basket|bag|inbox|outbox|spam|wishlist|warenkorb|panier|total|balance|score|unread|count|[\pL]{3,}s)`
)

// volatileForms are the forms of texts that are other ones in another run.
var volatileForms = []volatileForm{
	{"a price", lazyregexp.New(`(?i)[$€£¥₹₩₽]\s*\d[\d.,]*|\d[\d.,]*\s*[$€£¥₹₩₽]|\b` + currency + `\s?\d[\d.,]*|\b\d[\d.,]*\s?` + currency + `\b`), nil},
	{"a date", lazyregexp.New(`(?i)(?:\b` + weekday + `,?\s+)?(?:\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b|\b` + month + `\.?\s+\d{1,4}\b|\b\d{1,2}(?:st|nd|rd|th|\.)?\s+` + month + `\b|\b20[12]\d\b)`), nil},
	{"a time", lazyregexp.New(`(?i)\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d{1,2}\s?[ap]m\b|\b(?:\d+|an?)\s?\pL+\s+(?:ago|left|remaining)\b`), nil},
	{"a measured number", lazyregexp.New(`\d+(?:[.,]\d+)+|[-+]?\d+\s?(?:%|°)`), nil},
	{"a count", lazyregexp.New(`[(\[]\s*\d+\+?\s*[)\]]|\b\d+\+|^\s*\+\d+|\b\d+\s*(?:/|[-–]|\b(?:of|von|de|sur)\b)\s*\d+\b`), lazyregexp.New(`^24/7`)},
	{"a count", lazyregexp.New(`(?i)\b(\d+)\s+` + counted + `\b`), nil},
	{"a count", lazyregexp.New(`(?i)^\W*(\d+)\s+\pL`), lazyregexp.New(`(?i)^\W*\d+\s+(?:steps?|stars?|ways?|days?|hours?|minutes?|seconds?|weeks?|months?|years?|columns?|rows?|factor|click|easy|simple|not found)\b`)},
	{"a count", lazyregexp.New(`(?i)\b` + tallied + `\W{0,3}(\d+)\W*$`), lazyregexp.New(`(?i)^(?:address|process|class|press|windows|access|business|canvas|status|series)\b`)},
	{"a number alone", lazyregexp.New(`^\W*\d+\W*$`), nil},
	{"a number of one record", lazyregexp.New(`(?i)#\s?\d+|\b[a-z\d]*\d{5,}|(?-i:\b[A-Z]{2}\d{2}(?:\s?[A-Z\d]{4}){3,})|\b\d{4}(?:[\s-]\d{4}){2,}|\b` + numbered + `[\s.:#-]{1,3}(\d+)\b|\b[a-z]{2,5}-\d{3,}[\d-]*`), nil},
	{"a number of one record", lazyregexp.New(`(?i)(?:\bend(?:ing|s) (?:in|with)|\bend(?:et|end) auf|[•*]{2,})\s*(\d{3,4})\b`), nil},
	{"a hash", lazyregexp.New(`(?i)\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]*(?:\d[a-f]|[a-f]\d)[0-9a-f]*)\b`), lazyregexp.New(`(?i)^[0-9a-f]{0,6}(?:[^0-9a-f]|$)`)},
	{"an address of a person", lazyregexp.New(`(?i)[\w.+-]+@[\w-]+\.[\w.]+`), lazyregexp.New(`(?i)^(?:info|support|contact|help|hello|sales|office|service)@`)},
	{aName, lazyregexp.New(`(?i)^\W*(?:(?:hi|hey|hello|dear|welcome(?: back)?|good (?:morning|afternoon|evening)|hallo|willkommen(?: zurück)?|bonjour|hola)\s*,|(?:signed|logged) in as:?|angemeldet als:?|connected as:?)\s*(\pL[\pL'’.@\w-]*(?: \pL[\pL'’.-]*){0,2})\W*$`), nil},
	{aName, lazyregexp.New(`^\W*(?:[Hh]i|[Hh]ey|[Hh]ello|[Dd]ear|[Ww]elcome|[Ww]elcome back|[Gg]ood (?:morning|afternoon|evening)|[Hh]allo|[Ww]illkommen(?: zurück)?|Guten (?:Morgen|Tag|Abend)|[Bb]onjour|[Bb]onsoir|[Ss]alut|[Bb]ienvenue|[Hh]ola|[Bb]ienvenid[oa]|[Cc]iao|[Bb]envenut[oa]|[Oo]lá)\s+(\p{Lu}[\pL'’.-]*(?: \p{Lu}[\pL'’.-]*){0,2})\W*$`), nil},
}

const aName = "a name"

// greeted are the words that greet nobody in particular.
var greeted = strings.Fields("there again all everyone everybody guest friend friends stranger world team back visitor welt zuhause zusammen alle monde mundo")

// findVolatile returns what kind of data a text holds that is other data in another run,
// and where the first of it stands; "" for none.
func findVolatile(text string) (what string, start, end int) {
	start = len(text)
	for _, f := range volatileForms {
		for _, at := range f.form.FindAllStringSubmatchIndex(text, -1) {
			if f.unless != nil && f.unless.MatchString(text[at[0]:]) {
				continue
			}
			if len(at) > 2 && at[2] >= 0 {
				at = at[2:]
			}
			isNobody := f.what == aName && slices.Contains(greeted, strings.ToLower(text[at[0]:at[1]]))
			if at[0] < start && !isNobody {
				what, start, end = f.what, at[0], at[1]
			}
			break
		}
	}
	return what, start, end
}

// history is what is known of how an element differs from run to run.
type history struct {
	before engine.Fingerprint // as it was learned
	varies []string           // words, in lower case
}

func historyOf(before engine.Fingerprint) history {
	return history{before, slices.Concat(before.Varies, before.Differed)}
}

// wordsOf returns the words of a text in lower case with where they stand.
func wordsOf(text string) (words []string, at []int) {
	for _, m := range textWord.FindAllStringIndex(text, -1) {
		words, at = append(words, strings.ToLower(text[m[0]:m[1]])), append(at, m[0])
	}
	return words, at
}

var textWord = lazyregexp.New(`\pL[\pL\pM]*|\p{Nd}+`)

// volatile returns what in a text is other data in another run, and where the first of
// it stands: by its form, or since it is known to vary. Words that came in the place of
// such ones vary as well.
func (known history) volatile(text string) (what string, start, end int) {
	what, start, end = findVolatile(text)
	if len(known.varies) == 0 {
		return what, start, end
	}
	words, at := wordsOf(text)
	before, _ := wordsOf(known.before.Text + " " + known.before.Name + " " + known.before.Label)
	own := slices.DeleteFunc(slices.Clone(before), func(w string) bool { return !slices.Contains(known.varies, w) })
	gone := slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(words, w) })
	for i, w := range words {
		if at[i] >= start {
			break
		}
		if slices.Contains(own, w) || gone && !slices.Contains(before, w) {
			return "a word that differs from run to run", at[i], at[i] + len(text[at[i]:]) - len(strings.TrimLeftFunc(text[at[i]:], isWordRune))
		}
	}
	return what, start, end
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// volatileAttribute reports whether the value of an attribute is another one in another
// run: it is known to differ, or was learned with a generated end that is now another.
func (known history) volatileAttribute(name, value string) bool {
	if slices.Contains(known.before.Unsteady, name) {
		return true
	}
	was, ok := known.before.Attributes.Get(name)
	return ok && was != value && Generated(was) && stemOf(was) != "" && stemOf(was) == stemOf(value)
}

// stemOf returns a name without its last segment, "" for a name of one.
func stemOf(name string) string { return name[:strings.LastIndexAny(name, "-_:.")+1] }

// volatileReason says why a text must not be looked for, "" when it may. What the
// author's old selector has already is allowed.
func (known history) volatileReason(text, old string) string {
	for rest := text; ; {
		what, start, end := known.volatile(rest)
		if what == "" {
			return ""
		}
		if found := rest[start:end]; !strings.Contains(strings.ToLower(old), strings.ToLower(strings.TrimSpace(found))) {
			return "the healed locator rests on " + what + ", " + quoteShort(strings.TrimSpace(found)) + ", which is another one in another run"
		}
		rest = rest[end:]
	}
}
