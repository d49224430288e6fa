package setup

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// ownUse matches a line that uses Breadcrumb: what stands before the name, the action's
// folder, and a comment.
var ownUse = lazyregexp.New(`(?m)^([ \t]*(?:-[ \t]+)?uses[ \t]*:[ \t]*)["']?breadcrumb/action(/setup|/native)?@[^\s"'#]+["']?(?:[ \t]+#[ \t]*(?:v[0-9][\w.-]*)?([^\r\n]*))?(\r?)$`)

// Pin returns a workflow whose lines that use Breadcrumb name it as own does. All else, their
// comments too, stays.
func Pin(text []byte, own string) []byte {
	name, version, _ := strings.Cut(own, " # ")
	_, ref, _ := strings.Cut(name, "@")
	return []byte(ownUse.ReplaceAllStringFunc(string(text), func(line string) string {
		m := ownUse.FindStringSubmatch(line)
		line = m[1] + "breadcrumb/action" + m[2] + "@" + ref
		if comment := strings.TrimSpace(m[3]); version != "" && comment != "" {
			line += " # " + version + " # " + strings.TrimSpace(strings.TrimPrefix(comment, "#"))
		} else if version+comment != "" {
			line += " # " + version + comment
		}
		return line + m[4]
	}))
}

// Serves reports whether a workflow that its owner changed does all that the planned one
// does: it has all of it, and more.
func Serves(mine, planned []byte) bool {
	var has, want yaml.Node
	if yaml.Unmarshal(mine, &has) != nil || yaml.Unmarshal(planned, &want) != nil {
		return false
	}
	return hasAll(&has, &want, "")
}

// hasAll reports whether a node has all of another one, the value of a key.
func hasAll(has, want *yaml.Node, key string) bool {
	switch {
	case want.Kind == yaml.ScalarNode && want.Tag == "!!null":
		return true // as pull_request: may have more below it
	case key == "runs-on" || key == "timeout-minutes":
		return true // where and how long is the owner's
	case has.Kind != want.Kind:
		return false
	case want.Kind == yaml.DocumentNode:
		return len(has.Content) == 1 && len(want.Content) == 1 && hasAll(has.Content[0], want.Content[0], "")
	case want.Kind == yaml.MappingNode:
		return hasKeys(has, want)
	case want.Kind == yaml.SequenceNode:
		return isWithin(want.Content, has.Content, func(w, h *yaml.Node) bool { return hasAll(h, w, "") })
	}
	return hasText(has.Value, want.Value, key)
}

// hasKeys is hasAll for mappings. What decides whether the tests or Breadcrumb run may not
// be added.
func hasKeys(has, want *yaml.Node) bool {
	values := func(n *yaml.Node) map[string]*yaml.Node {
		all := map[string]*yaml.Node{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			all[n.Content[i].Value] = n.Content[i+1]
		}
		return all
	}
	here, wanted := values(has), values(want)
	for key, value := range wanted {
		if own := here[key]; own == nil || !hasAll(own, value, key) {
			return false
		}
	}
	for _, key := range []string{"if", "needs", "strategy", "continue-on-error", "<<"} {
		if here[key] != nil && wanted[key] == nil && judgesOrTests(want) {
			return false
		}
	}
	return true
}

// judgesOrTests reports whether a job or step has a step with Breadcrumb or one that runs the
// tests.
func judgesOrTests(n *yaml.Node) bool {
	for i, c := range n.Content {
		isValue := n.Kind == yaml.MappingNode && i%2 == 1
		switch {
		case isValue && n.Content[i-1].Value == "uses" && strings.HasPrefix(c.Value, "breadcrumb/action"):
			return true
		case isValue && n.Content[i-1].Value == "id" && strings.HasPrefix(c.Value, "tests"):
			return true
		case judgesOrTests(c):
			return true
		}
	}
	return false
}

// hasText reports whether a text is another one with more: commands may have more words, lists
// of files more lines, and actions another version.
func hasText(has, want, key string) bool {
	same := func(a, b string) bool { return a == b }
	switch key {
	case "uses":
		name, _, _ := strings.Cut(want, "@")
		return strings.HasPrefix(has, name+"@")
	case "run":
		return runsLed.MatchString(has) == runsLed.MatchString(want) && isWithin(strings.Fields(want), strings.Fields(has), same)
	case "path", "junit", "traces", "heal-events":
		return isWithin(strings.Fields(want), strings.Fields(has), same)
	}
	return slices.Equal(strings.Fields(has), strings.Fields(want))
}

// isWithin reports whether all items of some are among others, in their order.
func isWithin[T any](some, others []T, matches func(some, other T) bool) bool {
	for _, other := range others {
		if len(some) > 0 && matches(some[0], other) {
			some = some[1:]
		}
	}
	return len(some) == 0
}
