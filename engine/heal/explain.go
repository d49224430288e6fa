package heal

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/engine/text"
)

// shown are the features that make a breakdown for people.
var shown = []struct {
	name    string
	feature int
}{
	{"text", featureIndex("text dice")},
	{"name", featureIndex("called dice")},
	{"role", featureIndex("role")},
	{"tag", featureIndex("tag")},
	{"words", featureIndex("tokens dice")},
	{"classes", featureIndex("classes")},
	{"attributes", featureIndex("other attributes")},
	{"id", featureIndex("id dice")},
	{"link", featureIndex("href dice")},
	{"path", featureIndex("path")},
	{"region", featureIndex("context dice")},
	{"text before", featureIndex("before dice")},
	{"text after", featureIndex("after dice")},
	{"heading", featureIndex("heading dice")},
	{"width", featureIndex("width")},
	{"height", featureIndex("height")},
}

// signalsOf returns the breakdown of a row of features. Weight 1 says that both
// sides have the signal; the trees decide what it counts.
func signalsOf(row []float32) []preset.Signal {
	out := make([]preset.Signal, len(shown))
	for i, s := range shown {
		v := row[s.feature]
		out[i] = preset.Signal{Name: s.name, Value: float64(max(0, v))}
		if v >= 0 {
			out[i].Weight = 1
		}
	}
	return out
}

// because says in words what speaks for and against a candidate.
func (q *query) because(ci int32) string {
	o, c := q.o, &q.page.nodes[ci]
	op, cp := q.old.phrases, q.page.phrases
	var same, changed []string
	compare := func(what string, a, b int32) {
		switch {
		case a == 0 && b == 0:
		case op[a].equal(&cp[b]):
			same = append(same, what)
		default:
			changed = append(changed, what)
		}
	}
	compare("text", o.text, c.text)
	compare("accessible name", o.called, c.called)
	compare("id", o.id, c.id)
	compare("name attribute", o.nameAttr, c.nameAttr)
	compare("link", o.href, c.href)
	switch j := q.classJaccard(o, c); {
	case j == 1:
		same = append(same, "class")
	case j >= 0:
		changed = append(changed, "class")
	}
	if o.tag != c.tag {
		changed = append(changed, "tag")
	}
	compare("text before", o.prev, c.prev)
	compare("text after", o.next, c.next)
	return sentence(same, changed, q.circumstances(ci))
}

// circumstances says in words how a candidate stands in the whole page.
func (q *query) circumstances(ci int32) string {
	c := &q.page.nodes[ci]
	var parts []string
	switch {
	case c.best == 0:
		parts = append(parts, "has neither text nor name")
	case c.sameName == 1:
		parts = append(parts, "unique on page")
	case c.sameName > 1:
		parts = append(parts, fmt.Sprintf("one of %d so called", c.sameName))
	}
	if q.align != nil {
		switch from := q.align.toOld[ci]; {
		case from == q.oi:
			parts = append(parts, "stands where the lost element's surroundings are")
		case from >= 0 && !q.old.contains(from, q.oi) && !q.old.contains(q.oi, from):
			parts = append(parts, "was another element of the old page")
		}
	}
	return strings.Join(parts, ", ")
}

func sentence(same, changed []string, more string) string {
	s := "nothing is quite the same"
	if len(same) > 0 {
		s = "same " + text.List(same)
	}
	if more != "" {
		s += ", " + more
	}
	if len(changed) > 0 {
		s += "; " + text.List(changed) + " changed"
	}
	return s
}

// CompareHealed returns how alike the element of a heal and the one it became are, by
// the signals of preset breadcrumb-docs, and says in words what stayed and what
// changed. A heal event does not keep what its own scorer saw; these signals of its
// two fingerprints say the same to people. They are nil when it has no candidate.
func CompareHealed(h engine.HealEvent) (signals []preset.Signal, because string) {
	d := Heal(h.Original, NewCandidates([]engine.Fingerprint{h.Healed}), Options{Preset: preset.Docs})
	if d.Best == nil {
		return nil, ""
	}
	return d.Best.Signals, d.Because
}
