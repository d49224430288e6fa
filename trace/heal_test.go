package trace

import (
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// oneCall returns the last call of a trace of these events.
func oneCall(t *testing.T, events string) *Call {
	t.Helper()
	trace, err := read(pack(t, file{"1-trace.trace", newest + events}))
	if err != nil {
		t.Fatal(err)
	}
	return trace.Calls[len(trace.Calls)-1]
}

const (
	buyMarked = `["HTML",{},["BODY",{},["H1",{},"Shop"],["BUTTON",{"id":"buy","__playwright_target__":""},"Buy this mug"],["BUTTON",{"id":"sell"},"Sell"]]]`
	buyThere  = `["HTML",{},["BODY",{},["H1",{},"Shop"],["BUTTON",{"id":"buy"},"Buy this mug"],["BUTTON",{"id":"sell"},"Sell"]]]`
	buyMoved  = `["HTML",{},["BODY",{},["H1",{},"Shop"],["BUTTON",{"id":"purchase"},"Buy this mug"],["BUTTON",{"id":"sell"},"Sell"]]]`
	buyTwice  = `["HTML",{},["BODY",{},["H1",{},"Shop"],["BUTTON",{"id":"one"},"Buy this mug"],["BUTTON",{"id":"two"},"Buy this mug"],["BUTTON",{"id":"sell"},"Sell"]]]`
)

func learned(t *testing.T) heal.Learned {
	t.Helper()
	l, ok := oneCall(t, click("c", "#buy", buyMarked, `[[1,6]]`, false)).Target()
	if !ok {
		t.Fatal("nothing learned")
	}
	return l
}

func TestOnlyALocatorThatFoundNothingIsLost(t *testing.T) {
	log := `{"type":"log","callId":"c","message":"  locator resolved to <button id=\"buy\">"}` + "\n"
	expect := func(expression string, not string) string {
		return strings.Replace(strings.Replace(click("c", "#buy", buyMoved, `[[1,6]]`, true), `"method":"click"`, `"method":"expect"`, 1),
			`"params":{`, `"params":{"expression":"`+expression+`","isNot":`+not+`,`, 1)
	}
	cases := map[string]struct {
		events string
		want   bool
	}{
		"found nothing":          {click("c", "#buy", buyMoved, `[[1,6]]`, true), true},
		"passed":                 {click("c", "#buy", buyThere, `[[1,6]]`, false), false},
		"found and was disabled": {click("c", "#buy", buyThere, `[[1,6]]`, true) + log, false},
		"found several":          {strings.Replace(click("c", "button", buyThere, `[[1,6]]`, true), "Timeout", "strict mode violation: locator('button') resolved to 2 elements", 1), false},
		"never ended":            {strings.Split(click("c", "#buy", buyMoved, `[[1,6]]`, true), `{"type":"after"`)[0], true},
		"no snapshot":            {`{"type":"before","callId":"c","method":"click","params":{"selector":"#buy"}}` + "\n", false},
		"expected to be there":   {expect("to.be.visible", "false"), true},
		"expected not to be":     {expect("to.be.visible", "true"), false},
		"expected to be hidden":  {expect("to.be.hidden", "false"), false},
		"expected to be counted": {expect("to.have.count", "false"), false},
	}
	for name, c := range cases {
		if got := oneCall(t, c.events).Lost(); got != c.want {
			t.Errorf("%s: lost %v, want %v", name, got, c.want)
		}
	}
}

func TestAHealSaysWhyAndWhatIsMissing(t *testing.T) {
	known := learned(t)
	lost := func(page string) string { return click("c", "#buy", page, `[[1,6]]`, true) }
	cut := func(events string) string { return strings.Split(events, `{"type":"after"`)[0] }
	cases := map[string]struct {
		events  string
		known   *heal.Learned
		outcome engine.HealOutcome
		reason  string
		missing []string
	}{
		"healed":             {lost(buyMoved), &known, engine.OutcomeHealed, "", []string{MissingLayout}},
		"healed from before": {cut(lost(buyMoved)), &known, engine.OutcomeHealed, "", []string{MissingLayout, MissingAfter}},
		"never learned":      {lost(buyMoved), nil, engine.OutcomeRefused, engine.ReasonNoFingerprint, nil},
		"an assertion": {strings.Replace(lost(buyMoved), `"method":"click"`, `"method":"expect"`, 1), &known,
			engine.OutcomeRefused, ReasonAssertion, nil},
		"an empty page": {strings.ReplaceAll(lost(`["HTML",{},["BODY"]]`), "[[1,6]]", "[[1,1]]"), &known, engine.OutcomeRefused, engine.ReasonNoCandidates, []string{MissingLayout}},
		"still there": {lost(buyThere), &known, engine.OutcomeRefused,
			ReasonNoDetail + "its last snapshot still has what the locator looks for", []string{MissingLayout}},
		"no page": {lost(`"text"`), &known, engine.OutcomeRefused, ReasonNoDetail + errNoSnapshot.Error(), nil},
		"on another page": {strings.ReplaceAll(lost(buyMoved), "http://shop/", "http://shop/login"), &known,
			engine.OutcomeRefused, engine.ReasonOtherPage, []string{MissingLayout}},
		"in a frame that is gone": {strings.Replace(lost(buyMoved), `"#buy"`, `"#pay >> internal:control=enter-frame >> #buy"`, 1), &known,
			engine.OutcomeRefused, ReasonNoDetail + errFrame.Error(), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := oneCall(t, c.events).Heal(c.known, heal.Options{})
			if got.Event.Outcome != c.outcome || got.Event.Reason != c.reason {
				t.Errorf("%s, %q, want %s, %q", got.Event.Outcome, got.Event.Reason, c.outcome, c.reason)
			}
			if strings.Join(got.Missing, "|") != strings.Join(c.missing, "|") {
				t.Errorf("missing: %q", got.Missing)
			}
		})
	}
}

func TestAnElementThatSaysSomethingElseIsSuggestedWithWhatChanged(t *testing.T) {
	known := learned(t)
	events := click("c", "#buy", strings.Replace(buyMoved, "Buy this mug", "Return this mug", 1), `[[1,6]]`, true)
	got := oneCall(t, events).Heal(&known, heal.Options{}).Event
	if got.Outcome != engine.OutcomeSuggested || got.Reason != engine.ReasonOtherMeaning {
		t.Fatalf("%s, %q", got.Outcome, got.Reason)
	}
	if want := (engine.Change{What: "name", Was: "Buy this mug", Now: "Return this mug"}); !slices.Contains(got.Changed, want) {
		t.Errorf("changed %+v, want %+v", got.Changed, want)
	}
	if !slices.Contains(got.Matches, engine.Match{Locator: "#purchase", Count: 1}) {
		t.Errorf("no locator was counted that finds it alone: %+v", got.Matches)
	}
	if want := (engine.Attribute{Name: "id", Value: "purchase"}); !slices.Contains(got.Healed.Attributes, want) {
		t.Errorf("suggested %+v", got.Healed)
	}
}

func TestWhatALocatorAsksForMustStillBeSaid(t *testing.T) {
	known := learned(t)
	for selector, want := range map[string]engine.HealOutcome{"#buy": engine.OutcomeHealed, `[role="x"] >> internal:text="Return"i`: engine.OutcomeSuggested} {
		got := oneCall(t, click("c", selector, buyMoved, `[[1,6]]`, true)).Heal(&known, heal.Options{}).Event
		if got.Outcome != want {
			t.Errorf("%s: %s, %q, want %s", selector, got.Outcome, got.Reason, want)
		}
	}
}

func TestTwoElementsThatAreEquallyLikeItAreRefused(t *testing.T) {
	known := learned(t)
	got := oneCall(t, click("c", "#buy", buyTwice, `[[1,8]]`, true)).Heal(&known, heal.Options{})
	if got.Event.Outcome != engine.OutcomeRefused {
		t.Errorf("healed to %v with %.2f", got.Event.Healed.Attributes, got.Event.Confidence)
	}
}

func TestAPageServesTheNextCallsWhileItHoldsTheElement(t *testing.T) {
	again := strings.Replace(buyMarked, `"Shop"`, `"Shop, 1 in the cart"`, 1)
	other := strings.Replace(buyMarked, `["H1"`, `["P",{},"new"],["H1"`, 1)
	events := click("a", "#buy", buyMarked, `[[1,6]]`, false) + click("b", "#buy", again, `[[1,6]]`, false) + click("c", "#buy", other, `[[1,8]]`, false)
	trace, err := read(pack(t, file{"1-trace.trace", newest + events}))
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, c := range trace.Calls {
		l, ok := c.Target()
		if !ok {
			t.Fatalf("%s: no target", c.ID)
		}
		states = append(states, string(l.State))
	}
	if states[0] != states[1] || states[1] == states[2] {
		t.Errorf("same page: %v, other page: %v", states[0] == states[1], states[1] == states[2])
	}
}

func TestSeveralMarkedElementsAreNoTarget(t *testing.T) {
	both := strings.Replace(buyMarked, `"id":"sell"`, `"id":"sell","__playwright_target__":""`, 1)
	if l, ok := oneCall(t, click("c", "button", both, `[[1,6]]`, false)).Target(); ok {
		t.Errorf("learned %v", l.Fingerprint)
	}
}

func TestTheMarkOfAnotherCallIsNone(t *testing.T) {
	old := strings.Replace(buyMarked, `__playwright_target__":""`, `__playwright_target__":"call@3"`, 1)
	if l, ok := oneCall(t, click("call@4", "#buy", old, `[[1,6]]`, false)).Target(); ok {
		t.Errorf("learned %v", l.Fingerprint)
	}
	if _, ok := oneCall(t, click("call@3", "#buy", old, `[[1,6]]`, false)).Target(); !ok {
		t.Error("its own mark does not count")
	}
}

func TestWhatIsShownForAChainFindsTheElementAlone(t *testing.T) {
	page := func(class, target string) string {
		row := func(name, mark string) string {
			return `["LI",{},["B",{},"` + name + `"],["A",{"href":"#","class":"` + class + `"` + mark + `},"Open"]]`
		}
		return `["HTML",{},["BODY",{},["UL",{},` + row("One", "") + `,` + row("Two", target) + `],["DIV",{"class":"` + class + `-bar"},["BUTTON",{},"Print"]]]]`
	}
	learn := func(selector, page string) *heal.Learned {
		l, ok := oneCall(t, click("c", selector, page, `[[1,1]]`, false)).Target()
		if !ok {
			t.Fatalf("nothing learned of %s", selector)
		}
		return &l
	}
	link := learn("li .open >> nth=1", page("open", `,"__playwright_target__":""`))
	print := learn(".open-bar >> button", strings.Replace(page("open", ""), `"BUTTON",{}`, `"BUTTON",{"__playwright_target__":""}`, 1))
	for _, c := range []struct {
		selector, class string // the class that "open" became
		known           *heal.Learned
		want            string
		edited          bool
	}{
		{"li .open >> nth=1", "reveal", link, "li .reveal >> nth=1", true},
		{"li .open >> nth=1", "show", link, "", false}, // each row has such a link, and a class like that names none
		{".open-bar >> button", "show", print, ".show-bar >> button", true},
	} {
		now := page(c.class, "")
		got := oneCall(t, click("c", c.selector, now, now, true)).Heal(c.known, heal.Options{}).Event
		if got.Outcome != engine.OutcomeHealed {
			t.Errorf("%s: %s %s", c.selector, got.Outcome, got.Reason)
		}
		if shown, why := locator.Replacement(got); shown.String() != c.want || (why == "") != c.edited {
			t.Errorf("%s: shown %q because %q, want %q", c.selector, shown, why, c.want)
		}
	}
}
