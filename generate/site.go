// Package generate writes Playwright page objects and tests for the pages of a
// site. Crawl reads the pages, Files writes their code, Write puts it into a
// folder.
//
// Everything a page says is hostile: it becomes a quoted literal, a comment or
// an identifier made of plain letters, never code or a path.
package generate

import (
	"time"

	"github.com/breadcrumb/action/engine/locator"
)

// Limits of a crawl where Options name none.
const (
	DefaultMaxPages = 20
	DefaultMaxBytes = 4 << 20
	DefaultTimeout  = 20 * time.Second
	MaxDepth        = 10
)

// maxElements is how many elements of a page are written.
const maxElements = 120

// Options say what is crawled. The zero value is one page, its HTML as the
// server sends it.
type Options struct {
	Depth    int           // how many links deep, at most MaxDepth; 0 is the one page
	MaxPages int           // pages at most; 0 is DefaultMaxPages
	MaxBytes int64         // bytes of HTML of a page at most; 0 is DefaultMaxBytes
	Timeout  time.Duration // for a page at most; 0 is DefaultTimeout
	// AllowPrivate lets the site be on an address that is not one of the public
	// internet: loopback, a local network.
	AllowPrivate bool
	// TestIDAttribute is the attribute that getByTestId reads; "" is data-testid.
	TestIDAttribute string
	// Browser renders the pages; nil is to read them as they are sent.
	Browser Browser
	// Progress is told before each page is read, and how many are left as far as
	// is known; nil is nobody.
	Progress func(url string, done, left int)
}

// Site is what a crawl found.
type Site struct {
	URL    string   `json:"url"`    // of the first page
	Origin string   `json:"origin"` // scheme, host and port
	Pages  []Page   `json:"pages"`  // in the order they were found
	Notes  []string `json:"notes,omitempty"`
}

// Page is one page and what a test can do on it.
type Page struct {
	URL      string    `json:"url"`  // absolute, without a fragment
	Path     string    `json:"path"` // path and query, or the URL where a path would not lead there
	Title    string    `json:"title"`
	Elements []Element `json:"elements"` // in document order, then those in shadow roots and frames
	Notes    []string  `json:"notes,omitempty"`
}

// Class is what an element is for.
type Class string

// The classes of elements.
const (
	ClassLogin      Class = "login" // a user's name
	ClassPassword   Class = "password"
	ClassEmail      Class = "email"
	ClassSearch     Class = "search"
	ClassText       Class = "text"   // any other field that is typed into
	ClassNumber     Class = "number" // also a range
	ClassDate       Class = "date"   // also times, months, weeks
	ClassColor      Class = "color"
	ClassFile       Class = "file"
	ClassCheckbox   Class = "checkbox" // also a switch
	ClassRadio      Class = "radio"
	ClassDropdown   Class = "dropdown"
	ClassSubmit     Class = "submit"
	ClassButton     Class = "button"
	ClassNavigation Class = "navigation" // a link in a navigation, header or footer
	ClassLink       Class = "link"
	ClassHeading    Class = "heading"
)

// Element is one element of a page, with a locator that finds it alone.
type Element struct {
	Class   Class            `json:"class"`
	Role    string           `json:"role,omitempty"`
	Name    string           `json:"name,omitempty"` // accessible name
	Locator locator.Selector `json:"-"`
	Found   string           `json:"locator"` // Locator as TypeScript

	Disabled bool `json:"disabled,omitempty"`
	// Fill is what a test types into it; "" is nothing.
	Fill string `json:"fill,omitempty"`
	// Choose is the value of the option that a test selects; "" is none.
	Choose string `json:"choose,omitempty"`
	// Check is what a test makes of a checkbox or radio button.
	Check Check `json:"check,omitempty"`
	// Leads is the path that a click leads to, as the crawl has seen; "" is
	// not known.
	Leads string `json:"leads,omitempty"`
	// Href is a link's href attribute, "" where it is not to be compared.
	Href string `json:"href,omitempty"`

	// Doc says what the element is for, in a few words; "" is nothing.
	Doc string `json:"doc,omitempty"`

	frame   string // what the frame is called that it is in
	hint    string // what to name it after when it has no name: test id, name, id
	form    int    // number of its form on the page, from 1; 0 is none
	unsized bool   // it may take no room on the page
	target  string // of a link: the absolute URL, "" where a click is not to be tried
}

// Check says what a test makes of a checkbox or radio button.
type Check string

// What a test does to a checkbox or a radio button.
const (
	Tick   Check = "check"
	Untick Check = "uncheck"
)
