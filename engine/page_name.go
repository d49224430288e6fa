package engine

import (
	"path"
	"slices"
	"strings"
)

// Bounds of a page's name: the steps that are kept, the last ones, and the bytes
// of one, of which a longer is an id.
const (
	maxSteps = 32
	maxStep  = 64
)

// PageName returns what tells a page from the others of its site: the path of
// its address, and the route in its fragment where that begins with "/" or "!/".
// A step that holds a digit, or is long, may be an id, another one in every run:
// it is "*".
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

// SamePage reports whether two names of PageName can be one page: they end
// alike. What a site is mounted below, the ending of a file and "index" do not
// count, and neither does it when one of them is not known.
func SamePage(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	one, other := steps(a), steps(b)
	for len(one) > 0 && len(other) > 0 {
		last, same := one[len(one)-1], one[len(one)-1] == other[len(other)-1]
		if !same || last != "*" {
			return same
		}
		one, other = one[:len(one)-1], other[:len(other)-1]
	}
	return len(one) == len(other)
}

// steps splits a page's name.
func steps(name string) []string {
	list := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	if len(list) == 0 {
		return nil
	}
	last := len(list) - 1
	list[last] = strings.ToLower(strings.TrimSuffix(list[last], path.Ext(list[last])))
	if slices.Contains([]string{"index", "default"}, list[last]) {
		list = list[:last]
	}
	return list
}
