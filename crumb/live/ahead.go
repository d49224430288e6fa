package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/ahead"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/match"
	selectors "github.com/breadcrumb/action/engine/locator"
)

// Bounds of what is looked for ahead on the page of a loss.
const (
	askTime         = time.Second // from the loss: that its call waits for the page's answers at most
	aheadTime       = time.Second // after them: that a page which closes waits for the rest
	maxAheadTries   = 5           // looks at a page, of which each but the last was cut short
	maxAheadPages   = 100         // of the tests of a process that share files
	maxAheadFrames  = 4           // of a page that is asked
	maxAheadAsked   = 500         // locators that a page is asked for
	maxAheadLooks   = 200         // elements that are looked for on a page
	aheadQuestions  = 4           // that wait for an answer at once
	unknownElements = 2           // as many as tell nothing: what is found is no one element of the page as it was
)

// whichScript returns which elements of the page as it was a locator finds, -1 for one that
// is new.
const whichScript = "(found, [page]) => JSON.stringify(found.slice(0, 2).map((element) => page.nodes.indexOf(element)))"

// aheadLook is a look at the page of a loss for whatever else was learned there and is
// lost. The page is asked what locators find until the lost call goes on. All else is worked
// out in the background, from the page as it was.
type aheadLook struct {
	*healing
	main     document        // that locators begin in
	elements []heal.Element  // of it
	within   context.Context // while the page is asked
	stop     func()          // ends that
	bound    context.Context // of all of it, aheadTime after that
	release  context.CancelFunc
	done     chan struct{} // closed when the rest is there
	learned  []engine.Fingerprint
	problem  error                // of reading it
	settled  map[string]bool      // locators of which earlier looks at the page know enough
	known    map[use]heal.Learned // what finds nothing

	mu      sync.Mutex
	over    bool // what the page answers from now on is of no use: the lost call goes on
	answers map[string][]int
	cut     bool // something was left out for a bound
}

var _ ahead.Page = (*aheadLook)(nil)

// use is a locator of a test, by its stored name.
type use struct {
	test    engine.TestID
	locator string
}

// startAhead begins a look at the page of a loss. It is nil where there is none: each page
// is looked at once, and again where a busy machine cut the look short.
func (h *healing) startAhead() *aheadLook {
	frames := h.Page.Frames()
	if len(frames) == 0 || len(frames) > maxAheadFrames || h.test.options.DB == "" || !h.now.own {
		return nil
	}
	at := slices.IndexFunc(h.now.documents, func(d document) bool { return d.frame == frames[0] })
	if at < 0 || h.address == "" {
		return nil
	}
	settled, free := process.claimPage(h.test.options.files(), engine.PageName(h.address))
	if !free {
		return nil
	}
	l := &aheadLook{healing: h, main: h.now.documents[at], done: make(chan struct{}), answers: map[string][]int{}, known: map[use]heal.Learned{}, settled: settled}
	l.bound, l.release = context.WithCancel(context.Background())
	l.within, l.stop = context.WithTimeout(l.bound, askTime)
	go h.test.protect(func() {
		defer close(l.done)
		defer l.stop()
		l.read(frames)
	})
	return l
}

// aheadPage is what the looks at a page came to.
type aheadPage struct {
	tries   int
	over    bool            // a look is under way, or the last one was not cut short
	settled map[string]bool // locators that need no other look: they find something, or are told
}

// claimPage reports whether a page is to be looked at, and notes that it is. It returns the
// locators that earlier looks settled.
func (s *shared) claimPage(files record.Files, page string) (settled map[string]bool, free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ahead[files] == nil {
		s.ahead[files] = map[string]*aheadPage{}
	}
	p := s.ahead[files][page]
	if p == nil && len(s.ahead[files]) < maxAheadPages {
		p = &aheadPage{settled: map[string]bool{}}
		s.ahead[files][page] = p
	}
	if p == nil || p.over || p.tries == maxAheadTries {
		return nil, false
	}
	p.tries, p.over = p.tries+1, true
	return maps.Clone(p.settled), true
}

// reopenPage lets a page be looked at again, and notes what was settled.
func (s *shared) reopenPage(files record.Files, page string, settled map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.ahead[files][page]; p != nil {
		p.over = false
		maps.Copy(p.settled, settled)
	}
}

// read reads what was learned of the page, asks the page what the locators find, and reads
// what is to be known of those that find nothing.
func (l *aheadLook) read(frames []Frame) {
	known, err := l.test.recorder.OnPage(l.bound, l.address, func(there []engine.Fingerprint) []engine.Fingerprint {
		l.learned = slices.DeleteFunc(there, l.isLost)
		l.ask(frames)
		l.stop()
		return slices.DeleteFunc(slices.Clone(l.learned), func(f engine.Fingerprint) bool {
			selector, _ := engine.SplitStored(f.Locator)
			found, answered := l.answers[selector]
			return !answered || len(found) > 0
		})
	})
	for _, k := range known {
		l.known[use{k.Fingerprint.TestID, k.Fingerprint.Locator}] = k
	}
	l.problem = err
}

// isLost reports whether an element is the lost one, of whose other uses the loss tells, or
// one of which an earlier look knows enough. What was learned there with other data is gone
// with the run that made the data.
func (l *aheadLook) isLost(f engine.Fingerprint) bool {
	selector, _ := engine.SplitStored(f.Locator)
	return f.Tag == "" || l.settled[selector] || selector == l.key.locator && heal.SameElement(f, l.lost.Fingerprint) ||
		l.lost.otherData && l.test.wasOtherData(f, l.Subject, l.key)
}

// ask asks the page what the locators find that were learned of it.
func (l *aheadLook) ask(frames []Frame) {
	asked := map[string]bool{}
	questions := make(chan string)
	var all sync.WaitGroup
	for range aheadQuestions {
		all.Go(func() {
			for selector := range questions {
				l.askFor(selector, frames)
			}
		})
	}
	for _, f := range l.learned {
		selector, _ := engine.SplitStored(f.Locator)
		if asked[selector] {
			continue
		}
		if l.within.Err() != nil || len(asked) == maxAheadAsked {
			l.leaveOut()
			break
		}
		asked[selector] = true
		questions <- selector
	}
	close(questions)
	all.Wait()
}

// askFor asks the page what a locator finds. Where it has other frames, what is found in
// one of them is not lost: a locator does not say which frame it begins in.
func (l *aheadLook) askFor(selector string, frames []Frame) {
	s, err := selectors.Parse(selector)
	if err != nil || len(s.Frames()) > 0 {
		return
	}
	value, err := callWithin(askTime, func() (any, error) { return frames[0].Find(selector).EvaluateAll(whichScript, []any{l.main.handle}) })
	text, _ := value.(string)
	var found []int
	if err != nil || json.Unmarshal([]byte(text), &found) != nil {
		return
	}
	for i := range found {
		if found[i] += l.main.start; found[i] < l.main.start {
			found = make([]int, unknownElements)
			break
		}
	}
	for _, f := range frames[1:] {
		count, err := callWithin(askTime, func() (any, error) { return f.Find(selector).Count() })
		if n, ok := count.(int); err != nil || !ok {
			return
		} else if n > 0 {
			found = make([]int, unknownElements)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		l.cut = true
		return
	}
	l.answers[selector] = found
}

// leaveOut notes that something was left out for a bound.
func (l *aheadLook) leaveOut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
}

// endQuestions waits for the answers that are still to come, within askTime of the loss: the
// page is as it was until then.
func (l *aheadLook) endQuestions() {
	if l == nil {
		return
	}
	<-l.within.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// end works out in the background what is lost beside the locator, if that is.
func (l *aheadLook) end() {
	if l == nil {
		return
	}
	l.endQuestions()
	if l.found {
		l.release()
		process.reopenPage(l.test.options.files(), engine.PageName(l.address), nil) // it only was slow
		return
	}
	time.AfterFunc(aheadTime, l.release)
	done := make(chan struct{})
	l.test.mu.Lock()
	l.test.looks = append(l.test.looks, done)
	l.test.mu.Unlock()
	go l.test.protect(func() {
		defer close(done)
		<-l.done
		l.search()
	})
}

// search looks for what is lost, and tells of it.
func (l *aheadLook) search() {
	l.readDocument()
	s := ahead.New(ahead.Suite{Learned: l.learned, MaxLooks: maxAheadLooks, IsOver: func() bool { return l.bound.Err() != nil },
		Recall: func(f engine.Fingerprint) (heal.Learned, heal.Options, bool, error) {
			known, ok := l.known[use{f.TestID, f.Locator}]
			return known, heal.Options{}, ok, nil
		}})
	err := errors.Join(l.problem, s.Look(l))
	for _, e := range s.Events() {
		e.Timestamp = float64(l.test.options.Now().UnixMicro()) / 1e6
		l.test.tellAhead(e)
		l.settled[e.Locator] = true
	}
	cut := fmt.Errorf("not every element of %.80q was looked for ahead of its tests: there are too many for the time", l.address)
	switch {
	case err != nil:
		l.test.warn(fmt.Errorf("not every element of %.80q was looked for ahead of its tests: %w", l.address, err))
	case l.cut || s.IsCut():
		for selector, found := range l.answers {
			l.settled[selector] = l.settled[selector] || len(found) > 0
		}
		process.reopenPage(l.test.options.files(), engine.PageName(l.address), l.settled)
		l.test.warn(cut)
	default:
		process.forgetTrouble(cut.Error())
	}
}

// readDocument notes the elements of the document that locators begin in.
func (l *aheadLook) readDocument() {
	for i := l.main.start; i < l.now.page.Len(); i++ {
		if d, _ := l.now.documentOf(i); d.frame != l.main.frame {
			return
		}
		e := l.now.page.Element(i)
		e.Parent = max(-1, e.Parent-l.main.start)
		l.elements = append(l.elements, e)
	}
}

// Address implements [ahead.Page].
func (l *aheadLook) Address() string { return l.address }

// Find implements [ahead.Page].
func (l *aheadLook) Find(selector string) (found []int, known bool) {
	found, known = l.answers[selector]
	return found, known
}

// Fingerprint implements [ahead.Page].
func (l *aheadLook) Fingerprint(i int) engine.Fingerprint { return l.now.page.Fingerprint(i) }

// LookAhead implements [ahead.Page].
func (l *aheadLook) LookAhead(known heal.Learned, _ heal.Options) (engine.HealEvent, int) {
	selector, occurrence := engine.SplitStored(known.Fingerprint.Locator)
	beside := &Test{options: l.test.options, scorer: l.test.scorer, learning: newLearning()} // which lost nothing yet
	h := healing{Subject: l.Subject, test: beside, key: key{selector, occurrence}, lost: lostElement{Original: known.Unpack(), known: true}, now: l.now}
	h.describeLost()
	h.event.Site, h.event.Original = known.Fingerprint.Site, known.Fingerprint
	h.event.Original.Locator = selector
	d := h.decide()
	d.Describe(&h.event, l.now.page)
	h.event.Outcome, h.event.Reason = d.Outcome, d.Reason
	if d.Outcome == engine.OutcomeRefused {
		return h.event, -1
	}
	i := d.Best.Index - l.main.start
	if i < 0 || i >= len(l.elements) {
		h.refuse(engine.ReasonNoCandidates)
		return h.event, -1
	}
	here := match.Document{Elements: l.elements, TestID: l.test.options.TestIDAttribute}
	proposed := match.Proposed{Index: i, Above: l.now.page.Above(d.Best.Index, l.main.start)}
	match.Count(&h.event, proposed, here.TestID, func(s selectors.Selector) ([]int, error) { return here.Find(s.Parts[len(s.Frames()):]) })
	ahead.Propose(&h.event)
	return h.event, d.Best.Index
}

// tellAhead tells of an element that was found ahead: in the file of events and for Summary
// at once, and to OnHeal when what was learned is saved. No test has lost it yet, so the
// database, which keeps what tests lost, does not have it.
func (t *Test) tellAhead(e engine.HealEvent) {
	process.addEvent(e)
	if t.options.Events != "" {
		if _, err := record.AppendEvent(t.options.Events, e); err != nil {
			t.warn(fmt.Errorf("write heal event: %w", err))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ahead = append(t.ahead, e)
}
