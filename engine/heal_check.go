package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of one heal event. A text that names something must arrive whole or
// not at all; one that only describes is cut.
const (
	maxNameBytes        = 4096 // test ids, locators, file names
	maxDescriptionBytes = 4096 // everything that only describes
	maxListItems        = 512  // attributes, path steps, siblings, neighbours
	maxMatches          = 64   // locators tried after a heal
)

// maxTimestamp is the last second of the year 9999.
const maxTimestamp = 253402300799

// checkHeal returns why e is no usable heal event, naming field and value.
func checkHeal(e HealEvent) error {
	for _, err := range []error{
		checkName("test_id", e.TestID, true),
		checkName("locator", e.Locator, true),
		checkName("healed_locator", e.HealedLocator, false),
		checkRatio("confidence", e.Confidence),
		checkRatio("runner_up", e.RunnerUp),
		checkOutcome(e.Outcome),
		checkMatches(e.Matches),
		checkSite(e.Site),
	} {
		if err != nil {
			return err
		}
	}
	if e.Occurrence < 0 {
		return fmt.Errorf("field \"occurrence\" is %d; it counts from 0", e.Occurrence)
	}
	if !(e.Timestamp >= 0 && e.Timestamp <= maxTimestamp) {
		return fmt.Errorf("field \"timestamp\" is %g; want Unix seconds (not milliseconds)", e.Timestamp)
	}
	return nil
}

func checkName(field, value string, required bool) error {
	if required && strings.TrimSpace(value) == "" {
		return fmt.Errorf("field %q is missing or empty", field)
	}
	if len(value) > maxNameBytes {
		return fmt.Errorf("field %q is %d bytes long; at most %d are read", field, len(value), maxNameBytes)
	}
	return nil
}

func checkRatio(field string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return fmt.Errorf("field %q is %g; want a ratio from 0 to 1", field, value)
	}
	return nil
}

func checkOutcome(o HealOutcome) error {
	if o != OutcomeHealed && o != OutcomeRefused {
		return fmt.Errorf("field \"outcome\" is %.40q; want %q or %q", o, OutcomeHealed, OutcomeRefused)
	}
	return nil
}

func checkMatches(matches []Match) error {
	for i, m := range matches {
		if i == maxMatches {
			break // cut by boundHeal
		}
		if m.Count < 0 {
			return fmt.Errorf("field \"matches\" counts %d elements", m.Count)
		}
		if err := checkName("matches.locator", m.Locator, true); err != nil {
			return err
		}
	}
	return nil
}

func checkSite(s *Site) error {
	if s == nil {
		return nil
	}
	if s.Line < 1 || s.Column < 0 {
		return fmt.Errorf("field \"site\" names line %d, column %d; lines count from 1", s.Line, s.Column)
	}
	return checkName("site.file", s.File, true)
}

// boundHeal cuts the texts of e that only describe.
func boundHeal(e *HealEvent) {
	for _, text := range []*string{&e.API, &e.Action, &e.Reason, &e.PageURL} {
		*text = BoundText(*text)
	}
	e.Matches = e.Matches[:min(len(e.Matches), maxMatches)]
	boundFingerprint(&e.Original)
	boundFingerprint(&e.Healed)
}

func boundFingerprint(f *Fingerprint) {
	for _, text := range []*string{&f.Tag, &f.Text, &f.Locator, &f.TestID, &f.Role, &f.Name, &f.Label, &f.Href, &f.Page} {
		*text = BoundText(*text)
	}
	for _, list := range []*[]string{&f.DOMPath, &f.Siblings, &f.Neighbours} {
		*list = (*list)[:min(len(*list), maxListItems)]
		for i, text := range *list {
			(*list)[i] = BoundText(text)
		}
	}
	f.Attributes = f.Attributes[:min(len(f.Attributes), maxListItems)]
	for i, a := range f.Attributes {
		f.Attributes[i] = Attribute{BoundText(a.Name), BoundText(a.Value)}
	}
}

// BoundText returns text cut to maxDescriptionBytes at a character, ending in "…" when
// something was cut.
func BoundText(text string) string {
	const mark = "…"
	if len(text) <= maxDescriptionBytes {
		return text
	}
	end := maxDescriptionBytes - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + mark
}
