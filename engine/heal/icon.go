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
	for j := i; j < min(p.nodes[i].end, i+maxIconParts); j++ {
		e := &p.elements[j]
		tag := strings.ToLower(e.Tag)
		for _, a := range e.Attributes {
			switch {
			case a.Name == "class":
				icon = appendIconClasses(icon, a.Value, j != i && (tag == "i" || tag == "svg" || tag == "span") && e.OwnText == "")
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

// compareIcons compares two icons. Classes that both have say what they are and
// not which; what only one has says which.
func compareIcons(old, now []string) iconChange {
	if len(old) == 0 || len(now) == 0 {
		return iconNone
	}
	if slices.Equal(old, now) {
		return iconSame
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
	case hasKind(old, "path:") && hasKind(now, "path:") || hasKind(old, "use:") && hasKind(now, "use:") ||
		hasKind(old, "image:") && hasKind(now, "image:") || hasKind(old, "class:") && hasKind(now, "class:"):
		return iconOther
	}
	return iconNone
}

func hasKind(icon []string, kind string) bool {
	return slices.ContainsFunc(icon, func(part string) bool { return strings.HasPrefix(part, kind) })
}
