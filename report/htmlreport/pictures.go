package htmlreport

import (
	"encoding/base64"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/engine/text"
)

// Elements knows what heal events' elements looked like.
type Elements interface {
	// Found returns the picture of a name that an event has, as JPEG from an encoder of
	// our own; nil where there is none.
	Found(name string) []byte
	// Lost returns the page that a lost element was learned on, and its index there; false
	// where that is not known.
	Lost(h engine.HealEvent) (*heal.Page, int, bool)
}

// maxBytes bounds the report with its pictures. A report that is larger without has none.
const maxBytes = 2 << 20

// pair shows a lost element beside the one that was found.
type pair struct {
	Found template.URL // of the picture, "" for none
	Was   template.URL // of the picture of the lost element, "" for none
	Lost  *drawing     // nil where there is such a picture, or nothing is known of its page

	Replayed bool // Found is a trace's snapshot that a browser showed once more
}

// album adds pictures to a report as long as there is room, each once.
type album struct {
	Elements
	size        counter // of the report with its pictures so far
	shown       map[engine.Pictures]bool
	again, left int // locators whose picture is shown already, and pictures without room
}

// add returns the picture of an event's element, nil for none.
func (a *album) add(h engine.HealEvent) *pair {
	if h.Pictures == nil {
		return nil
	}
	if a.shown[*h.Pictures] {
		a.again++
		return nil
	}
	p := &pair{Found: a.address(h.Pictures.Found), Was: a.address(h.Pictures.Lost)}
	if p.Found == "" && p.Was == "" {
		return nil
	}
	p.Replayed = h.Pictures.Replayed
	if known, i, ok := a.Lost(h); ok && p.Was == "" {
		p.Lost = drawElement(known, i)
	}
	size := a.size
	if err := page.ExecuteTemplate(&size, "pair", p); err != nil || size > maxBytes {
		a.left++
		return nil
	}
	a.size, a.shown[*h.Pictures] = size, true
	return p
}

// address returns a picture as the address of an image, "" where there is none of the name.
func (a *album) address(name string) template.URL {
	if name == "" {
		return ""
	}
	content := a.Found(name)
	if content == nil {
		return ""
	}
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(content)) //nolint:gosec // letters and digits of base64
}

// counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// drawing shows the part of a page around an element by boxes and texts, in CSS pixels.
type drawing struct {
	Width, Height int
	Shapes        []drawnShape
	Lost          drawnShape
}

// drawnShape is the box of an element with what it says.
type drawnShape struct {
	X, Y, Width, Height int
	Text                string
	TextX, TextY, Size  int
}

// Bounds of a drawing.
const (
	drawnWidth  = 480
	drawnHeight = 270
	maxShapes   = 60
)

// drawElement draws a page that was learned around one of its elements, nil where the
// page was not laid out. What other frames show has boxes of its own frame, and is left out.
func drawElement(p *heal.Page, lost int) *drawing {
	box := p.Element(lost).BBox
	if box == nil || !(box.Width > 0 && box.Height > 0) {
		return nil
	}
	d := &drawing{Width: drawnWidth, Height: drawnHeight}
	left, top := max(0, box.X+min(box.Width, drawnWidth)/2-drawnWidth/2), max(0, box.Y+min(box.Height, drawnHeight)/2-drawnHeight/2)
	document := make([]int, p.Len()) // of each element, by the index of its root
	for i := range document {
		document[i] = i
		if above := p.Element(i).Parent; above >= 0 && above < i { // else it is a stranger's
			document[i] = document[above]
		}
	}
	for i := range p.Len() {
		e := p.Element(i)
		if i == lost || document[i] != document[lost] || !e.Visible || e.BBox == nil || e.OwnText == "" && !drawnEmpty[e.Tag] {
			continue
		}
		if s, inside := drawShape(e, left, top); inside && len(d.Shapes) < maxShapes {
			d.Shapes = append(d.Shapes, s)
		}
	}
	shape, inside := drawShape(p.Element(lost), left, top)
	if !inside {
		return nil
	}
	d.Lost = shape
	return d
}

// drawnEmpty are the elements that show something without saying it.
var drawnEmpty = map[string]bool{"button": true, "input": true, "select": true, "textarea": true, "img": true}

// drawShape returns the shape of an element in a drawing that begins at a place of the
// page; false where it is outside, or is all of the drawing.
func drawShape(e heal.Element, left, top float64) (s drawnShape, inside bool) {
	b := *e.BBox
	x, y := b.X-left, b.Y-top
	if !(x+b.Width > 0 && y+b.Height > 0 && x < drawnWidth && y < drawnHeight && b.Width >= 1 && b.Height >= 1) || b.Width >= drawnWidth && b.Height >= drawnHeight {
		return s, false
	}
	at, end := func(v float64) int { return int(math.Round(max(-9, v))) }, func(v, most float64) int { return int(math.Round(min(v, most+9))) }
	s = drawnShape{X: at(x), Y: at(y), Width: end(x+b.Width, drawnWidth) - at(x), Height: end(y+b.Height, drawnHeight) - at(y)}
	s.Size = int(max(8, min(13, b.Height*0.7)))
	said := e.OwnText
	if said == "" {
		said = e.Name
	}
	s.Text = cutText(text.Line(redact.Text(strings.Join(strings.Fields(said), " "))), float64(s.Width-8)/(0.55*float64(s.Size)))
	s.TextX, s.TextY = s.X+4, s.Y+min(s.Height, 2*s.Size)/2+s.Size*35/100
	return s, true
}

// cutText returns as many characters of a text as have room, ending in "…" when
// something was cut.
func cutText(said string, room float64) string {
	n := int(room)
	if utf8.RuneCountInString(said) <= n {
		return said
	}
	if n < 2 {
		return ""
	}
	return string([]rune(said)[:n-1]) + "…"
}
