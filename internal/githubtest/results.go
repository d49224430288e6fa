package githubtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// JobRun is one job of a workflow run, to which the results service speaks.
type JobRun struct {
	Repository string // owner/name
	Run        int64  // id of a [WorkflowRun] of the repository
	Job        string
	// Scopes are the refs whose caches the job may read, in the order in which
	// they are searched. It writes into the first.
	Scopes []string
	// ReadOnlyCache forbids writing caches.
	ReadOnlyCache bool
}

// RuntimeToken returns the ACTIONS_RUNTIME_TOKEN of a job: a JSON web token as
// the runner passes it, without a signature that means anything.
func (s *Server) RuntimeToken(j JobRun) string {
	type scope struct {
		Scope      string
		Permission int
	}
	var scopes []scope
	for i, ref := range j.Scopes {
		permission := 1
		if i == 0 && !j.ReadOnlyCache {
			permission = 3
		}
		scopes = append(scopes, scope{ref, permission})
	}
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	ac, err := json.Marshal(scopes)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token := part(object{"alg": "none", "typ": "JWT"}) + "." + part(object{
		"scp": fmt.Sprintf("Actions.GenericRead:0 Actions.Results:run-%d:job-%s", j.Run, j.Job), "ac": string(ac),
		"nbf": s.options.Now().Unix() - 60, "exp": s.options.Now().Add(24 * time.Hour).Unix(),
	}) + ".unsigned"
	s.jobs[token] = j
	return token
}

// Results returns the Actions results service of this GitHub with the blob
// store behind it, to be served at its own address, which [Server.SetStorage]
// must be told. Its requests are in the same log and meet the same faults.
func (s *Server) Results() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/blob/") {
				s.serveBlob(w, r)
				return
			}
			s.serveTwirp(w, r)
		})
	})
}

// SetStorage says where [Server.Results] is served, as clients reach it.
func (s *Server) SetStorage(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storage = address
}

// CountREST returns how many requests went to the REST API, without GraphQL
// and the results service.
func (s *Server) CountREST() int {
	n := 0
	for _, r := range s.Requests() {
		if !strings.HasPrefix(r.Path, "/twirp/") && !strings.HasPrefix(r.Path, "/blob/") && r.Path != "/graphql" {
			n++
		}
	}
	return n
}

// twirp is one call of the service being answered, with the state locked.
type twirp struct {
	job  JobRun
	repo *Repository
	now  time.Time
	in   struct {
		Run     string          `json:"workflow_run_backend_id"`
		Job     string          `json:"workflow_job_run_backend_id"`
		Name    string          `json:"name"`
		Filter  string          `json:"name_filter"`
		ID      json.RawMessage `json:"id_filter"`
		Size    json.RawMessage `json:"size"`
		Hash    string          `json:"hash"`
		Key     string          `json:"key"`
		Version json.RawMessage `json:"version"`
		Restore []string        `json:"restore_keys"`
		Bytes   json.RawMessage `json:"size_bytes"`
		Expires time.Time       `json:"expires_at"`
	}
}

// text returns a JSON string or number as it is written.
func text(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

func (s *Server) serveTwirp(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job, known := s.jobs[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !known {
		writeStatus(w, http.StatusUnauthorized, object{"code": "unauthenticated", "msg": "invalid token"})
		return
	}
	t := &twirp{job: job, now: s.options.Now().UTC()}
	for i := range s.state.Repositories {
		if s.state.Repositories[i].FullName == job.Repository {
			t.repo = &s.state.Repositories[i]
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&t.in); err != nil || t.repo == nil {
		writeStatus(w, http.StatusBadRequest, object{"code": "malformed", "msg": fmt.Sprint("the json request could not be decoded: ", err)})
		return
	}
	method, found := map[string]func(*twirp) (object, *refusal){
		"ArtifactService/CreateArtifact":        s.createArtifact,
		"ArtifactService/FinalizeArtifact":      s.finalizeArtifact,
		"ArtifactService/ListArtifacts":         s.listRunArtifacts,
		"ArtifactService/GetSignedArtifactURL":  s.signArtifact,
		"CacheService/CreateCacheEntry":         s.createCache,
		"CacheService/FinalizeCacheEntryUpload": s.finalizeCache,
		"CacheService/GetCacheEntryDownloadURL": s.findCache,
	}[strings.TrimPrefix(r.URL.Path, "/twirp/github.actions.results.api.v1.")]
	if !found || r.Method != http.MethodPost {
		writeStatus(w, http.StatusNotFound, object{"code": "bad_route", "msg": "no handler for path " + r.URL.Path})
		return
	}
	answer, refused := method(t)
	if refused != nil {
		writeStatus(w, refused.Status, object{"code": refused.Code, "msg": refused.Words})
		return
	}
	writeStatus(w, http.StatusOK, answer)
}

// refusal is an answer of the service other than success.
type refusal struct {
	Status      int
	Code, Words string
}

func twirpError(status int, code, words string) *refusal { return &refusal{status, code, words} }

// place returns the path of an artifact's or cache's blob.
func (t *twirp) place(kind, name string) string {
	return fmt.Sprintf("/blob/%s/%s/%s", kind, strings.ReplaceAll(t.job.Repository, "/", "-"), base64.RawURLEncoding.EncodeToString([]byte(name)))
}

// artifactPlace returns the path of an artifact's blob, and a refusal when the
// call is of another run.
func (t *twirp) artifactPlace(name string) (string, *refusal) {
	if t.in.Run != fmt.Sprintf("run-%d", t.job.Run) || t.in.Job != "job-"+t.job.Job {
		return "", twirpError(http.StatusForbidden, "permission_denied", "the token is of another run")
	}
	if name == "" || strings.ContainsAny(name, "\":<>|*?\r\n\\/") {
		return "", twirpError(http.StatusBadRequest, "invalid_argument", "the artifact name is not valid")
	}
	return t.place("artifacts", fmt.Sprintf("%d/%s", t.job.Run, name)), nil
}

func (s *Server) createArtifact(t *twirp) (object, *refusal) {
	path, refused := t.artifactPlace(t.in.Name)
	if refused != nil {
		return nil, refused
	}
	if s.uploads[path] != nil {
		return nil, twirpError(http.StatusConflict, "already_exists", "an artifact with this name already exists on the workflow run")
	}
	s.uploads[path] = &blob{expires: t.in.Expires}
	return object{"ok": true, "signed_upload_url": s.signed(path, "w")}, nil
}

func (s *Server) finalizeArtifact(t *twirp) (object, *refusal) {
	path, refused := t.artifactPlace(t.in.Name)
	if refused != nil {
		return nil, refused
	}
	b := s.uploads[path]
	switch {
	case b == nil || b.done:
		return nil, twirpError(http.StatusNotFound, "not_found", "the artifact was not found")
	case text(t.in.Size) != strconv.Itoa(len(b.content)):
		return nil, twirpError(http.StatusBadRequest, "invalid_argument", fmt.Sprintf("size is %s, uploaded were %d bytes", text(t.in.Size), len(b.content)))
	}
	b.done = true
	s.state.LastID++
	t.repo.Artifacts = append(t.repo.Artifacts, Artifact{ID: s.state.LastID, Run: t.job.Run, Name: t.in.Name, Digest: t.in.Hash, Created: t.now, Expires: b.expires, Content: b.content})
	return object{"ok": true, "artifact_id": strconv.FormatInt(s.state.LastID, 10)}, nil
}

func (s *Server) listRunArtifacts(t *twirp) (object, *refusal) {
	listed := []any{}
	for _, a := range t.repo.Artifacts {
		id := strconv.FormatInt(a.ID, 10)
		if a.Run != t.job.Run || t.in.Filter != "" && t.in.Filter != a.Name || len(t.in.ID) > 0 && text(t.in.ID) != id {
			continue
		}
		listed = append(listed, object{"workflow_run_backend_id": t.in.Run, "workflow_job_run_backend_id": t.in.Job, "database_id": id, "name": a.Name,
			"size": strconv.Itoa(len(a.Content)), "created_at": stamp(a.Created), "digest": a.Digest})
	}
	return object{"artifacts": listed}, nil
}

func (s *Server) signArtifact(t *twirp) (object, *refusal) {
	path, refused := t.artifactPlace(t.in.Name)
	if refused != nil {
		return nil, refused
	}
	if b := s.uploads[path]; b == nil || !b.done {
		return nil, twirpError(http.StatusNotFound, "not_found", "the artifact was not found")
	}
	return object{"signed_url": s.signed(path, "r")}, nil
}

// cachePlace returns the path of a cache in the scope that the job writes.
func (t *twirp) cachePlace() string {
	return t.place("caches", t.job.Scopes[0]+"\n"+t.in.Key+"\n"+text(t.in.Version))
}

func (s *Server) createCache(t *twirp) (object, *refusal) {
	if t.job.ReadOnlyCache || len(t.job.Scopes) == 0 {
		return object{"ok": false, "message": "cache write denied: the token may not write"}, nil
	}
	path := t.cachePlace()
	if s.uploads[path] != nil {
		return object{"ok": false, "message": "cache entry with the same key, version, and scope already exists"}, nil
	}
	s.uploads[path] = &blob{}
	return object{"ok": true, "signed_upload_url": s.signed(path, "w")}, nil
}

func (s *Server) finalizeCache(t *twirp) (object, *refusal) {
	if len(t.job.Scopes) == 0 {
		return object{"ok": false, "message": "the token has no cache scope"}, nil
	}
	b := s.uploads[t.cachePlace()]
	if b == nil || b.done || text(t.in.Bytes) != strconv.Itoa(len(b.content)) {
		return object{"ok": false, "message": "there is no upload of this size to finish"}, nil
	}
	b.done = true
	s.state.LastID++
	t.repo.Caches = append(t.repo.Caches, Cache{ID: s.state.LastID, Ref: t.job.Scopes[0], Key: t.in.Key, Version: text(t.in.Version), Created: t.now, Accessed: t.now, Content: b.content})
	return object{"ok": true, "entry_id": strconv.FormatInt(s.state.LastID, 10)}, nil
}

// findCache searches scope by scope, in each the exact key and then the
// newest that begins with a restore key.
func (s *Server) findCache(t *twirp) (object, *refusal) {
	for _, scope := range t.job.Scopes {
		for i, key := range append([]string{t.in.Key}, t.in.Restore...) {
			for _, c := range slices.Backward(t.repo.Caches) {
				if c.Ref != scope || c.Version != text(t.in.Version) || c.Key != key && (i == 0 || !strings.HasPrefix(c.Key, key)) {
					continue
				}
				path := t.place("found", strconv.FormatInt(c.ID, 10))
				s.uploads[path] = &blob{content: c.Content, kind: "application/octet-stream"}
				return object{"ok": true, "matched_key": c.Key, "signed_download_url": s.signed(path, "r")}, nil
			}
		}
	}
	return object{"ok": false}, nil
}
