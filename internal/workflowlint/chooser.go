package workflowlint

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// expressionChooser says who may choose the text of an expression, "" when nobody
// can or only harmless letters can be chosen. The expression stands in the script,
// or in a variable that is depth variables away from it.
func (d *document) expressionChooser(j job, s step, e expression, depth int) string {
	for _, c := range contexts(e.source) {
		if who := d.contextChooser(j, s, strings.Split(c, "."), depth); who != "" {
			return who
		}
	}
	return ""
}

// contexts returns the contexts whose text can be part of an expression's value,
// such as "github.event.issue.title", in small letters and with "*" for an index.
// Contexts that are only compared or tested are left out. Of an expression that
// cannot be parsed it returns every name in it.
func contexts(source string) []string {
	if tree, err := parseExpression(source); err == nil {
		return tree.contexts()
	}
	found := contextName.FindAllString(source, -1)
	for i, name := range found {
		found[i] = strings.ToLower(name)
	}
	return found
}

// contextChooser says who chooses the text of one context.
func (d *document) contextChooser(j job, s step, path []string, depth int) string {
	switch path[0] {
	case "github":
		return d.githubChooser(path[1:])
	case "inputs":
		return d.inputChooser(path[1:])
	case "env":
		return d.envChooser(j, s, path[1:], depth)
	case "matrix":
		return d.matrixChooser(j, s, path[1:], depth)
	case "steps", "needs":
		if (len(path) < 3 || path[2] == "outputs") && (path[0] != "steps" || !j.isFixedOutput(path[1:])) {
			return d.ifPrivileged(j, s, "what the step or job read may be in its output")
		}
	}
	return ""
}

// fixedOutputs are the outputs of actions whose text nobody chooses: numbers, hashes, URLs,
// versions of tools, true and false.
var fixedOutputs = map[string][]string{
	"actions/upload-artifact":               {"artifact-id", "artifact-url", "artifact-digest"},
	"actions/checkout":                      {"commit"},
	"actions/cache":                         {"cache-hit"},
	"actions/cache/restore":                 {"cache-hit"},
	"actions/setup-go":                      {"go-version", "cache-hit"},
	"actions/setup-node":                    {"node-version", "cache-hit"},
	"actions/setup-python":                  {"python-version", "python-path", "cache-hit"},
	"actions/setup-java":                    {"version", "distribution", "path", "cache-hit"},
	"actions/create-github-app-token":       {"token", "installation-id", "app-slug"},
	"actions/deploy-pages":                  {"page_url"},
	"actions/attest-build-provenance":       {"attestation-id", "attestation-url", "bundle-path"},
	"docker/build-push-action":              {"digest", "imageid"},
	"peter-evans/find-comment":              {"comment-id"},
	"peter-evans/create-or-update-comment":  {"comment-id"},
	"peter-evans/create-pull-request":       {"pull-request-number", "pull-request-url"},
	"softprops/action-gh-release":           {"id", "url", "upload_url"},
	"aws-actions/configure-aws-credentials": {"aws-account-id"},
}

// isFixedOutput reports whether a path below `steps` is an output whose text nobody
// chooses. Of dorny/paths-filter each filter's name is one, but not the lists of files.
func (j job) isFixedOutput(path []string) bool {
	if len(path) != 3 || path[1] != "outputs" {
		return false
	}
	for _, s := range j.steps {
		if !strings.EqualFold(text(field(s.node, "id")), path[0]) {
			continue
		}
		if s.name == "dorny/paths-filter" {
			return !strings.HasSuffix(path[2], "_files") && path[2] != "*"
		}
		return slices.Contains(fixedOutputs[s.name], path[2])
	}
	return false
}

// matrixChooser says who chooses a key of the matrix, going by what is written there.
func (d *document) matrixChooser(j job, s step, path []string, depth int) string {
	made, static := j.matrixValues(path)
	if static {
		return ""
	}
	if depth > 3 {
		return "the matrix can hold what others chose"
	}
	for _, text := range made {
		for _, e := range expressions(text) {
			if who := d.expressionChooser(j, s, e, depth+1); who != "" {
				return who
			}
		}
	}
	if len(made) > 0 {
		return ""
	}
	return d.ifPrivileged(j, s, "the matrix is made by a run, after what it read")
}

// ifPrivileged returns the reason in a step that strangers can start with the
// repository's token. In others, what steps compute comes from the repository.
func (d *document) ifPrivileged(j job, s step, reason string) string {
	if d.runsOn(j, s, privileged...) {
		return reason + ", and strangers can start this workflow"
	}
	return ""
}

// inputChooser says who chooses an input, unless its type leaves no choice.
func (d *document) inputChooser(path []string) string {
	if d.action {
		return "whoever uses this action chooses the input, perhaps from a pull request's text"
	}
	if len(path) == 0 {
		return "whoever starts or calls this workflow chooses the inputs"
	}
	for _, event := range []string{"workflow_dispatch", "workflow_call"} {
		input := field(field(d.triggers[event], "inputs"), path[0])
		switch kind := text(field(input, "type")); {
		case input == nil || kind == "boolean" || kind == "number":
		case kind == "choice" && !strings.Contains(strings.Join(texts(field(input, "options")), ""), "${{"):
		default:
			return "whoever starts or calls this workflow chooses the input"
		}
	}
	return ""
}

// envChooser says who chooses a variable, going by where it is set.
func (d *document) envChooser(j job, s step, path []string, depth int) string {
	if len(path) == 0 || depth > 3 {
		return "the variables can hold what others chose"
	}
	for _, scope := range []*yaml.Node{s.node, j.node, d.root} {
		value := field(field(scope, "env"), path[0])
		if value == nil {
			continue
		}
		for _, e := range expressions(text(value)) {
			if who := d.expressionChooser(j, s, e, depth+1); who != "" {
				return who
			}
		}
		return ""
	}
	return d.ifPrivileged(j, s, "a step sets the variable while the job runs")
}

// fixedGitHub are the keys of the context github whose text only GitHub or the
// repository chooses, or whose letters are harmless in a script.
var fixedGitHub = strings.Fields(`action action_path action_repository action_ref action_status actor actor_id api_url env
	event_name event_path graphql_url job output path ref_protected ref_type repository repository_id repository_owner
	repository_owner_id repository_visibility repositoryurl retention_days run_attempt run_id run_number secret_source
	server_url sha state step_summary token triggering_actor workflow workflow_ref workflow_sha workspace`)

// fixedEvent are the last keys of event payloads that are numbers, booleans,
// dates, hashes, login names, repository names, or URLs made of those.
var fixedEvent = strings.Fields(`action additions after author_association before changed_files comments commits_count conclusion
	created created_at closed_at completed_at deleted deletions draft event fork forced full_name head_sha id installation
	locked login maintainer_can_modify merge_commit_sha mergeable merged merged_at node_id number position prerelease
	private public published_at pushed_at rebaseable review_comments run_attempt run_number run_started_at
	sha site_admin size started_at state status submitted_at timestamp type updated_at visibility workflow_id
	commit_id check_suite_id visibility base_sha default_workflow`)

// fixedUnder are the event paths under which every text is the repository's own.
var fixedUnder = []string{"repository.", "organization.", "enterprise.", "installation.", "workflow_run.name", "workflow_run.path", "workflow."}

// githubChooser says who chooses the text of a path below github.
func (d *document) githubChooser(path []string) string {
	switch {
	case len(path) == 0, len(path) == 1 && path[0] == "event":
		return "the whole event is in it, with texts that anybody wrote"
	case path[0] != "event" && slices.Contains(fixedGitHub, path[0]):
		return ""
	case (path[0] == "ref" || path[0] == "ref_name") && d.isFixedRef(),
		(path[0] == "base_ref" || strings.Join(path, ".") == "event.pull_request.base.ref") && d.isFixedBase():
		return ""
	case path[0] != "event", strings.Join(path, ".") == "event.pull_request.base.ref":
		return "whoever names the branch or tag chooses it, and a name may hold $(…) or `…`"
	case path[1] == "inputs":
		return d.inputChooser(path[2:])
	}
	key, last := strings.Join(path[1:], "."), path[len(path)-1]
	switch {
	case slices.Contains(fixedEvent, last), slices.ContainsFunc(fixedUnder, func(p string) bool { return strings.HasPrefix(key, p) }),
		strings.HasSuffix(last, "url"), last == "href", key == "schedule", key == "ref_type":
		return ""
	}
	return "whoever causes the event chooses it"
}
