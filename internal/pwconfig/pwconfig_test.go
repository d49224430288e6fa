package pwconfig

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marks returns the findings as "! Name" or "  Name", one a line.
func marks(findings []Finding) string {
	var out []string
	for _, f := range findings {
		mark := "  "
		if f.Bad {
			mark = "! "
		}
		out = append(out, mark+f.Name)
	}
	return strings.Join(out, "\n")
}

func TestAdvice(t *testing.T) {
	const allBad = "! Reporter\n  Retries\n! Action timeout\n! Trace"
	const allWell = "  Reporter\n  Retries\n  Action timeout\n  Trace"
	cases := map[string]struct {
		config, workflow, want string
	}{
		"nothing said": {`export default defineConfig({ testDir: "tests" })`, "", allBad},
		"all well": {`reporter: [["junit", { outputFile: "x.xml", includeRetries: true }]],
			use: { actionTimeout: 5_000, trace: { mode: process.env.PR ? "retain-on-failure" : "on", screenshots: false, sources: false } }`, "", allWell},
		"larger than needed":     {`reporter: "json", use: { actionTimeout: 5000, trace: 'on' }`, "", allWell + "\n  Trace size"},
		"only failed ones":       {`reporter: [['blob']], use: { actionTimeout: 5000, trace: "retain-on-failure" }`, "", "  Reporter\n  Retries\n  Action timeout\n! Trace"},
		"only on retry":          {`reporter: [['blob']], use: { actionTimeout: 0, trace: "on-first-retry" }`, "", "  Reporter\n  Retries\n! Action timeout\n! Trace"},
		"off in words":           {`reporter: [['json']], use: { actionTimeout: 1, trace: "off" }`, "", "  Reporter\n  Retries\n  Action timeout\n! Trace"},
		"said elsewhere":         {`reporter: [['json']], use: { actionTimeout: limit, trace: traceMode }`, "", allWell},
		"retries are lost":       {`reporter: [["junit", { outputFile: "x.xml" }]], use: { actionTimeout: 5, trace: { mode: "on", screenshots: false, sources: false } }`, "", "  Reporter\n! Retries\n  Action timeout\n  Trace"},
		"only in comments":       {"// reporter: 'junit', actionTimeout: 5\n/* trace: 'on' */\nuse: { baseURL: 'http://x//y' }", "", allBad},
		"by the environment":     {`reporter: "junit", use: { actionTimeout: 5, trace: { mode: "on", screenshots: false, sources: false } }`, "env:\n  PLAYWRIGHT_JUNIT_INCLUDE_RETRIES: 1", allWell},
		"by the command":         {`use: { actionTimeout: 5 }`, "run: npx playwright test --reporter=blob --trace on", allWell + "\n  Trace size"},
		"led":                    {`reporter: "blob"`, "      - run: breadcrumb run -- npx playwright test\n", "  Reporter\n  Retries\n  Action timeout\n  Trace"},
		"led by a script":        {`use: { trace: "on-first-retry" }`, "run: breadcrumb run --heal live -- npm run e2e -- --reporter=list,blob\n", "  Reporter\n  Retries\n  Action timeout\n  Trace"},
		"led in a comment":       {`reporter: "blob"`, "# breadcrumb run -- npx playwright test\n", "  Reporter\n  Retries\n! Action timeout\n! Trace"},
		"a URL is no comment":    {`use: { baseURL: "http://127.0.0.1:80", actionTimeout: 5, trace: { mode: "on", screenshots: false, sources: false } }, reporter: "blob"`, "", allWell},
		"the end of a long text": {strings.Repeat("/* ", 1000), "", allBad},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, marks(Advise(Read([]byte(c.config)), c.workflow))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRetriesAreToldAsTheyAreSet(t *testing.T) {
	const none = "none are set in the configuration: with retries: process.env.CI ? 2 : 0 a test that fails and then passes shows that it is flaky"
	for config, want := range map[string]string{
		`reporter: "blob"`: none,
		`reporter: [["junit", { includeRetries: true }]], retries: 0`:                               none,
		`reporter: [["junit", { includeRetries: true }]], retries: process.env.CI ? 2 : 0, use: {}`: "2, in the report",
		`reporter: "json", retries: process.env.RETRIES ? 3 : 1, use: {}`:                           "process.env.RETRIES ? 3 : 1, in the report",
	} {
		if got := Read([]byte(config)).adviseRetries(); got.Text != want || got.Bad {
			t.Errorf("%s: %+v", config, got)
		}
	}
	if got := Advise(Read([]byte(`reporter: "blob"`)), "run: npx playwright test --retries=2")[1].Text; got != "2, in the report" {
		t.Errorf("set by the command: %s", got)
	}
}

func TestReadTakesWhatHoldsInCI(t *testing.T) {
	for name, c := range map[string]struct{ config, want string }{
		"one of two":        {`export default { reporter: process.env.CI ? 'html' : [['junit', { outputFile: 'x.xml' }]] };`, "reads [] plain [html]"},
		"the other":         {`export default { reporter: !process.env.CI ? 'html' : 'blob' };`, "reads [blob] plain [blob]"},
		"twice denied":      {`export default { reporter: !!process.env.CI ? 'blob' : 'html', };`, "reads [blob] plain [blob]"},
		"by a name":         {"const isCI = !!process.env.CI;\nexport default { reporter: isCI ? [['github'], ['json', { outputFile: 'a.json' }]] : 'list' };", "reads [json] plain []"},
		"spread":            {`export default { reporter: [['list'], ...(process.env.CI ? [['blob']] : [])] };`, "reads [blob] plain []"},
		"one in another":    {`export default { reporter: process.env.CI ? process.env.CI ? 'dot' : 'json' : 'junit' };`, "reads [] plain [dot]"},
		"another variable":  {`export default { reporter: process.env.BLOB ? 'blob' : 'html' };`, "reads [blob] plain [] chosen"},
		"with options":      {`export default { reporter: [['html', { open: 'never' }]] };`, "reads [] plain []"},
		"names alone":       {"export default {\n  reporter: [['html'], [\"list\"],],\n};", "reads [] plain [html list]"},
		"none":              {`export default { retries: process.env.CI ? 2 : 0 };`, "reads [] plain []"},
		"output folder":     {`export default { outputDir: process.env.CI ? 'out/pw' : 'tmp' };`, "reads [] plain [] traces out/pw"},
		"computed folder":   {"export default { outputDir: path.join(root, 'x') };", "reads [] plain [] computed"},
		"no server":         {`export default { use: { baseURL: process.env.URL ?? "http://localhost:3000" } };`, "reads [] plain [] no server for http://localhost:3000"},
		"a server":          {`export default { webServer: { command: 'npm start' }, use: { baseURL: "http://localhost:3000" } };`, "reads [] plain []"},
		"elsewhere":         {`export default { use: { baseURL: "https://localhost.example" } };`, "reads [] plain []"},
		"a choice not over": {`process.env.CI ? (`, "reads [] plain []"},
	} {
		t.Run(name, func(t *testing.T) {
			c, want := Read([]byte(c.config)), c.want
			got := fmt.Sprintf("reads %v plain %v", c.Reporters, c.Plain)
			for label, said := range map[string]bool{" chosen": c.Chosen, " computed": c.Computed, " traces " + c.OutputDir: c.OutputDir != "", " no server for " + c.LocalURL: c.LocalURL != ""} {
				if said {
					got += label
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`use: { trace: { mode: "on" } } // "`), "run: npx playwright test --trace on")
	f.Fuzz(func(t *testing.T, config []byte, workflow string) {
		if n := len(Advise(Read(config), workflow)); n < 4 {
			t.Errorf("%d findings", n)
		}
	})
}

// A timeout of actions leaves a test with three lost locators time to end.
func TestTheTimeoutOfActionsFitsIntoThatOfATest(t *testing.T) {
	for config, want := range map[string]string{
		`testDir: "e2e"`:                                  "none: set actionTimeout: 5_000;",
		`timeout: 60_000`:                                 "none: set actionTimeout: 5_000;",
		`timeout: 0`:                                      "none: set actionTimeout: 5_000;",
		`timeout: process.env.CI ? 10_000 : 0`:            "none: set actionTimeout: 1_500;",
		`timeout: minutes(1)`:                             "none: set actionTimeout: 5_000;",
		`timeout: 10_000`:                                 "none: set actionTimeout: 1_500;",
		`timeout: 15000`:                                  "none: set actionTimeout: 2_500;",
		`timeout: 1000`:                                   "none: set actionTimeout: 1_000;",
		`expect: { timeout: 1000 }`:                       "none: set actionTimeout: 5_000;",
		`use: { actionTimeout: 8_000 }`:                   "8_000",
		`use: { actionTimeout: 10_000 }`:                  "10_000: the test's own timeout ends a test with 3 lost locators before its end, so that their edits are only suggested; actionTimeout: 5_000 leaves it time",
		`use: { actionTimeout: 10_000 }, timeout: 60_000`: "10_000",
		`use: { actionTimeout: 10_000 }, timeout: 0`:      "10_000",
		`use: { actionTimeout: seconds(9) }`:              "seconds(9)",
	} {
		c := Read([]byte("export default { " + config + " };"))
		if got := c.adviseTimeout(); !strings.HasPrefix(got.Text, want) || strings.HasPrefix(want, "none") != got.Bad || !got.Bad && got.Text != want {
			t.Errorf("%s: %+v", config, got)
		}
	}
	text, ok := Improve([]byte("export default {\n  reporter: 'blob', timeout: 12_000,\n};\n"), Read([]byte("export default {\n  reporter: 'blob', timeout: 12_000,\n};\n")))
	if !ok || !strings.Contains(string(text), "use: { actionTimeout: 2_000, ") {
		t.Errorf("%v: %s", ok, text)
	}
}

func TestAReporterOfTheCommandIsToldAsThat(t *testing.T) {
	for _, c := range []struct{ config, workflow, want string }{
		{`reporter: "list"`, "run: npx playwright test --reporter=list,junit", "list, junit (by the workflow's --reporter)"},
		{`reporter: "junit"`, "run: npx playwright test --reporter=list,blob", "junit, list, blob"},
		{`reporter: "junit"`, "run: npx playwright test", "junit"},
	} {
		if got := Advise(Read([]byte("export default { "+c.config+" };")), c.workflow)[0]; got.Text != c.want || got.Bad {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
