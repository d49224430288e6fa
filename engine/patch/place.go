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
}

// found is what a search of the scope came upon.
type found struct {
	own, shared, others []hit // by whose body they stand in
	misses              []miss
	blocked             []hit  // they hang on another locator
	unread              string // a file with the value in it that cannot be read
}

// place decides for the one literal to edit and how sure that place is.
func (s *scope) place() (hit, float64, error) {
	if s.site != nil && s.siteFile != nil {
		hits, _ := s.siteFile.search(s.tree, s.change)
		switch at := s.siteFile.onSite(possible(hits), *s.site); {
		case len(at) == 1:
			return at[0], at[0].placement(placeSite), nil
		case len(at) > 1:
			return hit{}, 0, s.tooMany(at)
		}
	}
	all, err := s.search()
	if err != nil {
		return hit{}, 0, err
	}
	switch {
	case len(all.own) > 1:
		return hit{}, 0, s.tooMany(all.own)
	case len(all.own) == 1:
		return s.sure(all.own[0], placeTest, all)
	case all.unread != "":
		return hit{}, 0, fmt.Errorf("%s may also stand in %s, which cannot be read for sure", quoted(s.change), shown(all.unread))
	case len(all.shared) > 1:
		return hit{}, 0, s.tooMany(all.shared)
	case len(all.shared) == 1:
		return s.sure(all.shared[0], placeShared, all)
	}
	return hit{}, 0, s.absent(all)
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

// sure refuses a hit of which nothing tells what its call hangs on.
func (s *scope) sure(x hit, placement float64, all found) (hit, float64, error) {
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
	id := s.id
	if !own {
		id = nobody
	}
	tests := src.tests(id)
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
		return fmt.Errorf("%s hangs on another locator in %s (%s)", value, shown(all.blocked[0].in.path), lineList(inFile(all.blocked)))
	case len(all.misses) > 0:
		first := all.misses[0]
		return fmt.Errorf("%s stands in %s only %s (line %d)", value, shown(first.in.path), first.why, first.in.lineOf(first.token))
	case bytes.Contains(s.test.text, []byte(s.change.old.Value)):
		return fmt.Errorf("%s is no string literal of its own in %s", value, shown(s.test.path))
	}
	where := shown(s.test.path)
	if n := len(s.tree.reach(s.test.path)); n > 1 {
		where += fmt.Sprintf(" or the %d files that it imports", n-1)
	}
	return fmt.Errorf("%s does not stand in %s", value, where)
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
