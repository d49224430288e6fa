package ci

import "testing"

func TestAGlobMatchesATestByItsIdentityOrFile(t *testing.T) {
	const id = "tests/login.spec.ts › Login › signs in [chromium]"
	tests := []struct {
		name, glob string
		want       bool
	}{
		{"the whole identity", id, true},
		{"its file", "tests/login.spec.ts", true},
		{"the folder of its file", "tests/**", true},
		{"a star for the end", "tests/login.spec.ts › Login › signs in*", true},
		{"escaped brackets", `tests/*signs in \[chromium\]`, true},
		{"brackets of a glob are a class", "tests/login.spec.ts › Login › * [chromium]", false},
		{"another test", "tests/login.spec.ts › Login › signs in [firefox]", false},
		{"no glob at all", "tests/login.spec.ts › Login › signs in [", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := matchTest([]string{tt.glob}, id); got != tt.want {
				t.Errorf("matches: %v, want %v", got, tt.want)
			}
		})
	}
}
