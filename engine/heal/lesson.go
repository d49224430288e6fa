package heal

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// Lesson is what an accepted suggestion teaches: which element stands for the lost one
// from now on, and by which changes a person was told that it differs. It counts for
// the same lost element, whatever the test and its locator, and for nothing else: that
// one "staging" became "production" says nothing of another.
type Lesson struct {
	Lost, Found string          // signatures; see SignatureOf
	Changed     []engine.Change // what the person saw, all of it
	New         bool            // the word that came was new to the suite; see [Lesson.Judge]
}

// newWord marks a new lesson in its texts: an older version reads a change of nothing.
const newWord = "new word"

// LessonOf returns what accepting an event's edit teaches. It reports false
// where that is nothing: the elements are not known, or nothing tells them apart.
func LessonOf(e engine.HealEvent) (Lesson, bool) {
	if e.Outcome == engine.OutcomeRefused || e.Original.Tag == "" || e.Healed.Tag == "" || len(e.Changed) == 0 {
		return Lesson{}, false
	}
	return Lesson{Lost: SignatureOf(e.Original), Found: SignatureOf(e.Healed), Changed: e.Changed}, true
}

// Texts returns a lesson as two texts that ReadLesson reads: the lost element with
// what it said, and the one that stands for it with what it says.
func (l Lesson) Texts() (was, now string) {
	before, after := []string{l.Lost}, []string{l.Found}
	for _, c := range l.Changed {
		before, after = append(before, c.What, c.Was), append(after, c.What, c.Now)
	}
	if l.New {
		before, after = append(before, newWord, ""), append(after, newWord, "")
	}
	return listText(before), listText(after)
}

func listText(list []string) string {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings are always JSON
	}
	return string(text)
}

// ReadLesson reads the texts of a lesson. It reports false for any others.
func ReadLesson(was, now string) (Lesson, bool) {
	var before, after []string
	if json.Unmarshal([]byte(was), &before) != nil || json.Unmarshal([]byte(now), &after) != nil ||
		len(before) < 3 || len(before)%2 == 0 || len(before) != len(after) {
		return Lesson{}, false
	}
	l := Lesson{Lost: before[0], Found: after[0]}
	for i := 1; i < len(before); i += 2 {
		if before[i] != after[i] {
			return Lesson{}, false
		}
		if before[i] == newWord {
			l.New = true
			continue
		}
		l.Changed = append(l.Changed, engine.Change{What: before[i], Was: before[i+1], Now: after[i+1]})
	}
	return l, len(l.Changed) > 0
}

// words returns how a change of what an element is called differs in words; false for
// a change of anything else, and where words only went or came.
func words(c engine.Change) (wordDiff, bool) {
	d := diffWords(contentWords(c.Was), contentWords(c.Now))
	called := c.What == "name" || c.What == "text" || c.What == "label"
	return d, called && len(d.removed) > 0 && len(d.added) > 0
}

// useLessons keeps the lessons about the lost element. Where its old page has another
// element that says what the lesson put in its place, the lesson is not about this
// page: there the two are two.
func (q *reading) useLessons(all []Lesson, lost func() engine.Fingerprint) {
	if len(all) == 0 {
		return
	}
	signature := SignatureOf(lost())
	for _, l := range all {
		if l.Lost == signature && !slices.ContainsFunc(l.Changed, q.oldPageSays) {
			q.lessons = append(q.lessons, l)
		}
	}
}

// oldPageSays reports whether another element of the lost one's kind was called what a
// change says it is called now.
func (q *reading) oldPageSays(c engine.Change) bool {
	if _, called := words(c); !called {
		return false
	}
	return slices.ContainsFunc(q.old.ofKind[q.o.kind], func(i int32) bool {
		return i != q.oi && slices.ContainsFunc(q.old.sayings(i), func(s saying) bool {
			return diffWords(contentWords(s.text), contentWords(c.Now)).same()
		})
	})
}

// isAccepted reports whether a candidate is the element of a lesson, the only one of
// its name or in the row that the person was shown, and differs by nothing that the
// person was not told.
func (q *reading) isAccepted(ci int32, changes []engine.Change) bool {
	inRow := slices.ContainsFunc(changes, func(c engine.Change) bool { return c.What == ChangedRow && c.Now != "" })
	if len(q.lessons) == 0 || !inRow && len(q.page.equalsOf(ci)) > 1 {
		return false
	}
	signature := SignatureOf(q.page.Written(int(ci)))
	return slices.ContainsFunc(q.lessons, func(l Lesson) bool {
		return l.Found == signature && !slices.ContainsFunc(changes, func(c engine.Change) bool { return !l.tells(c) })
	})
}

// tells reports whether a change is one of a lesson's.
func (l Lesson) tells(c engine.Change) bool {
	same := func(a, b string) bool {
		return strings.Join(contentWords(a), " ") == strings.Join(contentWords(b), " ")
	}
	return slices.ContainsFunc(l.Changed, func(k engine.Change) bool { return k.What == c.What && same(k.Was, c.Was) && same(k.Now, c.Now) })
}
