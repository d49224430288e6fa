package flaky

import "strings"

// Group returns the identity that the instances of a parametrised test share:
// "t[a]" and "t[b]" are both of "t", in the same environment.
func Group(id string) string {
	_, environment := cutEnvironment(id)
	return GroupStem(id) + environment
}

// GroupStem returns the part of an identity before its parameters, and before
// its environment.
func GroupStem(id string) string {
	id, _ = cutEnvironment(id)
	if i := strings.IndexByte(id, '['); i > 0 && strings.HasSuffix(id, "]") {
		return id[:i]
	}
	return id
}

// Grouped returns the indexes of ids, those of one parametrised test together,
// in the order in which each test comes first.
func Grouped(ids []string) [][]int {
	place := map[string]int{}
	var groups [][]int
	for i, id := range ids {
		group := Group(id)
		at, known := place[group]
		if !known || group == id {
			place[group] = len(groups)
			groups = append(groups, []int{i})
			continue
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// GroupSizes counts the instances of every parametrised test among ids, by
// Group.
func GroupSizes(ids []string) map[string]int {
	sizes := map[string]int{}
	for _, id := range ids {
		if group := Group(id); group != id {
			sizes[group]++
		}
	}
	return sizes
}

// cutEnvironment splits " [environment]" off an id.
func cutEnvironment(id string) (rest, environment string) {
	if i := strings.LastIndex(id, " ["); i > 0 && strings.HasSuffix(id, "]") {
		return id[:i], id[i:]
	}
	return id, ""
}
