package main

import "slices"

// reason says why one of the two finds something alone. Without files it holds for every
// file of zizmor's test data.
type reason struct {
	rule  string // zizmor's name
	ours  bool   // only we find it
	files []string
	why   string
}

// reasons are all that are known. Nothing is left where zizmor finds a fault that we miss,
// or we tell what is none.
var reasons = []reason{
	{"artipacked", false, []string{"artipacked.yml", "artipacked/demo-action/action.yml", "artipacked/issue-1709-repro.yml", "artipacked/issue-447-repro.yml"},
		"`persist-credentials: true` says that the token is wanted; zizmor tells it to auditors"},
	{"artipacked", false, []string{"anchors/dummy-job-anchors.yml"}, "told once, where the anchor stands"},
	{"cache-poisoning", false, []string{"cache-poisoning/issue-1152-repro.yml"},
		"setup-node caches by itself only where package.json names the package manager; doctor reads it, and here is none"},
	{"cache-poisoning", false, []string{"cache-poisoning/issue-642-repro.yml"}, "docker/build-push-action without `push` publishes nothing"},
	{"cache-poisoning", true, []string{"cache-poisoning/trigger-heuristics/tag-and-release.yml"},
		"a published release is no push, so `!(github.event_name == 'push' && …)` switches the cache on"},
	{"cache-poisoning", true, []string{"use-trusted-publishing/issue-1191-repro.yml"}, "`uv publish` is a command that publishes; zizmor knows actions"},
	{"dangerous-triggers", false, nil, "the trigger alone is no fault: untrusted-checkout, template-injection and github-env tell what it makes dangerous"},
	{"excessive-permissions", false, []string{"excessive-permissions/issue-336-repro.yml", "undocumented-permissions/contents-read-with-other.yml"},
		"the only job has the permission that the workflow names; zizmor tells it to pedants"},
	{"excessive-permissions", false, []string{"excessive-permissions/issue-472-repro.yml"}, "a called workflow has its caller's permissions, and what it calls as well"},
	{"self-hosted-runner", false, nil, "only pushes start the workflow, so no stranger does; zizmor tells every such runner to auditors"},
	{"template-injection", false, []string{"anchors/basic.yml"}, "told once, where the anchor stands"},
	{"template-injection", false, []string{"ignore.yml"}, "the file's comment ignores it; zizmor's test asks for what is ignored"},
	{"template-injection", false, []string{"template-injection/issue-1638-repro.yml"}, "a login name has letters, digits and hyphens alone"},
	{"template-injection", false, []string{"template-injection/issue-1664-repro.yml"}, "the repository's owners choose a secret"},
	{"template-injection", false, []string{"template-injection/issue-1802-repro.yml"}, "a job's result is one of four words"},
	{"template-injection", false, []string{"template-injection/issue-1903-repro.yml"}, "a number"},
	{"template-injection", false, []string{"template-injection/issue-339-repro.yml"}, "who starts it by repository_dispatch may write to the repository, and the output is of its own run"},
	{"template-injection", false, []string{"template-injection/issue-988-repro.yml"}, "names of events and repositories are harmless"},
	{"template-injection", false, []string{"template-injection/multiline-expression.yml"}, "contexts that do not exist, and inputs of a workflow that has none"},
	{"template-injection", false, []string{"template-injection/pr-317-repro.yml"}, "the owner's name is harmless"},
	{"template-injection", false, []string{"template-injection/template-injection-static-matrix.yml"}, "two written words"},
	{"unpinned-images", false, []string{"unpinned-images.yml"}, "an image that only a run knows; zizmor tells it with low confidence"},
}

// reasonFor returns why there is a difference, "" when nobody knows.
func reasonFor(d difference) string {
	i := slices.IndexFunc(reasons, func(r reason) bool {
		return r.rule == d.rule && r.ours == d.ours && (r.files == nil || slices.Contains(r.files, d.file))
	})
	if i < 0 {
		return ""
	}
	return reasons[i].why
}
