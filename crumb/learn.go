package crumb

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Bounds of what one test learns.
const (
	maxLessons     = 2000
	maxLooks       = 3 // at one locator that never is exactly one element
	maxOccurrences = 16
)

// key identifies a locator within its test: what it looks for, and which of the
// places in the test that look for the same it is.
type key struct {
	locator    string
	occurrence int
}

// stored returns the name a locator is stored under.
func (k key) stored() string { return engine.StoredLocator(k.locator, k.occurrence) }

// lesson is what was learned of one locator.
type lesson struct {
	fingerprint engine.Fingerprint
	state       []byte // of the page, nil when not known
}

// lessons is what one test learned.
type lessons struct {
	mu    sync.Mutex
	sites map[string][]engine.Site // by locator, in the order of their first use
	looks map[key]int              // -1: learned
	known map[key]lesson
	again map[key]bool // healed in this run: the place may be one for many pages
	page  pageMemory
	slots chan struct{} // bounds the work in the background
	busy  int           // pieces of work that are not done
	idle  *sync.Cond
}

// pageMemory is the page read last: most locators of a test see the same one.
type pageMemory struct {
	sum   [sha256.Size]byte
	state []byte
	old   *heal.Page
}

func newLessons() *lessons {
	l := &lessons{
		sites: map[string][]engine.Site{}, looks: map[key]int{}, known: map[key]lesson{}, again: map[key]bool{},
		slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// start does work in the background.
func (l *lessons) start(work func()) {
	l.mu.Lock()
	l.busy++
	l.mu.Unlock()
	go func() {
		l.slots <- struct{}{}
		work()
		<-l.slots
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.busy--; l.busy == 0 {
			l.idle.Broadcast()
		}
	}()
}

// wants reports whether a locator is still to be learned.
func (l *lessons) wants(k key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.looks[k]
	return n >= 0 && n < maxLooks && (n > 0 || len(l.looks) < maxLessons)
}

// took notes that a locator was looked at, with success or without.
func (l *lessons) took(k key, success bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if success {
		l.looks[k] = -1
	} else {
		l.looks[k]++
	}
}

// occurrence returns which of the places that look for the same this is: places
// are numbered as the test comes to them, and coming to one again changes
// nothing.
func (l *lessons) occurrence(locator string, at engine.Site) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, s := range l.sites[locator] {
		if s == at {
			return i
		}
	}
	n := len(l.sites[locator])
	if n < maxOccurrences && len(l.sites) < 2*maxLessons {
		l.sites[locator] = append(l.sites[locator], at)
	}
	return n
}

func (l *lessons) get(k key) (lesson, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	got, ok := l.known[k]
	return got, ok
}

// heals notes that a locator was healed, which healed tells.
func (l *lessons) heals(k key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again[k] = true
}

func (l *lessons) healed(k key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.again[k]
}

// wait waits until everything that was seen is learned.
func (l *lessons) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy > 0 {
		l.idle.Wait()
	}
}

// keyOf returns the key of what s looks for.
func (t *test) keyOf(s *subject) key {
	name := s.selector()
	at := engine.Site{}
	if site := s.site.in(t.root); site != nil {
		at = *site
	}
	return key{name, t.lessons.occurrence(name, at)}
}

// selector returns what s looks for in Playwright's own notation. playwright-go
// keeps it in a field that nothing returns; its text stands for it should that
// field ever go.
func (s *subject) selector() string {
	if s.name != "" {
		return s.name
	}
	return selectorOf(s.raw)
}

func selectorOf(raw playwright.Locator) string {
	v := reflect.Indirect(reflect.ValueOf(raw))
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("selector"); f.Kind() == reflect.String {
			return f.String()
		}
	}
	return fmt.Sprint(raw)
}

// learn keeps what was seen of a locator whose action succeeded. The reading is
// done in the background.
func (t *test) learn(s *subject, k key, seen *glance) {
	if t.options.Frozen || !t.lessons.wants(k) {
		return
	}
	if seen == nil {
		seen = t.look(s, k)
	}
	t.lessons.took(k, seen != nil)
	if seen == nil {
		return
	}
	site := s.site.in(t.root)
	study := func() {
		if err := t.study(k, site, seen); err != nil {
			t.trouble(fmt.Errorf("learn %.80q in %.80q: %w", k.locator, t.options.TestID, err))
		}
	}
	select {
	case <-seen.done:
		t.lessons.start(study)
	default:
		go func() { // nobody waits for a page that does not answer
			if seen.within(lateTime) && seen.texts != nil {
				t.lessons.start(study)
			}
		}()
	}
}

// study makes a lesson of what was seen.
func (t *test) study(k key, site *engine.Site, seen *glance) error {
	views := make([]view, len(seen.texts))
	for i, text := range seen.texts {
		var err error
		if views[i], err = readView(text); err != nil {
			return err
		}
	}
	if views[0].target < 0 {
		return nil // in a closed shadow root, or outside the body
	}
	learned := t.lessons.lesson(join(views), views[0].target, sumOf(seen.texts))
	learned.fingerprint.Page = seen.page
	t.keep(k, site, learned)
	return nil
}

// keep puts a lesson where heals of this test and of later runs find it.
func (t *test) keep(k key, site *engine.Site, learned lesson) {
	f := &learned.fingerprint
	f.TestID, f.Locator, f.Site = t.options.TestID, k.stored(), site
	t.lessons.mu.Lock()
	t.lessons.known[k] = learned
	t.lessons.mu.Unlock()
	t.keeper.learn(learned)
}

// lesson makes a lesson of a page's element. The fingerprint is one that the
// state of the page knows again.
func (l *lessons) lesson(elements []heal.Element, target int, sum [sha256.Size]byte) lesson {
	page := heal.NewPage(elements)
	f := page.Fingerprint(target)
	memory, err := l.remember(page, sum)
	if err != nil {
		return lesson{f, nil} // a page too large to keep: the element alone
	}
	if i, ok := memory.old.Find(f); !ok || i != target {
		if target >= memory.old.Len() {
			return lesson{f, nil}
		}
		f = memory.old.Fingerprint(target)
	}
	return lesson{f, memory.state}
}

// remember returns the state of a page, made once for pages that are the same.
func (l *lessons) remember(page *heal.Page, sum [sha256.Size]byte) (pageMemory, error) {
	l.mu.Lock()
	last := l.page
	l.mu.Unlock()
	if last.old != nil && last.sum == sum {
		return last, nil
	}
	state, err := page.State()
	if err != nil {
		return pageMemory{}, err
	}
	old, err := heal.ReadState(state)
	if err != nil {
		return pageMemory{}, err
	}
	made := pageMemory{sum, state, old}
	l.mu.Lock()
	l.page = made
	l.mu.Unlock()
	return made, nil
}

// sumOf identifies a page by what scripts told of it, whichever element they
// were asked about.
func sumOf(texts []string) [sha256.Size]byte {
	hash := sha256.New()
	for _, text := range texts {
		_, page, _ := strings.Cut(text, "\n")
		hash.Write([]byte(page))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}

// trouble notes what went wrong beside the test.
func (t *test) trouble(err error) {
	t.options.Log.Warn("crumb", "err", err)
	process.trouble(strings.TrimSpace(err.Error()))
}
