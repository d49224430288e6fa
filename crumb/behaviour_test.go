package crumb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// playwright-go ignores default timeouts for most actions; a wrapped page keeps
// them.
func TestDefaultTimeoutsAreKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": shop})
	folder := t.TempDir()
	for _, c := range []struct {
		name string
		set  func(*crumb.Page)
	}{
		{"of the page", func(p *crumb.Page) { p.SetDefaultTimeout(200) }},
		{"of the context", func(p *crumb.Page) { p.Context().SetDefaultTimeout(200) }},
		{"of the page before the context's", func(p *crumb.Page) { p.SetDefaultTimeout(200); p.Context().SetDefaultTimeout(60_000) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := wrapped(t, crumb.Options{DB: filepath.Join(folder, "crumbs.db")}, s.URL)
			c.set(p)
			for name, act := range map[string]func() error{
				"click":      func() error { return p.Locator("#nothing").Click() },
				"page click": func() error { return p.Click("#nothing") },
				"read":       func() error { _, err := p.Locator("#nothing").InputValue(); return err },
				"wait":       func() error { return p.Locator("#nothing").WaitFor() },
			} {
				if err := act(); err == nil || !strings.Contains(err.Error(), "200ms") {
					t.Errorf("%s: %v, want a timeout of 200 ms", name, err)
				}
			}
		})
	}
}

func TestOptionsSwitchOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": shop})
	folder := t.TempDir()
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
	frozen := options
	frozen.Frozen = true
	p := wrapped(t, frozen, s.URL)
	must(t, p.Locator("#discard").Click())
	must(t, p.Close())
	if _, err := os.Stat(options.DB); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a frozen page learned: %v", err)
	}
	p = wrapped(t, options, s.URL)
	must(t, p.Locator("#discard").Click())
	must(t, p.Close())

	s.set("/", strings.Replace(shop, `id="discard"`, `id="reset"`, 1))
	options.Timeout = 500
	disabled := options
	disabled.Disabled = true
	p = wrapped(t, disabled, s.URL)
	if err := p.Locator("#discard").Click(); !errors.Is(err, playwright.ErrTimeout) {
		t.Errorf("a disabled page: %v", err)
	}
	must(t, p.Close())
	if got := events(t, options.Events); len(got) > 0 {
		t.Errorf("a disabled page has events: %+v", got)
	}
	strict := options
	strict.Threshold = 1
	p = wrapped(t, strict, s.URL)
	if err := p.Locator("#discard").Click(); !errors.Is(err, playwright.ErrTimeout) {
		t.Errorf("below the threshold: %v", err)
	}
	if got := events(t, options.Events); len(got) != 1 || got[0].Reason != engine.ReasonBelowThreshold {
		t.Errorf("below the threshold: %+v", got)
	}
}

// counter is a page whose button tells, in the title, how often it was clicked.
const counter = `<!doctype html><body><h1>Stock</h1><p>Count what is there.</p><button id="add" onclick="document.title = 1 + Number(document.title)">Add one</button><button id="done">Done</button></body>`

// Five uses of a lost locator wait for one time-out together, whatever becomes of it
// they are one event, and an element that says something else by then is not acted on.
func TestOneLossIsOneEvent(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	for _, c := range []struct {
		name, now, then string // the page with the locator lost, and what it becomes after the second call
		clicks          string
		want            []engine.HealOutcome
		counts          []int
	}{
		{"healed", strings.Replace(counter, `"add"`, `"plus"`, 1), "", "5", []engine.HealOutcome{engine.OutcomeHealed}, []int{5}},
		{"suggested", strings.NewReplacer(`"add"`, `"take"`, `Add one`, `Remove one`).Replace(counter), "", "", []engine.HealOutcome{engine.OutcomeSuggested}, []int{5}},
		{"healed and then replaced", strings.Replace(counter, `"add"`, `"plus"`, 1), "document.getElementById('plus').textContent = 'Remove one'", "2",
			[]engine.HealOutcome{engine.OutcomeHealed, engine.OutcomeSuggested}, []int{2, 3}},
		{"healed and then there again", strings.Replace(counter, `"add"`, `"plus"`, 1), "document.getElementById('plus').id = 'add'", "5",
			[]engine.HealOutcome{engine.OutcomeHealed}, []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			patiently(t, func(patient patience) string {
				s := newSite(t, map[string]string{"/": counter})
				folder := t.TempDir()
				options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
				p := wrapped(t, options, s.URL)
				add := func() error { return p.Locator("#add").Click() }
				must(t, add())
				must(t, p.Close())
				s.set("/", c.now)
				options.Timeout = patient.timeout()
				p = wrapped(t, options, s.URL)
				for n := range 5 {
					if n == 2 && c.then != "" {
						_, err := p.Evaluate("() => { " + c.then + " }")
						must(t, err)
					}
					if err := add(); err == nil && c.name == "healed" {
						p.SetDefaultTimeout(learningTime) // no call after the heal waits for it
					}
				}
				title, err := p.Title()
				must(t, errors.Join(err, p.Close()))
				var outcomes []engine.HealOutcome
				var counts []int
				got := events(t, options.Events)
				for _, e := range got {
					outcomes, counts = append(outcomes, e.Outcome), append(counts, e.Count)
				}
				if title != c.clicks || !slices.Equal(outcomes, c.want) || !slices.Equal(counts, c.counts) {
					return fmt.Sprintf("clicked %q times, want %q; counts %v, want %v of %v\n%s", title, c.clicks, counts, c.counts, c.want, formatEvents(got))
				}
				return ""
			})
		})
	}
}

// What one test healed the next test of the process heals at once, on the same page and
// by what it learned itself; on another page it waits for what it looks for.
func TestAHealIsRememberedForTheNextTest(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	renamed := strings.Replace(counter, `"add"`, `"plus"`, 1)
	late := `<!doctype html><body><h1>Stock</h1><p>Count what is there.</p><button id="plus" onclick="document.title = 'wrong'">Add one</button><script>
setTimeout(() => { document.body.insertAdjacentHTML("beforeend", '<button id="add" onclick="document.title = 1">Add one more</button>') }, 600)</script></body>`
	for _, c := range []struct {
		name, page string // of the second test
		now        string // that page when the second test loses its locator
		atOnce     bool
		want       string // the title then
	}{
		{"the same page", "/", renamed, true, "1"},
		{"one of the same name", "/?utm_source=mail", renamed, true, "1"},
		{"another page", "/other", late, false, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			patiently(t, func(patient patience) string {
				path, _, _ := strings.Cut(c.page, "?")
				s := newSite(t, map[string]string{"/": counter, path: counter})
				folder := t.TempDir()
				visit := func(test, page string, timeout float64) (string, error) {
					options := crumb.Options{TestID: t.Name() + test, DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: timeout}
					p := wrapped(t, options, s.URL+page)
					err := p.Locator("#add").Click()
					title, problem := p.Title()
					return title, errors.Join(err, problem, p.Close())
				}
				for test, page := range map[string]string{"one": "/", "two": c.page} {
					_, err := visit(test, page, learningTime)
					must(t, err)
				}
				s.set("/", renamed)
				if _, err := visit("one", "/", patient.timeout()); err != nil {
					return err.Error()
				}
				s.set(path, c.now)
				title, err := visit("two", c.page, learningTime) // that nobody waits for
				got := events(t, filepath.Join(folder, "heals.ndjson"))
				if title != c.want || err != nil || (len(got) == 2) != c.atOnce {
					return fmt.Sprintf("title %q, %v\n%s", title, err, formatEvents(got))
				}
				return ""
			})
		})
	}
}

// Who accepts a suggestion is not asked again: the accepted element is healed to, by the
// old locator, too.
func TestAnAcceptedSuggestionIsHealed(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	patiently(t, func(patient patience) string {
		s := newSite(t, map[string]string{"/": counter})
		folder := t.TempDir()
		options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
		visit := func() error {
			p := wrapped(t, options, s.URL)
			return errors.Join(p.Locator("#add").Click(), p.Close())
		}
		must(t, visit())
		s.set("/", strings.NewReplacer(`"add"`, `"take"`, `Add one`, `Count one`).Replace(counter))
		options.Timeout = patient.timeout()
		err := visit()
		got := events(t, options.Events)
		if err == nil || len(got) != 1 || got[0].Outcome != engine.OutcomeSuggested {
			return fmt.Sprintf("want one suggestion: %v\n%s", err, formatEvents(got))
		}
		lesson, ok := heal.LessonOf(got[0])
		if !ok {
			t.Fatalf("the suggestion teaches nothing: %+v", got[0].Changed)
		}
		was, now := lesson.Texts()
		db, err := sqlite.Open(t.Context(), options.DB, sqlite.Options{})
		must(t, err)
		must(t, db.AddLesson(t.Context(), store.Lesson{Was: was, Now: now, Who: "ada", At: time.Unix(1.7e9, 0)}))
		must(t, errors.Join(db.Save(t.Context()), db.Close()))
		if err := visit(); err != nil {
			return err.Error()
		}
		return ""
	})
}

// A locator that a person accepted is healed when it is lost before any passing run.
func TestAnAcceptedLocatorIsKnownBeforeItsFirstPassingRun(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	patiently(t, func(patient patience) string {
		s := newSite(t, map[string]string{"/": counter})
		folder := t.TempDir()
		options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
		visit := func(locator string) error {
			p := wrapped(t, options, s.URL)
			return errors.Join(p.Locator(locator).Click(), p.Close())
		}
		must(t, visit("#add"))
		s.set("/", strings.NewReplacer(`"add"`, `"take"`, `Add one`, `Count one`).Replace(counter))
		options.Timeout = patient.timeout()
		err := visit("#add")
		got := events(t, options.Events)
		if err == nil || len(got) != 1 || got[0].HealedLocator == "" {
			return fmt.Sprintf("want one suggestion: %v\n%s", err, formatEvents(got))
		}
		accepted, ok := heal.AcceptedElement(got[0], "#take")
		if !ok {
			t.Fatalf("the event names no element: %+v", got[0])
		}
		db, err := sqlite.Open(t.Context(), options.DB, sqlite.Options{})
		must(t, err)
		must(t, db.AddAccepted(t.Context(), store.Accepted{Fingerprint: accepted, Who: "ada", At: time.Unix(1.7e9, 0)}))
		must(t, errors.Join(db.Save(t.Context()), db.Close()))
		s.set("/", strings.NewReplacer(`"add"`, `"grab"`, `Add one`, `Count one`).Replace(counter))
		if err := visit("#take"); err != nil {
			return fmt.Sprintf("%v\n%s", err, formatEvents(events(t, options.Events)))
		}
		return ""
	})
}

// In mode suggest what would be healed is named and not acted on; in mode off nothing
// is looked for. Both learn.
func TestHealModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"suggest", "off"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"/": shop})
			folder := t.TempDir()
			options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime, Heal: mode}
			p := wrapped(t, options, s.URL)
			must(t, p.Locator("#discard").Click())
			must(t, p.Close())
			if _, _, ok := stored(t, options.DB, t.Name(), "#discard"); !ok {
				t.Error("nothing was learned")
			}
			s.set("/", strings.Replace(shop, `id="discard"`, `id="reset" onclick="document.title = 'clicked'"`, 1))
			options.Timeout = 500
			p = wrapped(t, options, s.URL)
			err := p.Locator("#discard").Click()
			if title, _ := p.Title(); title == "clicked" || !errors.Is(err, playwright.ErrTimeout) {
				t.Errorf("title %q, error %v", title, err)
			}
			must(t, p.Close())
			got := events(t, options.Events)
			if mode == "off" {
				if len(got) > 0 {
					t.Errorf("something was looked for: %s", formatEvents(got))
				}
				return
			}
			if len(got) != 1 || got[0].Outcome != engine.OutcomeSuggested || got[0].Reason != engine.ReasonSuggestOnly || got[0].HealedLocator != "#reset" {
				t.Errorf("want one suggestion: %s", formatEvents(got))
			}
		})
	}
}

// With UpdateOnHeal the healed element is what the next redesign is compared
// with; without it, what the test last passed on by itself.
func TestUpdateOnHeal(t *testing.T) {
	t.Parallel()
	for _, update := range []bool{false, true} {
		t.Run(fmt.Sprint(update), func(t *testing.T) {
			t.Parallel()
			patiently(t, func(patient patience) string {
				shop := strings.Replace(shop, `id="discard"`, `id="discard" onmousedown="history.pushState(0, '', '/later')"`, 1)
				s := newSite(t, map[string]string{"/": shop})
				options := crumb.Options{TestID: t.Name(), DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime, UpdateOnHeal: update}
				p := wrapped(t, options, s.URL)
				must(t, p.Locator("#discard").Click())
				must(t, p.Close())
				s.set("/", strings.Replace(shop, `id="discard"`, `id="reset"`, 1))
				options.Timeout = patient.timeout()
				p = wrapped(t, options, s.URL)
				if err := errors.Join(p.Locator("#discard").Click(), p.Close()); err != nil {
					return err.Error()
				}
				f, _, ok := stored(t, options.DB, t.Name(), "#discard")
				id, _ := f.Attributes.Get("id")
				if want := map[bool]string{false: "discard", true: "reset"}[update]; !ok || id != want || f.PageAddress != "/" {
					t.Errorf("stored id %q on page %q, want %q on /", id, f.PageAddress, want)
				}
				return ""
			})
		})
	}
}

func stored(t *testing.T, path, test, locator string) (engine.Fingerprint, []byte, bool) {
	t.Helper()
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	must(t, err)
	f, state, ok, err := db.LoadFingerprint(context.Background(), engine.TestID(test), locator)
	must(t, err)
	must(t, db.Close())
	return f, state, ok
}

const loginForm = `<!doctype html><body><h1>Sign in</h1><form action="/login?session=s3cr3t-in-action" onsubmit="return false">
<input type="hidden" name="csrf" value="s3cr3t-csrf"><div data-auth-token="s3cr3t-data"></div>
<label>Name <input id="user" name="user" oninput="this.setAttribute('value', this.value)"></label>
<label>Password <input id="pass" name="pass" type="password" oninput="this.setAttribute('value', this.value); this.dataset.copy = this.value"></label>
<label>About you <textarea id="about"></textarea></label><div id="free" contenteditable>write here</div>
<a href="https://ada:s3cr3t-userinfo@example.org/reset?key=s3cr3t-query">Forgot it?</a>
<p id="echo" style="--x: s3cr3t-style"></p><button id="go" onclick="'s3cr3t-handler'; echo.textContent = 'Your password is ' + pass.value">Sign in</button>
<!-- s3cr3t-comment --><script>const key = "s3cr3t-script"</script></form></body>`

// Nothing that was typed, no script, style, token or markup leaves the page.
func TestSecretsStayInThePage(t *testing.T) {
	t.Parallel()
	patiently(t, func(patient patience) string {
		s := newSite(t, map[string]string{"/": loginForm})
		folder := t.TempDir()
		options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"),
			Baseline: filepath.Join(folder, "baseline.json"), Timeout: learningTime, UpdateOnHeal: true}
		must(t, signIn(t, options, s.URL))
		s.set("/", strings.NewReplacer(`id="go"`, `id="enter"`, `id="user"`, `id="login"`).Replace(loginForm))
		options.Timeout = patient.timeout()
		if err := signIn(t, options, s.URL); err != nil {
			return err.Error()
		}
		if got := lostEvents(t, options.Events); len(got) != 2 {
			t.Fatalf("want two heals: %s", formatEvents(got))
		}
		searchForSecrets(t, bytesOf(t, folder)+learned(t, options.DB))
		return ""
	})
}

// signIn types secrets into the form and has the page show one.
func signIn(t *testing.T, options crumb.Options, url string) error {
	t.Helper()
	p := wrapped(t, options, url+"/?token=s3cr3t-url")
	return errors.Join(
		p.Locator("#user").Fill("s3cr3t-name"),
		p.Locator("#pass").Fill("s3cr3t-password"),
		p.Locator("#about").Fill("s3cr3t-about"),
		p.Locator("#free").Fill("s3cr3t-free"),
		p.Locator("#go").Click(),
		p.Locator("#echo").Click(),
		p.Locator("form").Hover(),
		p.Close(),
	)
}

func searchForSecrets(t *testing.T, kept string) {
	t.Helper()
	if !strings.Contains(strings.ToLower(kept), "forgot it") {
		t.Fatal("there is nothing to look through")
	}
	for _, secret := range []string{"s3cr3t", "<button", "<input"} {
		if at := strings.Index(kept, secret); at >= 0 {
			t.Errorf("%q was kept: …%.120q", secret, kept[max(0, at-60):])
		}
	}
}

// bytesOf returns what the files of a folder hold, the database as it lies on
// the disk.
func bytesOf(t *testing.T, folder string) (all string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	must(t, err)
	for _, file := range files {
		if filepath.Base(file) == engine.PictureFolder { // TestAHealKeepsAPictureWithoutSecrets looks at those
			continue
		}
		text, err := os.ReadFile(file)
		must(t, err)
		all += string(text)
	}
	return all
}

// learned returns the fingerprints and the states of pages, which are packed in
// the database.
func learned(t *testing.T, db string) (all string) {
	t.Helper()
	states := 0
	for _, locator := range []string{"#user", "#pass", "#about", "#free", "#go", "#echo", "form"} {
		f, state, ok := stored(t, db, t.Name(), locator)
		if !ok {
			t.Errorf("%s was not learned", locator)
			continue
		}
		text, err := json.Marshal(f)
		must(t, err)
		all += string(text)
		if state == nil {
			continue
		}
		states++
		page, err := heal.ReadState(state)
		must(t, err)
		for i := range page.Len() {
			text, err := json.Marshal(page.Element(i))
			must(t, err)
			all += string(text)
		}
	}
	if states == 0 {
		t.Fatal("no page was learned")
	}
	return all
}

func TestArgumentsAreUnwrapped(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": shop})
	p := wrapped(t, crumb.Options{DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime}, s.URL)
	cards, towel := p.Locator(".card"), p.GetByText("Tea towel")
	for name, l := range map[string]playwright.Locator{
		"And":            cards.And(p.Locator("li:nth-child(2)")),
		"Or":             p.Locator("#nothing").Or(cards.Nth(1)),
		"Filter Has":     cards.Filter(playwright.LocatorFilterOptions{Has: towel}),
		"Filter HasNot":  cards.Filter(playwright.LocatorFilterOptions{HasNot: p.Locator("#add-mug, #add-apron")}),
		"Locator Has":    p.Locator(".card", playwright.PageLocatorOptions{Has: towel}),
		"Locator inside": p.Locator("#products").Locator(p.Locator(".card")).Nth(1),
		"described":      cards.Nth(1).Describe("the towel"),
	} {
		if n, err := l.Count(); err != nil || n != 1 {
			t.Errorf("%s: %d elements, %v", name, n, err)
		}
		if err := p.Expect().Locator(l).ToContainText("Tea towel"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Screenshot(playwright.PageScreenshotOptions{Mask: []playwright.Locator{cards}}); err != nil {
		t.Errorf("Mask: %v", err)
	}
	if _, err := cards.First().Screenshot(playwright.LocatorScreenshotOptions{Mask: []playwright.Locator{towel}}); err != nil {
		t.Errorf("Mask of a locator: %v", err)
	}
	called := 0
	must(t, p.AddLocatorHandler(p.Locator("h1"), func(playwright.Locator) { called++ },
		playwright.PageAddLocatorHandlerOptions{Times: playwright.Int(1), NoWaitAfter: playwright.Bool(true)}))
	must(t, p.Locator("#discard").Click())
	must(t, p.RemoveLocatorHandler(p.Locator("h1")))
	if called != 1 {
		t.Errorf("the locator handler was called %d times", called)
	}
	all, err := cards.All()
	must(t, err)
	if len(all) != 3 || crumb.Unwrap(all[0]) == all[0] {
		t.Errorf("All returned %d locators, or raw ones", len(all))
	}
	if page, err := cards.Page(); err != nil || page != playwright.Page(p) {
		t.Errorf("the locator's page is another: %v", err)
	}
	if opener, err := p.Opener(); err != nil || opener != nil {
		t.Errorf("a page without opener has one: %v, %v", opener, err)
	}
	must(t, p.Expect().Page(p).ToHaveTitle("Corner Shop"))
	if again, err := crumb.Wrap(p, crumb.Options{}); err != nil || again != p {
		t.Errorf("wrapped twice: %v", err)
	}
}

// pages is how many are used at once below.
const pages = 8

// Eight pages at once, as parallel tests have them: each learns, heals and
// writes to the same files, and nothing is lost.
func TestParallelPagesLoseNothing(t *testing.T) {
	t.Parallel()
	patiently(t, func(patient patience) string {
		s := newSite(t, map[string]string{"/": shop})
		folder := t.TempDir()
		options := crumb.Options{DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
		must(t, actInParallel(t, options, s.URL))
		s.set("/", strings.NewReplacer(`id="discard"`, `id="reset"`, `for="city"`, `for="town"`, `id="city"`, `id="town"`, `id="add-mug"`, `id="mug"`).Replace(shop))
		options.Timeout = patient.timeout()
		if err := actInParallel(t, options, s.URL); err != nil {
			return err.Error()
		}
		wantAllKept(t, options)
		return ""
	})
}

// actInParallel visits a page in eight tests at once and acts on it.
func actInParallel(t *testing.T, options crumb.Options, url string) error {
	t.Helper()
	var all sync.WaitGroup
	problems := make([]error, pages)
	for i := range pages {
		o := options
		o.TestID = fmt.Sprintf("%s/%d", t.Name(), i)
		p := wrapped(t, o, url)
		all.Go(func() {
			problems[i] = errors.Join(p.Locator("#discard").Click(), p.Locator("#city").Fill(fmt.Sprint(i)), p.Locator("#add-mug").Click(), p.Close())
		})
	}
	all.Wait()
	return errors.Join(problems...)
}

func wantAllKept(t *testing.T, options crumb.Options) {
	t.Helper()
	if got := lostEvents(t, options.Events); len(got) != 3*pages {
		t.Errorf("%d events in the file, want %d", len(got), 3*pages)
	}
	db, err := sqlite.Open(context.Background(), options.DB, sqlite.Options{})
	must(t, err)
	defer db.Close()
	heals, notices, err := db.Heals(context.Background(), store.HealQuery{})
	must(t, err)
	if len(heals) != 3*pages || len(notices) > 0 {
		t.Errorf("%d heals in the database, want %d; %v", len(heals), 3*pages, notices)
	}
	for i := range pages {
		for _, locator := range []string{"#discard", "#city", "#add-mug"} {
			if _, _, ok, err := db.LoadFingerprint(context.Background(), engine.TestID(fmt.Sprintf("%s/%d", t.Name(), i)), locator); !ok || err != nil {
				t.Errorf("page %d: %s was not learned: %v", i, locator, err)
			}
		}
	}
}

// A context that is closed without its pages still saves what was learned.
func TestClosingTheContextSaves(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": shop})
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime}
	p := wrapped(t, options, s.URL)
	must(t, p.Locator("#discard").Click())
	crumb.AwaitLearned(p)
	must(t, p.Context().Close())
	if _, _, ok := stored(t, options.DB, t.Name(), "#discard"); !ok {
		t.Error("nothing was saved")
	}
}
