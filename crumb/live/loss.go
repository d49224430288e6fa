package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// loss is a locator of a test that found nothing, and what became of it. Later calls
// that meet the same are counted.
type loss struct {
	event   engine.HealEvent
	calls   int
	shown   int    // the event's index in what Summary tells, -1 for none
	line    []byte // of the event in the file of events
	written int    // calls that the line counts
	saved   int    // calls that the recorder knows of
	lost    lostElement
	remembered
}

// Times that a call gives an element that was healed before to come, before the
// call is made as the test wrote it.
const (
	healedTime  = time.Second
	healedPause = 50 * time.Millisecond
)

// findHealed returns a locator of the element that an earlier call healed the same
// locator to: one of this test, or one of another on the same page. It is nil, and the
// call is to be made as the test wrote it, when there was no heal, when the lost
// locator finds something again, and when the decision would not be the same: the same
// locator finds an element that says the same, alone, and the engine takes it for what
// this test lost.
func (t *Test) findHealed(s *Subject, k key, action string) (*healing, Locator) {
	var known remembered
	var lost lostElement
	last, ok := t.learning.lastLoss(k)
	if ok {
		known, lost, ok = last.remembered, last.lost, last.event.Outcome == engine.OutcomeHealed
	} else if known, ok = process.heals.find(t.memoryOf(k), func() string { return pageAddress(s.Page) }); ok {
		lost = t.recall(s, k)
		ok = lost.known
	}
	if !ok || !t.Heals() {
		return nil, nil
	}
	h := &healing{Subject: s, test: t, key: k, action: action, recall: func() lostElement { return lost }, before: &known}
	for end := time.After(healedTime); ; {
		if h.locatorMatches() {
			return nil, nil
		}
		if findsOne(s.Page, known.selector) {
			break
		}
		select {
		case <-end:
			return nil, nil
		case <-time.After(healedPause):
		}
	}
	at, _ := h.findElement()
	if at == nil || at.Selector() != known.selector || heal.SignatureOf(h.event.Healed) != known.signature {
		go h.now.dispose()
		return nil, nil
	}
	return h, at
}

// findsOne reports whether a selector finds one element in all frames of the page.
func findsOne(p Page, selector string) bool {
	n := 0
	for _, f := range p.Frames() {
		count, err := callWithin(addressTime, func() (any, error) { return f.Find(selector).Count() })
		found, ok := count.(int)
		if err != nil || !ok {
			return false
		}
		n += found
	}
	return n == 1
}

// countAgain counts a call that met a loss which was refused or suggested on this page
// before, and reports whether it did: the answer would be the same.
func (t *Test) countAgain(s *Subject, k key) bool {
	known, ok := t.learning.lastLoss(k)
	if !ok || known.page != pageAddress(s.Page) {
		return false
	}
	switch known.event.Outcome {
	case engine.OutcomeSuggested:
	case engine.OutcomeRefused:
		if known.event.Reason == reasonReplayFailed || known.event.Reason == engine.ReasonNoCandidates {
			return false
		}
	default:
		return false
	}
	t.learning.mu.Lock()
	defer t.learning.mu.Unlock()
	list := t.learning.losses[k]
	list[len(list)-1].count()
	return true
}

// lastLoss returns what became of a locator when it was lost last.
func (l *learning) lastLoss(k key) (loss, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.losses[k]
	if len(list) == 0 {
		return loss{}, false
	}
	return *list[len(list)-1], true
}

// reportEvent tells of a loss: in the file of events and to OnHeal at once, in the
// database when the test's last page is closed, and for Summary. One that was told before
// is counted. at is a locator of the healed element, nil when nothing was done.
func (h *healing) reportEvent(at Locator) {
	h.event.Timestamp = float64(h.test.options.Now().UnixMicro()) / 1e6
	now := &loss{event: h.event, calls: 1, shown: -1, lost: h.lost,
		remembered: remembered{page: h.address, signature: heal.SignatureOf(h.event.Healed), pictures: h.event.Pictures}}
	if at != nil {
		now.selector = at.Selector()
	}
	if h.event.Outcome == engine.OutcomeHealed {
		process.heals.add(h.test.memoryOf(h.key), now.remembered)
	}
	if h.keepLoss(now) {
		h.test.callOnHeal(h.event)
	}
}

// keepLoss counts a loss that was told before, and tells a new one in the file of events
// and for Summary. It reports whether it is new.
func (h *healing) keepLoss(now *loss) bool {
	l := h.test.learning
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.losses[h.key]
	for i, known := range list {
		if sameLoss(known, now) {
			known.count()
			known.lost = now.lost
			l.losses[h.key] = append(append(list[:i:i], list[i+1:]...), known) // the last one is what holds
			return false
		}
	}
	if l.lost >= maxLearned {
		return false
	}
	l.lost++
	l.losses[h.key] = append(list, now)
	told := now.event
	told.Source = h.test.options.Events // its picture is beside it
	now.shown = process.addEvent(told)
	if h.test.options.Events == "" {
		return true
	}
	var err error
	if now.line, err = record.AppendEvent(h.test.options.Events, now.event); err != nil {
		h.test.warn(fmt.Errorf("write heal event: %w", err))
	}
	now.written = 1
	return true
}

// count notes one more call that met the loss.
func (x *loss) count() {
	x.calls++
	x.event.Count = x.calls
	process.recountEvent(x.shown, x.calls)
}

// AppendEvent adds an event to a file of heal events, which other processes may add to as
// well.
func AppendEvent(path string, e engine.HealEvent) error {
	_, err := record.AppendEvent(path, e)
	return err
}

// AppendRerun adds what became of a test that ran again to a file of heal events.
func AppendRerun(path string, r engine.Rerun) error {
	r.Schema = engine.RerunSchema
	_, err := record.AppendEvent(path, r)
	return err
}

// AppendRunStart adds where a run begins to a file of heal events that holds those of
// earlier runs; a file without events has none to tell them from.
func AppendRunStart(path string, s engine.RunStart) error {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	s.Schema = engine.RunStartSchema
	_, err := record.AppendEvent(path, s)
	return err
}

// memoryOf returns what the process remembers a locator under.
func (t *Test) memoryOf(k key) memoryKey {
	return memoryKey{t.options.files(), k.locator}
}

// sameLoss reports whether the same became of a locator.
func sameLoss(a, b *loss) bool {
	return a.event.Outcome == b.event.Outcome && a.event.Reason == b.event.Reason &&
		a.event.HealedLocator == b.event.HealedLocator && a.selector == b.selector && a.signature == b.signature
}

// saveLosses writes how many calls met each loss, to the file of events and, when the
// test is at its end, to the database.
func (t *Test) saveLosses(atEnd bool) {
	t.learning.mu.Lock()
	defer t.learning.mu.Unlock()
	var problems []error
	for _, list := range t.learning.losses {
		for _, x := range list {
			if x.line != nil && x.written != x.calls {
				line, err := record.RewriteEvent(t.options.Events, x.line, x.event)
				problems = append(problems, err)
				x.line, x.written = line, x.calls
			}
			if atEnd && x.saved != x.calls {
				t.recorder.Heal(x.event)
				x.saved = x.calls
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		t.warn(fmt.Errorf("write heal event: %w", err))
	}
}

// addEvent keeps an event for Summary and returns its index, -1 for one too many.
func (s *shared) addEvent(e engine.HealEvent) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) >= maxEvents {
		s.more++
		return -1
	}
	s.events = append(s.events, e)
	return len(s.events) - 1
}

// recountEvent sets how many calls met the loss of an event.
func (s *shared) recountEvent(index, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index >= 0 {
		s.events[index].Count = count
	}
}
