package workflowlint

import (
	"slices"
	"strings"
)

// fixedGitHub are keys of the context github whose texts only GitHub or the
// repository chooses, or whose letters do no harm in a script.
var fixedGitHub = strings.Fields(`action action_path action_repository action_ref action_status actor actor_id api_url env
	event_name event_path graphql_url job output path ref_protected ref_type repository repository_id repository_owner
	repository_owner_id repository_visibility repositoryurl retention_days run_attempt run_id run_number secret_source
	server_url sha state step_summary token triggering_actor workflow workflow_ref workflow_sha workspace`)

// fixedEvent are the last keys of event payloads that are numbers, truths,
// dates, hashes, login names, repository names and addresses made of those.
var fixedEvent = strings.Fields(`action additions after author_association before changed_files comments commits_count conclusion
	created created_at closed_at completed_at deleted deletions draft event fork forced full_name head_sha id installation
	locked login maintainer_can_modify merge_commit_sha mergeable merged merged_at node_id number position prerelease
	private public published_at pushed_at rebaseable review_comments run_attempt run_number run_started_at
	sha site_admin size started_at state status submitted_at timestamp type updated_at visibility workflow_id
	commit_id check_suite_id visibility base_sha default_workflow`)

// fixedUnder are event paths of which every text is the repository's own.
var fixedUnder = []string{"repository.", "organization.", "enterprise.", "installation.", "workflow_run.name", "workflow_run.path", "workflow."}

// githubChooser says who chooses the text of a path below github.
func (d *document) githubChooser(path []string) string {
	if len(path) == 0 {
		return "the whole event is in it, with texts that anybody wrote"
	}
	if path[0] != "event" {
		if slices.Contains(fixedGitHub, path[0]) {
			return ""
		}
		return "whoever names the branch or tag chooses it, and a name may hold $(…) or `…`"
	}
	if len(path) == 1 {
		return "the whole event is in it, with texts that anybody wrote"
	}
	if path[1] == "inputs" {
		return d.inputChooser(path[2:])
	}
	key := strings.Join(path[1:], ".")
	if slices.Contains(fixedEvent, path[len(path)-1]) || slices.ContainsFunc(fixedUnder, func(p string) bool { return strings.HasPrefix(key, p) }) {
		return ""
	}
	if last := path[len(path)-1]; strings.HasSuffix(last, "url") || last == "href" || len(path) == 2 && slices.Contains([]string{"schedule", "ref_type"}, last) {
		return ""
	}
	return "whoever causes the event chooses it"
}
