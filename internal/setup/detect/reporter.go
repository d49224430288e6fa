package detect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
)

// chooseReport decides which report is read: one that the configuration writes,
// else that of the JUnit reporter, which is switched on for the run.
func (s *Suite) chooseReport(c pwconfig.Config) {
	s.readFolders(c)
	switch {
	case slices.Contains(c.Reporters, "junit"):
		s.readJUnitFile(c)
	case slices.Contains(c.Reporters, "blob") && s.isInside(c.Outputs["blob"]):
		s.Reports = below(s.Dir, c.Outputs["blob"]+"/*.zip")
	case slices.Contains(c.Reporters, "blob"):
		s.Reports = below(s.Dir, "blob-report/*.zip")
	case slices.Contains(c.Reporters, "json") && s.isInside(c.Outputs["json"]):
		s.Reports = below(s.Dir, c.Outputs["json"])
	default:
		s.addReporter(c)
		s.readJUnitFile(c)
	}
	if c.Chosen && len(s.Needs) == 0 {
		s.Needs = append(s.Needs, fmt.Sprintf("%s chooses its reporters by an expression: make sure that in CI one of them writes %s", s.Config, strings.Join(s.Reports, ", ")))
	}
}

// commandReporters matches the reporters that a command of Playwright Test names.
var commandReporters = lazyregexp.New(`\bplaywright test\b.*\s--reporter[= ]["']?([\w,./@-]+)`)

// WithReporters returns the suite as a command of a workflow runs it: reporters that the
// command names take the place of the configuration's. A blob report among them is read.
func (s Suite) WithReporters(command string) Suite {
	m := commandReporters.FindStringSubmatch(command)
	if s.Lang != TS || m == nil || !slices.Contains(strings.Split(m[1], ","), "blob") {
		return s
	}
	s.Silent, s.ReporterFlag, s.Test.Env = false, "", nil
	if !strings.HasSuffix(s.Reports[0], ".zip") {
		s.Reports = below(s.Dir, "blob-report/*.zip")
	}
	return s
}

// readFolders sets where the run leaves its traces, and names what the text does not tell.
func (s *Suite) readFolders(c pwconfig.Config) {
	switch {
	case s.isInside(c.OutputDir):
		s.Traces = below(s.Dir, c.OutputDir+"/**/trace.zip")
	case c.OutputDir != "" || c.Computed:
		s.Needs = append(s.Needs, s.Config+" sets an outputDir that its text does not tell, or one outside the checkout: set traces: in .breadcrumb.yml to where the traces are")
	}
	s.LocalURL = c.LocalURL
}

// addReporter switches the JUnit reporter on for the run, beside those of the
// configuration, when flags at the end of the command reach Playwright.
func (s *Suite) addReporter(c pwconfig.Config) {
	s.Silent = true
	reporters := c.Plain
	if !c.Configured {
		reporters = []string{"list"}
	}
	if len(reporters) > 0 {
		// The flag replaces the reporters of the configuration, and their options.
		s.ReporterFlag = "--reporter=" + strings.Join(append(slices.Clip(reporters), "junit"), ",")
	}
	switch {
	case s.scripted && !s.openEnded || s.ReporterFlag == "":
		s.Needs = append(s.Needs, s.Found+` names no reporter that Breadcrumb reads: add ["junit", { includeRetries: true }] to its reporters, which keeps the others; breadcrumb init --edit-config does where it can`)
	case strings.HasPrefix(s.Test.Run, "npm "):
		s.Test.Run += " -- " + s.ReporterFlag
	default:
		s.Test.Run += " " + s.ReporterFlag
	}
}

// readJUnitFile sets the file of the JUnit reporter: the one that the
// configuration names, else one that the environment sets. OUTPUT_FILE also
// overrides a configuration that computes the name.
func (s *Suite) readJUnitFile(c pwconfig.Config) {
	file := c.Outputs["junit"]
	if !s.isInside(file) {
		variable := "PLAYWRIGHT_JUNIT_OUTPUT_NAME"
		if c.Named {
			variable = "PLAYWRIGHT_JUNIT_OUTPUT_FILE"
		}
		file = "results/playwright.xml"
		s.Test.Env = append(s.Test.Env, Pair{variable, file})
	}
	if c.Retries != "true" {
		s.Test.Env = append(s.Test.Env, Pair{"PLAYWRIGHT_JUNIT_INCLUDE_RETRIES", "1"})
	}
	s.Reports = below(s.Dir, file)
}

// isInside reports whether a file, relative to the suite's folder, is in the
// checkout and can be written in a workflow.
func (s *Suite) isInside(file string) bool {
	return PlainPath.MatchString(file) && filepath.IsLocal(filepath.FromSlash(path.Join(s.Dir, file)))
}
