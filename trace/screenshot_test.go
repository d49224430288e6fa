package trace_test

import (
	"archive/zip"
	"bytes"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/breadcrumb/action/trace"
)

// rewriteTrace returns a trace with its events changed.
func rewriteTrace(t *testing.T, name string, change func(events string) string) []byte {
	t.Helper()
	from, err := zip.OpenReader(filepath.Join("testdata", "pictures", name))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".trace") && f.Name != "test.trace" {
			content = []byte(change(string(content)))
		}
		w, err := to.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// screenshots returns how many calls of a trace have a screenshot, and the last one.
func screenshots(t *testing.T, content []byte) (n int, last trace.Screenshot) {
	t.Helper()
	read, err := trace.Read("trace.zip", bytes.NewReader(content), int64(len(content)), trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range read.Calls {
		if shot, ok := c.Screenshot(); ok {
			n, last = n+1, shot
		}
	}
	return n, last
}

func TestAClickedElementHasAScreenshot(t *testing.T) {
	for _, name := range []string{"exports.zip", "exports-1.52.0.zip"} {
		content, err := os.ReadFile(filepath.Join("testdata", "pictures", name))
		if err != nil {
			t.Fatal(err)
		}
		n, shot := screenshots(t, content)
		if n != 1 {
			t.Fatalf("%s: %d screenshots, want one", name, n)
		}
		size, err := jpeg.DecodeConfig(bytes.NewReader(shot.JPEG))
		if err != nil || size.Width != 800 || shot.View.Width != 1280 || shot.Element.X < 50 || shot.Element.X+shot.Element.Width > 250 {
			t.Errorf("%s: %d pixels of %v, %v, element at %+v", name, size.Width, shot.View, err, shot.Element)
		}
	}
}

// A screenshot cannot be painted over, so there is none of a page that may show a secret.
func TestAPageThatMayShowASecretHasNoScreenshot(t *testing.T) {
	// A heading and its text are replaced by two nodes, so that references still lead to the same.
	heading := regexp.MustCompile(`\["H1",\{[^{}]*\},"[^"]*"\]`)
	with := func(nodes string) func(string) string {
		return func(events string) string { return heading.ReplaceAllLiteralString(events, nodes) }
	}
	for name, c := range map[string]struct {
		change func(string) string
		shown  int
	}{
		"nothing to hide":              {func(s string) string { return s }, 1},
		"a text":                       {with(`["P",{},"your orders"]`), 1},
		"an empty field":               {with(`["INPUT",{"__playwright_value_":"","value":"before"}],""`), 1},
		"an empty editor":              {with(`["DIV",{"contenteditable":""}," "]`), 1},
		"a button":                     {with(`["INPUT",{"type":"submit","value":"Send"}],""`), 1},
		"a field with a text":          {with(`["INPUT",{"__playwright_value_":"Jane"}],""`), 0},
		"a field's own text":           {with(`["INPUT",{"value":"Jane"}],""`), 0},
		"an empty password field":      {with(`["INPUT",{"type":"Password"}],""`), 0},
		"a text area":                  {with(`["TEXTAREA",{},"Jane"]`), 0},
		"a text area's value":          {with(`["TEXTAREA",{"__playwright_value_":"Jane"},""]`), 0},
		"an editor":                    {with(`["DIV",{"contenteditable":"true"},"Jane"]`), 0},
		"a frame":                      {with(`["IFRAME",{}],""`), 0},
		"an object":                    {with(`["OBJECT",{}],""`), 0},
		"an element of its own":        {with(`["X-CARD",{}],""`), 0},
		"a password in words":          {with(`["P",{},"password: hunter2-hunter2"]`), 0},
		"a secret as placeholder":      {with(`["INPUT",{"placeholder":"password: hunter2-hunter2"}],""`), 0},
		"a field in a shadow tree":     {with(`["TEMPLATE",{"__playwright_shadow_root_":"true"},["INPUT",{"value":"Jane"}]]`), 0},
		"what cannot be read":          {with(`["P",{},7],""`), 0},
		"what leads nowhere":           {with(`[[99,99]],"",""`), 0},
		"an event that cannot be read": {func(s string) string { return s + "{x\n" }, 0},
		"no clock":                     {func(s string) string { return strings.Replace(s, `"monotonicTime"`, `"x"`, 1) }, 0},
		"no time of the screenshot":    {func(s string) string { return strings.ReplaceAll(s, `"frameSwapWallTime"`, `"x"`) }, 0},
		"screenshots of another page": {func(s string) string {
			return strings.ReplaceAll(s, `"screencast-frame","pageId":"`, `"screencast-frame","pageId":"x`)
		}, 0},
		"a file that is not there": {func(s string) string { return strings.ReplaceAll(s, `"file":"`, `"file":"../`) }, 0},
		"no snapshot before it":    {func(s string) string { return strings.ReplaceAll(s, `"isMainFrame":true`, `"isMainFrame":false`) }, 0},
	} {
		if n, _ := screenshots(t, rewriteTrace(t, "exports.zip", c.change)); n != c.shown {
			t.Errorf("%s: %d screenshots, want %d", name, n, c.shown)
		}
	}
	if n, _ := screenshots(t, rewriteTrace(t, "password.zip", func(s string) string { return s })); n != 0 {
		t.Errorf("a page with password fields: %d screenshots", n)
	}
}
