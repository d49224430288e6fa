package workflowlint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// onlyMatrix is a text that is one expression naming one key of the matrix.
var onlyMatrix = lazyregexp.New(`^\$\{\{\s*matrix\.([\w.-]+)\s*\}\}$`)

// expandMatrix returns what a text stands for in the job's matrix: each value of the
// key that it names, else the text itself. Values that only a run knows are left
// out.
func (j job) expandMatrix(text string) []string {
	m := onlyMatrix.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return []string{text}
	}
	values, _ := j.matrixValues(strings.Split(strings.ToLower(m[1]), "."))
	return slices.DeleteFunc(values, func(v string) bool { return strings.Contains(v, "${{") })
}

// matrixValues returns the texts that a key of the job's matrix can have, expressions
// among them, and whether those are all.
func (j job) matrixValues(path []string) (values []string, static bool) {
	matrix := field(field(j.node, "strategy"), "matrix")
	if matrix == nil || matrix.Kind != yaml.MappingNode || len(path) == 0 {
		return texts(matrix), false
	}
	static = true
	var collect func(n *yaml.Node)
	collect = func(n *yaml.Node) {
		switch {
		case n == nil:
		case n.Kind != yaml.ScalarNode:
			for _, c := range n.Content {
				collect(c)
			}
		default:
			static = static && !strings.Contains(n.Value, "${{")
			values = append(values, n.Value)
		}
	}
	collect(below(field(matrix, path[0]), path[1:]))
	if len(path) == 1 {
		left := excluded(field(matrix, "exclude"), path[0])
		values = slices.DeleteFunc(values, func(v string) bool { return slices.Contains(left, v) })
	}
	include := field(matrix, "include")
	if include != nil && include.Kind != yaml.SequenceNode {
		return append(values, texts(include)...), false
	}
	collect(below(include, path))
	return values, static
}

// excluded returns the values of a key of which no combination is left: entries of
// exclude that name this key alone.
func excluded(exclude *yaml.Node, key string) []string {
	var values []string
	for _, entry := range items(exclude) {
		if value := field(entry, key); value != nil && len(entry.Content) == 2 {
			values = append(values, text(value))
		}
	}
	return values
}

// below returns the node at a path of keys; of a list on the path, every item.
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
