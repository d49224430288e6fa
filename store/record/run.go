// Package record makes the rows that both databases write of a run, a heal event
// and a fingerprint, and reads them back: cleaned texts, digests and numbers.
package record

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// NameDigest returns the SHA-256 by which a server looks up a name.
func NameDigest[T ~string](name T) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// KeyDigest returns the SHA-256 of parts, which may hold any text.
func KeyDigest(parts ...any) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return sum[:]
}

// RunRowOf returns the row of a run with the digest of its results.
func RunRowOf(run store.Run, rows []ResultRow) RunRow {
	info := run.Info
	started := info.StartedAt
	if started.IsZero() {
		started = run.Now
	}
	return RunRow{
		WorkflowID: info.WorkflowID, PullRequests: store.FormatGroup(info.MergeGroup),
		Key: KeyOf(info, run.ReportDigest), Origin: store.OriginOf(info), Repository: store.CleanID(info.Repository),
		Commit: store.CleanID(info.Commit), Head: store.CleanID(info.HeadSHA), Branch: store.CleanID(info.Branch),
		PullRequest: info.PullRequest, Fork: info.Fork, Incomplete: run.Incomplete,
		StartedAt: store.Unix(started), RecordedAt: store.Unix(run.Now),
		Results: len(rows), Payload: PayloadDigest(rows),
	}
}

// KeyOf returns the key of a run whose reports have the digest.
func KeyOf(info engine.RunInfo, digest string) RunKey {
	return RunKey{
		Repository: info.RepositoryID, Run: info.RunID, Attempt: info.RunAttempt,
		Workflow: store.CleanID(info.Workflow), Job: store.CleanID(info.Job), Leg: store.CleanID(info.Leg), ReportDigest: store.CleanID(digest),
	}
}

// RunRow is a run as the table of runs has it, without its row id.
type RunRow struct {
	Key          RunKey
	Ordinal      int
	Origin       store.Origin
	Repository   string
	Commit       string
	Head         string
	Branch       string
	PullRequest  int
	PullRequests string // of a merge group, see store.FormatGroup
	WorkflowID   int64
	Fork         bool
	Incomplete   bool
	StartedAt    float64
	RecordedAt   float64
	Results      int
	Payload      []byte
}

// RunKey identifies a run, together with the ordinal.
type RunKey struct {
	Repository, Run    int64
	Attempt            int
	Workflow, Job, Leg string
	ReportDigest       string
}

// Args returns the key as arguments of a statement, in the order of its columns.
func (k RunKey) Args() []any {
	return []any{k.Repository, k.Run, k.Attempt, k.Workflow, k.Job, k.Leg, k.ReportDigest}
}

// WorkflowFile returns the file of the workflow with a trailing "@". GitHub
// appends the ref, which differs on every branch and pull request:
// owner/name/.github/workflows/ci.yml@refs/pull/12/merge.
func (k RunKey) WorkflowFile() string {
	file, _, _ := strings.Cut(k.Workflow, "@refs/")
	return file + "@"
}

// Variants names, for runs of one repository, the runs that each is compared with:
// those of its workflow, job and leg. A workflow is the forge's id of it; for a run
// that was recorded without one, the id that other runs have for its file.
type Variants struct {
	keys []RunKey
	ids  []int64          // of the workflows, by run
	of   map[string]int64 // lowest id of a workflow file
}

// Add adds a run with the forge's id of its workflow, 0 unknown.
func (v *Variants) Add(key RunKey, workflow int64) {
	v.keys, v.ids = append(v.keys, key), append(v.ids, workflow)
	if workflow == 0 {
		return
	}
	if v.of == nil {
		v.of = map[string]int64{}
	}
	file := key.WorkflowFile()
	if known, ok := v.of[file]; !ok || workflow < known {
		v.of[file] = workflow
	}
}

// Name returns the name of the variant of run i; "" for a run that has no workflow,
// job or leg. All runs must have been added.
func (v *Variants) Name(i int) string {
	k := v.keys[i]
	if k.Workflow == "" && k.Job == "" && k.Leg == "" {
		return ""
	}
	workflow := k.WorkflowFile()
	if id := cmp.Or(v.ids[i], v.of[workflow]); id != 0 {
		workflow = strconv.FormatInt(id, 10)
	}
	return workflow + "\n" + k.Job + "\n" + k.Leg
}
