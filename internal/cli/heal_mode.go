package cli

import (
	"os/exec"
	"slices"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// healChoice is what decides what `breadcrumb run` does for a locator that finds nothing.
type healChoice struct {
	flag   string
	root   string // of the repository
	getenv func(string) string
}

// chooseHealMode returns the mode, and advice for the person where nobody chose it.
//
// A person sees what was healed, and decides on their own machine: live, unless flag,
// environment or settings file say otherwise. In CI a heal lets a job pass that would have
// failed, so it has to be the decision of those who keep the default branch, and not of
// the change that is tested: the flag stands in the workflow, which they review, and the
// settings file counts as the default branch has it. A variable, which any earlier step can
// write, only ever does less. Where they have not decided, suggest: the job fails as it would
// without, and the pull request gets the edit.
func chooseHealMode(c healChoice) (mode engine.HealMode, advice string, err error) {
	if !inCI(c.getenv) {
		mode, err = live.HealMode(c.flag, c.getenv, c.root)
		return mode, "", err
	}
	mode = engine.HealSuggest
	switch inFile, known, err := c.defaultBranchMode(); {
	case c.flag != "":
		if mode, err = engine.ParseHealMode(c.flag); err != nil {
			return "", "", err
		}
	case err != nil:
		return "", "", err
	case known:
		mode = inFile
	default:
		advice = "in CI locators are only suggested until heal: live stands in " + defaultConfigFile + " of the default branch, or --heal live in the workflow"
	}
	wanted, err := live.HealMode("", c.getenv, "")
	if err != nil {
		return "", "", err
	}
	modes := engine.HealModes() // the one that does most first
	if slices.Index(modes, string(wanted)) > slices.Index(modes, string(mode)) {
		mode, advice = wanted, ""
	}
	return mode, advice, nil
}

// inCI reports whether a CI job runs the command, as its services tell by the variable CI.
func inCI(getenv func(string) string) bool {
	value := getenv("CI")
	return value != "" && value != "false" && value != "0" || getenv("GITHUB_ACTIONS") == "true"
}

// defaultBranchMode returns the mode that the settings file of the default branch names,
// as far as the checkout holds that branch.
func (c healChoice) defaultBranchMode() (mode engine.HealMode, known bool, err error) {
	for _, revision := range c.defaultBranch() {
		text, err := exec.Command("git", "-C", c.root, "show", revision+":./"+defaultConfigFile).Output() //nolint:noctx,gosec // reads one object; a revision begins with HEAD or refs/
		if err != nil {
			continue // the revision is not in a shallow checkout, or has no such file
		}
		vs, err := parseConfig(defaultConfigFile+" of the default branch", text[:min(len(text), maxConfigBytes)], ciSettings())
		if err != nil {
			return "", false, err
		}
		value, set := vs[healSetting.name]
		if !set {
			return "", false, nil
		}
		mode, err = engine.ParseHealMode(value.text())
		return mode, err == nil, err
	}
	return "", false, nil
}

// defaultBranch returns the revisions that are the default branch's, as GitHub's event or
// GitLab's variables name it, and what the clone took for it.
func (c healChoice) defaultBranch() (revisions []string) {
	branch := c.getenv("CI_DEFAULT_BRANCH")
	tested := branch != "" && c.getenv("CI_COMMIT_BRANCH") == branch
	if run, err := gh.LoadBackendOptions(c.getenv, readEvent); err == nil {
		branch = run.DefaultBranch
		tested = run.Ref == "refs/heads/"+branch && slices.Contains([]string{"push", "schedule", "workflow_dispatch"}, run.Event)
	}
	if tested {
		revisions = append(revisions, "HEAD")
	}
	if branch != "" {
		revisions = append(revisions, "refs/remotes/origin/"+branch)
	}
	return append(revisions, "refs/remotes/origin/HEAD")
}
