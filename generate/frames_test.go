package generate

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/generate/markup"
	"github.com/breadcrumb/action/internal/browsertest"
)

// servePages serves the pages of testdata, and those of the shop where a release
// is named. OTHER in a page is another origin.
func servePages(t *testing.T, release string) (origin string) {
	t.Helper()
	frames := filepath.Join("testdata", "frames")
	other := httptest.NewServer(http.FileServer(http.Dir(frames)))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, dir := range []string{"testdata", frames, filepath.Join(shop, release)} {
			if text, err := os.ReadFile(filepath.Join(dir, path.Base(r.URL.Path))); err == nil {
				w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
				_, _ = w.Write(bytes.ReplaceAll(text, []byte("OTHER"), []byte(other.URL)))
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// readInChromium crawls one page of testdata in Chromium.
func readInChromium(t *testing.T, name string) Site {
	t.Helper()
	site, err := Crawl(t.Context(), servePages(t, "")+"/"+name, inChromium(t, true))
	must(t, err)
	return site
}

func TestFramesAreLookedInto(t *testing.T) {
	page := readInChromium(t, "frames.html").Pages[0]
	want := []string{`page.get_by_role("heading", name="Frames")`, `page.get_by_role("button", name="Save")`, `page.get_by_role("button", name="Host")`}
	inner := []string{`.get_by_role("button", name="Save")`, `.get_by_label("Code")`, `.get_by_role("button", name="Resend")`}
	for _, frame := range []string{`page.frame_locator("iframe[title=\"Payment\"]")`, `page.frame_locator("iframe[name=\"partner\"]")`} {
		for _, way := range []string{`.get_by_role("heading", name="Card")`, `.get_by_label("Card number")`, `.get_by_label("Country")`, `.get_by_label("Remember")`, `.get_by_role("button", name="Save")`} {
			want = append(want, frame+way)
		}
		for _, way := range inner {
			want = append(want, frame+`.frame_locator("iframe[name=\"inner\"]")`+way)
		}
	}
	want = append(want, `page.frame_locator("main > iframe:nth-child(1)").get_by_role("link", name="Far")`,
		`page.frame_locator("main > iframe:nth-child(1)").get_by_role("button", name="Only here")`,
		`page.frame_locator("main > iframe:nth-child(2)").get_by_role("button", name="Or here")`)
	for _, way := range inner {
		want = append(want, `page.frame_locator("#in-host")`+way)
	}
	if diff := cmp.Diff(want, locators(page)); diff != "" {
		t.Error(diff)
	}
	notes := []string{"not looked into: 3 frames that did not load, 2 frames that no frame locator reaches, 4 closed shadow roots"}
	if diff := cmp.Diff(notes, page.Notes); diff != "" {
		t.Error(diff)
	}
}

// shown is a page and what is to be found in it and told of it.
type shown struct {
	page        string
	finds, says []string
}

// letters returns so many copies of a text, each with a letter.
func letters(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, string(rune('a'+i)))
	}
	return b.String()
}

func TestFramesOfEveryKind(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, "<!doctype html>"+r.URL.Query().Get("page"))
		case "/nested":
			fmt.Fprint(w, "<!doctype html><button>Deep</button>")
			if len(r.URL.RawQuery) < 5 {
				fmt.Fprint(w, `<iframe src="/nested?`+r.URL.RawQuery+`1"></iframe>`)
			}
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		default:
			fmt.Fprint(w, `<!doctype html><button>Inside</button>`)
		}
	}))
	t.Cleanup(server.Close)
	o := inChromium(t, true)
	elsewhere := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]shown{
		"another site":  {`<iframe src="` + elsewhere + `/a"></iframe>`, []string{`page.frame_locator("iframe").get_by_role("button", name="Inside")`}, nil},
		"of two":        {`<iframe src="` + elsewhere + `/a"></iframe><iframe srcdoc="<h1>B</h1>"></iframe>`, []string{`page.locator("iframe").first.content_frame.get_by_role("button", name="Inside")`, `page.locator("iframe").nth(1).content_frame.get_by_role("heading", name="B")`}, nil},
		"sandboxed":     {`<iframe sandbox src="/a"></iframe>`, []string{`page.frame_locator("iframe[src=\"/a\"]").get_by_role("button", name="Inside")`}, nil},
		"in frame sets": {`<frameset cols="50%,50%"><frame name=a src="/a"><frame name=b src="/b"></frameset>`, []string{`page.frame_locator("frame[name=\"a\"]").get_by_role("button", name="Inside")`, `page.frame_locator("frame[name=\"b\"]").get_by_role("button", name="Inside")`}, nil},
		"too many":      {letters(`<iframe name="%s" src="/a"></iframe>`, 12), strings.Split(letters("page.frame_locator(\"iframe[name=\\\"%s\\\"]\").get_by_role(\"button\", name=\"Inside\")\n", 10), "\n")[:10], []string{"not looked into: 2 frames beyond 10, or deeper than 3"}},
		"no content":    {`<iframe src="/none"></iframe>`, nil, []string{"not looked into: 1 frame that did not load"}},
		"a closed root": {`<iframe src="` + elsewhere + `/a"></iframe><p><template shadowrootmode=closed></template></p>`, []string{`page.frame_locator("iframe").get_by_role("button", name="Inside")`}, []string{"not looked into: 1 closed shadow root"}},
		"too deep": {`<iframe src="/nested"></iframe>`, []string{`page.frame_locator("iframe[src=\"/nested\"]").get_by_role("button", name="Deep")`,
			`page.frame_locator("iframe[src=\"/nested\"]").frame_locator("iframe[src=\"/nested?1\"]").get_by_role("button", name="Deep")`,
			`page.frame_locator("iframe[src=\"/nested\"]").frame_locator("iframe[src=\"/nested?1\"]").frame_locator("iframe[src=\"/nested?11\"]").get_by_role("button", name="Deep")`},
			[]string{"not looked into: 1 frame beyond 10, or deeper than 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, err := Crawl(t.Context(), server.URL+"/?page="+url.QueryEscape(c.page), o)
			must(t, err)
			if diff := cmp.Diff(shown{c.page, c.finds, c.says}, shown{c.page, locators(site.Pages[0]), site.Pages[0].Notes}, cmp.AllowUnexported(shown{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// framed is a page with frames.
type framed struct {
	sent
	frames []Frame
}

func (f framed) Frames() []Frame { return f.frames }

// framedFolder opens pages of a folder, and the frames that they say they have.
type framedFolder string

func (f framedFolder) Open(_ context.Context, address *url.URL) (View, error) {
	text, err := os.ReadFile(filepath.Join(string(f), path.Base(address.Path)))
	if err != nil {
		return nil, errNotLoaded
	}
	return f.view(address, text)
}

func (f framedFolder) view(address *url.URL, text []byte) (View, error) {
	v := framed{sent: sent{address, text}}
	doc, err := markup.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, n := range doc.Elements {
		if n.DataAtom != atom.Iframe {
			continue
		}
		open := func() (View, error) {
			return f.view(&url.URL{Scheme: "about", Opaque: "srcdoc"}, []byte(markup.Attr(n, "srcdoc")))
		}
		if src, err := address.Parse(markup.Attr(n, "src")); err == nil && !markup.Has(n, "srcdoc") {
			open = func() (View, error) { return f.Open(context.Background(), src) }
		}
		v.frames = append(v.frames, Frame{pathTo(n), open})
	}
	return v, nil
}

// TestFramesAreWritten compares the code with testdata/frames, which was read
// line by line.
func TestFramesAreWritten(t *testing.T) {
	dir := filepath.Join("testdata", "frames")
	site, err := Crawl(t.Context(), "https://shop.example/frames.html", Options{Browser: framedFolder(dir)})
	must(t, err)
	for _, lang := range Langs() {
		compareGolden(t, site, lang, filepath.Join(dir, string(lang)))
	}
}

// TestLocatorsFindWhatTheyAreNamedAfter asks a browser of its own, by an
// attribute that no locator uses.
func TestLocatorsFindWhatTheyAreNamedAfter(t *testing.T) {
	site := readInChromium(t, "frames.html")
	page, err := browsertest.Browser(t).NewPage()
	must(t, err)
	defer page.Close()
	_, err = page.Goto(site.Pages[0].URL)
	must(t, err)
	for _, e := range site.Pages[0].Elements {
		found := page.Locator(e.Locator.String())
		n, err := found.Count()
		must(t, err)
		is, err := found.First().GetAttribute("data-is")
		if err != nil || n != 1 || is != e.Name {
			t.Errorf("%s finds %d, the first %q (%v), want %q", locator.Print(e.Locator, locator.TypeScript), n, is, err, e.Name)
		}
	}
}
