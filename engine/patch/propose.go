package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Proposer proposes edits for the heals of one run. It remembers the files it
// has read, so use one for a run and one goroutine at a time.
type Proposer struct {
	tree      *checkout.Tree
	passed    []PassedTest
	lost      [][]lostPart   // what each of them lost and was healed by
	suite     *callers.Suite // of the tests that passed
	composers composers
	testID    *string // the attribute of getByTestId in the sources, nil until it is needed
}

// New returns a Proposer that reads the test sources of a checkout from src.
// On a real disk src should not follow links out of the checkout: (*os.Root).FS.
func New(src fs.FS) *Proposer {
	tree := checkout.New(src)
	return &Proposer{tree: tree, suite: callers.NewSuite(tree, nil), composers: composers{}}
}

// Propose returns what to do about one heal or suggestion: the new locator, and the edit of
// the one string literal that holds the old one, or the reason why there is
// none. t is the test's result in the same run and may be nil.
func (p *Proposer) Propose(h engine.HealEvent, t *engine.TestResult) Proposal {
	p.suite.Prepare()
	p.suite.Trim()
	out := Proposal{Heal: h, Confidence: clampRatio(h.Confidence)}
	next, why := locator.Replacement(h)
	isChain := false
	noLiteral := why // why only a whole call can be written anew
	if why != "" {
		if getters := append(locator.Getters(h), p.testIDGetter(h)...); len(getters) > 0 {
			next, why = getters[0], ""
		} else if getter, ok := p.chainGetter(h); ok {
			next, isChain = getter, true
		}
	}
	out.Locator = next.String()
	s, err := p.scopeOf(h, t)
	readable := err == nil
	lang := languageOf(h, t, s.test)
	out.Language = lang
	out.Code = locator.Print(next, lang)
	out.Modern = locator.Print(locator.Modern(h, next), lang)
	switch {
	case h.Outcome == engine.OutcomeRefused:
		out.Reason = "the locator was not healed"
	case isChain && err == nil:
		if err = p.addChainEdit(&out, s, t, next); err != nil {
			out.Reason = err.Error()
		}
	case why != "":
		out.Reason = why
	case err != nil:
		out.Reason = err.Error()
	case locator.ProofOf(h, next) == locator.Ambiguous:
		out.Reason = errAmbiguous.Error()
	default:
		s.next, s.noLiteral = next, noLiteral
		if s.change, err = changeOf(h, next); err == nil {
			err = p.addEdit(&out, s, t)
		}
		if err != nil {
			out.Reason = err.Error()
		}
	}
	if out.Edit == nil && h.Outcome != engine.OutcomeRefused && readable {
		p.addComposedEdit(&out, s, t)
		if out.Edit == nil {
			p.addFilledEdit(&out, s, t)
		}
	}
	return out
}

// testIDGetter returns the getByTestId call of a test id by which another healer, which
// counts no getBy… calls, found the element alone: as the whole of a locator of another kind.
func (p *Proposer) testIDGetter(h engine.HealEvent) []locator.Selector {
	old, err := locator.Of(h)
	healed, unread := locator.Parse(h.HealedLocator)
	if err != nil || unread != nil || len(old.Parts) != 1 || len(healed.Parts) != 1 || old.Last().Value == "" || locator.ProofOf(h, healed) != locator.Unique {
		return nil
	}
	if getter, ok := p.byTestID(h, healed); ok {
		return []locator.Selector{getter}
	}
	return nil
}

// byTestID returns the getByTestId call of a healed locator by a test id that stays.
func (p *Proposer) byTestID(h engine.HealEvent, healed locator.Selector) (locator.Selector, bool) {
	name, value, ok := locator.AttributeOf(healed.Last())
	if !ok || name != p.testIDAttribute(h) || locator.Generated(value) {
		return locator.Selector{}, false
	}
	return locator.ByTestID(name, value), true
}

// unproven is the factor for a locator that was derived from the healed element and
// never tried. It is so low that the edit is not suggested.
const unproven = 0.7

// addEdit fills in the edit, or returns the reason why there is none.
func (p *Proposer) addEdit(out *Proposal, s *scope, t *engine.TestResult) error {
	where, placement, err := s.findLiteral()
	if errors.Is(err, errAbsent) && p.isEdited(s, out.Heal) {
		return fmt.Errorf("the edit is in the file already: line %d of %s has the new locator", s.site.Line, s.siteFile.Name())
	}
	if err == nil {
		err = p.refuseUsedByPassed(where, s, out.Heal, t)
	}
	if err != nil {
		return err
	}
	e, edited, err := p.editOf(where, s, out.Heal)
	if err != nil {
		return err
	}
	switch locator.ProofOf(out.Heal, edited) {
	case locator.Ambiguous:
		return errAmbiguous
	case locator.Unproven:
		out.Confidence *= unproven
		out.Note = "nothing in the run shows that the new locator finds this element alone"
	}
	out.Edit = &e
	out.Confidence *= placement
	out.Place = placement
	if e.Start < where.offset() { // the whole call
		out.Locator, out.Modern = edited.String(), ""
		out.Code = locator.Print(edited, where.in.Dialect.Print)
	}
	return nil
}

// isEdited reports whether the line that the event names has the new locator in the place
// of the old one.
func (p *Proposer) isEdited(s *scope, h engine.HealEvent) bool {
	if s.site == nil || s.siteFile == nil {
		return false
	}
	written := []locator.Part{s.change.new}
	for _, getter := range p.gettersOf(hit{Argument: calls.Argument{Kind: s.change.old.Kind}, value: s.change.new.Value}, s, h) {
		written = append(written, getter.Parts[len(s.change.before)])
	}
	return slices.ContainsFunc(written, func(part locator.Part) bool {
		made := s.change
		made.old = part
		hits, _ := findHits(s.siteFile, s.tree, made)
		return len(hitsOnSite(s.siteFile, filterPlaces(hits, func(x hit) bool { return x.receiver != calls.No }), *s.site)) == 1
	})
}

// editOf returns the edit of a hit and the new locator as the edited call makes it: a new
// value in the author's form, or a getBy… call where that is better or the only one that
// is proven.
func (p *Proposer) editOf(x hit, s *scope, h engine.HealEvent) (Edit, locator.Selector, error) {
	literal, made, err := editLiteral(x, s)
	proven := err == nil && locator.ProofOf(h, made) == locator.Unique
	if call, getter, better, ok := p.editCall(x, s, h); ok && (better || !proven) {
		return call, getter, nil
	}
	return literal, made, err
}

// editLiteral returns the edit of a hit's literal and the new locator as the call makes
// it then.
func editLiteral(x hit, s *scope) (Edit, locator.Selector, error) {
	if s.noLiteral != "" {
		return Edit{}, s.next, errors.New(s.noLiteral)
	}
	if name, value, ok := locator.AttributeOf(locator.Part{Kind: locator.KindCSS, Value: x.value}); ok && x.Kind == locator.KindCSS &&
		strings.HasSuffix(x.in.Text(x.literal), `"`) && x.value == "["+name+`="`+value+`"]` && !strings.Contains(value, "'") {
		x.value = "[" + name + "='" + value + "']" // in double quotes, as a person does
	}
	e, err := replaceHit(x)
	if err != nil {
		return e, s.next, err
	}
	edited, err := x.asEdited(s.change, s.next)
	return e, edited, err
}

// replaceHit returns the edit that gives the literal of a hit its new value.
func replaceHit(x hit) (Edit, error) {
	if !x.Regexp {
		return replaceLiteral(x.in, x.literal, x.value)
	}
	return replacePattern(x.in, x.literal, x.Text, x.value)
}

var errAmbiguous = errors.New("the new locator does not find exactly one element")

// scopeOf returns where the literal of a heal is looked for: in the file of the
// event's site and in the test's own, which may be the same.
func (p *Proposer) scopeOf(h engine.HealEvent, t *engine.TestResult) (*scope, error) {
	s := &scope{tree: p.tree, suite: p.suite, composers: p.composers, id: testcode.IdentifyIn(p.tree, h, t)}
	if s.healed = (engine.TestResult{ID: h.TestID}); t != nil {
		s.healed = *t
	}
	s.runner = sync.OnceValue(s.newRunner)
	s.relative = !checkout.IsAbsolute(s.id.File) && (h.Site == nil || !checkout.IsAbsolute(h.Site.File))
	if h.Site != nil && h.Site.File != "" {
		file, err := p.tree.Find(h.Site.File)
		if err == nil {
			s.siteFile, err = p.tree.Load(file)
		}
		if err != nil && !errors.Is(err, checkout.ErrNoFile) {
			return s, err
		}
		if h.Site.Line > 0 {
			s.site = h.Site
		}
	}
	var err error
	if s.tests, err = testcode.FilesOf(p.tree, h, t); len(s.tests) > 0 {
		s.test = s.tests[0]
	}
	switch {
	case s.test == nil && s.siteFile != nil: // the site is all there is to go by
		s.test, s.tests, err = s.siteFile, []*source.File{s.siteFile}, nil
	case s.test == nil && err == nil && h.Site != nil && h.Site.File != "":
		err = fmt.Errorf("%s is not in the checkout", source.Printable(h.Site.File))
	case s.test == nil && err == nil:
		err = errors.New("the event names no source file")
	}
	return s, err
}

// languageOf returns the language of the test in src, or of the files that the heal
// names.
func languageOf(h engine.HealEvent, t *engine.TestResult, src *source.File) locator.Language {
	if src != nil {
		return src.Dialect.Print
	}
	if t != nil {
		return languageOfFiles(h, t.File)
	}
	return languageOfFiles(h)
}

// LanguageOf returns the language of the files that a heal names, TypeScript when they
// have none.
func LanguageOf(h engine.HealEvent) locator.Language { return languageOfFiles(h) }

func languageOfFiles(h engine.HealEvent, others ...string) locator.Language {
	names := []string{testcode.ParseID(h.TestID).File}
	if h.Site != nil {
		names = append(names, h.Site.File)
	}
	for _, name := range append(names, others...) {
		if d, ok := source.DialectOf(name); ok {
			return d.Print
		}
	}
	return locator.TypeScript
}

// changeOf returns the one value of the locator that changes.
func changeOf(h engine.HealEvent, next locator.Selector) (change, error) {
	old, err := locator.Of(h)
	if err != nil {
		return change{}, err
	}
	return changeBetween(old, next)
}

// changeBetween is changeOf for an old locator and a new one. Of a locator inside of
// another one it is that of the inner one.
func changeBetween(old, next locator.Selector) (change, error) {
	at, why := locator.Differing(old, next)
	if at < 0 {
		return change{}, errors.New(why)
	}
	if was, is, ok := locator.Nested(old.Parts[at], next.Parts[at]); ok {
		c, err := changeBetween(was, is)
		if c.around != nil {
			err = errors.New("the part of the locator that changed is inside of more than one other locator")
		}
		c.around = &surrounding{before: old.Parts[:at], after: old.Parts[at+1:], kind: old.Parts[at].Kind, inner: is}
		return c, err
	}
	c := change{before: old.Parts[:at], after: old.Parts[at+1:], old: old.Parts[at], new: next.Parts[at]}
	c.frame = len(c.after) > 0 && c.after[0].Kind == locator.KindFrame
	if len(old.Parts) > 1 {
		c.whole, c.wholeNew = old.String(), next.String()
	}
	if c.old.Value == "" {
		return c, errors.New("the locator has no plain text that could be replaced")
	}
	return c, nil
}

func quoteOld(c change) string {
	if c.old.Regexp {
		return source.Printable(c.old.Value)
	}
	return `"` + source.Printable(c.old.Value) + `"`
}
