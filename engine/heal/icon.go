package heal

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// maxIconParts is how many elements inside a control are looked at for its icon.
const maxIconParts = 12

// iconOf returns what identifies the picture of an element without words, sorted:
// words of icon classes, the target of a <use>, the shape of a path, the name of
// an image file. It is nil where there is no picture.
func (p *Page) iconOf(i int32) []string {
	var icon []string
	n := &p.nodes[i]
	bare := n.best == 0 && n.children == 0 && (n.kind == kindButton || n.kind == kindLink)
	for j := i; j < min(p.nodes[i].end, i+maxIconParts); j++ {
		e := &p.elements[j]
		tag := strings.ToLower(e.Tag)
		for _, a := range e.Attributes {
			switch {
			case a.Name == "class":
				icon = appendIconClasses(icon, a.Value, bare || j != i && (tag == "i" || tag == "svg" || tag == "span") && e.OwnText == "")
			case tag == "use" && (a.Name == "href" || a.Name == "xlink:href"):
				icon = append(icon, "use:"+a.Value[strings.LastIndexByte(a.Value, '#')+1:])
			case tag == "path" && a.Name == "d", tag == "polygon" && a.Name == "points":
				icon = append(icon, "path:"+token.Cut(a.Value, 60))
			case tag == "img" && a.Name == "src":
				icon = append(icon, "image:"+imageName(a.Value))
			}
		}
	}
	slices.Sort(icon)
	return slices.Compact(icon)
}

// maxDrawings is how many different icons a matcher remembers.
const maxDrawings = 8

// iconMatcher returns a function that reports whether another element has the icon of
// element i; both are of one kind and without words. Most icons of a page are written
// alike, row by row: of those only the first is read.
func (p *Page) iconMatcher(i int32) func(j int32) bool {
	type read struct {
		element int32
		same    bool
	}
	icon, known := p.iconOf(i), []read{{i, true}}
	return func(j int32) bool {
		for _, d := range known {
			if p.drawnAlike(d.element, j) {
				return d.same
			}
		}
		d := read{j, slices.Equal(icon, p.iconOf(j))}
		if len(known) < maxDrawings {
			known = append(known, d)
		}
		return d.same
	}
}

// drawnAlike reports whether two elements of one kind, both without words, have the
// same of all that iconOf reads.
func (p *Page) drawnAlike(i, j int32) bool {
	parts := min(p.nodes[i].end-i, maxIconParts)
	if parts != min(p.nodes[j].end-j, maxIconParts) {
		return false
	}
	for k := range parts {
		a, b := &p.elements[i+k], &p.elements[j+k]
		if a.Tag != b.Tag || (a.OwnText == "") != (b.OwnText == "") || len(a.Attributes) != len(b.Attributes) {
			return false
		}
		for n, x := range a.Attributes {
			y := b.Attributes[n]
			if x.Name != y.Name || x.Value != y.Value && drawing(x.Name) {
				return false
			}
		}
	}
	return true
}

// drawing reports whether an attribute may say what a picture shows.
func drawing(name string) bool {
	switch name {
	case "class", "href", "xlink:href", "d", "points", "src":
		return true
	}
	return false
}

// iconHints are parts of classes that name an icon.
var iconHints = []string{"icon", "fa-", "bi-", "mdi", "glyph", "symbol", "ti-", "ri-", "la-", "material"}

// appendIconClasses appends the words of classes that name an icon; all classes
// of an element that is nothing but a picture may.
func appendIconClasses(icon []string, class string, picture bool) []string {
	for c := range token.Classes(token.Cut(class, maxValueBytes)) {
		if picture || slices.ContainsFunc(iconHints, func(h string) bool { return strings.Contains(c, h) }) {
			icon = append(icon, "class:"+strings.ToLower(c))
		}
	}
	return icon
}

// imageName returns the name of an image file without folder, ending and the
// hash that a build tool added.
func imageName(src string) string {
	if strings.HasPrefix(src, "data:") {
		return token.Cut(src, 80)
	}
	name := hrefTail(src)
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return strings.ToLower(name)
}

// iconChange says how two icons compare.
type iconChange int

const (
	iconNone  iconChange = iota // at least one side has no picture that is known
	iconSame                    // the same picture
	iconOther                   // another picture
)

// compareIcons compares two icons. Parts that both have say what they are and not
// which; what only one has says which. Icons of two sets cannot be compared.
func compareIcons(old, now []string) iconChange {
	if len(old) == 0 || len(now) == 0 {
		return iconNone
	}
	both := 0
	for _, part := range old {
		if slices.Contains(now, part) {
			both++
		}
	}
	switch {
	case both == len(old) || both == len(now):
		return iconSame
	case hasKind(old, "path:") && hasKind(now, "path:") || hasKind(old, "use:") && hasKind(now, "use:") || hasKind(old, "image:") && hasKind(now, "image:"):
		return iconOther
	case hasKind(old, "class:") && hasKind(now, "class:") && sameSet(old, now):
		return iconOther
	}
	return iconNone
}

// sameSet reports whether two icons have classes of one set: fa fa-trash and
// fa fa-share, but not fas fa-share, which is another version of it.
func sameSet(old, now []string) bool {
	family := func(part string) string { return part[:strings.IndexByte(part+"-", '-')] }
	named := func(icon []string) (families, marks []string) {
		for _, part := range icon {
			if strings.Contains(part, "-") {
				families = append(families, family(part))
			} else {
				marks = append(marks, part)
			}
		}
		return families, marks
	}
	oldFamilies, oldMarks := named(old)
	nowFamilies, nowMarks := named(now)
	shared := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
	}
	return shared(oldFamilies, nowFamilies) && (len(oldMarks) == 0 && len(nowMarks) == 0 || shared(oldMarks, nowMarks))
}

func hasKind(icon []string, kind string) bool {
	return slices.ContainsFunc(icon, func(part string) bool { return strings.HasPrefix(part, kind) })
}
