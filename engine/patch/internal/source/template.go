package source

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Template is a text with holes: the texts before, between and after them.
type Template []string

// Matches reports whether title is the template with its holes filled.
func (p Template) Matches(title string) bool {
	if len(p) == 1 {
		return title == p[0]
	}
	rest, ok := strings.CutPrefix(title, p[0])
	if !ok {
		return false
	}
	for _, piece := range p[1 : len(p)-1] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, p[len(p)-1])
}

// TextLen returns how much text the template has besides its holes, in bytes.
func (p Template) TextLen() int { return len(strings.TrimSpace(strings.Join(p, ""))) }

// Holes returns the texts that have to fill the holes to give value.
func (p Template) Holes(value string) ([]string, bool) { return p.fill(value, "(.+?)") }

// fill is Holes with a regular expression for a hole.
func (p Template) fill(value, hole string) ([]string, bool) {
	quoted := make([]string, len(p))
	for i, piece := range p {
		quoted[i] = regexp.QuoteMeta(piece)
	}
	re, err := regexp.Compile("(?s)^" + strings.Join(quoted, hole) + "$")
	if err != nil || !re.MatchString(value) {
		return nil, false
	}
	return re.FindStringSubmatch(value)[1:], true
}

// ComposedOf returns the template of the argument that starts at token i: its
// literal pieces with holes for all else. It is nil for a plain literal or name.
func ComposedOf(s *File, i int) Template {
	var out Template
	first, hole := i, false
	for ; i < len(s.Tokens) && s.Text(i) != "," && (!s.Tokens[i].Closes || s.Kind(i) == scan.Chunk); i++ {
		switch value, ok := s.Literal(i); {
		case ok:
			out = out.add(placeholders.Split(value, -1), hole)
			hole = false
		case s.Kind(i) == scan.Chunk:
			out = out.add([]string{chunkText(s.Text(i), s.Tokens[i])}, hole || !s.Tokens[i].Opens)
			hole = false
		case s.Text(i) == "(" && formatters[locator.Fold(s.Text(i-1))]:
			hole = false
		case s.Text(i) == "+" || s.Text(i) == "(" || s.Text(i) == "await":
		case s.Text(i) == "[":
			i, hole = s.End(i), true
		default:
			hole = true
		}
	}
	if i-first <= 1 && len(out) <= 1 {
		return nil
	}
	if hole || len(out) == 1 {
		out = append(out, "")
	}
	return out
}

// add appends pieces: the first one behind a hole, or joined to the last piece.
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

// chunkText returns the text of a piece of an interpolated string.
func chunkText(text string, t scan.Token) string {
	if !t.Opens {
		text = strings.TrimPrefix(text, "}")
	} else if i := strings.IndexAny(text, "`'\""); i >= 0 {
		text = strings.TrimLeft(text[i:], "`'\"")
	}
	if t.Closes {
		return strings.TrimRight(text, "`'\"")
	}
	return strings.TrimRight(text, "${")
}

// placeholders are the holes in a format string.
var placeholders = lazyregexp.New(`%[a-z]|\{\w*\}`)

// formatters put values into the holes of their first argument.
var formatters = scan.WordSet("sprintf format formatted")
