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

// offer takes away the edits of files that may not be edited, and sets the
// run's offers: the edits that are sure enough, each once.
func offer(cfg Config, run *outcome.Run, source fs.FS) {
	for i := range run.Proposals {
		p := &run.Proposals[i]
		if p.Edit != nil && !Editable(run.Path(p.Edit.File), cfg.EditPaths) {
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
			text, _ = fs.ReadFile(source, p.Edit.File) // what is gone by now has no old text
			texts[p.Edit.File] = text
		}
		if o, ok := newOffer(run, i, text); ok {
			run.Suggestions = append(run.Suggestions, o)
		}
	}
	name(run.Suggestions)
}

// newOffer returns the offer of the edit of proposal i in text, if the edit is
// still to be found there.
func newOffer(run *outcome.Run, i int, text []byte) (outcome.Suggestion, bool) {
	e := *run.Proposals[i].Edit
	if e.Start < 0 || e.End > len(text) || e.Start > e.End || string(text[e.Start:e.End]) != e.Old {
		return outcome.Suggestion{}, false
	}
	o := outcome.Suggestion{
		Proposal: i, Path: run.Path(e.File), Edit: e, Blob: BlobHash(text),
		Column: e.Start - 1 - strings.LastIndexByte(string(text[:e.Start]), '\n'),
	}
	if _, err := patch.VerifyEdit(e.File, text, e.Start, e.Old, e.New); err != nil {
		o.Unproven = err.Error()
	}
	for j, p := range run.Proposals {
		if j == i || p.SameAs == i+1 {
			o.Tests = append(o.Tests, p.Heal.TestID)
		}
	}
	slices.Sort(o.Tests)
	o.Tests = slices.Compact(o.Tests)
	return o, true
}

// name gives every offer its id: a hash of path, old and new text and test, and
// of a number where all four are equal.
func name(offers []outcome.Suggestion) {
	seen := map[string]int{}
	for i := range offers {
		o := &offers[i]
		key := strings.Join([]string{o.Path, o.Edit.Old, o.Edit.New, o.Tests[0]}, "\x00")
		seen[key]++
		if n := seen[key]; n > 1 {
			key += fmt.Sprintf("\x00%d", n)
		}
		sum := sha256.Sum256([]byte(key))
		o.ID = hex.EncodeToString(sum[:4])
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
