package patch

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// textOf returns the source text of a composition.
func textOf(s *source.File, c source.Composition) string {
	at := s.SpanOf(c.First, c.Last)
	return string(s.Bytes[at.Start:at.End])
}

// writeComposed returns the source text of a composition with new texts.
func writeComposed(s *source.File, c source.Composition, texts []string) (string, error) {
	at := s.SpanOf(c.First, c.Last)
	var with strings.Builder
	from := at.Start
	for i, p := range c.Pieces {
		if p.Token < 0 || texts[i] == p.Text {
			continue
		}
		text, ok := texts[i], true
		switch {
		case p.Whole:
			text, ok = scan.Encode(s.Bytes, s.Tokens[p.Token], text)
		case p.Escaped:
			text = strings.ReplaceAll(text, `"`, `\"`)
		}
		if !ok {
			return "", unwritableError(s, p.Token)
		}
		with.Write(s.Bytes[from:p.At.Start])
		with.WriteString(text)
		from = p.At.End
	}
	with.Write(s.Bytes[from:at.End])
	return with.String(), nil
}

// replaceComposedCall returns the edit that writes getByTestId with new texts in the place of
// the locator call at open, which looks for a composition alone.
func replaceComposedCall(s *source.File, open int, c source.Composition, texts []string) (Edit, error) {
	with, err := writeComposed(s, c, texts)
	if err != nil || open+1 != c.First || s.End(open) != c.Last+1 {
		return Edit{}, cmp.Or(err, errNoCall)
	}
	return verifiedComposed(s, c, testIDCall(s)+string(s.Bytes[s.Tokens[open].Start:s.Tokens[c.First].Start])+with+string(s.Bytes[s.Tokens[c.Last].End:s.Tokens[c.Last+1].End]))
}

// testIDCall returns the name of getByTestId in the language of a file.
func testIDCall(s *source.File) string {
	call, _ := locator.WriteCall(locator.ByTestID("data-testid", "x").Last(), locator.CallStyle{Language: s.Dialect.Print})
	name, _, _ := strings.Cut(call, "(")
	return name
}

// verifiedComposed returns the edit that writes a source text in the place of a composition,
// or of the call locator that looks for it where the text is a call getByTestId. The edited
// file must read as the same code with other texts in the composition alone.
func verifiedComposed(s *source.File, c source.Composition, with string) (Edit, error) {
	first, last := c.First, c.Last
	mayDiffer := map[int]bool{}
	if strings.HasPrefix(with, testIDCall(s)+"(") {
		first, last = first-2, last+1
		if s.Text(first+1) != "(" || s.End(first+1) != last || locator.Fold(s.Text(first)) != "locator" || !s.IsMember(first) {
			return Edit{}, errNoCall
		}
		mayDiffer[first] = true
	}
	at := s.SpanOf(first, last)
	if strings.ContainsAny(string(s.Bytes[at.Start:at.End])+with, "\r\n") {
		return Edit{}, spansLinesError(s, c.First)
	}
	e, err := lineEdit(s, at.Start, at.End, with)
	if err != nil {
		return Edit{}, err
	}
	return e, verifyComposed(s, c, e, mayDiffer)
}

// verifyComposed makes an edit and reads the file again: it must be the same code with the
// same composition, but for its texts and the tokens that may differ.
func verifyComposed(s *source.File, c source.Composition, e Edit, mayDiffer map[int]bool) error {
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	if err != nil || len(after.Tokens) != len(s.Tokens) {
		return errUnverified
	}
	made, ok := c.In(after)
	if !ok || made.Last != c.Last || len(made.Pieces) != len(c.Pieces) {
		return errUnverified
	}
	for i, p := range made.Pieces {
		if p.Token != c.Pieces[i].Token || p.Whole != c.Pieces[i].Whole {
			return errUnverified
		}
		if unwritable := locator.Writable(p.Text); unwritable != "" {
			return errors.New(unwritable)
		}
		mayDiffer[p.Token] = true
	}
	for i := range s.Tokens {
		if s.Kind(i) != after.Kind(i) || !mayDiffer[i] && s.Text(i) != after.Text(i) {
			return errUnverified
		}
	}
	if codeOf(s, c) != codeOf(after, made) {
		return errUnverified
	}
	return nil
}

// codeOf returns the source text of a composition without its texts: the code that fills it,
// with comments and white space.
func codeOf(s *source.File, c source.Composition) string {
	var code strings.Builder
	from := s.Tokens[c.First].Start
	for _, p := range c.Pieces {
		if p.Token >= 0 {
			code.Write(s.Bytes[from:p.At.Start])
			from = p.At.End
		}
	}
	code.Write(s.Bytes[from:s.Tokens[c.Last].End])
	return code.String()
}

// composedAt returns the composition at byte start whose source text is old, where a locator
// call looks for it, or that in the call at start.
func composedAt(s *source.File, start int, old string) (source.Composition, bool) {
	first := s.TokenFrom(start)
	i := first
	if s.Text(first+1) == "(" && locator.Fold(s.Text(first)) == "locator" {
		i = first + 2
	}
	c, ok := source.CompositionOf(s, i)
	if !ok || s.Tokens[first].Start != start || string(s.Bytes[start:min(start+len(old), len(s.Bytes))]) != old {
		return c, false
	}
	if end := start + len(old); i == first && s.Tokens[c.Last].End != end || i != first && (c.Last+1 >= len(s.Tokens) || s.End(first+1) != c.Last+1 || s.Tokens[c.Last+1].End != end) {
		return c, false
	}
	_, why := calls.ArgumentAt(s, c.First, c.Last, "")
	return c, why == calls.NoObstacle || why == calls.OutsideCall && isLookedForByName(s, c)
}

// isLookedForByName reports whether a local variable holds a composition, and all that is done
// with it is to look for it.
func isLookedForByName(s *source.File, c source.Composition) bool {
	local, ok := values.LocalOf(s, c.First, c.Last)
	if !ok {
		return false
	}
	uses, ok := values.FindUses(s, nil, local)
	return ok && len(uses) > 0 && !slices.ContainsFunc(uses, func(u values.Use) bool {
		_, why := calls.ArgumentAt(s, u.First, u.Last, "")
		return why != calls.NoObstacle
	})
}
