package proxy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// subject returns what a target of a call looks for. A target that comes first is also
// asked for right before the call, so that the call knows whether it is there.
func (c *call) subject(t target, site live.Site, noted bool) *live.Subject {
	l := locator{frame{c.r, c.place.frame}, t.selector}
	s := &live.Subject{Page: page{c.r, c.place.page}, Locator: l, Site: site, Base: l.frame, Document: l.document}
	if !c.strict {
		s.Name = t.selector
		l.selector += " >> nth=0"
		s.Locator = l
	}
	if noted {
		s.Locator = notedLocator{l, c}
	}
	s.Made = c.byWorker
	if c.timeout == 0 && (c.within || !c.byWorker) && c.method != "expect" && len(c.targets) == 1 {
		s.Settle = c.settle
	}
	return s
}

// Times of calls that wait briefly, and of assertions.
const (
	shortTimeout = 2000            // ms of a call that reading the page could take much of
	suggestTime  = 3 * time.Second // that the failure of an assertion is held back
	minAssertion = 1000            // ms that an assertion waits whose loss is no guess
)

// check makes an assertion, which never heals: what it found is learned, and what it lost is
// suggested. The page is asked what is found right behind the assertion, and where it has
// told that before the assertion held, once more, before the client has the answer: a test
// often ends with an assertion, and its page with the test. A worker has the page asked when
// the assertion has held (hooks/direct.cjs).
func (c *call) check(t *live.Test, s *live.Subject) (message, error) {
	learn := t.Learn(s)
	c.send()
	a := c.await()
	switch {
	case a.text == nil:
	case !c.failed(a.message):
		if a.read || a.again != nil {
			learn = t.Learn(s)
		}
		if !a.passed {
			_ = c.r.toClient(a.text) // a client that is gone is noticed where it is read
			c.got.passed = true
		}
		learn()
	case !a.passed:
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if fault := recover(); fault != nil {
					c.r.noteFault(fmt.Errorf("suggest: %v", fault))
				}
			}()
			t.Suggest(s, c.method, errors.New(c.logOf(a.message)))
		}()
		select {
		case <-done:
		case <-time.After(suggestTime):
		}
	}
	return a.message, nil
}

// failed reports whether the answer to an assertion is that it does not hold: an error, or
// in older drivers a result.
func (c *call) failed(m message) bool {
	if m.has(m.fault) {
		return true
	}
	matches, ok := m.field(m.result, "matches")
	return ok && string(matches.of(m.text)) == fmt.Sprint(c.isNot)
}

// logOf returns the log of a failed assertion.
func (c *call) logOf(m message) string {
	if err := errorOf(m); err != nil {
		return err.Error()
	}
	log, _ := m.field(m.result, "log")
	return logText(log.of(m.text))
}

// openTest is a test that uses a page.
type openTest struct {
	id string
	*live.Test
}

// testOf returns the test that makes a call, and where its locator is written.
func (r *relay) testOf(c *call) (*live.Test, live.Site, error) {
	id, at := r.whoCalls(c)
	var site live.Site
	if at != nil {
		site = live.SiteAt(*at)
	}
	opened, err := r.openTest(id, c.place)
	return opened, site, err
}

// whoCalls returns the id of the test that makes a call, and where its locator is written,
// nil where that is not known. It notes when the test runs out of time.
func (r *relay) whoCalls(c *call) (id string, site *engine.Site) {
	var who Test
	if r.options.TestOf != nil {
		who = r.options.TestOf(Call{Method: c.method, API: c.api, StepID: c.stepID, Site: c.site, Context: c.place.context, Page: c.place.page})
	}
	c.deadline = who.Deadline
	if who.Site == nil {
		who.Site = c.site
	}
	if who.ID == "" && c.site != nil {
		who.ID = nameOfFile(c.site.File)
	}
	if who.ID == "" {
		who.ID = "unknown test"
	}
	return who.ID, who.Site
}

// nameOfFile returns the path of a file below the working directory, as slash path.
func nameOfFile(file string) string {
	if folder, err := os.Getwd(); err == nil {
		if below, err := filepath.Rel(folder, file); err == nil && filepath.IsLocal(below) {
			file = below
		}
	}
	return strings.TrimPrefix(filepath.ToSlash(file), "./")
}

// openTest returns the test of an id for a page. The test that used the page before has
// ended.
func (r *relay) openTest(id string, at place) (*live.Test, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, used := r.tests[at.page]
	if used && before.id == id {
		return before.Test, nil
	}
	opened, err := r.openNamed(id, at.testIDs)
	if err != nil {
		return nil, err
	}
	opened.Enter(at.page)
	r.tests[at.page] = openTest{id, opened}
	if used {
		r.work.Go(func() { r.closeTest(before.Test, at.page) })
	}
	return opened, nil
}

// openNamed opens a test. Its options are those of the first one with the same attribute for
// test ids: to read them takes longer than all else that a call waits for.
func (r *relay) openNamed(id, testIDs string) (*live.Test, error) {
	if first := r.opened[testIDs]; first != nil {
		return first.Named(engine.NewTestID(id)), nil
	}
	o := r.options.Live
	o.TestID = id
	if o.TestIDAttribute == "" {
		o.TestIDAttribute = testIDs
	}
	opened, err := live.Open(o, errTimeout)
	if err == nil {
		r.opened[testIDs] = opened
	}
	return opened, err
}

// document returns the frame that a selector looks in; known is false when that cannot be
// told. A frame that is known to be gone is nil.
func (l locator) document() (f live.Frame, known bool) {
	end := strings.LastIndex(l.selector, enterFrame)
	if end < 0 {
		return l.frame, true
	}
	owner := locator{l.frame, l.selector[:end]}
	if n, err := owner.Count(); err != nil || n != 1 {
		return nil, err == nil
	}
	m, err := l.r.ask(l.guid, "querySelector", map[string]any{"selector": owner.selector}, 0)()
	element := handle{l.r, m.guidIn(m.result, "element")}
	if err != nil || element.guid == "" {
		return nil, err == nil
	}
	defer func() { _ = element.Dispose() }()
	m, err = l.r.ask(element.guid, "contentFrame", map[string]any{}, 0)()
	content := m.guidIn(m.result, "frame")
	if err != nil || content == "" {
		return nil, err == nil
	}
	return frame{l.r, content}, true
}
