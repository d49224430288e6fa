package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
)

// matched is the files that globs match. A symbolic link that leaves the folder
// its glob starts in is left out with a notice, because a test could have made
// it. So is a pipe or device: opening one that nobody writes to never returns.
type matched struct {
	names     []string // files, each once, sorted
	notices   []engine.Notice
	unmatched []string // globs without a file
}

func matchFiles(globs []string) (matched, error) {
	var m matched
	for _, glob := range globs {
		found, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
		if err != nil {
			return matched{}, fmt.Errorf("pattern %q: %w", glob, err)
		}
		if len(found) == 0 {
			m.unmatched = append(m.unmatched, glob)
		}
		base, _ := doublestar.SplitPattern(filepath.ToSlash(glob))
		for _, name := range found {
			if reason := unsafeFile(base, name); reason != "" {
				m.notices = append(m.notices, engine.Notice{File: name, Severity: engine.SeverityBlocking, Reason: reason + " and was not read"})
				continue
			}
			m.names = append(m.names, filepath.ToSlash(name))
		}
	}
	slices.Sort(m.names)
	m.names = slices.Compact(m.names)
	return m, nil
}

// warnings returns the notices as warnings, for files that no verdict rests on.
func (m matched) warnings() []engine.Notice {
	for i := range m.notices {
		m.notices[i].Severity = engine.SeverityWarning
	}
	return m.notices
}

// unsafeFile says why a file is not read, "" where it may be.
func unsafeFile(base, name string) string {
	if liesOutside(base, name) {
		return "is a symbolic link to a place outside " + base
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "is a pipe or device, no file,"
	}
	return ""
}

// liesOutside reports whether name, links followed, lies outside base.
func liesOutside(base, name string) bool {
	realBase, err := filepath.EvalSymlinks(base)
	if err != nil {
		return true
	}
	realName, err := filepath.EvalSymlinks(name)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(realBase, realName)
	return err != nil || !filepath.IsLocal(rel)
}

// aboutPatterns returns a notice for each pattern without a file; files is the pattern
// of those that a folder should hold.
func aboutPatterns(patterns []string, files string, severity engine.Severity, reason string) (notices []engine.Notice) {
	for _, p := range patterns {
		notices = append(notices, engine.Notice{File: p, Severity: severity, Reason: reason + folderHint([]string{p}, files)})
	}
	return notices
}

// folderHint says of the globs that are folders what to write instead.
func folderHint(globs []string, files string) string {
	hint := ""
	for _, glob := range globs {
		if info, err := os.Stat(glob); err == nil && info.IsDir() {
			hint += fmt.Sprintf("; %s is a folder, write %s", glob, filepath.ToSlash(filepath.Join(glob, "**", files)))
		}
	}
	return hint
}
