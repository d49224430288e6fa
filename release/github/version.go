package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// version is a release's: v1.2.3, or v1.2.3-rc.4 of a candidate for it.
type version struct {
	major, minor, patch int
	candidate           int // 0 of a release
}

var versionPattern = regexp.MustCompile(`^v(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(?:-rc\.([1-9][0-9]{0,8}))?$`)

// parseVersion reads a version and reports whether it is one.
func parseVersion(text string) (version, bool) {
	m := versionPattern.FindStringSubmatch(text)
	if m == nil {
		return version{}, false
	}
	var n [4]int
	for i, digits := range m[1:] {
		n[i], _ = strconv.Atoi(digits) // of a candidate that is none it is 0
	}
	return version{n[0], n[1], n[2], n[3]}, true
}

func (v version) String() string {
	text := fmt.Sprintf("v%d.%d.%d", v.major, v.minor, v.patch)
	if v.candidate > 0 {
		text += fmt.Sprintf("-rc.%d", v.candidate)
	}
	return text
}

// release is the version without the candidate's number.
func (v version) release() version { return version{v.major, v.minor, v.patch, 0} }

// checkFollows returns why a version cannot be the next one, where the repository has
// these tags. What is out itself can be: it is completed.
func checkFollows(v version, tags []string) error {
	if slices.Contains(tags, "withdrawn/"+v.String()) {
		return fmt.Errorf("%s is withdrawn: take the next version", v)
	}
	var out []version
	for _, tag := range tags {
		if known, ok := parseVersion(tag); ok {
			out = append(out, known)
		}
	}
	before := v
	before.candidate--
	switch {
	case slices.Contains(out, v):
		return nil
	case v.candidate > 0 && slices.Contains(out, v.release()):
		return fmt.Errorf("%s is out: a candidate comes before it", v.release())
	case v.candidate > 1 && !slices.Contains(out, before):
		return fmt.Errorf("%s does not follow: there is no %s", v, before)
	}
	released := slices.DeleteFunc(out, func(known version) bool { return known.candidate > 0 })
	next := nextVersions(released)
	if slices.Contains(next, v.release()) {
		return nil
	}
	if len(released) == 0 {
		return errors.New("nothing is released yet: the first version is v0.1.0 or v1.0.0")
	}
	newest := slices.MaxFunc(released, compareVersions)
	return fmt.Errorf("%s does not follow %s, the newest: next are %v", v.release(), newest,
		slices.DeleteFunc(next, func(n version) bool { return compareVersions(n, newest) < 0 }))
}

func compareVersions(a, b version) int {
	return cmp.Or(a.major-b.major, a.minor-b.minor, a.patch-b.patch)
}

// nextVersions returns the versions that follow those released, in order: the next patch
// of each minor version, the next minor of each major, the next major.
func nextVersions(released []version) []version {
	if len(released) == 0 {
		return []version{{minor: 1}, {major: 1}}
	}
	var next []version
	for _, v := range released {
		for _, n := range []version{{v.major, v.minor, v.patch + 1, 0}, {v.major, v.minor + 1, 0, 0}, {v.major + 1, 0, 0, 0}} {
			isTaken := func(known version) bool {
				switch {
				case n.patch > 0:
					return known.major == n.major && known.minor == n.minor && known.patch >= n.patch
				case n.minor > 0:
					return known.major == n.major && known.minor >= n.minor
				}
				return known.major >= n.major
			}
			if !slices.ContainsFunc(released, isTaken) && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
	}
	slices.SortFunc(next, compareVersions)
	return next
}
