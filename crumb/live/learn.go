package live

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Bounds of what one test learns.
const (
	maxLearned = 2000
	maxTries   = 3 // at one locator that never is exactly one element
)

// learning is what one test learned, and the work of learning in the background.
type learning struct {
	mu    sync.Mutex
	sites engine.CallSites
	tries map[key]int // -1: learned
	known map[key]heal.Learned

	losses map[key][]*loss // the last of each is what became of it last
	lost   int             // how many losses there are
	healed sync.Map        // keys healed in this run: the place may be one for many pages

	page  preparedPage  // the one seen last: most locators of a test see the same
	slots chan struct{} // bounds the work in the background
	busy  int           // pieces of work that are not done
	idle  *sync.Cond
}

// preparedPage is a page to learn from.
type preparedPage struct {
	*heal.LearnedPage
	sum [sha256.Size]byte // of the texts that tell of it
	own int               // how many elements are in the document that an element was asked for in
}

// observation is what scripts told of a page before an action: of the document that
// the element is in, then of the other frames. The answers may still be on their way.
type observation struct {
	done  chan struct{} // closed when texts is there
	texts []string      // nil when the locator did not find exactly one element
	page  string        // as engine.PageAddress has it
	hurry func()        // has the page read at once that is read while the call is made; nil for another
}

// observeNow is observeAhead that waits a moment in any case.
func (t *Test) observeNow(s *Subject, k key) *observation {
	return t.observe(s, k, observeTime)
}

// observe asks what s finds, and waits for the answer so long.
func (t *Test) observe(s *Subject, k key, limit time.Duration) *observation {
	if t.options.Frozen || !t.learning.wantsLocator(k) {
		return nil
	}
	g := &observation{done: make(chan struct{})}
	before := pageAddress(s.Page)
	answer := t.startReading(s)
	go t.protect(func() {
		defer close(g.done)
		own, others, err := answer()
		if err != nil || own == "" || len(own) > maxViewBytes {
			return
		}
		// The page may be told to be another before this answer is taken.
		if page, known := readAt(own, before, s.Page); known {
			g.texts, g.page = append([]string{own}, others()...), page
		}
	})
	if g.answersWithin(limit) && g.texts == nil {
		return nil
	}
	return g
}

// startReading asks what s finds, and what the other frames of its page show. What it returns
// waits for the first, and others for the rest.
func (t *Test) startReading(s *Subject) (answer func() (own string, others func() []string, err error)) {
	if self, ok := s.Locator.(SelfReading); ok {
		answer := self.StartReading(t.options.TestIDAttribute)
		return func() (string, func() []string, error) {
			own, frames, err := answer()
			if frames == nil {
				return own, func() []string { return t.otherFrames(s) }, err
			}
			return own, func() []string { return otherDocuments(own, awaitFrames(frames)) }, err
		}
	}
	others := make(chan []string, 1)
	go t.protect(func() {
		texts := []string{unanswered}
		defer func() { others <- texts }()
		texts = t.otherFrames(s)
	})
	return func() (string, func() []string, error) {
		value, err := s.Locator.EvaluateAll(ObserveScript, t.options.TestIDAttribute)
		own, _ := value.(string)
		return own, func() []string { return <-others }, err
	}
}

// protect does work for which no test may end: a fault in it is told and nothing more.
func (t *Test) protect(work func()) {
	defer func() {
		if fault := recover(); fault != nil {
			t.warn(fmt.Errorf("learn in %.80q: fault of Breadcrumb's own: %v", t.options.TestID, fault))
		}
	}()
	work()
}

// answersWithin waits for the answer, at most so long, and reports whether it is there.
func (g *observation) answersWithin(limit time.Duration) bool {
	if limit == 0 {
		select {
		case <-g.done:
			return true
		default:
			return false
		}
	}
	select {
	case <-g.done:
		return true
	case <-time.After(limit):
		return false
	}
}

// otherFrames returns what the frames around the subject's own hold.
func (t *Test) otherFrames(s *Subject) []string {
	frames := s.Page.Frames()
	if len(frames) < 2 {
		return nil
	}
	own, _ := s.Document()
	var answers []Answer
	for _, f := range frames {
		if f == own {
			continue
		}
		answers = append(answers, func() (string, error) {
			value, err := f.Evaluate(PageScript, t.options.TestIDAttribute)
			text, _ := value.(string)
			return text, err
		})
	}
	return awaitFrames(answers)
}

// awaitFrames returns what frames show, each within otherFramesTime.
func awaitFrames(answers []Answer) []string {
	texts := make([]string, len(answers))
	var all sync.WaitGroup
	for i, answer := range answers {
		all.Go(func() {
			value, err := callWithin(otherFramesTime, func() (any, error) { return answer() })
			text, _ := value.(string)
			if err != nil || text == "" || len(text) > maxViewBytes {
				text = unanswered
			}
			texts[i] = text
		})
	}
	all.Wait()
	slices.Sort(texts) // they come in any order, and one page is one state
	return texts
}

// otherDocuments returns the texts that are not of the same document as own.
func otherDocuments(own string, texts []string) []string {
	a, err := readAbout(own)
	if err != nil || a.Document == "" {
		return texts
	}
	return slices.DeleteFunc(texts, func(text string) bool {
		b, err := readAbout(text)
		return err == nil && b.Document == a.Document
	})
}

// startWork does work in the background.
func (l *learning) startWork(work func()) {
	l.mu.Lock()
	l.busy++
	l.mu.Unlock()
	go func() {
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.busy--; l.busy == 0 {
				l.idle.Broadcast()
			}
		}()
		l.slots <- struct{}{}
		defer func() { <-l.slots }()
		work()
	}()
}

// wantsLocator reports whether a locator is still to be learned.
func (l *learning) wantsLocator(k key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.tries[k]
	return n >= 0 && n < maxTries && (n > 0 || len(l.tries) < maxLearned)
}

// noteTry notes that a locator was looked at, with success or without.
func (l *learning) noteTry(k key, success bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if success {
		l.tries[k] = -1
	} else {
		l.tries[k]++
	}
}

func (l *learning) getLearned(k key) (heal.Learned, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	got, ok := l.known[k]
	return got, ok
}

// waitUntilIdle waits until everything that was seen is learned.
func (l *learning) waitUntilIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy > 0 {
		l.idle.Wait()
	}
}

// Learn asks what a subject finds now, for calls that never heal, such as assertions, and
// returns what learns the answer. A page that can be asked ahead was asked when Learn
// returns.
func (t *Test) Learn(s *Subject) (learn func()) {
	if t.options.Disabled || s.Locator.Err() != nil {
		return func() {}
	}
	k := t.keyOf(s)
	var seen *observation
	if _, ahead := s.Locator.(SelfReading); ahead {
		seen = t.observe(s, k, 0)
	}
	return func() { t.learnElement(s, k, seen) }
}

// learnElement keeps what was seen of a locator whose action succeeded. The reading is
// done in the background.
func (t *Test) learnElement(s *Subject, k key, seen *observation) {
	if t.options.Frozen || !t.learning.wantsLocator(k) {
		return
	}
	if seen != nil && seen.hurry != nil && !seen.answersWithin(0) { // no event came, and no frame: time may stand still
		go seen.hurry()
	}
	if _, ahead := s.Locator.(SelfReading); seen != nil && (ahead || seen.hurry != nil) {
		seen.answersWithin(observeTime)
	}
	if seen == nil || seen.answersWithin(0) && seen.texts == nil {
		seen = t.observeNow(s, k)
	}
	t.learning.noteTry(k, seen != nil)
	if seen == nil {
		return
	}
	site := s.Site.relativeTo(t.root)
	learnLater := func() {
		t.protect(func() {
			if err := t.learnFrom(k, site, seen); err != nil {
				t.warn(fmt.Errorf("learn %.80q in %.80q: %w", k.locator, t.options.TestID, err))
			}
		})
	}
	learnIfSeen := func(limit time.Duration) bool {
		answered := seen.answersWithin(limit)
		if answered && seen.texts != nil {
			t.learning.startWork(learnLater)
		}
		return answered
	}
	if !learnIfSeen(0) {
		go learnIfSeen(answerTime) // nobody waits for a page that does not answer
	}
}

// learnFrom learns the element that an observation is about.
func (t *Test) learnFrom(k key, site *engine.Site, seen *observation) error {
	a, err := readAbout(seen.texts[0])
	if err != nil || a.Target < 0 {
		return err // below 0 it is in a closed shadow root, or outside the body
	}
	page, err := t.learning.preparePage(seen.texts)
	if err != nil || a.Target >= page.own {
		return err
	}
	learned := page.Learn(a.Target)
	learned.SetPage(seen.page)
	t.keepLearned(k, site, learned)
	return nil
}

// keepLearned keeps a learned element for heals of this test and of later runs.
func (t *Test) keepLearned(k key, site *engine.Site, learned heal.Learned) {
	f := &learned.Fingerprint
	f.TestID, f.Locator, f.Site = engine.NewTestID(t.options.TestID), k.storedName(), site
	t.learning.mu.Lock()
	t.learning.known[k] = learned
	t.learning.mu.Unlock()
	t.recorder.Learn(learned)
}

// preparePage returns a page to learn from, read and prepared once for all locators that
// see the same.
func (l *learning) preparePage(texts []string) (preparedPage, error) {
	sum := hashTexts(texts)
	l.mu.Lock()
	last := l.page
	l.mu.Unlock()
	if last.LearnedPage != nil && last.sum == sum {
		return last, nil
	}
	views := make([]view, len(texts))
	for i, text := range texts {
		var err error
		if views[i], err = readView(text); err != nil {
			return preparedPage{}, err
		}
	}
	page := preparedPage{heal.LearnPage(heal.NewPage(joinViews(views))), sum, len(views[0].elements)}
	l.mu.Lock()
	l.page = page
	l.mu.Unlock()
	return page, nil
}

// hashTexts returns the same sum for the same page, whichever of its elements the
// scripts were asked about.
func hashTexts(texts []string) [sha256.Size]byte {
	hash := sha256.New()
	for _, text := range texts {
		_, page, _ := strings.Cut(text, "\n")
		hash.Write([]byte(page))
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
