package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/breadcrumb/action/internal/workflowlint"
)

// shared are our rules and the rule of zizmor's that looks for the same.
var shared = map[string]string{
	"template-injection":    "template-injection",
	"untrusted-checkout":    "dangerous-triggers",
	"github-env":            "github-env",
	"self-hosted-runner":    "self-hosted-runner",
	"artipacked":            "artipacked",
	"persist-credentials":   "artipacked",
	"cache-poisoning":       "cache-poisoning",
	"secrets-inherit":       "secrets-inherit",
	"excessive-permissions": "excessive-permissions",
	"unpinned-uses":         "unpinned-uses",
	"unpinned-images":       "unpinned-images",
}

// difference is a place where only one of the two finds something.
type difference struct {
	rule string // zizmor's name
	file string
	line int
	ours bool // only we find it, not only zizmor
	text string
}

// count is how many places of one rule both find, and only one of them.
type count struct{ both, theirs, ours int }

// comparison is what came of all files.
type comparison struct {
	files       int // that are workflows or actions
	counts      map[string]*count
	differences []difference
}

// compare looks at every file that zizmor's tests name.
func compare(repository fs.FS, expected []expectation) (comparison, error) {
	c := comparison{counts: map[string]*count{}}
	for _, e := range expected {
		text, err := fs.ReadFile(repository, path.Join(dataFolder, e.file))
		if err != nil {
			return c, fmt.Errorf("read zizmor's test data: %w", err)
		}
		result, err := workflowlint.Check(e.file, text)
		if err != nil {
			continue // pre-commit's and Dependabot's files, which are neither
		}
		c.files++
		c.compareFile(e, result.Findings)
	}
	slices.SortFunc(c.differences, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	return c, nil
}

// compareFile pairs the findings of one file by rule and place.
func (c *comparison) compareFile(e expectation, ours []workflowlint.Finding) {
	matched := make([]bool, len(e.findings))
	for _, f := range ours {
		rule, found := shared[f.Rule], false
		for i, theirs := range e.findings {
			if theirs.rule == rule && f.Line >= theirs.first-1 && f.Line <= theirs.last {
				found, matched[i] = true, true
			}
		}
		if found {
			c.of(rule).both++
			continue
		}
		c.of(rule).ours++
		c.differences = append(c.differences, difference{rule, e.file, f.Line, true, f.Rule + ": " + f.Text})
	}
	for i, theirs := range e.findings {
		if matched[i] || !isShared(theirs.rule) {
			continue
		}
		c.of(theirs.rule).theirs++
		c.differences = append(c.differences, difference{theirs.rule, e.file, theirs.line, false, ""})
	}
}

func (c *comparison) of(rule string) *count {
	if c.counts[rule] == nil {
		c.counts[rule] = &count{}
	}
	return c.counts[rule]
}

func isShared(rule string) bool {
	for _, name := range shared {
		if name == rule {
			return true
		}
	}
	return false
}
