package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what of an element is compared. What is longer or more is cut.
const (
	MaxTextBytes  = 1_600 // bytes of a text, name or label
	MaxAttributes = 64    // attributes
)

// BoundingBox is an element's place on the page in CSS pixels.
type BoundingBox struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Attribute is one HTML attribute. Its JSON form is the seed's: ["name","value"].
type Attribute struct{ Name, Value string }

// MarshalJSON returns ["name","value"].
func (a Attribute) MarshalJSON() ([]byte, error) {
	return compact([2]string{a.Name, a.Value})
}

// UnmarshalJSON reads ["name","value"]; a null value reads as "".
func (a *Attribute) UnmarshalJSON(b []byte) error {
	var pair []*string
	if err := json.Unmarshal(b, &pair); err != nil || len(pair) != 2 || pair[0] == nil {
		return fmt.Errorf("attribute %.40s is not a [name, value] pair", b)
	}
	a.Name = *pair[0]
	if pair[1] != nil {
		a.Value = *pair[1]
	}
	return nil
}

// Fingerprint is the identity snapshot of a page element. The first eight
// fields are the seed's, in its to_dict order; the rest are optional and the
// seed ignores them.
type Fingerprint struct {
	Tag        string       `json:"tag"`
	Text       string       `json:"text"`
	Attributes Attributes   `json:"attributes"`
	DOMPath    []string     `json:"dom_path"`
	Siblings   []string     `json:"siblings"`
	Locator    string       `json:"locator"`
	TestID     TestID       `json:"test_id"`
	BBox       *BoundingBox `json:"bbox"`

	Role       string   `json:"role,omitempty"`
	Name       string   `json:"name,omitempty"` // accessible name
	Label      string   `json:"label,omitempty"`
	Neighbours []string `json:"neighbours,omitempty"`
	Href       string   `json:"href,omitempty"`
	Visible    *bool    `json:"visible,omitempty"`

	OwnText  string   `json:"own_text,omitempty"` // text of the element without its descendants'
	Heading  string   `json:"heading,omitempty"`  // nearest heading above
	Around   string   `json:"around,omitempty"`   // text of the parent, cut
	Region   []string `json:"region,omitempty"`   // what the ancestors are: "t:nav", "c:sidebar", "i:menu"
	Place    *Place   `json:"place,omitempty"`
	Varies   []string `json:"varies,omitempty"`   // words in and around it that differ from run to run, in lower case
	Differed []string `json:"differed,omitempty"` // words that differed once: another difference makes them vary
	Unsteady []string `json:"unsteady,omitempty"` // attributes whose values differed between two loads
	Site     *Site    `json:"site,omitempty"`     // where the test looks for it
	Page     string   `json:"page,omitempty"`     // PageName of where it was, with what differed between runs

	PageAddress string `json:"page_address,omitempty"` // where it was last
	Headline    string `json:"headline,omitempty"`     // title and main heading of that page
}

// Place says where in its page an element was.
type Place struct {
	Ordinal    int     `json:"ordinal"`               // 0-based among its siblings
	Nth        int     `json:"nth"`                   // 0-based among its siblings of the same tag
	Siblings   int     `json:"siblings"`              // children of its parent
	Children   int     `json:"children"`              // its own
	Size       int     `json:"size"`                  // elements in its subtree, itself included
	Path       string  `json:"path"`                  // hash of the indexed path from the root, 16 hex digits
	Before     string  `json:"before,omitempty"`      // tag of the sibling before it
	After      string  `json:"after,omitempty"`       // tag of the sibling after it
	SameText   int     `json:"same_text,omitempty"`   // visible elements of its kind with its text
	SameName   int     `json:"same_name,omitempty"`   // and with its name, itself included
	Index      int     `json:"index,omitempty"`       // 0-based among those
	PageHeight float64 `json:"page_height,omitempty"` // CSS pixels
}

// StoredLocator returns the name a locator is stored under. The first of the
// places in a test that look for the same has the locator's own, as the seed
// knows it; the occurrences after it are numbered: "#2" is no selector.
func StoredLocator(locator string, occurrence int) string {
	if occurrence == 0 {
		return locator
	}
	return fmt.Sprintf("%s #%d", locator, occurrence+1)
}

// SplitStored returns the locator and the occurrence of a name that StoredLocator
// returned.
func SplitStored(name string) (locator string, occurrence int) {
	at := strings.LastIndex(name, " #")
	if at < 0 {
		return name, 0
	}
	n, err := strconv.Atoi(name[at+len(" #"):])
	if err != nil || n < 2 || name != StoredLocator(name[:at], n-1) {
		return name, 0
	}
	return name[:at], n - 1
}

// Attributes is a set of attributes. It marshals sorted by name and value, and
// reads the seed's list of pairs as well as a plain object.
type Attributes []Attribute

// Get returns the value of the named attribute and whether it is there.
func (as Attributes) Get(name string) (string, bool) {
	for _, a := range as {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// MarshalJSON returns the seed's form: a sorted list of pairs, never null.
func (as Attributes) MarshalJSON() ([]byte, error) {
	sorted := append(make([]Attribute, 0, len(as)), as...)
	slices.SortFunc(sorted, compareAttributes)
	return compact(sorted)
}

func compareAttributes(a, b Attribute) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
}

// UnmarshalJSON reads a list of pairs or an object of names to values.
func (as *Attributes) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		var object map[string]string
		if err := json.Unmarshal(b, &object); err != nil {
			return fmt.Errorf("read attributes: %w", err)
		}
		*as = (*as)[:0]
		for name, value := range object {
			*as = append(*as, Attribute{name, value})
		}
		slices.SortFunc(*as, compareAttributes)
		return nil
	}
	if as.readPlain(b) || as.readStrings(b) {
		return nil
	}
	var pairs []Attribute
	if err := json.Unmarshal(b, &pairs); err != nil {
		return fmt.Errorf("read attributes: %w", err)
	}
	*as = pairs
	return nil
}

// readPlain reads a list of pairs of strings in which nothing is escaped, written as
// JavaScript or Python writes it, and reports whether b is one. Nearly all are, and a page
// of thousands of elements feels it.
func (as *Attributes) readPlain(b []byte) bool {
	if bytes.IndexByte(b, '\\') >= 0 || !utf8.Valid(b) {
		return false
	}
	rest, ok := strings.CutPrefix(string(b), "[")
	list := make(Attributes, 0, strings.Count(rest, "["))
	for ok && rest != "]" {
		if len(list) > 0 {
			rest, ok = cutComma(rest)
		}
		var a Attribute
		if ok {
			rest, ok = strings.CutPrefix(rest, "[")
		}
		if ok {
			a.Name, rest, ok = cutString(rest)
		}
		if ok {
			rest, ok = cutComma(rest)
		}
		if ok {
			a.Value, rest, ok = cutString(rest)
		}
		if ok {
			rest, ok = strings.CutPrefix(rest, "]")
		}
		list = append(list, a)
	}
	if ok {
		*as = list
	}
	return ok
}

func cutComma(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, ",")
	return strings.TrimPrefix(rest, " "), ok
}

func cutString(text string) (value, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, `"`); !ok {
		return "", text, false
	}
	return strings.Cut(rest, `"`)
}

// readStrings reads any list of pairs of strings in one pass, and reports whether b is
// one.
func (as *Attributes) readStrings(b []byte) bool {
	var pairs [][]string
	if err := json.Unmarshal(b, &pairs); err != nil || pairs == nil || bytes.Contains(b, []byte("null")) {
		return false
	}
	list := make(Attributes, len(pairs))
	for i, pair := range pairs {
		if len(pair) != 2 {
			return false
		}
		list[i] = Attribute{pair[0], pair[1]}
	}
	*as = list
	return true
}
