package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/trace"
)

// Bounds of the traces of one run.
const (
	maxTraces     = 20_000
	maxTraceBytes = 512 << 20 // of one zip
	maxLearned    = 50_000
	maxOfTest     = 10_000 // learned elements that are looked through for one with other data
)

// testLocator is a locator of a test.
type testLocator struct {
	test    engine.TestID
	locator string
}

// traces reads the traces of a run: what its passing tests used is learned, what
// its failing ones lost is looked for. Nothing of it decides a verdict, so what
// goes wrong is a warning.
type traces struct {
	*run
	db      elements
	learn   bool                            // from passing tests
	top     string                          // of the checkout, absolute
	known   map[testLocator]bool            // what was learned
	pages   map[string][]engine.Fingerprint // by the state of the page
	learned int
	events  []engine.HealEvent // of failed tests
	replays replays
	ahead   lookingAhead
	album   album
}

// readTraces reads every trace that the settings name or that a report has as an
// attachment, and adds the heal events of the failed tests. With learn the passing ones
// teach. A run that is told to end reads no more traces.
func (r *run) readTraces(ctx context.Context, learn bool) error {
	learn = learn && !r.cfg.NoLearn
	if !r.mayHaveTraces() || !learn && r.cfg.NoHeal {
		return nil
	}
	t := traces{run: r, db: r.known, learn: learn,
		known: map[testLocator]bool{}, pages: map[string][]engine.Fingerprint{}}
	t.ahead = lookingAhead{db: t.db, corrections: t.corrections, now: t.now, ending: r.ending}
	var err error
	if t.top, err = filepath.Abs(r.cfg.Repo); err != nil {
		return InputError{fmt.Errorf("checkout %s: %w", r.cfg.Repo, err)}
	}
	t.replays = replays{ending: r.ending, warn: t.warnFile}
	if r.cfg.Replay {
		t.replays.open = r.deps.Browser
	}
	files, err := t.findFiles()
	if err != nil {
		return InputError{err}
	}
	for _, f := range files {
		if r.ending.Err() != nil {
			break
		}
		t.read(ctx, f)
	}
	if err := t.replays.close(); err != nil {
		t.warnFile("", err.Error())
	}
	if t.learn {
		if err := t.save(ctx); err != nil {
			return err
		}
	}
	r.learnedNow = t.learned
	t.events = append(t.events, t.ahead.end()...)
	t.keepPictures()
	if t.ahead.cut {
		t.warnFile("", "not every element of the changed pages was looked for ahead of its tests: there are too many")
	}
	seen := collected{heals: t.events}
	seen.redact(r.cfg.Secrets)
	rebase(seen, r.root, r.source)
	r.heals = withTraceEvents(r.heals, t.events)
	return nil
}

// mayHaveTraces reports whether it is worth to look for traces.
func (r *run) mayHaveTraces() bool {
	return len(r.cfg.Traces) > 0 || slices.ContainsFunc(r.collected.results, func(r engine.TestResult) bool { return slices.ContainsFunc(r.Attachments, junit.IsTrace) })
}

// read reads one trace. An attachment that is not there was not kept, which needs
// no warning.
func (t *traces) read(ctx context.Context, file traceFile) {
	f, err := file.open()
	if errors.Is(err, fs.ErrNotExist) && file.test != nil {
		return
	}
	if err != nil {
		t.warnFile(file.name, err.Error())
		return
	}
	defer f.Close()
	if f.size > maxTraceBytes {
		t.warnFile(file.name, fmt.Sprintf("is larger than %d MiB and was not read", maxTraceBytes>>20))
		return
	}
	read, err := trace.Read(file.name, f, f.size, trace.Limits{})
	if err != nil {
		t.warnFile(file.name, err.Error())
		return
	}
	for _, note := range read.Notes {
		t.warnFile(file.name, note)
	}
	t.learnOrHeal(ctx, file, read)
}

// learnOrHeal learns from a passing test's trace and heals from a failed one's.
func (t *traces) learnOrHeal(ctx context.Context, file traceFile, read *trace.Trace) {
	id, test := t.testOf(file, read)
	for _, c := range read.Calls {
		c.Site = t.site(c.Site)
	}
	passed := test == nil || test.Final().Status == engine.StatusPassed
	switch {
	case read.Failed && (test == nil || !passed) && !t.cfg.NoHeal:
		t.heal(ctx, file.name, id, read)
	case !read.Failed && passed && t.learn:
		t.learnFrom(ctx, id, read)
	}
}

// testOf returns the name under which what a trace teaches is kept, and the result
// of its test, nil when that is not known.
func (t *traces) testOf(file traceFile, read *trace.Trace) (engine.TestID, *engine.TestResult) {
	if file.test != nil {
		return file.test.ID, file.test
	}
	id := engine.NewTestID(read.TestID())
	if id == "" {
		return engine.NewTestID(path.Base(path.Dir(file.name))), nil
	}
	if r, ok := t.index.Find(id); ok {
		return r.ID, &r
	}
	return id, nil
}

// site returns a place with its file relative to the checkout, nil for one
// outside.
func (t *traces) site(s *engine.Site) *engine.Site {
	if s == nil {
		return nil
	}
	file := location.Relative(s.File, t.top)
	if file == "" {
		return nil
	}
	return &engine.Site{File: file, Line: s.Line, Column: s.Column}
}

func (t *traces) learnFrom(ctx context.Context, id engine.TestID, read *trace.Trace) {
	for _, c := range read.Calls {
		key := testLocator{id, engine.StoredLocator(c.Selector, c.Occurrence)}
		if t.known[key] || t.learned >= maxLearned || c.Failed {
			continue
		}
		lesson, ok := c.Target()
		if !ok {
			continue
		}
		t.known[key] = true
		t.learned++
		lesson.Fingerprint.TestID = id
		before, state, known, err := t.db.LoadFingerprint(ctx, id, lesson.Fingerprint.Locator)
		if known && err == nil {
			lesson.KeepVarying(before)
			lesson.KeepLayout(heal.Learned{Fingerprint: before, State: state})
		}
		t.takePicture(c, lesson, state)
		t.pages[string(lesson.State)] = append(t.pages[string(lesson.State)], lesson.Fingerprint)
	}
}

// save keeps what was learned, page by page.
func (t *traces) save(ctx context.Context) error {
	for _, state := range slices.Sorted(maps.Keys(t.pages)) {
		var page []byte
		if state != "" {
			page = heal.JoinPictures([]byte(state), t.album.pictures[state])
		}
		err := t.db.SaveFingerprints(ctx, t.pages[state], page, t.now)
		switch {
		case errors.Is(err, store.ErrLeftOut):
			t.warnFile("", err.Error())
		case err != nil:
			return fmt.Errorf("learn from traces: %w", err)
		}
	}
	return nil
}

// heal looks for what the calls of a failed test lost.
func (t *traces) heal(ctx context.Context, name string, id engine.TestID, read *trace.Trace) {
	for _, c := range read.Calls {
		if !c.Lost() {
			continue
		}
		known, err := t.recall(ctx, id, c)
		otherData := false
		if err == nil && known == nil {
			known, err = t.recallOtherData(ctx, id, c)
			otherData = known != nil
		}
		if err != nil {
			t.warnFile(name, err.Error())
		}
		options, err := t.corrections(ctx, id, engine.StoredLocator(c.Selector, c.Occurrence))
		if err != nil {
			t.warnFile(name, err.Error())
		}
		suggestion := t.replays.heal(name, c, known, options)
		e := suggestion.Event
		if otherData && e.Outcome == engine.OutcomeHealed {
			e.Outcome, e.Reason = engine.OutcomeSuggested, engine.ReasonOtherData
		}
		e.TestID, e.Trace, e.Source = id, name, name
		e.Timestamp = float64(t.now.UnixMicro()) / 1e6
		if known != nil && !t.cfg.NoPictures {
			t.album.noteLost(e, known.Picture())
		}
		if t.addEvent(e) && !t.cfg.NoPictures {
			t.album.noteFound(e, suggestion.Picture)
		}
		if err := t.ahead.look(ctx, name, c); err != nil {
			t.warnFile(name, err.Error())
		}
	}
}

// corrections returns what people said of a lost element, by the name its locator is
// stored under: which elements are others, which took its place, and which words are
// synonyms in the suite.
func (t *traces) corrections(ctx context.Context, id engine.TestID, stored string) (heal.Options, error) {
	var options heal.Options
	vetoes, err := t.db.Vetoes(ctx, id)
	if err != nil {
		return options, err
	}
	for _, v := range vetoes {
		if v.Locator == stored {
			options.Vetoed = append(options.Vetoed, v.Signature)
		}
	}
	lessons, err := t.db.Lessons(ctx)
	if err != nil {
		return options, err
	}
	options.Synonyms, err = store.Synonyms(ctx, t.db, lessons)
	for _, l := range lessons {
		if lesson, ok := heal.ReadLesson(l.Was, l.Now); ok {
			options.Lessons = append(options.Lessons, lesson)
		}
	}
	return options, err
}

// outcomesByWorth are the outcomes of an event, the one that tells a person most
// last.
var outcomesByWorth = []engine.HealOutcome{engine.OutcomeRefused, engine.OutcomeSuggested, engine.OutcomeHealed}

// addEvent keeps an event, and reports whether it did. Of the retries of a test, one that
// healed counts, or else one that has a suggestion.
func (t *traces) addEvent(e engine.HealEvent) bool {
	for i, have := range t.events {
		if have.TestID == e.TestID && have.Locator == e.Locator && have.Occurrence == e.Occurrence {
			better := slices.Index(outcomesByWorth, e.Outcome) > slices.Index(outcomesByWorth, have.Outcome)
			if better {
				t.events[i] = e
			}
			return better
		}
	}
	t.events = append(t.events, e)
	return true
}

// recall returns what is known of a call's locator. Of some occurrences nothing
// was learned: Playwright marks no element for isVisible and count.
func (t *traces) recall(ctx context.Context, id engine.TestID, c *trace.Call) (*heal.Learned, error) {
	var failed error
	learned, ok := heal.ChooseLearned(func(yield func(int, heal.Learned) bool) {
		for n := range heal.MaxOccurrences {
			f, state, ok, err := t.db.Recall(ctx, id, engine.StoredLocator(c.Selector, n))
			if err != nil && !ok || ok && !yield(n, heal.Learned{Fingerprint: f, State: state}) {
				failed = err
				return
			}
		}
	}, c.Site, c.Occurrence)
	if !ok {
		return nil, failed
	}
	return &learned, failed
}

// recallOtherData returns what is known of a call's locator with other data of the test.
func (t *traces) recallOtherData(ctx context.Context, id engine.TestID, c *trace.Call) (*heal.Learned, error) {
	learned, err := t.db.Fingerprints(ctx, id, maxOfTest)
	var known *heal.Learned
	for _, f := range learned.List {
		if heal.WasOtherData(f, id, c.Site, c.Selector) {
			known = new(heal.Learned{Fingerprint: f}.WithDataOf(c.Selector))
		}
	}
	return known, err
}

func (t *traces) warnFile(name, reason string) {
	t.note(engine.Notice{File: name, Severity: engine.SeverityWarning, Reason: reason})
}

// withTraceEvents adds the events of traces to those of healers, which tried what
// they say, in a stable order.
func withTraceEvents(heals, lost []engine.HealEvent) []engine.HealEvent {
	tried := map[testLocator]bool{}
	for _, h := range heals {
		tried[testLocator{h.TestID, h.Locator}] = !h.Ahead || tried[testLocator{h.TestID, h.Locator}]
	}
	all := slices.Clone(heals)
	for _, h := range lost {
		if !tried[testLocator{h.TestID, h.Locator}] {
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, compareHeals)
	return all
}
