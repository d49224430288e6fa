package locator

import "strings"

// Readable returns a selector as people of a language write it, without the page that
// it starts from: getByRole('button', { name: 'Join' }). A selector of which only
// Playwright's engines have a form, or that is no call's, CSS above all, is returned as
// it is.
func Readable(selector string, lang Language) string {
	if !strings.Contains(selector, "internal:") {
		return selector
	}
	s, err := Parse(selector)
	if err != nil {
		return selector
	}
	if code := Print(s, lang); !strings.Contains(code, "internal:") {
		return strings.TrimPrefix(code, "page.")
	}
	return selector
}
