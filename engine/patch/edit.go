package patch

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// replace returns the edit that makes token i say value, proven: the edited
// file is scanned again and nothing but the one literal may have changed.
func (s *source) replace(i int, value string) (Edit, error) {
	if strings.ContainsAny(s.at(i), "\r\n") {
		return s.replaceInner(i, value)
	}
	t := s.tokens[i]
	text, ok := scan.Encode(s.text, t, value)
	if !ok {
		return Edit{}, s.unwritable(i)
	}
	e, err := s.edit(t.Start, t.End, text)
	if err != nil {
		return Edit{}, err
	}
	return e, s.prove(e, i, value)
}

// replaceInner is replace for a literal that spans lines and says all it says
// on one of them: only that is edited, to what reads the same in every
// notation.
func (s *source) replaceInner(i int, value string) (Edit, error) {
	start, end, ok := scan.Inner(s.text, s.tokens[i])
	if !ok {
		return Edit{}, s.spansLines(i)
	}
	e, err := s.edit(start, end, value)
	if err != nil {
		return Edit{}, err
	}
	if s.proveInner(e, i) != nil {
		return Edit{}, s.unwritable(i)
	}
	return e, nil
}

func (s *source) unwritable(i int) error {
	return fmt.Errorf("the new locator cannot be written in the quotes at line %d of %s", s.lineOf(i), shown(s.path))
}

func (s *source) spansLines(i int) error {
	return fmt.Errorf("the string at line %d of %s spans lines", s.lineOf(i), shown(s.path))
}

// edit returns the edit of bytes [start,end), which are on one line, to text.
func (s *source) edit(start, end int, text string) (Edit, error) {
	line := s.line(start)
	before := s.lineText(line)
	if len(before) > maxLine || len(text) > maxLine {
		return Edit{}, fmt.Errorf("line %d of %s is longer than %d columns", line, shown(s.path), maxLine)
	}
	column := start - s.lines[line-1]
	return Edit{
		File: s.path, Line: line, Start: start, End: end, Old: string(s.text[start:end]), New: text,
		Before: before, After: before[:column] + text + before[column+end-start:],
	}, nil
}

var errUnproven = errors.New("the edited file does not read as the same code with one string changed")

// prove applies e and compares the tokens before and after.
func (s *source) prove(e Edit, i int, value string) error {
	patched, err := Apply(s.text, []Edit{e})
	if err != nil {
		return err
	}
	after, err := newSource(s.path, s.lang, patched)
	if err != nil || len(after.tokens) != len(s.tokens) || len(after.lines) != len(s.lines) {
		return errUnproven
	}
	shift := len(e.New) - len(e.Old)
	for j, t := range s.tokens {
		u := after.tokens[j]
		moved := 0
		if j > i {
			moved = shift
		}
		if j == i {
			if got, ok := after.literal(j); !ok || got != value || u.Start != t.Start || u.End != t.End+shift {
				return errUnproven
			}
			continue
		}
		if u.Kind != t.Kind || u.Start != t.Start+moved || u.End != t.End+moved || s.at(j) != after.at(j) {
			return errUnproven
		}
	}
	return nil
}

// proveInner proves an edit of what token i says on one of its lines: the
// edited literal says the new text there and the same white space around it.
func (s *source) proveInner(e Edit, i int) error {
	said, _ := s.literal(i)
	if err := s.prove(e, i, strings.Replace(said, e.Old, e.New, 1)); err != nil {
		return err
	}
	edited := s.tokens[i]
	edited.Lit.Value = e.New
	edited.End += len(e.New) - len(e.Old)
	after, err := Apply(s.text, []Edit{e})
	if start, end, ok := scan.Inner(after, edited); err != nil || !ok || start != e.Start || end != e.Start+len(e.New) {
		return errUnproven
	}
	return nil
}

// Apply returns src with the edits made. Equal edits count once. It is an
// error, and nothing is returned, when an edit does not find its old text or
// two edits overlap.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	sorted := append([]Edit(nil), edits...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Start < sorted[j].Start })
	var out bytes.Buffer
	at := 0
	for i, e := range sorted {
		if i > 0 && sameEdit(e, sorted[i-1]) {
			continue
		}
		switch {
		case e.Start < at || e.End < e.Start:
			return nil, fmt.Errorf("apply to %s: two edits overlap at byte %d", e.File, e.Start)
		case e.End > len(src) || string(src[e.Start:e.End]) != e.Old:
			return nil, fmt.Errorf("apply to %s: line %d no longer reads %s", e.File, e.Line, e.Old)
		}
		out.Write(src[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	out.Write(src[at:])
	return out.Bytes(), nil
}

func sameEdit(a, b Edit) bool {
	return a.File == b.File && a.Start == b.Start && a.End == b.End && a.New == b.New
}

// Diff returns the edit as the body of a unified diff without context:
// file headers, one hunk of one line.
func Diff(e Edit) string {
	return fmt.Sprintf("--- %s\n+++ %s\n@@ -%d +%d @@\n-%s\n+%s\n",
		diffPath("a/", e.File), diffPath("b/", e.File), e.Line, e.Line, e.Before, e.After)
}

// diffPath quotes a path as git does when it holds unusual characters.
func diffPath(side, file string) string {
	if quoted := strconv.Quote(side + file); strings.Contains(quoted, `\`) {
		return quoted
	}
	return side + file
}
