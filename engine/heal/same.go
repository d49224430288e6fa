package heal

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// SameElement reports whether two fingerprints, learned by whichever tests, are of one
// element of one page for certain: the page is known of both and the same, and they
// have one id of their own, or else they are and say the same at the same place of the
// page. What is alike on another page is another element.
func SameElement(a, b engine.Fingerprint) bool {
	if a.Tag == "" || a.Tag != b.Tag || a.Page == "" || b.Page == "" || !samePage(a, b) {
		return false
	}
	if same, known := compareIDs(a, b); known {
		return same
	}
	return SignatureOf(a) == SignatureOf(b) && slices.Equal(a.DOMPath, b.DOMPath) && a.Heading == b.Heading &&
		slices.Equal(landmarksOf(a), landmarksOf(b)) && (says(a) || slices.Equal(stableAttributes(a), stableAttributes(b)))
}

// samePage reports whether each of two elements can be on the other's page.
func samePage(a, b engine.Fingerprint) bool {
	if a.PageAddress == "" || b.PageAddress == "" {
		return a.Page == b.Page
	}
	return a.OnPage(b.PageAddress) && b.OnPage(a.PageAddress)
}

// compareIDs reports whether two elements have the same id or test id; known is false
// where they have none that tells. One with a digit may be another's in another run.
func compareIDs(a, b engine.Fingerprint) (same, known bool) {
	for _, name := range provingNames {
		one, has := a.Attributes.Get(name)
		other, too := b.Attributes.Get(name)
		if has && too && !isID(one) && !isID(other) {
			return one == other, true
		}
	}
	return false, false
}

// isID reports whether a value tells nothing: it is empty, or holds a digit.
func isID(value string) bool { return value == "" || strings.ContainsAny(value, "0123456789") }

// landmarksOf returns the kinds and ids of the ancestors. Their classes may say how
// they are shown.
func landmarksOf(f engine.Fingerprint) []string {
	return slices.DeleteFunc(slices.Clone(f.Region), func(name string) bool { return strings.HasPrefix(name, "c:") })
}

// says reports whether an element has a text of its own.
func says(f engine.Fingerprint) bool { return strings.TrimSpace(f.Text+f.Name+f.Label) != "" }

// stableAttributes returns the attributes that say what an element is, sorted.
func stableAttributes(f engine.Fingerprint) []string {
	var list []string
	for _, a := range f.Attributes {
		switch a.Name {
		case "value", "style", "checked", "disabled", "aria-expanded", "aria-checked", "aria-invalid":
		default:
			list = append(list, a.Name+"="+a.Value)
		}
	}
	slices.Sort(list)
	return list
}
