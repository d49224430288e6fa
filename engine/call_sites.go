package engine

import "slices"

// CallSites are the places in a test that look for the same, by locator, in the
// order in which the test comes to them.
type CallSites map[string][]Site

// Occurrence returns the number of a place among those that look for the same,
// nil for one that is not known. Coming to a place again changes nothing. Places
// beyond the first so many are not told apart.
func (s CallSites) Occurrence(locator string, at *Site, most int) int {
	site := Site{}
	if at != nil {
		site = *at
	}
	n := slices.Index(s[locator], site)
	if n < 0 {
		n = len(s[locator])
		if n < most {
			s[locator] = append(s[locator], site)
		}
	}
	return n
}
