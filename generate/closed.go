package generate

import "fmt"

// maxNodes bounds the nodes that are asked for to count closed shadow roots.
const maxNodes = 300_000

// maxDepth bounds how deep: a script may nest more than JSON is read.
const maxDepth = 1_000

// uncounted stands for how many there are on a larger page.
const uncounted = -1

// countClosed counts the closed shadow roots of a page, which only the browser
// sees.
func (v *rendered) countClosed() (int, error) {
	session, err := v.context.NewCDPSession(v.page)
	if err != nil {
		return 0, fmt.Errorf("look for closed shadow roots: %w", err)
	}
	defer func() { _ = session.Detach() }()
	counters, err := session.Send("Memory.getDOMCounters", nil)
	if err != nil {
		return 0, fmt.Errorf("look for closed shadow roots: %w", err)
	}
	if all, _ := counters.(map[string]any); number64(all["nodes"]) > maxNodes {
		return uncounted, nil
	}
	answer, err := session.Send("DOM.getDocument", map[string]any{"depth": maxDepth, "pierce": true})
	if err != nil {
		return 0, fmt.Errorf("look for closed shadow roots: %w", err)
	}
	all, _ := answer.(map[string]any)
	return closedIn(all["root"]), nil
}

func number64(v any) int64 {
	switch n := v.(type) {
	case float64:
		return int64(n)
	case int:
		return int64(n)
	}
	return 0
}

// closedIn counts the closed shadow roots in a node, but not those of frames.
func closedIn(v any) int {
	node, _ := v.(map[string]any)
	count := 0
	if node["shadowRootType"] == "closed" {
		count++
	}
	for _, list := range []string{"children", "shadowRoots"} {
		nodes, _ := node[list].([]any)
		for _, n := range nodes {
			count += closedIn(n)
		}
	}
	return count
}
