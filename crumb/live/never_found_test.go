package live

import (
	"fmt"
	"testing"
)

// The call logs are those that Playwright 1.60 writes.
func TestOnlyAnElementThatWasNeverFoundIsLost(t *testing.T) {
	timeout := func(log string) error {
		return fmt.Errorf("playwright: timeout: Timeout 500ms exceeded.\nCall log:\n%s", log)
	}
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"looked for all the time", timeout("  - waiting for locator('#a')\n"), true},
		{"by role", timeout("  - waiting for getByRole('button', { name: 'Pay' })\n"), true},
		{"by role in Python", timeout("  - waiting for get_by_role(\"button\", name=\"Pay\")\n"), true},
		{"dragged in Python, and the target is not there", timeout("  - waiting for locator(\"#a\")\n    - locator resolved to <p id=\"a\">A</p>\n  - waiting for get_by_text(\"B\")\n"), true},
		{"without a log", timeout(""), false},
		{"in a frame", timeout("  - waiting for locator('#f').contentFrame().getByText('Hi')\n"), true},
		{"described by the test", timeout("  - waiting for the pay button\n"), true},
		{"disabled", timeout("  - waiting for locator('#a')\n    - locator resolved to <button disabled id=\"a\">A</button>\n  - attempting click action\n    2 × waiting for element to be visible, enabled and stable\n"), false},
		{"acted, and the next page is slow", timeout("  - waiting for locator('#go')\n    - locator resolved to <a id=\"go\">Go</a>\n  - attempting click action\n    - performing click action\n    - click action done\n    - waiting for scheduled navigations to finish\n    - navigated to \"http://127.0.0.1/next\"\n"), false},
		{"dragged, and the target is not there", timeout("  - waiting for locator('#a')\n    - locator resolved to <p id=\"a\">A</p>\n    - move and down action done\n  - waiting for locator('#b')\n"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := neverFound(c.err); got != c.want {
				t.Errorf("lost %v, want %v", got, c.want)
			}
		})
	}
}
