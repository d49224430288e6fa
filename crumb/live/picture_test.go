package live

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

func TestAPageIsPutBackWhateverBecomesOfThePicture(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		screenshot func() ([]byte, error)
	}{
		{"it takes too long", func() ([]byte, error) { select {} }},
		{"it fails", func() ([]byte, error) { return nil, errors.New("the page was closed") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			page := &scrolledPage{screenshot: c.screenshot}
			options := Options{Events: filepath.Join(t.TempDir(), "heals.ndjson"), Pictures: PicturesOn, Log: slog.New(slog.DiscardHandler)}
			h := &healing{Subject: &Subject{Page: page}, test: &Test{options: options},
				now: &snapshot{documents: []document{{frame: page, handle: page}}, page: heal.NewPage([]heal.Element{{}})}}
			h.takePicture(0)
			if want := []string{aimScript, restoreScript}; !slices.Equal(page.called, want) {
				t.Errorf("called in the page: %q", page.called)
			}
			if h.event.Pictures != nil {
				t.Errorf("pictures %+v", h.event.Pictures)
			}
		})
	}
}

// scrolledPage is a page, its frame and the handle of what was read there.
type scrolledPage struct {
	Frame
	screenshot func() ([]byte, error)
	called     []string
}

func (p *scrolledPage) URL() string     { return "" }
func (p *scrolledPage) Frames() []Frame { return []Frame{p} }
func (p *scrolledPage) Dispose() error  { return nil }

func (p *scrolledPage) Evaluate(function string, _ ...any) (any, error) {
	p.called = append(p.called, function)
	return `{"view":{"width":800,"height":600},"boxes":[{"x":10,"y":10,"width":80,"height":20}]}`, nil
}

func (p *scrolledPage) Screenshot(engine.BoundingBox, string) ([]byte, error) { return p.screenshot() }
