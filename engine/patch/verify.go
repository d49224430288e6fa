package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// VerifyEdit returns the edit that replaces the literal that begins at byte start of
// text and reads old by the source text with, or says why that is no edit this
// package would make: the file may not be edited, no such literal begins there,
// it is in no locator call, or the edited file does not read as the same code
// with one string changed. It trusts none of its arguments, so that an edit
// that was written down somewhere can be made later.
func VerifyEdit(file string, text []byte, start int, old, with string) (Edit, error) {
	if !Editable(file) {
		return Edit{}, fmt.Errorf("%s may not be edited", source.Printable(file))
	}
	lang, _ := source.DialectOf(file)
	s, err := source.New(file, lang, text)
	if err != nil {
		return Edit{}, err
	}
	i := literalAt(s, start, old)
	if i < 0 {
		return Edit{}, fmt.Errorf("%s no longer has %s where it was", source.Printable(file), source.Printable(old))
	}
	if why := editObstacle(s, i); why != calls.NoObstacle {
		return Edit{}, fmt.Errorf("%s stands in %s only %s", source.Printable(old), source.Printable(file), why)
	}
	if strings.ContainsAny(old+with, "\r\n") {
		return Edit{}, spansLinesError(s, i)
	}
	e, err := lineEdit(s, start, start+len(old), with)
	if err != nil {
		return Edit{}, err
	}
	if strings.ContainsAny(s.Text(i), "\r\n") {
		return e, verifyInner(s, e, i)
	}
	return e, verifyText(s, e, i)
}

// literalAt returns the token whose text old is at byte start: the whole
// literal, or all that one of several lines says. It returns -1 for none.
func literalAt(s *source.File, start int, old string) int {
	i := sort.Search(len(s.Tokens), func(i int) bool { return s.Tokens[i].End > start })
	if i == len(s.Tokens) {
		return -1
	}
	t := s.Tokens[i]
	if t.Start == start && s.Text(i) == old {
		return i
	}
	if t.Kind != scan.String || !strings.ContainsAny(s.Text(i), "\r\n") {
		return -1
	}
	from, to, ok := scan.Inner(s.Bytes, t)
	if !ok || from != start || string(s.Bytes[from:to]) != old {
		return -1
	}
	return i
}

// Editable reports whether a file may be edited at all: a clean relative path
// with slashes, in a language that is understood here, and neither git's nor
// the forge's own.
func Editable(file string) bool {
	_, known := source.DialectOf(file)
	return known && fs.ValidPath(file) && !checkout.IsProtected(file)
}

// editObstacle says why the literal at i is not one to edit. A constant's uses are
// looked at in this file, which must have some.
func editObstacle(s *source.File, i int) calls.Obstacle {
	value, ok := s.Literal(i)
	if !ok {
		return calls.MethodResult
	}
	_, why := calls.ArgumentOf(s, i)
	k, isConstant := constantOf(s, i)
	if why != calls.OutsideCall || !isConstant {
		return why
	}
	uses, ok := usesOf(s, k, true)
	if !ok {
		return usedElsewhere
	}
	for _, use := range uses {
		if _, why := calls.ArgumentAt(s, use.first, use.last, value); why != calls.NoObstacle {
			return usedElsewhere
		}
	}
	if len(uses) == 0 {
		return unusedConstant
	}
	return calls.NoObstacle
}

// verifyText proves an edit whose new literal is known as source text only: it
// must be one plain string literal of its own.
func verifyText(s *source.File, e Edit, i int) error {
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	if err != nil {
		return errUnverified
	}
	value, ok := after.Literal(i)
	if !ok {
		return errUnverified
	}
	return verifyEdit(s, e, i, value)
}

var errUnverified = errors.New("the edited file does not read as the same code with one string changed")

// verifyEdit applies e and compares the tokens before and after.
func verifyEdit(s *source.File, e Edit, i int, value string) error {
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	if err != nil || len(after.Tokens) != len(s.Tokens) || len(after.Lines) != len(s.Lines) {
		return errUnverified
	}
	shift := len(e.New) - len(e.Old)
	for j, t := range s.Tokens {
		u := after.Tokens[j]
		moved := 0
		if j > i {
			moved = shift
		}
		if j == i {
			if got, ok := after.Literal(j); !ok || got != value || u.Start != t.Start || u.End != t.End+shift {
				return errUnverified
			}
			continue
		}
		if u.Kind != t.Kind || u.Start != t.Start+moved || u.End != t.End+moved || s.Text(j) != after.Text(j) {
			return errUnverified
		}
	}
	return nil
}

// verifyInner proves an edit of what token i says on one of its lines: the
// edited literal says the new text there and the same white space around it.
func verifyInner(s *source.File, e Edit, i int) error {
	said, _ := s.Literal(i)
	if err := verifyEdit(s, e, i, strings.Replace(said, e.Old, e.New, 1)); err != nil {
		return err
	}
	edited := s.Tokens[i]
	edited.Lit.Value = e.New
	edited.End += len(e.New) - len(e.Old)
	after, err := Apply(s.Bytes, []Edit{e})
	if start, end, ok := scan.Inner(after, edited); err != nil || !ok || start != e.Start || end != e.Start+len(e.New) {
		return errUnverified
	}
	return nil
}
