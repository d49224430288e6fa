package heal

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// What can change of an element's meaning.
const (
	ChangedIcon    = "icon"
	ChangedRow     = "row"
	ChangedSection = "section"
	ChangedPage    = "page"
	ChangedRole    = "role"
)

// sense says how what two elements say compares.
type sense int

const (
	senseSame    sense = iota // the same words, or the same picture where there are none
	senseSilent               // neither says anything
	senseChanged              // other words, more or fewer
)

// meaning is what a candidate means beside what the lost element meant.
type meaning struct {
	said      bool // what the lost element said, whatever control says it
	sense     sense
	proof     string // the attribute that proves identity whatever it says
	leads     string // the attribute by which it leads where the lost element led
	told      bool   // told apart from its equals, if it has any
	elsewhere bool   // on another page, in another row or section
	login     bool   // at a login that was not there
	accepted  bool   // a person took it for the lost element as it is; see [Lesson]
	changes   []engine.Change
}

// reading compares the meaning of a query's candidates with that of its lost
// element.
type reading struct {
	*query
	sayings  []saying           // of the lost element
	varies   []string           // words of it that differ from run to run
	lessons  []Lesson           // about it
	synonyms []Synonym          // that both pages bear out
	asked    []engine.AskedText // see Options
	anyPage  bool               // see Options
	home     *home              // of the lost element, by homeOf
	known    map[int32]meaning  // of candidates that were compared
}

func newReading(q *query) *reading {
	return &reading{query: q, sayings: q.old.sayings(q.oi), known: map[int32]meaning{}}
}

// meaningOf compares what a candidate means with what the lost element meant.
func (q *reading) meaningOf(ci int32) meaning {
	m, known := q.known[ci]
	if !known {
		m = q.compareMeaning(ci)
		q.known[ci] = m
	}
	return m
}

func (q *reading) compareMeaning(ci int32) meaning {
	m := meaning{proof: q.provenBy(ci), leads: q.leadsTo(ci)}
	m.sense, m.changes = q.compareSayings(ci)
	m.said = m.sense == senseSame
	for _, compare := range [...]func(int32) (engine.Change, bool){q.compareKinds, q.compareAsked} {
		if change, other := compare(ci); other && m.sense != senseChanged {
			m.sense, m.changes = senseChanged, append(m.changes, change)
		}
	}
	q.compareSurroundings(&m, ci)
	m.accepted = !m.login && q.isAccepted(ci, m.changes)
	return m
}

// compareSurroundings compares what a candidate belongs to.
func (q *reading) compareSurroundings(m *meaning, ci int32) {
	if q.align == nil {
		m.told = q.o.sameName < 2 && q.newSameName < 2 || q.sameAround(ci)
		q.compareAskedAround(m, ci)
		return
	}
	q.comparePages(m, ci)
	q.compareRows(m, ci)
	if !m.elsewhere {
		q.compareSections(m, ci)
	}
	if !m.elsewhere {
		q.compareAskedAround(m, ci)
	}
	if !m.told && !m.elsewhere {
		m.told = m.proof != "" || m.leads != "" || q.hookedBy(ci) != ""
	}
}

// sameAround reports whether the text around a candidate is that around the lost
// element and around none of the candidate's equals, where nothing but the lost
// element's fingerprint is known.
func (q *reading) sameAround(ci int32) bool {
	around := &q.old.phrases[q.o.around]
	as := func(j int32) bool { return around.equal(&q.page.phrases[q.page.nodes[j].around]) }
	return around.text != "" && as(ci) &&
		!slices.ContainsFunc(q.page.equalsOf(ci), func(j int32) bool { return j != ci && as(j) })
}

// Evidence says what speaks for a candidate beside its likeness. The same raw
// confidence is right less often where there is less of it, and only the first two
// kinds are enough to heal.
type Evidence int

// What a candidate says beside what the lost element said; see [Page].
const (
	EvidenceSame      Evidence = iota // the same, and its surroundings tell it apart from its equals
	EvidenceSilent                    // both say nothing, but something ties the one to the other
	EvidenceUntold                    // the same, and nothing but place tells it apart from its equals
	EvidenceChanged                   // something else
	EvidenceElsewhere                 // anything, on another page, in another row or section
	Evidences         = 5
)

// String returns the name of a kind of evidence.
func (e Evidence) String() string {
	return [...]string{"same", "silent", "untold", "changed", "elsewhere"}[e]
}

// evidence returns what kind of evidence a meaning is.
func (m *meaning) evidence() Evidence {
	switch {
	case m.elsewhere:
		return EvidenceElsewhere
	case m.sense == senseChanged:
		return EvidenceChanged
	case !m.told:
		return EvidenceUntold
	case m.sense == senseSilent:
		return EvidenceSilent
	}
	return EvidenceSame
}

// doubt returns the reason not to heal, "" for none.
func (m *meaning) doubt() string {
	switch {
	case m.accepted:
		return ""
	case m.elsewhere && m.changes[len(m.changes)-1].What == ChangedPage:
		return engine.ReasonOtherPage
	case m.elsewhere, m.sense == senseChanged && m.proof == "":
		return engine.ReasonOtherMeaning
	case !m.told && m.proof == "":
		return engine.ReasonNotToldApart
	}
	return ""
}

// compareKinds reports a link that led somewhere and became another control, which
// may do anything.
func (q *reading) compareKinds(ci int32) (engine.Change, bool) {
	href, _ := q.old.elements[q.oi].Attributes.Get("href")
	if q.o.kind != kindLink || q.page.nodes[ci].kind != kindButton || !isTarget(href) {
		return engine.Change{}, false
	}
	return engine.Change{What: ChangedRole, Was: "link", Now: "button"}, true
}

// compareSayings compares the words of two elements: what they are called decides,
// and nothing else that both say may have been replaced.
func (q *reading) compareSayings(ci int32) (sense, []engine.Change) {
	olds, nows := q.sayings, q.page.sayings(ci)
	if len(olds) == 0 && len(nows) == 0 {
		return q.compareSilent(ci)
	}
	if len(olds) > 0 && len(nows) > 0 && olds[0].what == whatOptions && nows[0].what == whatOptions {
		if q.diffSaid(olds[0].text, nows[0].text).replaced() {
			return senseChanged, []engine.Change{{What: whatOptions, Was: olds[0].text, Now: nows[0].text}}
		}
		return q.compareSilent(ci)
	}
	was, is := first(olds).text, first(nows).text
	if len(olds) == 0 || len(nows) == 0 {
		return senseChanged, []engine.Change{{What: first(olds, nows).what, Was: was, Now: is}}
	}
	if !q.diffSaid(was, is).same() && !q.shareSaying(olds, nows) {
		return senseChanged, []engine.Change{{What: olds[0].what, Was: was, Now: is}}
	}
	for _, s := range olds[1:] {
		i := slices.IndexFunc(nows, func(t saying) bool { return t.what == s.what })
		if i < 0 || s.what == "text" && len(contentWords(s.text)) > maxSaying {
			continue
		}
		if q.diffSaid(s.text, nows[i].text).replaced() {
			return senseChanged, []engine.Change{{What: s.what, Was: s.text, Now: nows[i].text}}
		}
	}
	if old, now := q.old.iconOf(q.oi), q.page.iconOf(ci); compareIcons(old, now) == iconOther && hasKind(old, "class:") {
		return senseChanged, []engine.Change{{What: ChangedIcon, Was: strings.Join(old, " "), Now: strings.Join(now, " ")}}
	}
	return senseSame, nil
}

// diffSaid is diff of what two elements say: words that a lesson about the lost element
// put in the place of others are the same, and so are synonyms. What is around it the lesson says nothing of.
func (q *reading) diffSaid(was, is string) wordDiff {
	d := q.diff(was, is)
	if len(q.lessons) > 0 && !d.same() && q.taught(d) {
		return wordDiff{}
	}
	if !d.same() && q.synonymous(was, is) {
		return wordDiff{}
	}
	return d
}

// taught reports whether a lesson put the words that came in the place of those that
// went.
func (q *reading) taught(d wordDiff) bool {
	return slices.ContainsFunc(q.lessons, func(l Lesson) bool {
		return slices.ContainsFunc(l.Changed, func(c engine.Change) bool {
			known, called := words(c)
			return called && slices.Equal(known.removed, d.removed) && slices.Equal(known.added, d.added)
		})
	})
}

// diff compares two texts as this suite understands them: words that differ from
// run to run may be any others.
func (q *reading) diff(was, is string) wordDiff {
	if was == is {
		return wordDiff{}
	}
	d := diffWords(contentWords(was), contentWords(is))
	if d.same() || len(q.varies) == 0 {
		return d
	}
	varying := len(d.removed) > 0 && !slices.ContainsFunc(d.removed, func(w string) bool { return !slices.Contains(q.varies, w) })
	if varying && len(d.added) <= 2*len(d.removed) {
		return wordDiff{}
	}
	return d
}

// shareSaying reports whether the name of one side is another text of the other
// side: a text that became a label, say.
func (q *reading) shareSaying(olds, nows []saying) bool {
	return slices.ContainsFunc(nows, func(s saying) bool { return q.diffSaid(olds[0].text, s.text).same() }) &&
		slices.ContainsFunc(olds, func(s saying) bool { return q.diffSaid(s.text, nows[0].text).same() })
}

// compareSilent compares two elements without words by their pictures.
func (q *reading) compareSilent(ci int32) (sense, []engine.Change) {
	old, now := q.old.iconOf(q.oi), q.page.iconOf(ci)
	switch compareIcons(old, now) {
	case iconSame:
		return senseSame, nil
	case iconOther:
		return senseChanged, []engine.Change{{What: ChangedIcon, Was: strings.Join(old, " "), Now: strings.Join(now, " ")}}
	}
	if was, is := q.otherHook(ci); was != "" {
		return senseChanged, []engine.Change{{What: "id", Was: was, Now: is}}
	}
	return senseSilent, nil
}

// otherHook returns an id, name or test id of the lost element and of a candidate
// where only a part of it was replaced: billing_zip and shipping_zip. A wholly other
// one says nothing.
func (q *reading) otherHook(ci int32) (was, is string) {
	now := q.page.elements[ci].Attributes
	for _, a := range q.old.elements[q.oi].Attributes {
		if v, ok := now.Get(a.Name); ok && hookNames(a.Name) {
			before, after := hookParts(a.Value), hookParts(v)
			if d := diffWords(before, after); len(d.removed) > 0 && len(d.added) > 0 && len(d.removed) < len(before) {
				return a.Value, v
			}
		}
	}
	return "", ""
}
