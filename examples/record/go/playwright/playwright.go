// Package playwright has the few calls of playwright-go that the example's
// tests use, sent to server.js, which heals and makes them with Playwright for
// Node.
package playwright

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Playwright stands for the driver.
type Playwright struct{ Chromium BrowserType }

// Run returns the driver, which is running already.
func Run() (*Playwright, error) { return &Playwright{}, nil }

// Stop leaves the driver running for the next test.
func (*Playwright) Stop() error { return nil }

// BrowserType launches the browser that server.js holds.
type BrowserType struct{}

// Launch returns the browser.
func (BrowserType) Launch() (Browser, error) { return Browser{}, nil }

// Browser is the browser that server.js holds.
type Browser struct{}

// NewPage opens a page.
func (Browser) NewPage() (Page, error) {
	id, err := call("open", nil)
	return Page{id}, err
}

// Page is a page that server.js holds.
type Page struct{ id string }

// Goto opens address.
func (p Page) Goto(address string) (any, error) {
	return call("goto", url.Values{"page": {p.id}, "url": {address}})
}

// Locator returns a locator that remembers the test and line it was made in.
func (p Page) Locator(selector string) Locator {
	_, file, line, _ := runtime.Caller(1)
	return Locator{p.id, selector, "go/" + filepath.Base(file), line}
}

// Locator is a locator of a page.
type Locator struct {
	page, selector, file string
	line                 int
}

// Click clicks the element.
func (l Locator) Click() error { return l.act("click", nil) }

// Fill fills the element with value.
func (l Locator) Fill(value string) error { return l.act("fill", url.Values{"value": {value}}) }

// InnerText returns the element's text.
func (l Locator) InnerText() (string, error) {
	return call("read", url.Values{"page": {l.page}, "selector": {l.selector}, "what": {"innerText"}})
}

func (l Locator) act(action string, more url.Values) error {
	fields := url.Values{
		"page": {l.page}, "selector": {l.selector}, "action": {action}, "runner": {"gotestsum"},
		"test": {"shop.example/tests › " + testName()}, "file": {l.file}, "line": {strconv.Itoa(l.line)},
	}
	for name, value := range more {
		fields[name] = value
	}
	_, err := call("act", fields)
	return err
}

// testName returns the top-level test function on the stack.
func testName() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
		if _, name, ok := strings.Cut(name, ".Test"); ok {
			name, _, _ = strings.Cut(name, ".func")
			return "Test" + name
		}
		if !more {
			return ""
		}
	}
}

func call(verb string, fields url.Values) (string, error) {
	response, err := http.PostForm(os.Getenv("SHOP_URL")+"/driver/"+verb, fields)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(string(text))
	}
	return string(text), err
}
