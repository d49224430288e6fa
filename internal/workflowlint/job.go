package workflowlint

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	nameThem  = "permissions: contents: read at the top, and in each job what that job needs"
	moveToJob = "permissions: {} at the top, and this one in the job that needs it"
)

// excessivePermissions finds jobs that get the repository's default token, or
// more than one job needs.
var excessivePermissions = rule{"excessive-permissions",
	"each step of a job can use all that its token may do, also an action or a dependency that was taken over",
	func(d *document, report reporter) {
		if d.action {
			return
		}
		top := field(d.root, "permissions")
		callerDecides := len(d.triggers) == 1 && d.startsOn("workflow_call") // it gets the caller's permissions
		own := 0
		for _, j := range d.jobs {
			p := field(j.node, "permissions")
			reportTooWide(p, report)
			switch {
			case p != nil:
				own++
			case top == nil && !callerDecides:
				report(j.key, "the job "+j.key.Value+" names no permissions, so its token may do what the repository's settings allow, perhaps write everything", nameThem)
			}
		}
		if own == len(d.jobs) { // none uses those of the workflow
			return
		}
		reportTooWide(top, report)
		if len(d.jobs) < 2 {
			return
		}
		for scope, access := range pairs(top) {
			if text(access) == "write" {
				report(scope, fmt.Sprintf("%s: write is for each job that names no permissions, here %d of %d", scope.Value, len(d.jobs)-own, len(d.jobs)), moveToJob)
			}
		}
	}}

// reportTooWide reports the words that stand for every permission.
func reportTooWide(p *yaml.Node, report reporter) {
	switch text(p) {
	case "write-all":
		report(p, "write-all lets the token write everything", nameThem)
	case "read-all":
		report(p, "read-all lets the token read everything, also alerts of code scanning and private packages", nameThem)
	}
}

// secretsInherit finds called workflows that get every secret.
var secretsInherit = rule{"secrets-inherit",
	"the called workflow gets every secret of this repository, not only those it needs",
	func(d *document, report reporter) {
		for _, j := range d.jobs {
			if n := field(j.node, "secrets"); text(n) == "inherit" {
				report(n, "secrets: inherit gives all of them to "+text(field(j.node, "uses")), "name those it needs: secrets: NAME: ${{ secrets.NAME }}")
			}
		}
	}}

// selfHosted finds jobs on machines of one's own in workflows that strangers
// can start.
var selfHosted = rule{"self-hosted-runner",
	"anybody's pull request or comment runs on a machine that keeps what it left behind, inside your network",
	func(d *document, report reporter) {
		strangers := append([]string{"pull_request", "pull_request_review", "pull_request_review_comment"}, privileged...)
		for _, j := range d.jobs {
			n := field(j.node, "runs-on")
			if n == nil || j.sameRepository() || !d.runsOn(j, step{}, strangers...) {
				continue
			}
			labels := append(texts(n), texts(field(n, "labels"))...)
			isOwn := func(label string) bool {
				return slices.ContainsFunc(j.expandMatrix(label), func(v string) bool { return strings.EqualFold(v, "self-hosted") })
			}
			if text(field(n, "group")) != "" || slices.ContainsFunc(labels, isOwn) {
				report(n, "a workflow that anybody can start runs on a self-hosted runner",
					"runs-on: one of GitHub's runners for what strangers start; or if: github.event.pull_request.head.repo.full_name == github.repository, and runners that are thrown away after each job")
			}
		}
	}}
