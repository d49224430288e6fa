package ci

import (
	"crypto/sha1" // git names a blob by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// suggestEdits removes the edits of files that may not be edited, and sets the
// outcome's suggestions: the edits that are sure enough, each once.
func (r *run) suggestEdits() {
	run := r.outcome
	for i := range run.Proposals {
		p := &run.Proposals[i]
		if p.Edit != nil && !Editable(run.Path(p.Edit.File), r.cfg.EditPaths) {
			p.Edit, p.SameAs, p.Confidence = nil, 0, p.Heal.Confidence
			p.Reason = "the file is not among those that may be edited (edit-paths)"
		}
	}
	texts := map[string][]byte{}
	for i, p := range run.Proposals {
		if p.SameAs > 0 || !p.Suggest() {
			continue
		}
		text, ok := texts[p.Edit.File]
		if !ok {
			text, _ = fs.ReadFile(r.source, p.Edit.File) // a file that is gone by now has no old text
			texts[p.Edit.File] = text
		}
		if s, ok := newSuggestion(run, i, text); ok {
			run.Suggestions = append(run.Suggestions, s)
		}
	}
	setIDs(run.Suggestions)
}

// newSuggestion returns the suggestion of the edit of proposal i in text, if the
// edit is still to be found there.
func newSuggestion(run *outcome.Run, i int, text []byte) (outcome.Suggestion, bool) {
	e := *run.Proposals[i].Edit
	if e.Start < 0 || e.End > len(text) || e.Start > e.End || string(text[e.Start:e.End]) != e.Old {
		return outcome.Suggestion{}, false
	}
	s := outcome.Suggestion{
		Proposal: i, Path: run.Path(e.File), Edit: e, Blob: BlobHash(text),
		Column: e.Start - 1 - strings.LastIndexByte(string(text[:e.Start]), '\n'),
	}
	if _, err := patch.VerifyEdit(e.File, text, e.Start, e.Old, e.New); err != nil {
		s.Unproven = err.Error()
	}
	for j, p := range run.Proposals {
		if j == i || p.SameAs == i+1 {
			s.Tests = append(s.Tests, p.Heal.TestID)
		}
	}
	slices.Sort(s.Tests)
	s.Tests = slices.Compact(s.Tests)
	return s, true
}

// setIDs gives every suggestion its id: a hash of path, old and new text and
// test, and of a number where all four are equal.
func setIDs(suggestions []outcome.Suggestion) {
	seen := map[string]int{}
	for i := range suggestions {
		s := &suggestions[i]
		key := strings.Join([]string{s.Path, s.Edit.Old, s.Edit.New, s.Tests[0]}, "\x00")
		seen[key]++
		if n := seen[key]; n > 1 {
			key += fmt.Sprintf("\x00%d", n)
		}
		sum := sha256.Sum256([]byte(key))
		s.ID = hex.EncodeToString(sum[:4])
	}
}

// Editable reports whether the file at a path from the repository's top may be
// edited.
func Editable(path string, globs []string) bool {
	if !patch.Editable(path) {
		return false
	}
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return ok && err == nil
	})
}

// BlobHash returns git's name for a file with this text.
func BlobHash(text []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// fileEdits are the suggested edits of one file.
type fileEdits struct {
	name  string // in the checkout folder
	path  string // from the repository's top
	edits []patch.Edit
}

// groupByFile groups suggestions, which come sorted by file, by their files.
func groupByFile(suggestions []outcome.Suggestion) []fileEdits {
	var files []fileEdits
	for _, s := range suggestions {
		if n := len(files); n == 0 || files[n-1].name != s.Edit.File {
			files = append(files, fileEdits{name: s.Edit.File, path: s.Path})
		}
		last := &files[len(files)-1]
		last.edits = append(last.edits, s.Edit)
	}
	return files
}
