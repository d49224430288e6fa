package comment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// ErrNewer means that a newer run has written the comment.
var ErrNewer = errors.New("the comment tells of a newer run, whose verdict stays")

// HeadTeller is an [API] of a forge that says which head a pull request has now, ""
// where that would take another request.
type HeadTeller interface {
	Head(ctx context.Context, pr int) (string, error)
}

// Writer is the run that wrote a sticky comment.
type Writer struct {
	Run      int64  `json:"id"`
	Attempt  int    `json:"attempt"`
	At       int64  `json:"at,omitempty"`       // Unix seconds, see engine.RunInfo.StartedAt
	Head     string `json:"head,omitempty"`     // that it tested
	Workflow int64  `json:"workflow,omitempty"` // 0 unknown
	Job      string `json:"job"`                // hash of job and leg
	Group    bool   `json:"group,omitempty"`    // it tested a merge group
}

// NewWriter returns the run as its comment remembers it, nil for one that is not the
// forge's.
func NewWriter(info engine.RunInfo) *Writer {
	if info.RunID == 0 {
		return nil
	}
	w := &Writer{Run: info.RunID, Attempt: info.RunAttempt, Workflow: info.WorkflowID, Job: hashJob(info), Group: len(info.MergeGroup) > 0}
	if !info.StartedAt.IsZero() {
		w.At = info.StartedAt.Unix()
	}
	if commitForm.MatchString(info.HeadSHA) {
		w.Head = info.HeadSHA
	}
	return w
}

// hashJob stands for a job and leg.
func hashJob(info engine.RunInfo) string {
	sum := sha256.Sum256([]byte(info.Job + "\n" + info.Leg))
	return hex.EncodeToString(sum[:8])
}

// runLink is the link to a run in [page.factLine].
var runLink = lazyregexp.New(`\[job log\]\([^)\s]*/actions/runs/([0-9]{1,18})[/)]`)

// factLines is within how many lines of a comment its facts are; below, a test run
// has written.
const factLines = 6

// parseWriter returns the run that wrote a sticky comment. Of a comment that an older
// version wrote only the run's id is known.
func parseWriter(body string) (w Writer, told bool) {
	if state, ok := ParseState(body); ok && state.Writer != nil {
		return *state.Writer, true
	}
	lines := strings.Split(body, "\n")
	if m := runLink.FindStringSubmatch(strings.Join(lines[:min(len(lines), factLines)], "\n")); m != nil {
		w.Run, _ = strconv.ParseInt(m[1], 10, 64) // 18 digits at most
	}
	return w, false
}

// precedes reports whether w is an earlier run, or attempt, than o.
func (w Writer) precedes(o Writer) bool {
	if w.At != 0 && o.At != 0 && w.At != o.At {
		return w.At < o.At
	}
	if w.Run != o.Run {
		return w.Run < o.Run
	}
	return w.Attempt < o.Attempt
}

// isOutdated reports whether the comment that theirs wrote is to stay for all that w
// came to: theirs is of the pull request's head and w is not, or theirs is later. A
// merge group's run is of no head of a pull request.
func (w Writer) isOutdated(theirs Writer, head string) bool {
	switch {
	case w.Run == 0 || theirs.Run == 0:
		return false
	case w.Group || theirs.Group || w.Head == theirs.Head || w.Head == "" || theirs.Head == "":
		return w.precedes(theirs)
	case head == w.Head:
		return false
	case head == theirs.Head:
		return true
	}
	return w.precedes(theirs)
}

// FindNewer returns our comment of o.Key that a newer run than w has written.
func (s Conversation) FindNewer(o Options, w *Writer) (Comment, bool) {
	for _, c := range s.sticky(o) {
		if w != nil && s.keeps(c, *w) {
			return c, true
		}
	}
	return Comment{}, false
}

// keeps reports whether a comment stays as it is for all that w came to.
func (s Conversation) keeps(c Comment, w Writer) bool {
	theirs, _ := parseWriter(c.Body)
	return w.isOutdated(theirs, s.Head)
}

// Former is a key under which a comment of ours stands, and the run that wrote it.
type Former struct {
	Key string
	Run int64
}

// FormerKeys returns the keys of our comments that info's workflow, job and leg wrote
// under another key than o.Key. Of those of the key legacy that do not say who wrote
// them, the run is returned: it must be asked whose it is.
func (s Conversation) FormerKeys(o Options, info engine.RunInfo, legacy string) (ours []string, ask []Former) {
	for _, c := range s.Sticky("") {
		key, _ := parseMarker(c.Body)
		w, told := parseWriter(c.Body)
		switch {
		case key == o.key():
		case told && w.Workflow != 0 && w.Workflow == info.WorkflowID && w.Job == hashJob(info):
			ours = append(ours, key)
		case !told && key == legacy && w.Run != 0:
			ask = append(ask, Former{key, w.Run})
		}
	}
	return ours, ask
}
