package patch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// replaceLiteral returns the edit that gives the literal at i a new value. It is
// verified: the edited file is read again, and only the literal may have changed.
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
	if got, err := verifyEdit(s, e, i); err != nil || got != value {
		return e, cmp.Or(err, errUnverified)
	}
	return e, nil
}

// replaceInner is replaceLiteral for a literal that spans lines and has its text on
// one of them. Only that text is edited, and it must need no escapes.
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

// reordering are the characters that show the text behind them in another order than it
// is read in (https://trojansource.codes).
const reordering = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// maxLine bounds the lines that are edited, in bytes.
const maxLine = 2000

// lineEdit returns the edit that replaces bytes [start,end) of one line by text.
func lineEdit(s *source.File, start, end int, text string) (Edit, error) {
	line := s.Line(start)
	before := s.LineText(line)
	if len(before) > maxLine || len(text) > maxLine {
		return Edit{}, fmt.Errorf("line %d of %s is longer than %d columns", line, s.Name(), maxLine)
	}
	if strings.ContainsAny(before, reordering) {
		return Edit{}, fmt.Errorf("line %d of %s holds characters that reorder its text", line, s.Name())
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
	sorted := slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
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

// VerifyEdit returns the edit that replaces the literal at byte start of text, whose
// source text is old, by the source text with; or the locator call, or the chain of them,
// there by a getBy… call or locator('#id'), or a page's action by selector up to its first value
// by the same action on such a call. It returns an error when this package would not make such an
// edit: the file may not be edited, the literal or call is not there, the literal is not in
// a locator call, or the edited file is not the same code with one string or call changed.
// A literal elsewhere, which a helper or a component may get, can only become CSS where it is
// CSS. None of the arguments is trusted, so that an edit that was stored can be made later.
func VerifyEdit(file string, text []byte, start int, old, with string) (Edit, error) {
	if !Editable(file) {
		return Edit{}, fmt.Errorf("%s may not be edited", source.Printable(file))
	}
	lang, _ := source.DialectOf(file)
	s, err := source.New(file, lang, text)
	if err != nil {
		return Edit{}, err
	}
	if c := locatorCallOf(s, start, old); c >= 0 {
		return verifiedCalls(s, c, c, with)
	}
	if first, last, ok := chainAt(s, start, old); ok {
		return verifiedCalls(s, first, last, with)
	}
	if c := actionOf(s, start, old); c >= 0 {
		return verifiedAction(s, c, with)
	}
	i := literalAt(s, start, old)
	if made, ok := composedAt(s, start, old); i < 0 && ok {
		e, err := verifiedComposed(s, made, with)
		if err == nil && e.Start != start {
			err = errUnverified
		}
		return e, err
	}
	if i < 0 {
		return Edit{}, fmt.Errorf("%s no longer has %s where it was", source.Printable(file), source.Printable(old))
	}
	why := editObstacle(s, i)
	if before, _ := s.Literal(i); why != calls.NoObstacle && (!mayBeHanded(why) || !isCSSOnly(before)) {
		return Edit{}, obstacleError(file, old, why)
	}
	if _, ok := calls.PatternAt(s, i); ok {
		return verifiedPattern(s, i, with)
	}
	if strings.ContainsAny(old+with, "\r\n") {
		return Edit{}, spansLinesError(s, i)
	}
	e, err := lineEdit(s, start, start+len(old), with)
	if err != nil {
		return Edit{}, err
	}
	value := with
	if strings.ContainsAny(s.Text(i), "\r\n") {
		err = verifyInner(s, e, i)
	} else {
		value, err = verifyEdit(s, e, i)
	}
	if unwritable := locator.Writable(value); err == nil && unwritable != "" {
		return e, errors.New(unwritable)
	}
	if err == nil && why != calls.NoObstacle && !isCSSOnly(value) {
		return e, obstacleError(file, old, why)
	}
	return e, err
}

func obstacleError(file, old string, why calls.Obstacle) error {
	return fmt.Errorf("%s stands in %s only %s", source.Printable(old), source.Printable(file), why)
}

// mayBeHanded reports whether a literal with an obstacle may reach a locator call by what
// another file does with it, of which one file says nothing.
func mayBeHanded(why calls.Obstacle) bool {
	return why == calls.OutsideCall || why == values.UsedElsewhere || why == values.UnusedConstant
}

// isCSSOnly reports whether a text is CSS for an element by its ids, classes and attributes,
// and nothing that means something to anybody else: no path, address, sentence or code.
func isCSSOnly(text string) bool {
	return len(text) <= maxCSS && cssOnly.MatchString(text) && !fileOrMember.MatchString(text)
}

// fileOrMember is what a tag with classes is not told apart from.
var fileOrMember = lazyregexp.New(`^[A-Za-z_][\w-]*(?:\.[\w-]+)+$`)

const (
	maxCSS     = 200 // bytes
	cssName    = `[A-Za-z_][\w-]*`
	cssHook    = `(?:[#.]` + cssName + `|\[[a-z][a-z-]*(?:=(?:"[\w -]*"|'[\w -]*'|` + cssName + `))?\])`
	cssPart    = `(?:` + cssName + cssHook + `*|` + cssHook + `+)`
	cssBetween = `(?: > | )`
)

// cssOnly has an id, a class or an attribute in its first or second part.
var cssOnly = lazyregexp.New(`^(?:` + cssName + cssBetween + `)?(?:[a-z]*)` + cssHook + `+(?:` + cssBetween + cssPart + `)*$`)

// locatorCallOf returns the name of the locator call at byte start whose source text is
// old, from the name to the closing parenthesis. It returns -1 for none.
func locatorCallOf(s *source.File, start int, old string) int {
	c := s.TokenFrom(start)
	if _, ok := plainCall(s, c); !ok || s.Tokens[c].Start != start || s.Tokens[s.End(c+1)].End != start+len(old) || string(s.Bytes[start:start+len(old)]) != old {
		return -1
	}
	return c
}

// actionOf returns the name of the action at byte start whose head reads old, -1 for none.
func actionOf(s *source.File, start int, old string) int {
	c := s.TokenFrom(start)
	if a, ok := actionAt(s, c); !ok || a.head.Start != start || string(s.Bytes[start:a.head.End]) != old {
		return -1
	}
	return c
}

// chainAt returns the names of the first and the last call of the chain of locators at byte
// start whose source text is old.
func chainAt(s *source.File, start int, old string) (first, last int, ok bool) {
	c := s.TokenFrom(start)
	first, last, ok = calls.WrittenChain(s, c)
	return first, last, ok && first == c && isPlain(s, first, last) && s.Tokens[c].Start == start &&
		s.Tokens[s.End(last+1)].End == start+len(old) && string(s.Bytes[start:start+len(old)]) == old
}

// literalAt returns the literal at byte start whose source text is old, or whose
// whole text on one of several lines is old. It returns -1 for none.
func literalAt(s *source.File, start int, old string) int {
	i := sort.Search(len(s.Tokens), func(i int) bool { return s.Tokens[i].End > start })
	if i < len(s.Tokens) && s.Tokens[i].Start == start && s.Text(i) == old {
		return i
	}
	if s.Kind(i) == scan.String && strings.ContainsAny(s.Text(i), "\r\n") {
		from, to, ok := scan.Inner(s.Bytes, s.Tokens[i])
		if ok && from == start && string(s.Bytes[from:to]) == old {
			return i
		}
	}
	return -1
}

// Editable reports whether a file may be edited at all: it has a clean relative path
// and a known language, and belongs neither to git nor to the forge.
func Editable(file string) bool {
	_, known := source.DialectOf(file)
	return known && fs.ValidPath(file) && !checkout.IsProtected(file)
}

// editObstacle says why the literal at i must not be edited. Of a constant, only the
// uses in this file are known; there must be one unless other files can use it.
func editObstacle(s *source.File, i int) calls.Obstacle {
	value, ok := s.Literal(i)
	if !ok && s.Kind(i) != scan.Regex {
		return calls.MethodResult
	}
	_, why := calls.ArgumentOf(s, i)
	k, isConstant := values.ConstantOf(s, nil, i)
	if why != calls.OutsideCall || !isConstant {
		return why
	}
	uses, ok := values.FindUses(s, nil, k)
	if !ok {
		return values.UsedElsewhere
	}
	for _, u := range uses {
		if _, why := calls.ArgumentAt(s, u.First, u.Last, value); why != calls.NoObstacle {
			return values.UsedElsewhere
		}
	}
	if len(uses) == 0 && k.IsHidden(s) {
		return values.UnusedConstant
	}
	return calls.NoObstacle
}

var errUnverified = errors.New("the edited file does not read as the same code with one string changed")

// verifyEdit makes an edit of the literal at token i and returns its new value.
func verifyEdit(s *source.File, e Edit, i int) (value string, err error) {
	after, err := readEdited(s, e, i)
	if err != nil {
		return "", err
	}
	value, ok := after.Literal(i)
	if !ok {
		return "", errUnverified
	}
	return value, nil
}

// readEdited returns a file with an edit of token i made, which must have as many lines as
// before and the same tokens but that one.
func readEdited(s *source.File, e Edit, i int) (*source.File, error) {
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return nil, err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	if err != nil || len(after.Tokens) != len(s.Tokens) || len(after.Lines) != len(s.Lines) {
		return nil, errUnverified
	}
	shift := len(e.New) - len(e.Old)
	for j, t := range s.Tokens {
		if j > i {
			t.Start += shift
		}
		if j >= i {
			t.End += shift
		}
		u := after.Tokens[j]
		if u.Kind != t.Kind || u.Start != t.Start || u.End != t.End || j != i && s.Text(j) != after.Text(j) {
			return nil, errUnverified
		}
	}
	return after, nil
}

// verifyInner is verifyEdit for an edit inside of a literal: its value must change
// in the same way, and the white space around it must stay.
func verifyInner(s *source.File, e Edit, i int) error {
	before, _ := s.Literal(i)
	value, err := verifyEdit(s, e, i)
	if err != nil {
		return err
	}
	edited := s.Tokens[i]
	edited.Lit.Value = e.New
	edited.End += len(e.New) - len(e.Old)
	after, err := Apply(s.Bytes, []Edit{e})
	start, end, ok := scan.Inner(after, edited)
	if err != nil || value != strings.Replace(before, e.Old, e.New, 1) || !ok || start != e.Start || end != e.Start+len(e.New) {
		return errUnverified
	}
	return nil
}
