package ci

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// MissingRule says what a test does that the last run had and this one lacks.
type MissingRule string

// MissingAuto is MissingFail, but MissingWarn in a matrix leg: shards hand
// tests to each other whenever one is added.
const (
	MissingAuto MissingRule = "auto"
	MissingFail MissingRule = "fail"
	MissingWarn MissingRule = "warn"
)

// Config is one run's configuration.
type Config struct {
	JUnit      []string     // globs, relative to the working directory
	Limits     junit.Limits // bounds of the reports; a zero one takes its default
	HealEvents []string     // globs
	Traces     []string     // globs of Playwright's trace.zip
	Replay     bool         // look at failed traces a second time, in Deps.Browser
	NoHeal     bool         // look for nothing in the traces of failed tests
	NoLearn    bool         // learn nothing, from traces or from accepted edits
	NoPictures bool         // keep no pictures of elements that traces show
	HealDB     string       // seed database to read heal events from, "" for none
	DB         string       // database to update
	Repo       string       // checkout that holds the tests' source
	Policy     flaky.Policy
	Confirm    flaky.Confirm
	Missing    MissingRule
	Steps      []string // how the steps that ran the tests ended, of StepOutcomes; none where nobody says

	// MaxQuarantine is the largest share of the suite in quarantine, a ratio
	// in (0,1]; 0 means flaky.DefaultShare. Always and Never are globs of test
	// ids, or of their files. All three are for policy evidence alone.
	MaxQuarantine float64
	Always, Never []string

	// File is the settings file's name, whether it is there or not. Origins
	// says where the settings that decide what may be excused come from, by
	// their names; a missing one is a default.
	File    string
	Origins map[string]Origin

	// DefaultBranch is the repository's, "main": state that runs of it saved is
	// trusted. KeepRuns and KeepDays say how much history is kept where there is
	// a backend: runs of a job and of a test, and days, 0 for all.
	DefaultBranch      string
	KeepRuns, KeepDays int

	// EditPaths are globs of the files that may be edited, from the
	// repository's top; none means every test source.
	EditPaths []string
	Patch     string // file to write all offered edits to, "" for none

	Comment    bool
	CommentKey string
	// FormerKey is the key that an older version gave the comment, "" where the key
	// was chosen: such a comment gives way to this run's, if it is of its workflow.
	FormerKey string
	Report    string // JSON report to write, "" for none
	DryRun    bool
	ServerURL string // forge's web address, for links
	// ArtifactID is the forge's id of the artifact with the run's reports and traces, 0
	// for none.
	ArtifactID int64
	Info       engine.RunInfo
	Notices    []engine.Notice // what is not known of the run itself

	Secrets redact.Values // that nothing the run says may hold
}

// Origin is where a setting's value comes from.
type Origin struct {
	Place string // ".breadcrumb.yml line 3", "input missing", "--missing" or "default"
	File  bool   // a settings file of the checkout
}

// The settings that decide what may be excused, by the names of their flags.
const (
	SettingPolicy        = "policy"
	SettingMaxQuarantine = "max-quarantine"
	SettingAlways        = "quarantine-always"
	SettingNever         = "quarantine-never"
	SettingMissing       = "missing"
	SettingConfirm       = "confirm"
)

// Host is the CI system that started the run: where a job summary,
// annotations and outputs go.
type Host interface {
	Summarize(markdown string) error
	Annotate(outcome.Run) error
	SetOutputs(outcome.Run) error
}

// Runs is a forge that says of which workflow a run is: its id and its file from the
// repository's top.
type Runs interface {
	WorkflowOf(ctx context.Context, run int64) (id int64, file string, err error)
}

// Changes is a forge that lists the files a pull request changed, old and new
// names of moved ones, slash-separated.
type Changes interface {
	ChangedFiles(ctx context.Context, pr int) ([]string, error)
}

// Ancestry is a forge that knows where a commit branched off from the default
// branch.
type Ancestry interface {
	// MergeBase returns the newest commit of the default branch that is in the past
	// of a commit.
	MergeBase(ctx context.Context, commit string) (Base, error)
}

// Base is a commit of the default branch.
type Base = store.Base

// Deps are the run's connections to the world.
type Deps struct {
	Forge comment.API // nil where there is no pull request to comment on
	// Group has the pull requests of a merge group, by their numbers, to comment on.
	Group map[int]comment.API
	// Runs says whose run wrote a comment, nil where nobody can tell.
	Runs Runs
	Host Host // nil outside a CI system
	// Reviews suggests edits on the lines of the pull request's diff, nil where
	// nobody can.
	Reviews comment.ReviewAPI
	// Changes lists the files that the pull request changed, nil where nobody
	// can tell.
	Changes Changes
	// Offers keeps the edits that are offered, so that a command can tell them from
	// others, and tells which were offered before; nil where nobody can.
	Offers Offers
	// Ancestry knows where the tested commit branched off, nil where nobody can tell.
	Ancestry Ancestry
	// Backend keeps the state from run to run; nil where the database file alone
	// does.
	Backend state.Backend
	// Progress is called with what the run does next, in a few words; nil where
	// nobody watches.
	Progress func(what string)
	// Browser opens the browser for Config.Replay; nil where there is none.
	Browser func() (Browser, error)
	Now     func() time.Time
	Rand    io.Reader
	Log     *slog.Logger
}

// Offers keeps what a run of a pull request offers, and knows what became of it.
type Offers interface {
	Save(ctx context.Context, offers comment.Offers) error
	// Earlier returns what earlier runs of a pull request offered, the newest first.
	Earlier(ctx context.Context, pr int) ([]comment.Offers, error)
	// Merged returns the pull requests from branches of the repository itself that
	// were merged into the default branch since a time, the newest ones.
	Merged(ctx context.Context, since time.Time) ([]Merged, error)
	// FileAt returns a regular file of a commit: fs.ErrNotExist.
	FileAt(ctx context.Context, commit, path string) ([]byte, error)
}

// Exit is the process's exit code.
type Exit int

// The exit codes. Bad input is the user's to mend, a fault is ours.
const (
	ExitPass    Exit = 0
	ExitBlocked Exit = 1
	ExitUsage   Exit = 2
	ExitFault   Exit = 3
)

// InputError is input that keeps the run from giving any verdict, in words for
// the user.
type InputError struct{ Err error }

func (e InputError) Error() string { return e.Err.Error() }

func (e InputError) Unwrap() error { return e.Err }

// Result is what a run came to.
type Result struct {
	Outcome    outcome.Run
	Exit       Exit
	CommentURL string
	// PublishErrors holds what could not be published, for the log.
	PublishErrors []error
}
