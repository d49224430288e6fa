package healtool

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/htmlpage"
	"github.com/breadcrumb/action/engine/locator"
)

// answer is a decision as `breadcrumb heal --format json` prints it.
type answer struct {
	Outcome    engine.HealOutcome `json:"outcome"`
	Reason     string             `json:"reason,omitempty"`
	Confidence float64            `json:"confidence"` // ratio in [0,1]
	Changed    []engine.Change    `json:"changed"`
	Element    *element           `json:"element"`
	RunnerUp   *element           `json:"runner_up"`
}

// element is an element of the new page.
type element struct {
	Path       string  `json:"path"` // from html down, each step tag:nth-child(n)
	Tag        string  `json:"tag"`
	Text       string  `json:"text"`
	Locator    string  `json:"locator"`
	Confidence float64 `json:"confidence,omitempty"`
}

func elementOf(page *heal.Page, parsed *htmlpage.Page, i int) *element {
	e := page.Element(i)
	found := &element{Path: pathOf(parsed.Nodes[i]), Tag: e.Tag, Text: e.Text}
	if ways := locator.Candidates(engine.HealEvent{Healed: page.Written(i)}, "data-testid"); len(ways) > 0 {
		found.Locator = ways[0].String()
	}
	return found
}

// pathOf returns the structural path of an element.
func pathOf(n *html.Node) string {
	var steps []string
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		if n.Parent == nil || n.Parent.Type != html.ElementNode {
			steps = append(steps, n.Data)
			continue
		}
		nth := 1
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type == html.ElementNode {
				nth++
			}
		}
		steps = append(steps, fmt.Sprintf("%s:nth-child(%d)", n.Data, nth))
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}
