package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

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

// ReadableStored is Readable for the name that an element is stored under, which may end
// in the number of its use: #2.
func ReadableStored(name string, lang Language) string {
	selector, use := cutUse(name)
	return Readable(selector, lang) + use
}

// SameStored reports whether two names, as stored or as a test writes them, are of the
// same use of the same locator.
func SameStored(a, b string) bool {
	first, use := cutUse(a)
	second, otherUse := cutUse(b)
	x, err := Parse(first)
	y, otherErr := Parse(second)
	return a == b || use == otherUse && err == nil && otherErr == nil && slices.EqualFunc(x.Parts, y.Parts, Part.matches)
}

var useNumber = lazyregexp.New(` #\d{1,4}$`)

func cutUse(name string) (selector, use string) {
	use = useNumber.FindString(name)
	return strings.TrimSuffix(name, use), use
}
