package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/internal/browsertest"
)

// openFrame returns the main frame of a page that shows html, behind a relay that no client
// uses.
func openFrame(t *testing.T, html string) frame {
	t.Helper()
	program, err := browsertest.Chromium()
	if err != nil {
		browsertest.Missing(t, err)
	}
	client, clientSide := ends()
	r := newRelay(clientSide, startDriver(t), Options{Live: quiet(t)})
	ended := make(chan error, 1)
	go func() { ended <- r.run() }()
	t.Cleanup(func() { _ = client.Close(); <-ended })
	readAhead(client)
	ask := func(guid, method string, params map[string]any) message {
		t.Helper()
		m, err := r.ask(guid, method, params, 60_000)()
		must(t, err)
		return m
	}
	ask("", "initialize", map[string]any{"sdkLanguage": "javascript"})
	var chromium string
	for guid, o := range r.objects.known {
		if o.kind == "BrowserType" && o.name == "chromium" {
			chromium = guid
		}
	}
	m := ask(chromium, "launch", map[string]any{"executablePath": program, "args": browsertest.Arguments, "headless": true})
	m = ask(m.guidIn(m.result, "browser"), "newContext", map[string]any{})
	r.registerReader()
	m = ask(m.guidIn(m.result, "context"), "newPage", map[string]any{})
	f := frame{r, r.objects.framesOf(m.guidIn(m.result, "page"))[0]}
	ask(f.guid, "setContent", map[string]any{"html": html, "waitUntil": "load"})
	return f
}

const withShadow = oldShop + `<div id="host"></div><p title="a >> b">Under "quotes" >> here</p>
<script>host.attachShadow({mode: "open"}).innerHTML = "<button id=inner>Inside</button>"</script>`

func TestAPageIsReadAsByACallOfItsScript(t *testing.T) {
	t.Parallel()
	f := openFrame(t, withShadow)
	for selector, found := range map[string]bool{
		"#save":              true,
		"#gone":              false,
		".add":               false, // two
		"*css=form >> #save": true,
		".add >> nth=1":      true,
		`internal:role=button[name="Save changes"i]`:                   true,
		`internal:role=listitem >> internal:has-text="Spoon"i >> .add`: true,
		`#save >> internal:or="#gone"`:                                 true,
		`#save >> internal:or=".add"`:                                  false,
		`.add >> internal:and="li:first-child button"`:                 true,
		`internal:text="Under \"quotes\" >> here"i`:                    true,
		`[title="a >> b"]`:                                             true,
		`[title*="a >"]`:                                               true,
		"#inner":                                                       true,
		"iframe[name=help] >> internal:control=enter-frame >> #ask":    true,
		"iframe[name=help] >> internal:control=enter-frame >> #gone":   false,
		"iframe[name=none] >> internal:control=enter-frame >> #ask":    false,
	} {
		l := locator{f, selector}
		want, _ := textOf(l.StartEvaluateAll(live.ObserveScript, "data-testid"))() // an error is of a frame that is not there
		own, frames, _ := l.StartReading("data-testid")()
		_, got := cutDocument(own)
		if diff := cmp.Diff(want, got); diff != "" || found != (got != "") {
			t.Errorf("%s (-want +got):\n%s", selector, diff)
		}
		if capture.MatchString(selector) {
			if frames != nil {
				t.Errorf("%s: the frames are not left to be asked by the script", selector)
			}
		} else if told := tellFrames(t, own, frames); found && told != "another" {
			t.Errorf("%s: of the frames tell %q", selector, told)
		}
	}
	want, err := f.Evaluate(live.PageScript, "data-testid")
	must(t, err)
	text, err := f.startReading("data-testid")()
	must(t, err)
	if _, got := cutDocument(text); got != want {
		diff := cmp.Diff(want, any(got))
		t.Errorf("the page (-want +got):\n%s", diff)
	}
	if f.r.reader.refused.Load() {
		t.Error("the driver refused the selector engine")
	}
}

// One question reads a page for several calls, and says which element each of them finds.
func TestAPageTellsWhatSeveralCallsFind(t *testing.T) {
	t.Parallel()
	f := openFrame(t, withShadow)
	reader := f.r.reader
	for _, c := range []struct {
		selectors []string
		found     string
	}{
		{[]string{"#save", `internal:role=button[name="Save changes"i]`, "#city"}, "yes yes yes"},
		{[]string{"#gone", "#save"}, "no yes"},
		{[]string{"#save", ".add", ".add >> nth=1", `internal:text="Under \"quotes\" >> here"i`}, "yes no yes yes"},
		{[]string{"#gone", "#none"}, ""},
	} {
		var numbers []int64
		var parts []string
		for i, selector := range c.selectors {
			numbers = append(numbers, reader.last.Add(1))
			if selector += " >> " + reader.question(numbers[i]); i > 0 {
				text, _ := json.Marshal(selector)
				selector = "internal:or=" + string(text)
			}
			parts = append(parts, selector)
		}
		answers, _ := json.Marshal(reader.question(numbers, "data-testid", false))
		text, err := f.r.read(f.guid, strings.Join(parts, " >> ")+" >> internal:or="+string(answers), 0)()
		must(t, err)
		about, elements, _ := strings.Cut(text, "\n")
		var told struct{ Targets []*int }
		if text != "" {
			must(t, json.Unmarshal([]byte(about), &told))
		}
		var found []string
		for i, target := range told.Targets {
			alone, _, err := locator{f, c.selectors[i]}.StartReading("data-testid")()
			must(t, err)
			switch aboutAlone, elementsAlone, _ := strings.Cut(alone, "\n"); {
			case target == nil && alone == "":
				found = append(found, "no")
			case target != nil && strings.Contains(aboutAlone, fmt.Sprintf(`"target":%d,`, *target)) && elementsAlone == elements:
				found = append(found, "yes")
			default:
				t.Errorf("%s of %q: %s, alone %s", c.selectors[i], c.selectors, about, aboutAlone)
			}
		}
		if got := strings.Join(found, " "); got != c.found || (text == "") != (c.found == "") {
			t.Errorf("%q: found %q, want %q; told %s", c.selectors, got, c.found, about)
		}
	}
}

// A page tells what its other documents show, too, where it may look into them all: by the
// same texts as they tell by themselves.
func TestAPageTellsWhatItsFramesShow(t *testing.T) {
	t.Parallel()
	f := openFrame(t, `<!doctype html><title>Shop</title><button id="save">Save</button>
<iframe name="help" srcdoc="<p>Ask <b>us</b></p><iframe srcdoc='<i>deep</i>'></iframe>"></iframe>`)
	reader := f.r.reader
	var want []string
	for _, guid := range f.r.objects.framesWith(f.guid)[1:] {
		text, err := frame{f.r, guid}.startReading("data-testid")()
		must(t, err)
		_, rest := cutDocument(text)
		want = append(want, rest)
	}
	if len(want) != 2 {
		t.Fatalf("the page has %d frames", len(want))
	}
	for _, c := range []struct {
		more string // that the page gets
		want []string
	}{
		{"", want},
		{`<iframe sandbox srcdoc="x"></iframe>`, nil},
	} {
		_, err := f.Evaluate(`(html) => html && new Promise((done) => {
  document.body.insertAdjacentHTML("beforeend", html);
  document.body.lastElementChild.onload = () => done();
})`, c.more)
		must(t, err)
		text, err := f.r.read(f.guid, reader.question(reader.last.Add(1), "data-testid", true, true), 0)()
		must(t, err)
		about, rest, _ := strings.Cut(text, "\n")
		_, others, _ := strings.Cut(rest, "\n")
		if !strings.Contains(about, fmt.Sprintf(`"frames":%d,`, len(c.want))) || others != strings.Join(c.want, "\n") {
			t.Errorf("with %q it says %s, and then\n%s, want\n%s", c.more, about, others, c.want)
		}
	}
}

// cutDocument returns which document a text is of, and the text without that.
func cutDocument(text string) (document, rest string) {
	if rest, named := strings.CutPrefix(text, `{"document":"`); named {
		document, rest, _ = strings.Cut(rest, `",`)
		return document, "{" + rest
	}
	return "", text
}

// tellFrames returns what answers of frames tell beside the document of a text.
func tellFrames(t *testing.T, own string, frames []live.Answer) string {
	t.Helper()
	document, _ := cutDocument(own)
	var told []string
	for _, answer := range frames {
		text, err := answer()
		must(t, err)
		if is, _ := cutDocument(text); is == "" {
			told = append(told, "nothing")
		} else if is != document {
			told = append(told, "another")
		}
	}
	return strings.Join(told, ", ")
}

// A page that replaces what scripts use. Playwright's own scripts watch the document that
// they are loaded into.
const forger = `<!doctype html><title>Shop</title><button id="save" aria-label="Save">Save</button><script>
JSON.stringify = () => '"forged"';
JSON.parse = () => [1, "forged", true];
Element.prototype.getAttribute = () => "forged";
Object.defineProperty(Element.prototype, "localName", { get: () => "forged" });
Array.prototype.push = function () { return 0 };
window.MutationObserver = class { constructor() { document.title = "forged" } observe() {} };
</script>`

func TestAPageCannotForgeWhatIsReadOfIt(t *testing.T) {
	t.Parallel()
	text, _, err := locator{openFrame(t, forger), "#save"}.StartReading("data-testid")()
	must(t, err)
	_, list, _ := strings.Cut(text, "\n")
	var elements []map[string]any
	must(t, json.Unmarshal([]byte(list), &elements))
	var read []string
	for _, e := range elements {
		read = append(read, strings.TrimSpace(e["t"].(string)+" "+textIn(e["n"])+textIn(e["x"])))
	}
	if want := []string{"body Save", "button SaveSave", "title Shop"}; !slices.Equal(read, want) {
		t.Errorf("read %q, want %q", read, want)
	}
}

func textIn(value any) string {
	s, _ := value.(string)
	return s
}

// A driver may know nothing of the engine's registration, or have pages that are older.
func TestADriverWithoutTheEngineIsAskedByTheScript(t *testing.T) {
	for name, refused := range map[string]string{
		"not registered": `{"id":ID,"error":{"error":{"name":"Error","message":"no such method"}}}`,
		"an older page":  `{"id":ID}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, conn := relayed(t, Options{Live: quiet(t)})
			d := serve(t, conn, func(own bool, method string) string {
				switch {
				case method == "registerSelectorEngine":
					return refused
				case method == "textContent":
					return `{"id":ID,"error":{"error":{"name":"Error","message":"Cannot read properties of undefined (reading 'queryAll')"}}}`
				case own:
					return nothingThere
				}
				return done
			})
			awaitWorld(t, client)
			must(t, client.Send(clickOf(1, 5000)))
			receive(t, client)
			for range 100 {
				if d.calls("own evalOnSelectorAll") > 0 {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Errorf("the driver got %q", d.got)
		})
	}
}

// Where a driver refused the engine that a worker registers, pages are read by the script.
func TestAPageWithoutTheEngineIsReadByTheScript(t *testing.T) {
	t.Parallel()
	client, clientSide := ends()
	conn, driverSide := ends()
	r := newRelay(clientSide, driverSide, Options{Live: quiet(t), Reader: "engine"})
	go func() { _ = r.run() }()
	t.Cleanup(func() { _ = client.Close() })
	asked := make(chan bool, 10)
	d := serve(t, conn, func(_ bool, method string) string {
		if method == "evalOnSelectorAll" {
			asked <- true
		}
		if method == readMethod {
			return `{"id":ID,"error":{"error":{"name":"Error","message":"Unknown engine \"engine\" while parsing selector engine=[1]"}}}`
		}
		return `{"id":ID,"result":{"value":{"s":"the page"}}}`
	})
	awaitWorld(t, client)
	f := frame{r, "frame@1"}
	if text, err := f.startReading("data-testid")(); text != "the page" || err != nil {
		t.Errorf("frame: read %q, %v; the driver got %q", text, err, d.got)
	}
	if text, frames, err := (locator{f, "#a"}).StartReading("data-testid")(); text != "the page" || frames != nil || err != nil {
		t.Errorf("element: read %q, %v, %v; the driver got %q", text, frames, err, d.got)
	}
	if d.calls("own registerSelectorEngine") > 0 {
		t.Error("the relay registered what the worker does")
	}
	for len(asked) > 0 {
		<-asked
	}
	_ = locator{f, "*css=form >> #a"}.StartReading("data-testid") // the call does not wait for its answer
	<-asked
}

// Drivers until 1.52 have one object that engines are registered with.
func TestTheEngineIsRegisteredWithAnOlderDriverOnce(t *testing.T) {
	client, conn := relayed(t, Options{Live: quiet(t)})
	const selectors = `{"guid":"","method":"__create__","params":{"type":"Selectors","initializer":{},"guid":"selectors@1"}}`
	go func() { _ = conn.Send([]byte(selectors)) }()
	if got := string(receive(t, client)); got != selectors {
		t.Fatalf("got %s", got)
	}
	d := serve(t, conn, func(bool, string) string { return done })
	awaitWorld(t, client)
	for id := range 2 {
		must(t, client.Send(clickOf(id+1, 5000)))
		receive(t, client)
	}
	if d.calls("own register") != 1 || d.calls("own registerSelectorEngine") > 0 {
		t.Errorf("the driver got %q", d.got)
	}
}
