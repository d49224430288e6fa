package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/junit"
)

// setting is one setting of `breadcrumb ci`. A user can give it in three places
// under the same name: as a flag, an action input or a key of .breadcrumb.yml.
type setting struct {
	name  string
	def   string
	usage string
	kind  kind
	words []string // allowed values of a kindWord, or of each of kindOutcomes
}

type kind int

const (
	kindText kind = iota
	kindGlobs
	kindBool
	kindWord
	kindBytes
	kindCount
	kindLimits
	kindOutcomes
)

// ciSettings lists every setting of `breadcrumb ci`, in the order help shows
// them. action.yml and docs/inputs.md are tested against it.
func ciSettings() []setting {
	return []setting{
		{name: "junit", kind: kindGlobs, usage: "report `GLOB`s, ** allowed; repeat, or separate by commas or lines; " + junit.FormatNames},
		{name: "max-report-bytes", def: "1GB", kind: kindBytes, usage: "largest `SIZE` of one report, in bytes or with KB, MB or GB; what is beyond is not read and the run does not pass"},
		{name: "report-limits", kind: kindLimits, usage: "other bounds of reports as `NAME=VALUE`, separated by commas or lines: " + reportLimitNames()},
		{name: "heal-events", kind: kindGlobs, usage: "heal event `GLOB`s: breadcrumb.heal/v1 NDJSON, or a Playwright JSON report with selfmend's attachments"},
		{name: "traces", kind: kindGlobs, usage: "`GLOB`s of Playwright's trace.zip; those that a report has as attachments are read in any case"},
		{name: "replay", def: "false", kind: kindBool, usage: "show the pages of failed traces in headless Chromium, to see what is hidden and to count what locators find; needs Chromium and Playwright's driver, which the container does not have"},
		{name: "heal-db", usage: "database `FILE` a healing library wrote; its heal events are read, the file is not changed"},
		{name: "db", def: ".breadcrumb.db", usage: "Breadcrumb's database: `FILE`, made when missing, or postgres:// URL"},
		{name: "state", def: stateAuto, kind: kindWord, words: stateWords, usage: "`PLACE` that keeps the history from run to run: artifact, cache, branch, path, none, or auto (path where state-path is given, else artifact in a GitHub Actions job, else none: the database file alone)"},
		{name: "state-path", usage: "`DIR` that keeps the history, shared by all runs; made when missing"},
		{name: "keep-runs", def: "300", kind: kindCount, usage: "how many runs of each job, and of each test, the history keeps at least: `N`, 0 for all"},
		{name: "keep-days", def: "0", kind: kindCount, usage: "how many `DAYS` the history goes back, 0 for all"},
		{name: "repo", def: ".", usage: "checkout `DIR` that holds the tests' source"},
		{name: "edit-paths", kind: kindGlobs, usage: "`GLOB`s of the files that may be edited, from the repository's top (default every test source); .git* never is"},
		{name: "patch", usage: "write the proposed edits to this `FILE`, for git apply"},
		{name: "policy", def: string(flaky.PolicyEvidence), kind: kindWord, words: []string{string(flaky.PolicyEvidence), string(flaky.PolicySeed)}, usage: "quarantine `POLICY`: evidence or seed"},
		{name: "confirm", def: string(flaky.ConfirmAuto), kind: kindWord, words: flaky.ConfirmWays(),
			usage: "`WHEN` the failure of a quarantined test waits for a rerun that passes: auto (where red runs are mostly rerun, and when it comes again), always, or never"},
		{name: "max-quarantine", def: "5", usage: "largest `PERCENT` of the suite in quarantine by evidence"},
		{name: "quarantine-always", kind: kindGlobs, usage: "`GLOB`s of tests, or of their files, that are always in quarantine"},
		{name: "quarantine-never", kind: kindGlobs, usage: "`GLOB`s of tests, or of their files, that are never in quarantine"},
		{name: "missing", def: string(ci.MissingAuto), kind: kindWord, words: []string{string(ci.MissingAuto), string(ci.MissingFail), string(ci.MissingWarn)},
			usage: "`RULE` for a test that the last run had and this one lacks: fail, warn, or auto (fail, but warn in a matrix leg, where shards trade tests)"},
		{name: "step-outcome", kind: kindOutcomes, words: ci.StepOutcomes(),
			usage: "`OUTCOME` of the steps that ran the tests, separated by commas or lines: " + strings.Join(ci.StepOutcomes(), ", ") + "; where one failed and no report shows a failure the run does not pass; in a workflow ${{ steps.ID.outcome }}"},
		{name: "leg", usage: "`TEXT` that tells the legs of a matrix apart; in a workflow ${{ toJSON(matrix) }}"},
		{name: "job", usage: "`NAME` of the job, of a called workflow the calling one's (default: GitHub is asked); each has its own history and comment, and outside GitHub reruns count as such only with it"},
		{name: "job-id", usage: "GitHub's `ID` of this job; in a workflow ${{ job.check_run_id }}"},
		{name: "artifact-id", usage: "GitHub's `ID` of the artifact with this run's reports and traces, to which the comment links; in a workflow ${{ steps.ID.outputs.artifact-id }}"},
		{name: "comment", def: "true", kind: kindBool, usage: "post the pull request comment, and the review that suggests edits"},
		{name: "comment-key", usage: "`KEY` of the comment, one comment is kept per key (default: the workflow's file and the job, with a matrix leg's hash)"},
		{name: "check-run", usage: "publish the verdict as the check run of this `NAME` on the tested commit; needs checks: write"},
		{name: "check-run-end", kind: kindOutcomes, words: ci.StepOutcomes(), usage: "judge nothing, and make the check run a failure where the judging job left it pending; `OUTCOME` is how that job ended, in a workflow ${{ needs.JOB.result }}"},
		{name: "report", usage: "write the outcome as JSON to this `FILE`"},
		{name: "format", def: "text", kind: kindWord, words: []string{"text", "markdown", "json"}, usage: "`FORMAT` of what is printed: text, markdown or json"},
		{name: "dry-run", def: "false", kind: kindBool, usage: "write neither database nor comment, only what --patch names"},
		{name: "github-token", usage: "`TOKEN` for the comment; better given as the action input or GITHUB_TOKEN"},
	}
}

// pickSettings returns the settings of those names.
func pickSettings(settings []setting, names ...string) []setting {
	return slices.DeleteFunc(slices.Clone(settings), func(s setting) bool { return !slices.Contains(names, s.name) })
}

// takesList reports whether a setting holds several values.
func (s setting) takesList() bool {
	return s.kind == kindGlobs || s.kind == kindLimits || s.kind == kindOutcomes
}

// value is a setting's value and where it comes from, for error messages.
type value struct {
	items []string
	from  string // "--junit", "input junit", ".breadcrumb.yml line 3", "default"
	file  bool   // from a settings file
}

func (v value) text() string { return strings.Join(v.items, ",") }

// describePlace returns where v comes from, with the setting's name: a flag or an input
// names it already, a line of a file does not.
func (v value) describePlace(name string) string {
	if v.file {
		return v.from + ": " + name
	}
	return v.from
}

// values maps every setting's name to what applies.
type values map[string]value

// checkValue reports the first value that its setting does not allow.
func (s setting) checkValue(v value) error {
	switch s.kind {
	case kindBool:
		if _, err := strconv.ParseBool(v.text()); err != nil {
			return invalidValue(v, s, "true or false")
		}
	case kindWord:
		if !slices.Contains(s.words, v.text()) {
			return invalidValue(v, s, joinChoices(s.words))
		}
	case kindGlobs:
		for _, glob := range v.items {
			if !doublestar.ValidatePattern(glob) {
				return usageError{fmt.Sprintf("%s: %q is no pattern: a bracket or brace of it is not closed; escape one that is meant as such with \\", v.describePlace(s.name), glob)}
			}
		}
	case kindOutcomes:
		for _, item := range v.items {
			if item == "" {
				return usageError{v.describePlace(s.name) + " has no word for one of the steps: check its id, and that it stands before this one"}
			}
			if !slices.Contains(s.words, item) {
				return invalidValue(value{[]string{item}, v.from, v.file}, s, joinChoices(s.words))
			}
		}
	case kindBytes:
		if _, err := parseBytes(v.text()); err != nil {
			return invalidValue(v, s, "a number of bytes from 1 to 1TB, such as 200MB")
		}
	case kindLimits:
		if _, err := parseLimits(v.items); err != nil {
			return usageError{v.describePlace(s.name) + ": " + err.Error()}
		}
	case kindCount:
		if n, err := strconv.Atoi(v.text()); err != nil || n < 0 || n > 1_000_000 {
			return invalidValue(v, s, "a whole number from 0 to 1000000")
		}
	case kindText:
		if len(v.items) > 1 {
			return usageError{fmt.Sprintf("%s takes one value, not a list", v.describePlace(s.name))}
		}
	}
	return nil
}

func invalidValue(v value, s setting, want string) error {
	return usageError{fmt.Sprintf("%s is %q; it must be %s", v.describePlace(s.name), v.text(), want)}
}

// joinChoices joins words for a sentence: a, b or c.
func joinChoices(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// buildConfig turns checked values into the run's configuration.
func (vs values) buildConfig() (ci.Config, error) {
	key := vs["comment-key"].text()
	if key != "" && !comment.ValidKey(key) {
		return ci.Config{}, usageError{fmt.Sprintf("%s is %q; it may hold only letters, digits, '.', '_' and '-', 64 at most", vs["comment-key"].describePlace("comment-key"), key)}
	}
	if len(vs["junit"].items) == 0 {
		return ci.Config{}, usageError{"no report to read: say where the test reports are, for example --junit 'results/**/*.xml' (input or key: junit)"}
	}
	artifact, err := strconv.ParseInt(cmp.Or(vs["artifact-id"].text(), "0"), 10, 64)
	if err != nil || artifact < 0 {
		return ci.Config{}, usageError{fmt.Sprintf("%s is %q; it must be the number of an artifact, ${{ steps.ID.outputs.artifact-id }}", vs["artifact-id"].describePlace("artifact-id"), vs["artifact-id"].text())}
	}
	policy, err := flaky.ParsePolicy(vs["policy"].text())
	if err != nil {
		return ci.Config{}, usageError{vs["policy"].from + ": " + err.Error()}
	}
	share, err := vs["max-quarantine"].parseShare()
	if err != nil {
		return ci.Config{}, err
	}
	return ci.Config{
		MaxQuarantine: share, Always: vs["quarantine-always"].items, Never: vs["quarantine-never"].items,
		JUnit:      vs["junit"].items,
		Limits:     vs.limits(),
		HealEvents: vs["heal-events"].items,
		Traces:     vs["traces"].items,
		Replay:     vs["replay"].bool(),
		NoHeal:     vs[healSetting.name].text() == string(engine.HealOff),
		NoLearn:    vs[learnSetting.name].text() == string(engine.HealOff),
		NoPictures: vs[picturesSetting.name].text() == string(engine.HealOff),
		HealDB:     vs["heal-db"].text(),
		DB:         vs["db"].text(),
		Repo:       vs["repo"].text(),
		EditPaths:  vs["edit-paths"].items,
		Patch:      vs["patch"].text(),
		Policy:     policy,
		Confirm:    flaky.Confirm(vs["confirm"].text()),
		Missing:    ci.MissingRule(vs["missing"].text()),
		Steps:      vs["step-outcome"].items,
		Comment:    vs["comment"].bool(),
		CommentKey: key,
		ArtifactID: artifact,
		Report:     vs["report"].text(),
		DryRun:     vs["dry-run"].bool(),
		KeepRuns:   vs["keep-runs"].count(),
		KeepDays:   vs["keep-days"].count(),
		File:       vs[configSetting].text(),
		Origins:    vs.policyOrigins(),
	}, nil
}

// configSetting is the key of values for the settings file's name.
const configSetting = "config"

// policyOrigins returns the origin of each setting that decides which failures may be
// excused.
func (vs values) policyOrigins() map[string]ci.Origin {
	origins := map[string]ci.Origin{}
	for _, name := range []string{ci.SettingPolicy, ci.SettingMaxQuarantine, ci.SettingAlways, ci.SettingNever, ci.SettingMissing, ci.SettingConfirm} {
		origins[name] = ci.Origin{Place: vs[name].from, File: vs[name].file}
	}
	return origins
}

// parseShare parses a percentage and returns it as a ratio in (0,1].
func (v value) parseShare() (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(v.text()), "%"), 64)
	if err != nil || !(percent > 0 && percent <= 100) {
		return 0, usageError{fmt.Sprintf("%s is %q; it must be a percentage above 0 and at most 100", v.describePlace("max-quarantine"), v.text())}
	}
	return percent / 100, nil
}

// count returns a count; checkValue has validated it.
func (v value) count() int {
	n, _ := strconv.Atoi(v.text())
	return n
}

// bool returns a truth value; checkValue has validated it.
func (v value) bool() bool {
	b, _ := strconv.ParseBool(v.text())
	return b
}
