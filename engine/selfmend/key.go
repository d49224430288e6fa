package selfmend

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// maxForms bounds in how many ways a locator is looked up.
const maxForms = 64

// keyOf returns the key that the baseline has for a test's locator under the name it is
// stored by. selfmend's keys are "FILE TEST DESCRIPTION OCCURRENCE", and it describes one
// selector in one of several ways, for it writes down the calls that made it. found is
// false when no key fits, or keys of several tests do; key is then the one that selfmend
// would write for a test without a file.
func (b *Baseline) keyOf(testID engine.TestID, stored string) (key string, found bool) {
	selector, occurrence := splitStored(stored)
	forms := describe(selector)
	if plain := "page.locator(" + selector + ")"; forms[0] != plain {
		forms = append(forms, plain) // crumb wrote all locators so before
	}
	for i, form := range forms {
		forms[i] = fmt.Sprintf(" %s %s %d", testID, form, occurrence)
		if _, ok := b.entries[forms[i]]; ok {
			return forms[i], true
		}
	}
	for _, form := range forms {
		fitting := 0
		for other := range b.entries {
			if strings.HasSuffix(other, form) { // selfmend puts the file before the test
				key, fitting = other, fitting+1
			}
		}
		if fitting == 1 {
			return key, true
		}
	}
	return forms[0], false
}

// splitStored splits "#save #2" into the locator and its 0-based occurrence.
func splitStored(stored string) (selector string, occurrence int) {
	if at := strings.LastIndex(stored, " #"); at > 0 {
		n := 0
		if _, err := fmt.Sscanf(stored[at:], " #%d", &n); err == nil && n > 1 {
			return stored[:at], n - 1
		}
	}
	return stored, 0
}

// describe returns how selfmend (v0.2) may describe the locator that has a selector in
// Playwright's notation, at most maxForms ways, the plainest first:
// page.locator(form) >> getByRole(button,{"name":"Pay"}).
func describe(selector string) []string {
	plain := "page.locator(" + selector + ")"
	parsed, err := locator.Parse(selector)
	if err != nil {
		return []string{plain}
	}
	forms := []string{"page"}
	for i, part := range parsed.Parts {
		calls := callsOf(part)
		if calls == nil {
			return []string{plain}
		}
		var next []string
		for _, form := range forms {
			for _, call := range calls {
				if i == 0 {
					next = append(next, form+"."+call)
				} else {
					next = append(next, form+" >> "+call)
				}
			}
			if joined, ok := joinPart(form, part); ok {
				next = append(next, joined)
			}
		}
		forms = next[:min(len(next), maxForms)]
	}
	return forms
}

// callsOf returns the calls that may have made a part, in selfmend's words: texts without
// quotes, options as JSON. It returns nil for a part that no call of them makes.
func callsOf(p locator.Part) []string {
	if p.Regexp || p.Rest != "" {
		return nil
	}
	with := func(call, text, option string) []string {
		value, _ := stringify(p.Value) // a string always encodes
		switch {
		case option == "" && p.Match != locator.MatchExact:
			return []string{call + "(" + text + ")"}
		case option == "":
			return []string{call + "(" + text + `,{"exact":true})`}
		case p.Match != locator.MatchExact:
			return []string{call + "(" + text + `,{"` + option + `":` + value + "})"}
		}
		return []string{call + "(" + text + `,{"` + option + `":` + value + `,"exact":true})`,
			call + "(" + text + `,{"exact":true,"` + option + `":` + value + "})"}
	}
	switch p.Kind {
	case locator.KindCSS, locator.KindXPath, locator.KindID, locator.KindOther:
		return []string{"locator(" + p.Raw + ")"}
	case locator.KindTestID:
		return []string{"getByTestId(" + p.Value + ")"}
	case locator.KindRole:
		if !p.Named {
			return []string{"getByRole(" + p.Role + ")"}
		}
		return with("getByRole", p.Role, "name")
	case locator.KindLabel:
		return with("getByLabel", p.Value, "")
	case locator.KindPlaceholder:
		return with("getByPlaceholder", p.Value, "")
	case locator.KindAlt:
		return with("getByAltText", p.Value, "")
	case locator.KindTitle:
		return with("getByTitle", p.Value, "")
	case locator.KindText:
		return with("getByText", p.Value, "")
	case locator.KindHasText:
		text, _ := stringify(p.Value)
		return []string{`filter({"hasText":` + text + "})"}
	case locator.KindNth:
		switch p.Value {
		case "0":
			return []string{"first()", "nth(0)"}
		case "-1":
			return []string{"last()", "nth(-1)"}
		}
		return []string{"nth(" + p.Value + ")"}
	}
	return nil
}

// joinPart puts a part into the locator call that a form ends in: locator(a >> b) is one
// call of two parts, and so is locator(li,{"hasText":"Mug"}).
func joinPart(form string, p locator.Part) (string, bool) {
	call, ok := strings.CutSuffix(form, ")")
	last := call[max(strings.LastIndex(call, "page."), strings.LastIndex(call, " >> locator("), 0):]
	if !ok || !strings.Contains(last, "locator(") || strings.HasSuffix(call, "}") {
		return "", false
	}
	switch p.Kind {
	case locator.KindHasText:
		text, _ := stringify(p.Value)
		return call + `,{"hasText":` + text + "})", !p.Regexp
	case locator.KindCSS, locator.KindXPath, locator.KindID, locator.KindOther, locator.KindNth, locator.KindVisible:
		return call + " >> " + p.Raw + ")", true
	}
	return "", false
}
