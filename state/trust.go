package state

import (
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// Self is the run that restores and persists.
type Self struct {
	Info          engine.RunInfo
	ReportDigest  string
	DefaultBranch string // of the repository, "main"; "" where no backend vouches for anything
	// AnyWorkflow lets what another workflow saved pass as well, for who looks
	// and does not judge.
	AnyWorkflow bool
}

// class is what an item may be used for.
type class int

const (
	refused    class = iota // never read
	branchOnly              // the rows of its own run, kept apart
	manualOnly              // what a person decided about the quarantine
	trusted                 // everything
)

// commandEvent is that of a command in a comment. Anybody can start such a run, but
// what it does is in the default branch's workflow, where Breadcrumb asks GitHub
// what the commenter may do.
const commandEvent = "issue_comment"

// classify decides by what the backend vouches for, never by the content. A fork
// runs whatever its author likes, so nothing it saved is read again.
func (s Self) classify(item Item) class {
	o := item.Origin
	if !o.Known {
		return trusted
	}
	if o.RepositoryID != s.Info.RepositoryID || o.HeadRepositoryID != s.Info.RepositoryID || !names(item.Name, o.RunID) {
		return refused
	}
	if o.Branch == s.DefaultBranch {
		switch own := o.Workflow != "" && (s.AnyWorkflow || o.Workflow == s.workflowPath()); {
		case own && engine.IsTrustedEvent(o.Event):
			return trusted
		case own && o.Event == commandEvent && strings.HasPrefix(item.Name, DeltaPrefix):
			return manualOnly
		}
		return refused
	}
	if strings.HasPrefix(item.Name, SnapshotPrefix) {
		return refused
	}
	return branchOnly
}

// names reports whether an item's name begins with the run that saved it. A
// name is what covers lists, so nobody may use another run's.
func names(name string, run int64) bool {
	for _, prefix := range []string{DeltaPrefix, SnapshotPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return strings.HasPrefix(rest, fmt.Sprintf("%d-", run))
		}
	}
	return false
}

// workflowPath returns the file of the run's workflow, of
// "owner/name/.github/workflows/ci.yml@refs/heads/main".
func (s Self) workflowPath() string {
	file, _, _ := strings.Cut(s.Info.Workflow, "@")
	return strings.TrimPrefix(file, s.Info.Repository+"/")
}

// transient reports whether an error may be gone the next time: then what was
// not read must not be taken for read.
func transient(err error) bool {
	var bad badContent
	return !errors.As(err, &bad) && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrHostile)
}

// badContent marks what is wrong with an item for good.
type badContent struct{ error }

// Unwrap returns the reason.
func (b badContent) Unwrap() error { return b.error }
