package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// HealSchema is the schema name every heal event line carries.
const HealSchema = "breadcrumb.heal/v1"

// HealOutcome says what became of a broken locator.
type HealOutcome string

// A heal is proven the same element, and the action was done on it. A suggestion
// is likely the element, or what became of it, but means something else now; the
// test failed, and a person decides. A refusal left the test failing, too.
const (
	OutcomeHealed    HealOutcome = "healed"
	OutcomeSuggested HealOutcome = "suggested"
	OutcomeRefused   HealOutcome = "refused"
)

// The reasons of a refusal or a suggestion.
const (
	ReasonNoFingerprint  = "no-fingerprint"
	ReasonNoCandidates   = "no-candidates"
	ReasonBelowThreshold = "below-threshold"
	ReasonAmbiguous      = "ambiguous"
	// ReasonOtherPage: the test is on another page than the one its element was
	// on, because it was sent to the login or its step back failed. An element
	// that looks alike there is another element.
	ReasonOtherPage = "other-page"
	// ReasonOtherMeaning: the likeliest element does something else, however
	// alike it is: what it says was replaced, or it belongs to another row or
	// section.
	ReasonOtherMeaning = "other-meaning"
	// ReasonNotToldApart: several elements are alike, and nothing but their places
	// tells them apart.
	ReasonNotToldApart = "not-told-apart"
	// ReasonVetoed: a person said that the likeliest element is another one.
	ReasonVetoed = "vetoed"
	// ReasonSuggestOnly: the element would have been healed, and the setting heal
	// is suggest.
	ReasonSuggestOnly = "suggest-only"
	// ReasonOtherData: the element is like the one that was learned at this place with other
	// data of the test, such as a name that each run makes anew.
	ReasonOtherData = "other-data"
	// ReasonDrifted: nothing was lost, but the locator finds another element than
	// the one learned. The test went on with it, and it was not learned.
	ReasonDrifted = "drifted"
	// ReasonRenamed: nobody looked for the element; a name in its locator became another one
	// elsewhere in the run, and the error of its test says that it found nothing.
	ReasonRenamed = "renamed"
	// ReasonUnverified: the element is proven the same in the trace of a test that failed,
	// where nothing was done with it. It is the reason by which the history keeps what would
	// be a heal.
	ReasonUnverified = "unverified"
	// ReasonAhead: the element is proven the same on a page that was seen changed, before
	// its test lost it. It is the reason of an event that is Ahead.
	ReasonAhead = "ahead"
)

// Site is the place of the locator call in the test's source.
type Site struct {
	File   string `json:"file"`             // slash-separated, relative to the checkout
	Line   int    `json:"line"`             // 1-based
	Column int    `json:"column,omitempty"` // 1-based, 0 when unknown
}

// Match is how many elements of the page a locator found when the healer tried
// it after the heal.
type Match struct {
	Locator string `json:"locator"`
	Count   int    `json:"count"`
}

// Change is one difference between what a lost element meant and what another
// means: What names the text or the surroundings that differ, "name" or "row", say.
type Change struct {
	What string `json:"what"`
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// AskedText is a text by which a locator looks for its element: one that the element
// itself is to say, or, with Around, one that an element around it says.
type AskedText struct {
	Text   string
	Around bool
}

// HealEvent is one broken locator: what it was and, when healed, what it
// became. Every text in it is the test run's own and hostile.
type HealEvent struct {
	TestID        TestID      `json:"test_id"`
	Locator       string      `json:"locator"`
	API           string      `json:"api,omitempty"`    // "locator", "getByTestId", …
	Action        string      `json:"action,omitempty"` // "click", "fill", …
	Confidence    float64     `json:"confidence"`       // ratio in [0,1]
	RunnerUp      float64     `json:"runner_up,omitempty"`
	Outcome       HealOutcome `json:"outcome"`
	Reason        string      `json:"reason,omitempty"`         // of a refusal or a suggestion
	Ahead         bool        `json:"ahead,omitempty"`          // a suggestion before the test met the loss: another test saw its page changed
	Changed       []Change    `json:"changed,omitempty"`        // of a suggestion, or of a heal whose element says something else
	Synonym       bool        `json:"synonym,omitempty"`        // people accepted what Changed says as the same
	Count         int         `json:"count,omitempty"`          // calls that met this loss, 0 for one
	HealedLocator string      `json:"healed_locator,omitempty"` // of a suggestion, too
	Original      Fingerprint `json:"original"`
	Healed        Fingerprint `json:"healed"`
	Matches       []Match     `json:"matches,omitempty"`
	Site          *Site       `json:"site,omitempty"`
	Occurrence    int         `json:"occurrence,omitempty"`
	PageURL       string      `json:"page_url,omitempty"`
	Pictures      *Pictures   `json:"pictures,omitempty"` // nil where none was taken
	Trial         *Trial      `json:"trial,omitempty"`    // of its edit, nil where none was made
	Timestamp     float64     `json:"timestamp"`          // Unix seconds

	// Source is the file the event was read from. It is not part of the event.
	Source string `json:"-"`
	// Trace is the trace.zip that the event was computed from, "" for one that a
	// healer wrote. An event from a trace is a proposal for a test that failed:
	// no action was done. It is not part of the event, so that no file can claim it.
	Trace string `json:"-"`
	// Veto says in words that a person vetoed the element, "" where none did. It is not
	// part of the event: only the history knows it.
	Veto string `json:"-"`
	// Extra holds the fields this version does not know, kept as they came.
	Extra map[string]json.RawMessage `json:"-"`
}

// plainHeal is a HealEvent without its methods, for encoding/json.
type plainHeal HealEvent

// MarshalJSON returns the event as one breadcrumb.heal/v1 object: schema first,
// the known fields in their documented order, then Extra sorted by name. An entry
// of Extra with the name of a known field is left out.
func (e HealEvent) MarshalJSON() ([]byte, error) {
	var line bytes.Buffer
	known, err := json.Marshal(struct {
		Schema string `json:"schema"`
		plainHeal
	}{HealSchema, plainHeal(e)})
	if err != nil {
		return nil, fmt.Errorf("write heal event: %w", err)
	}
	line.Write(known[:len(known)-1])
	fields := (&plainHeal{}).fields()
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		if _, ok := fields[name]; ok || name == "schema" {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("write heal event: %w", err)
		}
		line.WriteByte(',')
		line.Write(key)
		line.WriteByte(':')
		if err := json.Compact(&line, e.Extra[name]); err != nil {
			return nil, fmt.Errorf("write heal event: field %.40q: %w", name, err)
		}
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

// UnmarshalJSON reads one breadcrumb.heal/v1 object. Field names are matched
// exactly, null counts as absent, and fields the schema does not know go to
// Extra. An object of another schema is an error. Values are not checked here but
// by ReadHeals.
func (e *HealEvent) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return ExplainJSON(err)
	}
	if err := checkSchema(raw["schema"]); err != nil {
		return err
	}
	delete(raw, "schema")
	var plain plainHeal
	fields := plain.fields()
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		target, ok := fields[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw[name], target); err != nil {
			return fmt.Errorf("field %q: %w", name, ExplainJSON(err))
		}
		delete(raw, name)
	}
	if len(raw) > 0 {
		plain.Extra = raw
	}
	*e = HealEvent(plain)
	return nil
}

// fields returns a pointer to each known field, by its name in the schema.
func (e *plainHeal) fields() map[string]any {
	known := map[string]any{}
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "-" {
			known[name] = v.Field(i).Addr().Interface()
		}
	}
	return known
}

func checkSchema(raw json.RawMessage) error {
	if raw == nil {
		return fmt.Errorf("field \"schema\" is missing; every heal event says %q", HealSchema)
	}
	var schema string
	if err := json.Unmarshal(raw, &schema); err != nil {
		return fmt.Errorf("field \"schema\": %w", ExplainJSON(err))
	}
	if schema != HealSchema {
		return fmt.Errorf("schema %.60q is not known to this version, which reads %q", schema, HealSchema)
	}
	return nil
}

// ExplainJSON turns an error of encoding/json into a sentence without Go's names.
func ExplainJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return errors.New("the JSON ends in the middle")
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%.60s: want %s, got %s", kind.Field, kindName(kind.Type), kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("want %s, got %s", kindName(kind.Type), kind.Value)
	default:
		return err
	}
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}
