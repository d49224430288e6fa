package setup

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

const (
	workflowName = "browser tests"        // the workflow that Make writes
	artifactName = "browser-test-results" // the results of a pull request from a fork
	forkFolder   = "fork"                 // where they are unpacked, so that they overwrite nothing
	pullFolder   = "pull"                 // the same, of any pull request
	checkName    = "browser tests verdict"
)

//go:embed workflow.tmpl forks.tmpl verdict.tmpl
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"flow": quoteFlow, "lines": indented}).ParseFS(templateFiles, "*.tmpl"))

// testsWorkflow returns the workflow that runs suites and judges them, those of pull
// requests only where that is not another one's.
func testsWorkflow(branch string, suites []detect.Suite, o Options) []byte {
	steps := []string{stepText(detect.Step{Uses: detect.CheckoutAction, With: []detect.Pair{{Key: "persist-credentials", Value: "false"}}})}
	for _, s := range suites {
		for _, step := range s.Setup {
			if text := stepText(step); !slices.Contains(steps, text) {
				steps = append(steps, text)
			}
		}
	}
	if anyLed(suites) {
		steps = append(steps, setupStep(o.Own))
	}
	var ids []string
	for i, s := range suites {
		ids = append(ids, testID(i))
		s.Test.Run = s.Command()
		steps = append(steps, testText(s.Test, testID(i)))
	}
	data := map[string]any{"Name": workflowName, "Branch": branch, "Own": o.Own, "Permissions": permissions, "Separate": o.Separate, "VerdictFile": path.Base(VerdictFile)}
	if o.Separate {
		data["Permissions"] = permissions[:2]
		data["Steps"] = append(steps, leavingSteps(suites, o.Own, ids)...)
	} else {
		data["Steps"] = append(steps, judgingSteps(suites, o.Own, stepOutcome, ids, false)...)
	}
	return executeTemplate("workflow.tmpl", data)
}

// anyLed reports whether breadcrumb run leads one of the suites.
func anyLed(suites []detect.Suite) bool {
	return slices.ContainsFunc(suites, func(s detect.Suite) bool { return s.Led })
}

// setupAction returns how a workflow names the action that puts the command on the path.
func setupAction(own string) string { return strings.Replace(own, "@", "/setup@", 1) }

// setupStep returns the step before those of the tests.
func setupStep(own string) string {
	return "# For `breadcrumb run`, which suggests elements for lost locators, with what earlier\n" +
		"# runs learned. With `run --heal live` the tests heal and go on.\n- uses: " + setupAction(own)
}

// verdictWorkflow returns the workflow that judges from outside what the workflow
// called name left of pull requests.
func verdictWorkflow(name string, suites []detect.Suite, own string) []byte {
	return executeTemplate("verdict.tmpl", map[string]any{"Name": name, "Own": own, "Checkout": detect.CheckoutAction, "Download": detect.DownloadArtifact,
		"Artifact": artifactName, "Folder": pullFolder, "Check": checkName, "With": withText(resultsBelow(suites, pullFolder))})
}

// resultsBelow returns the inputs with the places of the suites' results below a
// folder.
func resultsBelow(suites []detect.Suite, folder string) []detect.Pair {
	var with []detect.Pair
	for _, key := range settingKeys {
		if value := joinGlobs(suites, folder, key.of); value != "" {
			with = append(with, detect.Pair{Key: key.name, Value: value})
		}
	}
	return with
}

// forksWorkflow returns the workflow that reports the results of the workflows called names
// on pull requests from forks. The legs of a matrix each leave an artifact, which is
// unpacked into a folder of its own.
func forksWorkflow(names []string, suites []detect.Suite, own string, matrix bool) []byte {
	artifact, folder := "name: "+artifactName, forkFolder
	if matrix {
		artifact, folder = "pattern: "+artifactName+"-*", forkFolder+"/*"
	}
	return executeTemplate("forks.tmpl", map[string]any{"Names": names, "Own": own, "Checkout": detect.CheckoutAction, "Download": detect.DownloadArtifact,
		"Artifact": artifact, "Folder": forkFolder, "With": withText(resultsBelow(suites, folder))})
}

func executeTemplate(name string, data any) []byte {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		panic(fmt.Sprintf("setup: template %s: %v", name, err)) // a template of ours is wrong
	}
	return []byte(out.String())
}

// permissions are the permissions of the job, each with its reason.
var permissions = []string{
	"contents: read # check out the tests",
	"actions: read # the history of earlier runs",
	"pull-requests: write # write the comment and suggest edits",
}

// missingPermissions returns those of permissions that a job does not have: of a job that
// says nothing the repository's settings decide, and it has none for sure.
func missingPermissions(has yaml.Node) []string {
	var each map[string]string
	_ = has.Decode(&each) // what is no mapping has no keys
	return slices.DeleteFunc(slices.Clone(permissions), func(line string) bool {
		name, rest, _ := strings.Cut(line, ": ")
		want, _, _ := strings.Cut(rest, " ")
		return has.Value == "write-all" || want == "read" && has.Value == "read-all" || each[name] == want || each[name] == "write"
	})
}

// lackingPermissions returns those that a job which calls a workflow does not have,
// without their reasons.
func lackingPermissions(has yaml.Node) []string {
	lines := missingPermissions(has)
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, " #")
	}
	return lines
}

// testID is the id of the step that runs suite i.
func testID(i int) string {
	if i == 0 {
		return "tests"
	}
	return fmt.Sprintf("tests-%d", i+1)
}

// fromFork is the condition of a pull request from a fork.
const fromFork = "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository"

// judgingSteps returns the steps after those of the tests, whose outcomes an expression
// for each of the ids has. Of a leg whose suites are not those of others, the step says
// where the results are.
func judgingSteps(suites []detect.Suite, own, expression string, ids []string, ofLeg bool) []string {
	condition := ">-\n"
	for _, id := range ids {
		condition += "    " + fmt.Sprintf(expression, id) + " == 'failure' ||\n"
	}
	upload := strings.Replace(uploadStep(suites, ForksFile, condition+"    "+fromFork), "\n- uses: ",
		"\n# When tests failed the comment links to them.\n- id: "+artifactName+"\n  continue-on-error: true # the verdict needs none of it\n  uses: ", 1)
	judge := "# Where the results are stands in " + SettingsFile + ".\n- uses: " + own + "\n  with:\n    step-outcome: " + outcomes(expression, ids) + artifactInput
	if ofLeg {
		judge = "# The results of this leg; " + SettingsFile + " has those of all suites.\n- uses: " + own + "\n  with:\n" +
			indented(2, withText(resultsBelow(suites, "."))) + "\n    step-outcome: " + outcomes(expression, ids) + artifactInput
	}
	return []string{upload, judge}
}

// artifactInput names the artifact that the comment and the job summary link to.
const artifactInput = "\n    artifact-id: ${{ steps." + artifactName + ".outputs.artifact-id }}"

// leavingSteps returns the steps after those of the tests, which have the ids, where
// the tests of pull requests are judged from outside.
func leavingSteps(suites []detect.Suite, own string, ids []string) []string {
	const outside = "github.event_name != 'push'"
	unpassed, red := make([]string, len(ids)), outside
	for i, id := range ids {
		unpassed[i] = "steps." + id + ".outcome != 'success'"
		red += " || steps." + id + ".outcome == 'failure'"
	}
	condition := strings.Join(unpassed, " || ")
	if len(unpassed) > 1 {
		condition = "(" + condition + ")"
	}
	return []string{
		strings.Replace(uploadStep(suites, VerdictFile, red), "\n- uses: ", "\n# When tests of the default branch failed the job summary links to them.\n- id: "+artifactName+"\n  uses: ", 1),
		"# The verdict asks how this run ended.\n- run: exit 1\n  if: " + outside + " && " + condition,
		"# Where the results are stands in " + SettingsFile + ".\n- uses: " + own + "\n  if: github.event_name == 'push'\n  with:\n    step-outcome: " + outcomes(stepOutcome, ids) + artifactInput,
	}
}

// uploadStep returns the step that keeps the suites' results for another workflow.
func uploadStep(suites []detect.Suite, file, condition string) string {
	paths := joinGlobs(suites, ".", func(s detect.Suite) []string { return slices.Concat(s.Reports, s.Traces, s.Heals, picturesOf(s.Heals)) })
	// An artifact begins at the folder that all of its paths share.
	return "# For " + path.Base(file) + "; the settings file keeps the paths as they are here.\n" +
		"- uses: " + detect.UploadArtifact.String() + "\n" +
		"  if: " + condition + "\n" +
		"  with:\n" + indented(2, withText([]detect.Pair{{Key: "name", Value: artifactName}, {Key: "path", Value: SettingsFile + "\n" + paths}, {Key: "include-hidden-files", Value: "true"}}))
}

// picturesOf returns the globs of the pictures beside files of heal events.
func picturesOf(heals []string) (pictures []string) {
	for _, glob := range heals {
		if path.Ext(glob) == ".ndjson" {
			pictures = append(pictures, path.Join(path.Dir(glob), engine.PictureFolder, "*.jpg"))
		}
	}
	return pictures
}

// stepOutcome is the expression of how the step with an id ended.
const stepOutcome = "steps.%s.outcome"

// outcomes returns how steps or jobs ended, by an expression for an id, as the value of a
// key.
func outcomes(expression string, ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = "${{ " + fmt.Sprintf(expression, id) + " }}"
	}
	if len(all) == 1 {
		return all[0]
	}
	return "|\n" + indented(6, strings.Join(all, "\n"))
}

// testText returns the step that runs the tests.
func testText(s detect.Step, id string) string {
	head, rest, found := strings.Cut(stepText(s), "\n")
	text := head + "\n  id: " + id + "\n  continue-on-error: true # Breadcrumb decides"
	if found {
		text += "\n" + rest
	}
	return text
}

// stepText returns a step as YAML, its first line beginning with "- ".
func stepText(s detect.Step) string {
	var out strings.Builder
	if s.Run != "" {
		out.WriteString("- run: " + quoteScalar(s.Run))
	} else {
		out.WriteString("- uses: " + s.Uses.String())
	}
	if s.Dir != "" && s.Dir != "." {
		out.WriteString("\n  working-directory: " + quoteScalar(s.Dir))
	}
	for _, block := range []struct {
		key   string
		pairs []detect.Pair
	}{{"with", s.With}, {"env", s.Env}} {
		if len(block.pairs) > 0 {
			out.WriteString("\n  " + block.key + ":\n" + indented(2, withText(block.pairs)))
		}
	}
	return out.String()
}

// withText returns the lines of a block of keys, a value of several lines as a
// literal.
func withText(pairs []detect.Pair) string {
	var lines []string
	for _, p := range pairs {
		if strings.Contains(p.Value, "\n") {
			lines = append(lines, "  "+p.Key+": |", indented(4, p.Value))
			continue
		}
		lines = append(lines, "  "+p.Key+": "+quoteScalar(p.Value))
	}
	return strings.Join(lines, "\n")
}

// indented returns text with every line moved right.
func indented(n int, text string) string {
	space := strings.Repeat(" ", n)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}

// plainScalar matches text that YAML reads as itself.
var plainScalar = lazyregexp.New(`^[A-Za-z./][\w ./@+,=:&$(){}*-]*$`)

// plainFlow matches text that YAML reads as itself between brackets, too.
var plainFlow = lazyregexp.New(`^[\w ./-]+$`)

// quoteFlow returns text as a YAML scalar that can be used between brackets.
func quoteFlow(text string) string {
	if plainFlow.MatchString(text) {
		return quoteScalar(text)
	}
	return quoted(text)
}

// quoteScalar returns text as a YAML scalar of one line, quoted when necessary.
func quoteScalar(text string) string {
	var back any
	if plainScalar.MatchString(text) && yaml.Unmarshal([]byte(text), &back) == nil && back == text || text == "false" || text == "true" {
		return text
	}
	return quoted(text)
}

// quoted returns text as a quoted YAML scalar of one line.
func quoted(text string) string {
	quoted := yaml.Node{Kind: yaml.ScalarNode, Value: text, Style: yaml.DoubleQuotedStyle}
	if !strings.ContainsAny(text, "'\n") && strings.Contains(text, `"`) {
		quoted.Style = yaml.SingleQuotedStyle
	}
	out, err := yaml.Marshal(&quoted)
	if err != nil || strings.Count(string(out), "\n") > 1 {
		return `""` // text that YAML has no line for
	}
	return strings.TrimSuffix(string(out), "\n")
}

// joinGlobs returns the globs of all suites below a folder, one a line.
func joinGlobs(suites []detect.Suite, folder string, of func(detect.Suite) []string) string {
	var globs []string
	for _, s := range suites {
		for _, glob := range of(s) {
			if glob = path.Join(folder, glob); !slices.Contains(globs, glob) {
				globs = append(globs, glob)
			}
		}
	}
	return strings.Join(globs, "\n")
}
