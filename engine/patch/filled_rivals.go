package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// refuseRivals refuses a text that fills the old locator when the functions may have been
// handed the same from another place, when the test does something else with the text, or
// when it is not known what the locator is looked for in.
func (s *scope) refuseRivals(x hit, placement float64, all searchResult) error {
	text, _ := x.in.Literal(x.literal)
	if x.receiver == calls.Unsure {
		return fmt.Errorf("what %s is looked for in cannot be told at line %d of %s", quoteOld(s.change), x.callIn.LineOf(x.Call), x.callIn.Name())
	}
	for _, m := range all.misses {
		if other, _ := m.in.Literal(m.token); other == text && s.mayRun(m.in, m.token) && mayBeHandedOn(m) {
			return fmt.Errorf("%q stands at line %d of %s, and at line %d of %s it may be the same", source.Printable(text), x.line(), x.in.Name(), m.line(), m.in.Name())
		}
	}
	where := s.mayRun
	if placement == placementSite {
		where = func(in *source.File, token int) bool { return in == s.siteFile && in.LineOf(token) == s.site.Line }
	}
	if rival, ok := s.handsUnknown(x, where); ok {
		return fmt.Errorf("%q stands at line %d of %s, and what is handed over at line %d of %s may be the same", source.Printable(text), x.line(), x.in.Name(), rival.line(), rival.in.Name())
	}
	if s.site != nil {
		return nil
	}
	composed := slices.Concat(all.ownCompeting, all.sharedCompeting, s.composedElsewhere(all.searched))
	return s.refuseCompeting(x, filterPlaces(composed, func(m miss) bool {
		return !slices.Contains(x.handed, callAt{m.in, m.token})
	}))
}

// mayRun reports whether the test may run the code at a token.
func (s *scope) mayRun(in *source.File, token int) bool {
	if slices.Contains(s.tests, in) {
		return !s.testBodies(in, true).InOther(in.Tokens[token].Start)
	}
	mayRun := s.runs()
	return mayRun == nil || mayRun(in, token)
}

// mayBeHandedOn reports whether a literal of the same text may come to the functions all the
// same, or is data of the test: it does not, where it is looked for by itself, only compared
// or told, or the name of something.
func mayBeHandedOn(m miss) bool {
	open := m.in.Parent[m.token]
	if m.why != calls.OutsideCall {
		return true
	}
	if _, why := calls.ArgumentOf(m.in, m.token); why == calls.NoObstacle {
		return false
	}
	c := m.in.Callee(open)
	return c < 0 || !assertions.MatchString(locator.Fold(m.in.Text(c))) && !calls.IsLogged(m.in, open)
}

// maxRivals bounds the functions whose calls are looked at.
const maxRivals = 16

// handsUnknown returns a call, at a place that counts, of one of the functions which hand the
// text on, where an argument of it is not known.
func (s *scope) handsUnknown(x hit, counts func(in *source.File, token int) bool) (miss, bool) {
	var names []string
	for _, u := range x.via {
		names = append(names, u.in.Text(u.in.Callee(u.open)))
	}
	for n := 0; n < len(names) && n < maxRivals; n++ {
		for _, file := range s.filesNaming(names[n]) {
			in, err := s.tree.Load(file)
			if err != nil {
				continue
			}
			for _, i := range in.Idents[names[n]] {
				unknown, through := unknownArgument(in, i)
				switch {
				case unknown < 0 || slices.Contains(x.via, callAt{in, i + 1}) || !counts(in, i):
				case through == "":
					return miss{in, unknown, calls.OutsideCall}, true
				case !slices.Contains(names, through):
					names = append(names, through)
				}
			}
		}
	}
	return miss{}, false
}

// filesNaming returns the files of the test and those that it reaches that have a name.
func (s *scope) filesNaming(name string) []string {
	var files []string
	for _, test := range s.tests {
		files = append(files, s.tree.ReachableFrom(test.Path)...)
	}
	slices.Sort(files)
	return s.tree.FilesNaming(slices.Compact(files), name)
}

// unknownArgument returns the first token of an argument of the call whose name is token i
// that is no literal and may be a text, -1 for none. through is the function that takes it as
// a parameter of its own and hands it on.
func unknownArgument(in *source.File, i int) (at int, through string) {
	open := i + 1
	if in.Text(open) != "(" || values.IsFunction(in, i) {
		return -1, ""
	}
	for first := open + 1; first < in.End(open); {
		last := first
		for in.Next(last) < in.End(open) && in.Text(in.Next(last)) != "," {
			last = in.Next(last)
		}
		end := in.Next(last)
		if at := first + keyLength(in, first); !isKnown(in, at, end-1) {
			return at, values.FunctionTaking(in, at)
		}
		first = end + 1
	}
	return -1, ""
}

// keyLength returns how many tokens name an argument: name: "x", name="x".
func keyLength(in *source.File, first int) int {
	if sign := in.Text(first + 1); in.Kind(first) == scan.Ident && (sign == ":" || sign == "=" && in.Text(first+2) != "=") {
		return 2
	}
	return 0
}

// isKnown reports whether the tokens from first to last are a literal, a number or a constant
// of the language, a constant by the habit of its name, a page, or no text at all.
func isKnown(in *source.File, first, last int) bool {
	if _, ok := in.Literal(last); ok && first == last {
		return true
	}
	name := in.Text(last)
	if in.Kind(last) != scan.Ident || in.Leftmost(last) != first {
		return isPlainObject(in, first, last)
	}
	folded := locator.Fold(name)
	return name == strings.ToUpper(name) || folded == "true" || folded == "false" || folded == "null" || folded == "none" || folded == "nil" ||
		strings.HasSuffix(folded, "page") || strings.HasSuffix(folded, "frame") || in.Text(first) == "AriaRole"
}

// isPlainObject reports whether the tokens from first to last are an object with no names but
// those of its entries and of the language: { exact: true }.
func isPlainObject(in *source.File, first, last int) bool {
	if in.Text(first) != "{" || in.End(first) != last {
		return false
	}
	for i := first + 1; i < last; i++ {
		if word := in.Text(i); in.Kind(i) == scan.Ident && in.Text(i+1) != ":" && word != "true" && word != "false" {
			return false
		}
	}
	return true
}

// needlesOf returns the texts of which a file has one that hands a text over which fills the old
// locator: what fills the composition on the line of the site. They are none where that is
// not known.
func (s *scope) needlesOf() []string {
	if !s.change.filled {
		return []string{s.change.searchNeedle()}
	}
	if s.site == nil || s.siteFile == nil {
		return nil
	}
	var needles []string
	for _, made := range composersIn(s.siteFile) {
		for _, old := range s.change.olds() {
			holes, ok := made.made.Holes(old)
			if !ok || !s.siteFile.HasLine(s.siteFile.Statement(made.open), s.site.Line) {
				continue
			}
			for _, hole := range holes {
				needles = append(needles, longestWord(hole))
			}
		}
	}
	slices.Sort(needles)
	return slices.DeleteFunc(slices.Compact(needles), func(needle string) bool { return needle == "" })
}

// filesWith returns those of the files that have one of the texts.
func (s *scope) filesWith(files, texts []string) []string {
	var out []string
	for _, text := range texts {
		for _, file := range s.tree.FilesWith(files, text) {
			if !slices.Contains(out, file) {
				out = append(out, file)
			}
		}
	}
	return out
}
