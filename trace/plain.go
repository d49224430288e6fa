package trace

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/redact"
)

// What a page has that shows more than its snapshot tells, and what shows nothing.
var (
	opaqueTags     = []string{"iframe", "frame", "object", "embed", "portal", "fencedframe", "applet"}
	invisibleTags  = []string{"style", "script", "noscript", "title", "meta", "link", "base"}
	valuelessTypes = []string{"button", "submit", "reset", "image", "checkbox", "radio", "range", "color", "file", "hidden"}
	saidAttributes = []string{"placeholder", "value", "alt", "label"}
)

// verdict is what is known of a node and all in it.
type verdict struct {
	known  bool
	secret bool // it shows a secret, or what is not known
	says   bool // it has a text
}

// isPlain reports whether a page certainly shows no secret: no password field, no field or
// editor with a text in it, nothing that says what the test typed or what looks like a
// secret, and nothing whose content the snapshot does not hold.
func (s *snapshot) isPlain() bool {
	root := s.readTree()
	if root == nil || root.name == "" {
		return false
	}
	if nodes, _ := root.countNodes(0); nodes > maxShownNodes {
		return false
	}
	return !s.trace.judge(root, 0).secret
}

// judge returns what a node shows. Each is looked at once, however many snapshots refer to it.
func (t *Trace) judge(n *node, depth int) verdict {
	switch {
	case n.verdict.known:
		return n.verdict
	case depth > maxDepth:
		return verdict{secret: true}
	case n.name == "":
		n.verdict = verdict{known: true, secret: t.isSecret(n.text), says: strings.TrimSpace(n.text) != ""}
		return n.verdict
	case slices.Contains(invisibleTags, n.name):
		n.verdict = verdict{known: true}
		return n.verdict
	}
	v := verdict{known: true, secret: n.cut || slices.Contains(opaqueTags, n.name) || strings.Contains(n.name, "-") && len(n.children) == 0}
	for _, c := range n.children {
		inner := n.in.resolve(c)
		if inner == nil {
			v.secret = true
			continue
		}
		below := t.judge(inner, depth+1)
		v.secret, v.says = v.secret || below.secret, v.says || below.says
	}
	v.secret = v.secret || t.isSecret(strings.Join(n.texts(), "")) || n.holdsInput(v.says)
	for _, name := range saidAttributes {
		said, _ := n.attribute(name)
		v.secret = v.secret || t.isSecret(said)
	}
	n.verdict = v
	return v
}

// holdsInput reports whether an element is a field or an editor that holds something, or
// one for a password. says is that it has a text.
func (n *node) holdsInput(says bool) bool {
	now, live := n.attribute(valueAttribute)
	if n.name == "input" {
		kind, _ := n.attribute("type")
		kind = strings.ToLower(strings.TrimSpace(kind))
		if slices.Contains(valuelessTypes, kind) {
			return false
		}
		if !live {
			now, _ = n.attribute("value")
		}
		return kind == "password" || now != ""
	}
	return isTypedInto(n) && (now != "" || says)
}

// isSecret reports whether a text holds what looks like a secret, or what the test typed.
func (t *Trace) isSecret(text string) bool {
	if text == "" {
		return false
	}
	typed := func(s string) bool { return len(s) >= passwordLength && strings.Contains(text, s) }
	return redact.Text(text) != text || slices.ContainsFunc(t.typed, typed)
}
