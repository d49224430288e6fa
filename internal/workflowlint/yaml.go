package workflowlint

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the largest file that Check reads, GitHub's own bound for a
// workflow.
const MaxBytes = 512 << 10

// Bounds of one file with its aliases followed: an alias in a small file can
// repeat its text a million times.
const (
	maxNodes = 100_000
	maxText  = 4 << 20
	maxDepth = 60
)

var errTooMuch = errors.New("the file is too large once its aliases are followed")

// expander follows the aliases of a document within the bounds.
type expander struct{ nodes, text int }

// parse returns a document's top value, a copy without aliases.
func parse(text []byte) (*yaml.Node, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("more than the %d KB that GitHub reads of a workflow", MaxBytes>>10)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, errors.New("the file is empty")
	}
	return (&expander{}).expandAliases(document.Content[0], 0)
}

func (e *expander) expandAliases(n *yaml.Node, depth int) (*yaml.Node, error) {
	for n.Kind == yaml.AliasNode && depth <= maxDepth {
		n, depth = n.Alias, depth+1
	}
	e.nodes++
	e.text += len(n.Value)
	if e.nodes > maxNodes || e.text > maxText || depth > maxDepth {
		return nil, errTooMuch
	}
	out := *n
	out.Content = make([]*yaml.Node, 0, len(n.Content))
	for _, c := range n.Content {
		child, err := e.expandAliases(c, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	return &out, nil
}

// field returns the value of a mapping's key, nil where there is none. The keys
// of `with` ignore case, and everybody writes the others in small letters.
func field(n *yaml.Node, name string) *yaml.Node {
	for key, value := range pairs(n) {
		if strings.EqualFold(key.Value, name) {
			return value
		}
	}
	return nil
}

// text returns a scalar's text, "" for what is none.
func text(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// pairs returns the keys and values of a mapping.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// texts returns the text of a scalar, or of every scalar in a sequence.
func texts(n *yaml.Node) []string {
	var out []string
	items := []*yaml.Node{n}
	if n != nil && n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		if t := text(item); t != "" {
			out = append(out, t)
		}
	}
	return out
}
