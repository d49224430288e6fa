package patch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// rival is a place beside a hit that may be what raised the heal: a locator
// call whose argument is computed and could say the old value, or the old value
// handed to a function that may look for it.
type rival struct {
	in    *source
	token int
	why   misfit
}

func (r rival) line() int { return r.in.lineOf(r.token) }

const computes misfit = "computed"

// rivals returns the places of s, with the misses of its search, that may have
// raised the heal as well as a hit.
func (s *source) rivals(c change, misses []miss) []rival {
	var out []rival
	for _, m := range misses {
		if s.mayLookFor(m, c) {
			out = append(out, rival{s, m.token, m.why})
		}
	}
	for open := range s.tokens {
		if s.at(open) == "(" && s.end(open) != open && s.mayCompute(open, c) {
			out = append(out, rival{s, open, computes})
		}
	}
	return out
}

// finders are what the names of people's own functions that take a locator
// hold, folded.
var finders = regexp.MustCompile(`click|tap|press|hover|fill|type|check|find|get|locat|element|select|wait|by[a-z]|visible|button|link`)

// assertions are calls that compare with a value; their argument finds nothing.
var assertions = regexp.MustCompile(`^(?:to|be|have|contain|expect|assert|equal|is|should|that|include|match|describe|test|it|step)`)

// mayLookFor reports whether an equal literal that is in no locator call may
// be looked for: one branch of a locator call, or the argument of a function
// of the project's own that gets a selector.
func (s *source) mayLookFor(m miss, c change) bool {
	switch m.why {
	case chosen, formatted, alsoElsewhere, compiled:
		return true
	case elsewhere:
	default:
		return false
	}
	open := s.parent[m.token]
	if open < 0 || s.at(open) != "(" || s.callee(open) < 0 {
		return false
	}
	name := locator.Fold(s.at(s.callee(open)))
	switch {
	case locator.CallKind(name) != "", assertions.MatchString(name), pageMethods[name]:
		return false
	case valueMethods[name] && (s.argument(open, m.token) > 0 || s.arguments(open) < 2):
		return false
	}
	if c.isSelector() && strings.ContainsAny(c.old.Value, "#.[/>:=") {
		return true
	}
	return finders.MatchString(name)
}

func (c change) isSelector() bool {
	return c.old.Kind == locator.KindCSS || c.old.Kind == locator.KindXPath
}

// mayCompute reports whether the call at open is a locator call of the
// change's kind whose argument is put together and could say the old value.
func (s *source) mayCompute(open int, c change) bool {
	kind := s.takes(open, 0)
	if kind == "" || kind != c.old.Kind && kind != locator.KindCSS {
		return false
	}
	said := s.madeOf(open + 1)
	if len(said) < 2 || !said.tells() {
		return false
	}
	for _, value := range []string{c.old.Value, c.old.Raw, c.whole} {
		if holes, ok := said.holes(value); ok && s.mayFill(holes) {
			return true
		}
	}
	return false
}

// holes returns what stands in the holes of a template that makes value.
func (p Template) holes(value string) ([]string, bool) {
	quoted := make([]string, len(p))
	for i, piece := range p {
		quoted[i] = regexp.QuoteMeta(piece)
	}
	re, err := regexp.Compile("(?s)^" + strings.Join(quoted, "(.+?)") + "$")
	if err != nil {
		return nil, false
	}
	m := re.FindStringSubmatch(value)
	if m == nil {
		return nil, false
	}
	return m[1:], true
}

// mayFill reports whether s could put these texts into holes: numbers are
// counted up anywhere, other text has to come from a string of the file.
func (s *source) mayFill(holes []string) bool {
	for _, hole := range holes {
		if strings.Trim(hole, "0123456789") != "" && !s.says(hole) {
			return false
		}
	}
	return true
}

// says reports whether a string literal of the file says text.
func (s *source) says(text string) bool {
	return slices.ContainsFunc(s.tokens, func(t scan.Token) bool {
		return t.Kind == scan.String && t.Lit.Decoded && t.Lit.Value == text
	})
}

// placeholders are the holes in a format string.
var placeholders = regexp.MustCompile(`%[a-z]|\{\w*\}`)

// formatters put values into the holes of their first argument.
var formatters = names("sprintf format")

// madeOf returns what the argument that begins at token i is put together of:
// its literal pieces with holes between. A plain literal or name is one piece.
func (s *source) madeOf(i int) Template {
	var said Template
	first, hole := i, false
	for ; i < len(s.tokens) && s.at(i) != "," && (!s.tokens[i].Closes || s.kind(i) == scan.Chunk); i++ {
		switch value, ok := s.literal(i); {
		case ok:
			said = said.add(placeholders.Split(value, -1), hole)
			hole = false
		case s.kind(i) == scan.Chunk:
			said = said.add([]string{chunkText(s.at(i), s.tokens[i])}, hole || !s.tokens[i].Opens)
			hole = false
		case s.at(i) == "(" && formatters[locator.Fold(s.at(i-1))]:
			hole = false
		case s.at(i) == "+" || s.at(i) == "(" || s.at(i) == "await":
		case s.at(i) == "[":
			i, hole = s.end(i), true
		default:
			hole = true
		}
	}
	if i-first <= 1 && len(said) <= 1 {
		return nil
	}
	if hole || len(said) == 1 {
		said = append(said, "")
	}
	return said
}

// add appends pieces, the first behind a hole or joined to what stands there.
func (p Template) add(pieces []string, hole bool) Template {
	switch {
	case len(p) == 0 && hole:
		p = Template{""}
	case len(p) > 0 && !hole:
		p[len(p)-1] += pieces[0]
		pieces = pieces[1:]
	}
	return append(p, pieces...)
}

// tells reports whether a template has enough text of its own to say that it
// matches.
func (p Template) tells() bool {
	return len(strings.TrimSpace(strings.Join(p, ""))) > 1
}

// chunkText returns the text of a piece of an interpolated string.
func chunkText(text string, t scan.Token) string {
	if t.Opens {
		if i := strings.IndexAny(text, "`'\""); i >= 0 {
			text = strings.TrimLeft(text[i:], "`'\"")
		}
		return strings.TrimRight(text, "${")
	}
	text = strings.TrimPrefix(text, "}")
	if t.Closes {
		return strings.TrimRight(text, "`'\"")
	}
	return strings.TrimRight(text, "${")
}

// contested says why a hit must not be edited beside its rivals.
func (s *scope) contested(x hit, rivals []rival) error {
	i := slices.IndexFunc(rivals, func(r rival) bool { return r.in == x.in && r.token != x.call || r.in != x.in })
	if i < 0 {
		return nil
	}
	r := rivals[i]
	if r.why == computes {
		return fmt.Errorf("%s stands at line %d of %s, and what is computed at line %d of %s may say it too",
			quoted(s.change), x.line(), shown(x.in.path), r.line(), shown(r.in.path))
	}
	return fmt.Errorf("%s stands at line %d of %s, and at line %d of %s %s",
		quoted(s.change), x.line(), shown(x.in.path), r.line(), shown(r.in.path), r.why)
}

// elsewhereOnSite says why the heal came from the site itself, where there is
// nothing to edit.
func (s *source) elsewhereOnSite(site engine.Site, rivals []rival, c change) error {
	for _, r := range rivals {
		first, last := r.line(), r.line()
		if r.why == computes {
			at := s.statement(r.token)
			first, last = s.line(at.start), s.line(at.end-1)
		}
		switch {
		case site.Line < first || site.Line > last:
		case r.why == computes:
			return fmt.Errorf("%s is computed at line %d of %s", quoted(c), r.line(), shown(s.path))
		default:
			return fmt.Errorf("%s stands at line %d of %s %s", quoted(c), r.line(), shown(s.path), r.why)
		}
	}
	return nil
}
