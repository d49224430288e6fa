package outcome

import (
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// DescribeSuggestion says what a suggested element means otherwise than the lost
// one, or why else it was not healed: `said "Deploy to staging", says "Deploy to
// production"`. quote sets the page's own texts, which are hostile.
func DescribeSuggestion(h engine.HealEvent, quote func(string) string) string {
	if len(h.Changed) == 0 {
		return Refusal(h)
	}
	var phrases []string
	for _, c := range h.Changed[:min(len(h.Changed), MaxChanges)] {
		phrases = append(phrases, DescribeChange(c, quote))
	}
	return strings.Join(phrases, "; ")
}

// DescribeSynonym says by which known synonym a locator was healed, "" where it was by
// none. The texts are hostile and go through quote.
func DescribeSynonym(h engine.HealEvent, quote func(string) string) string {
	if h.Outcome != engine.OutcomeHealed || !h.Synonym || len(h.Changed) != 1 {
		return ""
	}
	c := h.Changed[0]
	before, after := strings.Fields(c.Was), strings.Fields(c.Now)
	for len(before) > 1 && len(after) > 1 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 1 && len(after) > 1 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return quote(strings.Join(after, " ")) + " is known to mean " + quote(strings.Join(before, " "))
}

// MaxChanges is how many changes of one suggestion are told.
const MaxChanges = 4

// Quote sets a text of a page in quotation marks, on one line and not too long.
func Quote(s string) string { return `"` + text.Shorten(text.Line(s), maxQuoted) + `"` }

// maxQuoted is how many characters of a page's text are shown.
const maxQuoted = 80

// changeWords tell a change: before what it was and what it is, and in their place
// where either is nothing.
type changeWords struct{ was, is, wasNone, isNone string }

var (
	saidWords  = changeWords{"said ", "says ", "said nothing", "says nothing"}
	otherWords = changeWords{"was ", "is ", "was nothing", "is nothing"}

	wordsOfChanges = map[string]changeWords{
		"name": saidWords, "text": saidWords, "label": saidWords,
		"id": attributeWords("id"), "placeholder": attributeWords("placeholder"), "title": attributeWords("title"), "alt": attributeWords("alt"), "value": attributeWords("value"),
		"options": {"offered ", "offers ", "offered nothing", "offers nothing"},
		"locator": {"is looked for by ", "says ", "", "says nothing"},
		"icon":    {"had the icon ", "has ", "had no icon", "has none"},
		"row":     {"was in the row ", "is in ", "was in no row", "is in another"},
		"section": {"was in the section ", "is in ", "was in no section", "is in another"},
		"page":    {"was on the page ", "is on ", "", "is on another"},
	}
)

func attributeWords(name string) changeWords {
	return changeWords{"had the " + name + " ", "has ", "had no " + name, "has none"}
}

// DescribeChange says one thing that an element means otherwise. quote sets the page's own
// texts, which are hostile.
func DescribeChange(c engine.Change, quote func(string) string) string {
	words, known := wordsOfChanges[c.What]
	if !known {
		words = otherWords
	}
	was, is := words.wasNone, words.isNone
	if strings.TrimSpace(c.Was) != "" {
		was = words.was + quote(c.Was)
	}
	if strings.TrimSpace(c.Now) != "" {
		is = words.is + quote(c.Now)
	}
	if was == "" {
		return is
	}
	return was + ", " + is
}
