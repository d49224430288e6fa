package workflowlint

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// onlyMatrix is a text that is one expression naming one key of the matrix.
var onlyMatrix = regexp.MustCompile(`^\$\{\{\s*matrix\.([\w.-]+)\s*\}\}$`)

// values returns a text as the legs of the job's matrix have it: the text, or
// each of the values of the key that it names. Values that only a run knows are
// left out.
func (j job) values(text string) []string {
	m := onlyMatrix.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return []string{text}
	}
	values, _ := j.matrix(strings.Split(strings.ToLower(m[1]), "."))
	return values
}

// matrix returns the texts that a key of the job's matrix can have, and whether
// those are all.
func (j job) matrix(path []string) (values []string, static bool) {
	matrix := field(field(j.node, "strategy"), "matrix")
	if matrix == nil || matrix.Kind != yaml.MappingNode || len(path) == 0 {
		return nil, false
	}
	static = true
	collect := func(n *yaml.Node) {
		scalars(n, func(t string) {
			if strings.Contains(t, "${{") {
				static = false
			} else {
				values = append(values, t)
			}
		})
	}
	collect(below(field(matrix, path[0]), path[1:]))
	include := field(matrix, "include")
	if include != nil && include.Kind != yaml.SequenceNode {
		return values, false
	}
	if include != nil {
		for _, leg := range include.Content {
			collect(below(leg, path))
		}
	}
	return values, static
}

// below returns what a path of keys leads to, in each item of lists on its way.
func below(n *yaml.Node, path []string) *yaml.Node {
	if n == nil || len(path) == 0 {
		return n
	}
	if n.Kind == yaml.SequenceNode {
		all := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range n.Content {
			if b := below(item, path); b != nil {
				all.Content = append(all.Content, b)
			}
		}
		return all
	}
	if n.Kind == yaml.ScalarNode {
		return n
	}
	return below(field(n, path[0]), path[1:])
}

// scalars calls yield with every text at or below a node.
func scalars(n *yaml.Node, yield func(string)) {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		yield(n.Value)
	default:
		for _, c := range n.Content {
			scalars(c, yield)
		}
	}
}
