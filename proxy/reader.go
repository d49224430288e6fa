package proxy

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// reader has pages read by a selector engine that is registered with every context. It runs
// in the world of Playwright's own scripts, where that looks for elements anyway. To call a
// function with the elements that a selector finds, Playwright loads all its scripts into
// the page's own world too, once for each document, which takes the browser longer than
// all else that the proxy does there; and the page's scripts could change what is read.
type reader struct {
	name    string // the engine's, which no page can guess
	last    atomic.Int64
	refused atomic.Bool // by the driver
}

// newReader returns nil where nothing is to be read.
func newReader(o Options) *reader {
	if o.Trial != nil {
		return nil
	}
	if learns, err := o.Live.WillLearn(); err != nil || !learns {
		return nil // what is wrong with the options is told when a test is opened
	}
	return &reader{name: cmp.Or(o.Reader, "breadcrumb-"+rand.Text())}
}

// registerReader registers the engine with the contexts that are new. That is before the
// client can have heard of them, and so before their pages load any script. A worker does
// it itself.
func (r *relay) registerReader() {
	for _, o := range r.objects.takeUnregistered() {
		if r.reader == nil || r.options.Reader != "" {
			continue
		}
		call := r.reader.registration(o.kind)
		answer := r.ask(o.guid, call.Method, call.Params, 0)
		go func() {
			if _, err := answer(); errors.Is(err, errRefused) {
				r.reader.refused.Store(true)
			}
		}()
	}
}

// registration returns the call that registers the engine with an object of a kind.
func (r *reader) registration(kind string) Registration {
	engine := map[string]any{"name": r.name, "source": live.SelectorEngine(r.name), "contentScript": true}
	if kind == kindSelectors {
		return Registration{"register", engine}
	}
	return Registration{"registerSelectorEngine", map[string]any{"selectorEngine": engine}}
}

// takeUnregistered returns them once.
func (o *objects) takeUnregistered() []unregistered {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.unregistered
	o.unregistered = nil
	return list
}

// capture is in a selector that finds another element than its last part does, and anyFrame
// in one that looks into all frames.
var capture = lazyregexp.New(`\*[\w:-]+=`)

const anyFrame = "internal:control=any-frame"

// frameTime is how long a selector that enters a frame is asked for, in ms: Playwright
// waits for the frame.
const frameTime = 1000

// canRead reports whether the engine can be asked what a selector finds.
func (r *reader) canRead(selector string) bool {
	return r != nil && !r.refused.Load() && !capture.MatchString(selector) && !strings.Contains(selector, anyFrame)
}

// StartReading implements [live.SelfReading]. Which frame a selector enters is not known: all
// are read then, and the one that it finds its element in tells the same document.
func (l locator) StartReading(testIDAttribute string) live.Reading {
	byScript := func() live.Reading {
		answer := textOf(l.StartEvaluateAll(live.ObserveScript, testIDAttribute))
		return func() (string, []live.Answer, error) {
			text, err := answer()
			return text, nil, err
		}
	}
	reader, timeout, enters := l.r.reader, 0.0, strings.Contains(l.selector, enterFrame)
	if !reader.canRead(l.selector) {
		return byScript()
	}
	if enters {
		timeout = frameTime
	}
	n := reader.last.Add(1)
	answers, _ := json.Marshal(reader.question(n, testIDAttribute, false)) // a string can be marshalled
	answer := l.r.read(l.guid, fmt.Sprintf("%s >> %s >> internal:or=%s", l.selector, reader.question(n), answers), timeout)
	frames := []live.Answer{}
	for _, other := range l.r.objects.framesWith(l.guid) {
		if enters || other != l.guid {
			frames = append(frames, frame{l.r, other}.startReading(testIDAttribute))
		}
	}
	return func() (string, []live.Answer, error) {
		text, err := answer()
		if errors.Is(err, errNoReader) {
			return byScript()()
		}
		return text, frames, err
	}
}

// startReading asks what the frame shows.
func (f frame) startReading(testIDAttribute string) live.Answer {
	answer := f.r.read(f.guid, f.r.reader.question(f.r.reader.last.Add(1), testIDAttribute, true), 0)
	return func() (string, error) {
		text, err := answer()
		if errors.Is(err, errNoReader) {
			return textOf(f.r.evaluate(f.guid, "evaluateExpression", "", live.PageScript, []any{testIDAttribute}))()
		}
		return text, err
	}
}

// question returns the selector that asks the engine.
func (r *reader) question(about ...any) string {
	text, _ := json.Marshal(about) // numbers, strings and bools can be marshalled
	return r.name + "=" + string(text)
}

var errNoReader = errors.New("the page has no selector engine of the proxy's")

const readMethod = "textContent"

// read asks for the text of the element that the engine finds.
func (r *relay) read(frame, selector string, timeout float64) live.Answer {
	return r.textRead(r.ask(frame, readMethod, map[string]any{"selector": selector, "strict": true}, timeout))
}

// textRead returns what waits for the text in an answer to a question to the engine.
func (r *relay) textRead(answer func() (message, error)) live.Answer {
	return func() (string, error) {
		m, err := answer()
		if err != nil && (strings.Contains(err.Error(), "queryAll") || strings.Contains(err.Error(), r.reader.name)) {
			return "", errors.Join(errNoReader, err)
		} else if err != nil {
			return "", err
		}
		at, _ := m.field(m.result, "value")
		name, text, _ := strings.Cut(m.string(at), "\n")
		if name != r.reader.name {
			return "", errNoReader // the selector swallowed the question
		}
		return text, nil
	}
}

// textOf waits for an answer that is a text.
func textOf(answer func() (any, error)) live.Answer {
	return func() (string, error) {
		value, err := answer()
		text, _ := value.(string)
		return text, err
	}
}
