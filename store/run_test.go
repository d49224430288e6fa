package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// The database and the engine have one rule for whose run counts.
func TestTheOriginOfATrustedRunCountsForEverybody(t *testing.T) {
	t.Parallel()
	for i := range 32 {
		info := engine.RunInfo{RunID: int64(i & 1), PullRequest: i >> 1 & 1, Fork: i&4 != 0, DefaultBranch: i&8 != 0}
		if i&16 != 0 {
			info.MergeGroup = []int{12}
		}
		counts := strings.Contains(TrustedOrigins, fmt.Sprint(int(OriginOf(info))))
		if counts != info.Trusted() {
			t.Errorf("%+v: the database says %v, the engine %v", info, counts, info.Trusted())
		}
	}
}

func TestSourcesOfARun(t *testing.T) {
	t.Parallel()
	const queue = "gh-readonly-queue/main/pr-12-abc"
	for name, c := range map[string]struct {
		info engine.RunInfo
		want []string
	}{
		"the default branch":       {engine.RunInfo{RunID: 1, DefaultBranch: true, Branch: "main"}, nil},
		"here":                     {engine.RunInfo{Branch: "topic"}, nil},
		"a branch":                 {engine.RunInfo{RunID: 1, Branch: "topic"}, []string{"branch topic"}},
		"a pull request":           {engine.RunInfo{RunID: 1, Branch: "topic", PullRequest: 12}, []string{"pr-12"}},
		"a merge group of one":     {engine.RunInfo{RunID: 1, Branch: queue, MergeGroup: []int{12}}, []string{"pr-12"}},
		"a merge group of several": {engine.RunInfo{RunID: 1, Branch: queue, MergeGroup: []int{12, 13}}, []string{"pr-12", "pr-13"}},
	} {
		if got := SourceOf(OriginOf(c.info), c.info.Branch, c.info.PullRequest, c.info.MergeGroup); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAGroupIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{"": nil, "12": {12}, "12 13": {12, 13}} {
		got, err := ParseGroup(text)
		if err != nil || !slices.Equal(got, want) || FormatGroup(got) != text {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got := FormatGroup([]int{13, 12, 13}); got != "12 13" {
		t.Errorf("written as %q", got)
	}
	for _, text := range []string{" ", "x", "0", "-1", "13 12", "12 12", "12  13", "012", "12 ", strings.Repeat("1", 40), FormatGroup(slices.Collect(numbers(MaxMergeGroup + 1)))} {
		if got, err := ParseGroup(text); err == nil {
			t.Errorf("%.20q was read as %v", text, got)
		}
	}
}

// numbers yields 1 to n.
func numbers(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i + 1) {
				return
			}
		}
	}
}
