package githubtest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WorkflowRun is one run of a workflow.
type WorkflowRun struct {
	ID             int64  `json:"id"`
	Attempt        int    `json:"attempt,omitempty"` // the newest; 1 when 0
	Event          string `json:"event"`
	Path           string `json:"path"`                      // of the workflow file
	HeadRepository string `json:"head_repository,omitempty"` // owner/name, the repository's own when empty
	HeadBranch     string `json:"head_branch"`
	HeadSHA        string `json:"head_sha"`
}

// Artifact is one finished artifact.
type Artifact struct {
	ID      int64     `json:"id"`
	Run     int64     `json:"run"`
	Name    string    `json:"name"`
	Digest  string    `json:"digest,omitempty"`
	Created time.Time `json:"created,omitzero"`
	Expires time.Time `json:"expires,omitzero"` // zero: in 90 days
	Content []byte    `json:"content"`
}

// Cache is one finished cache.
type Cache struct {
	ID       int64     `json:"id"`
	Ref      string    `json:"ref"` // the scope: refs/heads/main
	Key      string    `json:"key"`
	Version  string    `json:"version"`
	Created  time.Time `json:"created,omitzero"`
	Accessed time.Time `json:"accessed,omitzero"`
	Content  []byte    `json:"content"`
}

const artifactLife = 90 * 24 * time.Hour

// actionsRoutes names the routes of workflow runs and what they keep.
func (s *Server) actionsRoutes(actions string) {
	s.readActions("GET "+actions+"/runs", s.listRuns)
	s.readActions("GET "+actions+"/runs/{id}", s.getRun)
	s.readActions("GET "+actions+"/runs/{id}/artifacts", s.listArtifacts)
	s.readActions("GET "+actions+"/artifacts", s.listArtifacts)
	s.readActions("GET "+actions+"/artifacts/{id}/{format}", s.artifactZip)
	s.readActions("GET "+actions+"/caches", s.listCaches)
}

// readActions registers an action that needs actions: read.
func (s *Server) readActions(pattern string, do action) {
	s.read(pattern, func(w http.ResponseWriter, c *call) (any, error) {
		if c.token.NoActions {
			return nil, forbidden("Resource not accessible by integration")
		}
		return do(w, c)
	})
}

func (s *Server) listRuns(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	query := c.URL.Query()
	runs := []WorkflowRun{}
	for _, r := range slices.Backward(repo.Runs) {
		branch, event := query.Get("branch"), query.Get("event")
		if (branch == "" || branch == r.HeadBranch) && (event == "" || event == r.Event) {
			runs = append(runs, r)
		}
	}
	shapes := []any{}
	for _, r := range page(w, c, runs) {
		shapes = append(shapes, s.runShape(c, repo, r))
	}
	return object{"total_count": len(runs), "workflow_runs": shapes}, nil
}

func (s *Server) getRun(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	run, ok := repo.run(c.number("id"))
	if !ok {
		return nil, notFound()
	}
	return s.runShape(c, repo, run), nil
}

func (r *Repository) run(id int64) (WorkflowRun, bool) {
	for _, run := range r.Runs {
		if run.ID == id {
			return run, true
		}
	}
	return WorkflowRun{}, false
}

// StartRun adds a workflow run to a repository, as a push or a schedule does.
func (s *Server) StartRun(fullName string, run WorkflowRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		if r := &s.state.Repositories[i]; r.FullName == fullName {
			r.Runs = append(r.Runs, run)
		}
	}
}

// ForgetArtifacts takes all artifacts of a repository away, as a short retention
// does.
func (s *Server) ForgetArtifacts(fullName string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		if r := &s.state.Repositories[i]; r.FullName == fullName {
			r.Artifacts = nil
		}
	}
	maps.DeleteFunc(s.uploads, func(path string, _ *blob) bool { return strings.HasPrefix(path, "/blob/artifacts/") })
}

func (s *Server) runShape(c *call, repo *Repository, r WorkflowRun) object {
	self := fmt.Sprintf("%s/repos/%s/actions/runs/%d", c.base, repo.FullName, r.ID)
	head := s.repositoryShape(c, cmp.Or(r.HeadRepository, repo.FullName))
	shape := object{
		"id": r.ID, "node_id": nodeID("WorkflowRun", r.ID), "name": "CI", "head_branch": r.HeadBranch, "head_sha": r.HeadSHA, "path": r.Path,
		"run_number": 1, "run_attempt": max(r.Attempt, 1), "display_title": "CI", "event": r.Event, "status": "in_progress", "conclusion": nil,
		"workflow_id": 1, "url": self, "html_url": fmt.Sprintf("%s/%s/actions/runs/%d", c.web, repo.FullName, r.ID),
		"created_at": stamp(c.now), "updated_at": stamp(c.now), "head_commit": nil, "pull_requests": []any{},
		"repository": s.repositoryShape(c, repo.FullName), "head_repository": head,
		"check_suite_url": fmt.Sprintf("%s/repos/%s/check-suites/1", c.base, repo.FullName), "workflow_url": fmt.Sprintf("%s/repos/%s/actions/workflows/1", c.base, repo.FullName),
	}
	for _, below := range []string{"jobs", "logs", "cancel", "rerun", "artifacts"} {
		shape[below+"_url"] = self + "/" + below
	}
	return shape
}

// listArtifacts answers the newest first, those of one run or of one exact name
// when it is asked for.
func (s *Server) listArtifacts(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	name := c.URL.Query().Get("name")
	listed := []Artifact{}
	for _, a := range slices.Backward(repo.Artifacts) {
		if run := c.number("id"); run != 0 && run != a.Run {
			continue
		}
		if (name == "" || name == a.Name) && !a.Created.Add(s.options.ListingLag).After(c.now) {
			listed = append(listed, a)
		}
	}
	shapes := []any{}
	for _, a := range page(w, c, listed) {
		shapes = append(shapes, s.artifactShape(c, repo, a))
	}
	return object{"total_count": len(listed), "artifacts": shapes}, nil
}

func (a Artifact) expires() time.Time {
	if a.Expires.IsZero() {
		return a.Created.Add(artifactLife)
	}
	return a.Expires
}

func (s *Server) artifactShape(c *call, repo *Repository, a Artifact) object {
	self := fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", c.base, repo.FullName, a.ID)
	shape := object{
		"id": a.ID, "node_id": nodeID("Artifact", a.ID), "name": a.Name, "size_in_bytes": len(a.Content), "url": self, "archive_download_url": self + "/zip",
		"expired": !c.now.Before(a.expires()), "created_at": stamp(a.Created), "updated_at": stamp(a.Created), "expires_at": stamp(a.expires()), "digest": nil,
	}
	if a.Digest != "" {
		shape["digest"] = a.Digest
	}
	if run, ok := repo.run(a.Run); ok {
		shape["workflow_run"] = object{
			"id": run.ID, "repository_id": repo.ID, "head_repository_id": s.repositoryShape(c, cmp.Or(run.HeadRepository, repo.FullName))["id"],
			"head_branch": run.HeadBranch, "head_sha": run.HeadSHA,
		}
	}
	return shape
}

// artifactZip redirects to the storage, as GitHub does.
func (s *Server) artifactZip(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	for _, a := range repo.Artifacts {
		switch {
		case a.ID != c.number("id") || c.PathValue("format") != "zip":
			continue
		case !c.now.Before(a.expires()):
			return nil, &failure{Status: http.StatusGone, Message: "Artifact has expired"}
		}
		path := "/blob/" + strings.ReplaceAll(repo.FullName, "/", "-") + "/artifact-" + strconv.FormatInt(a.ID, 10) + ".zip"
		s.uploads[path] = &blob{content: a.Content, kind: "application/zip"}
		w.Header().Set("Location", s.signed(path, "r"))
		w.WriteHeader(http.StatusFound)
		return nil, nil
	}
	return nil, notFound()
}

// listCaches answers the newest first.
func (s *Server) listCaches(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	query := c.URL.Query()
	listed := []Cache{}
	for _, x := range slices.Backward(repo.Caches) {
		ref := query.Get("ref")
		if (ref == "" || ref == x.Ref) && strings.HasPrefix(x.Key, query.Get("key")) && !x.Created.Add(s.options.ListingLag).After(c.now) {
			listed = append(listed, x)
		}
	}
	shapes := []any{}
	for _, x := range page(w, c, listed) {
		shapes = append(shapes, object{"id": x.ID, "ref": x.Ref, "key": x.Key, "version": x.Version, "size_in_bytes": len(x.Content),
			"created_at": stamp(x.Created), "last_accessed_at": stamp(x.Accessed)})
	}
	return object{"total_count": len(listed), "actions_caches": shapes}, nil
}
