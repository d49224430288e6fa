package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/internal/golden"
)

// A page answers what it wants.
func FuzzReadView(f *testing.F) {
	f.Add(`{"target":1}` + "\n" + `[{"p":-1,"t":"body","a":[["id","x"]],"v":1},{"p":0,"t":"p","a":[],"x":"hi","b":[0,0,10,10],"v":1}]`)
	f.Add(`{"target":9}` + "\n" + `[{"p":7,"t":"a"}]`)
	f.Add(unanswered)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readView(text)
		if err != nil {
			return
		}
		if v.target >= len(v.elements) {
			t.Fatalf("target %d of %d", v.target, len(v.elements))
		}
		if v.target >= 0 && len(v.elements) < 1000 {
			page, err := newLearning().preparePage([]string{text, text})
			if err != nil || page.own != len(v.elements) {
				t.Fatalf("%d elements of the first document, want %d: %v", page.own, len(v.elements), err)
			}
			page.Learn(v.target)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	around := environment{root: "/repo", now: time.Now, env: func(name string) string {
		return map[string]string{"BREADCRUMB_DB": "db/x.db", "BREADCRUMB_LEARN": "off"}[name]
	}}
	for name, o := range map[string]Options{
		"preset":    {TestID: "T", Preset: "magic"},
		"threshold": {TestID: "T", Threshold: 1.5},
		"margin":    {TestID: "T", Margin: 2},
		"timeout":   {TestID: "T", Timeout: -1},
		"database":  {TestID: "T", DB: "postgres://db.example/crumbs"},
		"mode":      {TestID: "T", Heal: "sometimes"},
	} {
		if _, _, err := o.resolved(around); err == nil {
			t.Errorf("a bad %s was taken", name)
		}
	}
	o, scorer, err := Options{Preset: "selfmend", Events: "heals.ndjson"}.resolved(around)
	if err != nil || scorer.Preset != preset.Selfmend {
		t.Fatalf("%v %+v", err, scorer)
	}
	if o.TestID != t.Name() || o.DB != "/repo/db/x.db" || o.Events != "/repo/heals.ndjson" || o.Baseline != "" || !o.Frozen || o.Disabled || o.Timeout != 30_000 {
		t.Errorf("resolved to %+v", o)
	}
}

// The options win over the environment, the environment over the settings file.
func TestHealModeIsTheNearest(t *testing.T) {
	for _, c := range []struct {
		name, option, variable, file string
		want                         engine.HealMode
		problem                      string
	}{
		{name: "nobody says", want: engine.HealLive},
		{name: "no key", file: "junit: a.xml\n", want: engine.HealLive},
		{name: "the file", file: "junit: a.xml\nheal: suggest\n", want: engine.HealSuggest},
		{name: "the file, a word that YAML 1.1 reads as false", file: "heal: off\n", want: engine.HealOff},
		{name: "the environment", variable: "live", file: "heal: off\n", want: engine.HealLive},
		{name: "the environment, as it was before", variable: "0", want: engine.HealOff},
		{name: "the option", option: "suggest", variable: "off", file: "heal: live\n", want: engine.HealSuggest},
		{name: "a typing error in the environment", variable: "sugest", problem: `BREADCRUMB_HEAL: heal is "sugest"; it must be one of live, suggest, off`},
		{name: "a typing error in the file", file: "heal: sugest\n", problem: `.breadcrumb.yml: heal is "sugest"; it must be one of live, suggest, off`},
		{name: "a list", file: "heal: [off]\n", problem: ".breadcrumb.yml line 1: heal must be a plain value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			around := environment{root: t.TempDir(), now: time.Now, env: func(name string) string {
				return map[string]string{"BREADCRUMB_HEAL": c.variable}[name]
			}}
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(around.root, settingsFile), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o, _, err := Options{TestID: "T", Heal: c.option}.resolved(around)
			if c.problem != "" {
				if err == nil || err.Error() != c.problem {
					t.Fatalf("error %v, want %s", err, c.problem)
				}
				return
			}
			if err != nil || o.Heal != string(c.want) || o.Disabled {
				t.Errorf("%v %+v, want %s", err, o, c.want)
			}
		})
	}
}

func TestLearningIsSwitchedOffInEitherPlace(t *testing.T) {
	for _, c := range []struct {
		variable, file string
		frozen         bool
		problem        string
	}{
		{},
		{file: "learn: on\nheal: off\n"},
		{file: "learn: off\n", frozen: true},
		{variable: "off", frozen: true},
		{variable: "off", file: "learn: on\n", frozen: true},
		{file: "learn: of\n", problem: `.breadcrumb.yml: learn is "of"; it must be on or off`},
		{file: "learn: [off]\n", problem: ".breadcrumb.yml line 1: learn must be a plain value"},
	} {
		around := environment{root: t.TempDir(), now: time.Now, env: func(name string) string {
			return map[string]string{"BREADCRUMB_LEARN": c.variable}[name]
		}}
		if err := os.WriteFile(filepath.Join(around.root, settingsFile), []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		o, _, err := Options{TestID: "T"}.resolved(around)
		if c.problem != "" {
			if err == nil || err.Error() != c.problem {
				t.Errorf("%+v: error %v", c, err)
			}
			continue
		}
		if err != nil || o.Frozen != c.frozen {
			t.Errorf("%+v: frozen %t, error %v", c, o.Frozen, err)
		}
	}
}

func TestPicturesAreSwitchedByTheNearest(t *testing.T) {
	for _, c := range []struct{ name, option, variable, file, want, problem string }{
		{name: "nobody says", want: PicturesOn},
		{name: "the file", file: "pictures: off\n", want: PicturesOff},
		{name: "the environment", variable: "on", file: "pictures: off\n", want: PicturesOn},
		{name: "the environment, as others are switched off", variable: "0", want: PicturesOff},
		{name: "the option", option: "off", variable: "on", file: "pictures: on\n", want: PicturesOff},
		{name: "a typing error in the environment", variable: "of", problem: `BREADCRUMB_PICTURES is "of"; it must be on or off`},
		{name: "a typing error in the file", file: "pictures: of\n", problem: `.breadcrumb.yml: pictures is "of"; it must be on or off`},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, settingsFile), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			env := func(name string) string { return map[string]string{"BREADCRUMB_PICTURES": c.variable}[name] }
			o, _, err := Options{TestID: "T", Pictures: c.option}.resolved(environment{root: root, now: time.Now, env: env})
			if c.problem != "" {
				if err == nil || err.Error() != c.problem {
					t.Fatalf("error %v, want %s", err, c.problem)
				}
				return
			}
			if err != nil || o.Pictures != c.want {
				t.Errorf("%q, %v; want %q", o.Pictures, err, c.want)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	events := []engine.HealEvent{
		{TestID: "checkout", API: "locator", Locator: ".btn-primary", HealedLocator: `[data-testid="submit-btn"]`, Confidence: 0.998, Count: 5, Outcome: engine.OutcomeHealed,
			Source: "heals/go.ndjson", Pictures: &engine.Pictures{Found: strings.Repeat("0f", 16) + ".jpg"}},
		{TestID: "a\x1b[31m::error::name", Locator: `internal:role=button[name="Pay"i]`, Outcome: engine.OutcomeHealed, Confidence: .9},
		{TestID: "deploy", API: "locator", Locator: "#staging", HealedLocator: "#production", Confidence: 0.97, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning,
			Changed: []engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to\n::error::production"}, {What: "row", Was: "web"}}, Source: "heals/\n::error::x/go.ndjson", Pictures: &engine.Pictures{Found: strings.Repeat("1e", 16) + ".jpg"}},
		{TestID: "deploy", API: "locator", Locator: "#staging", HealedLocator: "#production", Confidence: 0.97, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning}, // its retry
		{TestID: "deploy again", API: "locator", Locator: "#staging", HealedLocator: "#production", Confidence: 0.97, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning},
		{TestID: "swapped", Locator: "#add-mug", Outcome: engine.OutcomeRefused, Reason: engine.ReasonDrifted, Changed: []engine.Change{{What: "text", Was: "Add mug", Now: "Add towel"}}},
		{TestID: "delete", API: "locator", Locator: "#row", Confidence: 0.41, Outcome: engine.OutcomeRefused, Reason: "ambiguous"},
		{TestID: "rename", API: "locator", Locator: "#name", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true, Confidence: 0.99,
			Healed: engine.Fingerprint{Tag: "input", Attributes: engine.Attributes{{Name: "id", Value: "display-name"}}}},
		{TestID: "checkout", API: "locator", Locator: ".btn-primary", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true}, // met since
		{TestID: "new", API: "locator", Locator: "#never-seen", Outcome: engine.OutcomeRefused, Reason: "no-fingerprint"},
	}
	got := renderBoxes(events, 3, []string{"lock database: it is in use"}) + renderBoxes(nil, 0, nil)
	golden.Check(t, "testdata/summary.txt", got)
	if fitted := fitBoxes(got, 0); fitted != got {
		t.Errorf("boxes of any width are others:\n%s", fitted)
	}
	fitted := fitBoxes(got, 40)
	for line := range strings.Lines(fitted) {
		if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > 40 {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("│┌┐└┘─ \n", r) {
				return -1
			}
			return r
		}, s)
	}
	if letters(fitted) != letters(got) || strings.Count(fitted, "┌") != strings.Count(got, "┌") {
		t.Errorf("narrow boxes say something else:\n%s", fitted)
	}
}
