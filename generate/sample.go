package generate

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/generate/markup"
)

// samples are what tests type, by class. They belong to nobody.
var samples = map[Class]string{
	ClassLogin: "ada.lovelace", ClassPassword: "correct horse battery", ClassEmail: "ada@example.com", ClassSearch: "tea", ClassText: "Sample text",
}

// typeSamples are what tests type into an <input> that takes only some texts
// (https://html.spec.whatwg.org/#dates-and-times).
var typeSamples = map[string]string{
	"tel": "+1 555 0100", "url": "https://example.com/", "color": "#336699", "date": "2026-03-14", "time": "15:09",
	"datetime-local": "2026-03-14T15:09", "month": "2026-03", "week": "2026-W11",
}

var integer = regexp.MustCompile(`^-?[0-9]{1,9}$`)

// sample returns what a test types into a field, "" where no text is known to
// stay there as it was typed.
func sample(class Class, n *html.Node) string {
	t := markup.InputType(n)
	if n.Data == "textarea" {
		t = "textarea"
	}
	switch t {
	case "number":
		return number(n, "1")
	case "range":
		return number(n, "0")
	case "file", "submit", "image", "button", "reset", "checkbox", "radio", "hidden":
		return ""
	}
	text, ok := typeSamples[t]
	if !ok {
		text = samples[class]
	}
	if limit, err := strconv.Atoi(markup.Attr(n, "maxlength")); err == nil && limit >= 0 && limit < len(text) && typeSamples[t] == "" {
		text = strings.TrimSpace(text[:limit])
	}
	return text
}

// number returns a number that a field takes and does not have already, the
// least where there is one, "" where none is known.
func number(n *html.Node, otherwise string) string {
	least, most := markup.Attr(n, "min"), markup.Attr(n, "max")
	if least == "" {
		if most != "" {
			return "" // whether otherwise is below it is not known
		}
		least = otherwise
	}
	value, err := strconv.Atoi(least)
	if err != nil || !integer.MatchString(least) || strconv.Itoa(value) != least {
		return ""
	}
	if step := markup.Attr(n, "step"); least == markup.Attr(n, "value") && (step == "" || step == "1") && most == "" {
		return strconv.Itoa(value + 1)
	}
	return least
}
