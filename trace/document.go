package trace

import (
	"errors"
	"net/url"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// Why it is not known in which document a call looked.
var (
	errNoSnapshot = errors.New("the trace holds no snapshot of the page; switch snapshots on")
	errFrame      = errors.New("the frame that the locator looks in cannot be told from the trace")
)

// pageAddress returns engine.PageAddress of the page that the call was on in a phase,
// "" when the trace does not tell.
func (c *Call) pageAddress(phase string) string {
	for _, s := range slices.Backward(c.snapshots) {
		if u, err := url.Parse(s.url); s.main && s.phase == phase && err == nil && u.Host != "" {
			return engine.PageAddress(u.Path, u.RawQuery, u.Fragment)
		}
	}
	return ""
}

// document returns the document in which the call's locator looks, as it was in a
// phase of the call, and the parts of the selector behind those that step into
// frames.
func (c *Call) document(phase string) (*snapshot, []locator.Part, error) {
	var at *snapshot
	for _, s := range c.snapshots {
		if s.main && s.phase == phase {
			at = s
		}
	}
	if at == nil || at.readTree() == nil {
		return nil, nil, errNoSnapshot
	}
	selector, err := locator.Parse(c.Selector)
	if err != nil {
		return nil, nil, err
	}
	parts, start := selector.Parts, 0
	for i, part := range parts {
		if part.Kind != locator.KindFrame {
			continue
		}
		if at, err = c.enterFrame(at, parts[start:i]); err != nil {
			return nil, nil, err
		}
		start = i + 1
	}
	return at, parts[start:], nil
}

// enterFrame returns the snapshot of the one frame that parts find in a document.
func (c *Call) enterFrame(outer *snapshot, parts []locator.Part) (*snapshot, error) {
	p := c.trace.page(outer)
	if p == nil || len(parts) == 0 {
		return nil, errFrame
	}
	found, err := p.find(parts, c.trace.testID)
	if err != nil || len(found) != 1 || p.frames[found[0]] == "" {
		return nil, errFrame
	}
	id := p.frames[found[0]]
	for _, s := range c.snapshots {
		if s.frame.id == id && s.phase == outer.phase && s.readTree() != nil {
			return s, nil
		}
	}
	return nil, errFrame
}
