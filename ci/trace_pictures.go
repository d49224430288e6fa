package ci

import (
	"errors"
	"os"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/picture"
	"github.com/breadcrumb/action/trace"
)

// maxTraceScreenshots is from how many calls of a run a picture is taken at most.
const maxTraceScreenshots = 200

// album is the pictures that a run's traces show of elements.
type album struct {
	taken    int
	pictures map[string]map[string][]byte // to be learned, by the state of the page and the path of the element
	lost     map[testLocator][]byte       // of lost elements, as they were learned
	found    map[testLocator][]byte       // of those that the events propose, in a browser
}

// takePicture adds a picture of an element that a call acted on to what is learned of its
// page. What the state of before has of the same page stays, so that a page that did not
// change is not written again.
func (t *traces) takePicture(c *trace.Call, lesson heal.Learned, before []byte) {
	at := lesson.Fingerprint.Place
	if t.cfg.NoPictures || lesson.State == nil || at == nil {
		return
	}
	page := string(lesson.State)
	if t.album.pictures == nil {
		t.album.pictures = map[string]map[string][]byte{}
	}
	if t.album.pictures[page] == nil {
		t.album.pictures[page] = map[string][]byte{}
	}
	if bare, known := heal.SplitPictures(before); string(bare) == page {
		for path, content := range known {
			t.album.pictures[page][path] = content
		}
	}
	if t.album.pictures[page][at.Path] != nil || t.album.taken >= maxTraceScreenshots {
		return
	}
	shot, ok := c.Screenshot()
	if !ok {
		return
	}
	t.album.taken++
	if content, err := picture.Crop(shot.JPEG, shot.Element, shot.View); err == nil {
		t.album.pictures[page][at.Path] = content
	}
}

// noteLost remembers the picture of an event's lost element, nil for none.
func (a *album) noteLost(e engine.HealEvent, content []byte) {
	if content == nil {
		return
	}
	if a.lost == nil {
		a.lost = map[testLocator][]byte{}
	}
	a.lost[testLocator{e.TestID, engine.StoredLocator(e.Locator, e.Occurrence)}] = content
}

// noteFound remembers the picture of the element that an event proposes, nil for none. That
// of an earlier event of the same loss is forgotten: it may be of another element.
func (a *album) noteFound(e engine.HealEvent, content []byte) {
	if a.found == nil {
		a.found = map[testLocator][]byte{}
	}
	a.found[testLocator{e.TestID, engine.StoredLocator(e.Locator, e.Occurrence)}] = content
}

// keepPictures writes the pictures of lost and found elements below the working directory
// and names them in the events. A dry run writes nothing.
func (t *traces) keepPictures() {
	if len(t.album.lost)+len(t.album.found) == 0 || t.cfg.DryRun {
		return
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		t.warnFile("", "pictures of elements: "+err.Error())
		return
	}
	defer root.Close()
	for i := range t.events {
		e := &t.events[i]
		if e.Outcome == engine.OutcomeRefused {
			continue
		}
		at := testLocator{e.TestID, engine.StoredLocator(e.Locator, e.Occurrence)}
		var names engine.Pictures
		for _, p := range []struct {
			content []byte
			name    *string
		}{{t.album.lost[at], &names.Lost}, {t.album.found[at], &names.Found}} {
			if p.content == nil {
				continue
			}
			if *p.name, err = picture.Keep(root, engine.HealFolder, p.content); err != nil {
				break
			}
		}
		names.Replayed = names.Found != ""
		if names != (engine.Pictures{}) {
			e.Pictures = &names
		}
		switch {
		case errors.Is(err, picture.ErrFull):
			return
		case err != nil:
			t.warnFile("", "picture of an element: "+err.Error())
			return
		}
	}
}
