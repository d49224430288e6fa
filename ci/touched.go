package ci

import (
	"context"
	"path"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// touched is what is known of the files that a pull request changed. The zero
// value is a run of no pull request.
type touched struct {
	files   []string // from the repository's top
	root    string   // of the checkout folder in the repository
	unknown string   // why the files are not known, "" when they are
}

// touched asks which files the pull request changed.
func (c *court) touched(ctx context.Context) touched {
	t := touched{root: rootOf(c.cfg.Repo)}
	switch {
	case c.cfg.Info.PullRequest == 0:
		return touched{}
	case c.deps.Changes == nil:
		t.unknown = "there is no token to ask with"
		return t
	}
	files, err := c.deps.Changes.ChangedFiles(ctx, c.cfg.Info.PullRequest)
	if err != nil {
		t.unknown = err.Error()
		return t
	}
	t.files = files
	return t
}

// guard returns why a failure of a test of the named file blocks: the pull
// request changes that file, or nobody knows whether it does. A file that the
// report names by the end of its path alone counts wherever it may be.
func (t touched) guard(file string) string {
	if t.unknown != "" {
		return "nobody knows whether this pull request changes the test's own file: " + t.unknown
	}
	if file == "" {
		return ""
	}
	for _, changed := range t.files {
		if changed == path.Join(t.root, file) || strings.HasSuffix(changed, "/"+file) {
			return "this pull request changes the test's own file " + changed
		}
	}
	return ""
}

// notices tells when nobody knows which files the pull request changes.
func (t touched) notices() []engine.Notice {
	if t.unknown == "" {
		return nil
	}
	return []engine.Notice{warning("the files this pull request changes are not known, so no failure of a quarantined test is excused: " + t.unknown)}
}
