package cli

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/picture"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// What was learned of a lost element's page, and the picture beside the heal events, stand
// side by side in the HTML report; a name that leads elsewhere shows nothing.
func TestTheHTMLReportShowsLostAndFoundElements(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	t.Chdir(folder)
	var shot bytes.Buffer
	must(png.Encode(&shot, image.NewGray(image.Rect(0, 0, 48, 27))))
	content, err := picture.New(shot.Bytes(), engine.BoundingBox{X: 8, Y: 8, Width: 8, Height: 8}, nil)
	must(err)
	name, err := picture.Save(filepath.Join("heals", "leg-1", "run.ndjson"), content)
	must(err)

	box := func(y float64) *engine.BoundingBox {
		return &engine.BoundingBox{X: 20, Y: y, Width: 120, Height: 24}
	}
	page := heal.NewPage([]heal.Element{
		{Parent: -1, Tag: "body", Text: "Your basket Pay", Visible: true},
		{Parent: 0, Tag: "h1", Text: "Your basket", OwnText: "Your basket", BBox: box(20), Visible: true},
		{Parent: 0, Tag: "button", Text: "Pay", OwnText: "Pay", Attributes: engine.Attributes{{Name: "id", Value: "pay"}}, BBox: box(60), Visible: true},
	})
	lost := heal.LearnPage(page).Learn(2)
	lost.Fingerprint.TestID, lost.Fingerprint.Locator = "pays", "#pay"
	now := time.Now()
	db, err := sqlite.Open(t.Context(), "history.db", sqlite.Options{Now: time.Now})
	must(err)
	must(db.SaveFingerprints(t.Context(), []engine.Fingerprint{lost.Fingerprint}, lost.State, now))
	event := engine.HealEvent{TestID: "pays", Locator: "#pay", HealedLocator: "#checkout", Outcome: engine.OutcomeHealed, Confidence: 1, Original: lost.Fingerprint,
		Pictures: &engine.Pictures{Found: name}, Timestamp: float64(now.Unix())}
	outside := event
	outside.TestID, outside.Pictures = "pays elsewhere", &engine.Pictures{Found: strings.Repeat("0", 32) + ".jpg"}
	must(os.WriteFile(filepath.Join(folder, outside.Pictures.Found), content, 0o600))
	_, err = db.RecordRun(t.Context(), store.Run{Now: now, ReportDigest: "1", Heals: []engine.HealEvent{event, outside},
		Results: []engine.TestResult{{ID: "pays", Attempts: []engine.Attempt{{Status: engine.StatusPassed}}}}})
	must(err)
	must(db.Save(t.Context()))
	must(db.Close())

	report := func(arguments ...string) string {
		t.Helper()
		var out bytes.Buffer
		cmd := newReport(Streams{Out: &out, Err: &out})
		cmd.SetArgs(append([]string{"--db", "history.db", "--format", "html"}, arguments...))
		must(cmd.Execute())
		return out.String()
	}
	text := report()
	if n := strings.Count(text, `<img src="data:image/jpeg;base64,`); n != 1 {
		t.Errorf("%d pictures, want one", n)
	}
	for _, want := range []string{`<rect class="it" x="20" y="60" width="120" height="24"/>`, ">Your basket</text>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(report("--heals", "nowhere"), "<img") {
		t.Error("a folder that is not there has a picture")
	}
}
