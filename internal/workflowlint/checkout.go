package workflowlint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const checkoutAction = "actions/checkout"

// stranger are what names a pull request's code, in an expression or a command.
var stranger = regexp.MustCompile(`(?i)github\.head_ref|github\.event\.pull_request\.(head\b|merge_commit_sha|number)|github\.event\.number|` +
	`github\.event\.workflow_run\.(head_|pull_requests)|github\.event\.issue\.number|refs/pull/|\bpull/[^\s/]+/(head|merge)`)

// fetchesPull are commands that bring a pull request's code.
var fetchesPull = regexp.MustCompile(`(?m)\bgh\s+pr\s+checkout\b|\bgit\s+(?:fetch|pull|clone)\b[^\n]*(?:pull/|head_ref|HEAD_REF|head\.ref|head\.sha)`)

// untrustedCheckout finds checkouts of a stranger's code in workflows that have
// the repository's token.
func untrustedCheckout(d *document) []Finding {
	if !d.fires("pull_request_target", "workflow_run", "issue_comment") {
		return nil
	}
	var found []Finding
	for _, j := range d.jobs {
		if j.sameRepository() {
			continue
		}
		for _, s := range j.steps {
			if n, what := s.strangersCode(); n != nil {
				found = append(found, at(n, what,
					"run the tests under pull_request, hand their results on as an artifact, and read that in a workflow_run job without a checkout of the pull request"))
			}
		}
	}
	return found
}

// strangersCode returns where and how a step brings a pull request's code.
func (s step) strangersCode() (*yaml.Node, string) {
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
		if m := stranger.FindString(text(value)); m != "" {
			return value, fmt.Sprintf("the checkout is of the pull request: %s: %s", name, text(value))
		}
		if strings.Contains(text(value), "steps.") || strings.Contains(text(value), "needs.") {
			return value, fmt.Sprintf("what is checked out is told by another step or job: %s: %s", name, text(value))
		}
	}
	return nil, ""
}

// persistCredentials finds checkouts that keep the token without saying that
// they want to.
func persistCredentials(d *document) []Finding {
	var found []Finding
	for _, j := range d.jobs {
		for _, s := range j.steps {
			if s.name == checkoutAction && field(s.with, "persist-credentials") == nil {
				found = append(found, at(s.uses, "the checkout keeps the job's token for later steps",
					"with: persist-credentials: false (or true, where a later step pushes with git)"))
			}
		}
	}
	return found
}

// artipacked finds artifacts that take along the token of an earlier checkout.
func artipacked(d *document) []Finding {
	var found []Finding
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
			if slices.ContainsFunc(strings.Split(text(n), "\n"), func(p string) bool { return holds(p, kept) }) {
				found = append(found, at(n, fmt.Sprintf("the artifact of %q has %s/.git with the token in it", strings.TrimSpace(text(n)), kept),
					"with: persist-credentials: false at the checkout, or name the folders to upload"))
			}
		}
	}
	return found
}

// keepsToken returns the folder in which a checkout leaves the token in
// .git/config. Versions from 6 keep it elsewhere; of a commit, the comment
// beside it tells.
func (d *document) keepsToken(s step) (folder string, ok bool) {
	if s.name != checkoutAction || s.input("persist-credentials") == "false" {
		return "", false
	}
	if v := d.version(s); v >= 6 {
		return "", false
	}
	folder = strings.Trim(s.input("path"), "./")
	if folder == "" {
		folder = "."
	}
	return folder, true
}

var major = regexp.MustCompile(`^v?(\d{1,3})(?:\.|$|\s)`)

// version returns the major version of the action that a step uses, 0 where
// neither its ref nor the comment behind it tells.
func (d *document) version(s step) int {
	tell := s.ref
	if commit.MatchString(s.ref) {
		tell = d.comment(s)
	}
	m := major.FindStringSubmatch(tell)
	if m == nil {
		return 0
	}
	v, _ := strconv.Atoi(m[1]) // at most three digits
	return v
}

// comment returns the comment behind the action that a step uses.
func (d *document) comment(s step) string {
	if s.uses == nil || s.uses.Line > len(d.lines) {
		return ""
	}
	_, comment, _ := strings.Cut(d.lines[s.uses.Line-1], "#")
	return strings.TrimSpace(comment)
}

// takesHidden says whether an upload takes files such as .git along: since
// v4.4 only when asked to. A version that cannot be told is taken for an old one.
func (d *document) takesHidden(s step) bool {
	if hidden := s.input("include-hidden-files"); hidden != "" {
		return hidden != "false"
	}
	if commit.MatchString(s.ref) {
		return !newUpload.MatchString(d.comment(s))
	}
	return s.ref != "v4" && !newUpload.MatchString(s.ref)
}

// newUpload are versions of actions/upload-artifact that leave hidden files out.
var newUpload = regexp.MustCompile(`^v?(4\.([4-9]|\d\d)|[5-9]|\d\d)`)

// holds says whether an artifact's path takes a checkout's .git along.
func holds(path, folder string) bool {
	path = strings.TrimSpace(path)
	path = strings.TrimPrefix(strings.ReplaceAll(path, "${{ github.workspace }}", "."), "./")
	path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path, "**/*"), "**"), "/")
	if path == "" || path == "*" {
		path = "."
	}
	return path == "." || path == folder || path == ".git" || path == folder+"/.git" || strings.HasPrefix(folder, path+"/")
}
