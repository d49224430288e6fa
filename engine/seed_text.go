package engine

import (
	"strings"
	"unicode"
)

// NormalizeText returns text as the seed stores it, which is Python's
// " ".join(text.strip().lower().split()): lower case, white space collapsed to
// single spaces, none at the ends.
func NormalizeText(text string) string {
	return strings.Join(strings.FieldsFunc(pyLower(text), pySpace), " ")
}

// pySpace reports what Python's str.split takes for white space: Go's, and the
// four information separators.
func pySpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// pyLower lowers text by Unicode's full mapping, as Python does. It differs
// from strings.ToLower in two letters: the dotted capital I keeps its dot, and
// a capital sigma at the end of a word becomes the final form.
func pyLower(text string) string {
	if !strings.ContainsAny(text, "İΣ") {
		return strings.ToLower(text)
	}
	runes := []rune(text)
	var out strings.Builder
	for i, r := range runes {
		switch {
		case r == 'İ':
			out.WriteString("i̇")
		case r == 'Σ' && finalSigma(runes, i):
			out.WriteRune('ς')
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}

// finalSigma is the Final_Sigma condition of the Unicode Standard, section
// 3.13: a cased letter before and none after, case-ignorable characters aside.
func finalSigma(runes []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && caseIgnorable(runes[before]) {
		before--
	}
	for after < len(runes) && caseIgnorable(runes[after]) {
		after++
	}
	return before >= 0 && cased(runes[before]) && (after >= len(runes) || !cased(runes[after]))
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable is Unicode's Case_Ignorable: marks, format and modifier
// characters, and the punctuation that stands inside words.
func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’‘․·՟״‧︓﹒﹕＇．：", r)
}
