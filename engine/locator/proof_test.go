package locator

import (
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestProofOf(t *testing.T) {
	counted := func(count int, locators ...string) engine.HealEvent {
		h := engine.HealEvent{}
		for _, l := range locators {
			h.Matches = append(h.Matches, engine.Match{Locator: l, Count: count})
		}
		return h
	}
	cases := []struct {
		name, locator string
		heal          engine.HealEvent
		want          Proof
	}{
		{"nothing known", "#a", engine.HealEvent{}, Unproven},
		{"replayed", "#a", engine.HealEvent{HealedLocator: "#a"}, Unique},
		{"replayed in another form", `[data-testid="a"]`, engine.HealEvent{HealedLocator: `internal:testid=[data-testid="a"s]`}, Unique},
		{"another replayed", "#b", engine.HealEvent{HealedLocator: "#a"}, Unproven},
		{"counted once", "#a", counted(1, "#a"), Unique},
		{"counted twice", "#a", counted(2, "#a"), Ambiguous},
		{"counted none", "#a", counted(0, "#a"), Ambiguous},
		{"counted as id engine", "id=a", counted(1, "#a"), Unique},
		{"counted as xpath", `xpath=//*[@id="a"]`, counted(1, "#a"), Unique},
		{"another counted", "#a", counted(1, "#b"), Unproven},
		{"counted in a chain", `#a >> internal:text="B"i`, counted(1, `#a >> internal:text="B"i`), Unique},
		{"counted outside the chain", `#a >> internal:text="B"i`, counted(1, `internal:text="B"i`), Unproven},
		{"role and its name", `internal:role=button[name="A"i]`, counted(1, `internal:role=button[name="A"i]`), Unique},
		{"another role", `internal:role=button[name="A"i]`, counted(1, `internal:role=link[name="A"i]`), Unproven},
		{"exact counted, loose asked", `internal:text="A"i`, counted(1, `internal:text="A"s`), Unproven},
		{"loose counted, role= asked", `role=button[name="start"]`, counted(1, `internal:role=button[name="start"i]`), Unproven},
		{"exact counted, role= asked", `role=button[name="Start"]`, counted(1, `internal:role=button[name="Start"s]`), Unique},
		{"exact counted, text= asked", `text=Shut`, counted(1, `internal:text="Shut"s`), Unproven},
		{"loose counted, text= asked", `text=Shut`, counted(1, `internal:text="Shut"i`), Unique},
		{"element's text counted, text node asked", `"Shut"`, counted(1, `internal:text="Shut"s`), Unproven},
		{"replayed and counted twice", "#a", engine.HealEvent{HealedLocator: "#a", Matches: []engine.Match{{Locator: "#a", Count: 2}}}, Ambiguous},
		{"counted one and two", "#a", engine.HealEvent{Matches: []engine.Match{{Locator: "#a", Count: 1}, {Locator: "#a", Count: 2}}}, Ambiguous},
		{"unreadable count", "#a", counted(1, " >> "), Unproven},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse(c.locator)
			if err != nil {
				t.Fatal(err)
			}
			if got := ProofOf(c.heal, s); got != c.want {
				t.Errorf("proof %d, want %d", got, c.want)
			}
		})
	}
}

func TestReplacementTakesWhatWasCountedUnique(t *testing.T) {
	login := element("button", "data-testid", "login", "id", "sign-in", "name", "go")
	cases := []struct {
		name, old, healed string
		element           engine.Fingerprint
		matches           []engine.Match
		want, because     string
	}{
		{"the best that is unique", "#a", "", login, []engine.Match{{Locator: `[data-testid="login"]`, Count: 2}, {Locator: "#sign-in", Count: 1}}, "#sign-in", ""},
		{"nothing is unique", "#a", "", login, []engine.Match{{Locator: `[data-testid="login"]`, Count: 2}, {Locator: "#sign-in", Count: 3}}, "", "no stable test id"},
		{"not counted", "#a", "", login, []engine.Match{{Locator: `internal:role=button[name="Go"i]`, Count: 1}}, "", "no stable test id"},
		{"one part of a chain", `#cart >> internal:text="Pay"i`, "", login, []engine.Match{{Locator: `#cart >> internal:text="Buy"i`, Count: 1}}, `#cart >> internal:text="Buy"i`, ""},
		{"replayed but ambiguous", "#a", "#sign-in", login, []engine.Match{{Locator: "#sign-in", Count: 2}}, "", "more than one"},
		{"replayed in another form, unique in this", "#a", `internal:role=button[name="Go"i]`, login, []engine.Match{{Locator: "[name=\"go\"]", Count: 1}}, `[name="go"]`, ""},
		{"generated though unique", "#a", "", element("a", "id", "x"), []engine.Match{{Locator: `[id="radix-:r1:"]`, Count: 1}}, "", "no stable"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, why := Replacement(engine.HealEvent{Locator: c.old, HealedLocator: c.healed, Healed: c.element, Matches: c.matches})
			if c.because == "" && (got.String() != c.want || why != "") {
				t.Errorf("%s (%s), want %s", got, why, c.want)
			}
			if c.because != "" && !strings.Contains(why, c.because) {
				t.Errorf("%s because %q, want %q", got, why, c.because)
			}
		})
	}
}

func TestWhatATestAsksTheTextOfIsNotFoundByThatText(t *testing.T) {
	const text, css = `internal:text="Que es"i`, `.result-item .result-title`
	for _, c := range []struct {
		action, old string
		want        []string
	}{
		{"expect", ".panel .title", nil},
		{"textContent", ".panel .title", nil},
		{"innerText", ".panel .title", nil},
		{"click", ".panel .title", []string{text}},
		{"", ".panel .title", []string{text}},
		{"expect", `internal:text="Que"i`, []string{text}},
	} {
		h := engine.HealEvent{Action: c.action, Locator: c.old, HealedLocator: text, Matches: []engine.Match{{Locator: css, Count: 1}}, Healed: element("p", "class", "result-title", "text", "que es")}
		var got []string
		for _, s := range Getters(h) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.action, c.old, got, c.want)
		}
	}
}
