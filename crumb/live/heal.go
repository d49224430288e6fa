package live

import (
	"encoding/json"
	"net/url"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	selectors "github.com/breadcrumb/action/engine/locator"
)

// The reason of a refusal that the engine does not know.
const reasonReplayFailed = "replay-failed"

// healing is one attempt to find a lost element again.
type healing struct {
	*Subject
	test    *Test
	key     key
	action  string
	tell    bool // only a suggestion is made
	recall  func() lostElement
	before  *remembered // the heal that is done again, nil for none
	lost    lostElement
	now     *snapshot
	address string // of the page where it was lost: an action may lead elsewhere
	found   bool   // the locator finds something after all
	event   engine.HealEvent
}

// Suggest is called when a call that never heals, such as an assertion, failed with
// cause. It tells which element may be the one that the call lost, if it lost any.
func (t *Test) Suggest(s *Subject, action string, cause error) {
	if t.options.Disabled || !t.Heals() || s.Locator.Err() != nil || !neverFound(cause) {
		return
	}
	k := t.keyOf(s)
	if t.countAgain(s, k) {
		return
	}
	h := &healing{Subject: s, test: t, key: k, action: action, tell: true}
	h.recall = func() lostElement { return t.recall(s, k) }
	h.findElement()
	defer func() { go h.now.dispose() }()
	if !h.found && h.event.Outcome == engine.OutcomeSuggested {
		h.reportEvent(nil)
	}
}

// locatorMatches reports whether the locator finds something, or cannot be asked: then
// it is not lost.
func (h *healing) locatorMatches() bool {
	n, err := h.Locator.Count()
	return err != nil || n > 0
}

// findElement returns a locator of the lost element and its index among the page's,
// and fills in the event. The locator is nil when the element is not lost, and when
// nothing is to be done on what was found: it is a suggestion, or none was found.
func (h *healing) findElement() (Locator, int) {
	h.prepare()
	if h.found {
		return nil, -1
	}
	h.describeLost()
	if reason := h.whyUnsearched(); reason != "" {
		h.refuse(reason)
		return nil, -1
	}
	look := h.startAhead()
	defer look.end()
	decision := h.decide()
	if decision.Outcome == engine.OutcomeHealed && h.lost.otherData {
		decision.Outcome, decision.Reason = engine.OutcomeSuggested, engine.ReasonOtherData
	}
	if decision.Outcome == engine.OutcomeHealed && (h.tell || h.test.options.Heal == string(engine.HealSuggest)) {
		decision.Outcome, decision.Reason = engine.OutcomeSuggested, engine.ReasonSuggestOnly
	}
	decision.Describe(&h.event, h.now.page)
	h.event.Outcome, h.event.Reason = decision.Outcome, decision.Reason
	if decision.Outcome == engine.OutcomeRefused {
		return nil, -1
	}
	index := decision.Best.Index
	h.describeFrame(index)
	look.endQuestions() // what is asked next is to be known of the moment before the action
	if decision.Outcome == engine.OutcomeHealed {
		h.takePicture(index)
	}
	at := h.findAddress(index)
	switch {
	case h.found: // it came after all: the failure was a slow page
		return nil, -1
	case decision.Outcome == engine.OutcomeSuggested:
		h.takePicture(index)
		return nil, -1
	case at == nil:
		h.refuse(reasonReplayFailed)
		return nil, -1
	}
	return at, index
}

// whyUnsearched returns the reason not to look for the element at all, "" for none.
func (h *healing) whyUnsearched() string {
	if !h.lost.known {
		return engine.ReasonNoFingerprint
	}
	h.event.Original = h.lost.Fingerprint
	h.event.Original.Locator = h.key.locator
	if _, healed := h.test.learning.healed.Load(h.key); !healed && !h.lost.Fingerprint.OnPage(h.address) {
		h.event.PageURL = h.address
		return engine.ReasonOtherPage
	}
	return ""
}

// prepare does at once what needs no other's answer: it asks whether the locator
// finds something, has the browser describe the page, and recalls what was lost.
func (h *healing) prepare() {
	h.address = pageAddress(h.Page)
	var all sync.WaitGroup
	all.Go(func() { h.found = h.locatorMatches() })
	all.Go(func() { h.now = h.test.snapshot(h.Subject) })
	h.lost = h.recall()
	all.Wait()
}

// decide asks the engine. An element in another frame than the lost one's is taken
// only if it is known what all frames held when the page was learned: it may have
// been there before.
func (h *healing) decide() heal.Decision {
	options := h.test.scorer
	if s, err := selectors.Parse(h.key.locator); err == nil {
		options.Asked = s.AskedTexts()
	}
	_, options.AnyPage = h.test.learning.healed.Load(h.key)
	d := h.lost.Heal(h.now.page, options)
	if d.Outcome != engine.OutcomeRefused && h.now.inOtherFrame(d.Best.Index) && !everyFrameAnswered(h.lost.Page) {
		d.Outcome, d.Reason = engine.OutcomeRefused, engine.ReasonAmbiguous
	}
	return d
}

// everyFrameAnswered reports whether the learned page is known with all its frames.
func everyFrameAnswered(page *heal.Page) bool {
	if page == nil {
		return false
	}
	for i := range page.Len() {
		if page.Element(i).Tag == unansweredTag {
			return false
		}
	}
	return true
}

// describeLost fills in what is known before the element is looked for.
func (h *healing) describeLost() {
	e := &h.event
	*e = engine.HealEvent{TestID: engine.NewTestID(h.test.options.TestID), Locator: h.key.locator, Action: h.action,
		Site: h.Site.relativeTo(h.test.root), Occurrence: h.key.occurrence}
	if s, err := selectors.Parse(h.key.locator); err == nil && len(s.Parts) == 1 && s.Parts[0].Kind == selectors.KindCSS {
		e.API = "locator"
	}
	if u, err := url.Parse(h.Page.URL()); err == nil {
		e.PageURL = u.Path
	}
}

func (h *healing) refuse(reason string) {
	h.event.Outcome, h.event.Reason = engine.OutcomeRefused, reason
}

// describeFrame notes the frame of an element that is in another one than was looked
// in.
func (h *healing) describeFrame(index int) {
	if name := h.now.foreignFrame(index); name != "" {
		if text, err := json.Marshal(name); err == nil {
			h.event.Extra = map[string]json.RawMessage{"frame": text}
		}
	}
}

// learnHealed notes that an element was healed, and learns it in the lost one's place
// where the options say so.
func (h *healing) learnHealed(index int) {
	h.test.learning.healed.Store(h.key, true)
	if h.test.options.UpdateOnHeal && !h.test.options.Frozen {
		learned := heal.LearnPage(h.now.page).Learn(index)
		learned.SetPage(h.address)
		h.test.keepLearned(h.key, h.Site.relativeTo(h.test.root), learned)
		h.test.learning.noteTry(h.key, true)
	}
}

// foreignFrame returns the name or path of the frame an element is in when that
// is not the one it was looked for in, else "".
func (n *snapshot) foreignFrame(index int) string {
	if !n.inOtherFrame(index) {
		return ""
	}
	d, _ := n.documentOf(index)
	if d.frame.Name() != "" {
		return d.frame.Name()
	}
	if u, err := url.Parse(d.frame.URL()); err == nil && u.Path != "" {
		return u.Path
	}
	return "another"
}

// dispose lets the pages forget what the snapshot held.
func (n *snapshot) dispose() {
	if n == nil {
		return
	}
	for _, d := range n.documents {
		_, _ = callWithin(time.Second, func() (any, error) { return nil, d.handle.Dispose() }) // gone with its page anyway
	}
}
