package heal

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
)

// Synonym says that in one suite a word became another that means the same.
type Synonym struct{ Was, Now string }

// synonymElements is for how many different elements people must have accepted a word.
const synonymElements = 2

// Synonyms returns the words that people accepted in the place of others for at least
// two different elements, so that they count in the whole suite; said are the texts of
// its lessons, see [Lesson.Texts] and [Apart]. A word that any other learned element says
// is a name of its own and no synonym. learned returns the learned elements and whether
// they are all; it is asked only where the answer may be some.
func Synonyms(said [][2]string, learned func() (list []engine.Fingerprint, all bool, err error)) ([]Synonym, error) {
	var lessons []Lesson
	apart := map[Synonym]bool{}
	for _, s := range said {
		if l, ok := ReadLesson(s[0], s[1]); ok {
			lessons = append(lessons, l)
		} else if a, ok := readApart(s[0], s[1]); ok {
			apart[a], apart[Synonym{a.Now, a.Was}] = true, true
		}
	}
	pairs := acceptedPairs(lessons)
	pairs = slices.DeleteFunc(pairs, func(s Synonym) bool { return apart[s] || !s.isName() || !s.isAlone(lessons) })
	if len(pairs) == 0 {
		return nil, nil
	}
	list, all, err := learned()
	if err != nil || !all {
		return nil, err
	}
	return slices.DeleteFunc(pairs, func(s Synonym) bool { return s.isKnown(list, lessons, false) }), nil
}

// Apart returns the texts of a lesson by which a person says that the words of a change
// are no synonyms, as [Synonyms] reads them; false where no one word became another.
func (l Lesson) Apart() (was, now string, ok bool) {
	s, ok := l.pair()
	if !ok {
		return "", "", false
	}
	return listText([]string{s.Was}), listText([]string{s.Now}), true
}

func readApart(was, now string) (Synonym, bool) {
	var before, after []string
	if json.Unmarshal([]byte(was), &before) != nil || json.Unmarshal([]byte(now), &after) != nil || len(before) != 1 || len(after) != 1 {
		return Synonym{}, false
	}
	return Synonym{before[0], after[0]}, true
}

// Judge returns a lesson that is about to be kept with New set where its word was new to
// the suite: no learned element or its surroundings said it, but those that earlier
// lessons of the same word put there.
func (l Lesson) Judge(earlier []Lesson, learned []engine.Fingerprint) Lesson {
	s, ok := l.pair()
	l.New = ok && !s.isKnown(learned, earlier, !slices.ContainsFunc(earlier, s.isTaughtBy))
	return l
}

// pair returns the one word that became another in what an element is called, at the same
// place; false where anything else changed, too.
func (l Lesson) pair() (Synonym, bool) {
	var pair Synonym
	for _, c := range l.Changed {
		if _, called := words(c); !called {
			return Synonym{}, false
		}
		s, ok := oneReplaced(contentWords(c.Was), contentWords(c.Now))
		if !ok || pair != (Synonym{}) && pair != s {
			return Synonym{}, false
		}
		pair = s
	}
	return pair, pair != (Synonym{})
}

// oneReplaced returns the word that is another in the second list, where that is one and
// it stands beside no number: then it may be a unit.
func oneReplaced(old, now []string) (Synonym, bool) {
	if len(old) != len(now) {
		return Synonym{}, false
	}
	at := -1
	for i := range old {
		if old[i] == now[i] {
			continue
		}
		if at >= 0 {
			return Synonym{}, false
		}
		at = i
	}
	counts := func(i int) bool {
		return i >= 0 && i < len(old) && strings.IndexFunc(old[i], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) >= 0
	}
	if at < 0 || counts(at-1) || counts(at+1) {
		return Synonym{}, false
	}
	return Synonym{old[at], now[at]}, true
}

// isTaughtBy reports whether a lesson put the word, new to the suite, in the other's place.
func (s Synonym) isTaughtBy(l Lesson) bool {
	p, ok := l.pair()
	return ok && l.New && p == s
}

// acceptedPairs returns the words that new lessons teach for enough different elements.
func acceptedPairs(lessons []Lesson) []Synonym {
	lost, found := map[Synonym]map[string]bool{}, map[Synonym]map[string]bool{}
	var pairs []Synonym
	for _, l := range lessons {
		s, ok := l.pair()
		if !ok || !l.New {
			continue
		}
		if lost[s] == nil {
			lost[s], found[s] = map[string]bool{}, map[string]bool{}
			pairs = append(pairs, s)
		}
		lost[s][l.Lost], found[s][l.Found] = true, true
	}
	return slices.DeleteFunc(pairs, func(s Synonym) bool { return len(lost[s]) < synonymElements || len(found[s]) < synonymElements })
}

// isAlone reports whether no lesson puts either word in the place of a third, or a third
// in theirs, or turns them round: such words are not two names of one thing.
func (s Synonym) isAlone(lessons []Lesson) bool {
	return !slices.ContainsFunc(lessons, func(l Lesson) bool {
		p, ok := l.pair()
		return ok && p != s && (p.Was == s.Was || p.Now == s.Now || p.Was == s.Now || p.Now == s.Was)
	})
}

// minName is how many letters a word needs to be a name, so that particles are none.
const minName = 3

// isName reports whether both words are names of things: of letters, of a script that
// writes words apart, neither a part of the other as with a prefix that negates, and no
// words of quantity or negation.
func (s Synonym) isName() bool {
	for _, w := range [...]string{s.Was, s.Now} {
		if utf8.RuneCountInString(w) < minName || countingWords[w] ||
			strings.ContainsFunc(w, func(r rune) bool { return unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			return false
		}
	}
	return !strings.Contains(s.Was, s.Now) && !strings.Contains(s.Now, s.Was)
}

// countingWords are words of quantity and of negation, which make nothing a synonym;
// they only ever forbid one.
var countingWords = wordSet(`all any both each either every few half many more most much neither never none nobody nothing not
	only several single some without except first last next previous one two three four five six seven eight nine ten
	hour hours day days week weeks month months year years minute minutes second seconds
	alle allen alles beide jede jeder jedes kein keine keinen keiner nicht nichts nie niemals nur ohne einige manche viele wenige erste letzte einzelne
	stunde stunden tag tage woche wochen monat monate jahr jahre
	aucun aucune aucuns chaque jamais ne pas plus plusieurs quelques rien sans seulement seul seule tous tout toute toutes jour jours semaine mois année
	algunos cada ninguno ninguna nada nunca pocos sin solo sólo todo todos toda todas varios día días semana mes año
	nessuno ogni solo soltanto tutti tutto tutte senza nunca nenhum nenhuma somente sem alguns
	все всё весь каждый каждая нет никогда ничего без только никакой несколько много мало день дня дней неделя месяц год
	wszystkie wszystko każdy nigdy nie bez tylko niet geen alleen zonder elke enkele`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// isKnown reports whether a learned element says the new word, or around also its
// surroundings: then it is a name of its own. The elements that new lessons of the
// synonym put in the place of others say it because of them.
func (s Synonym) isKnown(learned []engine.Fingerprint, lessons []Lesson, around bool) bool {
	taken := map[string]bool{}
	for _, l := range lessons {
		if s.isTaughtBy(l) {
			taken[l.Found] = true
		}
	}
	return slices.ContainsFunc(learned, func(f engine.Fingerprint) bool {
		texts := []string{f.Text, f.Name, f.Label, f.OwnText}
		for _, a := range f.Attributes {
			texts = append(texts, a.Value)
		}
		if around {
			texts = append(append(texts, f.Heading, f.Around, f.Headline), f.Neighbours...)
		}
		says := slices.ContainsFunc(texts, func(text string) bool {
			return len(diffWords([]string{s.Now}, contentWords(text)).removed) == 0
		})
		return says && !taken[SignatureOf(f)]
	})
}

// useSynonyms keeps the synonyms that the two pages bear out: the new word was nowhere on
// the old page, and the other is nowhere on the new one. Without the old page there are
// none.
func (q *reading) useSynonyms(all []Synonym) {
	if q.align == nil {
		return
	}
	for _, s := range all {
		if !q.old.sayAnywhere([]string{s.Now}) && !q.page.sayAnywhere([]string{s.Was}) {
			q.synonyms = append(q.synonyms, s)
		}
	}
}

// synonymous reports whether two texts differ by one word and its synonym.
func (q *reading) synonymous(was, is string) bool {
	if len(q.synonyms) == 0 {
		return false
	}
	s, ok := oneReplaced(contentWords(was), contentWords(is))
	return ok && slices.Contains(q.synonyms, s)
}
