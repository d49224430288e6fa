package flaky

import (
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Group returns the identity that the instances of a parametrised test share:
// "t[a]" and "t[b]" are both of "t", in the same environment.
func Group(id engine.TestID) engine.TestID {
	rest, _ := id.CutEnvironment()
	return GroupStem(id) + id[len(rest):]
}

// GroupStem returns the part of an identity before its parameters, and before
// its environment.
func GroupStem(id engine.TestID) engine.TestID {
	id, _ = id.CutEnvironment()
	if i := strings.IndexByte(string(id), '['); i > 0 && strings.HasSuffix(string(id), "]") {
		return id[:i]
	}
	return id
}

// Grouped returns the indexes of ids, those of one parametrised test together,
// in the order in which each test comes first.
func Grouped(ids []engine.TestID) [][]int {
	place := map[engine.TestID]int{}
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

// TestIDs returns the test of each item, for Grouped.
func TestIDs[T any](items []T, id func(T) engine.TestID) []engine.TestID {
	ids := make([]engine.TestID, len(items))
	for i, item := range items {
		ids[i] = id(item)
	}
	return ids
}

// NameGroup names the one test of members, which are indexes of ids as Grouped returns
// them. For several parameters of one test it gives the test's name, how many of the
// sizes of GroupSizes they are and the first as an example. show makes a name fit to
// be shown.
func NameGroup(ids []engine.TestID, members []int, sizes map[engine.TestID]int, show func(string) string) string {
	first := ids[members[0]]
	if len(members) == 1 {
		return show(string(first))
	}
	group := Group(first)
	name := show(string(group)) + " — " + text.Thousands(len(members))
	if all := sizes[group]; all >= len(members) {
		name += " of " + text.Thousands(all)
	}
	return name + " parameters, such as " + show(string(first[len(GroupStem(first)):]))
}

// GroupSizes counts the instances of every parametrised test among ids, by
// Group.
func GroupSizes(ids []engine.TestID) map[engine.TestID]int {
	sizes := map[engine.TestID]int{}
	for _, id := range ids {
		if group := Group(id); group != id {
			sizes[group]++
		}
	}
	return sizes
}
