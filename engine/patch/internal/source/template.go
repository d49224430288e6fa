package source

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// Template is a title with holes: what stands before, between and after them.
type Template []string

// Matches reports whether title is the template with something in its holes.
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

// HasText reports whether the template has any text of its own.
func (p Template) HasText() bool { return strings.TrimSpace(strings.Join(p, "")) != "" }

// Holes returns what stands in the holes of a template that makes value.
func (p Template) Holes(value string) ([]string, bool) {
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

// IsTelling reports whether a template has enough text of its own to say that it
// matches.
func (p Template) IsTelling() bool {
	return len(strings.TrimSpace(strings.Join(p, ""))) > 1
}

// ComposedOf returns what the argument that begins at token i is put together of:
// its literal pieces with holes between. A plain literal or name is one piece.
func ComposedOf(s *File, i int) Template {
	var said Template
	first, hole := i, false
	for ; i < len(s.Tokens) && s.Text(i) != "," && (!s.Tokens[i].Closes || s.Kind(i) == scan.Chunk); i++ {
		switch value, ok := s.Literal(i); {
		case ok:
			said = said.add(placeholders.Split(value, -1), hole)
			hole = false
		case s.Kind(i) == scan.Chunk:
			said = said.add([]string{chunkText(s.Text(i), s.Tokens[i])}, hole || !s.Tokens[i].Opens)
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

// placeholders are the holes in a format string.
var placeholders = regexp.MustCompile(`%[a-z]|\{\w*\}`)

// formatters put values into the holes of their first argument.
var formatters = scan.WordSet("sprintf format")
