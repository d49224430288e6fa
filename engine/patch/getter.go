package patch

import (
	"errors"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// gettersOf returns the getBy… calls that may take the place of the locator call around
// a hit, the best first: that of the test id which the new locator names, then those
// that the run proved.
func (p *Proposer) gettersOf(x hit, s *scope, h engine.HealEvent) []locator.Selector {
	at := len(s.change.before)
	if x.constant != "" || s.change.frame || s.change.around != nil || x.Kind == locator.KindCSS && x.value == s.change.wholeNew {
		return nil
	}
	var getters []locator.Selector
	attribute := p.testIDAttribute(h)
	if name, value, ok := locator.AttributeOf(s.next.Parts[at]); ok && (x.Kind == locator.KindCSS || s.noLiteral != "") && name == attribute {
		getters = append(getters, s.next.WithPart(at, locator.ByTestID(name, value).Last()))
	}
	for _, getter := range locator.Getters(h) {
		differs, _ := locator.Differing(s.next.WithPart(at, s.change.old), getter)
		if part := getter.Parts[at]; differs == at && (part.Kind != locator.KindTestID || part.Attr != "" && part.Attr == attribute) {
			getters = append(getters, getter)
		}
	}
	return getters
}

// testIDAttribute returns the attribute that getByTestId reads in this project: the one
// that the healer used, else data-testid where no source of the checkout says
// otherwise, for this project or another one. It is "" where it is not known.
func (p *Proposer) testIDAttribute(h engine.HealEvent) string {
	for _, m := range h.Matches {
		if s, err := locator.Parse(m.Locator); err == nil && s.Last().Kind == locator.KindTestID && s.Last().Attr != "" {
			return s.Last().Attr
		}
	}
	if p.testID == nil {
		attribute := "data-testid"
		if p.tree.AnyWord(setsTestID) {
			attribute = ""
		}
		p.testID = &attribute
	}
	return *p.testID
}

// setsTestID matches what sets the attribute of test ids in any of the languages.
var setsTestID = lazyregexp.New(`(?i)test_?id_?attribute`)

// editCall returns the edit that writes the first of the getBy… calls that can be
// written in the place of the one around a hit, with the locator that it makes. better
// says whether it is to be preferred to a new value in the author's form, ok whether
// there is one.
func (p *Proposer) editCall(x hit, s *scope, h engine.HealEvent) (e Edit, edited locator.Selector, better, ok bool) {
	at := len(s.change.before)
	for i, getter := range p.gettersOf(x, s, h) {
		part := getter.Parts[at]
		isTestID := i == 0 && part.Kind == locator.KindTestID && x.Kind == locator.KindCSS
		if !s.proves(h, getter, isTestID) {
			continue
		}
		if e, err := writeCall(x, s.change.old, part); err == nil {
			return e, getter, isTestID || locator.Improves(h, part, s.next.Parts[at], s.change.old), true
		}
	}
	return Edit{}, s.next, false, false
}

var errNoCall = errors.New("the locator call cannot be written as another one")

// writeCall returns the edit that writes the call of a part in the place of the call around a
// hit, a locator call or an action of a page, which looks for the old part.
func writeCall(x hit, old, part locator.Part) (Edit, error) {
	c := x.in.Callee(x.Call)
	if written, ok := plainCall(x.in, c); ok && sameCall(written, old) {
		return replaceCalls(x.in, c, c, part)
	}
	if a, ok := actionAt(x.in, c); ok && a.literal == x.literal && sameCall(a.looksFor, old) {
		return replaceAction(x.in, c, part)
	}
	return Edit{}, errNoCall
}

// sameCall reports whether the call in the source is the one that was healed. How strictly
// it compares is as the source says.
func sameCall(written, healed locator.Part) bool {
	return written.Kind == healed.Kind && written.Value == healed.Value && written.Role == healed.Role && written.Regexp == healed.Regexp &&
		(written.Rest == "") == (healed.Rest == "")
}

// proves reports whether a getBy… call may be written: it was counted, or is what the
// new value in the author's form is, which is judged by itself.
func (s *scope) proves(h engine.HealEvent, getter locator.Selector, isTestID bool) bool {
	proof := locator.ProofOf(h, getter)
	return proof == locator.Unique || isTestID && proof != locator.Ambiguous
}

// plainCall returns what the locator call whose name is token c looks for, where the whole
// call is plain text on one line.
func plainCall(s *source.File, c int) (locator.Part, bool) {
	if c < 0 || !s.IsMember(c) || s.Text(c+1) != "(" || source.AnyContains(s.Conditional, s.Tokens[c].Start) {
		return locator.Part{}, false
	}
	at := s.SpanOf(c, s.End(c+1))
	text := string(s.Bytes[at.Start:at.End])
	if strings.ContainsAny(text, "\r\n") {
		return locator.Part{}, false
	}
	return locator.ReadCall(text, s.Dialect.Print)
}

// replaceCalls returns the edit that writes the call of a part in the place of the
// locator calls whose names are the tokens first to last: one call, or a whole chain. It is
// verified.
func replaceCalls(s *source.File, first, last int, part locator.Part) (Edit, error) {
	text, ok := locator.WriteCall(part, styleAt(s, first))
	if !ok {
		return Edit{}, errNoCall
	}
	return verifiedCalls(s, first, last, text)
}

// verifiedCalls returns the edit that writes the text with in the place of the locator
// calls whose names are the tokens first to last, an error where this package would not.
func verifiedCalls(s *source.File, first, last int, with string) (Edit, error) {
	at := s.SpanOf(first, s.End(last+1))
	e, err := lineEdit(s, at.Start, at.End, with)
	if err != nil {
		return Edit{}, err
	}
	return e, verifyCalls(s, e, first, last)
}

// verifyCalls makes an edit of the locator calls whose names are the tokens first to last
// and reads the file again: the new call must be one just as this package writes
// it, and all around it the same as before.
func verifyCalls(s *source.File, e Edit, first, last int) error {
	part, ok := locator.ReadCall(e.New, s.Dialect.Print)
	text, writes := locator.WriteCall(part, styleAt(s, first))
	locates := isPlain(s, first, last)
	if first == last { // CSS in the place of CSS is another value, in the author's literal
		_, locates = plainCall(s, first)
		locates = locates && part.Kind != locator.KindCSS
	}
	if !ok || !locates || !writes || text != e.New {
		return errUnverified
	}
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	behind := len(s.Tokens) - s.End(last+1) - 1
	if err != nil || len(after.Lines) != len(s.Lines) || len(after.Tokens) < first+behind+2 {
		return errUnverified
	}
	now := len(after.Tokens) - behind - 1 // the end of the new call
	if after.Tokens[first].Start != e.Start || after.End(first+1) != now || after.Tokens[now].End != e.Start+len(e.New) {
		return errUnverified
	}
	for i := range s.Tokens {
		j := i
		if i > s.End(last+1) {
			j = len(after.Tokens) - len(s.Tokens) + i
		}
		if (i < first || j != i) && (s.Tokens[i].Kind != after.Tokens[j].Kind || s.Text(i) != after.Text(j)) {
			return errUnverified
		}
	}
	return nil
}

// isPlain reports whether the calls of a chain stand on one line that is always compiled.
func isPlain(s *source.File, first, last int) bool {
	at := s.SpanOf(first, s.End(last+1))
	return s.Line(at.Start) == s.Line(at.End) && !slices.ContainsFunc(s.Conditional, func(c source.Span) bool { return c.Contains(at.Start) })
}

// styleAt returns how the file writes the locator call whose name is token c.
func styleAt(s *source.File, c int) locator.CallStyle {
	style := locator.CallStyle{Language: s.Dialect.Print, Receiver: receiverType(s, c, 0)}
	at := s.SpanOf(c, s.End(c+1))
	if i := strings.IndexAny(string(s.Bytes[at.Start:at.End]), "\"'`"); i >= 0 {
		style.Quote = s.Bytes[at.Start+i]
	}
	switch s.Dialect.Scan {
	case scan.Java:
		style.Roles = declares(s, "import", "com.microsoft.playwright.options.AriaRole", "com.microsoft.playwright.options.*")
		style.Options = declares(s, "import", "com.microsoft.playwright."+style.Receiver, "com.microsoft.playwright.*")
	case scan.CSharp:
		style.Roles = declares(s, "using", "Microsoft.Playwright")
		style.Explicit = namesOptions.Match(s.Bytes) && !targetTyped.Match(s.Bytes)
	case scan.Go:
		style.Package = importedPlaywright(s)
	}
	return style
}

var (
	namesOptions = lazyregexp.New(`\bnew (?:Page|Locator|Frame|FrameLocator)[A-Z]\w*Options\b`)
	targetTyped  = lazyregexp.New(`\bnew\(\)`)
)

// declares reports whether a file has one of the statements: word name;
func declares(s *source.File, word string, names ...string) bool {
	return slices.ContainsFunc(s.Idents[word], func(i int) bool {
		name := ""
		for i++; s.Text(i) != ";" && s.Text(i) != "" && len(name) < 100; i++ {
			name += s.Text(i)
		}
		return s.Text(i) == ";" && slices.Contains(names, name)
	})
}

// importedPlaywright returns the name under which a Go file imports playwright-go, "" for
// none.
func importedPlaywright(s *source.File) string {
	for i := range s.Tokens {
		value, ok := s.Literal(i)
		if !ok || !strings.HasSuffix(value, "/playwright-go") {
			continue
		}
		switch before := s.Text(i - 1); {
		case s.Kind(i-1) != scan.Ident && before != "(" && before != ";" && s.Kind(i-1) != scan.String, before == "_":
			return ""
		case s.Kind(i-1) == scan.Ident && before != "import" && s.LineOf(i-1) == s.LineOf(i):
			return before
		}
		return "playwright"
	}
	return ""
}

// receiverType returns Playwright's type that the locator call whose name is token c is
// made on, "" where the file does not say it.
func receiverType(s *source.File, c, hops int) string {
	r := s.ReceiverEnd(c)
	if hops > 12 {
		return ""
	}
	if s.Text(r) == ")" {
		c = s.Callee(s.End(r))
		switch name := locator.Fold(s.Text(c)); {
		case name == "framelocator" || name == "contentframe":
			return "FrameLocator"
		case name == "first" || name == "last" || name == "nth":
			return receiverType(s, c, hops+1)
		case name == "filter" || locator.CallKind(name) != "":
			return "Locator"
		}
		return ""
	}
	types := map[string]bool{}
	for _, i := range s.Idents[s.Text(r)] {
		if kind := declaredType(s, i); kind != "" && isVisible(s, i, r) {
			types[kind] = true
		}
	}
	for kind := range types {
		if len(types) == 1 && strings.Contains(" Page Frame Locator FrameLocator ", " "+kind+" ") {
			return kind
		}
	}
	return ""
}

// isVisible reports whether a name that is declared at token i can be the one at token r:
// both are in the same block, or r is in the body of the function whose parameter it is.
func isVisible(s *source.File, i, r int) bool {
	open := s.Parent[i]
	if open < 0 || s.IsTypeBody(open) || s.IsMember(i) {
		return true
	}
	if s.Text(open) == "{" {
		return s.SpanOf(open, s.End(open)).Contains(s.Tokens[r].Start)
	}
	for j, n := s.Next(open), 0; j < len(s.Tokens) && n < 12; j, n = s.Next(j), n+1 {
		if s.Text(j) == "{" {
			return s.SpanOf(open, s.End(j)).Contains(s.Tokens[r].Start)
		}
	}
	return true
}

// declaredType returns Playwright's type that the name at token i is declared with there,
// "" where it is not declared, and "?" where the declaration does not say its type.
func declaredType(s *source.File, i int) string {
	before, after := s.Text(i-1), s.Text(i+1)
	for _, kind := range []string{"Page", "Frame", "Locator", "FrameLocator"} {
		if before == kind || before == "I"+kind || s.Dialect.Scan == scan.Go && s.Text(i+2) == "." && s.Text(i+3) == kind && after == importedPlaywright(s) {
			return kind
		}
	}
	value := i + 1
	for s.Text(value) == "," && s.Kind(value+1) == scan.Ident { // Go's page, err :=
		value += 2
	}
	switch {
	case s.Text(value) == ":" && s.Text(value+1) == "=" && !s.IsMember(i):
		value += 2
	case s.Text(value) == "=" && before == "var":
		value++
	default:
		return ""
	}
	if end := s.ExpressionEnd(value); s.Text(end) == ")" && locator.Fold(s.Text(s.Callee(s.End(end)))) == "newpage" {
		return "Page"
	}
	return "?"
}
