package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// AskedTexts returns the texts by which a selector looks for its element, those of
// elements around it first. Regular expressions, what is not to be there and what one
// of several alternatives asks for are none.
func (s Selector) AskedTexts() []engine.AskedText {
	var around, own []engine.AskedText
	alternatives := false
	for _, p := range s.Parts {
		switch p.Kind {
		case KindFrame: // what is in another document is around nothing
			around, own, alternatives = nil, nil, false
			continue
		case KindNth, KindVisible, KindHasNot, KindHasNotText, KindOther:
			continue
		case KindOr:
			own, alternatives = nil, true
			continue
		case KindHas, KindAnd:
			if inner, err := Parse(p.Value); err == nil && !alternatives {
				own = append(own, inside(inner.AskedTexts(), p.Kind)...)
			}
			continue
		case KindHasText:
		default: // a step to an element inside the last one
			around = append(around, asAround(own)...)
			own, alternatives = nil, false
		}
		if !alternatives {
			texts := p.askedTexts()
			around, own = append(around, slices.DeleteFunc(slices.Clone(texts), isOwn)...), append(own, slices.DeleteFunc(texts, isAround)...)
		}
	}
	return append(around, own...)
}

func isOwn(a engine.AskedText) bool    { return !a.Around }
func isAround(a engine.AskedText) bool { return a.Around }

func asAround(texts []engine.AskedText) []engine.AskedText {
	for i := range texts {
		texts[i].Around = true
	}
	return texts
}

// inside returns what an element says that has another in it: all that is asked of
// that one. What stands around an element that is this one as well, does so here.
func inside(texts []engine.AskedText, kind Kind) []engine.AskedText {
	if kind == KindHas {
		for i := range texts {
			texts[i].Around = false
		}
	}
	return texts
}

// askedTexts returns the texts of one part.
func (p Part) askedTexts() []engine.AskedText {
	switch p.Kind {
	case KindRole, KindLabel, KindPlaceholder, KindAlt, KindTitle, KindText, KindHasText:
		if p.Regexp || p.Value == "" || p.Kind == KindRole && !p.Named {
			return nil
		}
		return []engine.AskedText{{Text: p.Value}}
	case KindCSS:
		return textsOfCSS(p.Value)
	}
	return nil
}

var cssText = lazyregexp.New(`:(?:has-text|text|text-is)\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\)`)

// textsOfCSS returns the texts of Playwright's own pseudo-classes in CSS.
func textsOfCSS(css string) []engine.AskedText {
	found := cssText.FindAllStringSubmatchIndex(css, -1)
	if bare := cssText.ReplaceAllString(css, ""); len(found) == 0 || strings.ContainsAny(bare, `,"'`) || strings.Contains(bare, ":") {
		return nil // alternatives and negations are not told apart
	}
	var texts []engine.AskedText
	for _, at := range found {
		text := ""
		if at[2] >= 0 {
			text = css[at[2]:at[3]]
		} else {
			text = css[at[4]:at[5]]
		}
		rest := cssText.ReplaceAllString(css[at[1]:], "")
		texts = append(texts, engine.AskedText{Text: strings.ReplaceAll(text, `\`, ""), Around: strings.ContainsAny(strings.TrimRight(rest, " "), " >+~")})
	}
	return texts
}
