package proxy

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// triedClick is a call at line 3 of a.spec.ts, which a test of that file makes.
const triedClick = `{"id":7,"guid":"frame@1","method":"METHOD","params":{"selector":"#a","strict":true},"metadata":{"location":{"file":"/copy/tests/a.spec.ts","line":3,"column":5}}}`

// tried sends calls through a relay with a trial, each after the answer to the one before.
// It returns the answers, what a driver got that answers by answer, and what was noted.
func tried(t *testing.T, trial Trial, answer func(method, text string) string, calls ...string) (answers, got []string, noted []Noted) {
	t.Helper()
	var mu sync.Mutex
	trial.Targets = []Target{{Test: "a.spec.ts › signs in", Selector: "#a", Site: &engine.Site{File: "tests/a.spec.ts", Line: 3}}}
	trial.Note = func(_ int, what Noted) {
		mu.Lock()
		defer mu.Unlock()
		noted = append(noted, what)
	}
	client, clientSide := ends()
	conn, driverSide := ends()
	ended := make(chan error, 1)
	go func() {
		ended <- Relay(t.Context(), clientSide, driverSide, Options{
			Live: live.Options{Heal: "off", DB: live.None, Events: live.None}, Trial: &trial,
			TestOf: func(Call) Test { return Test{ID: "a.spec.ts › signs in"} },
		})
	}()
	go func() {
		for _, text := range world {
			if conn.Send([]byte(text)) != nil {
				return
			}
		}
		for {
			text, err := conn.Receive()
			if err != nil {
				return
			}
			m, _ := readMessage(text)
			id := string(m.id.of(text))
			mu.Lock()
			got = append(got, strings.Replace(string(text), id, "ID", 1))
			mu.Unlock()
			if conn.Send([]byte(strings.Replace(answer(m.string(m.method), string(text)), "ID", id, 1))) != nil {
				return
			}
		}
	}()
	awaitWorld(t, client)
	for _, call := range calls {
		must(t, client.Send([]byte(call)))
		answers = append(answers, string(receive(t, client)))
	}
	must(t, conn.Close())
	<-ended // what is noted of a call may come after its answer
	mu.Lock()
	defer mu.Unlock()
	return answers, got, noted
}

func TestATrialTreatsTheCallsOnItsTargets(t *testing.T) {
	const others = `{"id":ID,"result":{"value":{"s":"[\"html > b\",\"html > i\"]"}}}`
	const noOthers = `{"id":ID,"result":{"value":{"s":"[]"}}}`
	for _, c := range []struct {
		name, method string
		control      Control
		others       string
		answer       string   // the client's
		looked       []string // selectors of the calls that a driver got, in order
		noted        []Noted
	}{
		{"as written", "click", AsWritten, others, `{"id":7}`, []string{"#a"}, []Noted{NotedDone}},
		{"hidden", "click", Hidden, others, `"TimeoutError"`, []string{"css=breadcrumb-hidden-"}, []Noted{NotedDone}},
		{"undone", "click", Undone, others, `{"id":7,"result":{}}`, nil, []Noted{NotedDone}},
		{"undone, but its element does not come", "hover", Undone, others, `{"id":7}`, []string{"#a"}, []Noted{NotedUnsuited}},
		{"an undone choice", "selectOption", Undone, others, `{"id":7,"result":{"values":[]}}`, nil, []Noted{NotedDone}},
		{"a read leaves nothing undone", "textContent", Undone, others, `{"id":7}`, []string{"#a"}, []Noted{NotedUnsuited}},
		{"the likest other element that takes the action", "click", Other, others, `{"id":7}`, []string{"css=html > b", "css=html > i"}, []Noted{NotedDone}},
		{"the one after that", "click", Another, others, `{"id":7}`, []string{"css=html > i"}, []Noted{NotedDone}},
		{"no other element", "click", Other, noOthers, `{"id":7}`, []string{"#a"}, []Noted{NotedUnsuited}},
		{"a read of another element", "textContent", Other, others, `"TimeoutError"`, []string{"css=html > b"}, []Noted{NotedDone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers, got, noted := tried(t, Trial{Control: c.control, Limit: 5 * time.Second}, func(method, text string) string {
				switch {
				case method == "waitForSelector" && c.method == "hover":
					return timedOut
				case method == "evalOnSelectorAll":
					return c.others
				case strings.Contains(text, "hidden-") || strings.Contains(text, `html \u003e b`): // which cannot be clicked
					return timedOut
				}
				return done
			}, strings.Replace(triedClick, "METHOD", c.method, 1))
			if !strings.Contains(answers[0], c.answer) || !strings.HasPrefix(answers[0], `{"id":7`) {
				t.Errorf("the client got %s", answers[0])
			}
			var looked []string
			for _, text := range got {
				m, _ := readMessage([]byte(text))
				if at, _ := m.field(m.params, "selector"); m.string(m.method) == c.method {
					looked = append(looked, m.string(at))
				}
			}
			if c.control == Hidden && len(looked) == 1 {
				looked[0] = looked[0][:len(c.looked[0])]
			}
			if diff := cmp.Diff(c.looked, looked); diff != "" {
				t.Errorf("selectors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.noted, noted); diff != "" {
				t.Errorf("noted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestATrialLeavesOtherCallsAlone(t *testing.T) {
	click := strings.Replace(triedClick, "METHOD", "click", 1)
	for name, call := range map[string]string{
		"another selector": strings.Replace(click, "#a", "#b", 1),
		"another line":     strings.Replace(click, `"line":3`, `"line":4`, 1),
		"another file":     strings.Replace(click, "a.spec.ts", "aa.spec.ts", 1),
		"another folder":   strings.Replace(click, "/tests/", "/mytests/", 1),
	} {
		answers, got, noted := tried(t, Trial{Control: Hidden}, func(string, string) string { return done }, call)
		if answers[0] != `{"id":7}` || len(got) != 1 || len(noted) != 0 {
			t.Errorf("%s: %v, %v, %v", name, answers, got, noted)
		}
	}
	if _, _, noted := tried(t, Trial{}, func(string, string) string { return timedOut }, click); len(noted) != 0 {
		t.Errorf("a call that failed is noted as %v", noted)
	}
}

// What a test waits for after the control may never come. The run as written has the same
// times, so that they alone make no test fail.
func TestAfterATargetNoCallWaitsLong(t *testing.T) {
	for _, control := range []Control{AsWritten, Undone} {
		click := strings.Replace(triedClick, "METHOD", "click", 1)
		later := strings.Replace(strings.Replace(click, `"id":7`, `"id":8`, 1), "#a", "#b", 1)
		_, got, _ := tried(t, Trial{Control: control, Limit: 5 * time.Second}, func(string, string) string { return done },
			strings.Replace(later, `"id":8`, `"id":6`, 1), click, later,
			strings.Replace(strings.Replace(later, `"id":8`, `"id":9`, 1), `"strict"`, `"timeout":60000,"strict"`, 1),
			strings.Replace(strings.Replace(later, `"id":8`, `"id":10`, 1), `"strict"`, `"timeout":400,"strict"`, 1))
		var timeouts []string
		for _, text := range got {
			m, _ := readMessage([]byte(text))
			if at, _ := m.field(m.params, "selector"); m.string(at) == "#b" {
				at, _ = m.field(m.params, "timeout")
				timeouts = append(timeouts, string(at.of(m.text)))
			}
		}
		if diff := cmp.Diff([]string{"", "5000", "5000", "400"}, timeouts); diff != "" {
			t.Errorf("control %q: timeouts (-want +got):\n%s", control, diff)
		}
	}
}
