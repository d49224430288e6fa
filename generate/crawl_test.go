package generate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve serves pages by path, and keeps count of what was asked for.
func serve(t *testing.T, pages map[string]string) (address string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.RequestURI)
		text, ok := pages[r.RequestURI]
		to, redirect := strings.CutPrefix(text, "→")
		switch {
		case !ok:
			http.NotFound(w, r)
		case redirect:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func crawlSite(t *testing.T, address string, o Options) Site {
	t.Helper()
	o.AllowPrivate = true
	site, err := Crawl(t.Context(), address, o)
	must(t, err)
	return site
}

func TestLinksAreFollowedToTheDepth(t *testing.T) {
	address, asked := serve(t, map[string]string{
		"/":      `<a href="a">A</a> <a href="/">Home</a> <a href="/#x">Part</a> <a href="//other.example/">Other</a> <a href="mailto:a@b">Mail</a> <a href="/missing">Missing</a> <a href="/logout">Out</a> <a href="/x?delete=1">Delete</a> <a href="/f.pdf" download>File</a> <a href="/moved">Moved</a>`,
		"/a":     `<a href="/b">B</a> <a href="/">Home</a>`,
		"/b":     `<a href="/c">C</a>`,
		"/c":     "<h1>C</h1>",
		"/moved": "→/a",
	})
	site := crawlSite(t, address, Options{Depth: 2})
	var paths []string
	for _, p := range site.Pages {
		paths = append(paths, p.Path)
	}
	if diff := cmp.Diff([]string{"/", "/a", "/b"}, paths); diff != "" {
		t.Error(diff)
	}
	if len(site.Notes) != 1 || !strings.Contains(site.Notes[0], "/missing: the server answers 404") {
		t.Errorf("notes %q", site.Notes)
	}
	want := []string{"GET /", "GET /a", "GET /missing", "GET /moved", "GET /a", "GET /b"}
	if diff := cmp.Diff(want, *asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	leads := map[string]string{}
	for _, e := range site.Pages[0].Elements {
		leads[e.Name] = e.Leads
	}
	if leads["A"] != "/a" || leads["Moved"] != "" || leads["Out"] != "" || leads["Home"] != "" || leads["Part"] != "" {
		t.Errorf("leads %v", leads)
	}
}

func TestOnePageIsOneRequest(t *testing.T) {
	address, asked := serve(t, map[string]string{"/": `<a href="/a">A</a>`})
	site := crawlSite(t, address, Options{})
	if len(*asked) != 1 || len(site.Pages) != 1 || site.Pages[0].Elements[0].Href != "/a" || site.Pages[0].Elements[0].Leads != "" {
		t.Errorf("asked %q, %+v", *asked, site.Pages)
	}
}

func TestPagesThatAreNotReadSayWhy(t *testing.T) {
	address, _ := serve(t, map[string]string{
		"/deep": strings.Repeat("<div>", 2000), "/many": strings.Repeat("<b></b>", 30_000), "/large": strings.Repeat("x", 5000), "/away": "→https://example.com/", "/round": "→/round",
	})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	text := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") }))
	defer text.Close()
	for where, want := range map[string]string{
		address + "/deep": "stack of elements exceeds", address + "/many": "more than 20000 elements", address + "/large": "--max-bytes", address + "/away": "another origin: https://example.com/",
		address + "/round": "too many redirects", address + "/none": "answers 404", slow.URL: "it takes longer than 300ms (--timeout)", text.URL: `no HTML but "text/plain`,
	} {
		o := Options{AllowPrivate: true, Timeout: 300 * time.Millisecond}
		if strings.HasSuffix(where, "/large") {
			o.MaxBytes = 4000
		} else if where != slow.URL {
			o.Timeout = 0
		}
		if _, err := Crawl(t.Context(), where, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", where, err, want)
		}
	}
}

func TestLoadedScriptsAndStylesAreSaidToBeUnseen(t *testing.T) {
	address, _ := serve(t, map[string]string{"/": `<script>1</script><a href="/a">A</a>`, "/a": `<link rel=StyleSheet href=a.css>`})
	notes := crawlSite(t, address, Options{Depth: 1}).Notes
	if diff := cmp.Diff([]string{"1 of 2 pages load scripts or style sheets, which were not seen: --browser proves the tests with them"}, notes); diff != "" {
		t.Error(diff)
	}
}

func TestOtherEncodingsAreRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		_, _ = w.Write([]byte("<title>Caf\xe9</title><button>Caf\xe9</button>"))
	}))
	defer server.Close()
	p := crawlSite(t, server.URL, Options{}).Pages[0]
	if p.Title != "Café" || p.Elements[0].Name != "Café" {
		t.Errorf("%q, %+v", p.Title, p.Elements)
	}
}

func TestAddressesBecomePathsThatLeadBack(t *testing.T) {
	for given, want := range map[string]string{
		"http://a.example": "/", "http://a.example/x?y=1#z": "/x?y=1", "http://a.example//evil.example/x": "http://a.example//evil.example/x",
		"http://A.Example:80/it's?it's=\"x\"": "/it's?it%27s=%22x%22", "http://a.example/a b": "/a%20b", "http://a.example/ü": "/%C3%BC", `http://a.example/\evil.example`: "/%5Cevil.example",
	} {
		u, err := parseAddress(given)
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		base, _ := url.Parse("http://a.example")
		back, err := base.Parse(pathOf(u))
		if pathOf(u) != want || err != nil || back.Host != "a.example" || back.String() != u.String() {
			t.Errorf("%s: path %s leads to %s", given, pathOf(u), back)
		}
	}
	for _, bad := range []string{"", "a.example", "ftp://a.example", "http://", "http:///x", "http://u:p@a.example", "http://a.example:port", "javascript:alert(1)", "http:a.example"} {
		if u, err := parseAddress(bad); err == nil {
			t.Errorf("%q is %s", bad, u)
		}
	}
}

func TestElementsAreClassified(t *testing.T) {
	for markup, want := range map[string]Class{
		`<input type=password>`: ClassPassword, `<input autocomplete="section-a username">`: ClassLogin, `<input name=userName>`: ClassLogin, `<input name=user>`: ClassText,
		`<label>User <input></label>`: ClassText, `<form><input><input type=password></form>`: ClassLogin, `<form><input><input><input type=password></form>`: ClassText,
		`<label>E-mail <input></label>`: ClassEmail, `<input type=email name=login>`: ClassEmail, `<input type=search>`: ClassSearch, `<input name=q>`: ClassSearch,
		`<form role=search><input></form>`: ClassSearch, `<input placeholder="Find a shop">`: ClassSearch, `<input name=refinery>`: ClassText, `<textarea></textarea>`: ClassText,
		`<select><option>a</select>`: ClassDropdown, `<div role=combobox>a</div>`: ClassDropdown, `<form><button>Go</button></form>`: ClassSubmit, `<form><button type=button>Go</button></form>`: ClassButton,
		`<button>Go</button>`: ClassButton, `<input type=submit>`: ClassSubmit, `<a href=/x>X</a>`: ClassLink, `<nav><a href=/x>X</a></nav>`: ClassNavigation, `<a href=/x role=button>X</a>`: ClassButton,
		`<footer><a href=/x>X</a></footer>`: ClassNavigation, `<input type=checkbox>`: ClassCheckbox, `<b role=switch>s</b>`: ClassCheckbox, `<input type=radio>`: ClassRadio, `<input type=file>`: ClassFile,
		`<input type=number>`: ClassNumber, `<input type=date>`: ClassDate, `<input type=color>`: ClassColor, `<h1>X</h1>`: ClassHeading, `<h3>X</h3>`: "", `<input type=hidden>`: "", `<a>X</a>`: "",
		`<button hidden>Go</button>`: "", `<div aria-hidden=true><button>Go</button></div>`: "", `<dialog><button>Go</button></dialog>`: "", `<template><button>Go</button></template>`: "",
	} {
		site, err := Crawl(t.Context(), "https://a.example/", Options{Browser: page(markup)})
		must(t, err)
		got := Class("")
		if all := site.Pages[0].Elements; len(all) > 0 {
			got = all[0].Class
		}
		if got != want {
			t.Errorf("%s is %q, want %q", markup, got, want)
		}
	}
}

func TestNamesAreIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"Sign in": "signIn", "Zürich & Genève": "zurichGeneve", "Don't": "dont", "firstName": "firstName", "日本": "", "--": "", "E-mail address": "emailAddress",
		"one two three four five six": "oneTwoThreeFourFive", strings.Repeat("a", 90): strings.Repeat("a", maxWordBytes),
	} {
		got := ""
		if name := identOf(text); len(name) > 0 {
			got = name.camel()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	pages := []Page{{URL: "https://a/new-login"}, {URL: "https://a/login"}, {URL: "https://a/login.html"}, {URL: "https://a/"}, {URL: "https://a/404"}, {URL: "https://a/aux"}, {URL: "https://a/download/windows"}}
	var names []string
	for _, p := range planSite(Site{Pages: pages}) {
		names = append(names, p.Name.snake())
	}
	if diff := cmp.Diff([]string{"new_login", "login2", "login3", "home", "page_404", "the_aux", "download_windows"}, names); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(names, "login") {
		t.Error("NewLoginPage would be a type and a function")
	}
}

func TestWhatIsNotThereInTheSourceIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		`<title>App</title><div id="root"></div><script src="/app.js"></script>`:                                                         "its scripts may make it: --browser",
		`<button>A</button><div class="menu d-none"><button>B</button></div>`:                                                            "1 element is left out: its class",
		strings.Repeat("<button>A</button>", 8):                                                                                          "8 elements are left out: no locator was proven",
		`<iframe src=/a></iframe><p><template shadowrootmode=open><a href=/b>B</a></template></p><template><iframe></iframe></template>`: "not looked into: 1 frame",
		`<div><template shadowrootmode=closed><a href=/b>B</a></template></div>`:                                                         "not looked into: 1 closed shadow root",
		"<title>\u202egnp.exe</title>":                                                                                                   "the title is not compared",
		strings.Repeat("<button id=a></button>", 3) + numbered("<button>N%d N</button>"):                                                 "only the first 120 elements are written",
	} {
		address, _ := serve(t, map[string]string{"/": text})
		notes := strings.Join(crawlSite(t, address, Options{}).Pages[0].Notes, "\n")
		if !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("%.60s: notes %q, want %q", text, notes, want)
		}
	}
}

// numbered returns 150 elements of different names.
func numbered(format string) string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
