package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestTheUsesOfALocatorAreFoundUnderItsNumbers(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var known []engine.Fingerprint
	for _, f := range []struct{ test, locator string }{
		{"a", "#save"}, {"a", "#save #2"}, {"b", "#save #13"}, {"b", "#save >> #2"}, {"c", "#saved"}, {"c", "text=Item #2"}, {"d", "#Save"}, {"d", "li"}, {"d", "li #3"},
	} {
		known = append(known, engine.Fingerprint{Tag: "a", TestID: engine.TestID(f.test), Locator: f.locator})
	}
	if err := db.SaveFingerprints(t.Context(), known, nil, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		locators []string
		limit    int
		want     []string
	}{
		{[]string{"#save"}, 9, []string{"a #save", "a #save #2", "b #save #13"}},
		{[]string{"#save"}, 2, []string{"a #save", "a #save #2"}},
		{[]string{"li", "text=Item"}, 9, []string{"c text=Item #2", "d li", "d li #3"}},
		{[]string{`" OR 1=1`, "'"}, 9, nil},
		{nil, 9, nil},
	} {
		got, err := db.LocatorUses(t.Context(), c.locators, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range got.List {
			list = append(list, string(f.TestID)+" "+f.Locator)
		}
		if diff := cmp.Diff(c.want, list); diff != "" || got.Total != len(c.want) {
			t.Errorf("%q: %d (-want +got):\n%s", c.locators, got.Total, diff)
		}
	}
}

func TestWhatWasLearnedOfAPageIsFoundByItsAddress(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var known []engine.Fingerprint
	for _, f := range []struct{ locator, page, last string }{
		{"#save", "/account", "/account"}, {"#mug", "/orders/*", "/orders/17"}, {"#cup", "/orders/*", "/orders/18"}, {"#none", "", ""},
		{`#"page":"/account"`, "/cart", "/cart"}, {"#moved", "/shop/**", "/account"},
	} {
		known = append(known, engine.Fingerprint{Tag: "a", TestID: "t", Locator: f.locator, Page: f.page, PageAddress: f.last,
			Attributes: engine.Attributes{{Name: "page", Value: `"page":"/account"`}}, Headline: "Shop \"page\":"})
	}
	if err := db.SaveFingerprints(t.Context(), known, nil, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][]string{
		"/account": {"#moved", "#save"}, "/orders/19": {"#cup", "#mug"}, "/cart": {`#"page":"/account"`}, "/other": nil,
	} {
		got, err := db.PageFingerprints(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range got {
			list = append(list, f.Locator)
		}
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}
