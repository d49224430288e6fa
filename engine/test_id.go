package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// TestID is the identity of a test: the same in every run, see junit's documentation
// for its form. [NewTestID] makes it where the text enters, from a report, a heal
// event, a database or a person. Every text in it is the test run's own and hostile.
type TestID string

// maxTestIDBytes bounds a test id.
const maxTestIDBytes = 4 << 10

// NewTestID returns s as a test id: valid UTF-8 without NUL bytes, which end a text in
// SQLite's C functions, at most 4 KiB. A longer one keeps its beginning and ends in a
// digest of the whole, so that two long ids stay two. A test id stays as it is.
func NewTestID(s string) TestID {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= maxTestIDBytes {
		return TestID(s)
	}
	sum := sha256.Sum256([]byte(s))
	digest := "…" + hex.EncodeToString(sum[:8])
	end := maxTestIDBytes - len(digest)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return TestID(s[:end] + digest)
}

// CutEnvironment splits " [environment]" off the end of an id.
func (id TestID) CutEnvironment() (rest TestID, environment string) {
	if i := strings.LastIndex(string(id), " ["); i > 0 && strings.HasSuffix(string(id), "]") {
		return id[:i], string(id[i:])
	}
	return id, ""
}

// CutFile splits an id behind its first segment, which is the test's file, class or
// package. It returns the whole id and false for an id of one segment.
func (id TestID) CutFile() (file, title string, ok bool) {
	for _, separator := range []string{" › ", "::"} {
		if file, title, ok := strings.Cut(string(id), separator); ok {
			return file, title, true
		}
	}
	return string(id), "", false
}

// Segments returns the segments of an id: file, class or package, suites and title.
func (id TestID) Segments() []string {
	if segments := strings.Split(string(id), " › "); len(segments) > 1 {
		return segments
	}
	return strings.Split(string(id), "::")
}

// Title returns what stands behind the last separator of an id.
func (id TestID) Title() string {
	title := string(id)
	for _, separator := range []string{"›", "::"} {
		if i := strings.LastIndex(title, separator); i >= 0 {
			title = title[i+len(separator):]
		}
	}
	return strings.TrimSpace(title)
}
