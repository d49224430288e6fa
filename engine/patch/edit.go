package patch

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// replaceLiteral returns the edit that makes token i say value, proven: the edited
// file is scanned again and nothing but the one literal may have changed.
func replaceLiteral(s *source.File, i int, value string) (Edit, error) {
	if strings.ContainsAny(s.Text(i), "\r\n") {
		return replaceInner(s, i, value)
	}
	t := s.Tokens[i]
	text, ok := scan.Encode(s.Bytes, t, value)
	if !ok {
		return Edit{}, unwritableError(s, i)
	}
	e, err := lineEdit(s, t.Start, t.End, text)
	if err != nil {
		return Edit{}, err
	}
	return e, verifyEdit(s, e, i, value)
}

// replaceInner is replace for a literal that spans lines and says all it says
// on one of them: only that is edited, to what reads the same in every
// notation.
func replaceInner(s *source.File, i int, value string) (Edit, error) {
	start, end, ok := scan.Inner(s.Bytes, s.Tokens[i])
	if !ok {
		return Edit{}, spansLinesError(s, i)
	}
	e, err := lineEdit(s, start, end, value)
	if err != nil {
		return Edit{}, err
	}
	if verifyInner(s, e, i) != nil {
		return Edit{}, unwritableError(s, i)
	}
	return e, nil
}

func unwritableError(s *source.File, i int) error {
	return fmt.Errorf("the new locator cannot be written in the quotes at line %d of %s", s.LineOf(i), s.Name())
}

func spansLinesError(s *source.File, i int) error {
	return fmt.Errorf("the string at line %d of %s spans lines", s.LineOf(i), s.Name())
}

// maxLine bounds the lines that are edited, in bytes.
const maxLine = 2000

// lineEdit returns the edit of bytes [start,end), which are on one line, to text.
func lineEdit(s *source.File, start, end int, text string) (Edit, error) {
	line := s.Line(start)
	before := s.LineText(line)
	if len(before) > maxLine || len(text) > maxLine {
		return Edit{}, fmt.Errorf("line %d of %s is longer than %d columns", line, s.Name(), maxLine)
	}
	column := start - s.Lines[line-1]
	return Edit{
		File: s.Path, Line: line, Start: start, End: end, Old: string(s.Bytes[start:end]), New: text,
		Before: before, After: before[:column] + text + before[column+end-start:],
	}, nil
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
