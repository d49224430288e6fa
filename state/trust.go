package state

import (
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// Self is the run that restores and saves state.
type Self struct {
	Info          engine.RunInfo
	ReportDigest  string
	DefaultBranch string // of the repository, "main"; "" where the backend knows no branches
	// AnyWorkflow accepts what other workflows saved, for readers that judge
	// nothing.
	AnyWorkflow bool
}

// class is what an item may be used for.
type class int

const (
	refused     class = iota // never read
	branchOnly               // the results of its own run, for its branch or pull request
	releaseOnly              // that a person let a test out of quarantine
	manualOnly               // what a person decided about the quarantine
	trusted                  // everything
)

// CommandEvent starts the run of a command in a comment. Anybody can start
// such a run, but the default branch's workflow says what it does, and there
// Breadcrumb asks GitHub what the commenter may do.
const CommandEvent = "issue_comment"

// classify decides by what the backend knows about an item, never by its
// content. Nothing that a fork saved is read again: it runs whatever its
// author likes.
func (s Self) classify(item Item) class {
	o := item.Origin
	if !o.Known {
		return trusted
	}
	if o.RepositoryID != s.Info.RepositoryID || o.HeadRepositoryID != s.Info.RepositoryID || !namesRun(item.Name, o.RunID) {
		return refused
	}
	if o.Branch == s.DefaultBranch {
		own := o.Workflow != "" && (s.AnyWorkflow || o.Workflow == WorkflowFile(s.Info))
		decision := o.Event == CommandEvent && strings.HasPrefix(item.Name, DeltaPrefix)
		switch {
		case own && engine.IsTrustedEvent(o.Event):
			return trusted
		case own && decision:
			return manualOnly
		case o.Shared && decision:
			return releaseOnly
		}
		return refused
	}
	if strings.HasPrefix(item.Name, SnapshotPrefix) {
		return refused
	}
	return branchOnly
}

// namesRun reports whether an item's name begins with the run that saved it.
// Manifests list items by name, so nobody may use the name of another run.
func namesRun(name string, run int64) bool {
	for _, prefix := range []string{DeltaPrefix, SnapshotPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return strings.HasPrefix(rest, fmt.Sprintf("%d-", run))
		}
	}
	return false
}

// WorkflowFile returns the file of a run's workflow: the path in
// "owner/name/.github/workflows/ci.yml@refs/heads/main".
func WorkflowFile(info engine.RunInfo) string {
	file, _, _ := strings.Cut(info.Workflow, "@")
	return strings.TrimPrefix(file, info.Repository+"/")
}

// transient reports whether reading may succeed the next time. Then the item
// must not be recorded as merged.
func transient(err error) bool {
	var bad badContent
	return !errors.As(err, &bad) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrHostile)
}

// badContent means that an item can never be used.
type badContent struct{ error }

// Unwrap returns the reason.
func (b badContent) Unwrap() error { return b.error }
