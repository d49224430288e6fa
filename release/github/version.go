package main

import (
	"cmp"
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
