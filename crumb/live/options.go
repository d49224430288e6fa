package live

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// None as a file name is no file.
const None = "-"

// Options say how a page learns and heals. The zero value is the default.
//
// Relative file names are below the root of the repository, or of the module
// where there is no repository, so that the tests of all packages share files.
type Options struct {
	// TestID identifies the test, as t.Name() does; "" is the name of the
	// test function that called Wrap.
	TestID string
	// DB is the database that keeps fingerprints and heals; "" is
	// BREADCRUMB_DB or else .breadcrumb.db, None is no database.
	DB string
	// Events is a file that every heal, suggestion and refusal is appended to, one
	// breadcrumb.heal/v1 object a line; "" is BREADCRUMB_EVENTS or else none.
	Events string
	// Baseline is a file of selfmend's, such as .selfmend/baseline.json, that
	// is healed from after the database and learned into; "" is none.
	Baseline string

	// Preset is the way to score: "default" (also ""), "breadcrumb-docs" (also
	// "breadcrumb"), "breadcrumb-py" or "selfmend"; see package engine/heal/preset.
	Preset string
	// Threshold is the least confidence of a heal, in (0,1]; 0 is the preset's.
	Threshold float64
	// Margin is the least lead over the runner-up, in [0,1]; 0 is the
	// preset's, negative is none.
	Margin float64
	// TestIDAttribute is the attribute that GetByTestId reads; "" is data-testid.
	TestIDAttribute string
	// Timeout is how long an action waits that names no timeout, in ms, until
	// SetDefaultTimeout is called on the wrapped page or its context; 0 is
	// Playwright's 30,000.
	Timeout float64

	// Heal is what is done for a locator that finds nothing. "live" does the action
	// on the element that is proven the same. "suggest" names the element and does
	// nothing: the test fails as without Breadcrumb. "off" looks for nothing. All
	// learn. "" is BREADCRUMB_HEAL, or else the key heal of .breadcrumb.yml, or
	// else "live".
	Heal string
	// Pictures says whether a small picture of each healed and suggested element is kept
	// beside the file of events: "on" or "off". "" is BREADCRUMB_PICTURES, or else the key
	// pictures of .breadcrumb.yml, or else "on".
	Pictures string
	// UpdateOnHeal learns the healed element in the place of the lost one. By
	// default what was learned stays until the test is edited or passes on
	// another element by itself.
	UpdateOnHeal bool
	// Frozen heals, and learns nothing. BREADCRUMB_LEARN=off, and learn: off in
	// .breadcrumb.yml, do the same.
	Frozen bool
	// Disabled makes the page behave like Playwright's own. BREADCRUMB_HEAL=off
	// and BREADCRUMB_LEARN=off together do the same for a whole run.
	Disabled bool

	// OnHeal is called with every heal, suggestion and refusal, with what was found ahead of
	// other tests, and with every locator that finds another element than was learned, once
	// it is in the file of events.
	// Calls that meet the same again only raise the count in Events and Summary. It is
	// called where the test's own call is made, or where what was learned is saved; a
	// panic in it is told by Summary and ends no test. nil is nobody.
	OnHeal func(engine.HealEvent)
	// Log is told what went wrong in learning and saving, which never fails a
	// test; nil is nobody. Summary tells it too.
	Log *slog.Logger
	// Now is the clock of events; nil is the system's.
	Now func() time.Time
}

// playwrightTimeout is how long Playwright waits when nobody says, in ms.
const playwrightTimeout = 30_000

// resolved returns o with its defaults filled in for a process.
func (o Options) resolved(p environment) (Options, heal.Options, error) {
	scorer, err := o.scorer()
	if err != nil {
		return o, scorer, err
	}
	if o.TestID == "" {
		o.TestID = p.testFunction()
	}
	if o.TestID == "" {
		return o, scorer, errors.New("options have no TestID and no test function called: set it to t.Name()")
	}
	o.TestID = string(engine.NewTestID(o.TestID))
	if db := cmp.Or(o.DB, p.env("BREADCRUMB_DB")); strings.Contains(db, "://") {
		return o, scorer, fmt.Errorf("database %.40q is no file: tests keep what they learn in a file, which the action takes over by heal-db", db)
	}
	o.DB = p.resolveFile(cmp.Or(o.DB, p.env("BREADCRUMB_DB"), ".breadcrumb.db"))
	o.Events = p.resolveFile(cmp.Or(o.Events, p.env("BREADCRUMB_EVENTS"), None))
	o.Baseline = p.resolveFile(cmp.Or(o.Baseline, None))
	o.TestIDAttribute = cmp.Or(o.TestIDAttribute, "data-testid")
	if o.Timeout == 0 {
		o.Timeout = playwrightTimeout
	}
	learns, err := Learns(p.env, p.root)
	if err != nil {
		return o, scorer, err
	}
	o.Frozen = o.Frozen || !learns
	mode, err := o.healMode(p)
	if err != nil {
		return o, scorer, err
	}
	o.Heal = string(mode)
	if o.Pictures, err = PictureMode(o.Pictures, p.env, p.root); err != nil {
		return o, scorer, err
	}
	o.Disabled = o.Disabled || o.Frozen && mode == engine.HealOff
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = p.now
	}
	return o, scorer, nil
}

// WillLearn reports whether tests with these options learn. The error is of the options.
func (o Options) WillLearn() (bool, error) {
	resolved, err := o.ofAnyTest()
	return err == nil && !resolved.Frozen && !resolved.Disabled, err
}

// WillHeal reports whether tests with these options look for what they lose. The error is of
// the options.
func (o Options) WillHeal() (bool, error) {
	resolved, err := o.ofAnyTest()
	return err == nil && resolved.Heal != string(engine.HealOff) && !resolved.Disabled, err
}

func (o Options) ofAnyTest() (Options, error) {
	around, err := readEnvironment()
	if err != nil {
		return o, err
	}
	o.TestID = "any test"
	resolved, _, err := o.resolved(around)
	return resolved, err
}

// scorer returns what the engine is to decide by.
func (o Options) scorer() (heal.Options, error) {
	scorer, err := preset.Parse(o.Preset)
	switch {
	case err != nil:
		return heal.Options{}, err
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return heal.Options{}, fmt.Errorf("threshold %g: want a ratio in (0,1], or 0 for the preset's", o.Threshold)
	case !(o.Margin <= 1):
		return heal.Options{}, fmt.Errorf("margin %g: want a ratio in [0,1], or a negative number for none", o.Margin)
	case !(o.Timeout >= 0) || math.IsInf(o.Timeout, 0):
		return heal.Options{}, fmt.Errorf("timeout %g: want ms, or 0 for Playwright's default", o.Timeout)
	}
	return heal.Options{Preset: scorer, Threshold: o.Threshold, Margin: o.Margin}, nil
}

// switchedOff reports whether an environment variable switches something off.
func switchedOff(value string) bool {
	return value == "off" || value == "0" || value == "false" || value == "no"
}

// resolveFile returns the whole name of a file, "" for None.
func (s environment) resolveFile(name string) string {
	if name == None {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.root, name)
	}
	return filepath.Clean(name)
}

// environment is what options are completed from.
type environment struct {
	env  func(name string) string
	now  func() time.Time
	root string // of the repository or module the tests run in
}

// findRoot returns the nearest folder above that is a repository, or else a
// module, or else the folder itself.
func findRoot(folder string) string {
	for _, mark := range []string{".git", "go.mod"} {
		for up, below := folder, ""; up != below; up, below = filepath.Dir(up), up {
			if _, err := os.Stat(filepath.Join(up, mark)); err == nil {
				return up
			}
		}
	}
	return folder
}

// testFunction returns the name of the outermost test function on the stack,
// without its package, "" for none.
func (environment) testFunction() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	name := ""
	for {
		f, more := frames.Next()
		function := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		_, function, _ = strings.Cut(function, ".")
		if strings.HasSuffix(f.File, "_test.go") && strings.HasPrefix(function, "Test") {
			name = function
		}
		if !more {
			return name
		}
	}
}

// files are the files that tests with these options share.
func (o Options) files() record.Files {
	f := record.Files{Database: o.DB, Baseline: o.Baseline}
	if f.Baseline != "" {
		f.TestIDAttribute = o.TestIDAttribute
	}
	return f
}
