package trace

import (
	"context"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// Browser shows documents, one after the other. What it shows may be hostile: it must run and load
// nothing.
type Browser interface {
	Show(ctx context.Context, html string) (View, error)
}

// View is a document that a browser shows. Elements are told by their
// NodeAttribute.
type View interface {
	// Boxes returns the places of the elements that a person sees.
	Boxes() (map[int]engine.BoundingBox, error)
	// Find returns the elements that a selector finds, -1 for one without number.
	Find(selector string) ([]int, error)
	// Picture shows an element outlined, with what stands around it, as JPEG.
	Picture(element int) ([]byte, error)
	Close() error
}

// replay looks a second time, in a browser.
func (h *healing) replay(ctx context.Context, known heal.Learned, options heal.Options, browser Browser) (Suggestion, error) {
	first := h.out
	html, err := h.page.renderMarkup()
	if err != nil {
		return first, err
	}
	view, err := browser.Show(ctx, html)
	if err != nil {
		return first, err
	}
	defer view.Close()
	if err := h.decideAgain(view, known, options); err != nil {
		return first, err
	}
	return h.out, nil
}

// decideAgain decides again by what a view shows.
func (h *healing) decideAgain(view View, known heal.Learned, options heal.Options) error {
	boxes, err := view.Boxes()
	if err != nil {
		return err
	}
	e := &h.out.Event
	e.Outcome, e.Reason, e.Changed, e.Matches = "", "", nil, nil
	e.Confidence, e.RunnerUp, e.Healed = 0, 0, engine.Fingerprint{}
	h.out.Missing = slices.DeleteFunc(slices.Clone(h.out.Missing), func(m string) bool { return m == MissingLayout })
	if lost, err := locator.Parse(h.Selector); err == nil {
		found, err := view.Find(locator.Selector{Parts: inDocument(lost)}.String())
		if err == nil && len(found) > 0 {
			h.refuseHeal(reasonStillThere)
			return nil
		}
	}
	now := h.page.withBoxes(boxes)
	chosen := h.decideAndCount(known, options, now, func(s locator.Selector) ([]int, error) {
		return view.Find(locator.Selector{Parts: inDocument(s)}.String())
	})
	if chosen >= 0 && h.plain && len(h.trace.Notes) == 0 {
		if shown, err := view.Picture(chosen); err == nil { // else there is none
			h.out.Picture = shown
		}
	}
	return nil
}

// withBoxes returns the page as a browser shows it.
func (p *page) withBoxes(boxes map[int]engine.BoundingBox) *heal.Page {
	elements := slices.Clone(p.elements)
	for i := range elements {
		box, shown := boxes[i]
		elements[i].Visible = elements[i].Visible && shown
		if shown {
			elements[i].BBox = &box
		}
	}
	return heal.NewPage(elements)
}
