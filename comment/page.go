package comment

import (
	"path"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// page is what the text about one run is made from.
type page struct {
	run      outcome.Run
	causes   []outcome.Cause // what the run fails for
	key      string
	limit    int
	links    links
	artifact int64  // with the run's reports and traces, 0 for none
	state    *State // nil where no command can be given
	more     string // where what is left out can be found
}

var (
	hostForm       = lazyregexp.New(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?$`)
	repositoryForm = lazyregexp.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	commitForm     = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// links builds addresses inside the run's own repository and nowhere else. Its
// zero value builds none.
type links struct {
	repository string // "https://github.com/owner/name", "" for none
	commit     string // see shownCommit
}

// file returns the address of a line of a file at the commit, "" when there is
// none or file does not name a place inside the checkout.
func (l links) file(file string, line int) string {
	if l.repository == "" || l.commit == "" || !isRepositoryPath(file) {
		return ""
	}
	address := l.repository + "/blob/" + l.commit + "/" + escapePath(file)
	if line > 0 {
		address += "#L" + strconv.Itoa(line)
	}
	return address
}

// runPage returns the address of the workflow run, where its log and job summary
// are.
func (l links) runPage(info engine.RunInfo) string {
	if l.repository == "" || info.RunID <= 0 {
		return ""
	}
	address := l.repository + "/actions/runs/" + strconv.FormatInt(info.RunID, 10)
	if info.RunAttempt > 1 {
		address += "/attempts/" + strconv.Itoa(info.RunAttempt)
	}
	return address
}

// isRepositoryPath reports whether file is a clean relative path that clean did not have
// to change: only such a path can exist in a checkout.
func isRepositoryPath(file string) bool {
	return file != "" && len(file) <= 1024 && file == path.Clean(file) && file != "." && file[0] != '/' &&
		file != ".." && !strings.HasPrefix(file, "../") && !strings.Contains(file, `\`) && clean(file) == file
}

// escapePath percent-encodes every byte of s but letters, digits, hyphen, dot,
// underscore, tilde and slash.
func escapePath(s string) string {
	const keep = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(keep, s[i]) >= 0 {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[s[i]>>4])
		b.WriteByte(hex[s[i]&15])
	}
	return b.String()
}
