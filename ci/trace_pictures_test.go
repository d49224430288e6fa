package ci

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/trace"
)

// What a passing test's trace shows of an element is kept with its page, and is written
// beside the heal events once the element is lost; not where pictures are off.
func TestALostElementIsShownAsATraceShowedIt(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "trace", "testdata", "pictures", "exports.zip"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	read, err := trace.Read("trace.zip", bytes.NewReader(content), int64(len(content)), trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cfg          Config
		taken, shown bool
	}{"on": {Config{}, true, true}, "off": {Config{NoPictures: true}, false, false}, "a dry run": {Config{DryRun: true}, true, false}} {
		ts := traces{run: &run{cfg: c.cfg}, db: learned{}, known: map[testLocator]bool{}, pages: map[string][]engine.Fingerprint{}}
		ts.learnFrom(t.Context(), "exports", read)
		var known heal.Learned
		for state, elements := range ts.pages {
			joined := heal.JoinPictures([]byte(state), ts.album.pictures[state])
			known = heal.Learned{Fingerprint: elements[0], State: joined}
			ts.album.taken = 0
			for _, call := range read.Calls { // a page that did not change keeps its picture
				if lesson, ok := call.Target(); ok {
					ts.takePicture(call, lesson, joined)
				}
			}
		}
		if got := known.Picture(); (got != nil) != c.taken || ts.album.taken != 0 {
			t.Errorf("%s: a picture of %d bytes, %d more taken", name, len(got), ts.album.taken)
		}
		ts.events = []engine.HealEvent{
			{TestID: "exports", Locator: "#export", Outcome: engine.OutcomeSuggested},
			{TestID: "exports", Locator: "#gone", Outcome: engine.OutcomeRefused},
		}
		for _, e := range ts.events {
			ts.album.noteLost(e, known.Picture())
		}
		ts.album.noteFound(ts.events[0], known.Picture())
		ts.album.noteFound(ts.events[1], known.Picture())
		ts.keepPictures()
		if shown := ts.events[0].Pictures; (shown != nil) != c.shown || ts.events[1].Pictures != nil {
			t.Errorf("%s: pictures %v and %v", name, shown, ts.events[1].Pictures)
		} else if c.shown {
			for _, file := range []string{shown.Lost, shown.Found} {
				if _, err := os.Stat(filepath.Join("heals", "pictures", file)); err != nil || !shown.Replayed {
					t.Error(err, shown)
				}
			}
		}
	}
}
