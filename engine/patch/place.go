package patch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// The placements, as ratios that a heal's confidence is multiplied with.
const (
	placeSite     = 1.0  // at the line the event names
	placeTest     = 0.95 // the only place in the test's own body
	placeShared   = 0.85 // the only place outside the bodies of tests, in the test's file or one that it reaches
	placeConstant = 0.75 // the value of a constant
)

// scope is where one heal is looked for.
type scope struct {
	tree     *tree
	next     locator.Selector
	change   change
	id       identity
	site     *engine.Site // nil when the event names no line
	siteFile *source      // nil when the event names no file
	test     *source      // the test's own file
	relative bool         // no file was named by its absolute path
}

// found is what a search of the scope came upon.
type found struct {
	own, shared, others []hit // by whose body they stand in
	misses              []miss
	ownRivals           []rival // in the test's own body
	sharedRivals        []rival // outside the bodies of tests
	blocked             []hit   // they hang on another locator
	unread              string  // a file with the value in it that cannot be read
}

// place decides for the one literal to edit and how sure that place is.
func (s *scope) place() (hit, float64, error) {
	x, placement, err := s.onSite()
	if err == nil && placement == 0 {
		x, placement, err = s.inReach()
	}
	if err == nil {
		err = s.twin(x)
	}
	return x, placement, err
}

// onSite looks at the line that the event names. A placement of 0 means that
// it says nothing.
func (s *scope) onSite() (hit, float64, error) {
	if s.site == nil || s.siteFile == nil {
		return hit{}, 0, nil
	}
	hits, misses := s.siteFile.search(s.tree, s.change)
	switch at := s.siteFile.onSite(possible(hits), *s.site); {
	case len(at) == 1:
		return at[0], at[0].placement(placeSite), s.beside(at[0])
	case len(at) > 1:
		return hit{}, 0, s.tooMany(at)
	}
	for _, x := range s.siteFile.onSite(hits, *s.site) {
		return hit{}, 0, s.blocked([]hit{x})
	}
	return hit{}, 0, s.siteFile.elsewhereOnSite(*s.site, s.siteFile.rivals(s.change, misses), s.change)
}

// inReach looks through the test's own body, then through what it reaches.
func (s *scope) inReach() (hit, float64, error) {
	all, err := s.search()
	if err != nil {
		return hit{}, 0, err
	}
	switch {
	case len(all.own) > 1:
		return hit{}, 0, s.tooMany(all.own)
	case len(all.own) == 1:
		return s.sure(all.own[0], placeTest, all, all.ownRivals)
	case all.unread != "":
		return hit{}, 0, fmt.Errorf("%s may also stand in %s, which cannot be read for sure", quoted(s.change), shown(all.unread))
	case len(all.shared) > 1:
		return hit{}, 0, s.tooMany(all.shared)
	case len(all.shared) == 1:
		return s.sure(all.shared[0], placeShared, all, all.sharedRivals)
	}
	return hit{}, 0, s.absent(all)
}

// twin refuses a hit in a file that was named by a path which another project
// of the checkout has below its own folder, with the same test and locator.
func (s *scope) twin(x hit) error {
	if !s.relative || x.in != s.test && x.in != s.siteFile {
		return nil
	}
	for _, file := range s.tree.bySuffixAll(x.in.path) {
		if file == x.in.path || !bytes.Contains(s.tree.raw(file), s.change.needle()) {
			continue
		}
		other, err := s.tree.load(file)
		if err != nil || len(other.tests(s.id).own) == 0 {
			continue
		}
		if hits, _ := other.search(s.tree, s.change); len(hits) > 0 {
			return fmt.Errorf("%s could be %s or %s", shown(x.in.path), shown(x.in.path), shown(file))
		}
	}
	return nil
}

// possible leaves out the hits that surely hang on another locator.
func possible(hits []hit) []hit {
	var out []hit
	for _, x := range hits {
		if x.hangs != no {
			out = append(out, x)
		}
	}
	return out
}

// placement returns how sure a hit's place is: a constant is less sure than
// the best its use would be.
func (h hit) placement(best float64) float64 {
	if h.constant != "" {
		return placeConstant
	}
	return best
}

// sure refuses a hit that has rivals, and one of which nothing tells what its
// call hangs on.
func (s *scope) sure(x hit, placement float64, all found, rivals []rival) (hit, float64, error) {
	if err := s.contested(x, rivals); err != nil {
		return hit{}, 0, err
	}
	if x.nested {
		return hit{}, 0, s.blocked([]hit{x})
	}
	alone := len(all.misses) == 0 && len(all.blocked) == 0 && len(all.others) == 0
	if x.hangs == unsure && (len(s.change.before) == 0 || !alone) {
		return hit{}, 0, fmt.Errorf("what %s is looked for in cannot be told at line %d of %s", quoted(s.change), x.line(), shown(x.in.path))
	}
	return x, x.placement(placement), nil
}

// search looks through the test's file and the files that it reaches.
func (s *scope) search() (found, error) {
	var all found
	needle := s.change.needle()
	files := s.tree.reach(s.test.path)
	if s.siteFile != nil && !slices.Contains(files, s.siteFile.path) {
		files = append(slices.Clone(files), s.siteFile.path)
	}
	for i, file := range files {
		if i > 0 && !bytes.Contains(s.tree.raw(file), needle) {
			continue
		}
		src, err := s.tree.load(file)
		if err != nil {
			all.unread = file
			continue
		}
		if err := s.searchFile(src, i == 0, &all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// searchFile sorts the hits of one file by whose body they stand in. In a file
// other than the test's own every test is another one.
func (s *scope) searchFile(src *source, own bool, all *found) error {
	hits, misses := src.search(s.tree, s.change)
	if len(hits)+len(misses) > maxHits {
		return fmt.Errorf("%s stands at more than %d places in %s", quoted(s.change), maxHits, shown(src.path))
	}
	all.misses = append(all.misses, misses...)
	tests := s.bodies(src, own)
	for _, x := range hits {
		switch at := x.offset(); {
		case x.hangs == no:
			all.blocked = append(all.blocked, x)
		case tests.inOwn(at):
			all.own = append(all.own, x)
		case tests.inOther(at):
			all.others = append(all.others, x)
		default:
			all.shared = append(all.shared, x)
		}
	}
	for _, r := range src.rivals(s.change, misses) {
		switch at := src.tokens[r.token].Start; {
		case tests.inOwn(at):
			all.ownRivals = append(all.ownRivals, r)
		case !tests.inOther(at):
			all.sharedRivals = append(all.sharedRivals, r)
		}
	}
	return nil
}

// bodies returns the bodies of tests in a file, own being the test's own file.
// Where the event does not name its test, the site tells which one it is.
func (s *scope) bodies(src *source, own bool) bodies {
	switch {
	case !own:
		return src.tests(nobody)
	case s.id.own() != "" || s.site == nil || src != s.siteFile:
		return src.tests(s.id)
	}
	var split bodies
	for _, at := range src.tests(nobody).others {
		split.add(src.line(at.start) <= s.site.Line && s.site.Line <= src.line(at.end-1), at)
	}
	return split
}

// beside says that the site lies in another test than the event names.
func (s *scope) beside(x hit) error {
	if s.siteFile != s.test {
		return nil
	}
	if tests := s.bodies(s.test, true); len(tests.own) > 0 && tests.inOther(x.offset()) {
		return fmt.Errorf("line %d of %s is in another test", x.line(), shown(x.in.path))
	}
	return nil
}

// nobody is the identity of no test: to it every test is another one.
var nobody = identity{names: []string{"\x00"}}

// needle returns bytes that a file must hold to say the old value, however its
// literal is escaped: the longest run of characters that nobody escapes.
func (c change) needle() []byte {
	best := ""
	for _, word := range strings.FieldsFunc(c.old.Value, func(r rune) bool { return r >= 0x80 || !wordByte(byte(r)) }) {
		if len(word) > len(best) {
			best = word
		}
	}
	return []byte(best)
}

// onSite returns the hits on the line of the site, or else in the expression
// that spans it; the column tells several on one line apart.
func (s *source) onSite(hits []hit, site engine.Site) []hit {
	var exact, spanning []hit
	for _, x := range hits {
		if x.constant != "" {
			continue
		}
		at := s.statement(x.call)
		switch {
		case x.line() == site.Line:
			exact = append(exact, x)
		case s.line(at.start) <= site.Line && site.Line <= s.line(at.end-1):
			spanning = append(spanning, x)
		}
	}
	if len(exact) == 0 {
		return spanning
	}
	if len(exact) > 1 && site.Column > 0 && site.Line <= len(s.lines) {
		offset := s.lines[site.Line-1] + site.Column - 1
		var under []hit
		for _, x := range exact {
			if s.statement(x.call).contains(offset) {
				under = append(under, x)
			}
		}
		if len(under) == 1 {
			return under
		}
	}
	return exact
}

func (s *scope) tooMany(hits []hit) error {
	file := shown(s.test.path)
	for _, h := range hits {
		if h.in != s.test {
			return fmt.Errorf("%s stands at %d places: %s", quoted(s.change), len(hits), placeList(hits))
		}
	}
	return fmt.Errorf("%s stands at %d places in %s (%s)", quoted(s.change), len(hits), file, lineList(hits))
}

// absent says why no literal can be edited.
func (s *scope) absent(all found) error {
	value := quoted(s.change)
	switch {
	case len(all.others) > 0:
		return fmt.Errorf("%s stands in %s only inside other tests (%s)", value, shown(all.others[0].in.path), lineList(inFile(all.others)))
	case len(all.blocked) > 0:
		return s.blocked(all.blocked)
	case len(all.misses) > 0:
		first := all.misses[0]
		return fmt.Errorf("%s stands in %s only %s (line %d)", value, shown(first.in.path), first.why, first.in.lineOf(first.token))
	case bytes.Contains(s.test.text, []byte(s.change.old.Value)):
		return fmt.Errorf("%s is no string literal of its own in %s", value, shown(s.test.path))
	}
	where := shown(s.test.path)
	if n := len(s.tree.reach(s.test.path)); n > 1 {
		where += fmt.Sprintf(" or the %d files that it imports", n-1)
		if n == 2 {
			where = shown(s.test.path) + " or the file that it imports"
		}
	}
	return fmt.Errorf("%s does not stand in %s", value, where)
}

// blocked says that hits hang on another locator than the one healed.
func (s *scope) blocked(hits []hit) error {
	return fmt.Errorf("%s hangs on another locator in %s (%s)", quoted(s.change), shown(hits[0].in.path), lineList(inFile(hits)))
}

// inFile returns the hits that stand in the file of the first one.
func inFile(hits []hit) []hit {
	var out []hit
	for _, h := range hits {
		if h.in == hits[0].in {
			out = append(out, h)
		}
	}
	return out
}
