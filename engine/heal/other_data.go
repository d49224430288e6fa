package heal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// WasOtherData reports whether an element was learned where a lost locator stands, in the
// same test, by a locator that differs from it in data alone: in what the test makes anew
// in each run.
func WasOtherData(f engine.Fingerprint, test engine.TestID, site *engine.Site, lost string) bool {
	if f.Tag == "" || f.TestID != test || site == nil || f.Site == nil || *f.Site != *site {
		return false
	}
	name, _ := engine.SplitStored(f.Locator)
	_, differs := locator.OtherData(name, lost)
	return differs
}

// WithDataOf returns what was learned with other data, see [WasOtherData], in the words of
// the lost locator. Its page is not known with that data, so none is returned.
func (l Learned) WithDataOf(lost string) Learned {
	l.State = nil
	f := l.Fingerprint
	name, _ := engine.SplitStored(f.Locator)
	f.Locator = lost
	f.Attributes, f.Neighbours = slices.Clone(f.Attributes), slices.Clone(f.Neighbours)
	data, _ := locator.OtherData(name, lost)
	for _, d := range data {
		for _, text := range []*string{&f.Text, &f.OwnText, &f.Name, &f.Label, &f.Heading, &f.Around, &f.Href, &f.Headline} {
			*text = replaceWords(*text, d.Was, d.Is)
		}
		for i := range f.Attributes {
			f.Attributes[i].Value = replaceWords(f.Attributes[i].Value, d.Was, d.Is)
		}
		for i := range f.Neighbours {
			f.Neighbours[i] = replaceWords(f.Neighbours[i], d.Was, d.Is)
		}
	}
	l.Fingerprint = f
	return l
}

// replaceWords replaces what stands in a text as words of its own, whatever its case.
func replaceWords(text, was, is string) string {
	if was == "" || len(text) < len(was) {
		return text
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		end := at + len(was)
		if end <= len(text) && strings.EqualFold(text[at:end], was) && !wordAcross(text, at) && !wordAcross(text, end) {
			out.WriteString(is)
			at = end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		out.WriteString(text[at : at+size])
		at += size
	}
	return out.String()
}

// wordAcross reports whether a word goes on across a byte of a text.
func wordAcross(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[at:])
	isWord := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return isWord(before) && isWord(behind)
}
