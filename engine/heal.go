package engine

import "encoding/json"

// HealSchema is the schema name every heal event line carries.
const HealSchema = "breadcrumb.heal/v1"

// HealOutcome says whether a broken locator was healed.
type HealOutcome string

// A heal passed both gates and its action was replayed; a refusal left the
// test failing.
const (
	OutcomeHealed  HealOutcome = "healed"
	OutcomeRefused HealOutcome = "refused"
)

// The reasons of a refusal.
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
	// alike it is: it says the opposite, belongs to other data, or asks for a
	// login that was not there.
	ReasonOtherMeaning = "other-meaning"
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

// HealEvent is one broken locator: what it was and, when healed, what it
// became. Every text in it is the test run's own and hostile.
type HealEvent struct {
	TestID        string      `json:"test_id"`
	Locator       string      `json:"locator"`
	API           string      `json:"api,omitempty"`    // "locator", "getByTestId", …
	Action        string      `json:"action,omitempty"` // "click", "fill", …
	Confidence    float64     `json:"confidence"`       // ratio in [0,1]
	RunnerUp      float64     `json:"runner_up,omitempty"`
	Outcome       HealOutcome `json:"outcome"`
	Reason        string      `json:"reason,omitempty"` // of a refusal
	HealedLocator string      `json:"healed_locator,omitempty"`
	Original      Fingerprint `json:"original"`
	Healed        Fingerprint `json:"healed"`
	Matches       []Match     `json:"matches,omitempty"`
	Site          *Site       `json:"site,omitempty"`
	Occurrence    int         `json:"occurrence,omitempty"`
	PageURL       string      `json:"page_url,omitempty"`
	Timestamp     float64     `json:"timestamp"` // Unix seconds

	// Source is the file the event was read from. It is not part of the event.
	Source string `json:"-"`
	// Trace is the trace.zip that the event was worked out from, "" for one that
	// a healer wrote. Nothing was replayed then: it is a proposal for a test that
	// failed. It is not part of the event, so that no file can claim it.
	Trace string `json:"-"`
	// Extra holds the fields this version does not know, kept as they came.
	Extra map[string]json.RawMessage `json:"-"`
}
