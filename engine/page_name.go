package engine

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Bounds of a page's address.
const (
	maxSteps      = 32 // steps that are kept, the last ones
	maxStep       = 64 // bytes of a step or value; a longer one is taken for an id
	maxParameters = 16
)

// What stands in a page's name for a part that is not always the same.
const (
	anyID     = "*"  // an id: it is not known yet whether it is always the same
	varyingID = "#"  // an id that differed between runs
	varying   = "**" // anything: it differed between runs
)

// routing are the names of the parameters of an address that say which page it is, as
// applications write them, and names of ids. What others say never tells pages apart:
// campaigns, sessions, tokens, orders and filters of a list.
var routing = lazyregexp.New(`(?i)^(page|view|tab|section|screen|route|path|p|r|module|mod|controller|action|act|do|task|option|step|panel|area|menu|mode|show|component|site|id|[a-z]+[_-]id)$|^[a-z]+I[dD]$`)

// notRouting are ids of those who come and how, not of pages.
var notRouting = lazyregexp.New(`(?i)session|sess|client|click|visitor|trace|request|utm|campaign|token|csrf|state|nonce|device|correlation`)

// PageAddress returns what tells a page from the others of its site, by the parts of
// its address as they are written: the path, with the route in the fragment where that
// begins with "/" or "!/", and the parameters that say which page it is, sorted. A part
// too long to be a name is "*".
func PageAddress(address, query, fragment string) string {
	if route := strings.TrimPrefix(fragment, "!"); strings.HasPrefix(route, "/") {
		route, more, _ := strings.Cut(route, "?")
		address += "/" + route
		query += "&" + more
	}
	steps := splitPath(address)
	for i, step := range steps {
		steps[i] = shortPart(step)
	}
	return joinPage(steps[max(0, len(steps)-maxSteps):], routingOf(query))
}

func shortPart(part string) string {
	if len(part) > maxStep || strings.ContainsAny(part, "?&=*#") {
		return anyID
	}
	return part
}

// routingOf returns the parameters of a query that say which page it is. Of two of a
// name the first counts.
func routingOf(query string) map[string]string {
	kept := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if _, known := kept[name]; !known && value != "" && len(name) <= maxStep && len(kept) < maxParameters &&
			routing.MatchString(name) && !notRouting.MatchString(name) {
			kept[name] = shortPart(value)
		}
	}
	return kept
}

// PageName returns the name of the page at an address that PageAddress returned. A part
// that holds a digit becomes "*": it may be an id that changes with every run.
func PageName(address string) string {
	steps, parameters := splitPage(address)
	for i, step := range steps {
		steps[i] = partName(step)
	}
	for name, value := range parameters {
		parameters[name] = partName(value)
	}
	return joinPage(steps, parameters)
}

func partName(part string) string {
	if isID(part) {
		return anyID
	}
	return part
}

// isID reports whether a part of an address may be an id.
func isID(part string) bool {
	return part == anyID || part == varyingID || strings.ContainsAny(part, "0123456789")
}

// RenamePage returns the name of the page of an element that was known by a name, was
// last seen at one address and is now at another. Parts that differ vary from now on;
// an id that is the same again belongs to the name.
func RenamePage(name, last, now string) string {
	names, nameParameters := splitPage(name)
	lasts, lastParameters := splitPage(last)
	steps, parameters := splitPage(now)
	if now == "" {
		return name
	}
	if name == "" || last == "" || len(names) != len(steps) || len(lasts) != len(steps) {
		return PageName(now)
	}
	for i := range steps {
		steps[i] = renamePart(names[i], lasts[i], steps[i])
	}
	for parameter := range lastParameters {
		if _, stayed := parameters[parameter]; !stayed {
			parameters[parameter] = varying
		}
	}
	for parameter, value := range parameters {
		parameters[parameter] = renamePart(nameParameters[parameter], lastParameters[parameter], value)
	}
	return joinPage(steps, parameters)
}

func renamePart(name, last, now string) string {
	switch {
	case name == varying, last != now && (!isID(last) || !isID(now)):
		return varying
	case name == varyingID, last != now:
		return varyingID
	case now == anyID:
		return anyID
	}
	return now // a name, or an id that was the same before
}

// SamePage reports whether the page of a name can be the one at an address: they have
// the same end and the same parameters. The folder a site is mounted below, the ending
// of a file and "index" do not count. An unknown page, "", can be any.
func SamePage(name, address string) bool {
	if name == "" || address == "" {
		return true
	}
	one, parameters := splitPage(name)
	other, others := splitPage(address)
	return sameSteps(trimEnding(one), trimEnding(other)) && sameParameters(parameters, others)
}

func sameSteps(one, other []string) bool {
	varies := false
	for len(one) > 0 && len(other) > 0 {
		x, y := one[len(one)-1], other[len(other)-1]
		if !samePart(x, y) {
			return false
		}
		if x == y && !isID(x) && x != varying {
			return sameRecord(one[:len(one)-1], other[:len(other)-1])
		}
		varies = varies || x == varying || y == varying
		one, other = one[:len(one)-1], other[:len(other)-1]
	}
	return len(one) == len(other) && !varies
}

// sameRecord reports whether the steps before a named one do not end in two ids that are
// not the same: /orders/17/edit and /orders/18/edit.
func sameRecord(one, other []string) bool {
	if len(one) == 0 || len(other) == 0 {
		return true
	}
	x, y := one[len(one)-1], other[len(other)-1]
	return !isNumber(x) || !isNumber(y) || x == y
}

func isNumber(part string) bool { return part != "" && strings.Trim(part, "0123456789") == "" }

func samePart(x, y string) bool {
	wild := func(a, b string) bool { return a == varying || (a == anyID || a == varyingID) && isID(b) }
	return x == y || wild(x, y) || wild(y, x)
}

// sameParameters reports whether no parameter tells two pages apart. One that is an id
// or varies may be missing.
func sameParameters(one, other map[string]string) bool {
	all := maps.Clone(one)
	maps.Copy(all, other)
	for name := range all {
		x, hasX := one[name]
		y, hasY := other[name]
		switch {
		case hasX && hasY && !samePart(x, y):
			return false
		case hasX != hasY && !isID(all[name]) && all[name] != varying:
			return false
		}
	}
	return true
}

// OnPage reports whether the element can be on the page at an address that PageAddress
// returned: the one of its name, or the one where it was last.
func (f Fingerprint) OnPage(address string) bool {
	return SamePage(f.Page, address) || f.PageAddress == address
}

// IsPage reports whether a person who writes page means the page of the element: by its
// name or its address, with or without the parameters.
func (f Fingerprint) IsPage(page string) bool {
	for _, known := range []string{f.Page, f.PageAddress} {
		bare, _, _ := strings.Cut(known, "?")
		if known != "" && (page == known || page == bare) {
			return true
		}
	}
	return f.Page != "" && f.Page == PageName(page)
}

func splitPath(address string) []string {
	return strings.FieldsFunc(address, func(r rune) bool { return r == '/' })
}

// splitPage returns the steps and the parameters of a page's name or address.
func splitPage(page string) (steps []string, parameters map[string]string) {
	address, query, _ := strings.Cut(page, "?")
	parameters = map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			parameters[name] = value
		}
	}
	return splitPath(address), parameters
}

func joinPage(steps []string, parameters map[string]string) string {
	var query []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		query = append(query, name+"="+parameters[name])
	}
	if len(query) == 0 {
		return "/" + strings.Join(steps, "/")
	}
	return "/" + strings.Join(steps, "/") + "?" + strings.Join(query, "&")
}

// trimEnding returns the steps of a page without the file's ending.
func trimEnding(steps []string) []string {
	if len(steps) == 0 {
		return nil
	}
	last := len(steps) - 1
	steps[last] = strings.ToLower(strings.TrimSuffix(steps[last], path.Ext(steps[last])))
	if steps[last] == "index" || steps[last] == "default" {
		return steps[:last]
	}
	return steps
}
