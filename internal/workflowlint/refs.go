package workflowlint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// refEvents are the events besides push and whether github.ref names something that only
// the repository's owners or GitHub choose: the default branch, or a pull request by its
// number (https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows).
var refEvents = []string{
	"pull_request", "pull_request_review", "pull_request_review_comment", // refs/pull/1/merge
	"schedule", "workflow_run", "issue_comment", "issues", "discussion", "discussion_comment", "repository_dispatch",
	"watch", "fork", "gollum", "label", "milestone", "page_build", "public", "status", "check_run", "check_suite",
	"branch_protection_rule", "project", "project_card", "project_column",
}

// isFixedRef reports whether github.ref is the same few names in every run: nobody may
// choose it.
func (d *document) isFixedRef() bool {
	for event, filter := range d.triggers {
		switch event {
		case "push":
			branches, tags := field(filter, "branches"), field(filter, "tags")
			if branches == nil && tags == nil || field(filter, "branches-ignore") != nil || field(filter, "tags-ignore") != nil ||
				!isLiteral(branches) || !isLiteral(tags) {
				return false
			}
		case "pull_request_target":
			if !d.isFixedBase() {
				return false
			}
		default:
			if !slices.Contains(refEvents, event) {
				return false
			}
		}
	}
	return len(d.triggers) > 0
}

// isFixedBase reports whether pull requests start the workflow for a few named branches
// alone.
func (d *document) isFixedBase() bool {
	fixed := false
	for _, event := range []string{"pull_request", "pull_request_target"} {
		filter, starts := d.triggers[event]
		if !starts {
			continue
		}
		if branches := field(filter, "branches"); branches == nil || !isLiteral(branches) {
			return false
		}
		fixed = true
	}
	return fixed && !d.startsOn("workflow_call", "workflow_run") // whose pull requests are others
}

// harmlessPattern matches branches and tags as a filter has them, of which every name that
// fits is harmless in a script: no * or ?, which stand for any letter.
var harmlessPattern = lazyregexp.New(`^(?:[\w./+-]|\[[\w-]+\])+$`)

// isLiteral reports whether every pattern of a filter fits harmless names alone.
func isLiteral(patterns *yaml.Node) bool {
	return !slices.ContainsFunc(texts(patterns), func(p string) bool {
		return !strings.HasPrefix(p, "!") && !harmlessPattern.MatchString(p)
	})
}
