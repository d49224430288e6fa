package crumb

import (
	"io"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/selfmend"
)

// None as a file name is no file.
const None = live.None

// Options say how a page learns and heals. The zero value is the default.
type Options = live.Options

// Event is a heal, a suggestion or a refusal.
type Event = engine.HealEvent

// Baseline is what a file of selfmend (v0.2) holds: fingerprints by test,
// locator and occurrence. Reading and writing a file that selfmend wrote gives
// the same bytes. The zero value is empty.
type Baseline = selfmend.Baseline

// ReadBaseline reads a .selfmend/baseline.json.
func ReadBaseline(r io.Reader) (*Baseline, error) { return selfmend.ReadBaseline(r) }

// Summary saves what still waits and writes what the process healed, suggested and
// refused, boxed as selfmend does. Call it at the end of TestMain:
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		crumb.Summary(os.Stdout)
//		os.Exit(code)
//	}
//
// Nothing is written when no locator was lost and nothing went wrong. The error
// is that of the writer.
func Summary(w io.Writer) error { return live.Summary(w) }

// Events returns what Summary tells of, in the order it came; Outcome and Reason say which
// it is: a heal, a suggestion, a refusal, or a locator that finds another element than was
// learned. Count says how many calls met the same. Of more than 10,000 it returns the
// first.
func Events() []Event { return live.Events() }

// SummaryOf writes events as Summary does, such as those that Options.OnHeal collected.
// The error is that of the writer.
func SummaryOf(w io.Writer, events []Event) error { return live.SummaryOf(w, events) }

// Forget forgets what the test that the options name learned of a locator, in their
// database and baseline and in this process. The locator is Playwright's selector or a
// call as the test writes it; all of its uses in the test are forgotten. Forget reports
// whether anything was known. What was healed stays on record.
func Forget(options Options, locator string) (bool, error) { return live.Forget(options, locator) }

// Clear forgets what all tests learned that is in the options' database and baseline, and
// returns how many elements that were. What was healed stays on record.
func Clear(options Options) (int, error) { return live.Clear(options) }
