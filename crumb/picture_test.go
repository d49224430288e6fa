package crumb_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

// keysPage has its button below what the window shows, a filled field and a token beside
// it, and another field in a frame. The title tells what was clicked.
const keysPage = `<!doctype html><style>body { margin: 0; height: 3000px; font: 16px sans-serif } body > * { position: absolute; box-sizing: border-box; margin: 0 }</style>
<h1 style="top: 20px">Keys of the shop</h1>
<input id="owner" value="Ada Lovelace" style="top: 1450px; left: 20px; width: 200px; height: 30px">
<input id="filter" placeholder="Find a key" style="top: 1450px; left: 240px; width: 200px; height: 30px">
<button id="renew" onclick="document.title = 'renewed'" style="top: 1500px; left: 100px; width: 120px; height: 30px">Renew the key</button>
<p id="token" style="top: 1545px; left: 20px; width: 400px; height: 24px; font: 12px monospace">ghp_0123456789abcdefghijklmnopqrstuvwxyzAB</p>
<p style="top: 1500px; left: 240px; width: 200px; height: 24px">for Ada Lovelace</p>
<iframe style="top: 1580px; left: 20px; width: 300px; height: 50px; border: 0" srcdoc="<style>body{margin:0}</style><input value='4242 4242' style='box-sizing:border-box;width:200px;height:30px'>"></iframe>`

func TestAHealKeepsAPictureWithoutSecrets(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	for _, c := range []struct {
		name, now, pictures string
		outcome             engine.HealOutcome
		pictured            bool
	}{
		{"healed", strings.Replace(keysPage, `"renew"`, `"renew-key"`, 1), "", engine.OutcomeHealed, true},
		{"suggested", strings.NewReplacer(`"renew"`, `"revoke"`, "Renew the key", "Revoke the key").Replace(keysPage), "on", engine.OutcomeSuggested, true},
		{"switched off", strings.Replace(keysPage, `"renew"`, `"renew-key"`, 1), "off", engine.OutcomeHealed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			patiently(t, func(patient patience) string {
				s := newSite(t, map[string]string{"/": keysPage})
				folder := t.TempDir()
				options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals", "go.ndjson"), Timeout: learningTime, Pictures: c.pictures}
				p := wrapped(t, options, s.URL)
				must(t, p.Locator("#renew").Click())
				must(t, p.Close())
				if _, err := os.Stat(filepath.Join(folder, "heals")); !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("a green test kept something: %v", err)
				}
				s.set("/", c.now)
				options.Timeout = patient.timeout()
				p = wrapped(t, options, s.URL)
				_ = p.Locator("#renew").Click()
				scrolled, err := p.Evaluate("() => scrollY > 0")
				must(t, errors.Join(err, p.Close()))
				got := events(t, options.Events)
				if len(got) != 1 || got[0].Outcome != c.outcome {
					return fmt.Sprintf("want one event, %s:\n%s", c.outcome, formatEvents(got))
				}
				if scrolled != (c.outcome == engine.OutcomeHealed) { // which the click itself does
					return fmt.Sprintf("scrolled: %v", scrolled)
				}
				files, _ := filepath.Glob(filepath.Join(folder, "heals", "pictures", "*"))
				if (got[0].Pictures != nil) != c.pictured || (len(files) == 1) != c.pictured {
					return fmt.Sprintf("pictures %v, files %v, want any: %v", got[0].Pictures, files, c.pictured)
				}
				if c.pictured {
					checkKeysPicture(t, filepath.Join(folder, "heals", engine.PictureFolder, got[0].Pictures.Found))
				}
				return ""
			})
		})
	}
}

// checkKeysPicture looks at the picture of the button of keysPage.
func checkKeysPicture(t *testing.T, name string) {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	shown, err := jpeg.Decode(bytes.NewReader(content))
	must(t, err)
	if kept := os.Getenv("BREADCRUMB_LOOK"); kept != "" {
		must(t, os.WriteFile(filepath.Join(kept, filepath.Base(filepath.Dir(t.Name()))+filepath.Base(t.Name())+".jpg"), content, 0o644))
	}
	if diff := cmp.Diff(image.Rect(0, 0, 480, 270), shown.Bounds()); diff != "" {
		t.Fatal(diff)
	}
	const top = 120 // of the button, whose middle is the picture's
	for what, c := range map[string]struct {
		at     image.Rectangle
		hidden bool
	}{
		"a field that holds text":       {image.Rect(20, top-50, 220, top-20), true},
		"a field in a frame":            {image.Rect(20, top+80, 220, top+110), true},
		"what is in a field, elsewhere": {image.Rect(240, top, 440, top+24), true},
		"a token":                       {image.Rect(20, top+45, 420, top+69), true},
		"a field with its placeholder":  {image.Rect(240, top-50, 440, top-20), false},
		"what the button says":          {image.Rect(100, top, 220, top+30), false},
	} {
		if hidden := isGrey(shown, c.at.Inset(6)); hidden != c.hidden {
			t.Errorf("%s is hidden: %v", what, hidden)
		}
	}
	for _, corner := range []image.Point{{160, top - 2}, {160, top + 31}, {98, top + 15}, {221, top + 15}} {
		if r, g, b, _ := shown.At(corner.X, corner.Y).RGBA(); r < 2*g || r < 2*b {
			t.Errorf("no outline at %v: %x %x %x", corner, r>>8, g>>8, b>>8)
		}
	}
}

// isGrey reports whether a part of a picture is painted over.
func isGrey(shown image.Image, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := shown.At(x, y).RGBA()
			for _, v := range []uint32{r >> 8, g >> 8, b >> 8} {
				if v < 0x78 || v > 0x88 {
					return false
				}
			}
		}
	}
	return true
}
