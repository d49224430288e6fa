package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
)

const (
	healedLine = `{"schema":"breadcrumb.heal/v1","test_id":"tests/login.spec.ts › signs in","locator":"#login-btn","api":"locator","action":"click",` +
		`"confidence":0.93,"runner_up":0.41,"outcome":"healed","healed_locator":"[data-testid=\"login\"]",` +
		`"original":{"tag":"button","text":"log in","attributes":[["id","login-btn"]],"dom_path":["html","body","form"],"siblings":["input"],"locator":"#login-btn","test_id":"t","bbox":{"x":1,"y":2,"width":3,"height":4}},` +
		`"healed":{"tag":"button","text":"log in","attributes":[["data-testid","login"]],"dom_path":["html","body","form"],"siblings":["input"],"locator":"","test_id":"","bbox":null,"role":"button","visible":true},` +
		`"site":{"file":"tests/login.spec.ts","line":12,"column":20},"occurrence":2,"page_url":"/login","timestamp":1760000000.5,` +
		`"engine":{"name":"other","v":[1,2]},"model":"m1"}`
	refusedLine = `{"schema":"breadcrumb.heal/v1","test_id":"t","locator":"#x","confidence":0,"outcome":"refused","reason":"no-candidates","original":{},"healed":{},"timestamp":0}`
)

// line returns refusedLine with one of its parts replaced.
func line(old, new string) string {
	if !strings.Contains(refusedLine, old) {
		panic("the line does not hold " + old)
	}
	return strings.Replace(refusedLine, old, new, 1)
}

func TestReadHealsReadsEveryField(t *testing.T) {
	events, notices := engine.ReadHeals("heals/a.ndjson", strings.NewReader(healedLine+"\n"))
	visible := true
	want := []engine.HealEvent{{
		TestID: "tests/login.spec.ts › signs in", Locator: "#login-btn", API: "locator", Action: "click",
		Confidence: 0.93, RunnerUp: 0.41, Outcome: engine.OutcomeHealed, HealedLocator: `[data-testid="login"]`,
		Original: engine.Fingerprint{
			Tag: "button", Text: "log in", Attributes: engine.Attributes{{Name: "id", Value: "login-btn"}},
			DOMPath: []string{"html", "body", "form"}, Siblings: []string{"input"}, Locator: "#login-btn", TestID: "t",
			BBox: &engine.BoundingBox{X: 1, Y: 2, Width: 3, Height: 4},
		},
		Healed: engine.Fingerprint{
			Tag: "button", Text: "log in", Attributes: engine.Attributes{{Name: "data-testid", Value: "login"}},
			DOMPath: []string{"html", "body", "form"}, Siblings: []string{"input"}, Role: "button", Visible: &visible,
		},
		Site: &engine.Site{File: "tests/login.spec.ts", Line: 12, Column: 20}, Occurrence: 2, PageURL: "/login", Timestamp: 1760000000.5,
		Source: "heals/a.ndjson",
		Extra:  map[string]json.RawMessage{"engine": json.RawMessage(`{"name":"other","v":[1,2]}`), "model": json.RawMessage(`"m1"`)},
	}}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(notices) != 0 {
		t.Errorf("notices %v", notices)
	}
}

func TestReadHealsToleratesWhatEditorsAndShellsAdd(t *testing.T) {
	text := "\uFEFF" + refusedLine + "\r\n\r\n  \n\t" + healedLine + "  \r\n" + refusedLine // no line end behind the last
	events, notices := engine.ReadHeals("a", strings.NewReader(text))
	if len(events) != 3 || len(notices) != 0 {
		t.Errorf("%d events, notices %v; want 3 and none", len(events), notices)
	}
}

func TestReadHealsLeavesBadLinesOutAndSaysWhy(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"no JSON", `oops`, `not JSON at byte 1: invalid character 'o' looking for beginning of value`},
		{"cut off", refusedLine[:60], `the JSON ends in the middle`},
		{"a list", `[]`, `want an object, got array`},
		{"two objects", refusedLine + refusedLine, fmt.Sprintf("not JSON at byte %d: ", len(refusedLine)+1) + `invalid character '{' after top-level value`},
		{"no schema", line(`"schema":"breadcrumb.heal/v1",`, ``), `field "schema" is missing; every heal event says "breadcrumb.heal/v1"`},
		{"newer schema", line(`heal/v1`, `heal/v2`), `schema "breadcrumb.heal/v2" is not known to this version, which reads "breadcrumb.heal/v1"`},
		{"schema of another kind", line(`"breadcrumb.heal/v1"`, `1`), `field "schema": want a string, got number`},
		{"no test", line(`"test_id":"t"`, `"test_id":" "`), `field "test_id" is missing or empty`},
		{"no locator", line(`"locator":"#x",`, ``), `field "locator" is missing or empty`},
		{"another case", line(`"locator"`, `"Locator"`), `field "locator" is missing or empty`},
		{"locator of another kind", line(`"#x"`, `{}`), `field "locator": want a string, got object`},
		{"confidence above 1", line(`"confidence":0`, `"confidence":1.01`), `field "confidence" is 1.01; want a ratio from 0 to 1`},
		{"confidence below 0", line(`"confidence":0`, `"confidence":-0.1`), `field "confidence" is -0.1; want a ratio from 0 to 1`},
		{"confidence as text", line(`"confidence":0`, `"confidence":"0.9"`), `field "confidence": want a number, got string`},
		{"confidence beyond numbers", line(`"confidence":0`, `"confidence":1e999`), `field "confidence": want a number, got number 1e999`},
		{"runner-up above 1", line(`"confidence":0`, `"confidence":0,"runner_up":93`), `field "runner_up" is 93; want a ratio from 0 to 1`},
		{"unknown outcome", line(`"refused"`, `"maybe"`), `field "outcome" is "maybe"; want "healed", "suggested" or "refused"`},
		{"no outcome", line(`"outcome":"refused",`, ``), `field "outcome" is ""; want "healed", "suggested" or "refused"`},
		{"site without file", line(`"timestamp":0`, `"site":{"line":3}`), `field "site.file" is missing or empty`},
		{"site before the first line", line(`"timestamp":0`, `"site":{"file":"a.ts","line":0}`), `field "site" names line 0, column 0; lines count from 1`},
		{"line as a fraction", line(`"timestamp":0`, `"site":{"file":"a.ts","line":1.5}`), `field "site": line: want a whole number, got number 1.5`},
		{"negative occurrence", line(`"timestamp":0`, `"occurrence":-1`), `field "occurrence" is -1; it counts from 0`},
		{"a trial that counts more than it ran", line(`"timestamp":0`, `"trial":{"file":"a.ts","line":1,"new":"x","tests":1,"green":2,"red":0}`), `field "trial" names line 1 and 0 of 2 green tests of 1; lines count from 1, and each number holds the one before`},
		{"a trial of no file", line(`"timestamp":0`, `"trial":{"line":1,"new":"x","tests":1}`), `field "trial.file" is missing or empty`},
		{"milliseconds", line(`"timestamp":0`, `"timestamp":1760000000000`), `field "timestamp" is 1.76e+12; want Unix seconds (not milliseconds)`},
		{"fingerprint as a list", line(`"original":{}`, `"original":[]`), `field "original": want an object, got array`},
		{"attributes of another shape", line(`"original":{}`, `"original":{"attributes":[["a"]]}`), `field "original": read attributes: attribute ["a"] is not a [name, value] pair`},
		{"a name that is too long", line(`"#x"`, `"`+strings.Repeat("x", 5000)+`"`), `field "locator" is 5000 bytes long; at most 4096 are read`},
		{"a new name that is too long", line(`"timestamp":0`, `"healed_locator":"`+strings.Repeat("x", 5000)+`"`), `field "healed_locator" is 5000 bytes long; at most 4096 are read`},
		{"a line that is too long", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, `the line is longer than 1 MiB`},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, notices := engine.ReadHeals("heals/a.ndjson", strings.NewReader(refusedLine+"\n"+c.line+"\n"+refusedLine+"\n"))
			want := []engine.Notice{{File: "heals/a.ndjson", Line: 2, Severity: engine.SeverityWarning, Reason: "heal event left out: " + c.want}}
			if diff := cmp.Diff(want, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if len(events) != 2 {
				t.Errorf("%d events, want the 2 around the bad line", len(events))
			}
		})
	}
}

func TestReadHealsTakesNullForAbsent(t *testing.T) {
	events, notices := engine.ReadHeals("a", strings.NewReader(line(`"timestamp":0`, `"timestamp":null,"site":null,"runner_up":null,"reason":null`)))
	if len(events) != 1 || len(notices) != 0 || events[0].Site != nil || events[0].Extra != nil {
		t.Errorf("events %+v, notices %v", events, notices)
	}
}

func TestReadHealsCutsTextsThatOnlyDescribe(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	items := strings.TrimSuffix(strings.Repeat(`"`+long+`",`, 30), ",")
	fingerprint := fmt.Sprintf(`{"tag":"p","text":%q,"attributes":[["a",%q]],"dom_path":[%s],"siblings":[%s]}`, long, long, items, strings.Repeat(`"p",`, 600)+`"p"`)
	text := strings.Replace(line(`"no-candidates"`, fmt.Sprintf("%q", long)), `"original":{}`, `"original":`+fingerprint, 1)
	events, notices := engine.ReadHeals("a", strings.NewReader(text))
	if len(events) != 1 || len(notices) != 0 {
		t.Fatalf("%d events, notices %v", len(events), notices)
	}
	e := events[0]
	for _, cut := range []string{e.Reason, e.Original.Text, e.Original.Attributes[0].Value, e.Original.DOMPath[29]} {
		if len(cut) > 4096 || len(cut) < 4090 || !strings.HasSuffix(cut, "ä…") || !utf8.ValidString(cut) {
			t.Errorf("%d bytes ending in %q", len(cut), cut[len(cut)-8:])
		}
	}
	if len(e.Original.Siblings) != 512 {
		t.Errorf("%d siblings, want 512", len(e.Original.Siblings))
	}
}

func TestReadHealsBoundsWhatASuggestionSaysThatChanged(t *testing.T) {
	change := fmt.Sprintf(`{"what":"name","was":%q,"now":"b"}`, strings.Repeat("ä", 5000))
	text := strings.Replace(line(`"no-candidates"`, `"other-meaning"`), `"original":{}`,
		`"changed":[`+strings.TrimSuffix(strings.Repeat(change+",", 70), ",")+`],"original":{}`, 1)
	events, notices := engine.ReadHeals("a", strings.NewReader(text))
	if len(events) != 1 || len(notices) != 0 {
		t.Fatalf("%d events, notices %v", len(events), notices)
	}
	changed := events[0].Changed
	if len(changed) != 64 || len(changed[63].Was) > 4096 || !strings.HasSuffix(changed[63].Was, "ä…") || changed[63].Now != "b" {
		t.Errorf("%d changes", len(changed))
	}
}

func TestReadHealsDropsWhatIsNoNameOfAPicture(t *testing.T) {
	for given, want := range map[string]*engine.Pictures{
		`{"found":"0123456789abcdef0123456789abcdef.jpg","lost":"../x.jpg"}`: {Found: "0123456789abcdef0123456789abcdef.jpg"},
		`{"found":"../../etc/passwd"}`:                                       nil,
		`{"found":"0123456789abcdef0123456789ABCDEF.jpg"}`:                   nil,
		`{"found":"0123456789abcdef0123456789abcdef.svg"}`:                   nil,
		`{"found":"x","replayed":true}`:                                      nil,
		`{}`:                                                                 nil,
	} {
		events, notices := engine.ReadHeals("a", strings.NewReader(line(`"original":{}`, `"pictures":`+given+`,"original":{}`)))
		if len(events) != 1 || len(notices) != 0 {
			t.Fatalf("%s: %d events, notices %v", given, len(events), notices)
		}
		if diff := cmp.Diff(want, events[0].Pictures); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
	}
}

func TestReadHealsBoundsTheNumberOfNotices(t *testing.T) {
	_, notices := engine.ReadHeals("a", strings.NewReader(strings.Repeat("x\n", 1000)))
	want := engine.Notice{File: "a", Severity: engine.SeverityWarning, Reason: "950 more were left out for reasons like these"}
	if len(notices) != 51 || notices[50] != want {
		t.Errorf("%d notices, the last %+v", len(notices), notices[len(notices)-1])
	}
}

func TestReadHealsBoundsTheNumberOfEvents(t *testing.T) {
	events, notices := engine.ReadHeals("a", strings.NewReader(strings.Repeat(refusedLine+"\n", 20_000)))
	if len(events) != 20_000 || len(notices) != 0 {
		t.Fatalf("%d events, notices %v; want all and none", len(events), notices)
	}
	events, notices = engine.ReadHeals("a", strings.NewReader(strings.Repeat(refusedLine+"\n", 20_002)))
	want := []engine.Notice{{File: "a", Line: 20_001, Severity: engine.SeverityWarning,
		Reason: "the file holds more than 20000 events; from this line on it was left out"}}
	if diff := cmp.Diff(want, notices); len(events) != 20_000 || diff != "" {
		t.Errorf("%d events, notices (-want +got):\n%s", len(events), diff)
	}
}

func TestReadHealsBoundsTheFile(t *testing.T) {
	blank := strings.Repeat(" ", 1<<19) + "\n"
	file := io.MultiReader(strings.NewReader(refusedLine+"\n"), strings.NewReader(strings.Repeat(blank, 140)), strings.NewReader(refusedLine+"\n"))
	events, notices := engine.ReadHeals("a", file)
	if len(events) != 1 || len(notices) != 1 || notices[0].Reason != "the file is larger than 64 MiB; from this line on it was left out" {
		t.Errorf("%d events, notices %v", len(events), notices)
	}
}

func TestReadHealsKeepsWhatCameBeforeAReadError(t *testing.T) {
	file := io.MultiReader(strings.NewReader(refusedLine+"\n"), iotest.ErrReader(errors.New("disk gone")))
	events, notices := engine.ReadHeals("a", file)
	want := []engine.Notice{{File: "a", Line: 2, Severity: engine.SeverityWarning, Reason: "reading stopped here: disk gone"}}
	if diff := cmp.Diff(want, notices); len(events) != 1 || diff != "" {
		t.Errorf("%d events, notices (-want +got):\n%s", len(events), diff)
	}
}

func TestReadHealsNamesUTF16(t *testing.T) {
	_, notices := engine.ReadHeals("a", strings.NewReader("\xff\xfe{\x00}\x00"))
	want := []engine.Notice{{File: "a", Line: 1, Severity: engine.SeverityWarning, Reason: "the file is UTF-16; write it as UTF-8"}}
	if diff := cmp.Diff(want, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestReadHealsOfNothing(t *testing.T) {
	if events, notices := engine.ReadHeals("a", strings.NewReader("")); events != nil || notices != nil {
		t.Errorf("events %v, notices %v", events, notices)
	}
}

func TestHealEventMarshalsSchemaFirstAndExtraLast(t *testing.T) {
	e := engine.HealEvent{
		TestID: "t <&>", Locator: "#x", Outcome: engine.OutcomeRefused,
		Extra: map[string]json.RawMessage{"zz": json.RawMessage(`[ 1 ]`), "aa": json.RawMessage(`null`), "locator": json.RawMessage(`"#other"`), "schema": json.RawMessage(`"x"`)},
	}
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, `{"schema":"breadcrumb.heal/v1","test_id":`) || !strings.HasSuffix(text, `"timestamp":0,"aa":null,"zz":[1]}`) {
		t.Errorf("got %s", text)
	}
	if strings.Contains(text, "#other") || strings.Count(text, `"schema"`) != 1 {
		t.Errorf("a known name of Extra is written as well: %s", text)
	}
}

func TestHealEventRefusesExtraThatIsNoJSON(t *testing.T) {
	for _, raw := range []string{`{`, ``, `1,"locator":"#y"`} {
		_, err := json.Marshal(engine.HealEvent{Extra: map[string]json.RawMessage{"x": json.RawMessage(raw)}})
		if err == nil {
			t.Errorf("Extra %q is written", raw)
		}
	}
}

func TestHealEventRoundTrip(t *testing.T) {
	events, _ := engine.ReadHeals("a", strings.NewReader(healedLine+"\n"+refusedLine))
	if len(events) != 2 {
		t.Fatalf("%d events", len(events))
	}
	for _, e := range events {
		roundTrip(t, e)
	}
}

// roundTrip checks that an event survives being written and read.
func roundTrip(t *testing.T, e engine.HealEvent) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("write %+v: %v", e, err)
	}
	back, notices := engine.ReadHeals(e.Source, strings.NewReader(string(text)))
	if len(back) != 1 || len(notices) != 0 {
		t.Fatalf("%s reads as %d events, notices %v", text, len(back), notices)
	}
	if diff := cmp.Diff(e, back[0], cmpopts.EquateEmpty(), sortedAttributes, compactJSON); diff != "" {
		t.Errorf("%s (-want +got):\n%s", text, diff)
	}
}

// The seed's form sorts attributes; the white space of kept JSON is not kept.
var (
	sortedAttributes = cmpopts.SortSlices(func(a, b engine.Attribute) bool {
		return a.Name < b.Name || a.Name == b.Name && a.Value < b.Value
	})
	compactJSON = cmp.Comparer(func(a, b json.RawMessage) bool {
		x, errX := json.Marshal(a)
		y, errY := json.Marshal(b)
		return errX == nil && errY == nil && string(x) == string(y)
	})
)

func FuzzReadHeals(f *testing.F) {
	f.Add(healedLine + "\n" + refusedLine)
	f.Add("\uFEFF" + refusedLine + "\r\n{\r\n")
	f.Add(line(`"original":{}`, `"original":{"attributes":{"id":"x"}},"extra":[{}]`))
	f.Fuzz(func(t *testing.T, text string) {
		events, notices := engine.ReadHeals("a", strings.NewReader(text))
		lines := strings.Count(text, "\n") + 1
		if len(events) > lines || len(notices) > 52 {
			t.Fatalf("%d events and %d notices of %d lines", len(events), len(notices), lines)
		}
		for _, n := range notices {
			if n.Severity != engine.SeverityWarning || n.Line > lines || n.Reason == "" {
				t.Fatalf("notice %+v", n)
			}
		}
		for _, e := range events {
			if !(e.Confidence >= 0 && e.Confidence <= 1) || e.TestID == "" || e.Locator == "" {
				t.Fatalf("event %+v", e)
			}
			roundTrip(t, e)
		}
	})
}

func BenchmarkReadHeals1000(b *testing.B) {
	text := strings.Repeat(healedLine+"\n", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if events, _ := engine.ReadHeals("a", strings.NewReader(text)); len(events) != 1000 {
			b.Fatal(len(events))
		}
	}
}

// A log of events only grows: what a trial says of an event is written behind it.
func TestAnEventWithATrialTakesThePlaceOfTheSameWithout(t *testing.T) {
	trial := strings.Replace(healedLine, `"timestamp"`, `"trial":{"file":"a.ts","line":12,"new":"'#b'","tests":2,"green":2,"red":1},"timestamp"`, 1)
	later := strings.Replace(trial, `1760000000.5`, `1760000009.5`, 1)
	events, notices := engine.ReadHeals("a", strings.NewReader(strings.Join([]string{healedLine, refusedLine, trial, later}, "\n")))
	if len(events) != 3 || len(notices) != 0 {
		t.Fatalf("%d events, notices %v; want 3 and none", len(events), notices)
	}
	if !events[0].Trial.Proven() || events[1].Trial.Proven() || events[2].Timestamp != 1760000009.5 {
		t.Errorf("events %+v", events)
	}
}

func TestATrialProvesWhatNeedsTheElement(t *testing.T) {
	for _, c := range []struct {
		trial engine.Trial
		want  bool
	}{
		{engine.Trial{Tests: 5, Green: 5, Red: 1}, true},
		{engine.Trial{Tests: 5, Green: 4, Red: 4}, false},
		{engine.Trial{Tests: 5, Green: 5}, false},
		{engine.Trial{}, false},
		{engine.Trial{Tests: 1, Green: 1, Red: 1, Reason: engine.TrialOther}, false},
	} {
		if c.trial.Proven() != c.want {
			t.Errorf("%+v: %v", c.trial, !c.want)
		}
	}
}
