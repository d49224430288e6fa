package ci

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

func TestMissingTests(t *testing.T) {
	ran := func(id, file string) engine.TestResult {
		return engine.TestResult{ID: engine.TestID(id), File: file, Attempts: []engine.Attempt{{Status: engine.StatusPassed}}}
	}
	source := fstest.MapFS{
		"tests/pay.spec.ts":                       {Data: []byte("test('by card'); test('by invoice'); test(`adds ${n}`)")},
		"tests/test_login.py":                     {Data: []byte("def test_ok(): ...\n")},
		"src/test/java/com/shop/CartTest.java":    {Data: []byte("void adds() {} void removes() {}")},
		"node_modules/x/tests/vanished.spec.ts":   {Data: []byte("test('here')")},
		"tests/untouched/not-run-today.spec.ts":   {Data: []byte("test('here')")},
		"test/basket.test.js":                     {Data: []byte("describe('basket', () => { it('adds'); it('removes') })")},
		"test/each.test.js":                       {Data: []byte("test('plain'); test.each(list)(`sums ${a} and ${b}`); test('is ' + name)")},
		"shop/till/till.go":                       {Data: []byte("package till")},
		"shop/till/till_test.go":                  {Data: []byte("func TestPays(t *testing.T) {}")},
		"docs/how-to-write-tests-and-pay.spec.md": {Data: []byte("by cheque")},
		"test/rows.test.js":                       {Data: []byte("test('plain');\nfor (const row of rows()) test(row.title, check)")},
		"test/more.test.js":                       {Data: []byte("test('plain'); test(`${row.title}`, check)")},
		"test/quotes.test.js":                     {Data: []byte(`test('it\'s plain'); expect(/a/.test(text))`)},
	}
	here := ran("pay.spec.ts › by card [chromium]", "tests/pay.spec.ts")
	all := []engine.TestResult{
		here, ran("tests/test_login.py::test_ok", "tests/test_login.py"), ran("com.shop.CartTest › removes", ""),
		ran("test/basket.test.js › basket › basket removes", "test/basket.test.js"),
		ran("test/each.test.js › plain", "test/each.test.js"), ran("example.com/shop/till › TestRefunds", ""),
		ran("test/rows.test.js › plain", "test/rows.test.js"), ran("test/more.test.js › plain", "test/more.test.js"),
		ran("test/more.test.js › row 1", "test/more.test.js"), ran("test/quotes.test.js › it's plain", "test/quotes.test.js"),
	}
	before := func(known string, origin store.TitleOrigin) store.Suite {
		return store.Suite{Tests: map[engine.TestID]store.Place{engine.TestID(known): {Title: origin}, "test/more.test.js › row 1": {Title: store.TitleMade}}}
	}
	tests := []struct {
		name             string
		known            string
		source           fstest.MapFS
		title            store.TitleOrigin // in the last run
		missing, removed bool
	}{
		{name: "ran again", known: string(here.ID)},
		{name: "its suite's name before a title that is still there", known: "test/basket.test.js › basket › basket adds", missing: true},
		{name: "its suite's name before a title, where none of the file shows what it is", known: "test/basket.test.js › basket › basket sells", missing: true},
		{name: "values filled into a title", known: "test/each.test.js › sums 1 and 2", missing: true},
		{name: "a value added to a title", known: "test/each.test.js › is blue", missing: true},
		{name: "a title that no text of the file makes", known: "test/each.test.js › sums 1 or 2", removed: true},
		{name: "a title that may be a value's", known: "test/rows.test.js › row 1", missing: true},
		{name: "a title that stood beside values' titles, of which none runs now", known: "test/rows.test.js › once", title: store.TitleWritten, missing: true},
		{name: "a title that stood beside values' titles, of which one runs", known: "test/more.test.js › once", title: store.TitleWritten, removed: true},
		{name: "a value's title, where another one runs", known: "test/more.test.js › row 2", title: store.TitleMade, missing: true},
		{name: "a title of which nobody knows whether it was a value's, where one runs", known: "test/more.test.js › row 2", missing: true},
		{name: "a title that another file made", known: "pay.spec.ts › by cheque [chromium]", title: store.TitleMade, missing: true},
		{name: "a title that was written and is not", known: "pay.spec.ts › by cheque [chromium]", title: store.TitleWritten, removed: true},
		{name: "a title gone from a file whose quotes are escaped", known: "test/quotes.test.js › gone", removed: true},
		{name: "a Go package is no file", known: "example.com/shop/till › TestPays", missing: true},
		{name: "none of the file ran", known: "not-run-today.spec.ts › there", missing: true},
		{name: "compiled tests that were not compiled", known: "dist/pay.spec.js › by card", missing: true},
		{name: "title still in its file", known: "pay.spec.ts › by invoice [chromium]", missing: true},
		{name: "title gone from its file", known: "pay.spec.ts › by cheque [chromium]", removed: true},
		{name: "same title in another environment did not run", known: "pay.spec.ts › by card [firefox]", missing: true},
		{name: "whole file did not run", known: "not-run-today.spec.ts › here", missing: true},
		{name: "whole file deleted", known: "deleted.spec.ts › here", removed: true},
		{name: "a copy in node_modules is no source", known: "vanished.spec.ts › here", removed: true},
		{name: "pytest node still there", known: "tests/test_login.py::test_ok[admin]", missing: true},
		{name: "pytest node gone", known: "tests/test_login.py::test_out", removed: true},
		{name: "Java method still there", known: "com.shop.CartTest › adds", missing: true},
		{name: "Java method gone", known: "com.shop.CartTest › pays", removed: true},
		{name: "a suite name that leads nowhere proves nothing", known: "checkout suite › pays", missing: true},
		{name: "an empty checkout proves nothing", known: "deleted.spec.ts › here", source: fstest.MapFS{}, missing: true},
		{name: "a checkout without these tests proves nothing", known: "deleted.spec.ts › here",
			source: fstest.MapFS{"main.go": {Data: []byte("package main")}}, missing: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := tt.source
			if tree == nil {
				tree = source
			}
			missing, removed := missingTests([]engine.TestID{engine.TestID(tt.known)}, all, &sourceTree{source: tree}, before(tt.known, tt.title))
			if diff := cmp.Diff([2]bool{tt.missing, tt.removed}, [2]bool{len(missing) > 0, len(removed) > 0}); diff != "" {
				t.Errorf("missing and removed of %q (-want +got):\n%s", tt.known, diff)
			}
		})
	}
}
