package heal

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

// suiteOf returns the learned elements of pages.
func suiteOf(pages ...*Page) []engine.Fingerprint {
	var list []engine.Fingerprint
	for _, p := range pages {
		for i := range p.Len() {
			if p.Element(i).Tag == "button" {
				list = append(list, p.Fingerprint(i))
			}
		}
	}
	return list
}

// teach returns the texts of the lessons of renaming buttons, judged one after another by
// what the suite has learned.
func teach(t *testing.T, learned []engine.Fingerprint, renamed ...[2]string) (said [][2]string) {
	t.Helper()
	var earlier []Lesson
	for _, r := range renamed {
		old, now := shell(heading("Draft"), button(0, r[0], "a")), shell(heading("Draft"), button(0, r[1], "b"))
		e := engine.HealEvent{Outcome: engine.OutcomeSuggested, Original: old.Fingerprint(byID(t, old, "a")), Healed: now.Written(byID(t, now, "b")),
			Changed: []engine.Change{{What: "name", Was: r[0], Now: r[1]}}}
		l, ok := LessonOf(e)
		if !ok {
			t.Fatalf("%v teaches nothing", r)
		}
		l = l.Judge(earlier, learned)
		was, is := l.Texts()
		back, ok := ReadLesson(was, is)
		if diff := cmp.Diff(l, back); diff != "" || !ok {
			t.Fatalf("read back %v:\n%s", ok, diff)
		}
		earlier, said = append(earlier, l), append(said, [2]string{was, is})
	}
	return said
}

func synonymsOf(t *testing.T, said [][2]string, learned []engine.Fingerprint) []Synonym {
	t.Helper()
	list, err := Synonyms(said, func() ([]engine.Fingerprint, bool, error) { return learned, true, nil })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAWordAcceptedForTwoElementsIsASynonymInTheSuite(t *testing.T) {
	save := shell(heading("Draft"), button(0, "Save draft", "a"), button(0, "Save all", "b"), button(0, "Save copy", "c"))
	both := shell(heading("Ship"), button(0, "Deploy to staging", "s"), button(0, "Deploy to production", "p"), button(0, "Open staging", "o"))
	beside := shell(heading("Store"), button(0, "Save draft", "a"))
	renamed := [][2]string{{"Save draft", "Store draft"}, {"Save all", "Store all"}}
	store := []Synonym{{"save", "store"}}
	for name, c := range map[string]struct {
		renamed [][2]string
		before  []engine.Fingerprint // when it was accepted
		since   []engine.Fingerprint
		want    []Synonym
	}{
		"two elements":                 {renamed, suiteOf(save), nil, store},
		"what was accepted is learned": {renamed, suiteOf(save), suiteOf(shell(heading("Draft"), button(0, "Store draft", "x"), button(0, "Store all", "y"))), store},
		"one element":                  {renamed[:1], suiteOf(save), nil, nil},
		"one element twice":            {[][2]string{renamed[0], renamed[0]}, suiteOf(save), nil, nil},
		"both words were known":        {[][2]string{{"Deploy to staging", "Deploy to production"}, {"Open staging", "Open production"}}, suiteOf(both), suiteOf(both), nil},
		"known beside an element":      {renamed, suiteOf(beside), nil, nil},
		"another element since":        {renamed, suiteOf(save), suiteOf(shell(heading("Shop"), button(0, "Open store", "x"))), nil},
		"a third word":                 {append([][2]string{{"Save page", "Keep page"}}, renamed...), nil, nil, nil},
		"and back":                     {append([][2]string{{"Store page", "Save page"}}, renamed...), nil, nil, nil},
		"numbers":                      {[][2]string{{"Take 10", "Take 20"}, {"Give 10", "Give 20"}}, nil, nil, nil},
		"units":                        {[][2]string{{"Wait 3 hops", "Wait 3 jumps"}, {"Skip 3 hops", "Skip 3 jumps"}}, nil, nil, nil},
		"quantity":                     {[][2]string{{"Delete draft", "Delete all"}, {"Copy draft", "Copy all"}}, nil, nil, nil},
		"quantity in German":           {[][2]string{{"Entwurf löschen", "Alles löschen"}, {"Entwurf senden", "Alles senden"}}, nil, nil, nil},
		"negation as a prefix":         {[][2]string{{"Subscribe news", "Unsubscribe news"}, {"Subscribe blog", "Unsubscribe blog"}}, nil, nil, nil},
		"negation":                     {[][2]string{{"Take cookies", "Without cookies"}, {"Take ads", "Without ads"}}, nil, nil, nil},
		"more than a word":             {[][2]string{{"Save draft", "Store my draft"}, {"Save all", "Store my all"}}, nil, nil, nil},
		"no words apart":               {[][2]string{{"保存", "保管"}, {"全保存", "全保管"}}, nil, nil, nil},
		"Russian":                      {[][2]string{{"Сохранить черновик", "Записать черновик"}, {"Сохранить копию", "Записать копию"}}, nil, nil, []Synonym{{"сохранить", "записать"}}},
	} {
		if diff := cmp.Diff(c.want, synonymsOf(t, teach(t, c.before, c.renamed...), append(c.before, c.since...))); diff != "" && len(c.want)+len(synonymsOf(t, teach(t, c.before, c.renamed...), append(c.before, c.since...))) > 0 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestASynonymEndsWithANoAndNeedsTheWholeSuite(t *testing.T) {
	said := teach(t, nil, [2]string{"Save draft", "Store draft"}, [2]string{"Save all", "Store all"})
	if got := synonymsOf(t, said, nil); len(got) != 1 {
		t.Fatalf("%v", got)
	}
	wrong := Lesson{Changed: []engine.Change{{What: "name", Was: "Save copy", Now: "Store copy"}}}
	was, now, ok := wrong.Apart()
	if _, lesson := ReadLesson(was, now); !ok || lesson {
		t.Errorf("%q, %q: an older version reads a lesson", was, now)
	}
	if got := synonymsOf(t, append(said, [2]string{was, now}), nil); len(got) > 0 {
		t.Errorf("after a no: %v", got)
	}
	if got, err := Synonyms(said, func() ([]engine.Fingerprint, bool, error) { return nil, false, nil }); err != nil || len(got) > 0 {
		t.Errorf("of a part of the suite: %v, %v", got, err)
	}
	if _, err := Synonyms(said, func() ([]engine.Fingerprint, bool, error) { return nil, true, errors.New("cut") }); err == nil {
		t.Error("an error is lost")
	}
	older := [][2]string{{`["aa","name","Save draft"]`, `["bb","name","Store draft"]`}, {`["cc","name","Save all"]`, `["dd","name","Store all"]`}}
	if got := synonymsOf(t, older, nil); len(got) > 0 {
		t.Errorf("lessons that were not judged: %v", got)
	}
}

func TestASynonymHealsWhatTheRestProves(t *testing.T) {
	page := func(list ...Element) *Page {
		return shell(append([]Element{heading("Draft"), button(0, "Open", "open"), button(0, "Close", "close")}, list...)...)
	}
	old := page(button(0, "Save copy", "c"), button(0, "Print", "print"))
	synonyms := []Synonym{{"save", "store"}}
	for name, c := range map[string]struct {
		old, now *Page
		asked    string
		synonyms []Synonym
		healed   bool
	}{
		"the word became the other":      {old, page(button(0, "Store copy", "x"), button(0, "Print", "print")), "", synonyms, true},
		"the locator asks for it":        {old, page(button(0, "Store copy", "x"), button(0, "Print", "print")), "Save copy", synonyms, true},
		"without the synonym":            {old, page(button(0, "Store copy", "x"), button(0, "Print", "print")), "", nil, false},
		"a word more":                    {old, page(button(0, "Store all copies", "x"), button(0, "Print", "print")), "", synonyms, false},
		"another object":                 {old, page(button(0, "Store draft", "x"), button(0, "Print", "print")), "", synonyms, false},
		"the other way round":            {page(button(0, "Store copy", "c")), page(button(0, "Save copy", "x")), "", synonyms, false},
		"the old page had the new word":  {page(button(0, "Save copy", "c"), button(0, "Store", "s")), page(button(0, "Store copy", "x"), button(0, "Store", "s")), "", synonyms, false},
		"the new page has the old word":  {old, page(button(0, "Store copy", "x"), button(0, "Save", "s")), "", synonyms, false},
		"on another page":                {old, shell(heading("Archive"), button(0, "Store copy", "x")), "", synonyms, false},
		"two of them, told by nothing":   {old, page(button(0, "Store copy", "x"), button(0, "Store copy", "y")), "", synonyms, false},
		"the locator asks for something": {old, page(button(0, "Store copy", "x"), button(0, "Print", "print")), "Save draft", synonyms, false},
	} {
		o := Options{Corrections: Corrections{Synonyms: c.synonyms}}
		if c.asked != "" {
			o.Asked = []engine.AskedText{{Text: c.asked}}
		}
		d := Compare(c.old, c.now).Heal(byID(t, c.old, "c"), o)
		if healed := d.Outcome == engine.OutcomeHealed; healed != c.healed {
			t.Errorf("%s: %s %s (%.2f, %v)", name, d.Outcome, d.Reason, d.Best.Confidence, d.Changed)
		}
		if c.healed && (len(d.Changed) != 1 || d.Changed[0] != engine.Change{What: "name", Was: "Save copy", Now: "Store copy"}) {
			t.Errorf("%s: it is not said what changed: %v", name, d.Changed)
		}
		if c.healed && !d.Synonym {
			t.Errorf("%s: it is not said that the words are synonyms", name)
		}
	}
	alone := Heal(old.Fingerprint(byID(t, old, "c")), page(button(0, "Store copy", "x")), Options{Corrections: Corrections{Synonyms: synonyms}})
	if alone.Outcome == engine.OutcomeHealed {
		t.Error("healed without knowing the old page")
	}
	named := page(button(0, "Save copy", "copy-button"), button(0, "Print", "print"))
	byItsID := Compare(named, page(button(0, "Keep it", "copy-button"), button(0, "Print", "print"))).Heal(byID(t, named, "copy-button"), Options{Corrections: Corrections{Synonyms: synonyms}})
	if byItsID.Outcome != engine.OutcomeHealed || len(byItsID.Changed) != 1 || byItsID.Synonym {
		t.Errorf("healed by its id: %s %v, said to be a synonym: %t", byItsID.Outcome, byItsID.Changed, byItsID.Synonym)
	}
}
