package setup

import (
	"cmp"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// call is a job that calls a workflow.
type call struct {
	with   map[string]string
	matrix yaml.Node
}

// findCallers finds the workflows that call the step's workflow: GitHub's events carry
// their names, and the job that calls gives the permissions.
func (t *testStep) findCallers(docs map[string]workflowDoc) {
	if own := docs[t.at.File]; !starts(own.On, "workflow_call") || starts(own.On, "pull_request") || starts(own.On, "push") {
		return
	}
	for _, file := range slices.Sorted(maps.Keys(docs)) {
		doc := docs[file]
		var calls []call
		for i := 0; i+1 < len(doc.Jobs.Content); i += 2 {
			var j job
			if doc.Jobs.Content[i+1].Decode(&j) != nil || j.Uses != "./"+t.at.File {
				continue
			}
			c := call{matrix: j.Strategy.Matrix}
			_ = j.With.Decode(&c.with) // what is no text tells nothing apart
			calls = append(calls, c)
			for _, line := range lackingPermissions(j.may(doc)) {
				if !slices.Contains(t.lacking, line) {
					t.lacking = append(t.lacking, line)
				}
			}
			t.calling = append(t.calling, "job "+doc.Jobs.Content[i].Value+" of "+file)
			if name := cmp.Or(doc.Name, file); !slices.Contains(t.callers, name) {
				t.callers = append(t.callers, name)
			}
		}
		t.tellApart(calls)
		t.calls = append(t.calls, calls...)
	}
}

var (
	inputName  = lazyregexp.New(`^[A-Za-z_][\w-]*$`)
	plainValue = lazyregexp.New(`^[\w.-]+$`)
	fromMatrix = lazyregexp.New(`^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$`)
)

// tellApart finds the inputs by which the calls of one run differ, so that the names of
// their artifacts do: a called workflow knows no matrix of its caller's.
func (t *testStep) tellApart(calls []call) {
	if len(calls) == 0 || len(calls) == 1 && calls[0].matrix.IsZero() {
		return
	}
	ways := map[string]bool{}
	for _, c := range calls {
		way := ""
		for _, name := range slices.Sorted(maps.Keys(c.with)) {
			fromCall := !slices.ContainsFunc(calls, func(other call) bool { return other.with[name] != c.with[name] })
			if inputName.MatchString(name) && (!fromCall || fromMatrix.MatchString(c.with[name])) && c.isPlain(c.with[name]) {
				way += name + "=" + c.with[name] + "\n"
				if !slices.Contains(t.inputs, name) {
					t.inputs = append(t.inputs, name)
				}
			}
		}
		ways[way] = true
		t.alike = t.alike || !c.passesMatrix()
	}
	t.alike = t.alike || len(ways) < len(calls)
}

// isPlain reports whether all values of an input can be in the name of an artifact.
func (c call) isPlain(value string) bool {
	m := fromMatrix.FindStringSubmatch(value)
	if m == nil {
		return plainValue.MatchString(value)
	}
	var matrix map[string][]string
	return c.matrix.Decode(&matrix) == nil && len(matrix[m[1]]) > 0 && !slices.ContainsFunc(matrix[m[1]], func(v string) bool { return !plainValue.MatchString(v) })
}

// passesMatrix reports whether each key of the call's matrix is an input whose values can be
// in the name of an artifact.
func (c call) passesMatrix() bool {
	for i := 0; i+1 < len(c.matrix.Content); i += 2 {
		key, passed := c.matrix.Content[i].Value, false
		for _, value := range c.with {
			m := fromMatrix.FindStringSubmatch(value)
			passed = passed || m != nil && m[1] == key && c.isPlain(value)
		}
		if !passed {
			return false
		}
	}
	return c.matrix.Kind == 0 || c.matrix.Kind == yaml.MappingNode
}
