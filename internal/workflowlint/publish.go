package workflowlint

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// publishers are actions that publish what the job made.
var publishers = []string{
	"pypa/gh-action-pypi-publish", "rubygems/release-gem", "jreleaser/release-action", "goreleaser/goreleaser-action",
	"softprops/action-gh-release", "ncipollo/release-action", "docker/build-push-action", "redhat-actions/push-to-registry",
	"aws-actions/amazon-ecs-deploy-task-definition", "aws-actions/aws-cloudformation-github-deploy",
	"azure/aci-deploy", "azure/functions-action", "azure/container-apps-deploy-action", "azure/sql-action",
	"cloudflare/wrangler-action", "google-github-actions/deploy-cloudrun", "google-github-actions/deploy-appengine",
	"google-github-actions/deploy-cloud-functions", "actions/attest-build-provenance", "changesets/action",
	"googleapis/release-please-action", "release-drafter/release-drafter",
}

var publishCommand = lazyregexp.New(`(?m)(?:^\s*(?:npm|pnpm|yarn|cargo|poetry|uv|flit|hatch|bun)\s+(?:npm\s+)?publish\b|\bpkg-pr-new\s+publish\b|\btwine\s+upload\b|\bgem\s+push\b|\bgh\s+release\s+(?:create|upload)\b|\bgoreleaser\s+release\b|\bdocker\s+push\b|\bmvn\b[^\n]*\bdeploy\b)[^\n]*`)

// rehearsal matches the flags with which a command publishes nothing.
var rehearsal = lazyregexp.New(`--dry-run|--snapshot\b|--skip[= ]?publish`)

// publishes reports whether a step publishes something in a situation.
func (s step) publishes(when situation) bool {
	if !when.mayHold(text(field(s.node, "if"))) {
		return false
	}
	if s.run != nil {
		return slices.ContainsFunc(publishCommand.FindAllString(s.run.Value, -1), func(line string) bool { return !rehearsal.MatchString(line) })
	}
	switch args := s.input("args"); s.name {
	case "docker/build-push-action":
		push := when.input(s.input("push"))
		return !push.known || push.truth && push.text != "false"
	case "goreleaser/goreleaser-action": // its other commands build or check; installed alone, a script calls it
		return !rehearsal.MatchString(args) && (strings.Contains(args, "release") || strings.Contains(args, "${{") || s.input("install-only") == "true")
	}
	return slices.Contains(publishers, s.name)
}

// whyPublished returns why what a job made may be published in a situation, "" when it
// cannot be.
func (d *document) whyPublished(j job, when situation) string {
	if !when.mayHold(text(field(j.node, "if"))) {
		return ""
	}
	if slices.ContainsFunc(j.steps, func(s step) bool { return s.publishes(when) }) {
		return "in a job that publishes"
	}
	if !when.release {
		return ""
	}
	if d.onlyReleases() {
		return "in a job that only a release starts"
	}
	if why := d.whyItMayPublish(j); why != "" {
		return "in a job that a release starts and " + why
	}
	if field(j.node, "outputs") != nil && d.isNeededToPublish(j.key.Value, nil) {
		return "in a job that a release starts and whose outputs go to one that may publish"
	}
	return ""
}

// onlyReleases reports whether nothing but a release, or a person, starts the workflow.
// Every job of such a workflow counts as a part of the release; of others, such as tests
// that tags start as well, those that may publish.
func (d *document) onlyReleases() bool {
	return !slices.ContainsFunc(d.starts, func(s situation) bool { return !s.release && s.event != "workflow_dispatch" })
}

// whyItMayPublish returns what lets a job publish by a command that is not known.
func (d *document) whyItMayPublish(j job) string {
	permissions := field(j.node, "permissions")
	if permissions == nil {
		permissions = field(d.root, "permissions")
	}
	if permissions == nil || text(permissions) == "write-all" {
		return "whose token may write"
	}
	for scope, access := range pairs(permissions) {
		if text(access) == "write" && slices.Contains(publishingScopes, scope.Value) {
			return "whose token may write " + scope.Value
		}
	}
	for _, s := range j.steps {
		switch {
		case handsOn.MatchString(s.name):
			return "whose artifact others may publish"
		case s.name != "codecov/codecov-action" && namesSecret(s.node):
			return "that has a secret"
		}
	}
	if namesSecret(field(j.node, "env")) || namesSecret(field(d.root, "env")) || namesSecret(field(j.node, "container")) {
		return "that has a secret"
	}
	if namedToPublish.MatchString(j.key.Value + " " + text(field(j.node, "name"))) {
		return "whose name says that it publishes"
	}
	if field(j.node, "environment") != nil {
		return "that deploys to an environment"
	}
	if runsOn := field(j.node, "runs-on"); slices.Contains(texts(runsOn), "self-hosted") || text(field(runsOn, "group")) != "" {
		return "on a machine of its own"
	}
	return ""
}

// publishingScopes are the permissions with which a token publishes.
var publishingScopes = []string{"contents", "packages", "id-token", "attestations", "deployments", "pages", "actions"}

var (
	handsOn        = lazyregexp.New(`upload-\w*artifact|artifacts?/(?:save|upload)`)
	namedToPublish = lazyregexp.New(`(?i)\b(?:publish|release|deploy)`)
	ownedSecret    = lazyregexp.New(`(?i)\bsecrets\s*(?:\[|\.\s*(\w+))`)
)

// namesSecret reports whether a text below a node names a secret besides the job's token.
func namesSecret(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	for _, e := range expressions(n.Value) {
		for _, m := range ownedSecret.FindAllStringSubmatch(e.source, -1) {
			if !strings.EqualFold(m[1], "GITHUB_TOKEN") {
				return true
			}
		}
	}
	return slices.ContainsFunc(n.Content, namesSecret)
}

// isNeededToPublish reports whether a job that may publish needs another one, itself or
// through jobs between them.
func (d *document) isNeededToPublish(name string, seen []string) bool {
	for _, j := range d.jobs {
		if !slices.Contains(texts(field(j.node, "needs")), name) || slices.Contains(seen, j.key.Value) {
			continue
		}
		seen = append(seen, j.key.Value)
		if field(j.node, "uses") != nil || d.whyItMayPublish(j) != "" || d.isNeededToPublish(j.key.Value, seen) {
			return true
		}
	}
	return false
}

// situations returns the ways in which a workflow starts, as far as they differ for what
// is published.
func situations(triggers map[string]*yaml.Node) []situation {
	var all []situation
	for _, event := range slices.Sorted(maps.Keys(triggers)) {
		switch filter := triggers[event]; event {
		case "push":
			all = append(all, pushes(filter)...)
		case "release":
			all = append(all, situation{event: event, ref: "refs/tags/", refType: "tag", release: true})
		case "workflow_call": // the event is the caller's
			all = append(all, situation{})
		case "pull_request", "pull_request_review", "pull_request_review_comment":
			all = append(all, situation{event: event, ref: "refs/pull/"})
		case "workflow_dispatch", "create", "deployment", "deployment_status": // a branch or a tag
			all = append(all, situation{event: event})
		default: // runs on the default branch, or for the merge queue's
			all = append(all, situation{event: event, ref: "refs/heads/"})
		}
	}
	return all
}

// pushes returns the ways in which a push starts a workflow, by its filter
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#onpushbranchestagsbranches-ignoretags-ignore).
func pushes(filter *yaml.Node) []situation {
	branches, noBranches := field(filter, "branches"), field(filter, "branches-ignore")
	tags, noTags := field(filter, "tags"), field(filter, "tags-ignore")
	isWanted := func(pattern string) bool { return !strings.HasPrefix(pattern, "!") }
	var all []situation
	if slices.ContainsFunc(texts(tags), isWanted) || noTags != nil {
		all = append(all, situation{event: "push", ref: "refs/tags/", refType: "tag", release: true})
	} else if tags == nil && branches == nil && noBranches == nil {
		all = append(all, situation{event: "push", ref: "refs/tags/", refType: "tag"})
	}
	heads := map[bool]string{} // how the branches begin, by whether they are for releases
	for _, pattern := range texts(branches) {
		if isWanted(pattern) {
			isRelease := strings.Contains(strings.ToLower(pattern), "release")
			start := "refs/heads/" + plainStart(pattern)
			if other, ok := heads[isRelease]; ok {
				start = commonStart(start, other)
			}
			heads[isRelease] = start
		}
	}
	for _, isRelease := range []bool{true, false} {
		if start, ok := heads[isRelease]; ok {
			all = append(all, situation{event: "push", ref: start, refType: "branch", release: isRelease})
		}
	}
	if branches == nil && (tags == nil && noTags == nil || noBranches != nil) {
		all = append(all, situation{event: "push", ref: "refs/heads/", refType: "branch"})
	}
	return all
}

// plainStart returns how each name begins that fits a pattern of a filter. A ? means that
// the letter before it may be missing.
func plainStart(pattern string) string {
	at := strings.IndexAny(pattern, "*?+[")
	switch {
	case at < 0:
		return pattern
	case pattern[at] == '?' && at > 0:
		at--
	}
	return pattern[:at]
}

func commonStart(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
