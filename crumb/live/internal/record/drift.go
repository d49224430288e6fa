package record

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// maxWords bounds the words that are kept of how an element differs.
const maxWords = 40

// reviser compares what a locator finds with what was learned of it before.
type reviser struct {
	compared map[[2]string]*heal.Comparison // by the states of both pages
}

// revise returns what is to be kept of an element that was learned again. Where it is
// another element than before, that is what was known, with a drift event; where it
// only says what differs from run to run, its new version with the words that vary.
func (r *reviser) revise(before, now heal.Learned) (heal.Learned, *engine.HealEvent) {
	was, is := &before.Fingerprint, &now.Fingerprint
	v := variation{varies: keepWords(was.Varies, is), differed: was.Differed}
	d, found := r.decide(before, now)
	if d.Outcome == engine.OutcomeHealed && !found {
		return before, driftOf(was, is, differences(was, is))
	}
	changes := ownChanges(was, is)
	for _, c := range d.Changed {
		if found && c.What == heal.ChangedRow {
			changes = append(changes, c)
		}
	}
	var other []engine.Change
	for _, c := range changes {
		if v.contradicts(c, was) {
			other = append(other, c)
		}
	}
	content := !isControl(is) && !slices.ContainsFunc(other, func(c engine.Change) bool { return c.What == heal.ChangedRow })
	if len(other) > 0 && !content {
		event := driftOf(was, is, other)
		if found && d.Outcome == engine.OutcomeHealed { // an id proves that it is the same
			is.Varies, is.Differed = bound(v.varies), bound(v.differed)
			now.KeepVarying(*was)
			return now, event
		}
		was.Differed = bound(v.differed)
		return before, event
	}
	v.addAround(was, is)
	is.Varies, is.Differed = bound(v.varies), bound(v.differed)
	now.KeepVarying(*was)
	return now, nil
}

// decide looks for the element learned before on the page of now. found reports
// whether that is what the locator finds.
func (r *reviser) decide(before, now heal.Learned) (d heal.Decision, found bool) {
	if before.State == nil || now.State == nil || string(before.State) == string(now.State) && before.Fingerprint.Text == now.Fingerprint.Text {
		return d, true
	}
	key := [2]string{string(before.State), string(now.State)}
	c := r.compared[key]
	if c == nil {
		old, problem := heal.ReadState(before.State)
		page, other := heal.ReadState(now.State)
		if problem != nil || other != nil {
			return d, true
		}
		c = heal.Compare(old, page)
		r.compared[key] = c
	}
	i, known := c.Old.Find(before.Fingerprint)
	j, here := c.New.Find(now.Fingerprint)
	if !known || !here {
		return d, true
	}
	d = c.Heal(i, heal.Options{Varies: before.Fingerprint.Varies})
	return d, d.Best == nil || within(c.New, j, d.Best.Index) || within(c.New, d.Best.Index, j)
}

// within reports whether element i is inside element of, or is it.
func within(page *heal.Page, i, of int) bool {
	for ; i >= 0; i = page.Element(i).Parent {
		if i == of {
			return true
		}
	}
	return false
}

// isControl reports whether an element is there to do something with. What another
// one says is content, which tests read and pages change.
func isControl(f *engine.Fingerprint) bool {
	switch f.Tag {
	case "a", "button", "input", "select", "textarea", "summary", "option", "label":
		return true
	}
	switch f.Role {
	case "button", "link", "checkbox", "radio", "switch", "tab", "option", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem",
		"menuitem", "menuitemcheckbox", "menuitemradio":
		return true
	}
	return false
}

// maxOwnWords is the most words of a text that is an element's own; one with more is
// that of a container.
const maxOwnWords = 24

// ownChanges returns what an element itself says, as it was and as it is.
func ownChanges(was, is *engine.Fingerprint) []engine.Change {
	changes := []engine.Change{{What: "name", Was: was.Name, Now: is.Name}}
	if text := (engine.Change{What: "text", Was: was.Text, Now: is.Text}); len(heal.VaryingWords(was.Text, "")) <= maxOwnWords && (was.Text != was.Name || is.Text != is.Name) {
		changes = append(changes, text)
	}
	return changes
}

// differences returns what two elements, or what is around them, say otherwise.
func differences(was, is *engine.Fingerprint) []engine.Change {
	changes := append(ownChanges(was, is), engine.Change{What: "surroundings", Was: was.Around, Now: is.Around},
		engine.Change{What: "neighbours", Was: strings.Join(was.Neighbours, " "), Now: strings.Join(is.Neighbours, " ")})
	return slices.DeleteFunc(changes, func(c engine.Change) bool { return c.Was == c.Now })
}

// variation is what is known of how an element's words differ from run to run.
type variation struct{ varies, differed []string }

// contradicts reports whether a text says something else than before that is not known
// to vary, and notes its words. Words vary when they were seen to differ twice: those
// that went are known to have differed, and those that came are new again.
func (v *variation) contradicts(c engine.Change, was *engine.Fingerprint) bool {
	removed, added := heal.VaryingWords(c.Was, c.Now), heal.VaryingWords(c.Now, c.Was)
	unknown := slices.DeleteFunc(slices.Clone(removed), func(w string) bool { return slices.Contains(was.Varies, w) })
	isKnown := func(w string) bool { return slices.Contains(was.Differed, w) }
	switch {
	case len(removed) == 0 || len(added) == 0:
		return false
	case len(unknown) == 0, len(was.Differed) > 0 && !slices.ContainsFunc(unknown, func(w string) bool { return !isKnown(w) }) && !slices.ContainsFunc(added, isKnown):
		v.varies = append(v.varies, added...)
		return false
	}
	v.differed = slices.Concat(v.differed, unknown, added)
	return true
}

// addAround notes the words around an element that differ from before. Its own are not
// among them: those count for what it is.
func (v *variation) addAround(was, is *engine.Fingerprint) {
	for _, texts := range [][2]string{{is.Around, was.Around}, {is.Heading, was.Heading}} {
		for _, w := range heal.VaryingWords(texts[0], texts[1]) {
			if !says(is.Text+" "+is.Name+" "+is.Label, w) {
				v.varies = append(v.varies, w)
			}
		}
	}
}

// says reports whether a text has a word.
func says(text, word string) bool { return len(heal.VaryingWords(word, text)) == 0 }

// keepWords returns the words that an element still says or has around it.
func keepWords(words []string, f *engine.Fingerprint) []string {
	all := f.Text + " " + f.Name + " " + f.Around + " " + f.Heading
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !says(all, w) })
}

// bound returns words without repetition, the newest of too many.
func bound(words []string) []string {
	var list []string
	for _, w := range slices.Backward(words) {
		if len(list) < maxWords && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// driftOf returns the event of a locator that finds another element than before.
func driftOf(was, is *engine.Fingerprint, changed []engine.Change) *engine.HealEvent {
	return &engine.HealEvent{TestID: was.TestID, Locator: is.Locator, Outcome: engine.OutcomeRefused, Reason: engine.ReasonDrifted,
		Original: *was, Healed: *is, Changed: changed, Site: is.Site}
}
