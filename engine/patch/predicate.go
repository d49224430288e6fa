package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// questionsOf returns all that is asked of a text where it is used: there, as it is or in
// another writing, of the local variable that keeps it so, or by a function of the project that
// only asks. It returns false where it is something else.
func (c change) questionsOf(u values.Use, t *checkout.Tree, depth int) ([]question, bool) {
	if depth > maxHanded {
		return nil, false
	}
	written, u := writingOf(u)
	asked := []question{}
	if ask, ok := questionOf(u); ok {
		asked = append(asked, ask)
	} else if local, ok := values.LocalOf(u.In, u.First, u.Last); ok {
		uses, ok := values.FindUses(u.In, nil, local)
		if asked, ok = c.onlyQuestions(uses, ok && len(uses) > 0, t, depth); !ok {
			return nil, false
		}
	} else if asked, ok = c.questionsOfFunction(u, t, depth); !ok {
		return nil, false
	}
	for i, ask := range asked {
		asked[i] = func(text string) bool { return ask(written(text)) }
	}
	return asked, true
}

// onlyQuestions returns what is asked at uses that are found for certain, false where one of
// them is something else.
func (c change) onlyQuestions(uses []values.Use, found bool, t *checkout.Tree, depth int) ([]question, bool) {
	var asked []question
	for _, u := range uses {
		more, ok := c.questionsOf(u, t, depth+1)
		if !ok {
			return nil, false
		}
		asked = append(asked, more...)
	}
	return asked, found
}

// questionsOfFunction returns what the function asks that gets the text as an argument.
func (c change) questionsOfFunction(u values.Use, t *checkout.Tree, depth int) ([]question, bool) {
	h, ok := handingAt(u.In, u.First, u.Last)
	if !ok || h.option != "" || h.listed || t == nil {
		return nil, false
	}
	var asked []question
	callee, called := u.In.Callee(h.open), 0
	for _, f := range values.HelpersOf(u.In, t, callee) {
		f = f.As(u.In, callee)
		isCalled, may := c.isCalledAt(f, u.In, callee)
		p, ok := f.ParameterOf(u.In.ArgumentIndex(h.open, h.first), h.key)
		if !ok || !may || !f.Takes(u.In.ArgumentCount(h.open)) {
			continue
		}
		uses, ok := f.UsesOf(p, t)
		more, ok := c.onlyQuestions(uses, ok && isCalled && p.TakesText(), t, depth)
		if !ok {
			return nil, false
		}
		asked, called = append(asked, more...), called+1
	}
	return asked, called > 0
}

// writings are the folded names of the methods without arguments that give a text in another
// writing.
var writings = map[string]func(string) string{
	"trim": strings.TrimSpace, "strip": strings.TrimSpace,
	"tolowercase": strings.ToLower, "tolower": strings.ToLower, "tolowerinvariant": strings.ToLower, "lower": strings.ToLower,
	"touppercase": strings.ToUpper, "toupper": strings.ToUpper, "toupperinvariant": strings.ToUpper, "upper": strings.ToUpper,
}

// writingOf returns the writing in which a text is used, and the use with what makes it:
// text.trim().toLowerCase().
func writingOf(u values.Use) (written func(string) string, _ values.Use) {
	written = func(text string) string { return text }
	for s := u.In; s.IsMember(u.Last+2) && s.Text(u.Last+3) == "(" && s.Text(u.Last+4) == ")"; u.Last += 4 {
		write, ok := writings[locator.Fold(s.Text(u.Last+2))]
		if !ok {
			break
		}
		before := written
		written = func(text string) string { return write(before(text)) }
	}
	return written, u
}
