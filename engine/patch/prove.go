package patch

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// Prove returns the edit that replaces the literal that begins at byte start of
// text and reads old by the source text with, or says why that is no edit this
// package would make: the file may not be edited, no such literal begins there,
// it is in no locator call, or the edited file does not read as the same code
// with one string changed. It trusts none of its arguments, so that an edit
// that was written down somewhere can be made later.
func Prove(file string, text []byte, start int, old, with string) (Edit, error) {
	if !Editable(file) {
		return Edit{}, fmt.Errorf("%s may not be edited", shown(file))
	}
	lang, _ := dialectOf(file)
	s, err := newSource(file, lang, text)
	if err != nil {
		return Edit{}, err
	}
	i := s.literalAt(start, old)
	if i < 0 {
		return Edit{}, fmt.Errorf("%s no longer has %s where it was", shown(file), shown(old))
	}
	if why := s.fixed(i); why != fits {
		return Edit{}, fmt.Errorf("%s stands in %s only %s", shown(old), shown(file), why)
	}
	if strings.ContainsAny(old+with, "\r\n") {
		return Edit{}, s.spansLines(i)
	}
	e, err := s.edit(start, start+len(old), with)
	if err != nil {
		return Edit{}, err
	}
	if strings.ContainsAny(s.at(i), "\r\n") {
		return e, s.proveInner(e, i)
	}
	return e, s.proveText(e, i)
}

// literalAt returns the token whose text old is at byte start: the whole
// literal, or all that one of several lines says. It returns -1 for none.
func (s *source) literalAt(start int, old string) int {
	i := sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].End > start })
	if i == len(s.tokens) {
		return -1
	}
	t := s.tokens[i]
	if t.Start == start && s.at(i) == old {
		return i
	}
	if t.Kind != scan.String || !strings.ContainsAny(s.at(i), "\r\n") {
		return -1
	}
	from, to, ok := scan.Inner(s.text, t)
	if !ok || from != start || string(s.text[from:to]) != old {
		return -1
	}
	return i
}

// Editable reports whether a file may be edited at all: a clean relative path
// with slashes, in a language that is understood here, and neither git's nor
// the forge's own.
func Editable(file string) bool {
	_, known := dialectOf(file)
	return known && fs.ValidPath(file) && !guarded(file)
}

// fixed says why the literal at i is not one to edit. A constant's uses are
// looked at in this file, which must have some.
func (s *source) fixed(i int) misfit {
	value, ok := s.literal(i)
	if !ok {
		return formatted
	}
	_, why := s.slotOf(i)
	k, isConstant := s.constantOf(i)
	if why != elsewhere || !isConstant {
		return why
	}
	uses, ok := s.uses(k, true)
	if !ok {
		return alsoElsewhere
	}
	for _, use := range uses {
		if _, why := s.slotAt(use.first, use.last, value); why != fits {
			return alsoElsewhere
		}
	}
	if len(uses) == 0 {
		return unusedName
	}
	return fits
}

// proveText proves an edit whose new literal is known as source text only: it
// must be one plain string literal of its own.
func (s *source) proveText(e Edit, i int) error {
	patched, err := Apply(s.text, []Edit{e})
	if err != nil {
		return err
	}
	after, err := newSource(s.path, s.lang, patched)
	if err != nil {
		return errUnproven
	}
	value, ok := after.literal(i)
	if !ok {
		return errUnproven
	}
	return s.prove(e, i, value)
}
