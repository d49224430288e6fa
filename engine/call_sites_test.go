package engine

import "testing"

func TestOccurrencesAreTheirPlacesInTheTest(t *testing.T) {
	sites := CallSites{}
	a, b := &Site{File: "a_test.go", Line: 3}, &Site{File: "a_test.go", Line: 9}
	for i, c := range []struct {
		locator string
		at      *Site
		want    int
	}{{"#ok", a, 0}, {"#ok", a, 0}, {"#ok", b, 1}, {"#no", b, 0}, {"#ok", a, 0}, {"#ok", nil, 2}, {"#ok", &Site{Line: 1}, 2}} {
		if got := sites.Occurrence(c.locator, c.at, 2); got != c.want {
			t.Errorf("%d: occurrence %d, want %d", i, got, c.want)
		}
	}
	if got := StoredLocator("#ok", 1); got != "#ok #2" {
		t.Errorf("stored as %q", got)
	}
}
