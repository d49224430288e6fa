package patch

import (
	"errors"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

var errNoPattern = errors.New("the regular expression cannot be written for another text")

// replacePattern returns the edit that gives the regular expression at token i another
// text: was and is are what it looks for, in the form /source/flags. It is verified.
func replacePattern(s *source.File, i int, was, is string) (Edit, error) {
	written, isString := patternText(s, i)
	text, ok := locator.RewritePattern(written, was, is)
	if ok && isString {
		text, ok = scan.Encode(s.Bytes, s.Tokens[i], text)
	}
	if !ok {
		return Edit{}, errNoPattern
	}
	return verifiedPattern(s, i, text)
}

// verifiedPattern returns the edit that writes the source text with in the place of the
// regular expression at token i, or of its string. It is an error where this package would
// not: another text is all that the regular expression may look for then.
func verifiedPattern(s *source.File, i int, with string) (Edit, error) {
	was, reads := calls.PatternAt(s, i)
	if strings.ContainsAny(s.Text(i)+with, "\r\n") {
		return Edit{}, spansLinesError(s, i)
	}
	e, err := lineEdit(s, s.Tokens[i].Start, s.Tokens[i].End, with)
	if err != nil {
		return Edit{}, err
	}
	after, err := readEdited(s, e, i)
	if err != nil {
		return e, err
	}
	is, ok := calls.PatternAt(after, i)
	written, _ := patternText(s, i)
	made, _ := patternText(after, i)
	if text, plain := locator.RewritePattern(written, was.Body, is.Body); !reads || !ok || !plain || text != made {
		return e, errUnverified
	}
	return e, nil
}

// patternText returns the text of the regular expression at token i, of the string that is
// compiled where it is one.
func patternText(s *source.File, i int) (text string, isString bool) {
	if text, isString = s.Literal(i); !isString {
		text = s.Text(i)
	}
	return text, isString
}
