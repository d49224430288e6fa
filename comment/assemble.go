package comment

import (
	"strings"

	"github.com/breadcrumb/action/engine/text"
)

// section is a part of the text: entries between an opening and a closing. The
// text of an entry is made only when there may be room for it, so that a run of
// ten thousand failures costs no more than what is shown of it.
type section struct {
	one, many   string // what one entry is called: "diff", "diffs"
	open, close string
	n           int
	entry       func(i int) string

	// extra is a further text after entry i, "" for none. It gets room after
	// everything else, and is called extraMany when left out.
	extra               func(i int) string
	extraOne, extraMany string
}

// openEntries is how many entries of a section stand open; the rest is folded.
const openEntries = 10

// from returns the part of s from entry first on, without a frame and extras.
func (s section) from(first int) section {
	entry := s.entry
	s.open, s.close, s.extra = "", "", nil
	s.n = max(0, s.n-first)
	s.entry = func(i int) string { return entry(first + i) }
	return s
}

// to returns the part of s before entry end.
func (s section) to(end int) section {
	s.n = min(s.n, end)
	return s
}

// folding returns s with its first openEntries entries open and the others
// folded.
func (s section) folding() []section {
	if s.n <= openEntries {
		return []section{s}
	}
	folded := s.from(openEntries)
	folded.open, folded.close = foldOpen(text.Count(folded.n, "more "+s.one, "more "+s.many)), foldClose
	return []section{s.to(openEntries), folded}
}

// assemble returns head and the sections, each as far as it fits into the limit,
// earlier ones first, and a last line that says what was left out. It looks at
// every entry that fits once and at no other.
func (p page) assemble(head string, sections []section) string {
	room := p.limit - len(head) - len(p.leftOut(everything(sections)))
	texts := make([][]string, len(sections))
	for i, s := range sections {
		texts[i] = s.fit(&room)
	}
	var out omissions
	for i, s := range sections {
		out.add(s.n-len(texts[i]), s.one, s.many)
	}
	for i, s := range sections {
		out.add(s.fitExtras(texts[i], &room), s.extraOne, s.extraMany)
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

// fit returns the entries of s that fit into room, in order up to the first that
// does not, and takes their bytes and those of the section's frame from room.
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

// fitExtras appends to texts the extras that fit into room and returns how many
// of the entries that are there lost theirs.
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

// add counts n more entries of a kind as left out.
func (o *omissions) add(n int, one, many string) {
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

// everything returns the omissions of a text that has no entry at all: no line
// about them can be longer.
func everything(sections []section) omissions {
	var out omissions
	for _, s := range sections {
		out.add(s.n, s.one, s.many)
		if s.extra != nil {
			out.add(s.n, s.extraOne, s.extraMany)
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
