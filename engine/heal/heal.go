// Package heal finds a lost element of an old page on a new one, or refuses.
//
// A [Page] is a page's elements prepared for comparison. [Heal] looks for the
// element of a fingerprint; [Compare] matches two whole pages first, so that
// its Heal is right more often. Like engine it is pure.
package heal

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// Gates returns the threshold and margin a preset decides by: the best
// candidate's score must reach the threshold and lead the runner-up's by the
// margin, both inclusive. Those of preset.Default are for a Comparison; a
// fingerprint alone needs more, and still more where there are no boxes.
func Gates(p preset.Name) (threshold, margin float64) {
	switch p {
	case preset.Docs, preset.Py:
		return 0.5, 0
	case preset.Selfmend:
		return 0.9, 0.05
	}
	m := modelPage()
	return m.Threshold, m.Margin
}

// Options of a heal. The zero value is the default scorer at its own gates.
type Options struct {
	Preset    preset.Name
	Threshold float64 // the least confidence of a heal, in (0,1]; 0: the preset's, see Gates
	Margin    float64 // the least lead over the runner-up; 0: the preset's, negative: none
	Model     *Model  // for evaluations: in place of the default preset's own

	Corrections
	AnyPage bool               // the locator is used on several pages: another heading or title is no doubt
	Varies  []string           // words of the lost element that differ from run to run; see engine.Fingerprint
	Asked   []engine.AskedText // what the locator asks for in words
}

// gates returns the gates of a heal by model m, nil for a preset.
func (o Options) gates(m *Model) (threshold, margin float64) {
	threshold, margin = Gates(o.Preset)
	if m != nil {
		threshold, margin = m.Threshold, m.Margin
	}
	return cmp.Or(o.Threshold, threshold), max(0, cmp.Or(o.Margin, margin))
}

// gateSlack is by how much a score may miss a gate, because sums of floats are
// not exact.
const gateSlack = 1e-9

// Candidate is an element that may be the lost one.
type Candidate struct {
	Index      int     // in the page's elements
	Confidence float64 // in [0,1]; for the default preset a probability
	Signals    []preset.Signal
}

// Decision is the result of a heal: a healed or suggested element, or a refusal,
// and why.
type Decision struct {
	Outcome  engine.HealOutcome
	Reason   string          // of a refusal or suggestion, one of the Reason constants
	Best     *Candidate      // the likeliest element, also when refused; nil when there is none
	RunnerUp *Candidate      // the likeliest other element, nil when there is none
	Changed  []engine.Change // what the best candidate means otherwise than the lost element
	Synonym  bool            // Changed are words that people accepted as the same
	Evidence Evidence        // for the best candidate
	Because  string          // in words, what is the same and what changed
	Notes    []string        // what was left out of the comparison
}

func refused(reason string, page *Page) Decision {
	return Decision{Outcome: engine.OutcomeRefused, Reason: reason, Notes: page.Notes}
}

// Heal looks for the lost element among a page's visible elements. A page
// prepared once serves many heals. It refuses unless the best candidate passes
// both gates; see Options.
func Heal(lost engine.Fingerprint, page *Page, options Options) Decision {
	if lost.Tag == "" {
		return refused(engine.ReasonNoFingerprint, page)
	}
	if options.Preset != "" && options.Preset != preset.Default {
		return healByPreset(&lost, page, options)
	}
	options.Varies = lost.Varies
	q := newReading(newQuery(NewCandidates([]engine.Fingerprint{lost}), 0, page, nil))
	q.useLessons(options.Lessons, func() engine.Fingerprint { return lost })
	return q.decide(cmp.Or(options.Model, modelAlone()), options)
}

// Comparison is an old page and the page it became, matched as wholes. It can
// heal any number of the old page's elements, also from several goroutines.
type Comparison struct {
	Old, New *Page
	align    *alignment
}

// Compare matches the elements of two pages.
func Compare(old, new *Page) *Comparison {
	return &Comparison{Old: old, New: new, align: align(old, new)}
}

// Heal looks for the old page's element i on the new page. It is right more often
// than Heal of a fingerprint, because a candidate that is another element of the
// old page is not the lost one.
func (c *Comparison) Heal(i int, options Options) Decision { return c.heal(i, nil, options) }

// heal is Heal of an element whose fingerprint says more of it than its page, of
// which texts are kept cut.
func (c *Comparison) heal(i int, lost *engine.Fingerprint, options Options) Decision {
	if i < 0 || i >= c.Old.Len() {
		return refused(engine.ReasonNoFingerprint, c.New)
	}
	if options.Preset != "" && options.Preset != preset.Default {
		f := c.Old.Fingerprint(i)
		return healByPreset(&f, c.New, options)
	}
	q := newReading(newQuery(c.Old, i, c.New, c.align))
	q.useLessons(options.Lessons, func() engine.Fingerprint {
		if lost != nil {
			return *lost
		}
		return c.Old.Fingerprint(i)
	})
	q.useSynonyms(options.Synonyms)
	if lost != nil {
		e := elementOf(lost)
		q.sayings = sayingsOf(&e, q.o.kind == kindField)
	}
	return q.decide(cmp.Or(options.Model, modelPage()), options)
}

// decide scores the likeliest candidates, and heals, suggests or refuses.
func (q *reading) decide(m *Model, options Options) Decision {
	q.rankCandidates()
	if len(q.ranked) == 0 {
		return refused(engine.ReasonNoCandidates, q.page)
	}
	q.varies, q.asked, q.anyPage = options.Varies, options.Asked, options.AnyPage
	rows := q.featureRows()
	p := make([]float64, len(q.ranked))
	best := 0
	for i := range p {
		p[i] = sigmoid(float64(m.Forest.Score(rows[i*rowWidth : (i+1)*rowWidth])))
		if p[i] > p[best] {
			best = i
		}
	}
	best = q.provenOr(best)
	second := -1
	for i := range p {
		if i != best && !q.page.twins(q.ranked[i].index, q.ranked[best].index) && (second < 0 || p[i] > p[second]) {
			second = i
		}
	}
	d, rest := Decision{Notes: q.page.Notes}, 0.0
	if second >= 0 {
		rest = p[second]
		d.RunnerUp = q.candidateOf(m, rows, second, p[second]*(1-p[best]))
	}
	d.Best = q.candidateOf(m, rows, best, p[best]*(1-rest))
	d.Because = q.because(q.ranked[best].index)
	q.judge(&d, m, options)
	return d
}

// provenOr returns the ranked candidate that is proven the lost element, that a person
// accepted for it, or that leads where it led; the likeliest when there is none or when
// that says what the lost one said.
func (q *reading) provenOr(best int) int {
	if q.meaningOf(q.ranked[best].index).said {
		return best
	}
	for _, proof := range [...]func(int32) string{q.provenBy, q.acceptedBy, q.leadsTo} {
		if i := slices.IndexFunc(q.ranked, func(r ranked) bool { return proof(r.index) != "" }); i >= 0 {
			return i
		}
	}
	return best
}

// provenConfidence is that of a candidate that a test id or an id proves. No heal
// of the corpus that was proven so is wrong.
const provenConfidence = 0.99

// leadsShare is how much of a suggestion's threshold is enough for a candidate that
// leads where the lost element led.
const leadsShare = 0.25

// judge sets the outcome: first by what the candidate means, then by how likely it
// is.
func (q *reading) judge(d *Decision, m *Model, options Options) {
	x := q.meaningOf(int32(d.Best.Index))
	d.Evidence = x.evidence()
	for _, c := range x.changes {
		d.Changed = append(d.Changed, engine.Change{What: c.What, Was: q.old.asWritten(c.Was), Now: q.page.asWritten(c.Now)})
	}
	d.Synonym = x.accepted
	if x.said {
		for _, c := range q.renamed(int32(d.Best.Index)) {
			d.Synonym = true
			d.Changed = append(d.Changed, engine.Change{What: c.What, Was: q.old.asWritten(c.Was), Now: q.page.asWritten(c.Now)})
		}
	}
	if x.proof != "" && !x.elsewhere || x.accepted {
		d.Best.Confidence = max(d.Best.Confidence, provenConfidence)
	}
	threshold, margin := options.gates(m)
	suggest := min(m.Suggest[d.Evidence], threshold)
	if x.leads != "" && !x.elsewhere {
		suggest *= leadsShare
	}
	if options.Threshold == 0 && q.lacksPageAndBoxes(d.Best.Index) {
		threshold = 1 - (1-threshold)/2
	}
	d.gate(threshold, margin)
	switch reason := x.doubt(); {
	case len(options.Vetoed) > 0 && slices.Contains(options.Vetoed, SignatureOf(q.page.Written(d.Best.Index))):
		d.Outcome, d.Reason = engine.OutcomeRefused, engine.ReasonVetoed
	case x.login:
		d.Outcome, d.Reason = engine.OutcomeRefused, reason
	case d.Outcome == engine.OutcomeHealed && reason == "":
	case d.Best.Confidence >= suggest-gateSlack:
		d.Outcome, d.Reason = engine.OutcomeSuggested, cmp.Or(reason, d.Reason)
	default:
		d.Outcome, d.Reason = engine.OutcomeRefused, cmp.Or(d.Reason, reason)
	}
}

// acceptedBy returns "accepted" where a person took a candidate for the lost element.
func (q *reading) acceptedBy(ci int32) string {
	if len(q.lessons) == 0 || !q.meaningOf(ci).accepted {
		return ""
	}
	return "accepted"
}

// renamed returns how a candidate's name differs from the lost element's by a synonym.
func (q *reading) renamed(ci int32) []engine.Change {
	was, is := first(q.sayings), first(q.page.sayings(ci))
	if !q.synonymous(was.text, is.text) {
		return nil
	}
	return []engine.Change{{What: was.what, Was: was.text, Now: is.text}}
}

// lacksPageAndBoxes reports whether a heal must have half the chance of error:
// with neither the rest of the old page nor both boxes, healing at the default
// threshold was wrong 2.6 times as often as with boxes (0.37 % of all queries of
// the corpus on projects held out, 0.20 % at half the chance).
func (q *query) lacksPageAndBoxes(ci int) bool {
	return q.align == nil && (!q.o.hasBox || !q.page.nodes[ci].hasBox)
}

func (q *reading) candidateOf(m *Model, rows []float32, i int, raw float64) *Candidate {
	row := rows[i*rowWidth : (i+1)*rowWidth]
	x := q.meaningOf(q.ranked[i].index)
	return &Candidate{Index: int(q.ranked[i].index), Confidence: m.Calibration[x.evidence()].Probability(raw), Signals: signalsOf(row)}
}

// gate sets the outcome, by the threshold first, then by the margin.
func (d *Decision) gate(threshold, margin float64) {
	d.Outcome, d.Reason = engine.OutcomeRefused, engine.ReasonBelowThreshold
	if d.Best.Confidence < threshold-gateSlack {
		return
	}
	if d.RunnerUp != nil && d.Best.Confidence-d.RunnerUp.Confidence < margin-gateSlack {
		d.Reason = engine.ReasonAmbiguous
		return
	}
	d.Outcome, d.Reason = engine.OutcomeHealed, ""
}
