package engine

import (
	"path"
	"strings"
)

// Bounds of a page's name.
const (
	maxSteps = 32 // steps that are kept, the last ones
	maxStep  = 64 // bytes of a step; a longer one is taken for an id
)

// PageName returns the name of a page within its site: the path of its address,
// with the route in its fragment where that begins with "/" or "!/". A step that
// holds a digit, or is long, becomes "*": it may be an id that changes with every
// run.
func PageName(address, fragment string) string {
	var steps []string
	if route := strings.TrimPrefix(fragment, "!"); strings.HasPrefix(route, "/") {
		route, _, _ = strings.Cut(route, "?")
		address += "/" + route
	}
	for step := range strings.SplitSeq(address, "/") {
		if step == "" {
			continue
		}
		if strings.ContainsAny(step, "0123456789") || len(step) > maxStep {
			step = "*"
		}
		steps = append(steps, step)
	}
	return "/" + strings.Join(steps[max(0, len(steps)-maxSteps):], "/")
}

// SamePage reports whether two names can be those of one page: they have the
// same end. The folder a site is mounted below, the ending of a file and "index"
// do not count. An unknown name, "", can be any page.
func SamePage(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	one, other := splitSteps(a), splitSteps(b)
	for len(one) > 0 && len(other) > 0 {
		x, y := one[len(one)-1], other[len(other)-1]
		if x != y || x != "*" {
			return x == y
		}
		one, other = one[:len(one)-1], other[:len(other)-1]
	}
	return len(one) == len(other)
}

// splitSteps returns the steps of a page's name without the file's ending.
func splitSteps(name string) []string {
	list := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	if len(list) == 0 {
		return nil
	}
	last := len(list) - 1
	list[last] = strings.ToLower(strings.TrimSuffix(list[last], path.Ext(list[last])))
	if list[last] == "index" || list[last] == "default" {
		return list[:last]
	}
	return list
}
