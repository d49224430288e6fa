package comment

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/breadcrumb/action/internal/golden"
)

// goldenHTML keeps what GitHub's dialect makes of a golden file, so that a
// change of how it looks is seen in a diff, and checks what no text may look
// like.
func goldenHTML(t *testing.T, name, markdown string) {
	t.Helper()
	got := asHTML(t, []byte(markdown))
	if name != "huge" { // says nothing that the others do not
		golden.Check(t, filepath.Join("testdata", "html", name+".html"), got)
	}
	balanced(t, got)
	looksRight(t, got)
}

func asHTML(t *testing.T, source []byte) string {
	t.Helper()
	var out bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := markdown.Convert(source, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	tag      = regexp.MustCompile(`</?([a-z][a-z0-9]*)[^>]*>`)
	voidTags = []string{"br", "hr", "input", "img"}
	// allowed are the tags that our text is made of.
	allowed = strings.Fields("h3 h4 p a code pre strong em del table thead tbody tr th td ul ol li input details summary br sub blockquote hr")
)

// balanced reports tags that are not closed in order, and any that our text
// is not made of.
func balanced(t *testing.T, text string) {
	t.Helper()
	var open []string
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		name := m[1]
		switch {
		case !slices.Contains(allowed, name):
			t.Fatalf("a %s element: %s", name, m[0])
		case slices.Contains(voidTags, name):
		case m[0][1] != '/':
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("%s closes %v", m[0], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("not closed: %v", open)
	}
}

var comments = regexp.MustCompile(`(?s)<!--.*?-->`)

// looksRight reports markup that stayed text.
func looksRight(t *testing.T, text string) {
	t.Helper()
	shown := comments.ReplaceAllString(text, "")
	shown = regexp.MustCompile(`(?s)<(pre|code)[^>]*>.*?</(pre|code)>`).ReplaceAllString(shown, "")
	shown = tag.ReplaceAllString(shown, "")
	for _, left := range []string{"**", "](http", "| :--", "```", "- [ ]", "####", "&lt;details", "&lt;code"} {
		if strings.Contains(shown, left) {
			t.Errorf("%q is shown as text", left)
		}
	}
}
