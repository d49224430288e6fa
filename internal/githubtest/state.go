package githubtest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// State is everything the server keeps. Its JSON form is what [Server.Load]
// reads and [Server.Dump] writes.
type State struct {
	// Tokens are the tokens that are known. Without any, every token is an
	// installation token of github-actions[bot].
	Tokens       []Token      `json:"tokens,omitempty"`
	Repositories []Repository `json:"repositories"`
	// LastID is the last id in use; whatever is added next gets the one after it.
	LastID int64 `json:"last_id"`
	// RateLimit is how many requests are answered in an hour, 5,000 when it is 0.
	RateLimit int `json:"rate_limit,omitempty"`
}

// Token is one access token and who speaks with it.
type Token struct {
	Token        string `json:"token"`
	Login        string `json:"login"`
	Installation bool   `json:"installation,omitempty"` // an app's: GET /user is forbidden
	ReadOnly     bool   `json:"read_only,omitempty"`    // writes are forbidden, as on a fork's pull request
	NoActions    bool   `json:"no_actions,omitempty"`   // has no actions: read
	NoContents   bool   `json:"no_contents,omitempty"`  // has no contents: write
	NoPulls      bool   `json:"no_pulls,omitempty"`     // may not open pull requests, as a repository's settings can say
	NoDelete     bool   `json:"no_delete,omitempty"`    // may not delete review comments
	NoChecks     bool   `json:"no_checks,omitempty"`    // has no checks: write
	App          string `json:"app,omitempty"`          // slug of the app it is of, github-actions when empty
}

// Repository is one repository.
type Repository struct {
	ID            int64  `json:"id"`
	FullName      string `json:"full_name"` // owner/name
	DefaultBranch string `json:"default_branch,omitempty"`
	Private       bool   `json:"private,omitempty"`
	// Permissions maps a login to its role: admin, maintain, write, triage,
	// read or none. Who is not there can read what is public.
	Permissions map[string]string `json:"permissions,omitempty"`
	Contents    []Content         `json:"contents,omitempty"`
	Branches    []Branch          `json:"branches,omitempty"` // beside the heads of pull requests
	Commits     []Commit          `json:"commits,omitempty"`  // that were made here
	Renamed     map[string]string `json:"renamed,omitempty"`  // former names of branches to the present ones
	Tags        map[string]string `json:"tags,omitempty"`     // commits by the tags' names
	// Activities are what became of the branches, oldest first. Where it is empty they
	// are made up from the past or from the runs.
	Activities []Activity `json:"activities,omitempty"`
	// Past is to compare commits. Where it is empty every commit is on every branch.
	Past         []Past        `json:"past,omitempty"`
	PullRequests []PullRequest `json:"pull_requests,omitempty"`
	Comments     []Comment     `json:"comments,omitempty"` // by id

	Queued    []QueuedCommit `json:"queued,omitempty"` // the oldest of each group first
	Runs      []WorkflowRun  `json:"runs,omitempty"`
	CheckRuns []CheckRun     `json:"check_runs,omitempty"`
	Artifacts []Artifact     `json:"artifacts,omitempty"` // by id
	Caches    []Cache        `json:"caches,omitempty"`    // by id
	Git       Git            `json:"git,omitzero"`

	Releases     []Release     `json:"releases,omitempty"` // oldest first
	Environments []Environment `json:"environments,omitempty"`
	Rulesets     []Ruleset     `json:"rulesets,omitempty"`
	// ImmutableReleases is the setting: what is published from then on is immutable.
	ImmutableReleases bool `json:"immutable_releases,omitempty"`
}

// CheckRun is one check of a commit.
type CheckRun struct {
	ID         int64       `json:"id"`
	App        string      `json:"app"` // slug
	Name       string      `json:"name"`
	HeadSHA    string      `json:"head_sha"`
	ExternalID string      `json:"external_id,omitempty"`
	Details    string      `json:"details_url,omitempty"`
	Status     string      `json:"status"`
	Conclusion string      `json:"conclusion,omitempty"`
	Started    time.Time   `json:"started,omitzero"`
	Completed  time.Time   `json:"completed,omitzero"`
	Output     CheckOutput `json:"output,omitzero"`
}

// CheckOutput is what a check run shows.
type CheckOutput struct {
	Title   string `json:"title"`
	Summary string `json:"summary"`
}

// Past is a commit of a repository's past, of which nothing but its place is kept.
type Past struct {
	SHA     string    `json:"sha"`
	Parents []string  `json:"parents,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// Content is one text file of a repository.
type Content struct {
	Ref  string `json:"ref,omitempty"` // branch or commit, "" for every ref
	Path string `json:"path"`
	Text string `json:"text"`
	Mode string `json:"mode,omitempty"` // git's, "100644" when empty
}

// Branch is one branch.
type Branch struct {
	Name      string `json:"name"`
	SHA       string `json:"sha"`
	Protected bool   `json:"protected,omitempty"` // takes no direct commit
}

// Commit is a commit that was made here.
type Commit struct {
	SHA     string   `json:"sha"`
	Parent  string   `json:"parent"`
	Branch  string   `json:"branch"`
	Author  string   `json:"author"`
	Message string   `json:"message"`
	Paths   []string `json:"paths"`
}

// PullRequest is one pull request.
type PullRequest struct {
	Number         int       `json:"number"`
	Title          string    `json:"title,omitempty"`
	Author         string    `json:"author,omitempty"`
	Closed         bool      `json:"closed,omitempty"`
	Merged         time.Time `json:"merged,omitzero"`  // zero unless it is closed by a merge
	Locked         bool      `json:"locked,omitempty"` // comments are forbidden
	HeadRepository string    `json:"head_repository,omitempty"`
	HeadRef        string    `json:"head_ref,omitempty"`
	Body           string    `json:"body,omitempty"`
	HeadSHA        string    `json:"head_sha"`
	BaseRef        string    `json:"base_ref,omitempty"`
	BaseSHA        string    `json:"base_sha,omitempty"`
	Files          []File    `json:"files,omitempty"`
	Reviews        []Review  `json:"reviews,omitempty"`
}

// File is one changed file of a pull request.
type File struct {
	Name     string `json:"name"`
	Status   string `json:"status,omitempty"`   // modified when empty
	Patch    string `json:"patch,omitempty"`    // hunks of the unified diff, "" for binary files
	Previous string `json:"previous,omitempty"` // name before a move
}

// Comment is one comment of a pull request's conversation.
type Comment struct {
	ID        int64     `json:"id"`
	Issue     int       `json:"issue"` // pull request number
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	Edits     int       `json:"edits,omitempty"`
	Past      []Edit    `json:"past,omitempty"` // oldest first, once it was edited
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// Edit is what a comment said since somebody wrote it.
type Edit struct {
	Editor string `json:"editor"`
	Body   string `json:"body"`
}

// Review is one submitted or pending review.
type Review struct {
	ID       int64           `json:"id"`
	Author   string          `json:"author"`
	State    string          `json:"state"` // COMMENTED, APPROVED, CHANGES_REQUESTED or PENDING
	Body     string          `json:"body,omitempty"`
	CommitID string          `json:"commit_id"`
	Comments []ReviewComment `json:"comments,omitempty"`
}

// ReviewComment is one comment on lines of the diff.
type ReviewComment struct {
	ID        int64  `json:"id"`
	Path      string `json:"path"`
	Side      string `json:"side"`
	Line      int    `json:"line"`
	StartLine int    `json:"start_line,omitempty"`
	Body      string `json:"body"`
	Author    string `json:"author,omitempty"`   // the review's when empty
	ReplyTo   int64  `json:"reply_to,omitempty"` // comment that it answers
	Outdated  bool   `json:"outdated,omitempty"` // its line has changed since
	Minimized string `json:"minimized,omitempty"`
}

// WorkflowRun is one run of a workflow.
type WorkflowRun struct {
	ID             int64     `json:"id"`
	Attempt        int       `json:"attempt,omitempty"` // the newest; 1 when 0
	Event          string    `json:"event"`
	Path           string    `json:"path"`                      // of the workflow file
	HeadRepository string    `json:"head_repository,omitempty"` // owner/name, the repository's own when empty
	HeadBranch     string    `json:"head_branch"`
	HeadSHA        string    `json:"head_sha"`
	WorkflowID     int64     `json:"workflow_id,omitempty"` // 1 when 0
	Created        time.Time `json:"created,omitzero"`      // now when zero
	Ended          time.Time `json:"ended,omitzero"`        // its newest attempt; it goes on when zero
	Calls          []string  `json:"calls,omitempty"`       // files of the workflows that it calls
	Conclusion     string    `json:"conclusion,omitempty"`  // in progress when empty
	Jobs           []Job     `json:"jobs,omitempty"`
}

// Job is one job of a workflow run.
type Job struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`              // "caller / called" of a called one
	Attempt int    `json:"attempt,omitempty"` // 1 when 0
	Runner  string `json:"runner,omitempty"`
	Status  string `json:"status,omitempty"` // in_progress when empty
}

// QueuedCommit is a commit of a merge queue's branch, made by the queue.
type QueuedCommit struct {
	Head    string `json:"head"` // of the group
	SHA     string `json:"sha"`
	Message string `json:"message"`
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

// Git is a repository's git data: what was written through the API, and the files of
// [Repository].Contents that were read through it.
type Git struct {
	Objects map[string]GitObject `json:"objects,omitempty"` // by git's name
}

// GitObject is a blob, a tree or a commit.
type GitObject struct {
	Content []byte     `json:"content,omitempty"` // of a blob
	Tree    []TreeLine `json:"tree,omitempty"`    // of a tree, sorted as git does
	Commit  *GitCommit `json:"commit,omitempty"`
}

// TreeLine is one entry of a tree.
type TreeLine struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
}

// GitCommit is one commit.
type GitCommit struct {
	Message string   `json:"message"`
	Tree    string   `json:"tree"`
	Parents []string `json:"parents,omitempty"`
}

// JobRun is one job of a workflow run, a client of the results service.
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

// Load replaces the server's state with the JSON of a [State]. Unknown fields
// are errors, so that a misspelt fixture is noticed.
func (s *Server) Load(r io.Reader) error {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var state State
	if err := decoder.Decode(&state); err != nil {
		return fmt.Errorf("load state: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.commits = state, map[string]*places{}
	return nil
}

// LoadFile is [Server.Load] from the named file.
func (s *Server) LoadFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("load state: %w", err)
	}
	defer f.Close()
	return s.Load(f)
}

// Dump writes the whole state as indented JSON.
func (s *Server) Dump(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // people read it
	encoder.SetIndent("", "  ")
	return encoder.Encode(s.state)
}

// mustJSON returns v as JSON and panics where that fails.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// Release is one release of a repository.
type Release struct {
	ID         int64          `json:"id"`
	Tag        string         `json:"tag"`
	Name       string         `json:"name"`
	Body       string         `json:"body,omitempty"`
	Draft      bool           `json:"draft,omitempty"`
	Prerelease bool           `json:"prerelease,omitempty"`
	Immutable  bool           `json:"immutable,omitempty"` // only its name and body can change
	Created    time.Time      `json:"created,omitzero"`
	Assets     []ReleaseAsset `json:"assets,omitempty"`
}

// ReleaseAsset is a file of a release.
type ReleaseAsset struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Content []byte `json:"content"`
	// Started is set of a file whose upload began and did not end.
	Started bool `json:"started,omitempty"`
}

// Environment is an environment of deployments.
type Environment struct {
	Name      string   `json:"name"`
	Reviewers []string `json:"reviewers,omitempty"` // who have to agree
	// Branches is protected or custom, the branches that may deploy; "" for all.
	Branches string `json:"branches,omitempty"`
}

// Ruleset is a set of rules for branches or tags.
type Ruleset struct {
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	Target      string   `json:"target"`      // branch or tag
	Enforcement string   `json:"enforcement"` // active, evaluate or disabled
	Include     []string `json:"include"`
	Exclude     []string `json:"exclude,omitempty"`
	Rules       []string `json:"rules"` // their types: update, deletion
}
