package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RuntimeToken returns the ACTIONS_RUNTIME_TOKEN of a job: a JSON web token as
// the runner passes it, without a signature that means anything.
func (s *Server) RuntimeToken(j JobRun) string {
	var scopes []object
	for i, ref := range j.Scopes {
		permission := 1
		if i == 0 && !j.ReadOnlyCache {
			permission = 3
		}
		scopes = append(scopes, object{"Scope": ref, "Permission": permission})
	}
	part := func(v any) string { return base64.RawURLEncoding.EncodeToString(mustJSON(v)) }
	s.mu.Lock()
	defer s.mu.Unlock()
	token := part(object{"alg": "none", "typ": "JWT"}) + "." + part(object{
		"scp": fmt.Sprintf("Actions.GenericRead:0 Actions.Results:run-%d:job-%s", j.Run, j.Job), "ac": string(mustJSON(scopes)),
		"nbf": s.options.Now().Unix() - 60, "exp": s.options.Now().Add(24 * time.Hour).Unix(),
	}) + ".unsigned"
	s.jobs[token] = j
	return token
}

// Results returns the Actions results service of this GitHub with the blob
// store behind it. Serve it at an address of its own and pass that to
// [Server.SetStorage]. Its requests are in the same log and meet the same faults.
func (s *Server) Results() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if strings.HasPrefix(r.URL.Path, "/blob/") {
				s.serveBlob(w, r)
				return
			}
			answer, err := s.runTwirp(r)
			writeResult(w, answer, err)
		})
	})
}

// SetStorage says where [Server.Results] is served, as clients reach it.
func (s *Server) SetStorage(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storage = address
}

// twirp is one call of the service being answered, with the state locked.
type twirp struct {
	*Server
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

// unquote returns a JSON string or number as it is written.
func unquote(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

// twirpMethods maps the end of a path to its method.
var twirpMethods = map[string]func(*twirp) (any, error){
	"ArtifactService/CreateArtifact":        ofArtifact((*twirp).createArtifact),
	"ArtifactService/FinalizeArtifact":      ofArtifact((*twirp).finalizeArtifact),
	"ArtifactService/ListArtifacts":         (*twirp).listArtifacts,
	"ArtifactService/GetSignedArtifactURL":  ofArtifact((*twirp).signArtifact),
	"CacheService/CreateCacheEntry":         (*twirp).createCache,
	"CacheService/FinalizeCacheEntryUpload": (*twirp).finalizeCache,
	"CacheService/GetCacheEntryDownloadURL": (*twirp).findCache,
}

func (s *Server) runTwirp(r *http.Request) (any, error) {
	job, known := s.jobs[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !known {
		return nil, twirpError(http.StatusUnauthorized, "unauthenticated", "invalid token")
	}
	t := &twirp{Server: s, job: job, repo: s.state.findRepository(job.Repository), now: s.options.Now().UTC()}
	if err := json.NewDecoder(r.Body).Decode(&t.in); err != nil || t.repo == nil {
		return nil, twirpError(http.StatusBadRequest, "malformed", fmt.Sprint("the json request could not be decoded: ", err))
	}
	method, found := twirpMethods[strings.TrimPrefix(r.URL.Path, "/twirp/github.actions.results.api.v1.")]
	if !found || r.Method != http.MethodPost {
		return nil, twirpError(http.StatusNotFound, "bad_route", "no handler for path "+r.URL.Path)
	}
	return method(t)
}

// twirpError returns an error answer of the service.
func twirpError(status int, code, message string) error {
	return &failure{Status: status, Message: message, Body: object{"code": code, "msg": message}}
}

// blobPath returns the path of an artifact's or cache's blob.
func blobPath(repository, kind, name string) string {
	return fmt.Sprintf("/blob/%s/%s/%s", kind, strings.ReplaceAll(repository, "/", "-"), base64.RawURLEncoding.EncodeToString([]byte(name)))
}

// ofArtifact returns the method that first finds the path of the artifact's blob, and
// refuses a call of another run.
func ofArtifact(do func(*twirp, string) (any, error)) func(*twirp) (any, error) {
	return func(t *twirp) (any, error) {
		if t.in.Run != fmt.Sprintf("run-%d", t.job.Run) || t.in.Job != "job-"+t.job.Job {
			return nil, twirpError(http.StatusForbidden, "permission_denied", "the token is of another run")
		}
		if t.in.Name == "" || strings.ContainsAny(t.in.Name, "\":<>|*?\r\n\\/") {
			return nil, twirpError(http.StatusBadRequest, "invalid_argument", "the artifact name is not valid")
		}
		return do(t, blobPath(t.job.Repository, "artifacts", fmt.Sprintf("%d/%s", t.job.Run, t.in.Name)))
	}
}

func (t *twirp) createArtifact(path string) (any, error) {
	if t.uploads[path] != nil {
		return nil, twirpError(http.StatusConflict, "already_exists", "an artifact with this name already exists on the workflow run")
	}
	t.uploads[path] = &blob{expires: t.in.Expires}
	return object{"ok": true, "signed_upload_url": t.signedAddress(path, "w")}, nil
}

func (t *twirp) finalizeArtifact(path string) (any, error) {
	b := t.uploads[path]
	switch {
	case b == nil || b.done:
		return nil, twirpError(http.StatusNotFound, "not_found", "the artifact was not found")
	case unquote(t.in.Size) != strconv.Itoa(len(b.content)):
		return nil, twirpError(http.StatusBadRequest, "invalid_argument", fmt.Sprintf("size is %s, uploaded were %d bytes", unquote(t.in.Size), len(b.content)))
	}
	b.done = true
	t.state.LastID++
	t.repo.Artifacts = append(t.repo.Artifacts, Artifact{ID: t.state.LastID, Run: t.job.Run, Name: t.in.Name, Digest: t.in.Hash, Created: t.now, Expires: b.expires, Content: b.content})
	t.forgetArtifacts(t.repo)
	return object{"ok": true, "artifact_id": strconv.FormatInt(t.state.LastID, 10)}, nil
}

func (t *twirp) listArtifacts() (any, error) {
	listed := []any{}
	for _, a := range t.repo.Artifacts {
		id := strconv.FormatInt(a.ID, 10)
		if a.Run != t.job.Run || t.in.Filter != "" && t.in.Filter != a.Name || len(t.in.ID) > 0 && unquote(t.in.ID) != id {
			continue
		}
		listed = append(listed, object{"workflow_run_backend_id": t.in.Run, "workflow_job_run_backend_id": t.in.Job, "database_id": id, "name": a.Name,
			"size": strconv.Itoa(len(a.Content)), "created_at": formatTime(a.Created), "digest": a.Digest})
	}
	return object{"artifacts": listed}, nil
}

func (t *twirp) signArtifact(path string) (any, error) {
	if b := t.uploads[path]; b == nil || !b.done {
		return nil, twirpError(http.StatusNotFound, "not_found", "the artifact was not found")
	}
	return object{"signed_url": t.signedAddress(path, "r")}, nil
}

// cachePlace returns the path of a cache in the scope that the job writes.
func (t *twirp) cachePlace() string {
	return blobPath(t.job.Repository, "caches", t.job.Scopes[0]+"\n"+t.in.Key+"\n"+unquote(t.in.Version))
}

func (t *twirp) createCache() (any, error) {
	if t.job.ReadOnlyCache || len(t.job.Scopes) == 0 {
		return object{"ok": false, "message": "cache write denied: the token may not write"}, nil
	}
	path := t.cachePlace()
	if t.uploads[path] != nil {
		return object{"ok": false, "message": "cache entry with the same key, version, and scope already exists"}, nil
	}
	t.uploads[path] = &blob{}
	return object{"ok": true, "signed_upload_url": t.signedAddress(path, "w")}, nil
}

func (t *twirp) finalizeCache() (any, error) {
	if len(t.job.Scopes) == 0 {
		return object{"ok": false, "message": "the token has no cache scope"}, nil
	}
	b := t.uploads[t.cachePlace()]
	if b == nil || b.done || unquote(t.in.Bytes) != strconv.Itoa(len(b.content)) {
		return object{"ok": false, "message": "there is no upload of this size to finish"}, nil
	}
	b.done = true
	t.state.LastID++
	t.repo.Caches = append(t.repo.Caches, Cache{ID: t.state.LastID, Ref: t.job.Scopes[0], Key: t.in.Key, Version: unquote(t.in.Version), Created: t.now, Accessed: t.now, Content: b.content})
	return object{"ok": true, "entry_id": strconv.FormatInt(t.state.LastID, 10)}, nil
}

// findCache searches scope by scope, in each the exact key and then the
// newest that begins with a restore key.
func (t *twirp) findCache() (any, error) {
	for _, scope := range t.job.Scopes {
		for i, key := range append([]string{t.in.Key}, t.in.Restore...) {
			for _, c := range slices.Backward(t.repo.Caches) {
				if c.Ref != scope || c.Version != unquote(t.in.Version) || c.Key != key && (i == 0 || !strings.HasPrefix(c.Key, key)) {
					continue
				}
				path := blobPath(t.job.Repository, "found", strconv.FormatInt(c.ID, 10))
				t.uploads[path] = &blob{content: c.Content, kind: "application/octet-stream"}
				return object{"ok": true, "matched_key": c.Key, "signed_download_url": t.signedAddress(path, "r")}, nil
			}
		}
	}
	return object{"ok": false}, nil
}

// signedAddress returns an address that allows reading or writing a blob.
func (s *Server) signedAddress(path, right string) string {
	return s.storage + path + "?" + url.Values{"sig": {signature(path, right)}, "sp": {right}}.Encode()
}

func signature(path, right string) string {
	sum := sha256.Sum256([]byte("secret " + right + " " + path))
	return hex.EncodeToString(sum[:])
}

// serveBlob answers as Azure's blob store does to a signed address, and
// refuses a request that brings a token too.
func (s *Server) serveBlob(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	right := "r"
	if r.Method == http.MethodPut {
		right = "w"
	}
	b := s.uploads[r.URL.Path]
	switch {
	case r.Header.Get("Authorization") != "":
		w.WriteHeader(http.StatusBadRequest)
	case query.Get("sp") != right || query.Get("sig") != signature(r.URL.Path, right):
		w.WriteHeader(http.StatusForbidden)
	case b == nil:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPut:
		status := b.put(r)
		if status == http.StatusCreated {
			azureHeaders(w.Header(), b)
		}
		w.WriteHeader(status)
	default:
		b.get(w, r)
	}
}

// blob is the upload at one path of the blob store.
type blob struct {
	blocks  map[string][]byte
	content []byte
	kind    string // content type
	done    bool   // finished by the results service
	expires time.Time
}

// put stores a block, the list of the blocks, or the whole blob, and returns the
// status of the answer.
func (b *blob) put(r *http.Request) int {
	body, err := io.ReadAll(r.Body)
	if err != nil || b.done {
		return http.StatusConflict
	}
	query := r.URL.Query()
	switch query.Get("comp") {
	case "block":
		if b.blocks == nil {
			b.blocks = map[string][]byte{}
		}
		b.blocks[query.Get("blockid")] = body
	case "blocklist":
		var list struct{ Latest []string }
		if xml.Unmarshal(body, &list) != nil {
			return http.StatusBadRequest
		}
		var content []byte
		for _, id := range list.Latest {
			block, known := b.blocks[id]
			if !known {
				return http.StatusBadRequest
			}
			content = append(content, block...)
		}
		b.content, b.kind = content, r.Header.Get("X-Ms-Blob-Content-Type")
	case "":
		if r.Header.Get("X-Ms-Blob-Type") != "BlockBlob" {
			return http.StatusBadRequest
		}
		b.content, b.kind = body, r.Header.Get("X-Ms-Blob-Content-Type")
	}
	return http.StatusCreated
}

// get returns the blob or the requested range of it.
func (b *blob) get(w http.ResponseWriter, r *http.Request) {
	if asked := r.Header.Get("X-Ms-Range"); asked != "" {
		r.Header.Set("Range", asked)
	}
	azureHeaders(w.Header(), b)
	w.Header().Set("Content-Type", b.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.content))
}

// azureHeaders sets the headers that Azure's own client reads.
func azureHeaders(h http.Header, b *blob) {
	sum := sha256.Sum256(b.content)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	h.Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
	h.Set("X-Ms-Blob-Type", "BlockBlob")
	h.Set("X-Ms-Request-Id", "00000000-0000-0000-0000-000000000000")
	h.Set("X-Ms-Version", "2020-10-02")
}

// forgetArtifacts lets go of what expired a day ago, where the server forgets: GitHub
// lists it for a while.
func (s *Server) forgetArtifacts(r *Repository) {
	if !s.options.Forgets {
		return
	}
	r.Artifacts = slices.DeleteFunc(r.Artifacts, func(a Artifact) bool {
		gone := s.options.Now().After(a.expires().Add(24 * time.Hour))
		if gone {
			delete(s.uploads, blobPath(r.FullName, "artifacts", fmt.Sprintf("%d/%s", a.Run, a.Name)))
			delete(s.uploads, zipPath(r.FullName, a.ID))
		}
		return gone
	})
}
