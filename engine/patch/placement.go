package patch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// The placements: ratios that the confidence of a heal is multiplied by.
const (
	placementSite   = 1.0  // at the line that the event names
	placementTest   = 0.95 // the only place in the test's own body
	placementShared = 0.85 // the only place outside the bodies of tests, in the test's file or one that it reaches
)

// scope is where the literal of one heal is looked for.
type scope struct {
	tree      *checkout.Tree
	suite     *callers.Suite
	composers composers
	next      locator.Selector
	// noLiteral says why no new value in the author's form is proposed, "" for one.
	noLiteral string
	change    change
	id        testcode.Identity
	site      *engine.Site   // nil when the event names no line
	siteFile  *source.File   // nil when the event names no file
	test      *source.File   // the test's own file
	tests     []*source.File // it and, of a scenario, the others that define its steps
	relative  bool           // no file was named by its absolute path
	healed    engine.TestResult
	runner    func() *callers.Runner // of the test, made when it is asked for
}

// searchResult is what was found in the files of a scope.
type searchResult struct {
	own, shared, others []hit // in the test's own body, outside the bodies of tests, in other tests
	blocked             []hit // their call is made on another locator
	otherRows           []hit // of tables, in rows that other tests run
	misses              []miss
	ownCompeting        []miss // in the test's own body
	sharedCompeting     []miss // outside the bodies of tests
	unreadable          string // a file that holds the value and cannot be read
	searched            []string
}

// findLiteral returns the one literal to edit and its placement.
func (s *scope) findLiteral() (hit, float64, error) {
	s.change.runner = s.runner
	x, placement, err := s.findOnSite()
	if err == nil && placement == 0 {
		x, placement, err = s.findInReach()
	}
	if err == nil {
		err = s.refuseTwin(x)
	}
	return x, placement, err
}

// findInReach looks in the test's own body, then in the code that it reaches.
func (s *scope) findInReach() (hit, float64, error) {
	all, err := s.searchFiles()
	if err != nil {
		return hit{}, 0, err
	}
	if x, placement, err := s.followSite(&all); err != nil || placement > 0 {
		return x, placement, err
	}
	if fitting := filterPlaces(all.own, func(x hit) bool { return x.receiver != calls.No }); len(fitting) == 1 {
		all.own = fitting // the chains of the others are not the lost locator's
	}
	switch {
	case len(all.own) > 1 && !s.standTogether(all.own):
		return hit{}, 0, s.tooManyError(all.own)
	case len(all.own) > 0: // Spread edits those beside it
		return s.acceptHit(all.own[0], placementTest, all, all.ownCompeting)
	case all.unreadable != "":
		return hit{}, 0, fmt.Errorf("%s may also stand in %s, which cannot be read for sure", quoteOld(s.change), source.Printable(all.unreadable))
	}
	if len(all.shared) > 1 {
		s.keepNamed(&all)
	}
	if len(all.shared) > 1 {
		s.dropUnused(&all)
	}
	switch {
	case len(all.shared) > 1:
		return hit{}, 0, s.tooManyError(all.shared)
	case len(all.shared) == 1:
		competing := append(s.dropUnnamed(all.shared[0], all.sharedCompeting), s.composedElsewhere(all.searched)...)
		return s.acceptHit(all.shared[0], placementShared, all, competing)
	}
	return hit{}, 0, s.absenceError(all)
}

// standTogether reports whether hits look for one element for certain, since they stand
// beside each other and nothing is looked for in what they find: whichever raised the
// heal, all of them have lost it.
func (s *scope) standTogether(hits []hit) bool {
	if len(s.change.after) > 0 || s.change.around != nil || s.change.composed {
		return false
	}
	for _, x := range hits {
		if x.in != hits[0].in || x.receiver != calls.Yes || x.narrowed {
			return false
		}
	}
	return len(usesBeside(hits[0].in, hits, 0)) == len(hits)-1
}

// testReaching returns the file of the test that reaches another one, the test's first
// for none.
func (s *scope) testReaching(file *source.File) *source.File {
	for _, test := range s.tests {
		if slices.Contains(s.tree.ReachableFrom(test.Path), file.Path) {
			return test
		}
	}
	return s.test
}

// refuseTwin refuses a hit when its file was named by a relative path, and another
// project of the checkout has a file with the same path, test and locator.
func (s *scope) refuseTwin(x hit) error {
	if !s.relative || x.in != s.test && x.in != s.siteFile {
		return nil
	}
	needle := s.change.searchNeedle()
	if text, ok := x.in.Literal(x.literal); ok && s.change.filled {
		needle = longestWord(text)
	}
	for _, file := range s.tree.FilesWith(s.tree.FilesBySuffix(x.in.Path), needle) {
		if file == x.in.Path {
			continue
		}
		other, err := s.tree.Load(file)
		if err != nil || len(testcode.FindBodies(other, s.id).Own) == 0 {
			continue
		}
		if hits, _ := findHits(other, s.tree, s.change); len(hits) > 0 {
			return fmt.Errorf("%s could be %s or %s", x.in.Name(), x.in.Name(), other.Name())
		}
	}
	return nil
}

// acceptHit returns a hit unless other places could have raised the heal as well,
// or the locator that its call is made on is not known.
func (s *scope) acceptHit(x hit, placement float64, all searchResult, competing []miss) (hit, float64, error) {
	if err := s.refuseCompeting(x, competing); err != nil {
		return hit{}, 0, err
	}
	alone := len(all.misses) == 0 && len(all.blocked) == 0 && len(all.others) == 0
	if x.receiver == calls.Unsure && (len(s.change.before) == 0 || !alone) {
		return hit{}, 0, fmt.Errorf("what %s is looked for in cannot be told at line %d of %s", quoteOld(s.change), x.line(), x.in.Name())
	}
	return x, placement, nil
}

// searchFiles searches the test's file and the files that it reaches.
func (s *scope) searchFiles() (searchResult, error) {
	var all searchResult
	var files, more []string
	for _, test := range s.tests {
		files = append(files, test.Path)
		more = append(more, s.tree.ReachableFrom(test.Path)...)
	}
	if s.siteFile != nil {
		more = append(more, s.siteFile.Path)
	}
	for _, file := range more {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for i, file := range append(files[:len(s.tests):len(s.tests)], s.filesWith(files[len(s.tests):], s.needlesOf())...) {
		all.searched = append(all.searched, file)
		src, err := s.tree.Load(file)
		if err != nil {
			all.unreadable = file
			continue
		}
		if err := s.searchFile(src, i < len(s.tests), &all); err != nil {
			return all, err
		}
	}
	return all, nil
}

// searchFile adds the hits of one file, sorted by the test whose body they are in.
// In files other than the test's own, every test is another one.
func (s *scope) searchFile(src *source.File, own bool, all *searchResult) error {
	hits, misses := findHits(src, s.tree, s.change)
	if len(hits)+len(misses) > maxHits {
		return fmt.Errorf("%s stands at more than %d places in %s", quoteOld(s.change), maxHits, src.Name())
	}
	all.misses = append(all.misses, misses...)
	tests := s.testBodies(src, own)
	for _, x := range hits {
		list := &all.shared
		switch at := x.offset(); {
		case s.isOtherCase(x):
			list = &all.otherRows
		case x.receiver == calls.No:
			list = &all.blocked
		case tests.InOwn(at):
			list = &all.own
		case tests.InOther(at):
			list = &all.others
		}
		*list = append(*list, x)
	}
	for _, c := range findCompetitors(src, s.change, misses, s.saysInReach(src)) {
		switch at := src.Tokens[c.token].Start; {
		case tests.InOwn(at):
			all.ownCompeting = append(all.ownCompeting, c)
		case !tests.InOther(at):
			all.sharedCompeting = append(all.sharedCompeting, c)
		}
	}
	return nil
}

// isOtherCase reports whether a hit is of a table, in a row that other tests run.
func (s *scope) isOtherCase(x hit) bool {
	return x.cell != nil && !slices.ContainsFunc(x.traced, func(u values.Use) bool { return !x.cell.RunsOther(u, s.healed) })
}

// testBodies returns the bodies of tests in a file; own says that it is the test's
// own file. When the event does not name its test, the site shows which one it is.
func (s *scope) testBodies(src *source.File, own bool) testcode.Bodies {
	switch {
	case !own:
		return testcode.FindBodies(src, testcode.Nobody)
	case s.id.Title() != "" || s.site == nil || src != s.siteFile:
		return testcode.FindBodies(src, s.id)
	}
	var bodies testcode.Bodies
	for _, at := range testcode.FindBodies(src, testcode.Nobody).Others {
		bodies.Add(src.HasLine(at, s.site.Line), at)
	}
	return bodies
}

// searchNeedle returns a text that is in every file that holds the old value, however
// its literal is escaped: the longest run of characters that are never escaped.
func (c change) searchNeedle() string {
	return longestWord(c.old.Value)
}

func longestWord(text string) (best string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !source.IsWordByte(byte(r)) }) {
		if len(word) > len(best) {
			best = word
		}
	}
	return best
}

// filterPlaces returns the places that a function keeps.
func filterPlaces[T hit | miss](places []T, keep func(T) bool) []T {
	var out []T
	for _, x := range places {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// tooManyError says that several literals could be meant.
func (s *scope) tooManyError(hits []hit) error {
	if slices.ContainsFunc(hits, func(x hit) bool { return x.in != s.test }) {
		places := firstFive(hits, func(x hit) string { return fmt.Sprintf("%s line %d", x.in.Name(), x.line()) })
		return fmt.Errorf("%s stands at %d places: %s", quoteOld(s.change), len(hits), strings.Join(places, ", "))
	}
	return fmt.Errorf("%s stands at %d places in %s (%s)", quoteOld(s.change), len(hits), s.test.Name(), lineList(hits))
}

// errAbsent says of a locator that no file that the test reaches has it.
var errAbsent = errors.New("does not stand in")

// errNoLiteral says of a locator that a file has its text, and not as a literal.
var errNoLiteral = errors.New("is no string literal of its own in")

// absenceError says why no literal can be edited.
func (s *scope) absenceError(all searchResult) error {
	value := quoteOld(s.change)
	switch {
	case len(all.otherRows) > 0:
		return fmt.Errorf("%s stands in %s only in rows that other tests run (%s)", value, all.otherRows[0].in.Name(), lineList(all.otherRows))
	case len(all.others) > 0:
		return fmt.Errorf("%s stands in %s only inside other tests (%s)", value, all.others[0].in.Name(), lineList(all.others))
	case len(all.blocked) > 0:
		return s.receiverError(all.blocked)
	case len(all.misses) > 0:
		first := all.misses[0]
		return fmt.Errorf("%s stands in %s only %s (line %d)", value, first.in.Name(), first.why, first.in.LineOf(first.token))
	case bytes.Contains(s.test.Bytes, []byte(s.change.old.Value)):
		return fmt.Errorf("%s %w %s", value, errNoLiteral, s.test.Name())
	}
	where := s.test.Name()
	switch imported := len(s.tree.ReachableFrom(s.test.Path)) - 1; {
	case imported == 1:
		where += " or the file that it imports"
	case imported > 1:
		where += fmt.Sprintf(" or the %d files that it imports", imported)
	}
	return fmt.Errorf("%s %w %s", value, errAbsent, where)
}

// receiverError says that the calls of hits are made on another locator than the
// one healed.
func (s *scope) receiverError(hits []hit) error {
	return fmt.Errorf("%s hangs on another locator in %s (%s)", quoteOld(s.change), hits[0].in.Name(), lineList(hits))
}

// lineList lists the lines of the hits in the file of the first: "lines 12 and 40".
func lineList(hits []hit) string {
	hits = filterPlaces(hits, func(x hit) bool { return x.in == hits[0].in })
	at := firstFive(hits, func(x hit) string { return fmt.Sprint(x.line()) })
	if len(at) == 1 {
		return "line " + at[0]
	}
	return "lines " + strings.Join(at[:len(at)-1], ", ") + " and " + at[len(at)-1]
}

// firstFive returns the places of five hits, and an ellipsis for more.
func firstFive(hits []hit, place func(hit) string) []string {
	var at []string
	for i, x := range hits {
		if i == 5 {
			return append(at, "…")
		}
		at = append(at, place(x))
	}
	return at
}
