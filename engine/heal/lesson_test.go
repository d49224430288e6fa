package heal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

// accept returns the lesson of a suggestion that a person accepted.
func accept(t *testing.T, old *Page, lost string, now *Page) Lesson {
	t.Helper()
	i := byID(t, old, lost)
	d := Compare(old, now).Heal(i, Options{})
	e := engine.HealEvent{Original: old.Fingerprint(i)}
	d.Describe(&e, now)
	e.Outcome = d.Outcome
	l, ok := LessonOf(e)
	if !ok {
		t.Fatalf("%s %s %v teaches nothing", d.Outcome, d.Reason, d.Changed)
	}
	was, is := l.Texts()
	back, ok := ReadLesson(was, is)
	if diff := cmp.Diff(l, back); diff != "" || !ok {
		t.Fatalf("read back %v:\n%s", ok, diff)
	}
	return back
}

func TestAnAcceptedSuggestionCountsForItsElementAlone(t *testing.T) {
	deploy := func(list ...Element) *Page { return shell(append([]Element{heading("App")}, list...)...) }
	staging := deploy(button(0, "Deploy to staging", "a"))
	lesson := accept(t, staging, "a", deploy(button(0, "Deploy to production", "b")))
	for name, c := range map[string]struct {
		old, now *Page
		lost     string
		want     engine.HealOutcome
	}{
		"the same again":              {staging, deploy(button(0, "Deploy to production", "c")), "a", engine.OutcomeHealed},
		"in another test's page":      {deploy(button(0, "Open", "o"), button(0, "Deploy to staging", "x")), deploy(button(0, "Open", "o"), button(0, "Deploy to production", "y")), "x", engine.OutcomeHealed},
		"back again":                  {deploy(button(0, "Deploy to production", "a")), deploy(button(0, "Deploy to staging", "b")), "a", engine.OutcomeSuggested},
		"another control's word":      {deploy(button(0, "Delete staging", "a")), deploy(button(0, "Delete production", "b")), "a", engine.OutcomeSuggested},
		"and a word more":             {staging, deploy(button(0, "Deploy all to production", "b")), "a", engine.OutcomeSuggested},
		"both were there":             {deploy(button(0, "Deploy to staging", "a"), button(0, "Deploy to production", "p")), deploy(button(0, "Deploy to production", "b")), "a", engine.OutcomeSuggested},
		"on a page of those words":    {shell(heading("Staging"), button(0, "Deploy to staging", "a")), shell(heading("Production"), button(0, "Deploy to production", "b")), "a", engine.OutcomeSuggested},
		"another page":                {staging, shell(heading("Archive"), button(0, "Deploy to production", "b")), "a", engine.OutcomeSuggested},
		"another kind of the control": {staging, deploy(Element{Tag: "a", Role: "link", Name: "Deploy to production", Text: "Deploy to production"}), "a", engine.OutcomeSuggested},
	} {
		d := Compare(c.old, c.now).Heal(byID(t, c.old, c.lost), Options{Corrections: Corrections{Lessons: []Lesson{lesson}}})
		healed, want := d.Outcome == engine.OutcomeHealed, c.want == engine.OutcomeHealed
		if healed != want {
			t.Errorf("%s: %s %s (%.2f, %v), want %s", name, d.Outcome, d.Reason, d.Best.Confidence, d.Changed, c.want)
		}
	}
	known := Learned{Fingerprint: staging.Fingerprint(byID(t, staging, "a")), Corrections: Corrections{Lessons: []Lesson{lesson}}}
	if d := known.Unpack().Heal(deploy(button(0, "Deploy to production", "a")), Options{}); d.Outcome != engine.OutcomeHealed {
		t.Errorf("by its fingerprint alone: %s %s", d.Outcome, d.Reason)
	}
}

func TestAnAcceptedRowIsThatRowAlone(t *testing.T) {
	people := shell(rows("e-", "Ann", "Bob")...)
	lesson := accept(t, people, "e-bob", shell(rows("e-", "Ann", "Zed")...))
	for person, want := range map[string]engine.HealOutcome{"Zed": engine.OutcomeHealed, "Eve": engine.OutcomeSuggested} {
		d := Compare(people, shell(rows("e-", "Ann", person)...)).Heal(byID(t, people, "e-bob"), Options{Corrections: Corrections{Lessons: []Lesson{lesson}}})
		if d.Outcome != want {
			t.Errorf("%s: %s %s (%v), want %s", person, d.Outcome, d.Reason, d.Changed, want)
		}
	}
}

func TestReadLessonTakesNothingElse(t *testing.T) {
	for _, texts := range [][2]string{{"staging", "production"}, {`["a"]`, `["b"]`}, {`["a","name"]`, `["b","name"]`}, {`["a","name","x"]`, `["b","row","y"]`},
		{`["a","name","x"]`, `["b","name","y","row","z"]`}, {`null`, `null`}, {``, ``}, {`{"a":1}`, `[1,2,3]`}} {
		if l, ok := ReadLesson(texts[0], texts[1]); ok {
			t.Errorf("%q, %q: %v", texts[0], texts[1], l)
		}
	}
}
