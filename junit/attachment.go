package junit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/results"
)

// Attach appends the file named reported to list where it lies below the report's
// directory. It is not opened. Of files elsewhere only a trace is worth a notice;
// Playwright's own layout puts traces beside the report's directory.
func (c *collector) Attach(list []string, reported string) []string {
	name := belowReport(c.Name, c.Root, reported)
	switch {
	case strings.TrimSpace(reported) == "":
	case name == "" && IsTrace(reported) && !c.options.TracesNamed:
		c.Notices.Warn("attachment", c.Scan.Line(), "trace %q lies outside the report's directory and was not read; the setting traces names it: %s",
			text.Cut(identity.Clean(reported), 120), tracesGlob(c.Name, c.Root, reported))
	case name == "":
	case slices.Contains(list, name):
	case len(list) >= results.MaxAttachments:
		c.Notices.Warn("attachments", c.Scan.Line(), "a test has more than %d attachments; the rest were left out", results.MaxAttachments)
	default:
		list = append(list, name)
	}
	return list
}

// IsTrace reports whether an attachment is named as Playwright names a trace.
func IsTrace(name string) bool {
	return path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")) == "trace.zip"
}

// tracesGlob returns a glob for the traces in the folder of the workspace that
// holds name, an attachment of report.
func tracesGlob(report, root, name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if location.Absolute(name) {
		name = location.Relative(name, root)
	} else {
		name = path.Join(path.Dir(filepath.ToSlash(report)), name)
	}
	top, _, below := strings.Cut(name, "/")
	if !below || location.Absolute(name) || !filepath.IsLocal(filepath.FromSlash(name)) || !plainFolder.MatchString(top) {
		top = "test-results" // Playwright's own
	}
	return top + "/**/trace.zip"
}

// plainFolder matches a name without a meaning of its own in a glob.
var plainFolder = lazyregexp.New(`^[\w.-]{1,80}$`)

// belowReport returns name slash-separated and relative to the directory of
// report, "" where it lies outside. An absolute name is made relative to the
// checkout first, as the report's own is.
func belowReport(report, root, name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if strings.ContainsAny(name, "\x00\n\r") || strings.Contains(name, "://") {
		return ""
	}
	if location.Absolute(name) {
		own := path.Dir(filepath.ToSlash(report))
		if location.Absolute(own) {
			own = location.Relative(own+"/", root)
		}
		inside := location.Relative(name, root)
		if own != "." && own != "" {
			cut, found := strings.CutPrefix(inside, path.Clean(own)+"/")
			if !found {
				return ""
			}
			inside = cut
		}
		name = inside
	}
	if name = path.Clean(name); name == "." || !filepath.IsLocal(filepath.FromSlash(name)) || location.Absolute(name) {
		return ""
	}
	return name
}

// ErrAttachment says that an attachment may not be opened.
var ErrAttachment = errors.New("the attachment is no regular file below the report's directory")

// OpenAttachment opens a file that a test of report left; name is one of
// TestResult.Attachments. It opens nothing outside the report's directory and follows
// no symbolic link: the error is then ErrAttachment.
func OpenAttachment(report, name string) (fs.File, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("open attachment %s: %w", name, ErrAttachment)
	}
	dir, err := os.OpenRoot(filepath.Dir(report))
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	defer dir.Close()
	if err := plainFile(dir, name); err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	f, err := dir.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	return f, nil
}

// plainFile returns an error unless name is a regular file and none of its directories
// is a link.
func plainFile(dir *os.Root, name string) error {
	segments := strings.Split(path.Clean(name), "/")
	for i := range segments {
		info, err := dir.Lstat(filepath.Join(segments[:i+1]...))
		switch {
		case err != nil:
			return err
		case i < len(segments)-1 && !info.IsDir(), i == len(segments)-1 && !info.Mode().IsRegular():
			return ErrAttachment
		}
	}
	return nil
}
