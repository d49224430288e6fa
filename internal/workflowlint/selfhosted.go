package workflowlint

import (
	"slices"
	"strings"
)

// selfHosted finds jobs on machines of one's own in workflows that strangers
// can start.
func selfHosted(d *document) []Finding {
	if !d.fires(privileged...) && !d.fires("pull_request", "pull_request_review", "pull_request_review_comment") {
		return nil
	}
	var found []Finding
	for _, j := range d.jobs {
		n := field(j.node, "runs-on")
		if n == nil || j.sameRepository() {
			continue
		}
		group := text(field(n, "group"))
		labels := append(texts(n), texts(field(n, "labels"))...)
		own := group != "" || slices.ContainsFunc(labels, func(label string) bool {
			return slices.ContainsFunc(j.values(label), func(v string) bool { return strings.EqualFold(v, "self-hosted") })
		})
		if own {
			found = append(found, at(n, "a workflow that anybody can start runs on a self-hosted runner",
				"runs-on: one of GitHub's runners for what strangers start; or if: github.event.pull_request.head.repo.full_name == github.repository, and runners that are thrown away after each job"))
		}
	}
	return found
}
