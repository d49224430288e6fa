// Package selfmend reads what selfmend leaves behind: heals attached to a
// Playwright JSON report, and the baselines of its locators.
package selfmend

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/breadcrumb/action/engine"
	"io"
	"strings"
	"time"
)

// selfmendAttachment is the name selfmend gives its attachments.
const selfmendAttachment = "selfmend-heal"

// ReadPlaywrightHeals returns the heal events that selfmend (v0.2) attached to
// the tests of a Playwright JSON report, in report order, one per attachment of
// every attempt. The test ID is "file › titles"; the site is where the test
// begins, since selfmend does not say where the locator is. The project, when
// it has a name, is kept in Extra["project"]. What cannot be read is left out
// with a warning; a report without selfmend attachments gives neither events
// nor notices.
func ReadHeals(name string, r io.Reader) ([]engine.HealEvent, []engine.Notice) {
	w := selfmendWalk{engine.HealCollector{File: name}}
	err := eachSuite(r,
		func(s playwrightSuite) error { return w.suite(s, nil, 0) },
		func(err error) { w.Skip(0, fmt.Sprintf("a suite of the Playwright JSON report was left out: %v", err)) })
	if err != nil {
		w.Stop(0, fmt.Sprintf("reading the Playwright JSON report stopped: %v", err))
	}
	return w.Done()
}

// selfmendWalk gathers the heals of one report.
type selfmendWalk struct{ engine.HealCollector }

var errManyHeals = fmt.Errorf("the report holds more than %d heal events", engine.MaxHeals)

// suite walks one suite. titles are those of the suites around it, without the
// outermost, whose title is the file.
func (w *selfmendWalk) suite(s playwrightSuite, titles []string, depth int) error {
	if depth > maxSuiteDepth {
		return fmt.Errorf("suites are nested more than %d deep", maxSuiteDepth)
	}
	if depth > 0 {
		titles = append(titles, s.Title)
	}
	for _, spec := range s.Specs {
		if spec.File == "" {
			spec.File = s.File
		}
		if err := w.spec(spec, titles); err != nil {
			return err
		}
	}
	for _, inner := range s.Suites {
		if err := w.suite(inner, titles, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *selfmendWalk) spec(s playwrightSpec, titles []string) error {
	path := append([]string{s.File}, titles...)
	about := engine.HealEvent{TestID: strings.Join(append(path, s.Title), " › ")}
	if s.File != "" && s.Line > 0 {
		about.Site = &engine.Site{File: s.File, Line: s.Line, Column: max(0, s.Col)}
	}
	for _, test := range s.Tests {
		e := about
		if test.Project != "" {
			e.Extra = map[string]json.RawMessage{"project": json.RawMessage(quoted(engine.BoundText(test.Project)))}
		}
		for _, result := range test.Results {
			if err := w.result(result, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *selfmendWalk) result(r playwrightResult, about engine.HealEvent) error {
	about.Timestamp = unixSeconds(r.StartTime)
	for _, a := range r.Attachments {
		if a.Name != selfmendAttachment {
			continue
		}
		if w.Full() {
			return errManyHeals
		}
		e, err := selfmendHeal(a.Body, about)
		if err != nil {
			w.Skip(0, fmt.Sprintf("heal event left out: test %.120q: %v", about.TestID, err))
			continue
		}
		w.Add(0, e)
	}
	return nil
}

// selfmendHeal decodes one attachment body into a copy of about.
func selfmendHeal(body *string, about engine.HealEvent) (engine.HealEvent, error) {
	if body == nil {
		return about, errors.New("the attachment has no body in the report")
	}
	if len(*body) > engine.MaxHealBytes {
		return about, errors.New("the attachment is larger than 1 MiB")
	}
	text, err := base64.StdEncoding.DecodeString(*body)
	if err != nil {
		return about, errors.New("the attachment is not base64")
	}
	var in struct {
		Kind             *string `json:"kind"`
		OriginalSelector string  `json:"originalSelector"`
		HealedTarget     string  `json:"healedTarget"`
		Score            float64 `json:"score"`
		Reason           string  `json:"reason"`
		BestScore        float64 `json:"bestScore"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return about, fmt.Errorf("the attachment: %w", engine.ExplainJSON(err))
	}
	about.API, about.Locator = splitSelector(in.OriginalSelector)
	switch {
	case in.Kind == nil || *in.Kind == "healed":
		about.Outcome, about.Confidence, about.HealedLocator = engine.OutcomeHealed, in.Score, in.HealedTarget
	case *in.Kind == "refused":
		about.Outcome, about.Confidence, about.Reason = engine.OutcomeRefused, in.BestScore, refusal(in.Reason)
	default:
		return about, fmt.Errorf("kind %.40q is neither \"healed\" nor \"refused\"", *in.Kind)
	}
	return about, nil
}

// refusal returns selfmend's reason in our words.
func refusal(reason string) string {
	if reason == "below-floor" {
		return "below-threshold"
	}
	return reason
}

// unixSeconds returns an RFC 3339 time as Unix seconds, 0 when it is none.
func unixSeconds(text string) float64 {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Unix() < 0 {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
