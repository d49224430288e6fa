package trace

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Lengths from which a text counts as a secret wherever it stands: what is
// shorter is an everyday word too often.
const (
	passwordLength = 4 // bytes, of what a password field held
	typedLength    = 8 // bytes, of what a test typed
)

// valueAttribute holds what is in a field at the time.
const valueAttribute = "__playwright_value_"

// secrets are the texts that are dropped wherever they stand in a page.
type secrets struct{ replace *strings.Replacer }

// secrets returns those of a snapshot: what its password fields hold, and what
// the test typed at any time.
func (t *Trace) secrets(s *snapshot) *secrets {
	var texts []string
	for _, text := range t.typed {
		if len(text) >= typedLength {
			texts = append(texts, text)
		}
	}
	if root := s.tree(); root != nil {
		texts = passwords(root, texts, 0)
	}
	if len(texts) == 0 {
		return &secrets{}
	}
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) }) // the longest first
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range slices.Compact(texts) {
		pairs = append(pairs, text, "")
	}
	return &secrets{strings.NewReplacer(pairs...)}
}

// passwords appends what the password fields below n hold.
func passwords(n *node, texts []string, depth int) []string {
	if depth > maxDepth || len(texts) > 2*maxTyped {
		return texts
	}
	if kind, _ := n.attribute("type"); n.name == "input" && strings.EqualFold(kind, "password") {
		for _, name := range []string{valueAttribute, "value"} {
			if text, _ := n.attribute(name); len(text) >= passwordLength {
				texts = append(texts, text)
			}
		}
	}
	for _, c := range n.children {
		if other := n.in.referred(c); other != nil && other.name != "" {
			texts = passwords(other, texts, depth+1)
		}
	}
	return texts
}

func (s *secrets) clean(text string) string {
	if s.replace == nil {
		return text
	}
	return s.replace.Replace(text)
}

// typedInto reports whether the texts in an element are what someone types.
func typedInto(n *node) bool {
	editable, ok := n.attribute("contenteditable")
	return n.name == "textarea" || ok && !strings.EqualFold(editable, "false")
}

// secretName matches attributes that hold secrets by their name.
var secretName = regexp.MustCompile(`(?i)token|csrf|xsrf|nonce|secret|passw|session|signature|api-?key|value`)

var (
	addressAttributes = []string{"href", "src", "action", "formaction", "poster", "cite", "xlink:href"}
	valuedTags        = []string{"button", "option", "li", "data", "meter", "progress"}
	valuedTypes       = []string{"button", "submit", "reset", "image", "checkbox", "radio"}

	inlineAddress = regexp.MustCompile(`(?i)^\s*(data|blob|javascript):`)
	addressLogin  = regexp.MustCompile(`(?i)^([a-z]+://)[^/?#]*@`)
	addressQuery  = regexp.MustCompile(`\?[^#]*`)
	queryValue    = regexp.MustCompile(`=[^&;]*`)
)

// attribute returns what may be kept of an attribute of the page.
func (b *assembly) attribute(n *html.Node, name, value string) (string, bool) {
	switch {
	case name == "srcdoc", name == "integrity", strings.HasPrefix(name, "on"), len(name) > 100:
		return "", false
	case name == "value":
		if !valued(n) {
			return "", false
		}
	case secretName.MatchString(name) && name != b.trace.testID:
		return "", false
	}
	if slices.Contains(addressAttributes, name) {
		if m := inlineAddress.FindStringSubmatch(value); m != nil {
			return m[1] + ":", true
		}
		value = addressLogin.ReplaceAllString(value, "$1")
		value = addressQuery.ReplaceAllStringFunc(value, func(query string) string { return queryValue.ReplaceAllString(query, "=") })
	}
	return b.secrets.clean(value), true
}

// valued reports whether an element's value is the page's own, not what someone
// typed.
func valued(n *html.Node) bool {
	if slices.Contains(valuedTags, n.Data) {
		return true
	}
	if n.DataAtom != atom.Input {
		return false
	}
	for _, a := range n.Attr {
		if a.Key == "type" {
			return slices.Contains(valuedTypes, strings.ToLower(a.Val))
		}
	}
	return false
}

// strip takes away the styles, which were needed to see what is hidden.
func strip(elements []heal.Element) {
	for i := range elements {
		e := &elements[i]
		e.Attributes = slices.DeleteFunc(e.Attributes, func(a engine.Attribute) bool { return a.Name == "style" })
	}
}
