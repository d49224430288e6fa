package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of one heal event file. They hold for any real run many times over
// and keep a hostile file from filling the memory.
const (
	MaxHealBytes     = 1 << 20  // bytes of one line, or of one attachment
	maxHealFileBytes = 64 << 20 // bytes of one NDJSON file
	MaxHeals         = 20_000   // events of one file
	maxHealNotices   = 50       // notices of one file, the rest is counted
)

// ReadHeals reads breadcrumb.heal/v1 events, one JSON object a line, in file
// order. A line that is no such event is left out with a warning that names
// file, line and reason, and the others still count. A byte order mark, CRLF
// and blank lines are fine. name is the file as the user knows it; every event
// carries it as Source.
func ReadHeals(name string, r io.Reader) ([]HealEvent, []Notice) {
	c := HealCollector{File: name}
	lines := lineReader{buffered: bufio.NewReaderSize(io.LimitReader(r, maxHealFileBytes+1), MaxHealBytes)}
	for !c.Full() {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return c.Done()
		}
		switch {
		case errors.Is(err, errLongLine):
			c.Skip(lines.number, "heal event left out: the line is longer than 1 MiB")
		case err != nil:
			c.Note(lines.number, fmt.Sprintf("reading stopped here: %v", err))
			return c.Done()
		case lines.read > maxHealFileBytes:
			c.Note(lines.number, "the file is larger than 64 MiB; from this line on it was left out")
			return c.Done()
		case lines.number == 1 && isUTF16(text):
			c.Note(1, "the file is UTF-16; write it as UTF-8")
			return c.Done()
		case len(text) > 0:
			if isOther(text) {
				continue
			}
			var e HealEvent
			if err := json.Unmarshal(text, &e); err != nil {
				c.Skip(lines.number, "heal event left out: "+ExplainJSON(err).Error())
				continue
			}
			c.Add(lines.number, e)
		}
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) {
		c.Note(lines.number, fmt.Sprintf("the file holds more than %d events; from this line on it was left out", MaxHeals))
	}
	return c.Done()
}

// isOther reports whether a line among heal events is of another schema that is known.
func isOther(line []byte) bool {
	_, rerun := parseRerun(line)
	_, start := parseRunStart(line)
	return rerun || start
}

// HealCollector checks and gathers the events of one file and notes what was
// left out.
type HealCollector struct {
	File    string // as the user knows it
	heals   []HealEvent
	notices []Notice
	skipped int // left out without a notice of its own
	places  map[heldEvent]int
	placed  int // of heals, that places has
}

// Add checks an event, cuts its long texts and keeps it. An event that is not
// usable is skipped. One with a trial is written again behind the event that it is of, and
// takes its place.
func (c *HealCollector) Add(number int, e HealEvent) {
	if err := checkHeal(e); err != nil {
		c.Skip(number, "heal event left out: "+err.Error())
		return
	}
	e.Source = c.File
	boundHeal(&e)
	if e.Trial != nil && c.replace(e) {
		return
	}
	c.heals = append(c.heals, e)
}

// replace puts an event with a trial in the place of the one that it repeats, and reports
// whether there is one.
func (c *HealCollector) replace(e HealEvent) bool {
	if c.places == nil {
		c.places = map[heldEvent]int{}
	}
	for ; c.placed < len(c.heals); c.placed++ {
		c.places[heldEventOf(c.heals[c.placed])] = c.placed
	}
	i, repeats := c.places[heldEventOf(e)]
	if repeats {
		c.heals[i] = e
	}
	return repeats
}

// heldEvent is what an event has in common with the same event with a trial.
type heldEvent struct {
	test       TestID
	locator    string
	occurrence int
	outcome    HealOutcome
	timestamp  float64
}

func heldEventOf(e HealEvent) heldEvent {
	return heldEvent{e.TestID, e.Locator, e.Occurrence, e.Outcome, e.Timestamp}
}

// Skip adds a notice that something was left out; once there are many, it only
// counts them.
func (c *HealCollector) Skip(number int, reason string) {
	if len(c.notices) >= maxHealNotices {
		c.skipped++
		return
	}
	c.Note(number, reason)
}

// Note adds a notice about the file, however many there are.
func (c *HealCollector) Note(number int, reason string) {
	c.notices = append(c.notices, Notice{File: c.File, Line: number, Severity: SeverityWarning, Reason: reason})
}

// Full reports whether the file holds as many events as one may hold.
func (c *HealCollector) Full() bool { return len(c.heals) >= MaxHeals }

// Done returns the events and the notices.
func (c *HealCollector) Done() ([]HealEvent, []Notice) {
	if c.skipped > 0 {
		c.Note(0, fmt.Sprintf("%d more were left out for reasons like these", c.skipped))
	}
	return c.heals, c.notices
}

var errLongLine = errors.New("line too long")

// lineReader splits a file into lines of at most MaxHealBytes.
type lineReader struct {
	buffered *bufio.Reader // with a buffer of MaxHealBytes
	number   int           // 1-based number of the last line
	read     int64         // bytes consumed
}

// next returns the next line without its ending and outer white space; it is
// valid until the next call. It returns errLongLine, with the line consumed,
// when the line is too long, and io.EOF behind the last one.
func (l *lineReader) next() ([]byte, error) {
	l.number++
	text, err := l.buffered.ReadSlice('\n')
	l.read += int64(len(text))
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		text, err = l.buffered.ReadSlice('\n')
		l.read += int64(len(text))
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case long:
		return nil, errLongLine
	case err != nil && len(text) == 0:
		return nil, io.EOF
	}
	if l.number == 1 {
		text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	}
	return bytes.TrimSpace(text), nil
}

func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// Bounds of one heal event. A text that names something is refused when it is
// too long; one that only describes something is cut.
const (
	maxNameBytes        = 4096 // test ids, locators, file names
	maxDescriptionBytes = 4096 // everything else
	maxListItems        = 512  // attributes, path steps, siblings, neighbours
	maxMatches          = 64   // locators tried after a heal
	maxChanges          = 64   // changes of a suggestion
)

// maxTimestamp is the last second of the year 9999.
const maxTimestamp = 253402300799

// checkHeal returns why e is no usable heal event, naming field and value.
func checkHeal(e HealEvent) error {
	if err := cmp.Or(
		checkName("test_id", string(e.TestID), true),
		checkName("locator", e.Locator, true),
		checkName("healed_locator", e.HealedLocator, false),
		checkRatio("confidence", e.Confidence),
		checkRatio("runner_up", e.RunnerUp),
	); err != nil {
		return err
	}
	switch e.Outcome {
	case OutcomeHealed, OutcomeSuggested, OutcomeRefused:
	default:
		return fmt.Errorf("field \"outcome\" is %.40q; want %q, %q or %q", e.Outcome, OutcomeHealed, OutcomeSuggested, OutcomeRefused)
	}
	if e.Ahead && e.Outcome != OutcomeSuggested {
		return fmt.Errorf("field \"outcome\" is %q of an event that is ahead; nothing was done yet, so want %q", e.Outcome, OutcomeSuggested)
	}
	if err := cmp.Or(checkMatches(e.Matches), checkSite(e.Site), checkTrial(e.Trial)); err != nil {
		return err
	}
	if e.Occurrence < 0 {
		return fmt.Errorf("field \"occurrence\" is %d; it counts from 0", e.Occurrence)
	}
	if e.Count < 0 {
		return fmt.Errorf("field \"count\" is %d; it is how many calls met the loss", e.Count)
	}
	if !(e.Timestamp >= 0 && e.Timestamp <= maxTimestamp) {
		return fmt.Errorf("field \"timestamp\" is %g; want Unix seconds (not milliseconds)", e.Timestamp)
	}
	return nil
}

func checkName(field, value string, required bool) error {
	if required && strings.TrimSpace(value) == "" {
		return fmt.Errorf("field %q is missing or empty", field)
	}
	if len(value) > maxNameBytes {
		return fmt.Errorf("field %q is %d bytes long; at most %d are read", field, len(value), maxNameBytes)
	}
	return nil
}

func checkRatio(field string, value float64) error {
	if !(value >= 0 && value <= 1) {
		return fmt.Errorf("field %q is %g; want a ratio from 0 to 1", field, value)
	}
	return nil
}

func checkMatches(matches []Match) error {
	for _, m := range matches[:min(len(matches), maxMatches)] { // boundHeal cuts the rest
		if m.Count < 0 {
			return fmt.Errorf("field \"matches\" counts %d elements", m.Count)
		}
		if err := checkName("matches.locator", m.Locator, true); err != nil {
			return err
		}
	}
	return nil
}

func checkSite(s *Site) error {
	if s == nil {
		return nil
	}
	if s.Line < 1 || s.Column < 0 {
		return fmt.Errorf("field \"site\" names line %d, column %d; lines count from 1", s.Line, s.Column)
	}
	return checkName("site.file", s.File, true)
}

// boundHeal cuts the texts of e that only describe something, makes its test id, and drops
// what is no name of a picture.
func boundHeal(e *HealEvent) {
	e.TestID = NewTestID(string(e.TestID))
	for _, text := range []*string{&e.API, &e.Action, &e.Reason, &e.PageURL} {
		*text = BoundText(*text)
	}
	if p := e.Pictures; p != nil {
		for _, name := range []*string{&p.Lost, &p.Found} {
			if !IsPictureName(*name) {
				*name = ""
			}
		}
		if p.Lost == "" && p.Found == "" {
			e.Pictures = nil
		}
	}
	if e.Trial != nil {
		e.Trial.Reason = BoundText(e.Trial.Reason)
	}
	e.Matches = e.Matches[:min(len(e.Matches), maxMatches)]
	e.Changed = e.Changed[:min(len(e.Changed), maxChanges)]
	for i, c := range e.Changed {
		e.Changed[i] = Change{BoundText(c.What), BoundText(c.Was), BoundText(c.Now)}
	}
	boundFingerprint(&e.Original)
	boundFingerprint(&e.Healed)
}

func boundFingerprint(f *Fingerprint) {
	for _, text := range []*string{&f.Tag, &f.Text, &f.Locator, &f.Role, &f.Name, &f.Label, &f.Href, &f.Page} {
		*text = BoundText(*text)
	}
	f.TestID = TestID(BoundText(string(f.TestID)))
	for _, list := range []*[]string{&f.DOMPath, &f.Siblings, &f.Neighbours} {
		*list = (*list)[:min(len(*list), maxListItems)]
		for i, text := range *list {
			(*list)[i] = BoundText(text)
		}
	}
	f.Attributes = f.Attributes[:min(len(f.Attributes), maxListItems)]
	for i, a := range f.Attributes {
		f.Attributes[i] = Attribute{BoundText(a.Name), BoundText(a.Value)}
	}
}

// BoundText returns text cut to maxDescriptionBytes at a character, ending in "…" when
// something was cut.
func BoundText(text string) string {
	const mark = "…"
	if len(text) <= maxDescriptionBytes {
		return text
	}
	end := maxDescriptionBytes - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end]) + mark
}
