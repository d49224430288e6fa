package patch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
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
	tree     *checkout.Tree
	next     locator.Selector
	change   change
	id       testcode.Identity
	site     *engine.Site // nil when the event names no line
	siteFile *source.File // nil when the event names no file
	test     *source.File // the test's own file
	relative bool         // no file was named by its absolute path
}

// searchResult is what a search of the scope came upon.
type searchResult struct {
	own, shared, others []hit // by whose body they stand in
	misses              []miss
	ownCompeting        []competitor // in the test's own body
	sharedCompeting     []competitor // outside the bodies of tests
	blocked             []hit        // they hang on another locator
	unread              string       // a file with the value in it that cannot be read
}

// findLiteral decides for the one literal to edit and how sure that place is.
func (s *scope) findLiteral() (hit, float64, error) {
	x, placement, err := s.findOnSite()
	if err == nil && placement == 0 {
		x, placement, err = s.findInReach()
	}
	if err == nil {
		err = s.refuseTwin(x)
	}
	return x, placement, err
}

// findOnSite looks at the line that the event names. A placement of 0 means that
// it says nothing.
func (s *scope) findOnSite() (hit, float64, error) {
	if s.site == nil || s.siteFile == nil {
		return hit{}, 0, nil
	}
	hits, misses := searchFile_(s.siteFile, s.tree, s.change)
	switch at := hitsOnSite(s.siteFile, possibleHits(hits), *s.site); {
	case len(at) == 1:
		return at[0], at[0].placement(placeSite), s.refuseOtherTest(at[0])
	case len(at) > 1:
		return hit{}, 0, s.tooManyError(at)
	}
	for _, x := range hitsOnSite(s.siteFile, hits, *s.site) {
		return hit{}, 0, s.receiverError([]hit{x})
	}
	return hit{}, 0, refuseCompetingOnSite(s.siteFile, *s.site, findCompetitors(s.siteFile, s.change, misses), s.change)
}

// findInReach looks through the test's own body, then through what it reaches.
func (s *scope) findInReach() (hit, float64, error) {
	all, err := s.searchFiles()
	if err != nil {
		return hit{}, 0, err
	}
	switch {
	case len(all.own) > 1:
		return hit{}, 0, s.tooManyError(all.own)
	case len(all.own) == 1:
		return s.acceptHit(all.own[0], placeTest, all, all.ownCompeting)
	case all.unread != "":
		return hit{}, 0, fmt.Errorf("%s may also stand in %s, which cannot be read for sure", quoted(s.change), source.Printable(all.unread))
	case len(all.shared) > 1:
		return hit{}, 0, s.tooManyError(all.shared)
	case len(all.shared) == 1:
		return s.acceptHit(all.shared[0], placeShared, all, all.sharedCompeting)
	}
	return hit{}, 0, s.absenceError(all)
}

// refuseTwin refuses a hit in a file that was named by a path which another project
// of the checkout has below its own folder, with the same test and locator.
func (s *scope) refuseTwin(x hit) error {
	if !s.relative || x.in != s.test && x.in != s.siteFile {
		return nil
	}
	for _, file := range s.tree.FilesBySuffix(x.in.Path) {
		if file == x.in.Path || !bytes.Contains(s.tree.Bytes(file), s.change.needle()) {
			continue
		}
		other, err := s.tree.Load(file)
		if err != nil || len(testcode.FindBodies(other, s.id).Own) == 0 {
			continue
		}
		if hits, _ := searchFile_(other, s.tree, s.change); len(hits) > 0 {
			return fmt.Errorf("%s could be %s or %s", source.Printable(x.in.Path), source.Printable(x.in.Path), source.Printable(file))
		}
	}
	return nil
}

// possibleHits leaves out the hits that surely hang on another locator.
func possibleHits(hits []hit) []hit {
	var out []hit
	for _, x := range hits {
		if x.receiver != calls.No {
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

// acceptHit refuses a hit that has rivals, and one of which nothing tells what its
// call hangs on.
func (s *scope) acceptHit(x hit, placement float64, all searchResult, rivals []competitor) (hit, float64, error) {
	if err := s.refuseCompeting(x, rivals); err != nil {
		return hit{}, 0, err
	}
	if x.nested {
		return hit{}, 0, s.receiverError([]hit{x})
	}
	alone := len(all.misses) == 0 && len(all.blocked) == 0 && len(all.others) == 0
	if x.receiver == calls.Unsure && (len(s.change.before) == 0 || !alone) {
		return hit{}, 0, fmt.Errorf("what %s is looked for in cannot be told at line %d of %s", quoted(s.change), x.line(), source.Printable(x.in.Path))
	}
	return x, x.placement(placement), nil
}

// searchFiles looks through the test's file and the files that it reaches.
func (s *scope) searchFiles() (searchResult, error) {
	var all searchResult
	needle := s.change.needle()
	files := s.tree.ReachableFrom(s.test.Path)
	if s.siteFile != nil && !slices.Contains(files, s.siteFile.Path) {
		files = append(slices.Clone(files), s.siteFile.Path)
	}
	for i, file := range files {
		if i > 0 && !bytes.Contains(s.tree.Bytes(file), needle) {
			continue
		}
		src, err := s.tree.Load(file)
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
func (s *scope) searchFile(src *source.File, own bool, all *searchResult) error {
	hits, misses := searchFile_(src, s.tree, s.change)
	if len(hits)+len(misses) > maxHits {
		return fmt.Errorf("%s stands at more than %d places in %s", quoted(s.change), maxHits, source.Printable(src.Path))
	}
	all.misses = append(all.misses, misses...)
	tests := s.testBodies(src, own)
	for _, x := range hits {
		switch at := x.offset(); {
		case x.receiver == calls.No:
			all.blocked = append(all.blocked, x)
		case tests.InOwn(at):
			all.own = append(all.own, x)
		case tests.InOther(at):
			all.others = append(all.others, x)
		default:
			all.shared = append(all.shared, x)
		}
	}
	for _, r := range findCompetitors(src, s.change, misses) {
		switch at := src.Tokens[r.token].Start; {
		case tests.InOwn(at):
			all.ownCompeting = append(all.ownCompeting, r)
		case !tests.InOther(at):
			all.sharedCompeting = append(all.sharedCompeting, r)
		}
	}
	return nil
}

// testBodies returns the bodies of tests in a file, own being the test's own file.
// Where the event does not name its test, the site tells which one it is.
func (s *scope) testBodies(src *source.File, own bool) testcode.Bodies {
	switch {
	case !own:
		return testcode.FindBodies(src, testcode.Nobody)
	case s.id.Title() != "" || s.site == nil || src != s.siteFile:
		return testcode.FindBodies(src, s.id)
	}
	var split testcode.Bodies
	for _, at := range testcode.FindBodies(src, testcode.Nobody).Others {
		split.Add(src.Line(at.Start) <= s.site.Line && s.site.Line <= src.Line(at.End-1), at)
	}
	return split
}

// refuseOtherTest says that the site lies in another test than the event names.
func (s *scope) refuseOtherTest(x hit) error {
	if s.siteFile != s.test {
		return nil
	}
	if tests := s.testBodies(s.test, true); len(tests.Own) > 0 && tests.InOther(x.offset()) {
		return fmt.Errorf("line %d of %s is in another test", x.line(), source.Printable(x.in.Path))
	}
	return nil
}

// needle returns bytes that a file must hold to say the old value, however its
// literal is escaped: the longest run of characters that nobody escapes.
func (c change) needle() []byte {
	best := ""
	for _, word := range strings.FieldsFunc(c.old.Value, func(r rune) bool { return r >= 0x80 || !source.IsWordByte(byte(r)) }) {
		if len(word) > len(best) {
			best = word
		}
	}
	return []byte(best)
}

// hitsOnSite returns the hits on the line of the site, or else in the expression
// that spans it; the column tells several on one line apart.
func hitsOnSite(s *source.File, hits []hit, site engine.Site) []hit {
	var exact, spanning []hit
	for _, x := range hits {
		if x.constant != "" {
			continue
		}
		at := s.Statement(x.Call)
		switch {
		case x.line() == site.Line:
			exact = append(exact, x)
		case s.Line(at.Start) <= site.Line && site.Line <= s.Line(at.End-1):
			spanning = append(spanning, x)
		}
	}
	if len(exact) == 0 {
		return spanning
	}
	if len(exact) > 1 && site.Column > 0 && site.Line <= len(s.Lines) {
		offset := s.Lines[site.Line-1] + site.Column - 1
		var under []hit
		for _, x := range exact {
			if s.Statement(x.Call).Contains(offset) {
				under = append(under, x)
			}
		}
		if len(under) == 1 {
			return under
		}
	}
	return exact
}

func (s *scope) tooManyError(hits []hit) error {
	file := source.Printable(s.test.Path)
	for _, h := range hits {
		if h.in != s.test {
			return fmt.Errorf("%s stands at %d places: %s", quoted(s.change), len(hits), placeList(hits))
		}
	}
	return fmt.Errorf("%s stands at %d places in %s (%s)", quoted(s.change), len(hits), file, lineList(hits))
}

// absenceError says why no literal can be edited.
func (s *scope) absenceError(all searchResult) error {
	value := quoted(s.change)
	switch {
	case len(all.others) > 0:
		return fmt.Errorf("%s stands in %s only inside other tests (%s)", value, source.Printable(all.others[0].in.Path), lineList(hitsInFirstFile(all.others)))
	case len(all.blocked) > 0:
		return s.receiverError(all.blocked)
	case len(all.misses) > 0:
		first := all.misses[0]
		return fmt.Errorf("%s stands in %s only %s (line %d)", value, source.Printable(first.in.Path), first.why, first.in.LineOf(first.token))
	case bytes.Contains(s.test.Bytes, []byte(s.change.old.Value)):
		return fmt.Errorf("%s is no string literal of its own in %s", value, source.Printable(s.test.Path))
	}
	where := source.Printable(s.test.Path)
	if n := len(s.tree.ReachableFrom(s.test.Path)); n > 1 {
		where += fmt.Sprintf(" or the %d files that it imports", n-1)
		if n == 2 {
			where = source.Printable(s.test.Path) + " or the file that it imports"
		}
	}
	return fmt.Errorf("%s does not stand in %s", value, where)
}

// receiverError says that hits hang on another locator than the one healed.
func (s *scope) receiverError(hits []hit) error {
	return fmt.Errorf("%s hangs on another locator in %s (%s)", quoted(s.change), source.Printable(hits[0].in.Path), lineList(hitsInFirstFile(hits)))
}

// hitsInFirstFile returns the hits that stand in the file of the first one.
func hitsInFirstFile(hits []hit) []hit {
	var out []hit
	for _, h := range hits {
		if h.in == hits[0].in {
			out = append(out, h)
		}
	}
	return out
}

// lineList lists the places of hits for a reason: "lines 12 and 40".
func lineList(hits []hit) string {
	var at []string
	for i, h := range hits {
		if i == 5 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprint(h.line()))
	}
	if len(at) == 1 {
		return "line " + at[0]
	}
	return "lines " + strings.Join(at[:len(at)-1], ", ") + " and " + at[len(at)-1]
}

// placeList lists at most five places with their files.
func placeList(hits []hit) string {
	var at []string
	for i, h := range hits {
		if i == 5 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprintf("%s line %d", source.Printable(h.in.Path), h.line()))
	}
	return strings.Join(at, ", ")
}
