package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// The placements, as ratios that a heal's confidence is multiplied with.
const (
	placeSite = 1.0  // at the line the event names
	placeTest = 0.95 // the only place in the test's own body
	placeFile = 0.85 // the only place in the test's file, outside other tests
)

// Propose is New(src).Propose(h, t), for a single heal.
func Propose(h engine.HealEvent, t *engine.TestResult, src fs.FS) Proposal {
	return New(src).Propose(h, t)
}

// Proposer proposes edits for the heals of one run. It remembers the files it
// has read, so use one for a run and one goroutine at a time.
type Proposer struct{ tree *tree }

// New returns a Proposer that reads the test sources of a checkout from src.
// On a real disk src should not follow links out of the checkout: (*os.Root).FS.
func New(src fs.FS) *Proposer {
	return &Proposer{&tree{fsys: src, loaded: map[string]loaded{}}}
}

// Propose returns what to do about one heal: the new locator, and the edit of
// the one string literal that holds the old one, or the reason why there is
// none. t is the test's result in the same run and may be nil.
func (p *Proposer) Propose(h engine.HealEvent, t *engine.TestResult) Proposal {
	out := Proposal{Heal: h, Confidence: ratio(h.Confidence)}
	next, why := locator.Replacement(h)
	out.Locator = next.String()
	src, found := p.source(h, t)
	lang := languageOf(h, t, src)
	out.Code = locator.Print(next, lang)
	if old, err := locator.Of(h); err == nil {
		out.OldCode = locator.Print(old, lang)
	}
	switch {
	case h.Outcome != "" && h.Outcome != engine.OutcomeHealed:
		out.Reason = "the locator was not healed"
	case why != "":
		out.Reason = why
	case found != nil:
		out.Reason = found.Error()
	default:
		c, err := changeOf(h, next)
		if err != nil {
			out.Reason = err.Error()
			break
		}
		out.edit(src, c, h, identify(h, t))
	}
	return out
}

// edit fills in the edit, or the reason why there is none.
func (out *Proposal) edit(src *source, c change, h engine.HealEvent, id identity) {
	where, placement, err := src.place(c, h, id)
	if err != nil {
		out.Reason = err.Error()
		return
	}
	e, err := src.replace(where.token, where.value)
	if err != nil {
		out.Reason = err.Error()
		return
	}
	out.Edit = &e
	out.Confidence *= placement
}

// source returns the file to search: the event's site, else the test's own.
func (p *Proposer) source(h engine.HealEvent, t *engine.TestResult) (*source, error) {
	var named []string
	if h.Site != nil && h.Site.File != "" {
		named = append(named, h.Site.File)
	}
	if t != nil && t.File != "" {
		named = append(named, t.File)
	}
	if file := split(h.TestID).file; file != "" {
		named = append(named, file)
	}
	if len(named) == 0 {
		return p.classSource(h, t)
	}
	for _, name := range named {
		file, err := p.tree.find(name)
		if errors.Is(err, errNoFile) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return p.tree.load(file)
	}
	return nil, fmt.Errorf("%s is not in the checkout", shown(named[0]))
}

// classSource returns the file that a class or module is kept in by the habit
// of its language, when exactly one file of the checkout is named so.
func (p *Proposer) classSource(h engine.HealEvent, t *engine.TestResult) (*source, error) {
	found := ""
	for _, name := range classFiles(h, t) {
		file, err := p.tree.find(name)
		if err != nil {
			continue
		}
		if found != "" && found != file {
			return nil, fmt.Errorf("the test could be in %s or in %s", shown(found), shown(file))
		}
		found = file
	}
	if found == "" {
		return nil, errors.New("the event names no source file")
	}
	return p.tree.load(found)
}

// languageOf returns the language to print new code in.
func languageOf(h engine.HealEvent, t *engine.TestResult, src *source) locator.Language {
	if src != nil {
		return src.lang.print
	}
	names := []string{split(h.TestID).file}
	if h.Site != nil {
		names = append(names, h.Site.File)
	}
	if t != nil {
		names = append(names, t.File)
	}
	for _, name := range names {
		if d, ok := dialectOf(name); ok {
			return d.print
		}
	}
	return locator.TypeScript
}

// changeOf reduces a heal to the one value that changes.
func changeOf(h engine.HealEvent, next locator.Selector) (change, error) {
	old, err := locator.Of(h)
	if err != nil {
		return change{}, err
	}
	at, why := locator.Differing(old, next)
	if at < 0 {
		return change{}, errors.New(why)
	}
	c := change{before: old.Parts[:at], old: old.Parts[at], new: next.Parts[at]}
	if len(old.Parts) > 1 {
		c.whole, c.wholeNew = old.String(), next.String()
	}
	c.frame = at+1 < len(old.Parts) && old.Parts[at+1].Kind == locator.KindFrame
	if c.old.Value == "" || c.old.Regexp {
		return c, errors.New("the locator has no plain text that could be replaced")
	}
	return c, nil
}

// place decides for the one literal to edit and how sure that place is.
func (s *source) place(c change, h engine.HealEvent, id identity) (hit, float64, error) {
	hits, misses := s.search(c)
	if len(hits)+len(misses) > maxHits {
		return hit{}, 0, fmt.Errorf("%s stands at more than %d places in %s", quoted(c), maxHits, shown(s.path))
	}
	possible := hits[:0:0]
	for _, x := range hits {
		if x.hangs != no {
			possible = append(possible, x)
		}
	}
	if h.Site != nil && h.Site.Line > 0 && s.isAt(h.Site.File) {
		if at := s.onSite(possible, *h.Site); len(at) == 1 {
			return at[0], placeSite, nil
		} else if len(at) > 1 {
			return hit{}, 0, s.tooMany(c, at)
		}
	}
	if len(possible) == 0 {
		return hit{}, 0, s.absent(c, hits, misses)
	}
	found, placement, err := s.placeInFile(c, possible, id)
	if err == nil && found.hangs == unsure {
		err = fmt.Errorf("what %s is looked for in cannot be told at line %d of %s", quoted(c), s.lineOf(found.token), shown(s.path))
	}
	return found, placement, err
}

// isAt reports whether the site's file is this one.
func (s *source) isAt(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	return strings.HasSuffix("/"+file, "/"+s.path) || strings.HasSuffix("/"+s.path, "/"+strings.TrimPrefix(file, "./"))
}

// onSite returns the hits on the line of the site, or else in the expression
// that spans it; the column tells several on one line apart.
func (s *source) onSite(hits []hit, site engine.Site) []hit {
	var exact, spanning []hit
	for _, x := range hits {
		at := s.statement(x.call)
		switch {
		case s.lineOf(x.token) == site.Line:
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

// placeInFile takes the only hit in the test's own body, else the only one
// outside the bodies of other tests.
func (s *source) placeInFile(c change, hits []hit, id identity) (hit, float64, error) {
	tests := s.tests(id)
	var own, shared []hit
	for _, x := range hits {
		switch at := s.tokens[x.token].Start; {
		case tests.inOwn(at):
			own = append(own, x)
		case !tests.inOther(at):
			shared = append(shared, x)
		}
	}
	switch {
	case len(own) == 1:
		return own[0], placeTest, nil
	case len(own) > 1:
		return hit{}, 0, s.tooMany(c, own)
	case len(shared) == 1:
		return shared[0], placeFile, nil
	case len(shared) > 1:
		return hit{}, 0, s.tooMany(c, shared)
	}
	return hit{}, 0, fmt.Errorf("%s stands in %s only inside other tests (%s)", quoted(c), shown(s.path), s.lineList(hits))
}

func (s *source) tooMany(c change, hits []hit) error {
	return fmt.Errorf("%s stands at %d places in %s (%s)", quoted(c), len(hits), shown(s.path), s.lineList(hits))
}

// absent says why no literal can be edited.
func (s *source) absent(c change, hits []hit, misses []miss) error {
	switch {
	case len(hits) > 0:
		return fmt.Errorf("%s hangs on another locator in %s (%s)", quoted(c), shown(s.path), s.lineList(hits))
	case len(misses) > 0:
		return fmt.Errorf("%s stands in %s only %s (line %d)", quoted(c), shown(s.path), misses[0].why, s.lineOf(misses[0].token))
	case strings.Contains(string(s.text), c.old.Value):
		return fmt.Errorf("%s is no string literal of its own in %s", quoted(c), shown(s.path))
	}
	return fmt.Errorf("%s does not stand in %s", quoted(c), shown(s.path))
}

func quoted(c change) string { return `"` + shown(c.old.Value) + `"` }

// ratio clamps a confidence to [0,1]; what is not a number is 0.
func ratio(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
