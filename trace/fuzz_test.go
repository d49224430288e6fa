package trace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// use does everything that can be done with a trace.
func use(t *testing.T, trace *Trace) {
	t.Helper()
	for i, c := range trace.Calls {
		if i == 4 { // more cost time and show nothing new
			break
		}
		l, ok := c.Target()
		if ok && l.Fingerprint.Tag == "" {
			t.Errorf("%s: a fingerprint without a tag", c.Selector)
		}
		for _, known := range []*heal.Learned{nil, &l} {
			e := c.Heal(known, heal.Options{}).Event
			if e.Outcome == engine.OutcomeRefused && e.Reason == "" || e.Confidence < 0 || e.Confidence > 1 {
				t.Errorf("%s: %+v", c.Selector, e)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	names, _ := filepath.Glob("testdata/traces/*/v2/orders-exports-chromium.zip")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if trace, err := read(data); err == nil {
			use(t, trace)
		}
	})
}

// FuzzEvents reads the two files inside a trace, which a mutated zip seldom
// reaches.
func FuzzEvents(f *testing.F) {
	stacks := `{"files":["a.spec.ts"],"stacks":[["c",[[0,4,9,""]]],[7,[[0,1,1,""]]]]}`
	f.Add(click("c", "#buy", buyMarked, `[[1,6]]`, false), stacks)
	f.Add(click("c", "#buy", buyThere, `["HTML",{},["BODY",{},[[1,3]],["IFRAME",{"src":"/snapshot/f"}]]]`, true), stacks)
	f.Add(click("c", "iframe >> internal:control=enter-frame >> #x", `["HTML",{},["BODY",{},["IFRAME",{"src":"/snapshot/f"}]]]`, `[[1,2]]`, true), "")
	f.Add(`{"type":"input","callId":"c","box":{"x":1,"y":2,"width":3,"height":4}}`, `[]`)
	f.Fuzz(func(t *testing.T, events, stacks string) {
		trace, err := read(pack(t, file{"1-trace.trace", newest + events}, file{"1-trace.stacks", stacks}))
		if err == nil {
			use(t, trace)
		}
	})
}
