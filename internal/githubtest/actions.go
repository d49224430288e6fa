package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

var actionsRoutes = []route{
	{"GET", inRepo + "/actions/runs", readActions, (*call).listRuns},
	{"GET", inRepo + "/actions/workflows", readActions, (*call).listWorkflows},
	{"GET", inRepo + "/actions/workflows/{file}/runs", readActions, (*call).listRuns},
	{"GET", inRepo + "/actions/runs/{id}", readActions, (*call).getRun},
	{"GET", inRepo + "/actions/runs/{id}/attempts/{attempt}/jobs", readActions, (*call).listJobs},
	{"GET", inRepo + "/actions/jobs/{id}", readActions, (*call).getJob},
	{"GET", inRepo + "/actions/runs/{id}/artifacts", readActions, (*call).listArtifacts},
	{"GET", inRepo + "/actions/artifacts", readActions, (*call).listArtifacts},
	{"GET", inRepo + "/actions/artifacts/{id}/{format}", readActions, (*call).getArtifactZip},
	{"GET", inRepo + "/actions/caches", readActions, (*call).listCaches},
}

// countedPage returns a page of the listed items, the newest first, and their number.
func countedPage[T any](c *call, field string, all []T, listed func(T) bool, shape func(T) object) (any, error) {
	items := filter(all, listed)
	slices.Reverse(items)
	return object{"total_count": len(items), field: pageOf(c, items, shape)}, nil
}

// isListed reports whether lists show an item that was made at that time.
func (c *call) isListed(made time.Time) bool { return !made.Add(c.options.ListingLag).After(c.now) }

// listRuns returns all runs, or those of one workflow file.
func (c *call) listRuns() (any, error) {
	branch, event, commit, file := c.URL.Query().Get("branch"), c.URL.Query().Get("event"), c.URL.Query().Get("head_sha"), c.PathValue("file")
	return countedPage(c, "workflow_runs", c.repo.Runs, func(r WorkflowRun) bool {
		return (branch == "" || branch == r.HeadBranch) && (event == "" || event == r.Event) && (commit == "" || commit == r.HeadSHA) && (file == "" || file == path.Base(r.Path))
	}, c.runShape)
}

// listWorkflows returns the workflows that ever ran: GitHub lists those whose file
// is gone, too.
func (c *call) listWorkflows() (any, error) {
	var files []string
	for _, r := range c.repo.Runs {
		if !slices.Contains(files, r.Path) {
			files = append(files, r.Path)
		}
	}
	slices.Sort(files)
	return countedPage(c, "workflows", files, func(string) bool { return true }, func(file string) object {
		id := slices.Index(files, file) + 1
		self := c.api("/actions/workflows/%d", id)
		return object{"id": id, "node_id": nodeID("Workflow", int64(id)), "name": "CI", "path": file, "state": "active", "created_at": formatTime(c.now),
			"updated_at": formatTime(c.now), "url": self, "html_url": c.html("/blob/main/%s", file), "badge_url": c.html("/workflows/CI/badge.svg")}
	})
}

func (c *call) getRun() (any, error) {
	run := c.findRun(c.number("id"))
	if run == nil {
		return nil, notFound
	}
	return c.runShape(*run), nil
}

func (c *call) findRun(id int64) *WorkflowRun {
	for i := range slices.Backward(c.repo.Runs) { // mostly a new one is asked for
		if c.repo.Runs[i].ID == id {
			return &c.repo.Runs[i]
		}
	}
	return nil
}

func (c *call) runShape(r WorkflowRun) object {
	self := c.api("/actions/runs/%d", r.ID)
	status, conclusion := "in_progress", any(nil)
	if !r.Ended.IsZero() {
		status, conclusion = "completed", "success"
	}
	shape := object{
		"id": r.ID, "node_id": nodeID("WorkflowRun", r.ID), "name": "CI", "head_branch": r.HeadBranch, "head_sha": r.HeadSHA, "path": r.Path,
		"run_number": 1, "run_attempt": max(r.Attempt, 1), "display_title": "CI", "event": r.Event, "status": status, "conclusion": conclusion,
		"workflow_id": cmp.Or(r.WorkflowID, 1), "html_url": c.html("/actions/runs/%d", r.ID), "created_at": formatTime(cmp.Or(r.Created, c.now)), "updated_at": formatTime(cmp.Or(r.Ended, c.now)), "head_commit": nil, "pull_requests": []any{},
		"repository": c.repositoryText(c.repo.FullName), "head_repository": c.repositoryText(cmp.Or(r.HeadRepository, c.repo.FullName)),
		"check_suite_url": c.api("/check-suites/1"), "workflow_url": c.api("/actions/workflows/1"),
	}
	called := []any{}
	for _, path := range r.Calls {
		called = append(called, object{"path": c.repo.FullName + "/" + path, "sha": r.HeadSHA, "ref": "refs/heads/" + r.HeadBranch})
	}
	shape["referenced_workflows"] = called
	if r.Conclusion != "" {
		shape["status"], shape["conclusion"] = "completed", r.Conclusion
	}
	setURLs(shape, self, map[string]string{"url": "", "jobs_url": "/jobs", "logs_url": "/logs", "cancel_url": "/cancel", "rerun_url": "/rerun", "artifacts_url": "/artifacts"})
	return shape
}

// listJobs returns the jobs of one attempt of a run.
func (c *call) listJobs() (any, error) {
	run := c.findRun(c.number("id"))
	if run == nil {
		return nil, notFound
	}
	attempt := int(c.number("attempt"))
	return countedPage(c, "jobs", run.Jobs, func(j Job) bool { return max(j.Attempt, 1) == attempt }, func(j Job) object { return c.jobShape(*run, j) })
}

func (c *call) getJob() (any, error) {
	id := c.number("id")
	for _, run := range c.repo.Runs {
		if job := find(run.Jobs, func(j Job) bool { return j.ID == id }); job != nil {
			return c.jobShape(run, *job), nil
		}
	}
	return nil, notFound
}

func (c *call) jobShape(r WorkflowRun, j Job) object {
	shape := object{
		"id": j.ID, "run_id": r.ID, "run_attempt": max(j.Attempt, 1), "run_url": c.api("/actions/runs/%d", r.ID), "node_id": nodeID("CheckRun", j.ID), "name": j.Name,
		"head_sha": r.HeadSHA, "head_branch": r.HeadBranch, "workflow_name": "CI", "url": c.api("/actions/jobs/%d", j.ID), "html_url": c.html("/actions/runs/%d/job/%d", r.ID, j.ID),
		"status": cmp.Or(j.Status, "in_progress"), "created_at": formatTime(c.now), "started_at": formatTime(c.now), "labels": []string{"ubuntu-latest"},
		"check_run_url": c.api("/check-runs/%d", j.ID), "runner_id": 1, "runner_name": j.Runner, "runner_group_id": 1, "runner_group_name": "Default", "steps": []any{},
	}
	setFields(shape, nil, "conclusion", "completed_at")
	return shape
}

// listArtifacts returns all artifacts, or those of one run or of one exact name.
func (c *call) listArtifacts() (any, error) {
	name, run := c.URL.Query().Get("name"), c.number("id")
	if run != 0 && c.findRun(run) == nil {
		return nil, notFound
	}
	return countedPage(c, "artifacts", c.repo.Artifacts, func(a Artifact) bool {
		return (run == 0 || run == a.Run) && (name == "" || name == a.Name) && c.isListed(a.Created)
	}, c.artifactShape)
}

func (a Artifact) expires() time.Time { return cmp.Or(a.Expires, a.Created.Add(90*24*time.Hour)) }

func (c *call) artifactShape(a Artifact) object {
	self := c.api("/actions/artifacts/%d", a.ID)
	shape := object{
		"id": a.ID, "node_id": nodeID("Artifact", a.ID), "name": a.Name, "size_in_bytes": len(a.Content), "url": self, "archive_download_url": self + "/zip",
		"expired": !c.now.Before(a.expires()), "created_at": formatTime(a.Created), "updated_at": formatTime(a.Created), "expires_at": formatTime(a.expires()), "digest": nil,
	}
	if a.Digest != "" {
		shape["digest"] = a.Digest
	}
	if run := c.findRun(a.Run); run != nil {
		shape["workflow_run"] = object{
			"id": run.ID, "repository_id": c.repo.ID, "head_repository_id": c.keptRepository(cmp.Or(run.HeadRepository, c.repo.FullName)).ID,
			"head_branch": run.HeadBranch, "head_sha": run.HeadSHA,
		}
	}
	return shape
}

// getArtifactZip redirects to the storage, as GitHub does.
func (c *call) getArtifactZip() (any, error) {
	id := c.number("id")
	for _, a := range c.repo.Artifacts {
		switch {
		case a.ID != id || c.PathValue("format") != "zip":
			continue
		case !c.now.Before(a.expires()):
			return nil, fail(http.StatusGone, "Artifact has expired")
		}
		path := zipPath(c.repo.FullName, a.ID)
		c.uploads[path] = &blob{content: a.Content, kind: "application/zip"}
		c.w.Header().Set("Location", c.signedAddress(path, "r"))
		c.w.WriteHeader(http.StatusFound)
		return nil, nil
	}
	return nil, notFound
}

// zipPath is the path of an artifact's blob for those who read it.
func zipPath(repository string, id int64) string {
	return fmt.Sprintf("/blob/%s/artifact-%d.zip", strings.ReplaceAll(repository, "/", "-"), id)
}

func (c *call) listCaches() (any, error) {
	ref, key := c.URL.Query().Get("ref"), c.URL.Query().Get("key")
	return countedPage(c, "actions_caches", c.repo.Caches, func(x Cache) bool {
		return (ref == "" || ref == x.Ref) && strings.HasPrefix(x.Key, key) && c.isListed(x.Created)
	}, func(x Cache) object {
		return object{"id": x.ID, "ref": x.Ref, "key": x.Key, "version": x.Version, "size_in_bytes": len(x.Content),
			"created_at": formatTime(x.Created), "last_accessed_at": formatTime(x.Accessed)}
	})
}
