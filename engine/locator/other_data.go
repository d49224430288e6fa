package locator

import (
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Datum is data of a test that one locator has and another one has otherwise: the 41 of
// `#row-41`, which is 42 in `#row-42`.
type Datum struct{ Was, Is string }

// OtherData returns the data in which a lost locator differs from one that was learned at
// the same place of the same test, as locators do that hold what a test makes anew in each
// run. It returns false where they differ in more than that, or in nothing, and where
// nothing but data says what is looked for in the end.
func OtherData(learned, lost string) ([]Datum, bool) {
	a, errA := Parse(learned)
	b, errB := Parse(lost)
	if errA != nil || errB != nil || len(a.Parts) != len(b.Parts) || len(a.Parts) == 0 {
		return nil, false
	}
	var data []Datum
	for i, was := range a.Parts {
		is := b.Parts[i]
		if was.Raw == is.Raw {
			continue
		}
		d, static, ok := differingData(was, is)
		if !ok || !static && i == len(a.Parts)-1 {
			return nil, false
		}
		if again := slices.IndexFunc(data, func(o Datum) bool { return o.Was == d.Was }); again < 0 {
			data = append(data, d)
		} else if data[again] != d {
			return nil, false
		}
	}
	return data, len(data) > 0
}

// selecting are the kinds whose values are no text that people read: data in them is one
// name.
var selecting = map[Kind]bool{KindCSS: true, KindXPath: true, KindTestID: true, KindID: true}

// dataName matches data in a selector: a name, a number, an address.
var dataName = lazyregexp.New(`^[\w@-]+(?:[. ][\w@-]+)*$`)

// differingData returns the data in which two parts differ, and whether they have words
// besides it.
func differingData(was, is Part) (d Datum, static, ok bool) {
	switch {
	case was.Kind != is.Kind || was.Role != is.Role || was.Attr != is.Attr || was.Match != is.Match || was.Rest != is.Rest || was.Named != is.Named || was.Regexp || is.Regexp:
		return d, false, false
	case !selecting[was.Kind] && !slices.Contains([]Kind{KindRole, KindLabel, KindPlaceholder, KindAlt, KindTitle, KindText, KindHasText}, was.Kind):
		return d, false, false
	}
	before, behind := alikeEnds(was.Value, is.Value)
	d = Datum{was.Value[before : len(was.Value)-behind], is.Value[before : len(is.Value)-behind]}
	if d.Was == "" || d.Is == "" || selecting[was.Kind] && (!dataName.MatchString(d.Was) || !dataName.MatchString(d.Is)) {
		return d, false, false
	}
	rest := was.Value[:before] + was.Value[len(was.Value)-behind:]
	static = was.Role != "" && !was.Named || strings.ContainsFunc(rest, unicode.IsLetter)
	return d, static || was.Role != "", true
}

// alikeEnds returns how many bytes two texts have in common before and behind what differs,
// of which no word is cut.
func alikeEnds(a, b string) (before, behind int) {
	for before < min(len(a), len(b)) && a[before] == b[before] {
		before++
	}
	for before > 0 && (inWord(a, before) || inWord(b, before)) {
		before--
	}
	for behind < min(len(a), len(b))-before && a[len(a)-1-behind] == b[len(b)-1-behind] {
		behind++
	}
	for behind > 0 && (inWord(a, len(a)-behind) || inWord(b, len(b)-behind)) {
		behind--
	}
	return before, behind
}

// inWord reports whether a text has a word, a number or a character on both sides of a byte.
func inWord(text string, at int) bool {
	return at > 0 && at < len(text) && isWordByte(text[at-1]) && isWordByte(text[at])
}

func isWordByte(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
