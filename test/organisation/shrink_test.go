package organisation

import (
	"flag"
	"slices"
	"testing"
)

// withReplays bounds how often a history is tried while it is shortened.
var withReplays = flag.Int("replays", 300, "how often a history that breaks a rule is tried to shorten it")

// shrink returns a short part of a plan that still breaks what the whole one
// breaks: it drops ever smaller pieces as long as breaks says that it does.
func shrink(plan []step, breaks func([]step) bool) []step {
	replays := 0
	for size := (len(plan) + 1) / 2; size > 0 && replays < *withReplays; {
		before := len(plan)
		for from := len(plan) - size; from > -size && replays < *withReplays; from -= size {
			without := slices.Delete(slices.Clone(plan), max(from, 0), from+size)
			if replays++; breaks(without) {
				plan = without
			}
		}
		if size > 1 || len(plan) == before {
			size = min(size, len(plan)) / 2
		}
	}
	return plan
}

// A history of which three steps matter is shortened to them.
func TestShrinkKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	plan := make([]step, 200)
	for i := range plan {
		plan[i].a = uint32(i)
	}
	has := func(plan []step, n uint32) bool {
		return slices.ContainsFunc(plan, func(s step) bool { return s.a == n })
	}
	short := shrink(plan, func(p []step) bool { return has(p, 3) && has(p, 77) && has(p, 199) })
	if len(short) != 3 || !has(short, 3) || !has(short, 77) || !has(short, 199) {
		t.Errorf("shrunk to %v", short)
	}
}
