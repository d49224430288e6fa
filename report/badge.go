package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

//go:embed badge.svg.tmpl
var badgeText string

var badgeTemplate = template.Must(template.New("badge").Parse(badgeText))

// badge is a picture of two words, 20 pixels high.
type badge struct {
	Left, Right           string
	LeftWidth, RightWidth int // pixels
	Colour                string
}

// Badge writes an SVG for a README: how many tests are failing or flaky now, or
// that the suite is stable. It returns the first error of w.
func Badge(w io.Writer, s outcome.Survey) error {
	b := badge{Left: "browser tests"}
	b.Right, b.Colour = badgeWords(s)
	b.LeftWidth, b.RightWidth = badgeWidth(b.Left), badgeWidth(b.Right)
	if err := badgeTemplate.Execute(w, b); err != nil {
		return fmt.Errorf("write badge: %w", err)
	}
	return nil
}

func badgeWords(s outcome.Survey) (phrase, colour string) {
	c := s.Counts
	switch {
	case s.Runs == 0 || c.Total == 0:
		return "no runs", "#6e7681"
	case c.Failing > 0:
		return text.Thousands(c.Failing) + " failing", "#b3151f"
	case c.Flaky > 0:
		return text.Thousands(c.Flaky) + " flaky", "#8a5a00"
	}
	return text.Thousands(c.Stable+c.Healed) + " stable", "#116329"
}

// badgeWidth is room for text at 11 pixels in any usual font.
func badgeWidth(text string) int { return 12 + 7*len(text) }

// Total is the width of the whole in pixels.
func (b badge) Total() int { return b.LeftWidth + b.RightWidth }

// LeftMiddle and RightMiddle are where the words stand.
func (b badge) LeftMiddle() int { return b.LeftWidth / 2 }

func (b badge) RightMiddle() int { return b.LeftWidth + b.RightWidth/2 }
