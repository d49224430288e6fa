package githubtest

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

var checkRoutes = []route{
	{"GET", inRepo + "/commits/{sha}/check-runs", readChecks, (*call).listCheckRuns},
	{"POST", inRepo + "/check-runs", writeChecks, withBody((*call).createCheckRun)},
	{"PATCH", inRepo + "/check-runs/{id}", writeChecks, withBody((*call).updateCheckRun)},
}

// CheckRuns returns a copy of the repository's check runs.
func (s *Server) CheckRuns(fullName string) (all []CheckRun) {
	s.readRepository(fullName, func(r *Repository) { all = slices.Clone(r.CheckRuns) })
	return all
}

type checkIn struct {
	Name       string
	HeadSHA    string    `json:"head_sha"`
	ExternalID string    `json:"external_id"`
	Details    string    `json:"details_url"`
	Started    time.Time `json:"started_at"`
	Completed  time.Time `json:"completed_at"`
	Status     string
	Conclusion string
	Output     *CheckOutput
}

// check returns GitHub's refusal of texts that are too long or of unknown words.
func (in checkIn) check() error {
	switch {
	case in.Output != nil && (len(in.Output.Title) > 255 || len(in.Output.Summary) > 65535):
		return unprocessable("Invalid request. Only 65535 characters are allowed")
	case in.Status == "completed" && in.Conclusion == "":
		return unprocessable("Invalid request. Missing required key \"conclusion\"")
	}
	return nil
}

// fill sets what a request says. A conclusion completes the run; another status takes
// the conclusion back.
func (x *CheckRun) fill(in checkIn, now time.Time) {
	x.Name, x.ExternalID, x.Details = cmp.Or(in.Name, x.Name), cmp.Or(in.ExternalID, x.ExternalID), cmp.Or(in.Details, x.Details)
	if in.Output != nil {
		x.Output = *in.Output
	}
	switch {
	case in.Conclusion != "":
		x.Status, x.Conclusion, x.Completed = "completed", in.Conclusion, cmp.Or(in.Completed, now)
	case in.Status != "":
		x.Status, x.Conclusion, x.Completed = in.Status, "", time.Time{}
	}
}

// appOf returns the app that a token is of.
func (c *call) appOf() string { return cmp.Or(c.token.App, "github-actions") }

func (c *call) createCheckRun(in checkIn) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.Name == "" || in.HeadSHA == "" {
		return nil, unprocessable("Invalid request. \"name\" and \"head_sha\" are needed")
	}
	made := CheckRun{ID: c.state.nextID(), App: c.appOf(), HeadSHA: in.HeadSHA, Status: "queued", Started: cmp.Or(in.Started, c.now)}
	made.fill(in, c.now)
	c.repo.CheckRuns = append(c.repo.CheckRuns, made)
	return created{c.checkShape(made)}, nil
}

// updateCheckRun changes a check run, which only the app may that made it.
func (c *call) updateCheckRun(in checkIn) (any, error) {
	x := find(c.repo.CheckRuns, func(x CheckRun) bool { return x.ID == c.number("id") })
	switch {
	case x == nil:
		return nil, notFound
	case x.App != c.appOf():
		return nil, fail(http.StatusForbidden, "Invalid app_id `1` - check run can only be modified by the GitHub App that created it.")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	x.fill(in, c.now)
	return c.checkShape(*x), nil
}

// listCheckRuns returns the check runs of a commit, by default the newest of each
// name and app.
func (c *call) listCheckRuns() (any, error) {
	query, sha := c.URL.Query(), c.PathValue("sha")
	newest := map[string]int64{}
	for _, x := range c.repo.CheckRuns {
		newest[x.App+"\n"+x.Name+"\n"+x.HeadSHA] = x.ID
	}
	return countedPage(c, "check_runs", c.repo.CheckRuns, func(x CheckRun) bool {
		return x.HeadSHA == sha && (query.Get("check_name") == "" || query.Get("check_name") == x.Name) && (query.Get("status") == "" || query.Get("status") == x.Status) &&
			(query.Get("filter") == "all" || newest[x.App+"\n"+x.Name+"\n"+x.HeadSHA] == x.ID)
	}, c.checkShape)
}

func (c *call) checkShape(x CheckRun) object {
	self := c.api("/check-runs/%d", x.ID)
	shape := object{
		"id": x.ID, "node_id": nodeID("CheckRun", x.ID), "name": x.Name, "head_sha": x.HeadSHA, "external_id": x.ExternalID, "url": self,
		"html_url": c.html("/runs/%d", x.ID), "details_url": cmp.Or(x.Details, c.html("/runs/%d", x.ID)), "status": x.Status, "conclusion": nil,
		"started_at": formatTime(x.Started), "completed_at": nil, "pull_requests": []any{}, "check_suite": object{"id": 1},
		"output": object{"title": x.Output.Title, "summary": x.Output.Summary, "text": nil, "annotations_count": 0, "annotations_url": self + "/annotations"},
		"app": object{"id": stableID(x.App), "slug": x.App, "node_id": nodeID("App", stableID(x.App)), "owner": c.userShape("github"), "name": x.App, "description": "",
			"external_url": c.web, "html_url": c.web + "/apps/" + x.App, "created_at": formatTime(c.now), "updated_at": formatTime(c.now), "permissions": object{}, "events": []string{}},
	}
	if x.Conclusion != "" {
		shape["conclusion"], shape["completed_at"] = x.Conclusion, formatTime(x.Completed)
	}
	return shape
}
