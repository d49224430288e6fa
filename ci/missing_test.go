package ci

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestMissingTests(t *testing.T) {
	ran := func(id, file string) engine.TestResult {
		return engine.TestResult{ID: id, File: file, Attempts: []engine.Attempt{{Status: engine.StatusPassed}}}
	}
	source := fstest.MapFS{
		"tests/pay.spec.ts":                       {Data: []byte("test('by card'); test('by invoice'); test(`adds ${n}`)")},
		"tests/test_login.py":                     {Data: []byte("def test_ok(): ...\n")},
		"src/test/java/com/shop/CartTest.java":    {Data: []byte("void adds() {} void removes() {}")},
		"node_modules/x/tests/vanished.spec.ts":   {Data: []byte("test('here')")},
		"tests/untouched/not-run-today.spec.ts":   {Data: []byte("test('here')")},
		"docs/how-to-write-tests-and-pay.spec.md": {Data: []byte("by cheque")},
	}
	here := ran("pay.spec.ts › by card [chromium]", "tests/pay.spec.ts")
	tests := []struct {
		name             string
		known            string
		source           fstest.MapFS
		missing, removed bool
	}{
		{name: "ran again", known: here.ID},
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
			missing, removed := missingTests([]string{tt.known}, []engine.TestResult{here}, tree)
			if diff := cmp.Diff([2]bool{tt.missing, tt.removed}, [2]bool{len(missing) > 0, len(removed) > 0}); diff != "" {
				t.Errorf("missing and removed of %q (-want +got):\n%s", tt.known, diff)
			}
		})
	}
}
