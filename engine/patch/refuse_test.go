package patch

import (
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

func TestProposeRefusesBecause(t *testing.T) {
	const role = `internal:role=button[name="Save"i]`
	cases := []struct {
		name string
		heal
		because string
	}{
		{"two places in the own test", heal{test: spec + "buys a pair", old: "#twice", new: "#once"}, `"#twice" stands at 2 places in ts/login.spec.ts (lines 36 and 37)`},
		{"only in another test", heal{test: spec + "buys a pair", old: "#login-btn", new: "#in"}, "only inside other tests"},
		{"not in the file", heal{test: spec + "signs in", old: "#nowhere", new: "#in"}, `"#nowhere" does not stand in ts/login.spec.ts`},
		{"comment", heal{test: spec + "signs in", old: "#only-in-comment", new: "#in"}, "no string literal of its own"},
		{"unknown receiver", heal{test: spec + "signs in", old: `internal:text="Dismiss"i`, new: `internal:text="Close"i`}, "cannot be told"},
		{"template with a field", heal{test: spec + "picks size m", old: "#size-m", new: "#m"}, "does not stand"},
		{"joined with a variable", heal{test: spec + "picks size m", old: "#a", new: "#b"}, "joined with other text"},
		{"ternary, first branch", heal{test: spec + "computed", old: "#burger", new: "#b"}, "one branch of a condition"},
		{"ternary, second branch", heal{test: spec + "computed", old: "#nav", new: "#b"}, "one branch of a condition"},
		{"joined literals", heal{test: spec + "computed", old: "#concat", new: "#b"}, "joined with other text"},
		{"tail of joined literals", heal{test: spec + "computed", old: "#concat-tail", new: "#b"}, "as several literals that are joined"},
		{"method on the literal", heal{test: spec + "computed", old: "css=#trimmed", new: "css=#b"}, "changed by a method call"},
		{"regular expression locator", heal{test: spec + "computed", old: `internal:text=/Regex only/i`, new: `internal:text=/x/`}, "regular expression"},
		{"healed by a regular expression", heal{test: spec + "computed", old: `internal:text="Both"i`, new: `internal:text=/Both/i`}, "regular expression"},
		{"key of the keyboard", heal{test: spec + "computed", old: "#pressed", new: "#b"}, "outside a locator call"},
		{"argument of a log call", heal{test: spec + "computed", old: "#logged", new: "#b"}, "outside a locator call"},
		{"inside a regex literal", heal{test: spec + "computed", old: "#in-regex", new: "#b"}, "no string literal of its own"},
		{"the DOM's own query", heal{test: spec + "computed", old: "#dom-only", new: "#b"}, "outside a locator call"},
		{"literal over lines", heal{test: spec + "computed", old: "line\ntwo", new: "#b"}, "spans lines"},
		{"chain of another length", heal{test: spec + "buys a pair", old: `#cart >> ` + role, new: `main button`}, "another chain"},
		{"two parts changed", heal{test: spec + "buys a pair", old: `#cart >> internal:role=button[name="Check out"i]`, new: `#basket >> internal:role=button[name="Pay"i]`}, "more than one part"},
		{"hangs on another locator", heal{test: spec + "buys a pair", old: `#wish >> internal:role=button[name="Check out"i]`, new: `#wish >> internal:role=button[name="Pay"i]`}, "hangs on another locator"},
		{"page-wide locator, chained call", heal{test: spec + "buys a pair", old: `internal:role=button[name="Check out"i]`, new: `internal:role=button[name="Pay"i]`}, "hangs on another locator"},
		{"frame locator is no element", heal{test: spec + "buys a pair", old: `#pay-frame`, new: `#payment`}, "outside a locator call"},
		{"nothing changed", heal{test: spec + "signs in", old: "#login-btn", new: "#login-btn"}, "equals the old one"},
		{"role in the source differs", heal{test: spec + "signs in", old: `internal:role=link[name="Sign in"s]`, new: `internal:role=link[name="Log in"s]`}, "outside a locator call"},
		{"exactness in the source differs", heal{test: spec + "signs in", old: `internal:role=button[name="Sign in"i]`, new: `internal:role=button[name="Log in"i]`}, "outside a locator call"},
		{"conditions in the source differ", heal{test: spec + "computed", old: `internal:role=button[name="Bold"i]`, new: `internal:role=button[name="Fat"i]`}, "outside a locator call"},
		{"text for test id", heal{test: spec + "signs in", old: "test-id=welcome", new: "text=Hello"}, "found by text"},
		{"another test attribute for a test id", heal{test: spec + "signs in", old: "internal:testid=[data-testid=\"welcome\"s]", new: `[data-qa="hello"]`}, "found by css"},
		{"generated id", heal{test: spec + "signs in", old: "#login-btn", new: "#\\:r1\\:"}, "generated name"},
		{"radix id", heal{test: spec + "signs in", old: "#login-btn", new: "[id=\"radix-:r3:\"]"}, "generated name"},
		{"hashed class", heal{test: spec + "signs in", old: "#login-btn", new: ".Button_primary__x7Ab2"}, "generated name"},
		{"styled component", heal{test: spec + "signs in", old: "#login-btn", new: ".sc-bdVaJa"}, "generated name"},
		{"nth child", heal{test: spec + "signs in", old: "#login-btn", new: "form > button:nth-child(2)"}, "position"},
		{"path of tags", heal{test: spec + "signs in", old: "#login-btn", new: "body > div > main > button"}, "path of tags"},
		{"absolute xpath", heal{test: spec + "signs in", old: `xpath=//button[@id="buy"]`, new: "xpath=/html/body/div[2]/button"}, "position"},
		{"line break in the new value", heal{test: spec + "signs in", old: "test-id=welcome", new: "internal:testid=[data-testid=\"a\nb\"s]"}, "control or invisible"},
		{"bidirectional mark in the new value", heal{test: spec + "signs in", old: "test-id=welcome", new: "test-id=a\u202eb"}, "control or invisible"},
		{"endless value", heal{test: spec + "signs in", old: "#login-btn", new: "#" + strings.Repeat("a", 400)}, "too long"},
		{"not healed locator", heal{test: spec + "signs in", old: "", new: "#x"}, "empty"},
		{"file not there", heal{test: "ts/absent.spec.ts › x", old: "#a", new: "#b"}, "not in the checkout"},
		{"no file named", heal{test: "signs in", old: "#a", new: "#b"}, "names no source file"},
		{"outside the checkout", heal{test: "../../etc/x.ts › x", old: "#a", new: "#b"}, "outside the checkout"},

		{"java constant", heal{test: junit + "signsIn", old: "#login-constant", new: "#b"}, "no locator call in reach takes by name"},
		{"c# constant", heal{test: nunit + "SignsIn", old: "#login-constant", new: "#b"}, "no locator call in reach takes by name"},
		{"go constant", heal{test: gotest + "TestSignsIn", old: "#login-constant", new: "#b"}, "no locator call in reach takes by name"},
		{"python docstring", heal{test: pytest + "test_sign_in", old: "#docstring", new: "#b"}, "no string literal of its own"},
		{"python comment", heal{test: pytest + "TestAccount::test_saves", old: "#commented", new: "#b"}, "no string literal of its own"},
		{"python f-string with a field", heal{test: pytest + "test_size[m]", old: "#size-m", new: "#b"}, "does not stand"},
		{"python adjacent literals", heal{test: pytest + "test_size[m]", old: "#size-", new: "#b"}, "joined with other text"},
		{"python percent", heal{test: pytest + "test_size[m]", old: "#opt-%s", new: "#b"}, "joined with other text"},
		{"python format", heal{test: pytest + "test_size[m]", old: "#fmt-{}", new: "#b"}, "changed by a method call"},
		{"python condition", heal{test: pytest + "test_size[m]", old: "#yes", new: "#b"}, "one branch of a condition"},
		{"python bytes", heal{test: pytest + "TestAccount::test_saves", old: "#bytes", new: "#b"}, "no string literal of its own"},
		{"python twice", heal{test: pytest + "TestAccount::test_saves_address", old: "#dup", new: "#b"}, "2 places"},
		{"python other class", heal{test: pytest + "TestOther::test_saves", old: `internal:text="Save profile"i`, new: `internal:text="x"i`}, "only inside other tests"},

		{"java comment", heal{test: junit + "buys", old: "#commented", new: "#b"}, "no string literal of its own"},
		{"java format", heal{test: junit + "signsIn", old: "#fmt-%s", new: "#b"}, "outside a locator call"},
		{"java joined", heal{test: junit + "signsIn", old: "#a", new: "#b"}, "joined with other text"},
		{"java ternary", heal{test: junit + "buys", old: "#two", new: "#b"}, "one branch of a condition"},
		{"java annotation", heal{test: junit + "sizes", old: "#in-annotation", new: "#b"}, "outside a locator call"},
		{"java twice", heal{test: junit + "buys", old: `internal:label="Twice"i`, new: `internal:label="Once"i`}, "2 places"},
		{"java other test", heal{test: junit + "sizes", old: "#buy", new: "#b"}, "only inside other tests"},

		{"c# interpolation", heal{test: nunit + "SignsIn", old: "#size-02", new: "#b"}, "does not stand"},
		{"c# joined", heal{test: nunit + "SignsIn", old: "#a", new: "#b"}, "joined with other text"},
		{"c# ternary", heal{test: nunit + "Sizes", old: "#small", new: "#b"}, "one branch of a condition"},
		{"c# comment", heal{test: nunit + "Sizes", old: "#commented", new: "#b"}, "no string literal of its own"},
		{"c# twice", heal{test: nunit + "Sizes", old: "#twice", new: "#b"}, "2 places"},

		{"go sprintf", heal{test: gotest + "TestSignsIn", old: "#size-%d", new: "#b"}, "outside a locator call"},
		{"go joined", heal{test: gotest + "TestSignsIn", old: "#a", new: "#b"}, "joined with other text"},
		{"go raw string cannot hold it", heal{test: gotest + "TestSignsIn", old: `[name="q"]`, new: "[name=\"a`b\"]"}, "cannot be written in the quotes"},
		{"go other subtest", heal{test: gotest + "TestBuys/one_pair", old: "#buy-two", new: "#b"}, "only inside other tests"},
		{"go comment", heal{test: gotest + "TestBuys", old: "#commented", new: "#b"}, "no string literal of its own"},
		{"go twice in the subtest", heal{test: gotest + "TestBuys/two_pairs", old: `internal:text="Twice"i`, new: `internal:text="Once"i`}, "2 places"},
	}
	p := New(os.DirFS("testdata"))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := p.Propose(c.event(), nil)
			if got.Edit != nil {
				t.Fatalf("edited line %d: %s", got.Edit.Line, got.Edit.After)
			}
			if !strings.Contains(got.Reason, c.because) {
				t.Errorf("reason %q, want %q", got.Reason, c.because)
			}
		})
	}
	t.Logf("%d cases", len(cases))
}

func TestProposeLeavesFilesThatAreNotPlainSourceAlone(t *testing.T) {
	body := "import { test } from 'x';\ntest('a', async ({ page }) => {\n  await page.locator('#a').click();\n});\n"
	long := "const x = '" + strings.Repeat("y", 2100) + "'; "
	cases := map[string]struct{ file, text, because string }{
		"not UTF-8":      {"a.spec.ts", body + "// \xff", "not UTF-8"},
		"too large":      {"a.spec.ts", body + "//" + strings.Repeat("x", 1<<20), "larger than 1 MiB"},
		"minified line":  {"a.spec.ts", strings.Replace(body, "  await", long+"await", 1), "longer than 2000"},
		"generated":      {"a.spec.ts", "// @generated by x\n" + body, "generated code"},
		"unclosed":       {"a.spec.ts", body + "const y = `", "cannot be read for sure"},
		"unbalanced":     {"a.spec.ts", body + "})", "cannot be read for sure"},
		"other language": {"a.spec.rb", body, "in no language"},
		"git folder":     {".git/a.spec.ts", body, "not in the checkout"},
		"forge folder":   {".github/a.spec.ts", body, "not in the checkout"},
		"forge, upper":   {"x/.GitHub/a.spec.ts", body, "not in the checkout"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			src := fstest.MapFS{c.file: {Data: []byte(c.text)}}
			e := engine.HealEvent{TestID: "a", Locator: "#a", HealedLocator: "#b", Confidence: 1, Site: &engine.Site{File: c.file, Line: 3}}
			got := Propose(e, nil, src)
			if got.Edit != nil || !strings.Contains(got.Reason, c.because) {
				t.Errorf("edit %v, reason %q, want %q", got.Edit, got.Reason, c.because)
			}
		})
	}
}

func TestProposeFollowsNoLinks(t *testing.T) {
	root := t.TempDir()
	outside := t.TempDir() + "/a.spec.ts"
	text := "test('a', async ({ page }) => {\n  await page.locator('#a').click();\n});\n"
	if err := os.WriteFile(outside, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, root+"/a.spec.ts"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	e := engine.HealEvent{TestID: "a.spec.ts › a", Locator: "#a", HealedLocator: "#b", Confidence: 1}
	if got := Propose(e, nil, os.DirFS(root)); got.Edit != nil {
		t.Errorf("edited through a link: %+v", got.Edit)
	}
}

func TestProposeFindsTheFileByItsEnd(t *testing.T) {
	text := "test('a', async ({ page }) => {\n  await page.locator('#a').click();\n});\n"
	src := fstest.MapFS{
		"e2e/one/a.spec.ts":      {Data: []byte(text)},
		"e2e/one/b.spec.ts":      {Data: []byte(text)},
		"e2e/two/b.spec.ts":      {Data: []byte(text)},
		"node_modules/a.spec.ts": {Data: []byte(text)},
	}
	cases := map[string]string{
		"a.spec.ts": "e2e/one/a.spec.ts", "one/a.spec.ts": "e2e/one/a.spec.ts", "./e2e/one/a.spec.ts": "e2e/one/a.spec.ts",
		`e2e\one\a.spec.ts`: "e2e/one/a.spec.ts", "/home/runner/work/x/x/e2e/one/a.spec.ts": "e2e/one/a.spec.ts",
		`D:\a\x\x\e2e\one\a.spec.ts`: "e2e/one/a.spec.ts", "file:///w/e2e/two/b.spec.ts": "e2e/two/b.spec.ts",
		"b.spec.ts": "", "spec.ts": "", "xone/a.spec.ts": "",
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			e := engine.HealEvent{TestID: "a", Locator: "#a", HealedLocator: "#b", Confidence: 1}
			got := Propose(e, &engine.TestResult{File: name, Name: "a"}, src)
			if want == "" {
				if got.Edit != nil {
					t.Fatalf("edited %s", got.Edit.File)
				}
				return
			}
			if got.Edit == nil || got.Edit.File != want {
				t.Errorf("edit %v, reason %q, want %s", got.Edit, got.Reason, want)
			}
		})
	}
}

func TestProposeFindsTheFileByTheClass(t *testing.T) {
	cases := []struct {
		name string
		id   string
		res  *engine.TestResult
		want string
	}{
		{"java class of the result", "signsIn", &engine.TestResult{Class: "LoginTest", Name: "signsIn"}, "java/LoginTest.java"},
		{"java test id", "LoginTest.signsIn", nil, "java/LoginTest.java"},
		{"java test id with a hash", "LoginTest#signsIn()", nil, "java/LoginTest.java"},
		{"c# full name", "Shop.Tests.LoginTests.SignsIn", nil, "cs/LoginTests.cs"},
		{"pytest module", "test_sign_in", &engine.TestResult{Class: "py.test_login", Name: "test_sign_in"}, "py/test_login.py"},
		{"unknown class", "Shop.AbsentTest.signsIn", nil, ""},
	}
	p := New(os.DirFS("testdata"))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := p.Propose(engine.HealEvent{TestID: engine.TestID(c.id), Locator: "#login-btn", HealedLocator: "#b", Confidence: 1}, c.res)
			switch {
			case c.want == "" && got.Edit != nil:
				t.Errorf("edited %s", got.Edit.File)
			case c.want != "" && (got.Edit == nil || got.Edit.File != c.want || got.Confidence != placementTest):
				t.Errorf("edit %v, reason %q, confidence %v", got.Edit, got.Reason, got.Confidence)
			}
		})
	}
}

func TestProposeTellsTwoOnALineApartByTheColumn(t *testing.T) {
	line := "  await page.locator('#a').click(); await page.locator('#a').hover();"
	src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('a', async ({ page }) => {\n" + line + "\n});\n")}}
	e := engine.HealEvent{TestID: "a.spec.ts › a", Locator: "#a", HealedLocator: "#b", Confidence: 1, Site: &engine.Site{File: "a.spec.ts", Line: 2}}
	if got := Propose(e, nil, src); got.Edit != nil {
		t.Errorf("edited %s without a column", got.Edit.After)
	}
	for column, want := range map[int]string{
		strings.Index(line, "click") + 1: "  await page.locator('#b').click(); await page.locator('#a').hover();",
		strings.Index(line, "hover") + 1: "  await page.locator('#a').click(); await page.locator('#b').hover();",
		1:                                "",
	} {
		e.Site.Column = column
		got := Propose(e, nil, src)
		if want == "" && got.Edit != nil || want != "" && (got.Edit == nil || got.Edit.After != want || got.Confidence != placementSite) {
			t.Errorf("column %d: %v, %s", column, got.Edit, got.Reason)
		}
	}
}

func TestProposeConfidenceIsARatio(t *testing.T) {
	for confidence, want := range map[float64]float64{math.Inf(1): 0.95, 7: 0.95, -1: 0, math.NaN(): 0, 0.5: 0.475} {
		e := heal{test: spec + "signs in", old: "#login-btn", new: "#in"}.event()
		e.Confidence = confidence
		if got := Propose(e, nil, os.DirFS("testdata")); got.Edit == nil || got.Confidence != want {
			t.Errorf("confidence %v of %v (%s), want %v", got.Confidence, confidence, got.Reason, want)
		}
	}
}

func TestProposeLeavesRefusedHealsAlone(t *testing.T) {
	e := heal{test: spec + "signs in", old: "#login-btn", new: "#in"}.event()
	e.Outcome = engine.OutcomeRefused
	if got := Propose(e, nil, os.DirFS("testdata")); got.Edit != nil || got.Reason == "" {
		t.Errorf("edit %v, reason %q", got.Edit, got.Reason)
	}
}

func TestProposeSaysThatAnEditWasMade(t *testing.T) {
	const made, absent = "the edit is in the file already: line 2 of a.spec.ts has the new locator", "does not stand in a.spec.ts"
	for name, c := range map[string]struct {
		call, healed, because string
		line                  int
	}{
		"as a string":                    {`page.locator('#b')`, "#b", made, 2},
		"as a call of its own":           {`page.getByTestId('pay')`, `[data-testid="pay"]`, made, 2},
		"on a line that is not named":    {`page.locator('#b')`, "#b", absent, 0},
		"on another line":                {`page.locator('#b')`, "#b", absent, 3},
		"another locator stands there":   {`page.locator('#c')`, "#b", absent, 2},
		"inside another one":             {`page.locator('#c').locator('#b')`, "#b", absent, 2},
		"twice on the line":              {`page.locator('#b').or(page.locator('#b'))`, "#b", absent, 2},
		"only a text with that value":    {`page.fill('#c', '#b')`, "#b", absent, 2},
		"the old one is still elsewhere": {`page.locator('#b'); // '#a'`, "#b", "no string literal of its own", 2},
	} {
		t.Run(name, func(t *testing.T) {
			src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('pays', async ({ page }) => {\n  await " + c.call + ";\n  await page.reload();\n});\n")}}
			e := engine.HealEvent{TestID: "a.spec.ts › pays", Locator: "#a", HealedLocator: c.healed, Confidence: 1, Outcome: engine.OutcomeHealed}
			if c.line > 0 {
				e.Site = &engine.Site{File: "a.spec.ts", Line: c.line}
			}
			if got := Propose(e, nil, src); got.Edit != nil || !strings.Contains(got.Reason, c.because) {
				t.Errorf("edit %v, reason %q, want %q", got.Edit, got.Reason, c.because)
			}
		})
	}
}
