package ci

import (
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func TestAGlobMatchesATestByItsIdentityOrFile(t *testing.T) {
	const id = "tests/login.spec.ts › Login › signs in [chromium]"
	both := []string{"tests/login.spec.ts", "admin/tests/login.spec.ts"}
	tests := []struct {
		name, glob    string
		files         []string // of the checkout
		never, always bool
	}{
		{"the whole identity", id, nil, true, true},
		{"its file", "tests/login.spec.ts", nil, true, true},
		{"the folder of its file", "tests/**", nil, true, true},
		{"a star for the end", "tests/login.spec.ts › Login › signs in*", nil, true, true},
		{"escaped brackets", `tests/*signs in \[chromium\]`, nil, true, true},
		{"brackets of a glob are a class", "tests/login.spec.ts › Login › * [chromium]", nil, false, false},
		{"another test", "tests/login.spec.ts › Login › signs in [firefox]", nil, false, false},
		{"no glob at all", "tests/login.spec.ts › Login › signs in [", nil, false, false},
		{"its file in the checkout", "e2e/tests/login.spec.ts", []string{"e2e/tests/login.spec.ts"}, true, true},
		{"a folder of the checkout", "e2e/**", []string{"e2e/tests/login.spec.ts"}, true, true},
		{"its title behind its file in the checkout", "e2e/tests/login.spec.ts › Login › *", []string{"e2e/tests/login.spec.ts"}, true, true},
		{"a file that only ends like it", "e2e/**", []string{"e2e/my-tests/login.spec.ts"}, false, false},
		{"the folder of one of two files", "admin/**", both, true, false},
		{"the folders of both files", "{admin/,}tests/*", both, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source := fstest.MapFS{}
			for _, file := range tt.files {
				source[file] = &fstest.MapFile{}
			}
			o := overrides{never: []string{tt.glob}, tree: &sourceTree{source: source}}
			if got := o.neverReason(id) != ""; got != tt.never {
				t.Errorf("never: %v, want %v", got, tt.never)
			}
			o = overrides{always: []string{tt.glob}, tree: &sourceTree{source: source}}
			if got := o.apply([]flaky.Entry{}, []engine.TestResult{{ID: id}}); len(got) == 1 != tt.always {
				t.Errorf("always: %v, want %v", got, tt.always)
			}
		})
	}
}
