package heal

import (
	"slices"
	"strings"
)

// saying is a text of an element that people read, and what kind of text it is.
type saying struct{ what, text string }

// whatOptions is what a list of choices offers. They name it only where nothing
// else does, and more or fewer of them are no other list.
const whatOptions = "options"

// maxSaying is the most words of a text inside an element that are its own
// meaning; a text with more is that of a container.
const maxSaying = 24

// sayings returns what an element is called, first, and what else it says.
func (p *Page) sayings(i int32) []saying {
	return sayingsOf(&p.elements[i], p.nodes[i].kind == kindField)
}

// sayingsOf is sayings of an element of which only it is known whether it is a
// text field.
func sayingsOf(e *Element, field bool) []saying {
	var a attributeView
	a.read(e.Attributes)
	choice := strings.EqualFold(e.Tag, "select")
	field = field || choice
	text, options := e.Text, ""
	if field {
		text = ""
	}
	if choice {
		options = e.Text
	}
	called := e.Name
	if called == "" || field && called == e.Value {
		called = e.Label
	}
	all := []saying{{"name", called}, {"text", text}, {"label", e.Label}, {"name", a.ariaLabel}, {"placeholder", a.placeholder}, {"title", a.title}, {"alt", a.alt}, {whatOptions, options}}
	if !field {
		all = append(all, saying{"value", a.value})
	}
	return slices.DeleteFunc(all, func(s saying) bool { return strings.TrimSpace(s.text) == "" })
}

// first returns the first of all sayings.
func first(lists ...[]saying) saying {
	for _, list := range lists {
		if len(list) > 0 {
			return list[0]
		}
	}
	return saying{}
}
