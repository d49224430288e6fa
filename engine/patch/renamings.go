package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// renaming is what became of one part of a locator on a page.
type renaming struct {
	page           string
	kind           locator.Kind
	role, was, now string
}

// renamingOf returns that of a heal's edit, false where its page is not known.
func renamingOf(h engine.HealEvent) (renaming, bool) {
	next, why := locator.Replacement(h)
	if why != "" || h.PageURL == "" {
		return renaming{}, false
	}
	c, err := changeOf(h, next)
	return renaming{h.PageURL, c.old.Kind, c.old.Role, c.old.Value, c.new.Value}, err == nil
}

// provenRenamings returns those of the heals whose tests passed, with the test.
func (s Suite) provenRenamings(all []Proposal) map[renaming]engine.TestID {
	proven := map[renaming]engine.TestID{}
	for _, p := range all {
		if p.Edit == nil || !p.Sure() || p.Heal.Outcome != engine.OutcomeHealed || p.Heal.Trace != "" || s.Failed(p.Heal.TestID) || s.Result(p.Heal.TestID) == nil {
			continue
		}
		if r, ok := renamingOf(p.Heal); ok {
			proven[r] = p.Heal.TestID
		}
	}
	return proven
}

// Renamings is what names of the code became on the pages of one run: test ids, ids and CSS,
// as the events of its lost locators show that were found again for certain.
type Renamings struct {
	of map[name][]renamed
}

// name is what a part of a locator looks for.
type name struct {
	kind locator.Kind
	was  string
}

// renamed is what a name became, by an event.
type renamed struct {
	now   string
	event engine.HealEvent
}

// NewRenamings reads them from the events of a run.
func NewRenamings(events []engine.HealEvent) Renamings {
	r := Renamings{map[name][]renamed{}}
	for _, e := range events {
		certain := e.Outcome == engine.OutcomeHealed || e.Outcome == engine.OutcomeSuggested && (e.Reason == engine.ReasonSuggestOnly || e.Reason == engine.ReasonAhead)
		if !certain {
			continue
		}
		if n, ok := renamingOf(e); ok && (n.kind == locator.KindTestID || n.kind == locator.KindID || n.kind == locator.KindCSS) {
			r.add(name{n.kind, n.was}, n.now, e)
		}
		for _, a := range e.Original.Attributes {
			now, there := e.Healed.Attributes.Get(a.Name)
			if locator.IsTestIDAttribute(a.Name) && there && now != a.Value && now != "" && !locator.Generated(now) {
				r.add(name{locator.KindTestID, a.Value}, now, e)
			}
		}
	}
	return r
}

func (r Renamings) add(n name, now string, e engine.HealEvent) {
	if !slices.ContainsFunc(r.of[n], func(x renamed) bool { return x.now == now }) {
		r.of[n] = append(r.of[n], renamed{now, e})
	}
}

// Suggest returns the suggestion for a locator of a failed test that no healer looked for,
// since it finds none or all of a list: its error says that it found nothing, and one name in
// it became another one, and only that, elsewhere in the run. It is false where nothing shows that.
func (r Renamings) Suggest(t engine.TestResult, named string) (engine.HealEvent, bool) {
	message := t.Final().Message + "\n" + t.Final().Text
	old, err := locator.Parse(named)
	if err != nil || !foundNothing(message) {
		return engine.HealEvent{}, false
	}
	at := -1
	for i, p := range old.Parts {
		if len(r.of[name{p.Kind, p.Value}]) == 0 || p.Regexp {
			continue
		}
		if at >= 0 {
			return engine.HealEvent{}, false
		}
		at = i
	}
	if at < 0 || len(r.of[name{old.Parts[at].Kind, old.Parts[at].Value}]) != 1 {
		return engine.HealEvent{}, false
	}
	to := r.of[name{old.Parts[at].Kind, old.Parts[at].Value}][0]
	next, ok := old.WithName(at, to.now)
	if !ok {
		return engine.HealEvent{}, false
	}
	return engine.HealEvent{TestID: t.ID, Locator: named, HealedLocator: next.String(), Action: "expect", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonRenamed,
		Confidence: to.event.Confidence, PageURL: to.event.PageURL, Site: siteOfError(message, t.File), Timestamp: to.event.Timestamp}, true
}

// foundNothing reports whether an error says that a locator found no element.
func foundNothing(message string) bool {
	if strings.Contains(message, "element(s) not found") || strings.Contains(message, "resolved to 0 elements") {
		return true
	}
	return strings.Contains(message, "waiting for") && !strings.Contains(message, "resolved to")
}

// stackLine is a line of a stack: a file, a line and a column.
var stackLine = lazyregexp.New(`(?m)^\s+at (?:.*\()?([^\s():]+):(\d+):(\d+)\)?$`)

// siteOfError returns where in the test's own file an error arose, nil where it does not say.
func siteOfError(message, file string) *engine.Site {
	for _, m := range stackLine.FindAllStringSubmatch(message, 20) {
		if path := strings.ReplaceAll(m[1], `\`, "/"); file != "" && (path == file || strings.HasSuffix(path, "/"+file)) {
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			return &engine.Site{File: file, Line: line, Column: column}
		}
	}
	return nil
}
