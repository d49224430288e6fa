package workflowlint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

const checkoutAction = "actions/checkout"

// stranger matches what names the code of a pull request, in an expression or a
// command.
var stranger = lazyregexp.New(`(?i)github\.head_ref|github\.event\.pull_request\.(head\b|merge_commit_sha|number)|github\.event\.number|` +
	`github\.event\.workflow_run\.(head_|pull_requests)|github\.event\.issue\.number|refs/pull/|\bpull/[^\s/]+/(head|merge)`)

// fetchesPull matches commands that fetch the code of a pull request.
var fetchesPull = lazyregexp.New(`(?m)\bgh\s+pr\s+checkout\b|\bgit\s+(?:fetch|pull|clone)\b[^\n]*(?:pull/|head_ref|HEAD_REF|head\.ref|head\.sha)`)

// untrustedCheckout finds checkouts of a stranger's code in workflows that have
// the repository's token.
var untrustedCheckout = rule{"untrusted-checkout",
	"this event runs with the repository's token and secrets, and the checkout brings a stranger's code to it",
	func(d *document, report reporter) {
		for j, s := range d.steps() {
			if n, what := d.strangersCode(s); n != nil && !j.sameRepository() && d.runsOn(j, s, "pull_request_target", "workflow_run", "issue_comment") {
				report(n, what, "run the tests under pull_request, hand their results on as an artifact, and read that in a workflow_run job without a checkout of the pull request")
			}
		}
	}}

// strangersCode returns where and how a step fetches the code of a pull request.
func (d *document) strangersCode(s step) (*yaml.Node, string) {
	if s.run != nil {
		if m := fetchesPull.FindString(s.run.Value); m != "" {
			return s.run, "the script brings the pull request's code: " + m
		}
		return nil, ""
	}
	if s.name != checkoutAction {
		return nil, ""
	}
	for _, name := range []string{"ref", "repository"} {
		value := field(s.with, name)
		if m := stranger.FindString(text(value)); m != "" && !d.refusesStrangers(s) {
			return value, fmt.Sprintf("the checkout is of the pull request: %s: %s", name, text(value))
		}
		if strings.Contains(text(value), "steps.") || strings.Contains(text(value), "needs.") {
			return value, fmt.Sprintf("what is checked out is told by another step or job, perhaps a pull request: %s: %s", name, text(value))
		}
	}
	return nil, ""
}

// refusesStrangers reports whether a checkout fails instead of fetching a pull request of
// a fork, as version 7 does unless it is told otherwise; not for comments
// (https://github.com/actions/checkout/pull/2454).
func (d *document) refusesStrangers(s step) bool {
	allowed := s.input("allow-unsafe-pr-checkout")
	return d.actionVersion(s) >= 7 && (allowed == "" || allowed == "false") && !d.startsOn("issue_comment")
}

// persistCredentials finds checkouts that keep the token without saying that
// they want to.
var persistCredentials = rule{"persist-credentials",
	"the checkout leaves the token on disk, where every later step of the job can read it",
	func(d *document, report reporter) {
		for _, s := range d.steps() {
			if s.name == checkoutAction && field(s.with, "persist-credentials") == nil {
				report(s.uses, "the checkout keeps the job's token for later steps", "with: persist-credentials: false (or true, where a later step pushes with git)")
			}
		}
	}}

// artipacked finds artifacts that contain the token of an earlier checkout.
var artipacked = rule{"artipacked",
	"before v6 the checkout leaves the token in .git/config, and the artifact takes it along for everybody who may read it",
	func(d *document, report reporter) {
		for _, j := range d.jobs {
			kept := ""
			for _, s := range j.steps {
				if folder, ok := d.keepsToken(s); ok {
					kept = folder
					continue
				}
				n := field(s.with, "path")
				if kept == "" || s.name != "actions/upload-artifact" || !d.takesHidden(s) {
					continue
				}
				if slices.ContainsFunc(strings.Split(text(n), "\n"), func(p string) bool { return containsGit(p, kept) }) {
					report(n, fmt.Sprintf("the artifact of %q has %s/.git with the token in it", strings.TrimSpace(text(n)), kept),
						"with: persist-credentials: false at the checkout, or name the folders to upload")
				}
			}
		}
	}}

// keepsToken returns the folder in which a checkout leaves the token in
// .git/config. From version 6 on it is kept elsewhere.
func (d *document) keepsToken(s step) (folder string, ok bool) {
	if s.name != checkoutAction || s.input("persist-credentials") == "false" {
		return "", false
	}
	return cmp.Or(strings.Trim(s.input("path"), "./"), "."), d.actionVersion(s) < 6
}

// takesHidden reports whether an upload includes files such as .git: since v4.4
// only when the step says so. An unknown version counts as an old one.
func (d *document) takesHidden(s step) bool {
	if hidden := s.input("include-hidden-files"); hidden != "" {
		return hidden != "false"
	}
	if commit.MatchString(s.ref) {
		return !newUpload.MatchString(d.commentBehind(s))
	}
	return s.ref != "v4" && !newUpload.MatchString(s.ref)
}

// newUpload are versions of actions/upload-artifact that leave hidden files out.
var newUpload = lazyregexp.New(`^v?(4\.([4-9]|\d\d)|[5-9]|\d\d)`)

// containsGit reports whether an artifact's path includes the .git of a checkout.
func containsGit(path, folder string) bool {
	path = strings.TrimSpace(path)
	path = strings.TrimPrefix(strings.ReplaceAll(path, "${{ github.workspace }}", "."), "./")
	path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path, "**/*"), "**"), "/")
	if path == "" || path == "*" {
		path = "."
	}
	return path == "." || path == folder || path == ".git" || path == folder+"/.git" || strings.HasPrefix(folder, path+"/")
}
