package pwconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Finding is the judgement of one setting.
type Finding struct {
	Name string // "Reporter", "Retries", "Action timeout", "Trace", "Trace size"
	Text string // its value, or what to switch on and why
	Bad  bool
}

// Settings in a command line or the environment of a workflow that override the
// configuration.
var (
	retriesInEnv      = lazyregexp.New(`PLAYWRIGHT_JUNIT_INCLUDE_RETRIES\s*[:=]\s*["']?(1|true)`)
	traceOnCommand    = lazyregexp.New(`(?:playwright test|(?:npm|pnpm|yarn|bun) )[^\n]*--trace[= ]["']?([\w-]+)`)
	retriesOnCommand  = lazyregexp.New(`(?:playwright test|(?:npm|pnpm|yarn|bun) )[^\n]*--retries[= ]["']?(\d+)`)
	reporterOnCommand = lazyregexp.New(`(?:playwright test|(?:npm|pnpm|yarn|bun) )[^\n]*--reporter[= ]["']?([\w,]+)`)

	// ledCommand matches a line with a command that breadcrumb run leads.
	ledCommand = lazyregexp.New(`(?m)^[^#\n]*\bbreadcrumb run\s(?:[^\n]*\s)?--\s`)
)

// Advise judges a configuration, given the text of the workflows that run it. Where
// breadcrumb run leads tests, nothing is missing without traces and timeouts.
func Advise(c Config, workflows string) []Finding {
	inFile := len(c.Reporters)
	for _, m := range reporterOnCommand.FindAllStringSubmatch(workflows, -1) {
		c.Reporters = append(c.Reporters, strings.Split(m[1], ",")...)
	}
	for _, m := range traceOnCommand.FindAllStringSubmatch(workflows, -1) {
		c.TraceModes, c.Trace = append(c.TraceModes, m[1]), "--trace "+m[1]
	}
	if m := retriesOnCommand.FindStringSubmatch(workflows); m != nil {
		c.Tries = m[1]
	}
	if retriesInEnv.MatchString(workflows) {
		c.Retries = "true"
	}
	findings := []Finding{c.adviseReporter(), c.adviseRetries(), c.adviseTimeout(), c.adviseTrace()}
	if !findings[0].Bad && inFile == 0 {
		findings[0].Text += " (by the workflow's --reporter)"
	}
	if ledCommand.MatchString(workflows) {
		for i, f := range findings {
			if f.Bad && (f.Name == traceName || f.Name == timeoutName) {
				findings[i].Bad, findings[i].Text = false, "optional, since breadcrumb run suggests locators without traces; "+f.Text
			}
		}
	}
	if slices.Contains(c.TraceModes, "on") && (c.Screenshots != "false" || c.Sources != "false") {
		findings = append(findings, Finding{"Trace size", "nobody looks at screenshots and sources here: with screenshots: false, sources: false a trace is 6–10 KB", false})
	}
	return findings
}

// Names of findings.
const (
	timeoutName = "Action timeout"
	traceName   = "Trace"
)

// adviseChanges returns the bad findings of Advise for a configuration alone.
func adviseChanges(c Config) []Finding {
	return slices.DeleteFunc(Advise(c, ""), func(f Finding) bool { return !f.Bad })
}

func (c Config) hasReporter(names ...string) bool {
	return slices.ContainsFunc(c.Reporters, func(r string) bool { return slices.Contains(names, r) })
}

func (c Config) adviseReporter() Finding {
	if !c.hasReporter("junit", "json", "blob") {
		return Finding{"Reporter", `none that Breadcrumb reads: add ["junit", { outputFile: "results/playwright.xml", includeRetries: true }]`, true}
	}
	return Finding{"Reporter", strings.Join(c.Reporters, ", "), false}
}

func (c Config) adviseRetries() Finding {
	told := !c.hasReporter("junit") || c.hasReporter("json", "blob") || c.Retries == "true"
	switch {
	case told && (c.Tries == "" || c.Tries == "0"):
		return Finding{"Retries", "none are set in the configuration: with retries: process.env.CI ? 2 : 0 a test that fails and then passes shows that it is flaky", false}
	case told:
		return Finding{"Retries", oneLine(c.Tries) + ", in the report", false}
	}
	return Finding{"Retries", "not in the report: set includeRetries: true for the junit reporter; without, a test that failed and then passed on the same commit is no evidence of flakiness", true}
}

func (c Config) adviseTimeout() Finding {
	switch strings.TrimSpace(c.ActionTimeout) {
	case "", "0":
		return Finding{timeoutName, "none: set " + c.timeoutLine() + "; without, the test's own timeout ends an action, and a trace holds the page from before it alone", true}
	}
	if each, ok := milliseconds(c.ActionTimeout); ok && c.TestTimeout != "0" && lostLocators*each+assertionTime > c.testTime() {
		return Finding{timeoutName, fmt.Sprintf("%s: the test's own timeout ends a test with %d lost locators before its end, so that their edits are only suggested; %s leaves it time", c.ActionTimeout, lostLocators, c.timeoutLine()), false}
	}
	return Finding{timeoutName, c.ActionTimeout, false}
}

// A test with so many lost locators, and an assertion that fails, should come to its end:
// the edits of a test that its timeout ended are only suggested.
const (
	lostLocators  = 3
	assertionTime = 5_000 // Playwright's own, as the time of a test
	ownTestTime   = 30_000
)

// timeoutLine is the setting of a timeout for actions that leaves a test time to end.
func (c Config) timeoutLine() string {
	each := min(max(c.testTime()/6/500*500, 1000), 5000)
	return fmt.Sprintf("actionTimeout: %d_%03d", each/1000, each%1000)
}

// testTime returns the milliseconds that a test may take, Playwright's own number where the
// text does not tell.
func (c Config) testTime() int {
	if limit, ok := milliseconds(c.TestTimeout); ok && limit > 0 {
		return limit
	}
	return ownTestTime
}

// milliseconds reads a number as a script writes it.
func milliseconds(text string) (int, bool) {
	n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(text), "_", ""))
	return n, err == nil && n <= 1<<31
}

func (c Config) adviseTrace() Finding {
	advice := `set trace: { mode: process.env.GITHUB_HEAD_REF ? "retain-on-failure" : "on", screenshots: false, sources: false }`
	switch {
	case slices.Contains(c.TraceModes, "on"):
		return Finding{traceName, oneLine(c.Trace), false}
	case c.Trace == "" || slices.Equal(c.TraceModes, []string{"off"}):
		return Finding{traceName, "off: " + advice + "; without, the trace of a failed test suggests nothing for a broken locator; breadcrumb run does without traces", true}
	case len(c.TraceModes) == 0:
		return Finding{traceName, oneLine(c.Trace) + ", which the text alone does not tell; it should be on on the default branch and retain-on-failure on pull requests", false}
	}
	return Finding{traceName, oneLine(c.Trace) + ": passing tests leave none, so nothing is learned; " + advice, true}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
