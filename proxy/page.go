package proxy

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// The driver's objects as package live sees them. They are equal when they are the same.
type (
	page struct {
		r    *relay
		guid string
	}
	frame struct {
		r    *relay
		guid string
	}
	locator struct {
		frame
		selector string
	}
	handle struct {
		r    *relay
		guid string
	}
)

var (
	_ live.Page        = page{}
	_ live.Camera      = page{}
	_ live.Frame       = frame{}
	_ live.Locator     = locator{}
	_ live.SelfReading = locator{}
	_ live.Handle      = handle{}
)

// URL returns the address of the main frame.
func (p page) URL() string {
	for _, guid := range p.r.objects.framesOf(p.guid) {
		url, _ := p.r.objects.urlAndName(guid)
		return url
	}
	return ""
}

func (p page) Frames() []live.Frame {
	var frames []live.Frame
	for _, guid := range p.r.objects.framesOf(p.guid) {
		frames = append(frames, frame{p.r, guid})
	}
	return frames
}

// screenshotTime is how long the driver may take for a picture, in ms.
const screenshotTime = 1000

// Screenshot implements [live.Camera] (PageScreenshotParams in
// packages/protocol/src/protocol.yml).
func (p page) Screenshot(clip engine.BoundingBox, mask string) ([]byte, error) {
	masks := []any{}
	for _, guid := range p.r.objects.framesOf(p.guid) {
		masks = append(masks, map[string]any{"frame": map[string]any{"guid": guid}, "selector": mask})
	}
	m, err := p.r.ask(p.guid, "screenshot", map[string]any{"type": "png", "clip": clip, "scale": "css", "caret": "initial",
		"mask": masks, "maskColor": "#808080"}, screenshotTime)()
	if err != nil {
		return nil, err
	}
	at, _ := m.field(m.result, "binary")
	return base64.StdEncoding.DecodeString(m.string(at))
}

func (f frame) Name() string {
	_, name := f.r.objects.urlAndName(f.guid)
	return name
}

func (f frame) URL() string {
	url, _ := f.r.objects.urlAndName(f.guid)
	return url
}

func (f frame) Find(selector string) live.Locator { return locator{f, selector} }

func (f frame) Evaluate(function string, arguments ...any) (any, error) {
	return f.r.evaluate(f.guid, "evaluateExpression", "", function, arguments)()
}

func (f frame) EvaluateHandle(function string, argument any) (live.Handle, error) {
	params, err := evaluation(function, []any{argument})
	if err != nil {
		return nil, err
	}
	m, err := f.r.ask(f.guid, "evaluateExpressionHandle", params, 0)()
	if err != nil {
		return nil, err
	}
	return handle{f.r, m.guidIn(m.result, "handle")}, nil
}

func (l locator) Selector() string { return l.selector }
func (l locator) Err() error       { return nil }

func (l locator) Count() (int, error) {
	m, err := l.r.ask(l.guid, "queryCount", map[string]any{"selector": l.selector}, 0)()
	if err != nil {
		return 0, err
	}
	var answer struct{ Value *int }
	if err := json.Unmarshal(m.result.of(m.text), &answer); err != nil || answer.Value == nil {
		return 0, fmt.Errorf("queryCount: unexpected answer %.100s", m.result.of(m.text))
	}
	return *answer.Value, nil
}

func (l locator) EvaluateAll(function string, arguments ...any) (any, error) {
	return l.StartEvaluateAll(function, arguments...)()
}

func (l locator) StartEvaluateAll(function string, arguments ...any) func() (any, error) {
	return l.r.evaluate(l.guid, "evalOnSelectorAll", l.selector, function, arguments)
}

func (h handle) Evaluate(function string, arguments ...any) (any, error) {
	return h.r.evaluate(h.guid, "evaluateExpression", "", function, arguments)()
}

// Dispose lets the page forget the value. A handle that the client knows as well is left
// to it.
func (h handle) Dispose() error {
	if !h.r.screen.owns(h.guid) {
		return nil
	}
	_, err := h.r.ask(h.guid, "dispose", map[string]any{}, 0)()
	h.r.screen.forget(h.guid)
	return err
}

// evaluate calls a function in the page, and returns a function that waits for its value.
func (r *relay) evaluate(guid, method, selector, function string, arguments []any) func() (any, error) {
	params, err := evaluation(function, arguments)
	if err != nil {
		return func() (any, error) { return nil, err }
	}
	if selector != "" {
		params["selector"] = selector
	}
	answer := r.ask(guid, method, params, 0)
	return func() (any, error) {
		m, err := answer()
		if err != nil {
			return nil, err
		}
		value, _ := m.field(m.result, "value")
		return readValue(value.of(m.text))
	}
}

// evaluation returns the parameters of a call of a function with one argument or none.
func evaluation(function string, arguments []any) (map[string]any, error) {
	var argument any
	if len(arguments) > 0 {
		argument = arguments[0]
	}
	handles := []any{}
	value, err := writeValue(argument, &handles)
	if err != nil {
		return nil, err
	}
	return map[string]any{"expression": function, "isFunction": true, "arg": map[string]any{"value": value, "handles": handles}}, nil
}

// writeValue returns a value in the form of the protocol's SerializedArgument, as far as
// package live needs it.
func writeValue(value any, handles *[]any) (map[string]any, error) {
	switch v := value.(type) {
	case nil:
		return map[string]any{"v": "undefined"}, nil
	case string:
		return map[string]any{"s": v}, nil
	case int:
		return map[string]any{"n": v}, nil
	case handle:
		*handles = append(*handles, map[string]any{"guid": v.guid})
		return map[string]any{"h": len(*handles) - 1}, nil
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			var err error
			if list[i], err = writeValue(e, handles); err != nil {
				return nil, err
			}
		}
		return map[string]any{"a": list, "id": 1}, nil
	}
	return nil, fmt.Errorf("a %T is no argument of a page's function", value)
}

// readValue returns a string, a bool or a number of the protocol's SerializedValue, and
// nil for any other.
func readValue(text []byte) (any, error) {
	var value struct {
		S *string  `json:"s"`
		B *bool    `json:"b"`
		N *float64 `json:"n"`
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("read a value of the page: %w", err)
	}
	switch {
	case value.S != nil:
		return *value.S, nil
	case value.B != nil:
		return *value.B, nil
	case value.N != nil:
		return *value.N, nil
	}
	return nil, nil
}

// enterFrame is the part of a selector where it steps into the frame of an element
// (packages/playwright-core/src/client/locator.ts).
const enterFrame = " >> internal:control=enter-frame"
