package setup

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// workflowName is that of the workflow that Make writes.
const workflowName = "browser tests"

// artifactName is that of what a fork's run leaves for its pull request.
const artifactName = "browser-test-results"

// forkFolder is where those results are unpacked: nothing of the checkout is
// overwritten.
const forkFolder = "fork"

//go:embed workflow.tmpl
var workflowText string

//go:embed forks.tmpl
var forksText string

var templates = func() *template.Template {
	t := template.New("").Funcs(template.FuncMap{"flow": flow, "lines": indented})
	template.Must(t.New("workflow").Parse(workflowText))
	return template.Must(t.New("forks").Parse(forksText))
}()

// workflow returns the workflow that runs suites and judges them.
func workflow(branch string, suites []Suite, own string) []byte {
	steps := []string{stepText(Step{Uses: checkout, With: []pair{{"persist-credentials", "false"}}})}
	for _, step := range setups(suites) {
		steps = append(steps, stepText(step))
	}
	var ids []string
	for i, s := range suites {
		ids = append(ids, testID(i))
		steps = append(steps, testText(s.Test, testID(i)))
	}
	steps = append(steps, judgingSteps(suites, own, ids)...)
	return execute("workflow", map[string]any{"Name": workflowName, "Branch": branch, "Steps": steps, "Own": own, "Permissions": permissions()})
}

// forks returns the workflow that tells the results of the workflow called name
// on pull requests from forks.
func forks(name string, suites []Suite, own string) []byte {
	with := []pair{{"junit", list(suites, forkFolder, func(s Suite) []string { return s.Reports })}}
	for _, more := range []pair{
		{"traces", list(suites, forkFolder, func(s Suite) []string { return s.Traces })},
		{"heal-events", list(suites, forkFolder, func(s Suite) []string { return s.Heals })},
	} {
		if more.value != "" {
			with = append(with, more)
		}
	}
	return execute("forks", map[string]any{"Name": name, "Own": own, "Checkout": checkout, "Download": downloadArtifact,
		"Artifact": artifactName, "Folder": forkFolder, "With": withText(with)})
}

func execute(name string, data any) []byte {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		panic(fmt.Sprintf("setup: template %s: %v", name, err)) // a template of ours is wrong
	}
	return []byte(out.String())
}

// permissions returns those of the job, each with why.
func permissions() []string {
	return []string{
		"contents: read # check out the tests",
		"actions: read # the history of earlier runs",
		"pull-requests: write # write the comment and suggest edits",
	}
}

// setups returns the steps before the tests, each once.
func setups(suites []Suite) []Step {
	var steps []Step
	seen := map[string]bool{}
	for _, s := range suites {
		for _, step := range s.Setup {
			if text := stepText(step); !seen[text] {
				seen[text] = true
				steps = append(steps, step)
			}
		}
	}
	return steps
}

// testID is the id of the step that runs suite i.
func testID(i int) string {
	if i == 0 {
		return "tests"
	}
	return fmt.Sprintf("tests-%d", i+1)
}

// judgingSteps are the steps after the tests, whose steps have the ids.
func judgingSteps(suites []Suite, own string, ids []string) []string {
	paths := list(suites, ".", func(s Suite) []string { return slices.Concat(s.Reports, s.Traces, s.Heals) })
	// An artifact begins at the folder that all of its paths share.
	upload := "# For " + path.Base(ForksFile) + "; the settings file keeps the paths as they are here.\n" +
		"- uses: " + uploadArtifact.String() + "\n" +
		"  if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository\n" +
		"  with:\n" + indented(2, withText([]pair{{"name", artifactName}, {"path", SettingsFile + "\n" + paths}, {"include-hidden-files", "true"}}))
	judge := "# Where the results are stands in " + SettingsFile + ".\n- uses: " + own + "\n  with:\n    step-outcome: " + outcomes(ids)
	return []string{upload, judge}
}

// outcomes are those of the steps with the ids, as the value of a key.
func outcomes(ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = "${{ steps." + id + ".outcome }}"
	}
	if len(all) == 1 {
		return all[0]
	}
	return "|\n" + indented(6, strings.Join(all, "\n"))
}

// testText is the step of the tests, whose failures Breadcrumb judges.
func testText(s Step, id string) string {
	head, rest, found := strings.Cut(stepText(s), "\n")
	text := head + "\n  id: " + id + "\n  continue-on-error: true # Breadcrumb decides"
	if found {
		text += "\n" + rest
	}
	return text
}

// stepText returns a step as YAML, its first line beginning with "- ".
func stepText(s Step) string {
	var out strings.Builder
	if s.Run != "" {
		out.WriteString("- run: " + scalar(s.Run))
	} else {
		out.WriteString("- uses: " + s.Uses.String())
	}
	if s.Dir != "" && s.Dir != "." {
		out.WriteString("\n  working-directory: " + scalar(s.Dir))
	}
	for _, block := range []struct {
		key   string
		pairs []pair
	}{{"with", s.With}, {"env", s.Env}} {
		if len(block.pairs) > 0 {
			out.WriteString("\n  " + block.key + ":\n" + indented(2, withText(block.pairs)))
		}
	}
	return out.String()
}

// withText returns the lines of a block of keys, a value of several lines as a
// literal.
func withText(pairs []pair) string {
	var lines []string
	for _, p := range pairs {
		if strings.Contains(p.value, "\n") {
			lines = append(lines, "  "+p.key+": |", indented(4, p.value))
			continue
		}
		lines = append(lines, "  "+p.key+": "+scalar(p.value))
	}
	return strings.Join(lines, "\n")
}

// indented returns text with every line moved right.
func indented(n int, text string) string {
	space := strings.Repeat(" ", n)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}

// bare is text that YAML reads as itself.
var bare = regexp.MustCompile(`^[A-Za-z./][\w ./@+,=:&$()*-]*$`)

// flowing is text that YAML reads as itself between brackets, too.
var flowing = regexp.MustCompile(`^[\w ./-]+$`)

// flow returns text as a YAML scalar that may stand between brackets.
func flow(text string) string {
	if flowing.MatchString(text) {
		return scalar(text)
	}
	return quoted(text)
}

// scalar returns text as a YAML scalar of one line, quoted where it has to be.
func scalar(text string) string {
	var back any
	if bare.MatchString(text) && yaml.Unmarshal([]byte(text), &back) == nil && back == text || text == "false" || text == "true" {
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

// list returns the globs of all suites below a folder, one a line.
func list(suites []Suite, folder string, of func(Suite) []string) string {
	var globs []string
	for _, s := range suites {
		for _, glob := range of(s) {
			globs = append(globs, path.Join(folder, glob))
		}
	}
	return strings.Join(slices.Compact(globs), "\n")
}
