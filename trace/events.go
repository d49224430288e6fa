package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

var positionTail = lazyregexp.New(`(?::\d+){1,2}$`)

// eventReader reads the events of one file.
type eventReader struct {
	trace  *Trace
	runner bool    // they are the test runner's
	start  float64 // when the clock of the file was 0, in Unix ms
	unread int
	err    error
}

// event is a line with the fields that are needed here.
type event struct {
	Type     string              `json:"type"`
	Version  int                 `json:"version"`
	Written  string              `json:"playwrightVersion"`
	Language string              `json:"sdkLanguage"`
	Title    string              `json:"title"`
	TestID   string              `json:"testIdAttributeName"`
	CallID   string              `json:"callId"`
	Method   string              `json:"method"`
	Params   json.RawMessage     `json:"params"`
	Error    json.RawMessage     `json:"error"`
	Box      *engine.BoundingBox `json:"box"`
	Point    *point              `json:"point"`
	Wall     float64             `json:"wallTime"`      // Unix ms
	Clock    float64             `json:"monotonicTime"` // ms, at the same time
	Message  string              `json:"message"`
	Snapshot *snapshotEvent      `json:"snapshot"`
}

// point is a place in the view, in CSS pixels.
type point struct{ X, Y float64 }

// params are those of a call that say what it looks for and what it types.
type params struct {
	Selector   string `json:"selector"`
	Value      string `json:"value"`
	Text       string `json:"text"`
	Expression string `json:"expression"`
	IsNot      bool   `json:"isNot"`
	Expected   *struct {
		Value json.RawMessage `json:"n"`
	} `json:"expectedNumber"`
}

func (e *eventReader) readLine(line []byte) {
	if e.err != nil || isSkipped(line) {
		return
	}
	var v event
	if err := json.Unmarshal(line, &v); err != nil {
		e.unread++
		return
	}
	t := e.trace
	switch {
	case v.Type == "context-options":
		e.err, e.start = t.readContext(&v, e.runner), v.Wall-v.Clock
	case e.runner:
		t.Failed = t.Failed || v.Type == "error"
	case v.Type == "before":
		t.addCall(&v)
	case v.Type == "screencast-frame":
		t.addScreenshot(line)
	case v.Type == "input" || v.Type == "after":
		t.endCall(&v)
	case v.Type == "log":
		if c := t.calls[v.CallID]; c != nil && strings.Contains(v.Message, "locator resolved to") {
			c.Found = true
		}
	case v.Type == "frame-snapshot" && v.Snapshot != nil:
		t.addSnapshot(v.Snapshot, e.start)
	}
}

// isSkipped reports whether a line is certainly of a kind that nothing here needs.
// Playwright writes the type first.
func isSkipped(line []byte) bool {
	for _, head := range []string{`{"type":"console"`, `{"type":"event"`, `{"type":"stdout"`, `{"type":"stderr"`} {
		if bytes.HasPrefix(line, []byte(head)) {
			return true
		}
	}
	return bytes.HasPrefix(line, []byte(`{"type":"log"`)) && !bytes.Contains(line, []byte("locator resolved to"))
}

// readContext reads what the trace says of itself.
func (t *Trace) readContext(v *event, runner bool) error {
	if v.Version > newestVersion {
		return fmt.Errorf("%w: version %d (Playwright %.20s) is newer than %d, the newest that is read; update Breadcrumb",
			ErrVersion, v.Version, v.Written, newestVersion)
	}
	if v.Version < oldestVersion {
		return fmt.Errorf("%w: version %d is older than %d; update Playwright to 1.52 or newer", ErrVersion, v.Version, oldestVersion)
	}
	t.Version = max(t.Version, v.Version)
	t.runner = t.runner || runner
	t.Playwright, t.Language = cmp.Or(v.Written, t.Playwright), cmp.Or(v.Language, t.Language)
	t.Title, t.testID = cmp.Or(v.Title, t.Title), cmp.Or(v.TestID, t.testID)
	return nil
}

func (t *Trace) addCall(v *event) {
	var p params
	if v.CallID == "" || t.calls[v.CallID] != nil || json.Unmarshal(v.Params, &p) != nil || p.Selector == "" {
		return
	}
	if len(t.Calls) >= t.limits.Calls {
		t.dropped["calls"]++
		return
	}
	c := &Call{ID: v.CallID, Method: v.Method, Selector: p.Selector, trace: t}
	c.Asserts = v.Method == "expect"
	c.Awaited = !c.Asserts || !p.IsNot && needsElement(p.Expression)
	t.calls[c.ID] = c
	t.Calls = append(t.Calls, c)
	switch v.Method {
	case "fill":
		t.addTyped(p.Value)
	case "type":
		t.addTyped(p.Text)
	}
}

// needsElement reports whether an expectation fails where there is no element.
func needsElement(expression string) bool {
	switch {
	case strings.HasPrefix(expression, "to.have.count"), strings.HasSuffix(expression, ".array"),
		expression == "to.be.hidden", expression == "to.be.detached", expression == "to.have.title", expression == "to.have.url":
		return false
	}
	return true
}

func (t *Trace) endCall(v *event) {
	c := t.calls[v.CallID]
	failed := v.Type == "after" && present(v.Error)
	t.broken = t.broken || failed
	if c == nil {
		return
	}
	if v.Type == "input" {
		if v.Box != nil && v.Box.Width > 0 && v.Box.Height > 0 {
			c.box = v.Box
		}
		c.point = v.Point
		return
	}
	c.ended = true
	c.Failed = c.Failed || failed
	c.Found = c.Found || bytes.Contains(v.Error, []byte("strict mode violation")) // it found several
}

// addTyped remembers a text that was typed.
func (t *Trace) addTyped(text string) {
	if text != "" && len(t.typed) < maxTyped {
		t.typed = append(t.typed, text)
	}
}

// present reports whether a JSON value is there.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
