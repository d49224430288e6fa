package gh

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// keyRest is what a comment's key may not hold.
var keyRest = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// CommentKey returns the key of the comment for each workflow, job and matrix leg, so that each
// has its own comment: in a shared one the last to end would overwrite the others'
// verdicts. The hash tells apart what reads the same.
func CommentKey(info engine.RunInfo) string {
	file, _, _ := strings.Cut(info.Workflow, "@refs/")
	key := strings.TrimSuffix(path.Base(file), ".yml") + "." + info.Job
	if info.Leg == "" && comment.ValidKey(key) {
		return key
	}
	sum := sha256.Sum256([]byte(file + "\n" + info.Job + "\n" + info.Leg))
	key = keyRest.ReplaceAllString(key, "-")
	return key[:min(len(key), 50)] + "-" + hex.EncodeToString(sum[:4])
}

// FormerCommentKey returns the key that older versions gave the comment of a job and
// leg, whatever its workflow.
func FormerCommentKey(info engine.RunInfo) string {
	job := engine.CalledJob(info.Job)
	if info.Leg == "" && comment.ValidKey(job) {
		return job
	}
	sum := sha256.Sum256([]byte(job + "\n" + info.Leg))
	return job[:min(len(job), 40)] + "-" + hex.EncodeToString(sum[:4])
}
