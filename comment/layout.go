package comment

import (
	"strings"

	"github.com/breadcrumb/action/engine/text"
)

// section is a part of the text: entries between an opening and a closing. An
// entry is rendered only when there may be room for it, so that a run of ten
// thousand failures costs no more than what is shown of it.
type section struct {
	one, many   string // what one entry is called: "diff", "diffs"
	open, close string
	n           int
	entry       func(i int) string

	// extra is more text after entry i, "" for none. It gets room only when every
	// section has its entries. extraOne and extraMany name it when it is left out.
	extra               func(i int) string
	extraOne, extraMany string
}

// openEntries is how many entries of a section are shown; the rest is folded.
const openEntries = 10

// skip returns s without its first entries, its opening and closing and its
// extras.
func (s section) skip(first int) section {
	entry := s.entry
	s.open, s.close, s.extra = "", "", nil
	s.n = max(0, s.n-first)
	s.entry = func(i int) string { return entry(first + i) }
	return s
}

// take returns s with its entries before end.
func (s section) take(end int) section {
	s.n = min(s.n, end)
	return s
}

// folded splits s: its first openEntries entries, and a fold with the others.
func (s section) folded() []section {
	if s.n <= openEntries {
		return []section{s}
	}
	folded := s.skip(openEntries)
	folded.open, folded.close = foldOpen(text.Count(folded.n, "more "+s.one, "more "+s.many)), foldClose
	return []section{s.take(openEntries), folded}
}

// assemble joins head and the sections. Earlier sections get room first; what
// does not fit into the limit is left out, and the last line says what. Each
// entry that fits is rendered once, and no other.
func (p page) assemble(head string, sections []section) string {
	room := p.limit - len(head) - len(p.leftOut(omitEverything(sections)))
	texts := make([][]string, len(sections))
	for i, s := range sections {
		texts[i] = s.fit(&room)
	}
	var out omissions
	for i, s := range sections {
		out.count(s.n-len(texts[i]), s.one, s.many)
	}
	for i, s := range sections {
		out.count(s.fitExtras(texts[i], &room), s.extraOne, s.extraMany)
	}
	var b strings.Builder
	b.WriteString(head)
	for i, s := range sections {
		if len(texts[i]) == 0 {
			continue
		}
		b.WriteString(s.open)
		for _, t := range texts[i] {
			b.WriteString(t)
		}
		b.WriteString(s.close)
	}
	b.WriteString(p.leftOut(out))
	return b.String()
}

// fit returns the entries of s up to the first that does not fit into room. It
// takes their bytes, and those of the opening and closing, from room.
func (s section) fit(room *int) []string {
	left := *room - len(s.open) - len(s.close)
	var texts []string
	for i := range s.n {
		text := s.entry(i)
		if len(text) > left {
			break
		}
		left -= len(text)
		texts = append(texts, text)
	}
	if len(texts) > 0 {
		*room = left
	}
	return texts
}

// fitExtras appends to texts the extras that fit into room. It returns how many
// did not fit.
func (s section) fitExtras(texts []string, room *int) (lost int) {
	if s.extra == nil {
		return 0
	}
	for i := range texts {
		extra := s.extra(i)
		if len(extra) > *room {
			lost++
			continue
		}
		*room -= len(extra)
		texts[i] += extra
	}
	return lost
}

// omission is a number of entries of one kind that were left out.
type omission struct {
	n         int
	one, many string
}

type omissions []omission

// count counts n more entries of a kind as left out.
func (o *omissions) count(n int, one, many string) {
	if n <= 0 {
		return
	}
	for i := range *o {
		if (*o)[i].many == many {
			(*o)[i].n += n
			return
		}
	}
	*o = append(*o, omission{n, one, many})
}

// omitEverything returns the omissions of a text without any entry. No line that
// says what was left out is longer than the one about them.
func omitEverything(sections []section) omissions {
	var out omissions
	for _, s := range sections {
		out.count(s.n, s.one, s.many)
		if s.extra != nil {
			out.count(s.n, s.extraOne, s.extraMany)
		}
	}
	return out
}

// leftOut returns the last line, "" when nothing was left out.
func (p page) leftOut(out omissions) string {
	if len(out) == 0 {
		return ""
	}
	var what []string
	for _, o := range out {
		what = append(what, text.Count(o.n, o.one, o.many))
	}
	s := "\n**Left out for length:** " + text.List(what) + ". " + p.more
	if url := p.links.runPage(p.run.Info); url != "" {
		s += ": [open the run](" + url + ")"
	}
	return s + ".\n"
}

// newSection returns a section with an entry for each item, below what opens it.
func newSection[T any](one, many, open string, items []T, entry func(T) string) section {
	return section{one: one, many: many, open: open, n: len(items), entry: func(i int) string { return entry(items[i]) }}
}

// foldedSection returns a section that is one fold titled with its size.
func foldedSection[T any](one, many string, items []T, entry func(T) string) section {
	s := newSection(one, many, foldOpen(text.Count(len(items), one, many)), items, entry)
	s.close = foldClose
	return s
}

// foldedBlock returns body in a closed <details> block. The summary must be HTML made
// here: fixed words, numbers and htmlCode.
func foldedBlock(summary, body string) string {
	return foldOpen(summary) + body + foldClose
}

func foldOpen(summary string) string {
	return "\n<details>\n<summary>" + summary + "</summary>\n\n"
}

const foldClose = "\n</details>\n"
