package delta

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Key identifies a run, together with the digest of what it recorded.
type Key struct {
	Job          string `json:"job,omitempty"`
	Leg          string `json:"leg,omitempty"`
	ReportDigest string `json:"report_digest,omitempty"`
	RepositoryID int64  `json:"repository_id,omitempty"`
	RunAttempt   int    `json:"run_attempt,omitempty"`
	RunID        int64  `json:"run_id,omitempty"`
	Workflow     string `json:"workflow,omitempty"`
}

// ID returns the run's identity: a hash of its key and of what it recorded.
func (k Key) ID(payload []byte) string {
	text, _ := json.Marshal(k) // a struct of strings and numbers always marshals
	sum := sha256.New()
	sum.Write(text)
	sum.Write(payload)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Record is one line of a delta. The fields are in the order of their JSON
// keys; "_" is the kind and comes first.
type Record interface{ kind() string }

// Run is a run, without its results.
type Run struct {
	Kind         string  `json:"_"`
	Branch       string  `json:"branch,omitempty"`
	Commit       string  `json:"commit,omitempty"`
	Fork         bool    `json:"fork,omitempty"`
	Head         string  `json:"head,omitempty"`
	Incomplete   bool    `json:"incomplete,omitempty"`
	Key          Key     `json:"key"`
	Origin       int     `json:"origin"`  // as the store numbers them
	Payload      []byte  `json:"payload"` // SHA-256 of the results
	PullRequest  int     `json:"pull_request,omitempty"`
	PullRequests string  `json:"pull_requests,omitempty"` // of a merge group, ascending, a space between them
	RecordedAt   float64 `json:"recorded_at"`             // Unix seconds, as every time
	Repository   string  `json:"repository,omitempty"`
	Results      int     `json:"results"` // attempts recorded, some of which may have been deleted since
	StartedAt    float64 `json:"started_at"`
	WorkflowID   int64   `json:"workflow_id,omitempty"`
}

// Result is one attempt of a test in a run.
type Result struct {
	Kind        string   `json:"_"`
	At          *float64 `json:"at,omitempty"`
	Attempt     int      `json:"attempt"`
	DurationMS  *float64 `json:"duration_ms,omitempty"`
	Environment string   `json:"environment,omitempty"`
	Error       string   `json:"error,omitempty"`
	Healed      bool     `json:"healed,omitempty"`
	Place       string   `json:"place,omitempty"` // "file:line" of a failure
	Run         string   `json:"run"`             // see Key.ID
	Signature   string   `json:"signature,omitempty"`
	Status      string   `json:"status"`
	Test        string   `json:"test"`
}

// SeedResult is a row of the seed's test_runs, which belongs to no run. Nth
// numbers equal rows from 1.
type SeedResult struct {
	Kind        string   `json:"_"`
	At          float64  `json:"at"`
	DurationMS  *float64 `json:"duration_ms,omitempty"`
	Environment string   `json:"environment,omitempty"`
	Error       string   `json:"error,omitempty"`
	Healed      bool     `json:"healed,omitempty"`
	Nth         int      `json:"nth"`
	Status      string   `json:"status"`
	Test        string   `json:"test"`
}

// Heal is a healed locator or, of kind "refusal", one that was not healed.
type Heal struct {
	Kind       string  `json:"_"`
	Confidence float64 `json:"confidence"`
	Digest     []byte  `json:"digest"`
	Event      string  `json:"event,omitempty"` // breadcrumb.heal/v1, "" in a row of the seed
	Healed     string  `json:"healed,omitempty"`
	Locator    string  `json:"locator"`
	Original   string  `json:"original,omitempty"`
	Reason     string  `json:"reason,omitempty"`
	Run        string  `json:"run,omitempty"` // "": claimed by no run
	Test       string  `json:"test"`
	Timestamp  float64 `json:"timestamp"`
}

// Fingerprint is an element that a healing library learned.
type Fingerprint struct {
	Kind      string  `json:"_"`
	JSON      string  `json:"json"`
	Locator   string  `json:"locator"`
	Page      []byte  `json:"page,omitempty"` // digest of the page state it was taken on
	Test      string  `json:"test"`
	UpdatedAt float64 `json:"updated_at"`
}

// Page is a page state.
type Page struct {
	Kind      string  `json:"_"`
	State     []byte  `json:"state"`
	UpdatedAt float64 `json:"updated_at"`
}

// Quarantine is an entry of the quarantine.
type Quarantine struct {
	Kind        string  `json:"_"`
	Auto        bool    `json:"auto,omitempty"`
	Commits     string  `json:"commits,omitempty"`
	Environment string  `json:"environment,omitempty"`
	Owner       string  `json:"owner,omitempty"`
	Reason      string  `json:"reason"`
	Since       float64 `json:"since"`
	Test        string  `json:"test"`
}

// Change is a line of the quarantine's log.
type Change struct {
	Kind     string  `json:"_"`
	Action   string  `json:"action"` // "add", "release" or "setting"
	At       float64 `json:"at"`
	FlipRate float64 `json:"flip_rate,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Test     string  `json:"test"`
	Tier     string  `json:"tier,omitempty"`
	Who      string  `json:"who"`
}

// Rename gives a test another name.
type Rename struct {
	Kind string  `json:"_"`
	At   float64 `json:"at"`
	New  string  `json:"new"`
	Old  string  `json:"old"`
}

// Veto is a person's no to an element for a locator.
type Veto struct {
	Kind      string  `json:"_"`
	At        float64 `json:"at"`
	Locator   string  `json:"locator"`
	Signature string  `json:"signature"` // of the element
	Test      string  `json:"test"`      // "": whatever the test
	Who       string  `json:"who"`
}

// Lesson is other words for the same, which an accepted edit taught.
type Lesson struct {
	Kind string  `json:"_"`
	At   float64 `json:"at"`
	Now  string  `json:"now"`
	Was  string  `json:"was"`
	Who  string  `json:"who"`
}

// Accepted is the element that a person took for a locator's by accepting an edit.
type Accepted struct {
	Kind    string  `json:"_"`
	At      float64 `json:"at"`
	JSON    string  `json:"json"` // its fingerprint
	Locator string  `json:"locator"`
	Test    string  `json:"test"`
	Who     string  `json:"who"`
}

// Forgotten says when a person let an element be forgotten. What was learned of it
// until then does not count.
type Forgotten struct {
	Kind    string  `json:"_"`
	At      float64 `json:"at"`
	Locator string  `json:"locator"`
	Test    string  `json:"test"`
}

// Retention is the time before which nothing is kept.
type Retention struct {
	Kind   string  `json:"_"`
	Before float64 `json:"before"`
}

// Unknown is a line of a newer version, or the fields of one that this version
// does not know together with those that identify the record. It is passed on
// as it is.
type Unknown struct{ Line string }

// resultLine is a result of which only the line is left.
type resultLine struct{ run, line string }

// The kinds, as lines name them.
const (
	KindAccepted    = "accepted"
	KindChange      = "change"
	KindFingerprint = "fingerprint"
	KindForgotten   = "forgotten"
	KindHeal        = "heal"
	KindLesson      = "lesson"
	KindPage        = "page"
	KindQuarantine  = "quarantine"
	KindRefusal     = "refusal"
	KindRename      = "rename"
	KindResult      = "result"
	KindRetention   = "retention"
	KindRun         = "run"
	KindSeedResult  = "seed_result"
	KindVeto        = "veto"
)

func (*Run) kind() string { return KindRun }

func (*Result) kind() string { return KindResult }

func (*SeedResult) kind() string { return KindSeedResult }

func (h *Heal) kind() string { return h.Kind }

func (*Fingerprint) kind() string { return KindFingerprint }

func (*Page) kind() string { return KindPage }

func (*Quarantine) kind() string { return KindQuarantine }

func (*Change) kind() string { return KindChange }

func (*Rename) kind() string { return KindRename }

func (*Retention) kind() string { return KindRetention }

func (*Veto) kind() string { return KindVeto }

func (*Lesson) kind() string { return KindLesson }

func (*Accepted) kind() string { return KindAccepted }

func (*Forgotten) kind() string { return KindForgotten }

func (*Unknown) kind() string { return "" }

func (*resultLine) kind() string { return KindResult }

// kinds says of each kind how an empty record is made, and which keys identify
// a record.
var kinds = map[string]struct {
	blank    func() Record
	identity []string
}{
	KindAccepted:    {func() Record { return &Accepted{} }, []string{"at", "locator", "test"}},
	KindChange:      {func() Record { return &Change{} }, []string{"action", "at", "test", "who"}},
	KindFingerprint: {func() Record { return &Fingerprint{} }, []string{"locator", "test"}},
	KindForgotten:   {func() Record { return &Forgotten{} }, []string{"at", "locator", "test"}},
	KindHeal:        {func() Record { return &Heal{} }, []string{"digest"}},
	KindLesson:      {func() Record { return &Lesson{} }, []string{"now", "was"}},
	KindPage:        {func() Record { return &Page{} }, []string{"state"}},
	KindQuarantine:  {func() Record { return &Quarantine{} }, []string{"test"}},
	KindRefusal:     {func() Record { return &Heal{} }, []string{"digest"}},
	KindRename:      {func() Record { return &Rename{} }, []string{"at", "new", "old"}},
	KindResult:      {func() Record { return &Result{} }, []string{"attempt", "run", "test"}},
	KindRetention:   {func() Record { return &Retention{} }, []string{}},
	KindRun:         {func() Record { return &Run{} }, []string{"key", "payload"}},
	KindSeedResult:  {func() Record { return &SeedResult{} }, []string{"at", "nth", "status", "test"}},
	KindVeto:        {func() Record { return &Veto{} }, []string{"locator", "signature", "test"}},
}
